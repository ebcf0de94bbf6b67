/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sim/timers.h"

#include <errno.h>
#include <stdlib.h>

#include "fullpipe/link.h"

#define TIMERS_ARITY   4u
#define TIMERS_NOWHERE UINT32_MAX

int sim_timers_init(struct sim_timers *timers, uint32_t owner_count)
{
	timers->count = 0;
	timers->entries = calloc(owner_count, sizeof(*timers->entries));
	timers->owners = calloc(owner_count, sizeof(*timers->owners));
	if (!timers->entries || !timers->owners) {
		sim_timers_fini(timers);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < owner_count; i++) {
		timers->owners[i].wanted_ns = FP_TIME_NEVER;
		timers->owners[i].place = TIMERS_NOWHERE;
	}
	return 0;
}

void sim_timers_fini(struct sim_timers *timers)
{
	free(timers->entries);
	free(timers->owners);
	timers->entries = NULL;
	timers->owners = NULL;
}

static bool timers_is_before(const struct sim_timer_entry *a,
			     const struct sim_timer_entry *b)
{
	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns;
	return a->owner < b->owner;
}

static void timers_place(struct sim_timers *timers, uint32_t at,
			 const struct sim_timer_entry *entry)
{
	timers->entries[at] = *entry;
	timers->owners[entry->owner].place = at;
}

/* Moves an entry from a free place towards the top. */
static void timers_rise(struct sim_timers *timers, uint32_t at,
			struct sim_timer_entry entry)
{
	while (at > 0) {
		uint32_t parent = (at - 1) / TIMERS_ARITY;

		if (!timers_is_before(&entry, &timers->entries[parent]))
			break;
		timers_place(timers, at, &timers->entries[parent]);
		at = parent;
	}
	timers_place(timers, at, &entry);
}

/* Returns the first of the children of at, or count where it has none. */
static uint32_t timers_first_child(const struct sim_timers *timers, uint32_t at)
{
	uint32_t child = TIMERS_ARITY * at + 1;
	uint32_t end = child + TIMERS_ARITY;
	uint32_t first = child;

	if (child >= timers->count)
		return timers->count;
	if (end > timers->count)
		end = timers->count;
	for (child++; child < end; child++)
		if (timers_is_before(&timers->entries[child],
				     &timers->entries[first]))
			first = child;
	return first;
}

/* Moves an entry from a free place away from the top. */
static void timers_sink(struct sim_timers *timers, uint32_t at,
			struct sim_timer_entry entry)
{
	for (;;) {
		uint32_t child = timers_first_child(timers, at);

		if (child == timers->count ||
		    !timers_is_before(&timers->entries[child], &entry))
			break;
		timers_place(timers, at, &timers->entries[child]);
		at = child;
	}
	timers_place(timers, at, &entry);
}

void sim_timers_set(struct sim_timers *timers, uint32_t owner, uint64_t at_ns)
{
	struct sim_timer_owner *state = &timers->owners[owner];
	struct sim_timer_entry entry = { .at_ns = at_ns, .owner = owner };
	uint32_t place = state->place;

	state->wanted_ns = at_ns;
	if (place != TIMERS_NOWHERE) {
		if (at_ns < timers->entries[place].at_ns)
			timers_rise(timers, place, entry);
	} else if (at_ns != FP_TIME_NEVER) {
		timers_rise(timers, timers->count++, entry);
	}
}

static void timers_drop_first(struct sim_timers *timers)
{
	struct sim_timer_entry last = timers->entries[--timers->count];

	timers->owners[timers->entries[0].owner].place = TIMERS_NOWHERE;
	if (timers->count != 0)
		timers_sink(timers, 0, last);
}

uint64_t sim_timers_next_ns(struct sim_timers *timers)
{
	while (timers->count != 0) {
		struct sim_timer_entry first = timers->entries[0];
		uint64_t wanted_ns = timers->owners[first.owner].wanted_ns;

		if (first.at_ns == wanted_ns)
			return wanted_ns;
		if (wanted_ns == FP_TIME_NEVER) {
			timers_drop_first(timers);
		} else {
			first.at_ns = wanted_ns;
			timers_sink(timers, 0, first);
		}
	}
	return FP_TIME_NEVER;
}

bool sim_timers_take(struct sim_timers *timers, uint64_t now_ns,
		     uint32_t *ret_owner)
{
	uint64_t next_ns = sim_timers_next_ns(timers);

	if (next_ns == FP_TIME_NEVER || next_ns > now_ns)
		return false;
	*ret_owner = timers->entries[0].owner;
	timers->owners[*ret_owner].wanted_ns = FP_TIME_NEVER;
	return true;
}
