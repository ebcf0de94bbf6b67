/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lab/netns.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sock/link.h"
#include "sys/error.h"

/* Writes text to a file in one call, as /proc wants it. */
static int write_file(const char *path, int flags, const char *text)
{
	size_t length = strlen(text);
	int fd = open(path, O_WRONLY | O_CLOEXEC | flags, 0644);
	int result = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, length) != (ssize_t)length)
		result = -errno;
	(void)close(fd); /* nothing is buffered */
	return result;
}

static int map_id(const char *path, unsigned id)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%u %u 1\n", id, id);
	return write_file(path, 0, text);
}

/* Fills error for an unshare(2) that failed. Returns a negative errno. */
static int unshare_error(struct fp_error *error, const char *kind)
{
	int result = -errno;

	if (errno != ENOSPC)
		return fp_error_errno(error, errno,
				      "cannot make a %s namespace", kind);
	(void)fp_error_set(error, FP_EXIT_IMPOSSIBLE,
			   "cannot make a %s namespace: the limit of them is "
			   "reached",
			   kind);
	fp_error_hint(error,
		      "raise user.max_%s_namespaces (sysctl), or run "
		      "fewer rounds at once",
		      strcmp(kind, "user") ? "net" : "user");
	return result;
}

int netns__new_user(struct fp_error *error)
{
	unsigned uid = geteuid(), gid = getegid();
	int result;

	if (unshare(CLONE_NEWUSER))
		return unshare_error(error, "user");
	result = write_file("/proc/self/setgroups", 0, "deny");
	if (result && result != -ENOENT)
		return fp_error_errno(error, -result,
				      "cannot write '/proc/self/setgroups'");
	result = map_id("/proc/self/uid_map", uid);
	if (!result)
		result = map_id("/proc/self/gid_map", gid);
	if (result)
		return fp_error_errno(error, -result,
				      "cannot map ids %u, %u into the user "
				      "namespace",
				      uid, gid);
	return 0;
}

int netns__new(struct fp_error *error)
{
	const struct sock_link_setting as_is = { 0 };
	int fd, result;

	if (unshare(CLONE_NEWNET))
		return unshare_error(error, "network");
	fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fp_error_errno(error, errno,
				      "cannot open '/proc/self/ns/net'");
	result = sock_link_up(if_nametoindex("lo"), &as_is, error);
	if (result) {
		(void)close(fd); /* the namespace was not used yet */
		return result;
	}
	return fd;
}

int netns__enter(int netns_fd, struct fp_error *error)
{
	if (setns(netns_fd, CLONE_NEWNET))
		return fp_error_errno(error, errno,
				      "cannot enter a network namespace");
	return 0;
}

int netns__new_mounts(void)
{
	if (unshare(CLONE_NEWNS))
		return -errno;
	if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return -errno;
	return 0;
}

int netns__mount_proc(void)
{
	if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC,
		  NULL))
		return -errno;
	return 0;
}

/* The file lives in a tmpfs that is mounted over /tmp for a moment: it is never
 * in a file system that others see, and its last reference is the bind. */
int netns__bind_hosts(const char *text)
{
	int result;

	if (mount("tmpfs", "/tmp", "tmpfs", 0, "mode=0755,size=64k"))
		return -errno;
	result = write_file("/tmp/hosts", O_CREAT | O_EXCL, text);
	if (!result && mount("/tmp/hosts", "/etc/hosts", NULL, MS_BIND, NULL))
		result = -errno;
	if (umount2("/tmp", MNT_DETACH) && !result)
		result = -errno;
	return result;
}

static void sysctl_path(const char *path, char *ret_full, size_t full_bytes)
{
	(void)snprintf(ret_full, full_bytes, "/proc/sys/%s", path);
}

int netns__set_sysctl(const char *path, const char *value)
{
	char full[128];

	sysctl_path(path, full, sizeof(full));
	return write_file(full, 0, value);
}

int netns__get_sysctl(const char *path, char *ret_text, size_t text_bytes)
{
	char full[128];
	ssize_t length;
	int fd;

	sysctl_path(path, full, sizeof(full));
	fd = open(full, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	length = read(fd, ret_text, text_bytes - 1);
	(void)close(fd); /* read only */
	if (length < 0)
		return -errno;
	ret_text[length] = '\0';
	ret_text[strcspn(ret_text, "\n")] = '\0';
	return 0;
}

/* TCP_CONGESTION wants NET_ADMIN for algorithms that the host does not list as
 * allowed, ping wants NET_RAW, a server on port 80 wants NET_BIND_SERVICE. */
static const int KEPT_CAPABILITIES[] = {
	CAP_NET_ADMIN,
	CAP_NET_RAW,
	CAP_NET_BIND_SERVICE,
};
#define KEPT_COUNT (sizeof(KEPT_CAPABILITIES) / sizeof(KEPT_CAPABILITIES[0]))

int netns__keep_capabilities(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, data))
		return -errno;
	for (size_t i = 0; i < KEPT_COUNT; i++)
		data[0].inheritable |= 1u << KEPT_CAPABILITIES[i];
	if (syscall(SYS_capset, &header, data))
		return -errno;
	for (size_t i = 0; i < KEPT_COUNT; i++)
		if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE,
			  KEPT_CAPABILITIES[i], 0, 0))
			return -errno;
	return 0;
}
