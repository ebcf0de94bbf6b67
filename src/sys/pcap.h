/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A capture of IP packets in the classic pcap format, as Wireshark and tcptrace
 * read it: link type RAW (the first byte is IP's), nanoseconds.
 */
#ifndef SYS_PCAP_H
#define SYS_PCAP_H

#include <stdint.h>

#include "base/error.h"

struct fp_pcap;

struct fp_pcap_packet {
	uint64_t time_ns;        /* since 1970-01-01 00:00 UTC */
	const uint8_t *bytes;    /* from the IP header on */
	uint32_t captured_bytes; /* of bytes, at most the snap length */
	uint32_t packet_bytes;   /* of the whole IP packet */
};

/* Starts a capture: its header goes to a copy of fd. snap_bytes: the most that
 * is kept of a packet. Returns NULL with error. */
struct fp_pcap *fp_pcap_new(int fd, uint32_t snap_bytes,
			    struct fp_error *error);

/* Adds a packet; times must not run back. Goes to a buffer, which is written
 * when it is full. A failure is kept for fp_pcap_flush(). */
void fp_pcap_add(struct fp_pcap *pcap, const struct fp_pcap_packet *packet);

/* Writes what is buffered. Returns 0, or the negative errno of the first write
 * that failed, now or before; the file is cut short then. */
int fp_pcap_flush(struct fp_pcap *pcap);

void fp_pcap_free(struct fp_pcap *pcap); /* accepts NULL */

#endif
