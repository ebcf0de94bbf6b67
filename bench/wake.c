/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What this machine charges for a timed wake-up: the floor under the emulator's
 * lateness and processor time, measured beside them. */
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <time.h>

#include "sys/clock.h"

#define PERIOD_NS 500000u /* a 64 KiB super-packet of 1 Gbit/s */
#define WAKE_UPS  6000
#define NS_PER_S  1000000000u

static uint64_t thread_cpu_ns(void)
{
	struct timespec used;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * NS_PER_S + (uint64_t)used.tv_nsec;
}

int main(void)
{
	const struct sched_param lowest = { .sched_priority = 1 };
	struct pollfd timer = { .events = POLLIN };
	uint64_t due_ns, late_ns = 0, cpu_ns, now_ns;
	int i;

	(void)sched_setscheduler(0, SCHED_FIFO, &lowest); /* root only */
	(void)prctl(PR_SET_TIMERSLACK, 1ul);
	timer.fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
	if (timer.fd < 0)
		return 3;
	due_ns = fp_clock_ns();
	cpu_ns = thread_cpu_ns();
	for (i = 0; i < WAKE_UPS; i++) {
		struct itimerspec when = { { 0, 0 }, { 0, 0 } };

		due_ns += PERIOD_NS;
		when.it_value.tv_sec = (time_t)(due_ns / NS_PER_S);
		when.it_value.tv_nsec = (long)(due_ns % NS_PER_S);
		(void)timerfd_settime(timer.fd, TFD_TIMER_ABSTIME, &when, NULL);
		(void)poll(&timer, 1, -1);
		now_ns = fp_clock_ns();
		late_ns += now_ns - due_ns;
		if (now_ns > due_ns)
			due_ns = now_ns;
	}
	cpu_ns = thread_cpu_ns() - cpu_ns;
	(void)printf("%.1f us late, %.1f us of processor time\n",
		     (double)late_ns / WAKE_UPS / 1e3,
		     (double)cpu_ns / WAKE_UPS / 1e3);
	return 0;
}
