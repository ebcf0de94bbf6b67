/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lab/way.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "sys/clock.h"
#include "sys/error.h"

/* The first four bits of an IP packet; damaged, no kernel takes it. */
#define VERSION_BITS 4

int way__init(struct way *way, const struct fp_path_config *config,
	      struct fp_error *error)
{
	size_t bytes = fp_path_size_bytes(config);

	if (!bytes)
		return fp_error_set(error, FP_EXIT_USAGE,
				    "cannot lay the path: %s",
				    fp_path_check(config));
	way->path_memory =
	    mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (way->path_memory == MAP_FAILED) {
		way->path_memory = NULL;
		return fp_error_errno(error, errno,
				      "cannot reserve memory for a path");
	}
	way->path_bytes = bytes;
	way->path = fp_path_init(way->path_memory, bytes, config);
	return 0;
}

void way__fini(struct way *way)
{
	if (way->path_memory)
		(void)munmap(way->path_memory, way->path_bytes); /* is ours */
	way->path_memory = NULL;
	packet__unmap(&way->ring);
}

/* --- In --------------------------------------------------------------------
 */

static void way_push(struct way *way, struct frame *frame, uint64_t now_ns)
{
	struct fp_pkt pkt = {
		.ref = (uint64_t)(uintptr_t)frame,
		.time_ns = now_ns,
		.flow = frame->shape.flow,
		.unit = frame->unit,
		.ecn = frame->shape.ecn,
	};

	way->counters.packets += frame->shape.segments;
	frame->refs = frame->shape.segments;
	for (uint32_t i = 0; i < frame->shape.segments; i++) {
		pkt.index = (uint16_t)i;
		pkt.len_bytes = vnet_packet_bytes(&frame->shape, pkt.index);
		way->counters.bytes += pkt.len_bytes;
		fp_path_push(way->path, &pkt);
	}
}

static void way_capture_in(const struct way *way, struct frame *frame,
			   size_t bytes, uint64_t now_ns)
{
	const struct iovec parts[2] = {
		{ .iov_base = frame->data, .iov_len = bytes },
	};

	capture__add(way->common->capture, way->in_side, now_ns, &frame->shape,
		     parts);
}

/* The frame that was read to staging enters the path, and its slot with it. */
static void way_arrive(struct way *way, size_t bytes, uint64_t now_ns)
{
	struct way_common *common = way->common;
	struct frame *frame = way->staging;

	if (vnet_parse(frame->data, bytes, way->l2_bytes, &frame->shape))
		return; /* ARP or alike: no packet of a flow */
	if (frame->shape.is_group)
		return; /* the kernel's own announcements */
	way->counters.frames_in++;
	if (common->capture)
		way_capture_in(way, frame, bytes, now_ns);
	way->staging = frames__take(&common->frames);
	if (!way->staging) {
		way->staging = frame;
		way->counters.no_memory++;
		return;
	}
	frame->bytes = (uint32_t)bytes;
	frame->unit = way->units++;
	way_push(way, frames__shrink(&common->frames, frame), now_ns);
}

static ssize_t way_read_frame(struct way *way)
{
	uint8_t *to = way->staging->data;
	ssize_t bytes;

	if (way->ring.memory)
		return packet__read(&way->ring, to, FRAME_BYTES_MAX);
	bytes = read(way->in_fd, to, FRAME_BYTES_MAX);
	return bytes < 0 ? -errno : bytes;
}

int way__read(struct way *way)
{
	ssize_t bytes = way_read_frame(way);

	if (bytes >= 0) {
		way_arrive(way, (size_t)bytes, fp_clock_ns());
		return 1;
	}
	if (bytes == -EAGAIN || bytes == -EINTR)
		return 0;
	if (bytes == -EINVAL || bytes == -ENOBUFS) {
		/* a super-packet of a kind that this kernel cannot describe */
		way->counters.unreadable++;
		return 1;
	}
	return (int)bytes;
}

/* --- Out -------------------------------------------------------------------
 */

/* shape: of the frame that the parts were made of. */
static void way_write(struct way *way, const struct vnet_shape *shape,
		      const struct iovec parts[2])
{
	struct capture *capture = way->common->capture;

	way->counters.frames_out++;
	if (writev(way->out_fd, parts, parts[1].iov_len ? 2 : 1) < 0) {
		way->counters.failed_writes++;
		return;
	}
	if (capture)
		capture__add(capture, way->out_side, fp_clock_ns(), shape,
			     parts);
}

/* A copy of its own: other packets of the frame are still whole. */
static void way_write_damaged(struct way *way, const struct frame *frame,
			      const struct fp_pkt *pkt)
{
	const struct vnet_run run = { .first = pkt->index, .count = 1 };
	struct vnet_out *out = &way->common->out;
	uint8_t *damaged = way->common->damaged;
	struct iovec parts[2] = { { .iov_base = damaged } };

	vnet_build(frame->data, &frame->shape, &run, out);
	parts[0].iov_len = out->head_bytes + out->payload_bytes;
	memcpy(damaged, out->head, out->head_bytes);
	memcpy(damaged + out->head_bytes, out->payload, out->payload_bytes);
	vnet_corrupt(damaged, &frame->shape, parts[0].iov_len,
		     pkt->corrupt_bit);
	if (pkt->corrupt_bit % (pkt->len_bytes * 8) >= VERSION_BITS)
		way_write(way, &frame->shape, parts);
}

static void way_write_run(struct way *way, struct frame *frame)
{
	struct vnet_out *out = &way->common->out;
	struct iovec parts[2] = {
		{ .iov_base = frame->data, .iov_len = frame->bytes },
	};

	if (way->run.count == frame->shape.segments && !way->run.is_ce) {
		way_write(way, &frame->shape, parts);
		return;
	}
	vnet_build(frame->data, &frame->shape, &way->run, out);
	parts[0].iov_base = out->head;
	parts[0].iov_len = out->head_bytes;
	parts[1].iov_base = frame->data + (out->payload - frame->data);
	parts[1].iov_len = out->payload_bytes;
	way_write(way, &frame->shape, parts);
}

static void way_unref(struct way *way, struct frame *frame, uint32_t packets)
{
	frame->refs -= packets;
	if (!frame->refs)
		frames__give(&way->common->frames, frame);
}

static void way_note_release(struct way *way, uint64_t due_ns)
{
	uint64_t now_ns = fp_clock_ns();

	lateness__add(&way->common->lateness,
		      now_ns > due_ns ? now_ns - due_ns : 0);
}

static void way_flush(struct way *way)
{
	struct frame *frame = way->run_frame;

	if (!frame)
		return;
	way_note_release(way, way->run_due_ns);
	way_write_run(way, frame);
	way_unref(way, frame, way->run.count);
	way->run_frame = NULL;
}

static bool way_continues_run(const struct way *way, const struct frame *frame,
			      const struct fp_pkt *pkt)
{
	return way->common->is_coalescing && way->run_frame == frame &&
	       !(pkt->flags & FP_PKT_CORRUPTED) &&
	       pkt->index == way->run.first + way->run.count &&
	       way->run.is_ce == !!(pkt->flags & FP_PKT_CE_MARKED);
}

static void way_deliver(struct way *way, struct frame *frame,
			const struct fp_pkt *pkt)
{
	if (way_continues_run(way, frame, pkt)) {
		way->run.count++;
		return;
	}
	way_flush(way);
	if (pkt->flags & FP_PKT_CORRUPTED) {
		way_note_release(way, pkt->time_ns);
		way_write_damaged(way, frame, pkt);
		way_unref(way, frame, 1);
		return;
	}
	way->run_frame = frame;
	way->run_due_ns = pkt->time_ns;
	way->run = (struct vnet_run){
		.first = pkt->index,
		.count = 1,
		.is_ce = pkt->flags & FP_PKT_CE_MARKED,
	};
}

static void way_take(struct way *way, const struct fp_pkt *pkt)
{
	struct frame *frame = (struct frame *)(uintptr_t)pkt->ref;

	way->counters.fates[pkt->fate]++;
	switch (pkt->fate) {
	case FP_FATE_DELIVERED:
		way_deliver(way, frame, pkt);
		break;
	case FP_FATE_DUPLICATED:
		frame->refs++;
		break;
	default: /* lost: it is in no run, so the run's frame stays */
		way_unref(way, frame, 1);
		break;
	}
}

void way__release(struct way *way, uint64_t now_ns)
{
	struct fp_pkt pkt;

	while (fp_path_pop(way->path, now_ns, &pkt))
		way_take(way, &pkt);
	way_flush(way);
}
