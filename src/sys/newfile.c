/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sys/newfile.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/error.h"

#define FD_FOLDER "/proc/self/fd"
/* Somebody else may make a file of this name between our two steps; not again
 * and again. */
#define TRIES     3

static int refuse(const char *path, struct fp_error *error)
{
	(void)fp_error_set(error, FP_EXIT_FAILED,
			   "cannot write '%s': it is no regular file", path);
	return -EEXIST;
}

static void clear(struct fp_newfile *file)
{
	free(file->path);
	free(file->temporary);
	*file = (struct fp_newfile)FP_NEWFILE_NONE;
}

/* Opens a file without a name in the folder of path, or returns -1. */
static int open_unnamed(const char *path)
{
	char *copy = strdup(path);
	int fd = -1;

	if (!copy) {
		errno = ENOMEM;
		return -1;
	}
	if (access(FD_FOLDER, X_OK) == 0)
		fd =
		    open(dirname(copy), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	else
		errno = EOPNOTSUPP;
	free(copy);
	return fd;
}

/* Not supported: EOPNOTSUPP; EISDIR from file systems that do not know the flag
 * (open(2), BUGS); EINVAL from some that run in user space. */
static bool has_no_unnamed(int errnum)
{
	return errnum == EOPNOTSUPP || errnum == EISDIR || errnum == EINVAL;
}

static int open_named(struct fp_newfile *file)
{
	int fd = -1, i;

	if (asprintf(&file->temporary, "%s.%ld.part", file->path,
		     (long)getpid()) < 0) {
		file->temporary = NULL;
		errno = ENOMEM;
		return -1;
	}
	/* what is there was left by a dead process of the same number, or laid
	 * there to lead elsewhere: it is never opened */
	for (i = 0; i < TRIES && fd < 0; i++) {
		fd = open(file->temporary,
			  O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC,
			  0666);
		if (fd >= 0 || errno != EEXIST)
			break;
		if (unlink(file->temporary) && errno != ENOENT)
			break;
	}
	return fd;
}

int fp_newfile_open(struct fp_newfile *file, const char *path,
		    struct fp_error *error)
{
	struct stat there;
	int result;

	*file = (struct fp_newfile)FP_NEWFILE_NONE;
	if (stat(path, &there) == 0 && !S_ISREG(there.st_mode))
		return refuse(path, error);
	file->path = strdup(path);
	file->fd = file->path ? open_unnamed(path) : -1;
	if (file->path && file->fd < 0 && has_no_unnamed(errno))
		file->fd = open_named(file);
	if (file->fd >= 0)
		return 0;
	result = fp_error_errno(error, file->path ? errno : ENOMEM,
				"cannot write '%s'", path);
	clear(file);
	return result;
}

bool fp_newfile_is_named(const struct fp_newfile *file)
{
	return file->temporary;
}

/* A link does not replace a name, so the old file goes first. */
static int give_name(const struct fp_newfile *file)
{
	char source[sizeof(FD_FOLDER) + 16];
	int i;

	if (file->temporary)
		return rename(file->temporary, file->path) ? -errno : 0;
	(void)snprintf(source, sizeof(source), FD_FOLDER "/%d", file->fd);
	for (i = 0; i < TRIES; i++) {
		if (linkat(AT_FDCWD, source, AT_FDCWD, file->path,
			   AT_SYMLINK_FOLLOW) == 0)
			return 0;
		if (errno != EEXIST || (unlink(file->path) && errno != ENOENT))
			break;
	}
	return -errno;
}

int fp_newfile_publish(struct fp_newfile *file, struct fp_error *error)
{
	int result = give_name(file);

	if (result < 0) {
		(void)fp_error_errno(error, -result, "cannot write '%s'",
				     file->path);
		fp_newfile_discard(file);
		return result;
	}
	(void)close(file->fd); /* written; a network's file system that fails
				  only now has no way to be asked */
	clear(file);
	return 0;
}

void fp_newfile_discard(struct fp_newfile *file)
{
	if (file->fd >= 0)
		(void)close(file->fd); /* is not wanted */
	if (file->temporary)
		(void)unlink(file->temporary); /* may be gone */
	clear(file);
}
