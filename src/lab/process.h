/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The process tree of one world:
 *
 *	the caller
 *	  keeper	user and PID namespace; waits for pid 1
 *	    pid 1	namespaces, devices, the emulator (in its own thread)
 *	      child	on one side: a sender, a receiver, a command …
 *	      child	on one side
 *
 * Each dies by SIGKILL with its parent, and pid 1 takes everything in its PID
 * namespace along, so a kill -9 anywhere leaves nothing. What they find out
 * goes through memory that all share.
 */
#ifndef LAB_PROCESS_H
#define LAB_PROCESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "lab/lab.h"

#define LAB_CHILDREN_MAX 2

/* A process on one side of the world. */
struct lab_child {
	const char *name; /* "sender", for messages */
	enum lab_side side;
	/* What it does there; its return value is the exit status. */
	int (*run)(void *context, struct fp_error *error);
	void *context;
	int stop_signal; /* sent when all are to end; 0: it watches stop_fd */
	bool ends_all;   /* when it ends, the others are told to end */
	bool is_program; /* may end with any status or signal */
};

/* Written by the tree, read by the caller. Lives in shared memory. */
struct lab_shared {
	atomic_flag has_failed; /* error is taken */
	struct fp_error error;  /* the first failure; status 0: none */
	atomic_bool is_done;    /* pid 1 has written all it knows */
	struct lab_result
	    result; /* what world and emulator know; no pointers */
	struct {
		bool has_ended;
		int wait_status; /* of wait(2) */
		double cpu_s;    /* it and what it waited for */
	} child[LAB_CHILDREN_MAX];
};

struct lab_tree {
	const struct lab_path *path;
	struct lab_child child[LAB_CHILDREN_MAX];
	uint32_t child_count;
	struct lab_shared *shared; /* in MAP_SHARED memory, zeroed */
	uint64_t limit_ns; /* then all are told to end, whatever they do; 0:
			      no limit */
	bool is_bound;     /* to processor number cpu, with all in it */
	int cpu;
	bool is_detached; /* in a session of its own: the terminal's Ctrl-C
			     does not reach it */
	int stop_fd;      /* readable: end now. Everybody may lab_tree_stop() */
	pid_t pid;        /* of the keeper */
	int pidfd;        /* readable when the keeper has ended */
	uint64_t started_ns;
};

/* Starts the tree; the caller has set what stands before stop_fd. Returns 0 or
 * a negative errno with error. Release with lab_tree_fini(). */
int lab_tree_start(struct lab_tree *tree, struct fp_error *error);

/* Tells everything in the tree to end with what it has. Any process of the tree
 * may call it, and so may a signal handler. */
void lab_tree_stop(const struct lab_tree *tree);

/* Tells whether lab_tree_stop() was called. */
bool lab_tree_is_stopped(const struct lab_tree *tree);

/* Waits for the keeper, which has ended or is to be killed now, and closes the
 * descriptors. shared->error is set where the tree died before it was done. */
void lab_tree_fini(struct lab_tree *tree, bool is_killed);

/* Keeps the first failure of the tree. */
void lab_shared_fail(struct lab_shared *shared, const struct fp_error *error);

/* pidfd_open(2), which C libraries before glibc 2.36 do not declare; Linux 5.3.
 * Returns -1 with errno set on failure. */
int lab_pidfd_open(pid_t pid);

/* Makes the calling process die with its parent. parent_pidfd is the parent's
 * (pidfd_open(2), inherited); ends the process at once where that is dead. */
void lab_die_with(int parent_pidfd);

/* Seconds of processor time, user and system. */
struct rusage;
double lab_cpu_s(const struct rusage *usage);

/* The same of the calling process, since its fork. */
double lab_process_cpu_s(void);

#endif
