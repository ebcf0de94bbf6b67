/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What was said about a path, before it is resolved: shared by the files of
 * this folder only.
 */
#ifndef SPEC_PLAN_H
#define SPEC_PLAN_H

#include "base/error.h"
#include "fullpipe/link.h"
#include "spec/arena.h"
#include "spec/spec.h"

#define SPEC_MS UINT64_C(1000000)
#define SPEC_S  (1000 * SPEC_MS)

/* Accepted ranges. Delays stay below the 2^40 ns of struct fp_delay_config. */
#define SPEC_DELAY_MAX_NS     (900 * SPEC_S)
#define SPEC_RTT_MAX_NS       (2 * SPEC_DELAY_MAX_NS)
#define SPEC_RATE_MIN_BPS     UINT64_C(1000)
#define SPEC_RATE_MAX_BPS     UINT64_C(1000000000000)
#define SPEC_MTU_MIN          576   /* RFC 791: every host takes that much */
#define SPEC_MTU_MAX          65535 /* the length field of IPv4 */
#define SPEC_L2_BYTES         14    /* Ethernet header, as netem counts */
/* More than any memory that packets could wait in. */
#define SPEC_QUEUE_MAX_BYTES  (UINT64_C(1) << 40)
/* netem's default limit (sch_netem: 1000 packets). */
#define SPEC_NETEM_LIMIT_PKTS 1000

/* What a wish says; the rest of it is zero. */
enum spec_said {
	SAID_DELAY = 1 << 0,
	SAID_JITTER = 1 << 1,
	SAID_DISTRIBUTION = 1 << 2,
	SAID_LOSS = 1 << 3,
	SAID_ECN = 1 << 4,
	SAID_REORDER = 1 << 5,
	SAID_GAP = 1 << 6,
	SAID_DUPLICATE = 1 << 7,
	SAID_CORRUPT = 1 << 8,
	SAID_POLICER = 1 << 9,
	SAID_RATE = 1 << 10,
	SAID_STEPS = 1 << 11,
	SAID_TRACE = 1 << 12,
	SAID_OVERHEAD = 1 << 13,
	SAID_QUEUE = 1 << 14,
	SAID_AQM = 1 << 15,
	SAID_SEED = 1 << 16,
};
/* Any of these makes a link. */
#define SAID_LINK (SAID_RATE | SAID_STEPS | SAID_TRACE)

enum spec_queue_unit {
	SPEC_QUEUE_PKTS,
	SPEC_QUEUE_BYTES,
	SPEC_QUEUE_NS,
	SPEC_QUEUE_BDP, /* amount is in millionths of a BDP */
};

struct spec_queue {
	enum spec_queue_unit unit;
	uint64_t amount;
};

/* One of each stage, as far as said. Arrays live in the arena. */
struct spec_wish {
	uint32_t said;   /* bits of enum spec_said */
	uint32_t shared; /* those said for both ways at once: no error where
			    this way cannot use them */
	uint64_t delay_ns, jitter_ns;
	uint32_t jitter_correlation_ppm;
	enum fp_dist dist;
	struct fp_loss_config loss;
	bool marks_ecn;
	struct fp_reorder_config reorder;
	struct fp_chance_config duplicate, corrupt;
	struct fp_policer_config policer;
	struct fp_rate_config rate; /* kind is set when resolved */
	const char *trace_name;     /* file, as the user wrote it */
	struct spec_queue queue;
	struct fp_queue_config aqm; /* limits are set when resolved */
	uint64_t seed;
};

/* One direction: usually one item; a scenario's list of stages has more. */
struct spec_way_plan {
	uint32_t item_count; /* 0: nothing said */
	bool is_line;        /* a netem line: netem's default queue */
	uint64_t seed;       /* 0: not said */
	bool is_list;        /* listed stages, which options cannot override */
	struct spec_wish items[FP_PATH_STAGES_MAX];
};

struct spec_plan {
	bool is_direct;
	bool has_ipv6, is_ipv6;
	bool has_loss_unit;
	enum fp_loss_unit loss_unit;
	uint32_t mtu_bytes; /* 0: not said */
	struct spec_way_plan way[SPEC_WAYS];
};

/* Words of a text, taken one by one. */
struct spec_words {
	struct spec_arena *arena;
	char **word;
	uint32_t count, next;
	bool is_tc; /* tc's dialect: a bare number is a percentage */
};

/* --- words.c: taking words and quantities --- */

struct spec_range {
	uint64_t min, max;
};

/* Splits text at blanks. Returns 0 or -EINVAL (too many words) or -ENOMEM. */
int spec__words_init(struct spec_words *words, struct spec_arena *arena,
		     const char *text, struct fp_error *error);

/* Takes text as one word. */
int spec__words_init_whole(struct spec_words *words, struct spec_arena *arena,
			   const char *text, struct fp_error *error);

/* The next word, or NULL. peek leaves it there. */
const char *spec__peek(const struct spec_words *words);
const char *spec__take(struct spec_words *words);

/* Takes the next word if it is this one. */
bool spec__take_if(struct spec_words *words, const char *word);

/* Tells whether the next word looks like a number, as tc asks it. */
bool spec__next_is_number(const struct spec_words *words);

/* Each takes one word and reads it as a quantity within range. Returns 0, or
 * -EINVAL with an error that quotes the word and the accepted range. */
int spec__take_time(struct spec_words *words, struct spec_range range,
		    uint64_t *ret_ns, struct fp_error *error);
int spec__take_rate(struct spec_words *words, struct spec_range range,
		    uint64_t *ret_bps, struct fp_error *error);
int spec__take_share(struct spec_words *words, uint32_t *ret_ppm,
		     struct fp_error *error);
int spec__take_size(struct spec_words *words, struct spec_range range,
		    uint64_t *ret_bytes, struct fp_error *error);
int spec__take_count(struct spec_words *words, struct spec_range range,
		     uint64_t *ret_count, struct fp_error *error);
int spec__take_signed(struct spec_words *words, struct spec_range magnitude,
		      int32_t *ret_value, struct fp_error *error);

/* Splits text at the first sep: *text ends there. Returns what follows it, or
 * NULL where there is no sep. */
char *spec__cut(char *text, char sep);

/* Puts "prefix: " before the text of an error. */
void spec__error_prefix(struct fp_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int spec__no_memory(struct fp_error *error);

/* --- stages.c, queue.c, rate.c: the words of one direction --- */

typedef int spec_setter(struct spec_wish *wish, struct spec_words *words,
			struct fp_error *error);

spec_setter spec__set_delay, spec__set_jitter, spec__set_distribution,
    spec__set_loss, spec__set_ecn, spec__set_reorder, spec__set_gap,
    spec__set_duplicate, spec__set_corrupt, spec__set_seed;
spec_setter spec__set_rate, spec__set_overhead, spec__set_steps,
    spec__set_trace, spec__set_policer;
/* Reads one word as the limit of a queue; where it returns false ret_queue may
 * have changed. */
bool spec__parse_queue(const char *word, struct spec_queue *ret_queue);

spec_setter spec__set_queue, spec__set_limit, spec__set_aqm;

enum spec_word_place {
	IN_LINE = 1 << 0,   /* a word of netem lines */
	IN_OPTION = 1 << 1, /* an option and a key of scenario files */
	FOR_BOTH = 1 << 2,  /* as an option it has no -back, it means both */
	IS_SWITCH = 1 << 3, /* needs no value */
	IS_WHOLE = 1 << 4,  /* blanks are part of its value (file names) */
};

struct spec_word {
	const char *name;
	spec_setter *set;
	uint32_t places;   /* bits of enum spec_word_place */
	const char *usage; /* what may follow */
};

/* The table of them, ended by a NULL name, and a search in it. */
extern const struct spec_word spec__words[];
const struct spec_word *spec__word_find(const char *name, uint32_t place);

/* Sets wish by a word and its whole value. Returns 0 or -EINVAL with an error
 * that does not yet name the word. */
int spec__set_value(struct spec_wish *wish, const struct spec_word *word,
		    const char *value, struct spec_arena *arena,
		    struct fp_error *error);

/* --- netem.c --- */

/* Reads one netem line into wish. */
int spec__parse_line(struct spec_wish *wish, const char *line,
		     struct spec_arena *arena, struct fp_error *error);

/* --- trace.c --- */

struct spec_file {
	const char *name; /* also for errors */
	char *text;
	size_t bytes; /* of text */
};

/* Reads file->name (or a pipe) of at most max_bytes into arena, with a NUL
 * after it. Returns 0 or a negative errno with error. */
int spec__read_file(struct spec_file *file, size_t max_bytes,
		    struct spec_arena *arena, struct fp_error *error);

/* Reads a mahimahi trace into arena and wish. */
int spec__parse_trace(const struct spec_file *file, struct spec_arena *arena,
		      struct spec_wish *wish, struct fp_error *error);

/* --- options.c --- */

/* Sets one option, other than scenario, preset, path, path-back, in plan. */
int spec__plan_set(struct spec_plan *plan, const char *name, const char *value,
		   struct spec_arena *arena, struct fp_error *error);

/* --- scenario.c --- */

int spec__load_scenario(struct spec_plan *plan, const char *file,
			struct spec_arena *arena, struct fp_error *error);
int spec__parse_scenario(struct spec_plan *plan, const struct spec_file *file,
			 struct spec_arena *arena, struct fp_error *error);

/* --- resolve.c: a plan to a path --- */

int spec__resolve(const struct spec_plan *plan, struct spec_path *ret_path,
		  struct spec_arena *arena, struct fp_error *error);

/* Long-run share that a model drops. */
uint32_t spec__loss_share_ppm(const struct fp_loss_config *loss);

/* --- text.c --- */

/* Appends the canonical words of stages first … end - 1 to text, after a bar
 * where they are not the first. */
void spec__write_stages(const struct fp_path_config *config, uint32_t first,
			uint32_t end, const char *trace_name, char text[256]);

#endif
