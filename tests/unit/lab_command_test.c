/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Commands of the user's in a world; skips where a world cannot be made. */
#include "lab/lab.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define MS 1000000ull

#define PORT 7000

static struct sockaddr_in address_of(const char *text)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons(PORT) };

	(void)inet_pton(AF_INET, text, &address.sin_addr);
	return address;
}

/* "serve": takes one connection and answers with one byte. */
static int serve(void)
{
	struct sockaddr_in address = address_of("0.0.0.0");
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	int fd;

	if (bind(listener, (struct sockaddr *)&address, sizeof(address)) < 0 ||
	    listen(listener, 1) < 0)
		return 1;
	fd = accept(listener, NULL, NULL);
	return send(fd, "x", 1, 0) == 1 ? 0 : 1;
}

/* "call": connects to the peer once, without trying again. */
static int call(void)
{
	const char *peer = getenv("FULLPIPE_PEER");
	struct sockaddr_in address = address_of(peer ? peer : "");
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	char answer = 0;

	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		return 1;
	return recv(fd, &answer, 1, 0) == 1 && answer == 'x' ? 0 : 2;
}

struct outcome {
	int status;      /* of lab_command() */
	int exit_status; /* of the command */
	struct lab_result result;
	struct fp_error error;
};

static struct outcome run_argv(char *const argv[], const char *server)
{
	struct lab_path path = { .mtu_bytes = 1500 };
	struct outcome outcome = { .exit_status = -1 };
	uint32_t i;

	for (i = 0; i < 2; i++) {
		path.way[i].direction = i;
		path.way[i].stage_count = 1;
		path.way[i].stages[0].kind = FP_STAGE_DELAY;
		path.way[i].stages[0].delay.delay_ns = MS;
	}
	outcome.status = lab_command(&path, argv, server, &outcome.exit_status,
				     &outcome.result, &outcome.error);
	if (outcome.error.status == 77) {
		print_message("skipped: %s\n", outcome.error.text);
		skip();
	}
	return outcome;
}

/* Nothing of the world is left: there is no child to wait for. */
static void check_no_child(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static struct outcome run_shell(const char *text, const char *server,
				pid_t helper)
{
	char shell[] = "sh", option[] = "-c";
	char *copy = strdup(text);
	char *argv[] = { shell, option, copy, NULL };
	struct outcome outcome = run_argv(argv, server);

	free(copy);
	if (helper)
		assert_int_equal(waitpid(helper, NULL, 0), helper);
	check_no_child();
	return outcome;
}

static void test_exit_status_passes_through(void **state)
{
	static const struct {
		const char *text;
		int exit_status;
	} rows[] = {
		{ "exit 0", 0 },
		{ "exit 7", 7 },
		{ "kill -9 $$", 128 + SIGKILL },
		{ "kill -2 $$", 128 + SIGINT },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct outcome outcome = run_shell(rows[i].text, NULL, 0);

		assert_int_equal(outcome.status, 0);
		assert_int_equal(outcome.exit_status, rows[i].exit_status);
	}
}

static void test_environment_of_both_sides(void **state)
{
	struct outcome outcome =
	    run_shell("test $FULLPIPE_SELF,$FULLPIPE_PEER,$FULLPIPE_SIDE = "
		      "10.201.0.1,10.201.0.2,sender",
		      NULL, 0);

	assert_int_equal(outcome.exit_status, 0);
}

/* The call is refused where the server is not there yet. */
static void test_server_listens_before_the_command(void **state)
{
	char self[4000], server[4100];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char call[] = "call";
	char *argv[] = { self, call, NULL };
	struct outcome outcome;

	assert_true(length > 0);
	self[length] = '\0';
	(void)snprintf(server, sizeof(server), "exec %s serve", self);
	outcome = run_argv(argv, server);
	assert_int_equal(outcome.status, 0);
	assert_int_equal(outcome.exit_status, 0);
	/* a handshake, data and an end crossed the path */
	assert_true(outcome.result.way[0].packets >= 3);
	assert_true(outcome.result.is_valid);
}

static void test_server_that_fails_holds_nothing_up(void **state)
{
	struct outcome outcome = run_shell("exit 3", "exit 1", 0);

	assert_int_equal(outcome.exit_status, 3);
	assert_true(outcome.result.wall_s < 4);
}

static void test_command_that_cannot_be_run(void **state)
{
	char missing[] = "no-such-command", unfit[] = "/etc/passwd";
	char *missing_argv[] = { missing, NULL };
	char *unfit_argv[] = { unfit, NULL };
	struct outcome outcome = run_argv(missing_argv, NULL);

	assert_true(outcome.status < 0);
	assert_int_equal(outcome.error.status, 127);
	assert_non_null(strstr(outcome.error.text, "'no-such-command'"));
	outcome = run_argv(unfit_argv, NULL);
	assert_true(outcome.status < 0);
	assert_int_equal(outcome.error.status, 126);
}

/* SIGTERM is sent once the command runs: the command itself ends a helper that
 * waits at a pipe, and the helper sends it. */
static void test_sigterm_ends_the_command(void **state)
{
	struct outcome outcome;
	int pipe_fds[2];
	char text[64];
	pid_t helper;

	assert_int_equal(pipe(pipe_fds), 0);
	helper = fork();
	if (helper == 0) {
		char byte;

		(void)close(pipe_fds[1]);
		(void)!read(pipe_fds[0], &byte, 1);
		(void)kill(getppid(), SIGTERM);
		_exit(0);
	}
	(void)close(pipe_fds[0]);
	(void)snprintf(text, sizeof(text), "echo >&%d; exec sleep 30",
		       pipe_fds[1]);
	outcome = run_shell(text, NULL, helper);
	(void)close(pipe_fds[1]);
	assert_int_equal(outcome.status, 0);
	assert_int_equal(outcome.exit_status, 128 + SIGTERM);
	assert_true(outcome.result.wall_s < 10);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exit_status_passes_through),
		cmocka_unit_test(test_environment_of_both_sides),
		cmocka_unit_test(test_server_listens_before_the_command),
		cmocka_unit_test(test_server_that_fails_holds_nothing_up),
		cmocka_unit_test(test_command_that_cannot_be_run),
		cmocka_unit_test(test_sigterm_ends_the_command),
	};

	if (argc == 2 && strcmp(argv[1], "serve") == 0)
		return serve();
	if (argc == 2 && strcmp(argv[1], "call") == 0)
		return call();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
