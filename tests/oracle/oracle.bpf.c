// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Congestion control that is the kernel's own Reno, CUBIC or BBR, and tells of
 * every call: each operation notes what the kernel's function can see, calls
 * it, and notes what it made of that.
 */
#include "disturb.h"
#include "kern.h"
#include "record.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#define LOG_BYTES        (64 << 20)
#define ORACLE_DISTURBED 2 /* such calls for each of the transfer's */

extern uint32_t tcp_reno_ssthresh(struct sock *sk) __ksym;
extern void tcp_reno_cong_avoid(struct sock *sk, uint32_t ack,
				uint32_t acked) __ksym;
extern uint32_t tcp_reno_undo_cwnd(struct sock *sk) __ksym;

extern void cubictcp_init(struct sock *sk) __ksym;
extern uint32_t cubictcp_recalc_ssthresh(struct sock *sk) __ksym;
extern void cubictcp_cong_avoid(struct sock *sk, uint32_t ack,
				uint32_t acked) __ksym;
extern void cubictcp_state(struct sock *sk, uint8_t next) __ksym;
extern void cubictcp_cwnd_event(struct sock *sk,
				enum tcp_ca_event event) __ksym;
extern void cubictcp_acked(struct sock *sk,
			   const struct ack_sample *sample) __ksym;

extern void bbr_init(struct sock *sk) __ksym;
extern void bbr_main(struct sock *sk, uint32_t ack, int flag,
		     const struct rate_sample *rs) __ksym;
extern uint32_t bbr_sndbuf_expand(struct sock *sk) __ksym;
extern uint32_t bbr_undo_cwnd(struct sock *sk) __ksym;
extern void bbr_cwnd_event(struct sock *sk, enum tcp_ca_event event) __ksym;
extern uint32_t bbr_ssthresh(struct sock *sk) __ksym;
extern uint32_t bbr_min_tso_segs(struct sock *sk) __ksym;
extern void bbr_set_state(struct sock *sk, uint8_t next) __ksym;

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, LOG_BYTES);
} records SEC(".maps");

/* Calls of which the log could not take a record. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, uint64_t);
} dropped SEC(".maps");

char LICENSE[] SEC("license") = "Dual BSD/GPL";

static __always_inline void split(uint32_t *words, uint64_t value)
{
	words[0] = (uint32_t)value;
	words[1] = (uint32_t)(value >> 32);
}

static __always_inline void count_dropped(void)
{
	uint32_t key = 0;
	uint64_t *count = bpf_map_lookup_elem(&dropped, &key);

	if (count)
		__sync_fetch_and_add(count, 1);
}

static __always_inline void note_state(struct oracle_state *state,
				       struct sock *sk)
{
	const struct tcp_sock *tp = (const struct tcp_sock *)sk;

	state->jiffies = (uint32_t)bpf_jiffies64();
	state->cwnd_pkts = tp->snd_cwnd;
	state->cwnd_cnt_pkts = tp->snd_cwnd_cnt;
	state->ssthresh_pkts = tp->snd_ssthresh;
	state->app_limited_pkts = tp->app_limited;
	split(state->pacing_rate_bytes_per_s, sk->sk_pacing_rate);
#pragma unroll
	for (int i = 0; i < ORACLE_PRIVATE_WORDS / 2; i++)
		split(state->private + 2 * i, tp->inet_conn.icsk_ca_priv[i]);
}

static __always_inline void note_counts(struct oracle_record *record,
					const struct tcp_sock *tp)
{
	record->snd_una = tp->snd_una;
	record->snd_nxt = tp->snd_nxt;
	record->packets_out_pkts = tp->packets_out;
	record->sacked_out_pkts = tp->sacked_out;
	record->lost_out_pkts = tp->lost_out;
	record->retrans_out_pkts = tp->retrans_out;
	record->max_packets_out_pkts = tp->max_packets_out;
	record->delivered_pkts = tp->delivered;
	record->delivered_ce_pkts = tp->delivered_ce;
	record->lost_pkts = tp->lost;
	record->prior_cwnd_pkts = tp->prior_cwnd;
	record->cwnd_clamp_pkts = tp->snd_cwnd_clamp;
	record->ca_state =
	    BPF_CORE_READ_BITFIELD(&tp->inet_conn, icsk_ca_state);
	record->is_cwnd_limited = BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited);
}

static __always_inline void note_connection(struct oracle_record *record,
					    struct sock *sk)
{
	const struct tcp_sock *tp = (const struct tcp_sock *)sk;

	split(record->now_ns, tp->tcp_clock_cache);
	split(record->now_us, tp->tcp_mstamp);
	split(record->edt_ns, tp->tcp_wstamp_ns);
	split(record->delivered_us, tp->delivered_mstamp);
	record->last_sent_jiffies = tp->lsndtime;
	record->mss_bytes = tp->mss_cache;
	record->srtt_us_x8 = tp->srtt_us;
	record->min_rtt_us = tp->rtt_min.s[0].v;
	record->gso_max_bytes = sk->sk_gso_max_size;
	record->pacing_status = sk->sk_pacing_status;
	record->pacing_shift = sk->sk_pacing_shift;
	split(record->max_pacing_rate_bytes_per_s, sk->sk_max_pacing_rate);
	note_counts(record, tp);
}

static __always_inline void note_sample(struct oracle_record *record,
					const struct rate_sample *rs)
{
	split(record->prior_us, rs->prior_mstamp);
	record->prior_delivered_pkts = rs->prior_delivered;
	record->sample_delivered_pkts = (uint32_t)rs->delivered;
	record->interval_us = (uint32_t)rs->interval_us;
	record->rtt_us = (uint32_t)rs->rtt_us;
	record->losses_pkts = (uint32_t)rs->losses;
	record->acked_sacked_pkts = rs->acked_sacked;
	record->prior_inflight_pkts = rs->prior_in_flight;
	record->is_app_limited = rs->is_app_limited;
	record->is_retrans = rs->is_retrans;
	record->is_ack_delayed = rs->is_ack_delayed;
}

/* Begins a record; NULL where the socket is none of the test's, or the log is
 * full. */
static __always_inline struct oracle_record *
begin(struct sock *sk, enum oracle_algorithm algorithm, enum oracle_op op)
{
	uint32_t port = __builtin_bswap16(sk->__sk_common.skc_dport);
	struct oracle_record *record;

	if (port - ORACLE_PORT_FIRST >= ORACLE_PORTS)
		return 0;
	record = bpf_ringbuf_reserve(&records, sizeof(*record), 0);
	if (!record) {
		count_dropped();
		return 0;
	}
	__builtin_memset(record, 0, sizeof(*record));
	record->algorithm = algorithm;
	record->op = op;
	record->port = port;
	record->local_port = sk->__sk_common.skc_num;
	note_connection(record, sk);
	note_state(&record->before, sk);
	return record;
}

/* The same for a call on a state that is not the transfer's. */
static __always_inline struct oracle_record *
begin_disturbed(struct sock *sk, const struct oracle_record *real)
{
	struct oracle_record *record;

	disturb(sk, real->algorithm, real->rtt_us);
	record = begin(sk, real->algorithm, real->op);
	if (record)
		record->is_disturbed = 1;
	return record;
}

/*
 * One operation: NOTE tells its arguments to "record", CALL has the kernel do
 * it. Then the same arguments on other states, and back to what the real call
 * left. In CALL, "is_real" tells the two apart, and "record" may be NULL.
 */
#define LOG(sk, algorithm, op, NOTE, CALL)                                     \
	do {                                                                   \
		struct oracle_record *real = begin(sk, algorithm, op);         \
		struct oracle_record *record = real;                           \
		bool is_real = true;                                           \
                                                                               \
		if (!real) {                                                   \
			CALL;                                                  \
			break;                                                 \
		}                                                              \
		NOTE;                                                          \
		CALL;                                                          \
		note_state(&real->after, sk);                                  \
		is_real = false;                                               \
		for (int i = 0; i < ORACLE_DISTURBED; i++) {                   \
			record = begin_disturbed(sk, real);                    \
			if (!record)                                           \
				break;                                         \
			NOTE;                                                  \
			CALL;                                                  \
			note_state(&record->after, sk);                        \
			bpf_ringbuf_submit(record, 0);                         \
		}                                                              \
		put_back(sk, &real->after);                                    \
		bpf_ringbuf_submit(real, 0);                                   \
		(void)is_real;                                                 \
	} while (0)

/* One that answers with a number. */
#define LOG_ANSWER(sk, algorithm, op, function)                                \
	({                                                                     \
		uint32_t answer = 0;                                           \
                                                                               \
		LOG(sk, algorithm, op, (void)0, ({                             \
			    uint32_t got = function(sk);                       \
                                                                               \
			    if (is_real)                                       \
				    answer = got;                              \
			    if (record)                                        \
				    record->result = got;                      \
		    }));                                                       \
		answer;                                                        \
	})

SEC("struct_ops/oracle_reno_ssthresh")
uint32_t BPF_PROG(oracle_reno_ssthresh, struct sock *sk)
{
	return LOG_ANSWER(sk, ORACLE_RENO, ORACLE_SSTHRESH, tcp_reno_ssthresh);
}

SEC("struct_ops/oracle_reno_cong_avoid")
void BPF_PROG(oracle_reno_cong_avoid, struct sock *sk, uint32_t ack,
	      uint32_t acked)
{
	LOG(sk, ORACLE_RENO, ORACLE_CONG_AVOID, record->acked_pkts = acked,
	    tcp_reno_cong_avoid(sk, ack, acked));
}

/* Reno has none; what the kernel's TCP does itself at this moment is the core's
 * to do. */
SEC("struct_ops/oracle_reno_set_state")
void BPF_PROG(oracle_reno_set_state, struct sock *sk, uint8_t next)
{
	struct oracle_record *record = begin(sk, ORACLE_RENO, ORACLE_SET_STATE);

	if (!record)
		return;
	record->value = next;
	note_state(&record->after, sk);
	bpf_ringbuf_submit(record, 0);
}

SEC("struct_ops/oracle_reno_undo_cwnd")
uint32_t BPF_PROG(oracle_reno_undo_cwnd, struct sock *sk)
{
	return LOG_ANSWER(sk, ORACLE_RENO, ORACLE_UNDO_CWND,
			  tcp_reno_undo_cwnd);
}

SEC("struct_ops/oracle_cubic_init")
void BPF_PROG(oracle_cubic_init, struct sock *sk)
{
	LOG(sk, ORACLE_CUBIC, ORACLE_INIT, (void)0, cubictcp_init(sk));
}

SEC("struct_ops/oracle_cubic_ssthresh")
uint32_t BPF_PROG(oracle_cubic_ssthresh, struct sock *sk)
{
	return LOG_ANSWER(sk, ORACLE_CUBIC, ORACLE_SSTHRESH,
			  cubictcp_recalc_ssthresh);
}

SEC("struct_ops/oracle_cubic_cong_avoid")
void BPF_PROG(oracle_cubic_cong_avoid, struct sock *sk, uint32_t ack,
	      uint32_t acked)
{
	LOG(sk, ORACLE_CUBIC, ORACLE_CONG_AVOID, record->acked_pkts = acked,
	    cubictcp_cong_avoid(sk, ack, acked));
}

SEC("struct_ops/oracle_cubic_set_state")
void BPF_PROG(oracle_cubic_set_state, struct sock *sk, uint8_t next)
{
	LOG(sk, ORACLE_CUBIC, ORACLE_SET_STATE, record->value = next,
	    cubictcp_state(sk, next));
}

SEC("struct_ops/oracle_cubic_cwnd_event")
void BPF_PROG(oracle_cubic_cwnd_event, struct sock *sk, enum tcp_ca_event event)
{
	LOG(sk, ORACLE_CUBIC, ORACLE_CWND_EVENT, record->value = event,
	    cubictcp_cwnd_event(sk, event));
}

SEC("struct_ops/oracle_cubic_pkts_acked")
void BPF_PROG(oracle_cubic_pkts_acked, struct sock *sk,
	      const struct ack_sample *sample)
{
	LOG(sk, ORACLE_CUBIC, ORACLE_PKTS_ACKED,
	    record->rtt_us = (uint32_t)sample->rtt_us,
	    cubictcp_acked(sk, sample));
}

SEC("struct_ops/oracle_cubic_undo_cwnd")
uint32_t BPF_PROG(oracle_cubic_undo_cwnd, struct sock *sk)
{
	return LOG_ANSWER(sk, ORACLE_CUBIC, ORACLE_UNDO_CWND,
			  tcp_reno_undo_cwnd);
}

SEC("struct_ops/oracle_bbr_init")
void BPF_PROG(oracle_bbr_init, struct sock *sk)
{
	LOG(sk, ORACLE_BBR, ORACLE_INIT, (void)0, bbr_init(sk));
}

SEC("struct_ops/oracle_bbr_ssthresh")
uint32_t BPF_PROG(oracle_bbr_ssthresh, struct sock *sk)
{
	return LOG_ANSWER(sk, ORACLE_BBR, ORACLE_SSTHRESH, bbr_ssthresh);
}

SEC("struct_ops/oracle_bbr_set_state")
void BPF_PROG(oracle_bbr_set_state, struct sock *sk, uint8_t next)
{
	LOG(sk, ORACLE_BBR, ORACLE_SET_STATE, record->value = next,
	    bbr_set_state(sk, next));
}

SEC("struct_ops/oracle_bbr_cwnd_event")
void BPF_PROG(oracle_bbr_cwnd_event, struct sock *sk, enum tcp_ca_event event)
{
	LOG(sk, ORACLE_BBR, ORACLE_CWND_EVENT, record->value = event,
	    bbr_cwnd_event(sk, event));
}

SEC("struct_ops/oracle_bbr_cong_control")
void BPF_PROG(oracle_bbr_cong_control, struct sock *sk, uint32_t ack, int flag,
	      const struct rate_sample *rs)
{
	LOG(sk, ORACLE_BBR, ORACLE_CONG_CONTROL, note_sample(record, rs), ({
		    bbr_main(sk, ack, flag, rs);
		    if (record)
			    record->min_tso_pkts = bbr_min_tso_segs(sk);
	    }));
}

SEC("struct_ops/oracle_bbr_undo_cwnd")
uint32_t BPF_PROG(oracle_bbr_undo_cwnd, struct sock *sk)
{
	return LOG_ANSWER(sk, ORACLE_BBR, ORACLE_UNDO_CWND, bbr_undo_cwnd);
}

SEC("struct_ops/oracle_bbr_min_tso_segs")
uint32_t BPF_PROG(oracle_bbr_min_tso_segs, struct sock *sk)
{
	return bbr_min_tso_segs(sk);
}

SEC("struct_ops/oracle_bbr_sndbuf_expand")
uint32_t BPF_PROG(oracle_bbr_sndbuf_expand, struct sock *sk)
{
	return bbr_sndbuf_expand(sk);
}

SEC(".struct_ops")
struct tcp_congestion_ops oracle_reno = {
	.ssthresh = (void *)oracle_reno_ssthresh,
	.cong_avoid = (void *)oracle_reno_cong_avoid,
	.set_state = (void *)oracle_reno_set_state,
	.undo_cwnd = (void *)oracle_reno_undo_cwnd,
	.name = "fp_reno",
};

SEC(".struct_ops")
struct tcp_congestion_ops oracle_cubic = {
	.init = (void *)oracle_cubic_init,
	.ssthresh = (void *)oracle_cubic_ssthresh,
	.cong_avoid = (void *)oracle_cubic_cong_avoid,
	.set_state = (void *)oracle_cubic_set_state,
	.cwnd_event = (void *)oracle_cubic_cwnd_event,
	.pkts_acked = (void *)oracle_cubic_pkts_acked,
	.undo_cwnd = (void *)oracle_cubic_undo_cwnd,
	.name = "fp_cubic",
};

SEC(".struct_ops")
struct tcp_congestion_ops oracle_bbr = {
	.init = (void *)oracle_bbr_init,
	.ssthresh = (void *)oracle_bbr_ssthresh,
	.set_state = (void *)oracle_bbr_set_state,
	.cwnd_event = (void *)oracle_bbr_cwnd_event,
	.cong_control = (void *)oracle_bbr_cong_control,
	.undo_cwnd = (void *)oracle_bbr_undo_cwnd,
	.min_tso_segs = (void *)oracle_bbr_min_tso_segs,
	.sndbuf_expand = (void *)oracle_bbr_sndbuf_expand,
	.name = "fp_bbr",
};
