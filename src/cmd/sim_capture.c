/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Handshakes that the simulator left out, of flows that start at S connected,
 * where the path takes F there and B back:
 *
 *	sender		receiver
 *	S - 2 (F + B)			SYN
 *			S - F - 2 B	SYN arrives, SYN and ACK
 *	S - F - B			SYN and ACK arrive, ACK
 *			S - B		ACK arrives
 *
 * When a flow starts is known before, so each is written in its place among the
 * packets of other flows.
 */
#include "cmd/sim_capture.h"

#include <errno.h>
#include <stdlib.h>

#include "cmd/sim_frame.h"
#include "sys/error.h"
#include "sys/pcap.h"

#define RMEM_MAX_BYTES (UINT64_C(6) << 20) /* as the simulator has it */
#define IPV4_TCP_BYTES 40
#define IPV6_TCP_BYTES 60
#define NS_PER_MS      1000000

enum step { STEP_SYN, STEP_SYN_ACK, STEP_ACK, STEPS };

/* A flow that starts connected. */
struct open_flow {
	int64_t start_ns; /* virtual */
	uint32_t flow;
};

/* One of the two files. */
struct view {
	enum fp_sim_side side;
	struct fp_pcap *pcap;
	uint64_t packets;
	int64_t
	    before_ns[STEPS]; /* when it sees a step, before a flow's start */
	uint32_t seen[STEPS]; /* open flows of which it has seen the step */
};

struct sim_capture {
	struct sim_frames frames;
	struct view views[2];     /* by enum fp_sim_side */
	enum lab_side file_of[2]; /* the same */
	struct open_flow *open;   /* by start */
	uint32_t open_count;
	const struct fp_sim_flow *flows; /* the configuration's */
	uint32_t clock_ms; /* what a host's timestamp is at virtual time 0 */
	bool has_clock;
	int64_t last_ns; /* of the last packet, virtual */
};

static int64_t delay_of(const struct fp_path_config *way)
{
	uint64_t sum_ns = 0;
	uint32_t i;

	for (i = 0; i < way->stage_count; i++) {
		if (way->stages[i].kind == FP_STAGE_DELAY)
			sum_ns += way->stages[i].delay.delay_ns;
	}
	return (int64_t)sum_ns;
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

static int compare_starts(const void *a, const void *b)
{
	const struct open_flow *one = a, *other = b;

	if (one->start_ns != other->start_ns)
		return one->start_ns < other->start_ns ? -1 : 1;
	return one->flow < other->flow ? -1 : 1;
}

static int plan_handshakes(struct sim_capture *capture,
			   const struct fp_sim_config *config)
{
	int64_t there_ns = delay_of(&config->way[0]);
	int64_t back_ns = delay_of(&config->way[1]);
	int64_t rtt_ns = there_ns + back_ns;
	struct view *sender = &capture->views[FP_SIM_SENDER];
	struct view *receiver = &capture->views[FP_SIM_RECEIVER];
	uint32_t i;

	capture->open =
	    calloc(config->flow_count + 1ul, sizeof(*capture->open));
	if (!capture->open)
		return -ENOMEM;
	for (i = 0; i < config->flow_count; i++) {
		if (config->flows[i].starts_open)
			capture->open[capture->open_count++] =
			    (struct open_flow){
				    (int64_t)config->flows[i].start_ns, i
			    };
	}
	qsort(capture->open, capture->open_count, sizeof(*capture->open),
	      compare_starts);
	sender->before_ns[STEP_SYN] = 2 * rtt_ns;
	sender->before_ns[STEP_SYN_ACK] = sender->before_ns[STEP_ACK] = rtt_ns;
	receiver->before_ns[STEP_SYN] = receiver->before_ns[STEP_SYN_ACK] =
	    rtt_ns + back_ns;
	receiver->before_ns[STEP_ACK] = back_ns;
	return 0;
}

static int start(struct sim_capture *capture,
		 const struct fp_sim_config *config,
		 const struct lab_capture *files, struct fp_error *error)
{
	enum lab_side file;
	int side;

	if (plan_handshakes(capture, config) < 0)
		return fp_error_errno(error, ENOMEM, "cannot start a capture");
	for (side = 0; side < 2; side++) {
		struct view *view = &capture->views[side];

		view->side = (enum fp_sim_side)side;
		file = side == FP_SIM_SENDER ? capture->frames.sender
					     : !capture->frames.sender;
		capture->file_of[side] = file;
		view->pcap =
		    fp_pcap_new(files->fd[file], SIM_FRAME_BYTES_MAX, error);
		if (!view->pcap)
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
	capture->flows = config->flows;
	if (start(capture, config, files, error) == 0)
		return capture;
	sim_capture_free(capture);
	return NULL;
}

static void add(const struct sim_capture *capture, struct view *view,
		const struct fp_sim_packet *packet)
{
	uint8_t bytes[SIM_FRAME_BYTES_MAX];
	/* a handshake may be before 2000: its time wraps around 0 */
	struct fp_pcap_packet record = {
		.time_ns = SIM_CAPTURE_EPOCH_NS + packet->time_ns,
		.bytes = bytes,
	};

	record.captured_bytes = sim_frame_build(&capture->frames, packet, bytes,
						&record.packet_bytes);
	fp_pcap_add(view->pcap, &record);
	view->packets++;
}

/* A host's timestamp at a virtual time, which may be below 0. */
static uint32_t timestamp(const struct sim_capture *capture, int64_t at_ns)
{
	int64_t ms = at_ns / NS_PER_MS;

	if (ms * NS_PER_MS > at_ns)
		ms--; /* towards the past */
	return capture->clock_ms + (uint32_t)ms;
}

/* When the SYN and ACK of a flow that starts connected was sent. */
static uint32_t syn_ack_timestamp(const struct sim_capture *capture,
				  int64_t start_ns)
{
	return timestamp(
	    capture,
	    start_ns - capture->views[FP_SIM_RECEIVER].before_ns[STEP_SYN_ACK]);
}

static uint32_t syn_timestamp(const struct sim_capture *capture,
			      int64_t start_ns)
{
	return timestamp(capture,
			 start_ns -
			     capture->views[FP_SIM_SENDER].before_ns[STEP_SYN]);
}

static void add_step(const struct sim_capture *capture, struct view *view,
		     enum step step, const struct open_flow *open)
{
	enum fp_sim_side from =
	    step == STEP_SYN_ACK ? FP_SIM_RECEIVER : FP_SIM_SENDER;
	struct fp_sim_packet packet = {
		.time_ns = (uint64_t)(open->start_ns - view->before_ns[step]),
		.flow = open->flow,
		.side = view->side,
		.is_sent = view->side == from,
		.window_bytes = 65535,
		.flags = FP_SIM_SYN,
		.tsval_ms = syn_timestamp(capture, open->start_ns),
	};

	if (step == STEP_SYN_ACK) {
		packet.flags = FP_SIM_SYN | FP_SIM_ACK;
		packet.ack_bytes = 1;
		packet.tsecr_ms = packet.tsval_ms;
		packet.tsval_ms = syn_ack_timestamp(capture, open->start_ns);
	} else if (step == STEP_ACK) {
		packet.flags = FP_SIM_ACK;
		packet.seq_bytes = packet.ack_bytes = 1;
		packet.tsecr_ms = syn_ack_timestamp(capture, open->start_ns);
		packet.tsval_ms = timestamp(
		    capture,
		    open->start_ns -
			capture->views[FP_SIM_SENDER].before_ns[STEP_ACK]);
	}
	add(capture, view, &packet);
}

/* Adds the steps of handshakes that one side sees until then, by time. */
static void catch_up(const struct sim_capture *capture, struct view *view,
		     int64_t until_ns)
{
	int64_t next_ns, at_ns;
	int next, step;

	for (;;) {
		next = -1;
		next_ns = until_ns;
		for (step = STEPS - 1; step >= 0; step--) {
			if (view->seen[step] == capture->open_count)
				continue;
			at_ns = capture->open[view->seen[step]].start_ns -
				view->before_ns[step];
			if (at_ns > next_ns)
				continue;
			next_ns = at_ns;
			next = step;
		}
		if (next < 0)
			return;
		add_step(capture, view, (enum step)next,
			 &capture->open[view->seen[next]++]);
	}
}

void sim_capture_packet(void *context, const struct fp_sim_packet *packet)
{
	struct sim_capture *capture = context;
	const struct fp_sim_flow *flow = &capture->flows[packet->flow];
	struct view *view = &capture->views[packet->side];
	struct fp_sim_packet shown = *packet;

	if (!capture->has_clock) {
		capture->clock_ms =
		    packet->tsval_ms - (uint32_t)(packet->time_ns / NS_PER_MS);
		capture->has_clock = true;
	}
	capture->last_ns = (int64_t)packet->time_ns;
	catch_up(capture, view, capture->last_ns);
	/* what the handshake would have told */
	if (flow->starts_open && !shown.tsecr_ms)
		shown.tsecr_ms =
		    syn_ack_timestamp(capture, (int64_t)flow->start_ns);
	add(capture, view, &shown);
}

void sim_capture_finish(struct sim_capture *capture,
			struct lab_captured *ret_done)
{
	int side, result;

	*ret_done = (struct lab_captured){ .is_whole = true };
	for (side = 0; side < 2; side++) {
		struct view *view = &capture->views[side];

		if (capture->has_clock)
			catch_up(capture, view, capture->last_ns);
		ret_done->packets[capture->file_of[side]] = view->packets;
		result = fp_pcap_flush(view->pcap);
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
	for (side = 0; side < 2; side++)
		fp_pcap_free(capture->views[side].pcap);
	free(capture->open);
	free(capture);
}
