/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A sender under a script, as packetdrill has it: ACKs are written by hand, and
 * what leaves is looked at. No path, no receiver, no loop.
 */
#ifndef TESTS_SIM_SENDER_DRIVER_H
#define TESTS_SIM_SENDER_DRIVER_H

#include "sim/sender.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define MS         UINT64_C(1000000)
#define SENDER_MSS 1000u
#define LOG_MAX    4096u

/* What left: one entry a packet. */
struct sent {
	uint64_t time_ns;
	struct sim_segment segment;
};

struct driver {
	struct sim_sender *sender;
	struct fp_cc_config cc;
	struct sim_sender_config config;
	struct fp_sim_watch watch;
	uint64_t now_ns;
	struct sent log[LOG_MAX];
	uint32_t count; /* of the log */
	uint32_t mark;  /* of what was looked at */
	uint64_t window_bytes;
	uint64_t tsecr_us; /* 0: now less echo_us */
	uint32_t echo_us;
	struct fp_sim_event events[LOG_MAX];
	uint32_t event_count;
};

static inline void driver_transmit(void *context,
				   const struct sim_segment *segment,
				   uint64_t now_ns)
{
	struct driver *driver = context;

	assert_true(driver->count < LOG_MAX);
	driver->log[driver->count].time_ns = now_ns;
	driver->log[driver->count++].segment = *segment;
}

static inline void driver_event(void *context, const struct fp_sim_event *event)
{
	struct driver *driver = context;

	if (driver->event_count < LOG_MAX)
		driver->events[driver->event_count++] = *event;
}

/* A sender that is to be open with a round trip of 100 ms; its settings may yet
 * be changed before driver_start(). */
static inline struct driver *driver_new(const char *algorithm)
{
	struct driver *driver = calloc(1, sizeof(*driver));

	assert_non_null(driver);
	assert_null(fp_cc_parse(algorithm, &driver->cc));
	driver->window_bytes = 100000000;
	driver->echo_us = 100000;
	driver->watch.event = driver_event;
	driver->watch.context = driver;
	driver->config = (struct sim_sender_config){
		.mss_bytes = SENDER_MSS,
		.seed = 1,
		.cc = &driver->cc,
		.tcp = {
			.initial_cwnd_pkts = 10,
			.min_rto_ns = 200 * MS,
			.wmem_max_bytes = 100000000,
			.clock_hz = 1000,
			/* bursts are a matter of their own test */
			.without = FP_SIM_TSO,
		},
		.starts_open = true,
		.open_rtt_us = 100000,
		.watch = &driver->watch,
		.port = { driver_transmit, driver },
	};
	return driver;
}

static inline void driver_start(struct driver *driver)
{
	driver->config.open_window_bytes = driver->window_bytes;
	driver->sender = sim_sender_new(&driver->config);
	assert_non_null(driver->sender);
	sim_sender_start(driver->sender, driver->now_ns);
}

static inline void driver_free(struct driver *driver)
{
	sim_sender_free(driver->sender);
	free(driver);
}

/* Lets time pass: whatever is due by then happens at its own time. */
static inline void driver_wait_until(struct driver *driver, uint64_t now_ns)
{
	while (sim_sender_wake_ns(driver->sender) <= now_ns) {
		uint64_t wake_ns = sim_sender_wake_ns(driver->sender);

		assert_true(wake_ns >= driver->now_ns);
		driver->now_ns = wake_ns;
		assert_int_equal(sim_sender_wake(driver->sender, wake_ns), 0);
	}
	driver->now_ns = now_ns;
}

/* The application has written packets up to end. */
static inline void driver_write(struct driver *driver, uint64_t end)
{
	const struct sim_supply supply = { end, SENDER_MSS, false };

	sim_sender_supply(driver->sender, &supply, driver->now_ns);
}

/* An ACK of everything below to with SACK blocks [from, end) …, ended by a pair
 * of zeros. */
static inline void driver_sack(struct driver *driver, uint64_t to, ...)
{
	struct sim_segment ack = {
		.is_back = true,
		.ack = to,
		.ack_bytes = to * SENDER_MSS,
		.window_bytes = driver->window_bytes,
		.tsecr_us = driver->tsecr_us ? driver->tsecr_us
					     : driver->now_ns / 1000 + 1000000 -
						   driver->echo_us,
	};
	va_list list;

	va_start(list, to);
	for (;;) {
		uint64_t start = (uint64_t)va_arg(list, int);
		uint64_t end = (uint64_t)va_arg(list, int);

		if (!end)
			break;
		ack.sacks[ack.sack_count].start = start;
		ack.sacks[ack.sack_count++].end = end;
	}
	va_end(list);
	if (ack.sack_count &&
	    (ack.sacks[0].start < to ||
	     (ack.sack_count > 1 && ack.sacks[0].start >= ack.sacks[1].start &&
	      ack.sacks[0].end <= ack.sacks[1].end)))
		ack.has_dsack = true;
	assert_int_equal(
	    sim_sender_receive(driver->sender, &ack, driver->now_ns), 0);
}

static inline void driver_ack(struct driver *driver, uint64_t to)
{
	driver_sack(driver, to, 0, 0);
}

/* What left since it was asked last. */
static inline uint32_t driver_sent(struct driver *driver)
{
	uint32_t count = driver->count - driver->mark;

	driver->mark = driver->count;
	return count;
}

static inline struct fp_sim_sample driver_sample(const struct driver *driver)
{
	struct fp_sim_sample sample;

	sim_sender_sample(driver->sender, driver->now_ns, &sample);
	return sample;
}

static inline struct fp_sim_flow_result
driver_result(const struct driver *driver)
{
	struct fp_sim_flow_result result = { 0 };

	sim_sender_get_result(driver->sender, driver->now_ns, &result);
	return result;
}

static inline const struct sim_segment *driver_last(const struct driver *driver)
{
	return &driver->log[driver->count - 1].segment;
}

/* The last event of a kind; NULL: none. */
static inline const struct fp_sim_event *
driver_find(const struct driver *driver, enum fp_sim_event_kind kind)
{
	for (uint32_t i = driver->event_count; i > 0; i--) {
		if (driver->events[i - 1].kind == kind)
			return &driver->events[i - 1];
	}
	return NULL;
}

/* The state of loss recovery, by name. */
static inline const char *driver_ca_state(const struct driver *driver)
{
	const struct fp_sim_event *event =
	    driver_find(driver, FP_SIM_EVENT_CA_STATE);

	return event ? event->ca_state : "open";
}

#endif
