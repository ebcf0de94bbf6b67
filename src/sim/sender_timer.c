/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Round trips and the retransmission timer. RFC 6298 with Linux's estimator
 * (tcp_rtt_estimator()), and tcp_timer.c.
 *
 * There is one timer, set for one of four reasons, in whole ticks of clock_hz.
 * It fires as the kernel's timer wheel does: never early, up to a tick late,
 * and in coarser steps the further it is away (kernel/time/timer.c).
 */
#include "sim/sender_state.h"

#define NS_PER_US  1000u
/* net.ipv4.tcp_syn_linear_timeouts: so many SYNs go before the timeout doubles
 */
#define SYN_LINEAR 4u

/* Longer than TCP_RTO_MAX: no timer waits so long. */
#define LONGEST_US        ((UINT64_C(1) << 27) - 1)
/* Linux: tcp_min_rtt_wlen. */
#define MIN_RTT_WINDOW_US (300 * UINT64_C(1000000))

void sender__init_timers(struct sim_sender *sender)
{
	uint32_t hz = sender->tcp.clock_hz;

	sender->jiffy_ns = SENDER_NS_PER_S / hz;
	sender->jiffy_us = SENDER_US_PER_S / hz;
	sender->jiffies_per_us_shl46 =
	    (UINT64_C(1) << 46) / sender->jiffy_us + 1;
	sender->rto_min_us = (uint32_t)(sender->tcp.min_rto_ns / NS_PER_US);
	sender->rto_jiffies = SENDER_RTO_INIT_S * hz;
	sender->min_rtt.rtt_us[0] = UINT32_MAX;
	sender->timer_ns = FP_TIME_NEVER;
	sender->armed_ns = FP_TIME_NEVER;
	sender->pace_ns = FP_TIME_NEVER;
}

/* Ticks since the epoch began. The division is done once a tick. */
static uint64_t jiffies_now(struct sim_sender *sender)
{
	if (sender->now_ns >= sender->jiffies_until_ns) {
		uint64_t tick = sender->now_ns / sender->jiffy_ns;

		sender->jiffies = tick;
		sender->jiffies_until_ns = (tick + 1) * sender->jiffy_ns;
	}
	return sender->jiffies;
}

uint32_t sender__ticks(struct sim_sender *sender)
{
	return (uint32_t)(jiffies_now(sender) + SENDER_EPOCH_US /
						    SENDER_US_PER_S *
						    sender->tcp.clock_hz);
}

/* Linux: usecs_to_jiffies(), rounded up. It is asked several times an ACK, so
 * it multiplies by the tick's reciprocal: exact while us x jiffy_us < 2^46. */
uint32_t sender__to_jiffies(const struct sim_sender *sender, uint64_t us)
{
	us += sender->jiffy_us - 1;
	if (us > LONGEST_US)
		us = LONGEST_US;
	return (uint32_t)((us * sender->jiffies_per_us_shl46) >> 46);
}

/*
 * When a timer that is due so many ticks from now fires: the wheel rounds up to
 * the next step of its level, 8 times as coarse for each 8-fold of the delay
 * (calc_wheel_index(): levels of 64 slots, from 63, 504, 4032 … ticks on).
 */
static uint64_t wheel_ns(struct sim_sender *sender, uint32_t delta)
{
	uint64_t expires = jiffies_now(sender) + delta;
	uint32_t shift = 0;

	for (uint64_t start = 63; delta >= start && shift < 24; start *= 8)
		shift += 3;
	return (((expires >> shift) + 1) << shift) * sender->jiffy_ns;
}

uint32_t sender__paced(const struct sim_sender *sender, uint32_t jiffies)
{
	if (sender->edt_ns <= sender->now_ns)
		return jiffies;
	return jiffies +
	       (uint32_t)((sender->edt_ns - sender->now_ns) / sender->jiffy_ns);
}

void sender__set_timer(struct sim_sender *sender, enum sender_timer timer,
		       uint32_t jiffies)
{
	uint32_t most = SENDER_RTO_MAX_S * sender->tcp.clock_hz;

	sender->timer = timer;
	sender->timer_ns = wheel_ns(sender, jiffies < most ? jiffies : most);
	/* A later time is not told: the wake that is due finds it. */
	if (sender->timer_ns < sender->armed_ns)
		sender->armed_ns = sender->timer_ns;
}

void sender__clear_timer(struct sim_sender *sender)
{
	sender->timer = SENDER_TIMER_NONE;
	sender->timer_ns = FP_TIME_NEVER;
}

/* Linux: tcp_rto_delta_us(). */
int64_t sender__rto_left_us(const struct sim_sender *sender)
{
	const struct sender_pkt *head = sender__pkt(sender, sender->snd_una);
	uint64_t rto_us = (uint64_t)sender->rto_jiffies * sender->jiffy_us;

	return (int64_t)(head->rate.sent_us + rto_us - sender->now_us);
}

/* Linux: tcp_rearm_rto(). */
void sender__rearm_rto(struct sim_sender *sender)
{
	uint32_t jiffies = sender->rto_jiffies;

	if (sender->snd_una == sender->snd_nxt) {
		sender__clear_timer(sender);
		return;
	}
	/* Those were set in its place: it counts from the departure. */
	if (sender->timer == SENDER_TIMER_REORDER ||
	    sender->timer == SENDER_TIMER_PROBE) {
		int64_t left_us = sender__rto_left_us(sender);

		jiffies = sender__to_jiffies(
		    sender, left_us > 1 ? (uint64_t)left_us : 1);
	}
	sender__set_timer(sender, SENDER_TIMER_RTO,
			  sender__paced(sender, jiffies));
}

/* The other two move up, and a new one is the last. */
static void drop_best(struct sender_min_rtt *min, uint32_t rtt_us,
		      uint64_t now_us)
{
	for (uint32_t i = 0; i < 2; i++) {
		min->rtt_us[i] = min->rtt_us[i + 1];
		min->at_us[i] = min->at_us[i + 1];
	}
	min->rtt_us[2] = rtt_us;
	min->at_us[2] = now_us;
}

/* Linux: minmax_running_min(). The three best of the window, each younger than
 * the one before. */
void sender__update_min_rtt(struct sim_sender *sender, uint32_t rtt_us)
{
	struct sender_min_rtt *min = &sender->min_rtt;
	uint64_t now_us = sender->now_us;
	uint32_t keep = 0; /* samples that stay as they are */
	uint64_t age_us;

	if (rtt_us > min->rtt_us[0] &&
	    now_us - min->at_us[2] <= MIN_RTT_WINDOW_US) {
		keep = rtt_us <= min->rtt_us[1]   ? 1
		       : rtt_us <= min->rtt_us[2] ? 2
						  : 3;
	}
	for (uint32_t i = keep; i < 3; i++) {
		min->rtt_us[i] = rtt_us;
		min->at_us[i] = now_us;
	}
	if (!keep)
		return;
	age_us = now_us - min->at_us[0];
	if (age_us > MIN_RTT_WINDOW_US) {
		/* too old; the second may be, too */
		drop_best(min, rtt_us, now_us);
		if (now_us - min->at_us[0] > MIN_RTT_WINDOW_US)
			drop_best(min, rtt_us, now_us);
	} else if (min->at_us[1] == min->at_us[0] &&
		   age_us > MIN_RTT_WINDOW_US / 4) {
		/* a quarter without a second best: take one */
		min->rtt_us[1] = min->rtt_us[2] = rtt_us;
		min->at_us[1] = min->at_us[2] = now_us;
	} else if (min->at_us[2] == min->at_us[1] &&
		   age_us > MIN_RTT_WINDOW_US / 2) {
		min->rtt_us[2] = rtt_us;
		min->at_us[2] = now_us;
	}
}

/* The deviation, as tcp_rtt_estimator() has it: it follows a rise at once, but
 * a fall of the RTT only by an eighth, so that a good path does not make RTO
 * jump. rttvar takes the greatest of a round, and sinks by a quarter a round.
 */
static void update_deviation(struct sim_sender *sender, int64_t error_us)
{
	int64_t diff = error_us < 0 ? -error_us : error_us;

	diff -= sender->mdev_us_x4 >> 2;
	if (error_us < 0 && diff > 0)
		diff >>= 3;
	sender->mdev_us_x4 = (uint32_t)(sender->mdev_us_x4 + diff);
	if (sender->mdev_us_x4 > sender->mdev_max_us_x4) {
		sender->mdev_max_us_x4 = sender->mdev_us_x4;
		if (sender->mdev_max_us_x4 > sender->rttvar_us_x4)
			sender->rttvar_us_x4 = sender->mdev_max_us_x4;
	}
	if (sender->snd_una > sender->rtt_seq) {
		if (sender->mdev_max_us_x4 < sender->rttvar_us_x4)
			sender->rttvar_us_x4 -=
			    (sender->rttvar_us_x4 - sender->mdev_max_us_x4) >>
			    2;
		sender->rtt_seq = sender->snd_nxt;
		sender->mdev_max_us_x4 = sender->rto_min_us;
	}
}

/* Linux: tcp_rtt_estimator() and tcp_set_rto(). */
void sender__update_rtt(struct sim_sender *sender, uint32_t rtt_us)
{
	uint32_t most = SENDER_RTO_MAX_S * sender->tcp.clock_hz;

	if (sender->srtt_us_x8) {
		int64_t error_us = (int64_t)rtt_us - (sender->srtt_us_x8 >> 3);

		sender->srtt_us_x8 = (uint32_t)(sender->srtt_us_x8 + error_us);
		update_deviation(sender, error_us);
	} else {
		sender->srtt_us_x8 = rtt_us << 3;
		sender->mdev_us_x4 = rtt_us << 1;
		sender->rttvar_us_x4 = sender->mdev_us_x4 > sender->rto_min_us
					   ? sender->mdev_us_x4
					   : sender->rto_min_us;
		sender->mdev_max_us_x4 = sender->rttvar_us_x4;
		sender->rtt_seq = sender->snd_nxt;
	}
	if (!sender->srtt_us_x8)
		sender->srtt_us_x8 = 1;
	sender->rto_jiffies = sender__to_jiffies(
	    sender, (uint64_t)(sender->srtt_us_x8 >> 3) + sender->rttvar_us_x4);
	if (sender->rto_jiffies > most)
		sender->rto_jiffies = most;
	sender->backoff = 0;
}

/* Linux: tcp_probe0_when(). */
static uint32_t persist_jiffies(const struct sim_sender *sender)
{
	uint64_t least = sender__to_jiffies(sender, sender->rto_min_us);
	uint64_t base =
	    sender->rto_jiffies > least ? sender->rto_jiffies : least;
	uint32_t shift = sender->backoff < 9 ? sender->backoff : 9;

	return (uint32_t)(base << shift);
}

void sender__check_persist(struct sim_sender *sender)
{
	if (sender->snd_una == sender->snd_nxt &&
	    sender->timer == SENDER_TIMER_NONE)
		sender__set_timer(sender, SENDER_TIMER_PERSIST,
				  persist_jiffies(sender));
}

/* Linux: tcp_ack_probe(). */
void sender__ack_persist(struct sim_sender *sender)
{
	if (sender->snd_nxt >= sender->written)
		return;
	if (sender__fits_window(sender, sender->snd_nxt)) {
		sender->backoff = 0;
		if (sender->timer == SENDER_TIMER_PERSIST)
			sender__clear_timer(sender);
	} else {
		sender__set_timer(sender, SENDER_TIMER_PERSIST,
				  persist_jiffies(sender));
	}
}

/* Linux: tcp_probe_timer(). */
static void fire_persist(struct sim_sender *sender)
{
	sender__clear_timer(sender);
	if (sender->snd_una != sender->snd_nxt ||
	    sender->snd_nxt >= sender->written)
		return;
	if (sender__fits_window(sender, sender->snd_nxt)) {
		sender__push(sender);
		return;
	}
	sender__send_empty(sender, false);
	sender->backoff++;
	sender__set_timer(sender, SENDER_TIMER_PERSIST,
			  persist_jiffies(sender));
}

/* Doubles the timeout (RFC 6298, 5.5). */
static void back_off(struct sim_sender *sender)
{
	uint32_t most = SENDER_RTO_MAX_S * sender->tcp.clock_hz;

	sender->backoff++;
	sender->rto_jiffies *= 2;
	if (sender->rto_jiffies > most)
		sender->rto_jiffies = most;
	sender__set_timer(sender, SENDER_TIMER_RTO, sender->rto_jiffies);
}

/* Linux: tcp_retransmit_timer(). */
static void fire_rto(struct sim_sender *sender)
{
	sender__clear_timer(sender);
	if (!sender->is_open) {
		sender->counters.timeouts++;
		sender->retransmits++;
		sender__send_empty(sender, true);
		if (sender->retransmits > SYN_LINEAR)
			back_off(sender);
		else
			sender__set_timer(sender, SENDER_TIMER_RTO,
					  sender->rto_jiffies);
		return;
	}
	if (sender->snd_una == sender->snd_nxt)
		return;
	sender->counters.timeouts++;
	sender->tlp_high_seq = 0;
	sender__enter_loss(sender);
	sender->retransmits++;
	(void)sender__retransmit(sender, sender->snd_una, 1);
	back_off(sender);
}

static const char *const timer_names[] = { "none", "rto", "tlp", "rack",
					   "persist" };

/* Linux: tcp_write_timer_handler(). */
void sender__fire(struct sim_sender *sender)
{
	enum sender_timer timer = sender->timer;

	sender__watch(sender, FP_SIM_EVENT_TIMER, timer_names[timer]);
	sender->timer_ns = FP_TIME_NEVER;
	if (timer == SENDER_TIMER_RTO)
		fire_rto(sender);
	else if (timer == SENDER_TIMER_PROBE)
		sender__send_probe(sender);
	else if (timer == SENDER_TIMER_REORDER)
		sender__rack_timeout(sender);
	else if (timer == SENDER_TIMER_PERSIST)
		fire_persist(sender);
}
