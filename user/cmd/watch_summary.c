// SPDX-License-Identifier: GPL-2.0-only
/* Appends the results of a watch to a file of summaries, each second once. */
#include "cmd/watch_summary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "fleet/load_files.h"
#include "fleet/summarize.h"
#include "fleet/summary_file.h"

#define NS_PER_S 1000000000ull
#define TRIES 8 /* no rule */

/* Data that a child leaves for the next one. */
struct shared {
	uint64_t until_ns; /* all seconds before this time are written */
	uint64_t number;
	int err; /* the last error that was printed */
};

struct scope_cmd_watch_summary {
	const char *path;
	const char *const *label;
	size_t labels;
	uint64_t capture; /* when the watch began */
	struct shared *shared;
};

/* In a folder that all users may write to, a link of another user is not followed. 0 and the descriptor, or -errno. */
static int open_once(const char *path, int *ret_fd)
{
	const int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
	struct stat status;
	int err;

	if (fd < 0)
		return -errno;
	err = fstat(fd, &status) ? -errno : S_ISREG(status.st_mode) ? 0 : -EINVAL;
	if (!err && flock(fd, LOCK_EX))
		err = -errno;
	if (err)
		close(fd);
	else
		*ret_fd = fd;
	return err;
}

/*
 * Opens and locks the file. In between `scope fleet send --consume` may have removed it (cmd/fleet_send.c): then
 * another file has the name.
 */
static int open_file(const char *path, int *ret_fd)
{
	struct stat opened, named;
	int err;

	for (unsigned i = 0; i < TRIES; i++) {
		err = open_once(path, ret_fd);
		if (err)
			return err;
		if (!fstat(*ret_fd, &opened) && !stat(path, &named) && opened.st_ino == named.st_ino &&
		    opened.st_dev == named.st_dev)
			return 0;
		close(*ret_fd);
	}
	return -EBUSY;
}

int scope_cmd_watch_summary_create(const char *path, const char *const *label, size_t labels, struct scope_error *error,
				   struct scope_cmd_watch_summary **ret_summary)
{
	struct scope_cmd_watch_summary *summary = calloc(1, sizeof(*summary));
	struct timespec now;
	int fd, err;

	if (!summary)
		return scope_error_set(error, -ENOMEM, "no memory for summaries");
	clock_gettime(CLOCK_REALTIME, &now);
	*summary = (struct scope_cmd_watch_summary){
		.path = path,
		.label = label,
		.labels = labels,
		.capture = (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec,
	};
	summary->shared =
		mmap(NULL, sizeof(*summary->shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (summary->shared == MAP_FAILED) {
		free(summary);
		return scope_error_set(error, -ENOMEM, "no memory for summaries");
	}
	err = open_file(path, &fd);
	if (err) {
		scope_cmd_watch_summary_destroy(summary);
		return scope_error_set(error, err, "%s cannot be written: %s; name another place with --summary", path,
				       err == -EINVAL ? "it is no regular file" : strerror(-err));
	}
	close(fd);
	*ret_summary = summary;
	return 0;
}

void scope_cmd_watch_summary_destroy(struct scope_cmd_watch_summary *summary)
{
	if (!summary)
		return;
	munmap(summary->shared, sizeof(*summary->shared));
	free(summary);
}

/* If a file is full, renames it, so that a new one can have its name. */
static void turn(const char *path, int *fd)
{
	const size_t length = strlen(path), end = strlen(SCOPE_FLEET_SUFFIX);
	const bool has_end = length > end && !strcmp(path + length - end, SCOPE_FLEET_SUFFIX);
	char old[4096];
	int next;

	if (lseek(*fd, 0, SEEK_END) < SCOPE_CMD_SUMMARY_BYTES)
		return;
	snprintf(old, sizeof(old), "%.*s.old" SCOPE_FLEET_SUFFIX, (int)(has_end ? length - end : length), path);
	if (rename(path, old) || open_file(path, &next))
		return;
	close(*fd);
	*fd = next;
}

static int append(const struct scope_cmd_watch_summary *summary, struct scope_fleet_summary *one)
{
	int fd, err = open_file(summary->path, &fd);

	if (err)
		return err;
	turn(summary->path, &fd);
	err = scope_fleet_file_append(fd, one);
	close(fd);
	return err;
}

/* The end of the last complete second of the host's clock. */
static uint64_t end_of(const struct scope_analysis *analysis)
{
	const uint64_t end_ns = analysis->units->timeline->end_ns;
	const uint64_t begin_ns = scope_trace_meta_number(analysis->trace, SCOPE_META_BEGIN, 0);
	const uint64_t wall_ns = scope_trace_meta_number(analysis->trace, SCOPE_META_WALL_CLOCK, 0);

	return end_ns - (wall_ns + (end_ns - begin_ns)) % NS_PER_S;
}

void scope_cmd_watch_summary_add(void *context, const struct scope_analysis *analysis)
{
	const struct scope_cmd_watch_summary *summary = context;
	struct shared *shared = summary->shared;
	const struct scope_fleet_summarize_options options = {
		.label = summary->label,
		.labels = summary->labels,
		.capture = summary->capture,
		.number = shared->number,
		.from_ns = shared->until_ns,
		.to_ns = end_of(analysis),
	};
	struct scope_fleet_summary *one;
	int err = scope_fleet_summarize(analysis, &options, &one);

	if (err == -ENODATA)
		return;
	if (!err) {
		err = append(summary, one);
		scope_fleet_summary_destroy(one);
	}
	/* If writing failed, the same seconds are written with the next summary, if they are still in memory. */
	if (!err) {
		shared->until_ns = options.to_ns;
		shared->number++;
	}
	if (err && err != shared->err)
		scope_cmd_say("watch", "%s: the summary cannot be written: %s; it is tried again", summary->path,
			      strerror(-err));
	shared->err = err;
}
