/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* BBRv3: pacing rate, burst and window, from the model. */
#include "cc/bbr3_internal.h"

/* A short RTT allows longer bursts: 64 KB at 0, half as much for every 512 us
 * more, so that from 3 ms on it is below a packet. */
#define BBR3_TSO_RTT_SHIFT 9
#define BBR3_TSO_RTT_BYTES UINT32_C(65536)

/* The draft's quantum: 1 ms at the pacing rate, from 2 packets, so that a
 * receiver acknowledges it at once, to 64 KB, what offload takes. */
#define BBR3_QUANTUM_PER_S     1000u
#define BBR3_QUANTUM_PKTS      2u
#define BBR3_QUANTUM_MAX_BYTES UINT32_C(65536)

/* No more extra window than 100 ms of link: longer silences are an outage. */
#define BBR3_EXTRA_ACKED_US UINT32_C(100000)

/* What bw delivers within a time, as a volume, rounded down. */
static uint32_t bbr3_bw_volume(const struct bbr3_call *call, uint32_t bw,
			       uint64_t time_us)
{
	uint64_t volume = (uint64_t)bw * bbr_saturate(time_us);

	if (volume >> 48)
		return FP_BBR3_NONE - 1;
	return bbr_min(bbr_saturate(volume * call->unit >> BBR_BW_SHIFT),
		       FP_BBR3_NONE - 1);
}

/* Without any RTT the window goes back up to the initial one. Rounded up, as
 * rounding down would feed back into the next sample. */
uint32_t bbr3__bdp_multiple(const struct bbr3_call *call, uint32_t bw,
			    uint32_t gain)
{
	const struct fp_bbr3 *bbr = call->bbr;
	uint64_t volume = (uint64_t)bw * bbr->min_rtt_us;

	if (bbr->min_rtt_us == UINT32_MAX)
		return bbr3_volume(call, bbr->init_cwnd_pkts);
	if (volume >> 61)
		return FP_BBR3_NONE - 1;
	volume = bbr3_share(volume, gain);
	if (volume >> 48)
		return FP_BBR3_NONE - 1;
	return bbr_min(bbr_whole(volume * call->unit), FP_BBR3_NONE - 1);
}

/* Bytes of a burst before the limits of offload. */
static uint64_t bbr3_burst_bytes(const struct bbr3_call *call)
{
	uint64_t rate = call->control->pacing_rate_bytes_per_s;
	uint32_t halvings = call->bbr->min_rtt_us >> BBR3_TSO_RTT_SHIFT;
	uint64_t bytes = rate >> (call->conn->pacing_shift & 63);

	if (bbr3_has(call, FP_BBR3_QUANTUM)) {
		bytes = rate / BBR3_QUANTUM_PER_S;
		return bytes < BBR3_QUANTUM_MAX_BYTES ? bytes
						      : BBR3_QUANTUM_MAX_BYTES;
	}
	if (halvings < 32)
		bytes += BBR3_TSO_RTT_BYTES >> halvings;
	return bytes;
}

/* Packets of a burst that may have up to max_bytes. */
static uint32_t bbr3_burst_pkts(const struct bbr3_call *call,
				uint32_t max_bytes)
{
	uint64_t bytes = bbr3_burst_bytes(call);
	uint32_t least = bbr3_has(call, FP_BBR3_QUANTUM)
			     ? BBR3_QUANTUM_PKTS
			     : call->conn->min_tso_pkts;
	uint32_t pkts = bbr_min(bbr_saturate(bytes), max_bytes) /
			bbr_max(call->conn->mss_bytes, 1);

	return bbr_max(pkts, bbr_max(least, 1));
}

/* The burst as a volume; what the device takes does not matter here. The draft
 * counts it in bytes. */
static uint32_t bbr3_send_quantum(const struct bbr3_call *call)
{
	uint32_t pkts = bbr3_volume(
	    call, bbr3_burst_pkts(call, bbr3_has(call, FP_BBR3_QUANTUM)
					    ? BBR3_QUANTUM_MAX_BYTES
					    : BBR_TSO_MAX_BYTES));

	if (bbr3_has(call, FP_BBR3_QUANTUM) && bbr3_has(call, FP_BBR3_BYTES))
		return bbr_max(pkts, bbr_saturate(bbr3_burst_bytes(call)));
	return pkts;
}

/* Makes room for what the hosts hold: a burst each in the sender's queue, in
 * its segmentation offload and in the receiver's; 4 packets at least; and UP
 * must get above a small BDP. */
static uint32_t bbr3_quantization_budget(const struct bbr3_call *call,
					 uint32_t inflight_cap)
{
	uint32_t quantum = bbr3_send_quantum(call);
	uint32_t cap = bbr_max(inflight_cap,
			       bbr3_add(quantum, bbr3_add(quantum, quantum)));

	cap = bbr_max(cap, bbr3_min_pipe_cwnd(call));
	if (call->bbr->state == FP_BBR3_UP)
		cap = bbr3_add(cap, bbr3_volume(call, 2));
	return cap;
}

uint32_t bbr3__inflight(const struct bbr3_call *call, uint32_t bw,
			uint32_t gain)
{
	return bbr3_quantization_budget(call,
					bbr3__bdp_multiple(call, bw, gain));
}

uint32_t bbr3__target_inflight(const struct bbr3_call *call)
{
	return bbr_min(bbr3__inflight(call, bbr3_bw(call->bbr), BBR3_ONE),
		       bbr3_cwnd(call));
}

uint32_t bbr3__probe_rtt_cwnd(const struct bbr3_call *call)
{
	return bbr_max(bbr3_min_pipe_cwnd(call),
		       bbr3__bdp_multiple(call, bbr3_bw(call->bbr),
					  BBR3_PROBE_RTT_CWND_GAIN));
}

/* Google looks at what will be in the network when the next packet departs: the
 * pacer holds some of those in flight, and until it lets the next one go, some
 * will have arrived. While the flight grows, that next burst counts too. */
uint32_t bbr3__tested_inflight(const struct bbr3_call *call,
			       uint32_t inflight_pkts)
{
	const struct fp_cc_conn *conn = call->conn;
	uint64_t wait_ns =
	    conn->edt_ns > conn->now_ns ? conn->edt_ns - conn->now_ns : 0;
	uint32_t inflight = bbr3_volume(call, inflight_pkts);
	uint32_t delivered;

	if (bbr3_has(call, FP_BBR3_PLAIN_INFLIGHT))
		return bbr3_volume(call, conn->inflight_pkts);
	delivered = bbr3_bw_volume(call, bbr3_bw(call->bbr), wait_ns / 1000);
	if (call->bbr->pacing_gain > BBR3_ONE)
		inflight = bbr3_add(inflight, bbr3_send_quantum(call));
	return delivered >= inflight ? 0 : inflight - delivered;
}

uint32_t bbr3__inflight_with_headroom(const struct bbr3_call *call)
{
	const struct fp_bbr3 *bbr = call->bbr;
	uint32_t headroom;

	if (bbr->inflight_longterm == FP_BBR3_NONE)
		return FP_BBR3_NONE;
	headroom = (uint32_t)bbr3_share(bbr->inflight_longterm,
					bbr->constants.headroom);
	headroom = bbr_max(headroom, call->unit);
	return bbr_max(bbr->inflight_longterm > headroom
			   ? bbr->inflight_longterm - headroom
			   : 0,
		       bbr3_min_pipe_cwnd(call));
}

/* bw x gain as a pacing rate. */
static uint64_t bbr3_pacing_rate(const struct bbr3_call *call, uint32_t bw,
				 uint32_t gain)
{
	return bbr_pacing_bytes_per_s(
	    call->conn, bbr3_share(bbr_bw_bytes(call->conn, bw), gain));
}

/* The pacing rate before any bandwidth is known: 2.77 windows per RTT. */
void bbr3__init_pacing_rate(struct bbr3_call *call)
{
	uint32_t bw = bbr_window_bw(call->conn, call->control->cwnd_pkts);

	if (call->conn->srtt_us)
		call->bbr->has_seen_rtt = 1;
	call->control->pacing_rate_bytes_per_s =
	    bbr3_pacing_rate(call, bw, BBR3_STARTUP_PACING_GAIN);
}

/* STARTUP never slows down: its samples are too low as long as the pipe is not
 * full. */
void bbr3__set_pacing_rate_with_gain(struct bbr3_call *call, uint32_t gain)
{
	struct fp_bbr3 *bbr = call->bbr;
	struct fp_cc_control *control = call->control;
	uint64_t rate = bbr3_pacing_rate(call, bbr3_bw(bbr), gain);

	if (!bbr->has_seen_rtt && call->conn->srtt_us)
		bbr3__init_pacing_rate(call);
	if (bbr->full_bw_reached || rate > control->pacing_rate_bytes_per_s)
		control->pacing_rate_bytes_per_s = rate;
}

void bbr3__set_send_quantum(struct bbr3_call *call)
{
	call->control->burst_pkts =
	    bbr3_burst_pkts(call, call->conn->gso_max_bytes);
}

/* What the window adds for aggregated ACKs: else the flow would fall silent
 * between them. */
static uint32_t bbr3_extra_acked(const struct bbr3_call *call)
{
	const struct fp_bbr3 *bbr = call->bbr;

	if (bbr3_has(call, FP_BBR3_LONG_AGGREGATION))
		return fp_minmax_get(&bbr->extra_acked_filter);
	return bbr_min(bbr_max(bbr->extra_acked[0], bbr->extra_acked[1]),
		       bbr3_bw_volume(call, bbr3_bw(bbr), BBR3_EXTRA_ACKED_US));
}

static uint32_t bbr3_max_inflight(const struct bbr3_call *call)
{
	uint32_t cap =
	    bbr3__bdp_multiple(call, bbr3_bw(call->bbr), call->bbr->cwnd_gain);

	return bbr3_quantization_budget(call,
					bbr3_add(cap, bbr3_extra_acked(call)));
}

/* At first the model knows too little to bound the window. */
static bool bbr3_is_early(const struct bbr3_call *call)
{
	uint32_t initial = call->bbr->init_cwnd_pkts;

	if (bbr3_has(call, FP_BBR3_DELIVERED_GROWTH))
		return call->conn->delivered_pkts < initial;
	return call->control->cwnd_pkts < 2 * initial;
}

static uint32_t bbr3_bound_cwnd_for_probe_rtt(const struct bbr3_call *call,
					      uint32_t cwnd)
{
	if (call->bbr->state != FP_BBR3_PROBE_RTT)
		return cwnd;
	return bbr_min(cwnd, bbr3__probe_rtt_cwnd(call));
}

/* Answers a window, in whole packets. */
static void bbr3_answer_cwnd(struct bbr3_call *call, uint32_t cwnd)
{
	call->control->cwnd_pkts =
	    bbr_clamp_cwnd(call->conn, cwnd / call->unit);
}

/* Grows by what arrived up to the target, snaps down to it once the pipe was
 * full. */
void bbr3__set_cwnd(struct bbr3_call *call)
{
	struct fp_bbr3 *bbr = call->bbr;
	uint32_t acked = bbr3_volume(call, call->ack->acked_sacked_pkts);
	uint32_t cwnd = bbr3_cwnd(call);

	if (acked) {
		uint32_t target = bbr3_max_inflight(call);

		bbr->try_fast_path = 0;
		if (bbr->full_bw_reached) {
			cwnd = bbr3_add(cwnd, acked);
			bbr->try_fast_path = cwnd >= target;
			cwnd = bbr_min(cwnd, target);
		} else if (cwnd < target || bbr3_is_early(call)) {
			cwnd = bbr3_add(cwnd, acked);
		} else {
			bbr->try_fast_path = 1;
		}
		cwnd = bbr_max(cwnd, bbr3_min_pipe_cwnd(call));
	}
	bbr3_answer_cwnd(call, bbr3_bound_cwnd_for_probe_rtt(call, cwnd));
}

/* Bounds the window by what loss and probes tell. */
void bbr3__bound_cwnd_for_model(struct bbr3_call *call)
{
	const struct fp_bbr3 *bbr = call->bbr;
	uint32_t cap = FP_BBR3_NONE;

	if (bbr->state == FP_BBR3_CRUISE || bbr->state == FP_BBR3_PROBE_RTT)
		cap = bbr3__inflight_with_headroom(call);
	else if (bbr3_is_in_probe_bw(bbr) ||
		 (bbr->state == FP_BBR3_DRAIN &&
		  bbr3_has(call, FP_BBR3_DRAIN_BOUND)))
		cap = bbr->inflight_longterm;
	cap = bbr_min(cap, bbr->inflight_shortterm);
	cap = bbr_max(cap, bbr3_min_pipe_cwnd(call));
	if (cap < bbr3_cwnd(call))
		bbr3_answer_cwnd(call, cap);
}

/* Keeps the last window that neither recovery nor PROBE_RTT had cut. */
void bbr3__save_cwnd(struct bbr3_call *call)
{
	struct fp_bbr3 *bbr = call->bbr;
	uint32_t cwnd = call->control->cwnd_pkts;

	if (bbr->prev_ca_state < FP_CA_RECOVERY &&
	    bbr->state != FP_BBR3_PROBE_RTT)
		bbr->prior_cwnd_pkts = cwnd;
	else
		bbr->prior_cwnd_pkts = bbr_max(bbr->prior_cwnd_pkts, cwnd);
}

void bbr3__restore_cwnd(struct bbr3_call *call)
{
	call->control->cwnd_pkts =
	    bbr_clamp_cwnd(call->conn, bbr_max(call->control->cwnd_pkts,
					       call->bbr->prior_cwnd_pkts));
}
