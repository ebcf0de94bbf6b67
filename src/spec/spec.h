/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A path as a person writes it: options, one netem line, a scenario file, a
 * preset. spec turns words into struct fp_path_config and owns the arrays that
 * those point to. Every unit of the project is parsed in spec/units.h.
 */
#ifndef SPEC_SPEC_H
#define SPEC_SPEC_H

#include "base/error.h"
#include "fullpipe/link.h"

/* Largest seed: what JSON's numbers keep exactly in every language. */
#define SPEC_SEED_MAX (1ull << 53)

enum spec_way { SPEC_FORWARD, SPEC_BACK, SPEC_WAYS };

/* What the emulator is to do to one direction, and its summary in the words of
 * the report. A number that does not apply is 0. config: stages in netem's
 * order, or a scenario's; capacity_pkts and merge_ns are 0, the world's to set;
 * seed is 0 unless a netem line or scenario says one. */
struct spec_direction {
	struct fp_path_config config;
	uint64_t delay_ns; /* sum of the means of its delay stages */
	uint32_t loss_ppm; /* long-run share that its loss models drop */
	uint64_t rate_bps; /* of the slowest link, first step; 0: unlimited */
	uint64_t queue_bytes; /* limit of that link's queue as bytes; 0: none */
	char text[256]; /* canonical netem-like line, "delay 50ms loss 2% …" */
};

/* A resolved path. Release with spec_path_fini(). */
struct spec_path {
	bool is_direct; /* a veth pair without emulator */
	bool is_ipv6;
	uint32_t mtu_bytes; /* 576 … 65535, default 1500 */
	enum fp_loss_unit loss_unit;
	struct spec_direction way[SPEC_WAYS];
	uint64_t rtt_ns;    /* sum of both delays */
	uint64_t bdp_bytes; /* forward rate x rtt; 0: no rate */
	void *owned;        /* arrays that the configurations point to */
};

/*
 * Collects what the user says, in three layers: a scenario or preset (the last
 * one given); netem lines, each of which replaces its whole direction; options,
 * each of which overrides one thing, wherever it stands. Of one option the last
 * counts. docs/paths.md has it all.
 */
struct spec_builder;

struct spec_builder *spec_builder_new(void);
void spec_builder_free(struct spec_builder *builder); /* accepts NULL */

/*
 * Sets one option. name is the option's name without dashes: rtt delay
 * delay-back jitter jitter-back distribution loss loss-back rate rate-back
 * queue queue-back aqm aqm-back ecn reorder reorder-back duplicate
 * duplicate-back corrupt corrupt-back policer policer-back overhead rate-steps
 * rate-steps-back rate-trace rate-trace-back loss-unit mtu ipv6 path path-back
 * scenario preset. value may be NULL only for switches (ipv6, ecn). Returns 0
 * or a negative errno with error: status 2, the option, the value, the accepted
 * range.
 */
int spec_builder_set(struct spec_builder *builder, const char *name,
		     const char *value, struct fp_error *error);

/* Tells how many things were set, and whether a scenario or preset was one of
 * them. */
uint32_t spec_builder_count(const struct spec_builder *builder);
bool spec_builder_has_base(const struct spec_builder *builder);

/* Resolves what was collected. With options alone the default path (100 ms, 2
 * %, 100 Mbit/s, 1 BDP) stands below them; a scenario, preset or netem line
 * says all of its path. The builder may be used again. Returns 0, or a negative
 * errno with error and ret_path untouched. What it gives passes
 * fp_path_check(). */
int spec_builder_build(const struct spec_builder *builder,
		       struct spec_path *ret_path, struct fp_error *error);

void spec_path_fini(struct spec_path *path);

/* --- Presets: paths that the field talks about (facts in docs/articles.md) ---
 */

struct spec_preset {
	const char *name;  /* "cc-30" */
	const char *about; /* one sentence */
	const char
	    *options[16][2];  /* name, value pairs for spec_builder_set() */
	const char *buffers;  /* value for --buffers: "default" or bytes */
	uint64_t duration_ns; /* seconds that the article ran; 0: ours */
	uint64_t published_bps[2]; /* cubic, bbr as published; 0: none */
	const char *wrong;         /* what the article has wrong, or NULL */
};

/* Finds a preset by name, or by number (0 …) for listing. NULL past the end. */
const struct spec_preset *spec_preset_find(const char *name);
const struct spec_preset *spec_preset_at(uint32_t number);

#endif
