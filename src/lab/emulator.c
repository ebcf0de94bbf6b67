/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lab/emulator.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "lab/device.h"
#include "lab/netns.h"
#include "lab/plan.h"
#include "lab/round.h"
#include "lab/way.h"
#include "sock/link.h"
#include "sys/clock.h"
#include "sys/error.h"

/* Packets inside one way: 10 Gbit/s of full-sized packets for 4 seconds. Only
 * pages of what is really inside are touched. */
#define CAPACITY_PKTS (4u << 20)
/* Memory of packets inside both ways, and the share of the machine's. */
#define MEMORY_MAX    (UINT64_C(4) << 30)
#define MEMORY_SHARE  4
/* Frames read from each side before what is due is looked at again; a large one
 * takes some 10 us. */
#define READ_BUDGET   4
/* precise: never sleeps where another processor is left, since an idle one may
 * take a millisecond to wake up in a virtual machine; else a sleep ends this
 * long before the due time. The last stretch watches only the clock. */
#define EARLY_NS      60000
#define BLIND_NS      5000
/* Takes a third of a processor at most. */
#define LIGHT_MAX_BPS UINT64_C(1500000000)
/* Going to sleep and waking up costs some 20 us of CPU: nearer than half of it,
 * looking again is cheaper, and never late. */
#define NEAR_NS       10000

#define NS_PER_S UINT64_C(1000000000)

/* What the loop waits for: both devices, by way, then these. */
enum { FD_STOP = 2, FD_TIMER, FD_COUNT };

struct emulator {
	const struct lab_world *world;
	int timer_fd;
	uint64_t timer_ns; /* what it is set to */
	struct way ways[2];
	struct way_common common;
	enum fp_stage_kind kinds[2][FP_PATH_STAGES_MAX];
	uint32_t stage_counts[2];
	bool is_precise;
	bool is_spinning; /* looks all the time, never sleeps */
	bool is_light;    /* takes a small part of a processor */
	uint64_t cpu_ns;  /* of emulator_run() */
	/* the devices' own counters when it ended, by side */
	struct sock_link_stats side_stats[LAB_SIDES];
	struct sock_link_stats peer_stats[LAB_SIDES];
	uint64_t socket_drops[LAB_SIDES];
	struct lab_captured captured;
};

/* --- Making -----------------------------------------------------------------
 */

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* How long packets may wait for others of their super-packet: each release
 * costs a wake-up, some 20 us in a virtual machine. */
static uint64_t merge_of(const struct lab_path *path, uint32_t way)
{
	if (path->is_precise || path->is_offload_off)
		return 0;
	return fp_path_merge_ns(&path->way[way], &path->way[!way]);
}

static uint64_t memory_limit_bytes(void)
{
	uint64_t pages = (uint64_t)sysconf(_SC_PHYS_PAGES);
	uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);

	return min_u64(pages * page_bytes / MEMORY_SHARE, MEMORY_MAX);
}

static int init_way(struct emulator *emulator, const struct lab_path *path,
		    uint32_t number, struct fp_error *error)
{
	struct fp_path_config config = path->way[number];
	struct way *way = &emulator->ways[number];
	int result = 0;

	config.capacity_pkts = CAPACITY_PKTS;
	config.merge_ns = merge_of(path, number);
	emulator->stage_counts[number] = config.stage_count;
	for (uint32_t i = 0; i < config.stage_count; i++)
		emulator->kinds[number][i] = config.stages[i].kind;
	way->common = &emulator->common;
	way->in_fd = emulator->world->device_fd[number];
	way->out_fd = emulator->world->device_fd[!number];
	way->in_side = (enum lab_side)number;
	way->out_side = (enum lab_side) !number;
	if (emulator->world->backend == LAB_BACKEND_PACKET) {
		way->l2_bytes = DEVICE_ETHERNET_BYTES;
		result = packet__map(way->in_fd, &emulator->world->ring,
				     &way->ring, error);
	}
	way->staging = frames__take(&emulator->common.frames);
	return result ? result : way__init(way, &config, error);
}

/* Tells whether a link keeps the emulator far below one processor. */
static bool is_light(const struct lab_path *path)
{
	for (uint32_t i = 0; i < 2; i++) {
		uint64_t rate_bps = lab_plan_way_bps(&path->way[i]);

		if (rate_bps && rate_bps <= LIGHT_MAX_BPS)
			return !path->is_precise;
	}
	return false;
}

static int init_capture(struct emulator *emulator,
			const struct lab_capture *asked, struct fp_error *error)
{
	if (!asked)
		return 0;
	emulator->common.capture = capture__new(asked, error);
	return emulator->common.capture ? 0 : -EIO;
}

static bool has_cpu_to_spare(void)
{
	cpu_set_t allowed;

	return sched_getaffinity(0, sizeof(allowed), &allowed) == 0 &&
	       CPU_COUNT(&allowed) > 1;
}

struct emulator *emulator_new(const struct lab_world *world,
			      const struct lab_path *path,
			      struct fp_error *error)
{
	struct emulator *emulator = calloc(1, sizeof(*emulator));
	int result;

	if (!emulator) {
		(void)fp_error_errno(error, ENOMEM, "cannot make an emulator");
		return NULL;
	}
	emulator->world = world;
	emulator->timer_ns = FP_TIME_NEVER;
	emulator->timer_fd =
	    timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	emulator->is_precise = path->is_precise;
	emulator->is_spinning = path->is_precise && has_cpu_to_spare();
	emulator->is_light = is_light(path);
	emulator->common.is_coalescing = !path->is_offload_off;
	result =
	    frames__init(&emulator->common.frames, memory_limit_bytes(), error);
	if (!result)
		result = init_capture(emulator, path->capture, error);
	for (uint32_t i = 0; i < 2 && !result; i++)
		result = init_way(emulator, path, i, error);
	if (!result)
		return emulator;
	emulator_free(emulator);
	return NULL;
}

void emulator_free(struct emulator *emulator)
{
	if (!emulator)
		return;
	if (emulator->timer_fd >= 0)
		(void)close(emulator->timer_fd); /* holds no data */
	way__fini(&emulator->ways[0]);
	way__fini(&emulator->ways[1]);
	frames__fini(&emulator->common.frames);
	capture__free(emulator->common.capture);
	free(emulator);
}

/* --- Running ----------------------------------------------------------------
 */

static uint64_t wake_ns(const struct emulator *emulator)
{
	return min_u64(fp_path_wake_ns(emulator->ways[0].path),
		       fp_path_wake_ns(emulator->ways[1].path));
}

/* Lets what is due leave. */
static void release(struct emulator *emulator)
{
	uint64_t now_ns = fp_clock_ns();

	for (int i = 0; i < 2; i++)
		if (fp_path_wake_ns(emulator->ways[i].path) <= now_ns)
			way__release(&emulator->ways[i], now_ns);
}

static int read_way(struct way *way, short events)
{
	int result = 0;

	if (way->ring.memory && (events & POLLERR))
		result = packet__take_error(way->in_fd);
	if (result)
		return result;
	result = 1;
	for (int i = 0; i < READ_BUDGET && result > 0; i++)
		result = way__read(way);
	return result < 0 ? result : 0;
}

/* Sets the timer to at_ns, if it is not. A timer that stays set over many
 * frames is cheaper than a timeout for each wait: in a virtual machine each
 * change leaves the machine. */
static int set_timer(struct emulator *emulator, uint64_t at_ns)
{
	struct itimerspec when = { 0 };

	if (at_ns == emulator->timer_ns)
		return 0;
	emulator->timer_ns = at_ns;
	if (at_ns != FP_TIME_NEVER) { /* all zero: never */
		when.it_value.tv_sec = (time_t)(at_ns / NS_PER_S);
		when.it_value.tv_nsec = (long)(at_ns % NS_PER_S);
	}
	/* also forgets that it has expired, so nobody has to read it */
	if (timerfd_settime(emulator->timer_fd, TFD_TIMER_ABSTIME, &when, NULL))
		return -errno;
	return 0;
}

/* Waits for a frame, the stop, or (about) due_ns. */
static int wait_events(struct emulator *emulator, struct pollfd *fds,
		       uint64_t due_ns)
{
	uint64_t early_ns = emulator->is_precise ? EARLY_NS : 0;
	uint64_t near_ns = emulator->is_precise ? EARLY_NS : NEAR_NS;
	bool is_due =
	    emulator->is_spinning || due_ns <= fp_clock_ns() + near_ns;
	int result = 0;

	if (!is_due)
		result = set_timer(emulator, due_ns == FP_TIME_NEVER
						 ? due_ns
						 : due_ns - early_ns);
	if (result)
		return result;
	if (poll(fds, FD_COUNT, is_due ? 0 : -1) < 0 && errno != EINTR)
		return -errno;
	return 0;
}

/* Watches the clock alone where due_ns is too near for a system call. */
static void spin(uint64_t due_ns)
{
	uint64_t now_ns = fp_clock_ns();

	while (now_ns < due_ns && due_ns - now_ns < BLIND_NS)
		now_ns = fp_clock_ns();
}

static int forward(struct emulator *emulator, int stop_fd)
{
	struct pollfd fds[FD_COUNT] = {
		{ .fd = emulator->ways[0].in_fd, .events = POLLIN },
		{ .fd = emulator->ways[1].in_fd, .events = POLLIN },
		{ .fd = stop_fd, .events = POLLIN },
		{ .fd = emulator->timer_fd, .events = POLLIN },
	};
	int result = 0;

	while (!result) {
		uint64_t due_ns = wake_ns(emulator);

		result = wait_events(emulator, fds, due_ns);
		if (result || fds[FD_STOP].revents)
			break;
		if (emulator->is_precise)
			spin(due_ns);
		release(emulator);
		for (int i = 0; i < 2 && !result; i++)
			if (fds[i].revents)
				result = read_way(&emulator->ways[i],
						  fds[i].revents);
		release(emulator);
	}
	return result;
}

static uint64_t thread_cpu_ns(void)
{
	struct timespec used;

	/* cannot fail: the clock exists */
	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * NS_PER_S + (uint64_t)used.tv_nsec;
}

/* Reads what the devices lost; one that cannot be read stays at zero. */
static void read_devices(struct emulator *emulator)
{
	const struct lab_world *world = emulator->world;

	for (int side = 0; side < LAB_SIDES; side++) {
		if (world->backend == LAB_BACKEND_PACKET) {
			emulator->socket_drops[side] +=
			    packet__take_drops(world->device_fd[side]);
			(void)sock_link_get_stats(world->peer_ifindex[side],
						  &emulator->peer_stats[side],
						  NULL);
		}
	}
	for (int side = 0; side < LAB_SIDES; side++)
		if (!netns__enter(world->netns_fd[side], NULL))
			(void)sock_link_get_stats(world->ifindex[side],
						  &emulator->side_stats[side],
						  NULL);
	if (world->emulator_netns_fd >= 0)
		(void)netns__enter(world->emulator_netns_fd, NULL);
}

/* Wishes: without them releases are later, and reported so. */
static void ask_for_punctuality(bool is_light)
{
	const struct sched_param lowest = { .sched_priority = 1 };

	/* timers on time, not within 50 us */
	(void)prctl(PR_SET_TIMERSLACK, 1ul);
	/* A link does not wait for processes that compute. Needs CAP_SYS_NICE
	 * or RLIMIT_RTPRIO; children are as they were. One that fills a
	 * processor, forwarding or spinning, would starve the flows there and
	 * be throttled itself, 50 ms in each second (sched_rt_runtime_us). */
	if (is_light)
		(void)sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK,
					 &lowest);
	else
		(void)setpriority(PRIO_PROCESS, 0, -20);
}

int emulator_run(struct emulator *emulator, int stop_fd, struct fp_error *error)
{
	uint64_t begin_ns = thread_cpu_ns();
	int result;

	ask_for_punctuality(emulator->is_light);
	result = forward(emulator, stop_fd);
	release(emulator);
	emulator->cpu_ns += thread_cpu_ns() - begin_ns;
	if (emulator->common.capture)
		capture__finish(emulator->common.capture, &emulator->captured);
	read_devices(emulator);
	if (result)
		return fp_error_errno(error, -result,
				      "cannot go on forwarding "
				      "packets");
	return 0;
}

/* --- What was seen -----------------------------------------------------------
 */

/* Where a way lost packets that no model took. */
struct outside {
	uint64_t not_read, not_written, no_memory;
};

static struct outside outside_of(const struct emulator *emulator, int number)
{
	const struct way_counters *counters = &emulator->ways[number].counters;
	int from = number, to = !number;

	return (struct outside){
		.not_read = emulator->side_stats[from].tx_dropped +
			    emulator->peer_stats[from].rx_dropped +
			    emulator->socket_drops[from] + counters->unreadable,
		.not_written = emulator->side_stats[to].rx_dropped +
			       emulator->peer_stats[to].tx_dropped +
			       counters->failed_writes,
		.no_memory =
		    counters->no_memory + counters->fates[FP_FATE_LOST_OVERRUN],
	};
}

static void fill_stages(const struct emulator *emulator, int number,
			struct lab_way_result *result)
{
	result->stage_count = emulator->stage_counts[number];
	for (uint32_t i = 0; i < result->stage_count; i++) {
		result->kinds[i] = emulator->kinds[number][i];
		fp_path_get_counters(emulator->ways[number].path, i,
				     &result->stages[i]);
		result->marked += result->stages[i].marked;
	}
}

static void fill_way(const struct emulator *emulator, int number,
		     struct lab_result *result)
{
	static const char *const names[2] = { "forward", "back" };
	const struct way_counters *counters = &emulator->ways[number].counters;
	struct outside outside = outside_of(emulator, number);
	struct lab_way_result *way = &result->way[number];
	char note[160];

	*way = (struct lab_way_result){
		.packets = counters->packets,
		.bytes = counters->bytes,
		.lost_by_model = counters->fates[FP_FATE_LOST_MODEL],
		.lost_by_queue = counters->fates[FP_FATE_LOST_QUEUE],
		.lost_by_policer = counters->fates[FP_FATE_LOST_POLICER],
		.lost_outside =
		    outside.not_read + outside.not_written + outside.no_memory,
		.frames_in = counters->frames_in,
		.frames_out = counters->frames_out,
	};
	fill_stages(emulator, number, way);
	if (!way->lost_outside)
		return;
	result->is_valid = false;
	(void)snprintf(note, sizeof(note),
		       "packets were lost outside the path (%s: %llu before "
		       "the emulator, %llu behind it, %llu for want of memory)",
		       names[number], (unsigned long long)outside.not_read,
		       (unsigned long long)outside.not_written,
		       (unsigned long long)outside.no_memory);
	lab_result_add_note(result, note);
}

void emulator_get_result(struct emulator *emulator, struct lab_result *result)
{
	const struct lateness *lateness = &emulator->common.lateness;

	fill_way(emulator, 0, result);
	fill_way(emulator, 1, result);
	result->lateness_mean_ns = lateness__mean_ns(lateness);
	result->lateness_p99_ns = lateness__quantile_ns(lateness, 990);
	result->lateness_max_ns = lateness->max_ns;
	result->releases = lateness->count;
	result->captured = emulator->captured;
	result->emulator_cpu_s = (double)emulator->cpu_ns / 1e9;
}
