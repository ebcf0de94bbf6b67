/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/sim_capture.h"

#include <errno.h>
#include <stdlib.h>

#include "cmd/sim_frame.h"
#include "sys/error.h"
#include "sys/pcap.h"

#define RMEM_MAX_BYTES (UINT64_C(6) << 20) /* as the simulator has it */
#define IPV4_TCP_BYTES 40
#define IPV6_TCP_BYTES 60
/* From a flow's first packet back to its SYN: one round trip for the handshake,
 * one until the flow starts. */
#define HANDSHAKE_RTTS 2

struct sim_capture {
	struct sim_frames frames;
	struct fp_pcap *pcap[LAB_SIDES];
	uint64_t packets[LAB_SIDES];
	uint64_t last_ns[LAB_SIDES]; /* since 1970: no packet is before it */
	uint64_t delay_ns[2];        /* of the empty path, each way */
	bool *is_known;              /* by flow: its first packet was seen */
};

static uint64_t delay_of(const struct fp_path_config *way)
{
	uint64_t sum_ns = 0;
	uint32_t i;

	for (i = 0; i < way->stage_count; i++) {
		if (way->stages[i].kind == FP_STAGE_DELAY)
			sum_ns += way->stages[i].delay.delay_ns;
	}
	return sum_ns;
}

static struct sim_frames frames_of(const struct fp_sim_config *config,
				   bool is_reverse)
{
	uint64_t rmem_bytes = config->tcp.rmem_max_bytes;
	uint32_t headers = config->is_ipv6 ? IPV6_TCP_BYTES : IPV4_TCP_BYTES;

	return (struct sim_frames){
		.is_ipv6 = config->is_ipv6,
		.has_sack = !(config->tcp.without & FP_SIM_SACK),
		.window_shift = sim_frame_window_shift(
		    rmem_bytes ? rmem_bytes : RMEM_MAX_BYTES),
		.mss_bytes = (uint16_t)(config->mtu_bytes - headers),
		.sender = is_reverse ? LAB_RECEIVER : LAB_SENDER,
	};
}

static int start(struct sim_capture *capture,
		 const struct fp_sim_config *config,
		 const struct lab_capture *files, struct fp_error *error)
{
	int side;

	capture->is_known =
	    calloc(config->flow_count + 1ul, sizeof(*capture->is_known));
	if (!capture->is_known)
		return fp_error_errno(error, ENOMEM, "cannot start a capture");
	for (side = 0; side < LAB_SIDES; side++) {
		capture->delay_ns[side] = delay_of(&config->way[side]);
		capture->pcap[side] =
		    fp_pcap_new(files->fd[side], SIM_FRAME_BYTES_MAX, error);
		if (!capture->pcap[side])
			return -EIO;
	}
	return 0;
}

struct sim_capture *sim_capture_new(const struct fp_sim_config *config,
				    const struct lab_capture *files,
				    bool is_reverse, struct fp_error *error)
{
	struct sim_capture *capture = calloc(1, sizeof(*capture));

	if (!capture) {
		(void)fp_error_errno(error, ENOMEM, "cannot start a capture");
		return NULL;
	}
	capture->frames = frames_of(config, is_reverse);
	if (start(capture, config, files, error) == 0)
		return capture;
	sim_capture_free(capture);
	return NULL;
}

/* at_ns: since 1970. */
static void add(struct sim_capture *capture, const struct fp_sim_packet *packet,
		uint64_t at_ns)
{
	uint8_t bytes[SIM_FRAME_BYTES_MAX];
	struct fp_pcap_packet record = { .time_ns = at_ns, .bytes = bytes };
	enum lab_side side = capture->frames.sender;

	if (packet->side == FP_SIM_RECEIVER)
		side = side == LAB_SENDER ? LAB_RECEIVER : LAB_SENDER;
	/* a handshake of a flow that starts late, among others' packets */
	if (record.time_ns < capture->last_ns[side])
		record.time_ns = capture->last_ns[side];
	record.captured_bytes = sim_frame_build(&capture->frames, packet, bytes,
						&record.packet_bytes);
	fp_pcap_add(capture->pcap[side], &record);
	capture->last_ns[side] = record.time_ns;
	capture->packets[side]++;
}

/* A packet of a handshake on its way: as it is sent, and as it arrives. */
static void pass(struct sim_capture *capture, struct fp_sim_packet *packet,
		 enum fp_sim_side from, uint64_t at_ns)
{
	bool is_back = from == FP_SIM_RECEIVER;

	packet->side = from;
	packet->is_sent = true;
	add(capture, packet, at_ns);
	packet->side = is_back ? FP_SIM_SENDER : FP_SIM_RECEIVER;
	packet->is_sent = false;
	add(capture, packet, at_ns + capture->delay_ns[is_back]);
}

/* Three packets that the simulator left out; first is the flow's first. */
static void shake_hands(struct sim_capture *capture,
			const struct fp_sim_packet *first)
{
	uint64_t rtt_ns = capture->delay_ns[0] + capture->delay_ns[1];
	uint64_t at_ns = SIM_CAPTURE_EPOCH_NS + first->time_ns;
	struct fp_sim_packet packet = {
		.flow = first->flow,
		.flags = FP_SIM_SYN,
		.window_bytes = 65535,
		.tsval_ms = first->tsval_ms,
	};

	if (at_ns > HANDSHAKE_RTTS * rtt_ns)
		at_ns -= HANDSHAKE_RTTS * rtt_ns;
	pass(capture, &packet, FP_SIM_SENDER, at_ns);
	packet.flags = FP_SIM_SYN | FP_SIM_ACK;
	packet.ack_bytes = 1;
	packet.tsecr_ms = packet.tsval_ms;
	pass(capture, &packet, FP_SIM_RECEIVER, at_ns + capture->delay_ns[0]);
	packet.flags = FP_SIM_ACK;
	packet.seq_bytes = 1;
	packet.window_bytes = first->window_bytes;
	pass(capture, &packet, FP_SIM_SENDER, at_ns + rtt_ns);
}

void sim_capture_packet(void *context, const struct fp_sim_packet *packet)
{
	struct sim_capture *capture = context;

	if (!capture->is_known[packet->flow]) {
		capture->is_known[packet->flow] = true;
		if (!(packet->flags & FP_SIM_SYN))
			shake_hands(capture, packet);
	}
	add(capture, packet, SIM_CAPTURE_EPOCH_NS + packet->time_ns);
}

void sim_capture_finish(struct sim_capture *capture,
			struct lab_captured *ret_done)
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

void sim_capture_free(struct sim_capture *capture)
{
	int side;

	if (!capture)
		return;
	for (side = 0; side < LAB_SIDES; side++)
		fp_pcap_free(capture->pcap[side]);
	free(capture->is_known);
	free(capture);
}
