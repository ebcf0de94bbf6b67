/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rounds of a second with real packets. Where neither root nor user namespaces
 * are there, the tests skip and say so.
 */
#include "lab/lab.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define MS         1000000ull
#define S          1000000000ull
#define MBIT       1000000ull
#define DELAY_MS   10
#define RTT_US     (2 * DELAY_MS * 1000)
#define RATE_BPS   (20 * MBIT)
#define HEAD_BYTES 66 /* Ethernet 14, IPv4 20, TCP with time stamps 32 */

static void set_way(struct fp_path_config *way, uint32_t direction,
		    uint32_t loss_ppm)
{
	struct fp_stage_config *stage = way->stages;

	way->seed = 42;
	way->direction = direction;
	way->l2_bytes = 14;
	stage->kind = FP_STAGE_LOSS;
	stage->loss.model = FP_LOSS_RANDOM;
	stage->loss.random.probability_ppm = loss_ppm;
	stage++;
	stage->kind = FP_STAGE_LINK;
	stage->link.rate.kind = FP_RATE_CONSTANT;
	stage->link.rate.rate_bps = RATE_BPS;
	stage->link.queue.limit_bytes = 100000;
	stage++;
	stage->kind = FP_STAGE_DELAY;
	stage->delay.delay_ns = DELAY_MS * MS;
	way->stage_count = 3;
}

static struct lab_round make_round(enum lab_backend backend, uint32_t loss_ppm)
{
	struct lab_round round = { .group_count = 1,
				   .warmup_ns = 500 * MS,
				   .duration_ns = S,
				   .sample_ns = 50 * MS };

	round.path.backend = backend;
	round.path.mtu_bytes = 1500;
	set_way(&round.path.way[0], 0, loss_ppm);
	set_way(&round.path.way[1], 1, 0);
	(void)snprintf(round.groups[0].algorithm, LAB_ALGORITHM_BYTES, "reno");
	round.groups[0].flows = 1;
	return round;
}

/* Runs it; skips the test where this machine cannot. */
static void run(const struct lab_round *round, struct lab_result *ret_result)
{
	struct fp_error error = { 0 };
	int status = lab_run(round, 1, NULL, ret_result, &error);

	if (status < 0 && error.status == 77) {
		print_message("skipped: %s (%s)\n", error.text, error.hint);
		skip();
	}
	if (status < 0)
		fail_msg("%s", error.text);
	if (ret_result->error.status)
		fail_msg("%s", ret_result->error.text);
	/* nothing of the round is left: there is no child to wait for */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

/* What arrived was sent once: received <= sent - retransmitted, and everything
 * that was acknowledged had arrived. */
static void check_flow(const struct lab_flow_result *flow)
{
	assert_false(flow->has_failed);
	assert_false(flow->is_stalled);
	assert_true(flow->received_bytes > 0);
	assert_true(flow->received_bytes <=
		    flow->sent_bytes - flow->retransmitted_bytes);
	assert_string_equal(flow->algorithm, "reno");
}

static void check_samples(const struct lab_result *result)
{
	uint32_t i;

	/* every 50 ms of 1.5 s; a busy machine leaves some out */
	assert_in_range(result->sample_count, 5, 33);
	for (i = 1; i < result->sample_count; i++) {
		const struct lab_sample *one = &result->samples[i - 1];
		const struct lab_sample *next = &result->samples[i];

		assert_true(next->time_ms >= one->time_ms);
		assert_true(next->received_bytes >= one->received_bytes);
		/* a byte is acknowledged after it arrived */
		assert_true(next->bytes_acked <= next->bytes_sent + 1);
	}
}

static void test_direct(void **state)
{
	struct lab_round round = make_round(LAB_BACKEND_DIRECT, 0);
	struct lab_result result;

	run(&round, &result);
	assert_true(result.is_valid);
	assert_int_equal(result.backend, LAB_BACKEND_DIRECT);
	assert_int_equal(result.flow_count, 1);
	check_flow(&result.flows[0]);
	check_samples(&result);
	assert_true(result.sender_cpu_s > 0);
	lab_result_fini(&result);
}

/* 20 Mbit/s carry at most 20 * 1448 / (1448 + 66) Mbit/s of payload in the long
 * run. What a busy machine held back before measuring began may come on top, as
 * many bits as fit into the longest delay; and a read of the receiver may lag
 * by its buffer, which the path's queue of 0.8 Mbit bounds. */
static uint64_t most_bps(const struct lab_result *result)
{
	return RATE_BPS * 1448 / (1448 + HEAD_BYTES) + 8 * 100000 +
	       RATE_BPS * result->lateness_max_ns / S;
}

static void check_emulated(enum lab_backend backend)
{
	struct lab_round round = make_round(backend, 10000);
	struct lab_result result;
	const struct lab_flow_result *flow;

	run(&round, &result);
	flow = &result.flows[0];
	check_flow(flow);
	check_samples(&result);
	assert_true(flow->goodput_bps < most_bps(&result));
	assert_true(flow->min_rtt_us >= RTT_US);
	assert_true(flow->rtt_p50_us >= RTT_US);
	assert_true(flow->rtt_p99_us >= flow->rtt_p50_us);
	assert_true(result.way[0].packets > 0);
	/* each loss costs a retransmission, but for those still open */
	if (result.way[0].lost_by_model > 2)
		assert_true(flow->retransmitted_bytes > 0);
	lab_result_fini(&result);
}

static void test_tun(void **state)
{
	check_emulated(LAB_BACKEND_TUN);
}

static void test_packet_sockets(void **state)
{
	check_emulated(LAB_BACKEND_PACKET);
}

/* 100 kB at 20 Mbit/s take 40 ms, and a handshake of 20 ms before. */
/* A path that marks needs ends that asked for ECN: else what passes the
 * threshold would be dropped. The queue itself is too large to ever fill. */
static void test_marks_are_asked_for_and_heeded(void **state)
{
	struct lab_round round = make_round(LAB_BACKEND_AUTO, 0);
	struct fp_queue_config *queue = &round.path.way[0].stages[1].link.queue;
	struct lab_result result;

	queue->limit_bytes = 10000000;
	queue->qdisc = FP_QDISC_RED;
	queue->marks_ecn = true;
	queue->red_min_bytes = queue->red_max_bytes = 30000;
	queue->red_probability_ppm = FP_PPM_ONE;
	run(&round, &result);
	assert_true(result.way[0].marked > 0);
	assert_int_equal(result.way[0].lost_by_queue, 0);
	assert_int_equal(result.flows[0].retransmitted_bytes, 0);
	check_flow(&result.flows[0]);
	lab_result_fini(&result);
}

static void test_finite_transfer_completes(void **state)
{
	struct lab_round round = make_round(LAB_BACKEND_AUTO, 0);
	struct lab_result result;

	round.bytes = 100000;
	round.duration_ns = 20 * S;
	run(&round, &result);
	assert_int_equal(result.flows[0].received_bytes, 100000);
	assert_true(result.flows[0].completion_ns >= 60 * MS);
	/* the round ends with the transfer, not with the limit */
	assert_true(result.wall_s < 10);
	/* bytes over the time from connect() to the last byte */
	assert_true(
	    result.flows[0].goodput_bps ==
	    (uint64_t)(8e9 * 100000 / (double)result.flows[0].completion_ns));
	lab_result_fini(&result);
}

static void test_reverse_takes_the_way_back(void **state)
{
	struct lab_round round = make_round(LAB_BACKEND_AUTO, 0);
	struct lab_result result;

	round.is_reverse = true;
	run(&round, &result);
	check_flow(&result.flows[0]);
	assert_true(result.way[1].bytes > result.way[0].bytes);
	lab_result_fini(&result);
}

static void test_groups_share_one_path(void **state)
{
	struct lab_round round = make_round(LAB_BACKEND_AUTO, 0);
	struct lab_result result;
	uint64_t sum_bps = 0;
	uint32_t i;

	round.groups[0].flows = 2;
	round.groups[1] = round.groups[0];
	round.groups[1].flows = 3;
	round.group_count = 2;
	run(&round, &result);
	assert_int_equal(result.flow_count, 5);
	for (i = 0; i < 5; i++) {
		assert_int_equal(result.flows[i].group, i < 2 ? 0 : 1);
		check_flow(&result.flows[i]);
		sum_bps += result.flows[i].goodput_bps;
	}
	assert_true(sum_bps < most_bps(&result));
	lab_result_fini(&result);
}

/* iperf3 takes whole seconds: 1 s left out, 1 s measured. Its ends tell each
 * other over the path when to count, so a few round trips of 20 ms may be too
 * many in a second: 10 %. */
static void test_iperf3_takes_both_ends(void **state)
{
	struct lab_round round = make_round(LAB_BACKEND_AUTO, 0);
	const struct lab_flow_result *flow;
	struct lab_result result;

	round.with_iperf3 = true;
	round.groups[0].flows = 2;
	run(&round, &result);
	assert_int_equal(result.flow_count, 2);
	for (flow = result.flows; flow < result.flows + 2; flow++) {
		assert_string_equal(flow->algorithm, "reno");
		assert_true(flow->goodput_bps > 0);
		assert_true(flow->rtt_p50_us >= RTT_US);
	}
	assert_true(result.flows[0].goodput_bps + result.flows[1].goodput_bps <
		    most_bps(&result) * 11 / 10);
	assert_non_null(strstr(result.iperf3_json, "\"sum_received\""));
	lab_result_fini(&result);
}

/* One process of iperf3 runs one algorithm. */
static void test_iperf3_refuses_groups(void **state)
{
	struct lab_round round = make_round(LAB_BACKEND_AUTO, 0);
	struct fp_error error = { 0 };
	struct lab_result result;

	round.with_iperf3 = true;
	round.groups[1] = round.groups[0];
	round.group_count = 2;
	assert_true(lab_run(&round, 1, NULL, &result, &error) < 0);
	assert_int_equal(error.status, 2);
}

/* The limit ends a transfer that gets nowhere, and says so. */
static void test_dead_path_ends_and_says_so(void **state)
{
	struct lab_round round = make_round(LAB_BACKEND_AUTO, FP_PPM_ONE);
	struct lab_result result;

	round.bytes = 1000;
	round.duration_ns = S / 2;
	run(&round, &result);
	assert_false(result.is_valid);
	assert_true(result.flows[0].has_failed);
	assert_non_null(strstr(result.note, "never connected"));
	assert_true(result.way[0].lost_by_model > 0);
	lab_result_fini(&result);
}

static void interrupt(const struct lab_progress *progress, void *context)
{
	if (progress->running_count && progress->running[0].elapsed_s > 0.5)
		(void)raise(SIGINT);
}

static void interrupt_once(const struct lab_progress *progress, void *context)
{
	bool *is_done = context;

	if (*is_done || !progress->running_count ||
	    progress->running[0].elapsed_s < 1.5)
		return;
	*is_done = true; /* a second one kills */
	(void)raise(SIGINT);
}

/* Ctrl-C: the running round keeps what it saw, the next one never runs. */
static void test_interrupt_keeps_what_was_seen(void **state)
{
	const struct lab_run_options options = { .concurrency = 1,
						 .progress = interrupt };
	struct lab_round rounds[2];
	struct lab_result results[2];
	struct fp_error error = { 0 };
	int status;

	rounds[0] = make_round(LAB_BACKEND_AUTO, 0);
	rounds[0].duration_ns = 30 * S;
	rounds[1] = rounds[0];
	status = lab_run(rounds, 2, &options, results, &error);
	if (status < 0 && error.status == 77)
		skip();
	assert_int_equal(status, 0);
	assert_int_equal(results[0].error.status, 0);
	assert_true(results[0].flows[0].received_bytes > 0);
	assert_true(results[0].flows[0].goodput_bps > 0);
	assert_true(results[0].wall_s < 15);
	assert_non_null(strstr(results[0].note, "interrupted"));
	assert_int_equal(results[1].error.status, 3);
	lab_result_fini(&results[0]);
	lab_result_fini(&results[1]);
}

/* iperf3 hears what was received when it ends; interrupted it has only what was
 * sent: at most 20 Mbit/s and what waits in a send buffer. Nor is a transfer
 * complete that was interrupted. */
static void test_interrupted_iperf3_keeps_what_was_seen(void **state)
{
	bool is_done;
	const struct lab_run_options options = { .concurrency = 1,
						 .progress = interrupt_once,
						 .context = &is_done };
	struct lab_round round = make_round(LAB_BACKEND_AUTO, 0);
	struct fp_error error = { 0 };
	struct lab_result result;
	int i, status;

	round.with_iperf3 = true;
	round.warmup_ns = 0;
	round.duration_ns = 30 * S;
	for (i = 0; i < 2; i++) {
		is_done = false;
		round.bytes = i ? 1ull << 32 : 0;
		status = lab_run(&round, 1, &options, &result, &error);
		if (status < 0 && error.status == 77)
			skip();
		assert_int_equal(status, 0);
		assert_int_equal(result.error.status, 0);
		assert_int_equal(result.flows[0].completion_ns, 0);
		assert_true(result.flows[0].goodput_bps > RATE_BPS / 4);
		assert_true(result.flows[0].goodput_bps < 2 * RATE_BPS);
		assert_non_null(strstr(result.note, "what was sent"));
		lab_result_fini(&result);
	}
}

/* The first child of a process; 0: none (or a kernel that does not tell). */
static pid_t child_of(pid_t parent)
{
	char path[64];
	FILE *file;
	int child = 0;

	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/children",
		       (int)parent, (int)parent);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%d", &child) != 1)
		child = 0;
	(void)fclose(file);
	return child;
}

static void kill_descendant(const struct lab_progress *progress, void *context)
{
	int *levels = context;
	pid_t pid = getpid();
	int i;

	if (!progress->running_count || progress->running[0].elapsed_s < 0.5)
		return;
	for (i = 0; i < *levels && pid; i++)
		pid = child_of(pid);
	if (pid && *levels)
		(void)kill(pid, SIGKILL);
	*levels = 0; /* once */
}

/* Keeper, pid 1, sender: whichever is killed, the round ends at once with an
 * error that says so, and nothing of it is left. */
static void test_killed_process_is_an_error(void **state)
{
	static const char *const texts[] = {
		"ended before they were done",
		"emulator's process died: signal 9",
		"sender process died: signal 9"
	};
	struct lab_round round = make_round(LAB_BACKEND_AUTO, 0);
	struct fp_error error = { 0 };
	struct lab_result result;
	int i, levels, status;

	if (!child_of(getppid()))
		skip(); /* no CONFIG_PROC_CHILDREN */
	round.duration_ns = 30 * S;
	for (i = 0; i < 3; i++) {
		const struct lab_run_options options = { .progress =
							     kill_descendant,
							 .context = &levels };

		levels = i + 1;
		status = lab_run(&round, 1, &options, &result, &error);
		if (status < 0 && error.status == 77)
			skip();
		assert_int_equal(status, 0);
		assert_int_equal(result.error.status, 3);
		assert_non_null(strstr(result.error.text, texts[i]));
		assert_false(result.is_valid);
		assert_true(result.wall_s < 15);
		assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
		lab_result_fini(&result);
	}
}

static void test_bad_rounds_are_refused(void **state)
{
	struct lab_round round = make_round(LAB_BACKEND_AUTO, 0);
	struct fp_error error = { 0 };
	struct lab_result result;

	round.groups[0].flows = LAB_FLOWS_MAX + 1;
	assert_true(lab_run(&round, 1, NULL, &result, &error) < 0);
	assert_int_equal(error.status, 2);
	assert_non_null(strstr(error.text, "1001"));
	round = make_round(LAB_BACKEND_AUTO, 0);
	(void)snprintf(round.groups[0].algorithm, LAB_ALGORITHM_BYTES, "rebo");
	assert_true(lab_run(&round, 1, NULL, &result, &error) < 0);
	assert_int_equal(error.status, 77);
	assert_non_null(strstr(error.hint, "did you mean 'reno'?"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_direct),
		cmocka_unit_test(test_tun),
		cmocka_unit_test(test_packet_sockets),
		cmocka_unit_test(test_marks_are_asked_for_and_heeded),
		cmocka_unit_test(test_finite_transfer_completes),
		cmocka_unit_test(test_reverse_takes_the_way_back),
		cmocka_unit_test(test_groups_share_one_path),
		cmocka_unit_test(test_iperf3_takes_both_ends),
		cmocka_unit_test(test_iperf3_refuses_groups),
		cmocka_unit_test(test_dead_path_ends_and_says_so),
		cmocka_unit_test(test_interrupt_keeps_what_was_seen),
		cmocka_unit_test(test_interrupted_iperf3_keeps_what_was_seen),
		cmocka_unit_test(test_killed_process_is_an_error),
		cmocka_unit_test(test_bad_rounds_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
