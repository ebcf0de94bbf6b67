/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/compare_trace.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "sys/error.h"

#define WORD_BYTES (OUT_NAME_BYTES + 12)

int compare_trace_check(const struct compare_options *options,
			struct fp_error *error)
{
	const char *name = options->trace;
	size_t length = name ? strlen(name) : 0;

	if (!name ||
	    (length > 0 && strcmp(name, "-") != 0 && name[length - 1] != '/'))
		return 0;
	(void)fp_error_set(error, FP_EXIT_USAGE, "cannot use '%s' for --trace",
			   name);
	fp_error_hint(error, "it takes the name of a file: run.jsonl");
	return -EINVAL;
}

/* Rounds of one number: one of each algorithm, or one of all together. */
static uint32_t rounds_at_once(const struct compare_plan *plan)
{
	return plan->options->together ? 1 : plan->algorithm_count;
}

bool compare_trace_wants(const struct compare_plan *plan, uint32_t index)
{
	return plan->options->trace && index < rounds_at_once(plan);
}

/* "cubic-rfc9438"; where it stands a second time, "cubic-rfc9438-2". */
static void write_word(const struct compare_plan *plan, uint32_t algorithm,
		       char *ret_word, size_t bytes)
{
	const char *name = plan->algorithms[algorithm];
	uint32_t i, times = 1;
	char *letter;

	for (i = 0; i < algorithm; i++)
		times += strcmp(plan->algorithms[i], name) == 0;
	if (times > 1)
		(void)snprintf(ret_word, bytes, "%s-%u", name, times);
	else
		(void)snprintf(ret_word, bytes, "%s", name);
	for (letter = ret_word; *letter; letter++) {
		if (*letter == ':')
			*letter = '-';
	}
}

int compare_trace_name(const struct compare_plan *plan, uint32_t index,
		       char *ret_name, size_t bytes)
{
	const char *file = plan->options->trace;
	const char *folder_end = strrchr(file, '/');
	const char *base = folder_end ? folder_end + 1 : file;
	const char *suffix = strrchr(base, '.');
	char word[WORD_BYTES] = "";
	bool has_word = rounds_at_once(plan) > 1;
	int length;

	if (!suffix || suffix == base) /* ".jsonl" is a name */
		suffix = base + strlen(base);
	if (has_word)
		write_word(plan, index, word, sizeof(word));
	length = snprintf(ret_name, bytes, "%.*s%s%s%s", (int)(suffix - file),
			  file, has_word ? "." : "", word, suffix);
	return length < 0 || (size_t)length >= bytes ? -ENAMETOOLONG : 0;
}

static json_t *flows_of(const struct compare_plan *plan)
{
	json_t *flows = json_array();
	uint32_t count = plan->algorithm_count * (uint32_t)plan->options->flows;
	uint32_t i;

	for (i = 0; i < count; i++)
		(void)json_array_append_new(
		    flows,
		    json_string(plan->algorithms[i / plan->options->flows]));
	return flows;
}

/* What a reader must know before the first event. */
static json_t *head_of(const struct compare_plan *plan, uint32_t index,
		       const struct fp_sim_config *config)
{
	bool is_together = plan->options->together;
	json_t *head = json_object(), *path = json_object();

	(void)json_object_set_new(
	    head, "algorithm",
	    is_together ? json_null() : json_string(plan->algorithms[index]));
	if (is_together)
		(void)json_object_set_new(head, "flows", flows_of(plan));
	(void)json_object_set_new(head, "flow_count",
				  json_integer((json_int_t)config->flow_count));
	(void)json_object_set_new(
	    head, "seed",
	    json_integer((json_int_t)plan->seeds[compare_data_way(plan)]));
	(void)json_object_set_new(head, "round", json_integer(1));
	(void)json_object_set_new(head, "fullpipe", json_string(FP_VERSION));
	(void)json_object_set_new(path, "forward",
				  json_string(plan->path.way[0].text));
	(void)json_object_set_new(path, "back",
				  json_string(plan->path.way[1].text));
	(void)json_object_set_new(path, "mtu_bytes",
				  json_integer((json_int_t)config->mtu_bytes));
	(void)json_object_set_new(head, "path", path);
	return head;
}

struct cmd_trace *compare_trace_open(const struct compare_plan *plan,
				     uint32_t index,
				     const struct fp_sim_config *config,
				     struct fp_error *error)
{
	struct cmd_trace *trace;
	char name[PATH_MAX];
	json_t *head;

	if (compare_trace_name(plan, index, name, sizeof(name)) < 0) {
		(void)fp_error_errno(error, ENAMETOOLONG,
				     "cannot write '%.80s…'",
				     plan->options->trace);
		return NULL;
	}
	head = head_of(plan, index, config);
	trace = cmd_trace_open(name, head, config, error);
	json_decref(head);
	return trace;
}
