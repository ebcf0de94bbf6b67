/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sys/newfile.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/error.h"

static char folder[64];
static char path[96];

static int make_folder(void **state)
{
	(void)snprintf(folder, sizeof(folder), "/tmp/fp-newfile-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	(void)snprintf(path, sizeof(path), "%s/x.pcap", folder);
	return 0;
}

static int drop_folder(void **state)
{
	(void)unlink(path);
	return rmdir(folder); /* fails where anything else was left */
}

/* How many names there are in the folder. */
static int names(void)
{
	DIR *list = opendir(folder);
	struct dirent *entry;
	int count = 0;

	assert_non_null(list);
	while ((entry = readdir(list)))
		count += entry->d_name[0] != '.';
	(void)closedir(list);
	return count;
}

static void fill(const struct fp_newfile *file, const char *text)
{
	assert_int_equal(write(file->fd, text, strlen(text)), strlen(text));
}

static void holds(const char *text)
{
	char found[32] = { 0 };
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	(void)fread(found, 1, sizeof(found) - 1, file);
	(void)fclose(file);
	assert_string_equal(found, text);
}

static void appears_when_it_is_whole(void **state)
{
	struct fp_newfile file;
	struct fp_error error;
	struct stat seen;
	mode_t mask = umask(027);

	assert_int_equal(fp_newfile_open(&file, path, &error), 0);
	fill(&file, "one");
	assert_int_equal(names(), fp_newfile_is_named(&file) ? 1 : 0);
	assert_int_equal(stat(path, &seen), -1);
	assert_int_equal(fp_newfile_publish(&file, &error), 0);
	(void)umask(mask);
	assert_int_equal(names(), 1);
	holds("one");
	/* as any program's new file: 0666 less the mask */
	assert_int_equal(stat(path, &seen), 0);
	assert_int_equal(seen.st_mode & 0777, 0640);
}

static void replaces_only_at_the_end(void **state)
{
	struct fp_newfile file;
	struct fp_error error;

	assert_int_equal(fp_newfile_open(&file, path, &error), 0);
	fill(&file, "old");
	assert_int_equal(fp_newfile_publish(&file, &error), 0);

	assert_int_equal(fp_newfile_open(&file, path, &error), 0);
	fill(&file, "new");
	holds("old");
	assert_int_equal(fp_newfile_publish(&file, &error), 0);
	holds("new");
	assert_int_equal(names(), 1);
}

static void leaves_nothing_when_dropped(void **state)
{
	struct fp_newfile file;
	struct fp_newfile none = FP_NEWFILE_NONE;
	struct fp_error error;

	assert_int_equal(fp_newfile_open(&file, path, &error), 0);
	fill(&file, "half");
	fp_newfile_discard(&file);
	assert_int_equal(names(), 0);
	fp_newfile_discard(&file); /* nothing is open any more */
	fp_newfile_discard(&none);
}

static void leaves_nothing_when_killed(void **state)
{
	struct fp_newfile file;
	struct fp_error error;
	int status;
	pid_t pid;

	assert_int_equal(fp_newfile_open(&file, path, &error), 0);
	if (fp_newfile_is_named(&file)) {
		fp_newfile_discard(&file);
		skip(); /* this file system has no unnamed files */
	}
	fp_newfile_discard(&file);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		if (fp_newfile_open(&file, path, NULL) == 0 &&
		    write(file.fd, "half", 4) == 4)
			(void)raise(SIGKILL);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(names(), 0);
}

/* What a file system without unnamed files gets. */
static void renames_where_it_must(void **state)
{
	struct fp_newfile file = FP_NEWFILE_NONE;
	struct fp_error error;
	char other[sizeof(path) + 5];
	FILE *stream;

	(void)snprintf(other, sizeof(other), "%s.part", path);
	stream = fopen(other, "w");
	assert_non_null(stream);
	file.path = strdup(path);
	file.temporary = strdup(other);
	file.fd = dup(fileno(stream));
	(void)fclose(stream);
	assert_true(fp_newfile_is_named(&file));
	fill(&file, "moved");
	assert_int_equal(fp_newfile_publish(&file, &error), 0);
	holds("moved");
	assert_int_equal(names(), 1);
}

/* Without /proc there are no unnamed files. Returns false where this process
 * may not hide it. */
static bool hide_proc(void)
{
	if (unshare(CLONE_NEWNS) && unshare(CLONE_NEWUSER | CLONE_NEWNS))
		return false;
	return mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("none", "/proc", "tmpfs", 0, NULL) == 0;
}

/* Returns 0; 1: the file was written through the link; 77: not possible. */
static int write_beside_a_link(const char *victim)
{
	char link[sizeof(path) + 32];
	struct fp_newfile file;

	if (!hide_proc())
		return 77;
	(void)snprintf(link, sizeof(link), "%s.%ld.part", path, (long)getpid());
	if (symlink(victim, link) || fp_newfile_open(&file, path, NULL) < 0)
		return 1;
	if (!fp_newfile_is_named(&file) || write(file.fd, "new", 3) != 3)
		return 1;
	return fp_newfile_publish(&file, NULL) < 0;
}

/* Somebody laid a link where the name of the unfinished file will be. */
static void follows_no_link(void **state)
{
	char victim[sizeof(path)];
	struct stat seen;
	int status;
	pid_t pid;

	(void)snprintf(victim, sizeof(victim), "%s/v", folder);
	assert_int_equal(close(open(victim, O_CREAT | O_WRONLY, 0600)), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(write_beside_a_link(victim));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77) {
		(void)unlink(victim);
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
	holds("new");
	assert_int_equal(names(), 2);
	assert_int_equal(stat(victim, &seen), 0);
	assert_int_equal(seen.st_size, 0);
	assert_int_equal(unlink(victim), 0);
}

static void refuses_what_it_cannot_write(void **state)
{
	struct fp_newfile file;
	struct fp_error error;
	char nowhere[sizeof(path) + 8];

	(void)snprintf(nowhere, sizeof(nowhere), "%s/no/x.pcap", folder);
	assert_int_equal(fp_newfile_open(&file, nowhere, &error), -ENOENT);
	assert_int_equal(error.status, FP_EXIT_FAILED);
	assert_non_null(strstr(error.text, nowhere));
	assert_int_equal(file.fd, -1);
	assert_true(fp_newfile_open(&file, folder, &error) < 0);
	assert_true(fp_newfile_open(&file, "/dev/null", &error) < 0);
	assert_non_null(strstr(error.text, "no regular file"));
}

#define CASE(name)                                                             \
	cmocka_unit_test_setup_teardown(name, make_folder, drop_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(appears_when_it_is_whole),
		CASE(replaces_only_at_the_end),
		CASE(leaves_nothing_when_dropped),
		CASE(leaves_nothing_when_killed),
		CASE(renames_where_it_must),
		CASE(follows_no_link),
		CASE(refuses_what_it_cannot_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
