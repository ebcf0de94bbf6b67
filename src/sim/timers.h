/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One timer for each of a fixed number of owners, by number.
 *
 * A 4-ary heap holds at most one entry an owner. A timer that moves to later,
 * or is cancelled, only notes its new time; the heap learns of it when the
 * entry comes to the top: timers that every packet pushes ahead (RTO, delayed
 * ACK) then cost a store each.
 */
#ifndef SIM_TIMERS_H
#define SIM_TIMERS_H

#include <stdbool.h>
#include <stdint.h>

struct sim_timer_entry {
	uint64_t at_ns; /* never later than the owner's wanted_ns */
	uint32_t owner;
};

struct sim_timer_owner {
	uint64_t wanted_ns; /* FP_TIME_NEVER: not set */
	uint32_t place;     /* of its entry; UINT32_MAX: it has none */
};

struct sim_timers {
	struct sim_timer_entry *entries;
	struct sim_timer_owner *owners;
	uint32_t count; /* entries in use */
};

/* Makes timers for owners 0 … owner_count - 1, none set. Returns 0 or
 * -ENOMEM. */
int sim_timers_init(struct sim_timers *timers, uint32_t owner_count);
void sim_timers_fini(struct sim_timers *timers);

/* Sets an owner's timer in place of the one before; FP_TIME_NEVER: cancels.
 * Cost: a store where it moves to later, else log4(owners). */
void sim_timers_set(struct sim_timers *timers, uint32_t owner, uint64_t at_ns);

/* Tells when the first timer is due; FP_TIME_NEVER: none is set. */
uint64_t sim_timers_next_ns(struct sim_timers *timers);

/* Takes the first timer that is due at now_ns, the lowest owner of equals; it
 * is no longer set. Returns false when none is due. */
bool sim_timers_take(struct sim_timers *timers, uint64_t now_ns,
		     uint32_t *ret_owner);

#endif
