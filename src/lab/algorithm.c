/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lab/lab.h"

#include "sys/error.h"
#include "sys/nearest.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define AVAILABLE_PATH  "/proc/sys/net/ipv4/tcp_available_congestion_control"
#define ALGORITHMS_MAX  64
#define AVAILABLE_BYTES 1024 /* 64 names of 16 bytes */

/* The algorithms that are registered in the kernel now. */
struct available {
	char text[AVAILABLE_BYTES];            /* as the kernel lists them */
	char split[AVAILABLE_BYTES];           /* the same, cut at the blanks */
	const char *names[ALGORITHMS_MAX + 1]; /* into split, NULL-ended */
};

static void read_available(struct available *available)
{
	FILE *file = fopen(AVAILABLE_PATH, "re");
	uint32_t count = 0;
	char *rest = NULL;
	char *name;

	memset(available, 0, sizeof(*available));
	if (!file)
		return;
	if (!fgets(available->text, sizeof(available->text), file))
		available->text[0] = '\0';
	(void)fclose(file); /* was only read */
	available->text[strcspn(available->text, "\n")] = '\0';
	memcpy(available->split, available->text, sizeof(available->split));
	name = strtok_r(available->split, " ", &rest);
	for (; name && count < ALGORITHMS_MAX; count++) {
		available->names[count] = name;
		name = strtok_r(NULL, " ", &rest);
	}
}

static bool is_listed(const struct available *available, const char *name)
{
	uint32_t i;

	for (i = 0; available->names[i]; i++)
		if (strcmp(available->names[i], name) == 0)
			return true;
	return false;
}

/* Setting it makes a privileged kernel load the module. */
static bool can_load(const char *name)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int status;

	if (fd < 0)
		return false;
	status = setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name,
			    (socklen_t)strlen(name));
	/* EPERM: it exists, but is not for everybody. In our namespaces it is
	 * for us. */
	status = status == 0 || errno == EPERM;
	(void)close(fd);
	return status;
}

int lab_check_algorithm(const char *name, struct fp_error *error)
{
	struct available available;
	const char *nearest;

	read_available(&available);
	if (name[0] && strlen(name) < LAB_ALGORITHM_BYTES &&
	    (is_listed(&available, name) || can_load(name)))
		return 0;
	(void)fp_error_set(error, FP_EXIT_IMPOSSIBLE,
			   "this kernel has no congestion control '%s'", name);
	nearest = fp_nearest(name, available.names);
	if (nearest)
		fp_error_hint(error, "did you mean '%s'? it has: %s", nearest,
			      available.text);
	else
		fp_error_hint(error,
			      "it has: %s; more may come with 'modprobe "
			      "tcp_%.15s' as root",
			      available.text, name);
	return -ENOENT;
}
