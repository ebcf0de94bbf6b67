/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sys/kernel.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#define CPUS_MOST (1u << 20) /* more than any kernel is built for */

void fp_kernel_release(char *ret_release, size_t bytes)
{
	struct utsname name;

	if (uname(&name) < 0)
		(void)snprintf(ret_release, bytes, "unknown");
	else
		(void)snprintf(ret_release, bytes, "%s", name.release);
}

/* The third number of "min default max". */
static uint64_t third_number(const char *line)
{
	char *end = NULL;
	uint64_t value = 0;
	int i;

	for (i = 0; i < 3; i++) {
		value = strtoull(line, &end, 10);
		if (end == line)
			return 0;
		line = end;
	}
	return value;
}

uint64_t fp_kernel_tcp_buffer_bytes(const char *name)
{
	char line[128] = "";
	FILE *file;

	(void)snprintf(line, sizeof(line), "/proc/sys/net/ipv4/%s", name);
	file = fopen(line, "re");
	if (!file)
		return 0;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	(void)fclose(file); /* only read */
	return third_number(line);
}

uint32_t fp_kernel_cores(void)
{
	size_t room, bytes;
	int count = 0;

	for (room = CPU_SETSIZE; count == 0 && room <= CPUS_MOST; room *= 2) {
		cpu_set_t *set = CPU_ALLOC(room);

		bytes = CPU_ALLOC_SIZE(room);
		if (set && sched_getaffinity(0, bytes, set) == 0)
			count = CPU_COUNT_S(bytes, set);
		CPU_FREE(set);
	}
	return count > 0 ? (uint32_t)count : 1;
}

bool fp_release_is_since(const char *release, uint32_t major, uint32_t minor)
{
	unsigned has_major = 0, has_minor = 0;

	if (sscanf(release, "%u.%u", &has_major, &has_minor) != 2)
		return false;
	return has_major > major || (has_major == major && has_minor >= minor);
}
