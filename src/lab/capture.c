/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lab/capture.h"

#include <errno.h>
#include <linux/virtio_net.h>
#include <stdlib.h>
#include <string.h>

#include "sys/clock.h"
#include "sys/error.h"
#include "sys/pcap.h"

struct capture {
	struct fp_pcap *pcap[LAB_SIDES];
	uint64_t packets[LAB_SIDES];
	uint64_t epoch_ns; /* fp_clock_ns() + this: since 1970 */
};

struct capture *capture__new(const struct lab_capture *asked,
			     struct fp_error *error)
{
	struct capture *capture = calloc(1, sizeof(*capture));
	int side;

	if (!capture) {
		(void)fp_error_errno(error, ENOMEM, "cannot start a capture");
		return NULL;
	}
	capture->epoch_ns = fp_clock_epoch_ns();
	for (side = 0; side < LAB_SIDES; side++) {
		capture->pcap[side] =
		    fp_pcap_new(asked->fd[side], CAPTURE_SNAP_BYTES, error);
		if (!capture->pcap[side]) {
			capture__free(capture);
			return NULL;
		}
	}
	return capture;
}

/* Copies the IP packet's first bytes out of the parts, behind skip. Returns how
 * many. */
static uint32_t gather(const struct iovec parts[2], size_t skip, uint8_t *to)
{
	size_t first = parts[0].iov_len - skip, second;

	if (first > CAPTURE_SNAP_BYTES)
		first = CAPTURE_SNAP_BYTES;
	memcpy(to, (const uint8_t *)parts[0].iov_base + skip, first);
	second = CAPTURE_SNAP_BYTES - first;
	if (second > parts[1].iov_len)
		second = parts[1].iov_len;
	if (second)
		memcpy(to + first, parts[1].iov_base, second);
	return (uint32_t)(first + second);
}

static bool lacks_checksum(const struct iovec *head)
{
	return *(const uint8_t *)head->iov_base & VIRTIO_NET_HDR_F_NEEDS_CSUM;
}

void capture__add(struct capture *capture, enum lab_side side, uint64_t now_ns,
		  const struct vnet_shape *shape, const struct iovec parts[2])
{
	size_t skip = VNET_HEADER_BYTES + (size_t)shape->l2_bytes;
	uint8_t bytes[CAPTURE_SNAP_BYTES];
	struct fp_pcap_packet packet = {
		.time_ns = capture->epoch_ns + now_ns,
		.bytes = bytes,
	};

	packet.packet_bytes =
	    (uint32_t)(parts[0].iov_len + parts[1].iov_len - skip);
	packet.captured_bytes = gather(parts, skip, bytes);
	/* As a network card would; the checksum of what is cut off nobody can
	 * verify. */
	if (packet.captured_bytes == packet.packet_bytes &&
	    lacks_checksum(&parts[0]))
		vnet_complete_checksum(bytes, shape, packet.packet_bytes);
	fp_pcap_add(capture->pcap[side], &packet);
	capture->packets[side]++;
}

void capture__finish(struct capture *capture, struct lab_captured *ret_done)
{
	int side, result;

	*ret_done = (struct lab_captured){ .is_whole = true };
	for (side = 0; side < LAB_SIDES; side++) {
		ret_done->packets[side] = capture->packets[side];
		result = fp_pcap_flush(capture->pcap[side]);
		if (result && ret_done->is_whole)
			ret_done->errnum = -result;
		ret_done->is_whole = ret_done->is_whole && !result;
	}
}

void capture__free(struct capture *capture)
{
	int side;

	for (side = 0; capture && side < LAB_SIDES; side++)
		fp_pcap_free(capture->pcap[side]);
	free(capture);
}
