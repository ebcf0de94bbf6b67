// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * oracle_flow receive PORT
 *	takes one connection and reads it to its end
 * oracle_flow send ADDRESS PORT ALGORITHM [mss=BYTES] [pace=BYTES_PER_S]
 *STEP... connects with this congestion control, takes the steps, and waits
 *until all has arrived. A step is COUNTxBYTES@MS[/PKTS]: so many times write so
 *many bytes and then wait; over once the window is down to PKTS. Ends well
 *after 12 s even so: what is seen until then is enough.
 *
 * Exit status 3 when something failed.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define LIMIT_S 12

static char zeros[64 << 10];

static int failed(const char *what)
{
	fprintf(stderr, "oracle_flow: %s: %s\n", what, strerror(errno));
	return 3;
}

static struct sockaddr_in address_of(const char *address, const char *port)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)strtoul(port, NULL, 10)),
	};

	if (inet_pton(AF_INET, address, &to.sin_addr) != 1)
		to.sin_addr.s_addr = htonl(INADDR_NONE);
	return to;
}

static int receive(const char *port)
{
	struct sockaddr_in at = address_of("0.0.0.0", port);
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	ssize_t got;
	int fd;

	if (listener < 0 ||
	    bind(listener, (struct sockaddr *)&at, sizeof(at)) ||
	    listen(listener, 1))
		return failed("cannot listen");
	fd = accept(listener, NULL, NULL);
	if (fd < 0)
		return failed("cannot accept");
	do
		got = read(fd, zeros, sizeof(zeros));
	while (got > 0);
	return got < 0 ? failed("cannot read") : 0;
}

static int write_all(int fd, size_t bytes)
{
	ssize_t put;

	while (bytes) {
		put = write(fd, zeros,
			    bytes < sizeof(zeros) ? bytes : sizeof(zeros));
		if (put < 0)
			return -1;
		bytes -= (size_t)put;
	}
	return 0;
}

/* Whether the window is down to so many packets; not where it cannot be told.
 */
static bool is_window_down(int fd, uint32_t cwnd_pkts)
{
	struct tcp_info info;
	socklen_t bytes = sizeof(info);

	return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &bytes) == 0 &&
	       info.tcpi_snd_cwnd <= cwnd_pkts;
}

/* Sets an option of the socket by a word "name=NUMBER". Returns 0, -1 with
 * errno, or 1 where it is none. */
static int take_option(int fd, const char *word)
{
	unsigned int number;

	if (sscanf(word, "mss=%u", &number) == 1)
		return setsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &number,
				  sizeof(number));
	if (sscanf(word, "pace=%u", &number) == 1)
		return setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &number,
				  sizeof(number));
	return 1;
}

static int take_step(int fd, const char *step)
{
	unsigned long count, bytes, ms, cwnd_pkts = 0;
	struct timespec pause;

	if (sscanf(step, "%lux%lu@%lu/%lu", &count, &bytes, &ms, &cwnd_pkts) <
	    3) {
		errno = EINVAL;
		return -1;
	}
	pause.tv_sec = (time_t)(ms / 1000);
	pause.tv_nsec = (long)(ms % 1000) * 1000000;
	for (; count; count--) {
		if (write_all(fd, bytes))
			return -1;
		nanosleep(&pause, NULL);
		if (is_window_down(fd, (uint32_t)cwnd_pkts))
			return 0;
	}
	return 0;
}

static void end_well(int signal)
{
	(void)signal;
	_exit(0);
}

static int send_steps(char **args)
{
	struct sockaddr_in to = address_of(args[0], args[1]);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	struct linger reset = { .l_onoff = 1 };
	int option, on = 1;

	if (fd < 0 || setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, args[2],
				 (socklen_t)strlen(args[2])))
		return failed(args[2]);
	for (args += 3; *args && (option = take_option(fd, *args)) <= 0; args++)
		if (option < 0)
			return failed(*args);
	/* whatever ends this process ends the socket, which else would keep
	 * the BPF programs until its last data is given up */
	(void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	/* a step is sent when it is written */
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)))
		return failed("cannot connect");
	(void)signal(SIGALRM, end_well);
	alarm(LIMIT_S);
	for (; *args; args++)
		if (take_step(fd, *args))
			return failed(*args);
	if (shutdown(fd, SHUT_WR) || read(fd, zeros, 1))
		return failed("the peer did not end well");
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "receive") == 0)
		return receive(argv[2]);
	if (argc > 5 && strcmp(argv[1], "send") == 0)
		return send_steps(argv + 2);
	fprintf(stderr, "usage: oracle_flow receive PORT\n"
			"       oracle_flow send ADDRESS PORT ALGORITHM "
			"STEP...\n");
	return 2;
}
