/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sys/pcap.h"

#include <errno.h>
#include <fcntl.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sys/error.h"

#define NS_PER_S     UINT64_C(1000000000)
/* Some 450 headers a write: copying so much into the page cache takes 20 us,
 * which a datapath that captures can wait; a larger buffer makes it wait
 * longer, a smaller one more often. */
#define BUFFER_BYTES 65536

struct fp_pcap {
	pcap_t *format; /* link type, precision, snap length */
	pcap_dumper_t *dumper;
	FILE *file; /* the dumper's */
	int errnum; /* of the first write that failed; 0: none */
	char buffer[BUFFER_BYTES];
};

/* A descriptor of our own, since the dumper closes it. */
static FILE *open_copy(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	FILE *file = copy >= 0 ? fdopen(copy, "w") : NULL;

	if (!file && copy >= 0)
		(void)close(copy); /* nothing was written */
	return file;
}

static int start(struct fp_pcap *pcap, int fd, uint32_t snap_bytes)
{
	pcap->format = pcap_open_dead_with_tstamp_precision(
	    DLT_RAW, (int)snap_bytes, PCAP_TSTAMP_PRECISION_NANO);
	if (!pcap->format)
		return -ENOMEM;
	pcap->file = open_copy(fd);
	if (!pcap->file)
		return -errno;
	/* a wish: unbuffered is slower, not wrong */
	(void)setvbuf(pcap->file, pcap->buffer, _IOFBF, sizeof(pcap->buffer));
	pcap->dumper = pcap_dump_fopen(pcap->format, pcap->file);
	return pcap->dumper ? 0 : -EIO;
}

struct fp_pcap *fp_pcap_new(int fd, uint32_t snap_bytes, struct fp_error *error)
{
	struct fp_pcap *pcap = calloc(1, sizeof(*pcap));
	int result = pcap ? start(pcap, fd, snap_bytes) : -ENOMEM;

	if (!result)
		return pcap;
	(void)fp_error_errno(error, -result, "cannot start a capture");
	fp_pcap_free(pcap);
	return NULL;
}

void fp_pcap_add(struct fp_pcap *pcap, const struct fp_pcap_packet *packet)
{
	/* with nanosecond precision tv_usec holds them (pcap-savefile(5)) */
	const struct pcap_pkthdr header = {
		.ts = { .tv_sec = (time_t)(packet->time_ns / NS_PER_S),
			.tv_usec = (long)(packet->time_ns % NS_PER_S) },
		.caplen = packet->captured_bytes,
		.len = packet->packet_bytes,
	};

	if (pcap->errnum)
		return;
	pcap_dump((u_char *)pcap->dumper, &header, packet->bytes);
	if (ferror(pcap->file))
		pcap->errnum = errno ? errno : EIO;
}

int fp_pcap_flush(struct fp_pcap *pcap)
{
	if (!pcap->errnum && fflush(pcap->file))
		pcap->errnum = errno;
	return -pcap->errnum;
}

void fp_pcap_free(struct fp_pcap *pcap)
{
	if (!pcap)
		return;
	if (pcap->dumper)
		pcap_dump_close(pcap->dumper); /* closes the file */
	else if (pcap->file)
		(void)fclose(pcap->file); /* holds nothing */
	if (pcap->format)
		pcap_close(pcap->format);
	free(pcap);
}
