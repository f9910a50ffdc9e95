// SPDX-License-Identifier: GPL-2.0-only
/* Sends summaries to ClickHouse. */
#include "cmd/fleet_send.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "fleet/clickhouse.h"
#include "fleet/load_files.h"

static int add(void *batch, const struct scope_fleet_summary *summary, struct scope_fleet_read *read,
	       struct scope_error *error)
{
	read->summaries++;
	return scope_fleet_batch_add(batch, summary, error);
}

/* Sends all of a file or a folder. 0, or -errno with error. */
static int send_path(struct scope_fleet_batch *batch, const char *path, struct scope_fleet_read *read,
		     struct scope_error *error)
{
	int err = scope_fleet_load(path, add, batch, read, error);

	return err ? err : scope_fleet_batch_flush(batch, error);
}

/* Waits until no program has the file locked for writing. Later writers will find another file with this name. */
static int wait_for_writer(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX)) {
		close(fd);
		return -errno;
	}
	return fd;
}

static int leave(void *user, const struct scope_fleet_summary *summary, struct scope_fleet_read *read,
		 struct scope_error *error)
{
	(void)user, (void)summary, (void)read, (void)error;
	return 0;
}

/*
 * Returns 1 for a file of summaries, 0 if there is none yet, or -errno with error for anything else, which must not be
 * removed.
 */
static int is_consumable(const char *path, struct scope_error *error)
{
	struct scope_fleet_read read = { 0 };
	struct stat status;
	int err;

	if (lstat(path, &status))
		return errno == ENOENT ? 0 : scope_error_set(error, -errno, "%s: %s", path, strerror(errno));
	if (S_ISREG(status.st_mode) && !status.st_size)
		return 0;
	err = scope_fleet_load(path, leave, NULL, &read, error);
	if (!err && read.unread)
		err = scope_error_set(error, -EBADMSG, "%s; it stays", read.problem[0]);
	scope_fleet_read_free(&read);
	return err ? err : 1;
}

/* Sends a file that only this program uses, and removes it. */
static int consume_taken(struct scope_fleet_batch *batch, const char *taken, struct scope_fleet_read *read,
			 struct scope_error *error)
{
	const size_t problems = read->problems;
	const uint64_t unread = read->unread;
	int err = send_path(batch, taken, read, error);
	struct scope_error why = *error;

	if (err)
		return scope_error_set(error, err, "%s; %s stays, and is sent the next time", why.text, taken);
	if (read->unread > unread)
		return scope_error_set(error, -EBADMSG, "%s; it stays, and nothing is sent until it is moved away",
				       read->problem[problems]);
	/* A damaged part cannot be sent later either, so it is reported. */
	if (read->problems > problems)
		scope_cmd_say("fleet", "%s", read->problem[problems]);
	return unlink(taken) ? scope_error_set(error, -errno, "%s cannot be removed: %s", taken, strerror(errno)) : 0;
}

/* First sends a file that an earlier run has sent in part, then the present one. */
static int consume(struct scope_fleet_batch *batch, const char *path, struct scope_fleet_read *read,
		   struct scope_error *error)
{
	char taken[4096];
	int err = 0;

	if (snprintf(taken, sizeof(taken), "%s.sending", path) >= (int)sizeof(taken))
		return scope_error_set(error, -ENAMETOOLONG, "%s is too long a name", path);
	for (int round = 0; round < 2 && !err; round++) {
		const int there = round ? is_consumable(path, error) : 1;
		int fd;

		if (there <= 0)
			return there;
		if (round && rename(path, taken))
			return errno == ENOENT ? 0
					       : scope_error_set(error, -errno, "%s cannot be renamed: %s", path,
								 strerror(errno));
		fd = wait_for_writer(taken);
		if (fd == -ENOENT)
			continue;
		err = fd < 0 ? scope_error_set(error, fd, "%s cannot be read: %s", taken, strerror(-fd))
			     : consume_taken(batch, taken, read, error);
		if (fd >= 0)
			close(fd);
	}
	return err;
}

static int send_all(const struct scope_cmd_fleet_send *request, struct scope_fleet_batch *batch,
		    struct scope_fleet_read *read, struct scope_error *error)
{
	struct stat status;
	int err = 0;

	for (int i = 0; !err && i < request->paths; i++) {
		const char *path = request->path[i];

		if (!request->consume)
			err = send_path(batch, path, read, error);
		else if (!stat(path, &status) && S_ISDIR(status.st_mode))
			err = scope_error_set(error, -EISDIR, "%s is a folder: --consume wants the names of files",
					      path);
		else
			err = consume(batch, path, read, error);
	}
	return err;
}

static void say(const struct scope_fleet_sent *sent, const struct scope_fleet_read *read)
{
	printf("sent %" PRIu64 " summaries, %" PRIu64 " rows; %" PRIu64 " were there, %" PRIu64
	       " overlap with others\n",
	       sent->summaries, sent->rows, sent->twice, sent->overlapping);
	for (size_t i = 0; i < read->problems; i++)
		scope_cmd_say("fleet", "%s", read->problem[i]);
}

int scope_cmd_fleet_send(const struct scope_cmd_fleet_send *request, struct scope_error *error)
{
	struct scope_fleet_client *client = NULL;
	struct scope_fleet_batch *batch = NULL;
	struct scope_fleet_read read = { 0 };
	int err = scope_fleet_client_create(request->url, request->settings, error, &client);

	if (!err)
		err = scope_fleet_clickhouse_prepare(client, error);
	if (!err && scope_fleet_batch_create(client, &batch))
		err = scope_error_set(error, -ENOMEM, "no memory for a batch");
	if (!err)
		err = send_all(request, batch, &read, error);
	if (!err)
		say(scope_fleet_batch_sent(batch), &read);
	scope_fleet_batch_destroy(batch);
	scope_fleet_client_destroy(client);
	scope_fleet_read_free(&read);
	return err;
}
