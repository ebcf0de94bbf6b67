/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where a round lives: anonymous network namespaces, the devices in them, and
 * what else of the machine is hidden from it. Nothing has a name: namespaces
 * and devices are held by descriptors and processes alone, so they are gone
 * when the processes are.
 *
 *	fork()				a fresh process of the caller's
 *	  lab_world_isolate(&world)	user and PID namespace
 *	  fork()			pid 1 of the PID namespace
 *	    lab_world_open(&world)	mounts, network namespaces, devices
 *	    fork()			a sender, a receiver, a command
 *	      lab_world_enter(&world, side)
 *	    emulator_run()
 */
#ifndef LAB_WORLD_H
#define LAB_WORLD_H

#include <stdbool.h>

#include "base/error.h"
#include "lab/device.h"
#include "lab/lab.h"

struct lab_world {
	enum lab_backend backend;    /* what is used, never AUTO */
	bool is_user_namespace;      /* made without privilege */
	bool has_pid_namespace;      /* kill -9 of pid 1 takes all with it */
	bool has_mount_namespace;    /* /proc and /etc/hosts are the world's */
	bool has_host_names;         /* the sides' names resolve */
	int netns_fd[LAB_SIDES];     /* network namespaces; -1: none */
	int emulator_netns_fd;       /* packet sockets' ends; -1: none */
	int device_fd[LAB_SIDES];    /* TUN or packet socket; -1: none */
	unsigned ifindex[LAB_SIDES]; /* the side's device, in its namespace */
	unsigned peer_ifindex[LAB_SIDES]; /* packet sockets: the other end, in
					     the emulator's namespace */
	struct packet_geometry ring;      /* packet sockets: of their rings */
	int isolator_fd; /* pidfd of the process that isolated; -1: none */
	bool has_ipv6;   /* in this kernel */
	bool has_uso;    /* the devices hand over UDP super-packets */
	char note[256];  /* steps that this machine did not allow, or empty */
};

/* Prepares the calling process: a user namespace unless it may make network
 * namespaces as it is, and a PID namespace (which holds from the next fork on)
 * where allowed. Call it in a fresh single-threaded process, once. SIGKILL
 * follows when the parent dies. Returns 0, or a negative errno with error
 * (status 77: network namespaces are not possible here; its hint says what
 * would allow them). */
int lab_world_isolate(struct lab_world *world, struct fp_error *error);

/* Makes the namespaces and devices of a path and leaves the caller in the
 * emulator's namespace (or, where there is none, in the receiver's). Call it in
 * the child that was forked after lab_world_isolate(). IPv4 and IPv6 addresses
 * are up when it returns. Returns 0, or a negative errno with error (status 77:
 * no usable datapath, or is_ipv6 and the kernel has no IPv6); the world is
 * closed then. */
int lab_world_open(struct lab_world *world, const struct lab_path *path,
		   struct fp_error *error);

/* Moves the calling process (a child of the opener) to one side: network
 * namespace and host name. In a user namespace it also keeps what network
 * programs need (raw sockets, any algorithm) over execve(2). Closes the
 * world's descriptors in this process. Returns 0 or a negative errno with
 * error. */
int lab_world_enter(struct lab_world *world, enum lab_side side,
		    struct fp_error *error);

/* Closes the descriptors; the namespaces end with their last process. May be
 * called on a world that was only isolated, and twice. */
void lab_world_close(struct lab_world *world);

/* Tells whether a path can be laid on this machine: makes the whole world in a
 * child and drops it. Fills backend, is_user_namespace, has_… and note of
 * ret_world (its descriptors are -1). Errors as the two calls above. */
int lab_world_probe(const struct lab_path *path, struct lab_world *ret_world,
		    struct fp_error *error);

/* Words for a report: "TUN", "packet sockets", "veth pair, no emulator". */
const char *lab_backend_name(enum lab_backend backend);

#endif
