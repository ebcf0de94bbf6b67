// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * oracle_replay LOG...: replays logs of the kernel's algorithms through the
 * core; for each one line of what was compared and seen, or of the first field
 * that is not the kernel's. Exit status 1 where something is unequal.
 */
#include "replay.h"

#include <stdio.h>
#include <string.h>

static void print_result(const char *path, const struct oracle_result *result)
{
	const char *name;
	uint32_t i;

	printf("%s: %s of %s: %llu of %llu records equal (%llu of "
	       "disturbed states), %llu fields;",
	       path, result->algorithm, result->release,
	       (unsigned long long)(result->records - result->unequal),
	       (unsigned long long)result->records,
	       (unsigned long long)result->disturbed,
	       (unsigned long long)result->fields);
	for (i = 0; i < ORACLE_OPS; i++)
		if (result->ops[i])
			printf(" %s=%llu", oracle_op_name(i),
			       (unsigned long long)result->ops[i]);
	if (result->gaps)
		printf("; up to %u gaps", result->gaps);
	printf("; saw");
	for (i = 0; (name = oracle_sight_name(i)); i++)
		if (result->sights >> i & 1)
			printf(" %s", name);
	printf("\n");
	if (result->unequal)
		printf("%s: %s\n", path, result->first);
}

int main(int argc, char **argv)
{
	struct oracle_result result;
	int status = 0;
	int error, i;

	for (i = 1; i < argc; i++) {
		error = oracle_replay(argv[i], &result);
		if (error) {
			fprintf(stderr, "%s: %s\n", argv[i], strerror(-error));
			return 3;
		}
		print_result(argv[i], &result);
		if (result.unequal || !result.records)
			status = 1;
	}
	return status;
}
