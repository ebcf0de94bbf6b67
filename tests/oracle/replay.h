/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Replays a log of the kernel's CUBIC or BBR through the core of src/cc and
 * compares every field after every call.
 *
 * Window, threshold, pacing rate and the connection are taken from the log
 * before each call: the kernel's TCP changes them between two. The state of the
 * algorithm is not: the core keeps its own from a socket's first record to its
 * last, and must have what the kernel has before each call as well as after.
 *
 * The kernel's random draw, the phase in which BBR's gain cycle starts, is
 * any that gives what the kernel came to. Records of disturbed states stand for
 * themselves.
 */
#ifndef ORACLE_REPLAY_H
#define ORACLE_REPLAY_H

#include "record.h"

#include "fullpipe/cc.h"

#include <stddef.h>

/* What a log shows of the kernel, so that a test can tell that it tested
 * something. */
enum oracle_sight {
	/* all */
	ORACLE_SAW_RECOVERY, /* fast recovery began */
	ORACLE_SAW_TIMEOUT,  /* state Loss */
	ORACLE_SAW_UNDO,
	ORACLE_SAW_RESTART,   /* TX_START that the algorithm reacted to */
	ORACLE_SAW_AVOIDANCE, /* congestion avoidance: not BBR */
	/* CUBIC */
	ORACLE_SAW_HYSTART_TRAIN, /* slow start left for the ACK train */
	ORACLE_SAW_HYSTART_DELAY, /* … for the delay */
	ORACLE_SAW_EPOCH,         /* an epoch with K > 0 */
	ORACLE_SAW_CONVEX,        /* grew past the origin of its epoch */
	ORACLE_SAW_FRIENDLY,      /* Reno's estimate was the larger */
	ORACLE_SAW_CONVERGENCE,   /* fast convergence */
	/* BBR */
	ORACLE_SAW_DRAIN,
	ORACLE_SAW_PROBE_BW,
	ORACLE_SAW_CYCLE, /* each phase of the cycle was begun */
	ORACLE_SAW_PROBE_RTT,
	ORACLE_SAW_PROBE_RTT_IDLE, /* TX_START in PROBE_RTT */
	ORACLE_SAW_PROBE_RTT_END,
	ORACLE_SAW_CONSERVATION,
	ORACLE_SAW_POLICER, /* lt_use_bw */
	ORACLE_SAW_POLICER_END,
	ORACLE_SAW_AGGREGATION, /* extra_acked > 0 */
	ORACLE_SIGHTS,
};

#define ORACLE_TEXT_BYTES 256

struct oracle_result {
	char algorithm[16];
	char release[64];   /* of the kernel */
	uint64_t records;   /* replayed */
	uint64_t disturbed; /* of these, on states that are no transfer's */
	uint64_t fields;    /* compared, and equal unless said below */
	uint64_t unequal;   /* records with a field that is not */
	uint32_t sockets;
	uint32_t gaps; /* sockets that were replayed up to a gap in their log */
	uint64_t ops[ORACLE_OPS];
	uint32_t sights;               /* 1 << enum oracle_sight */
	char first[ORACLE_TEXT_BYTES]; /* the first that was unequal */
};

/* Replays a file. Returns 0, or a negative errno where it cannot be read; what
 * is unequal is in the result. */
int oracle_replay(const char *path, struct oracle_result *ret_result);

/* A sight as a word; NULL past the last. */
const char *oracle_sight_name(uint32_t sight);

/* An operation as a word. */
const char *oracle_op_name(uint32_t op);

#endif
