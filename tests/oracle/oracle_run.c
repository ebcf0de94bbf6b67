// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * oracle_run OBJECT FOLDER COMMAND [ARG]...: registers "fp_reno", "fp_cubic"
 * and "fp_bbr", runs the command, and keeps what its sockets of these
 * algorithms did as FOLDER/reno-PORT.log and so on, PORT being the peer's.
 *
 * The registrations are links that this process holds: they go with it. Needs
 * root. Ends with the command's status, 3 when something failed, or 77 with a
 * reason on stdout where the kernel cannot be asked.
 */
#include "kernel_state.h"
#include "log.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STATUS_FAILED 3
#define STATUS_SKIP   77
#define POLL_MS       20
#define NICE          (-10)
#define LOCK_FILE     "/sys/kernel/btf/vmlinux"

/* Newer than the headers of Debian 12 (Linux 6.4). */
#define MAP_IS_FOR_LINK   (1u << 13) /* BPF_F_LINK */
#define ATTACH_STRUCT_OPS 44         /* BPF_STRUCT_OPS */

static const char *const algorithm_names[ORACLE_ALGORITHMS] = {
	[ORACLE_RENO] = "reno",
	[ORACLE_CUBIC] = "cubic",
	[ORACLE_BBR] = "bbr",
};

struct oracle {
	const char *folder;
	struct bpf_object *object;
	int links[ORACLE_ALGORITHMS];
	struct ring_buffer *ring;
	struct oracle_log logs[ORACLE_ALGORITHMS][ORACLE_PORTS];
	uint64_t counts[ORACLE_ALGORITHMS][ORACLE_PORTS]; /* of records */
};

static int failed(const char *what, int error)
{
	fprintf(stderr, "oracle: %s: %s\n", what, strerror(abs(error)));
	return STATUS_FAILED;
}

static int __attribute__((format(printf, 2, 0)))
show_libbpf(enum libbpf_print_level level, const char *format, va_list args)
{
	return level == LIBBPF_WARN ? vfprintf(stderr, format, args) : 0;
}

/* Whether the kernel has this function, with so many parameters. */
static bool has_function(const struct btf *btf, const char *name,
			 uint32_t parameters)
{
	const struct btf_type *type;
	int id = btf__find_by_name_kind(btf, name, BTF_KIND_FUNC);

	if (id < 0)
		return false;
	type = btf__type_by_id(btf, btf__type_by_id(btf, (uint32_t)id)->type);
	return btf_vlen(type) == parameters;
}

/* Whether the kernel's structure has the size of ours. */
static bool has_state(const struct btf *btf, const char *name, uint32_t bytes)
{
	int id = btf__find_by_name_kind(btf, name, BTF_KIND_STRUCT);

	return id >= 0 && btf__type_by_id(btf, (uint32_t)id)->size == bytes;
}

/* Why the kernel cannot be asked; NULL: it can. */
static const char *find_obstacle(void)
{
	const char *obstacle = NULL;
	struct btf *btf;

	if (geteuid() != 0)
		return "needs root";
	btf = btf__load_vmlinux_btf();
	if (!btf)
		return "this kernel has no BTF";
	if (btf__find_by_name_kind(btf, "bpf_struct_ops_link",
				   BTF_KIND_STRUCT) < 0)
		obstacle = "this kernel has no links of struct_ops (6.4)";
	else if (!has_function(btf, "cubictcp_acked", 2))
		obstacle = "this kernel has no CUBIC built in";
	else if (!has_function(btf, "bbr_main", 4))
		obstacle = "this kernel has no BBR built in, or that of "
			   "before 6.10";
	else if (!has_state(btf, "bictcp", sizeof(struct kernel_cubic)) ||
		 !has_state(btf, "bbr", sizeof(struct kernel_bbr)))
		obstacle = "this kernel's CUBIC or BBR is another one";
	btf__free(btf);
	return obstacle;
}

static int keep_record(void *context, void *data, size_t bytes)
{
	struct oracle *oracle = context;
	struct oracle_record record;
	struct oracle_log *log;
	uint32_t number;
	char path[4096];
	int status;

	if (bytes < sizeof(record))
		return -EINVAL;
	memcpy(&record, data, sizeof(record));
	number = record.port - ORACLE_PORT_FIRST;
	if (record.algorithm >= ORACLE_ALGORITHMS || number >= ORACLE_PORTS)
		return -EINVAL;
	log = &oracle->logs[record.algorithm][number];
	if (!log->file) {
		snprintf(path, sizeof(path), "%s/%s-%u.log", oracle->folder,
			 algorithm_names[record.algorithm], record.port);
		status = oracle_log_create(log, path);
		if (status)
			return status;
	}
	oracle->counts[record.algorithm][number]++;
	return oracle_log_write(log, &record);
}

/* Registers an algorithm for as long as this process lives. Returns a
 * descriptor or a negative errno. */
static int make_link(struct bpf_map *map)
{
	union bpf_attr attr = { 0 };
	struct bpf_link *filled = bpf_map__attach_struct_ops(map);
	int fd;

	if (!filled)
		return -errno;
	/* the map is filled in; without the link nothing is registered */
	bpf_link__disconnect(filled);
	bpf_link__destroy(filled);
	attr.link_create.prog_fd = (uint32_t)bpf_map__fd(map);
	attr.link_create.attach_type = ATTACH_STRUCT_OPS;
	fd = (int)syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));
	return fd < 0 ? -errno : fd;
}

static int register_algorithms(struct oracle *oracle, const char *path)
{
	static const char *const maps[ORACLE_ALGORITHMS] = {
		[ORACLE_RENO] = "oracle_reno",
		[ORACLE_CUBIC] = "oracle_cubic",
		[ORACLE_BBR] = "oracle_bbr",
	};
	struct bpf_map *map[ORACLE_ALGORITHMS];
	int i;

	oracle->object = bpf_object__open_file(path, NULL);
	if (!oracle->object)
		return failed(path, errno);
	for (i = 0; i < ORACLE_ALGORITHMS; i++) {
		map[i] = bpf_object__find_map_by_name(oracle->object, maps[i]);
		if (!map[i] || bpf_map__set_map_flags(map[i], MAP_IS_FOR_LINK))
			return failed(maps[i], errno);
	}
	if (bpf_object__load(oracle->object)) {
		if (errno == EPERM) {
			printf("no BPF programs are allowed here\n");
			return STATUS_SKIP;
		}
		return failed("cannot load the BPF program", errno);
	}
	for (i = 0; i < ORACLE_ALGORITHMS; i++) {
		oracle->links[i] = make_link(map[i]);
		if (oracle->links[i] < 0)
			return failed(maps[i], oracle->links[i]);
	}
	return 0;
}

/* Runs the command in a process that ends with this one. */
static pid_t start(char *const command[])
{
	pid_t parent = getpid();
	pid_t child = fork();

	if (child != 0)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)setpriority(PRIO_PROCESS, 0, 0);
	if (getppid() != parent)
		_exit(127);
	execvp(command[0], command);
	perror(command[0]);
	_exit(127);
}

/* Keeps records until the command has ended. Returns its status. */
static int keep_records(struct oracle *oracle, pid_t child)
{
	int wait_status = 0;
	int got;
	pid_t ended;

	do {
		ended = waitpid(child, &wait_status, WNOHANG);
		got = ring_buffer__poll(oracle->ring, POLL_MS);
		if (got < 0 && got != -EINTR)
			return failed("cannot keep records", got);
	} while (ended == 0);
	got = ring_buffer__consume(oracle->ring);
	if (ended < 0 || got < 0)
		return failed("cannot wait for the command", errno);
	return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status)
				      : 128 + WTERMSIG(wait_status);
}

/* Says how many there are, and fails where one is missing. */
static int close_logs(struct oracle *oracle)
{
	uint32_t key = 0;
	uint64_t dropped = 0;
	int a, number, status = 0;
	struct oracle_log *log;

	for (a = 0; a < ORACLE_ALGORITHMS; a++)
		for (number = 0; number < ORACLE_PORTS; number++) {
			log = &oracle->logs[a][number];
			if (log->file && oracle_log_close(log))
				status = failed(oracle->folder, errno);
		}
	if (bpf_map_lookup_elem(
		bpf_object__find_map_fd_by_name(oracle->object, "dropped"),
		&key, &dropped))
		return failed("cannot read the count of drops", errno);
	if (dropped) {
		fprintf(stderr, "oracle: %llu calls found no room in the log\n",
			(unsigned long long)dropped);
		status = STATUS_FAILED;
	}
	return status;
}

/* The algorithms' names are the kernel's: waits until nobody else has them. The
 * lock goes with this process. */
static int wait_for_turn(void)
{
	int fd = open(LOCK_FILE, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || flock(fd, LOCK_EX))
		return failed(LOCK_FILE, errno);
	return 0;
}

static int run(struct oracle *oracle, const char *object, char *const command[])
{
	int status = wait_for_turn();
	int closed;
	pid_t child;

	if (!status)
		status = register_algorithms(oracle, object);
	if (status)
		return status;
	oracle->ring = ring_buffer__new(
	    bpf_object__find_map_fd_by_name(oracle->object, "records"),
	    keep_record, oracle, NULL);
	if (!oracle->ring)
		return failed("cannot read the log", errno);
	/* a busy machine must not keep the log from being emptied */
	(void)setpriority(PRIO_PROCESS, 0, NICE);
	child = start(command);
	if (child < 0)
		return failed("cannot fork", errno);
	status = keep_records(oracle, child);
	closed = close_logs(oracle);
	return closed ? closed : status;
}

int main(int argc, char **argv)
{
	static struct oracle oracle;
	const char *obstacle;
	int status, i;

	if (argc < 4) {
		fprintf(stderr, "usage: oracle_run OBJECT FOLDER COMMAND...\n");
		return 2;
	}
	libbpf_set_print(show_libbpf);
	obstacle = find_obstacle();
	if (obstacle) {
		printf("%s\n", obstacle);
		return STATUS_SKIP;
	}
	oracle.folder = argv[2];
	status = run(&oracle, argv[1], argv + 3);
	ring_buffer__free(oracle.ring);
	for (i = 0; i < ORACLE_ALGORITHMS; i++)
		if (oracle.links[i] > 0)
			close(oracle.links[i]);
	bpf_object__close(oracle.object);
	return status;
}
