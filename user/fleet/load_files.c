// SPDX-License-Identifier: GPL-2.0-only
/* Reads files of summaries, and folders of them. */
#include "fleet/load_files.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"
#include "fleet/summary_file.h"

struct loading {
	scope_fleet_take *take;
	void *user;
	struct scope_fleet_read *read;
	struct scope_error *error;
	bool failed; /* take did, and not a file */
};

static int note(struct scope_fleet_read *read, const char *text)
{
	if (scope_grow(&read->problem, &read->problem_capacity, read->problems + 1, sizeof(*read->problem)))
		return -ENOMEM;
	strncpy(read->problem[read->problems], text, sizeof(*read->problem) - 1);
	read->problem[read->problems++][sizeof(*read->problem) - 1] = '\0';
	return 0;
}

static int add(void *user, const struct scope_fleet_summary *summary)
{
	struct loading *loading = user;
	int err = loading->take(loading->user, summary, loading->read, loading->error);

	loading->failed = err;
	return err;
}

static int load_open_file(struct loading *loading, int fd, const char *path)
{
	struct scope_fleet_file_stats stats;
	struct scope_error error = { "" }, said;
	int err = scope_fleet_file_each(fd, path, &error, add, loading, &stats);

	if (loading->failed || err == -ENOMEM) {
		if (!loading->failed)
			*loading->error = error;
		return err;
	}
	loading->read->files++;
	loading->read->unread += err != 0;
	if (err)
		return note(loading->read, error.text);
	if (!stats.problem[0])
		return 0;
	scope_error_set(&said, 0, "%s: %s; the rest of it counts", path, stats.problem);
	return note(loading->read, said.text);
}

static int load_file(struct loading *loading, const char *path)
{
	/* A pipe in a folder must not block this program. */
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct scope_error said;
	int err;

	if (fd < 0) {
		scope_error_set(&said, 0, "%s cannot be read: %s", path, strerror(errno));
		loading->read->unread++;
		return note(loading->read, said.text);
	}
	err = load_open_file(loading, fd, path);
	close(fd);
	return err;
}

static bool is_summary(const char *name)
{
	const size_t length = strlen(name), end = strlen(SCOPE_FLEET_SUFFIX);

	return length > end && !strcmp(name + length - end, SCOPE_FLEET_SUFFIX);
}

static int by_name(const FTSENT **left, const FTSENT **right)
{
	return strcmp((*left)->fts_name, (*right)->fts_name);
}

/* Links in a folder are not followed. */
static int load_folder(struct loading *loading, const char *path)
{
	char *const paths[] = { (char *)(uintptr_t)path, NULL };
	FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
	const uint64_t before = loading->read->files;
	struct scope_error said;
	FTSENT *entry;
	int err = tree ? 0 : -ENOMEM;

	while (!err && (entry = fts_read(tree))) {
		if (entry->fts_info == FTS_F && is_summary(entry->fts_name)) {
			err = load_file(loading, entry->fts_path);
		} else if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR) {
			scope_error_set(&said, 0, "%s cannot be read: %s", entry->fts_path, strerror(entry->fts_errno));
			err = note(loading->read, said.text);
		}
	}
	if (tree)
		fts_close(tree);
	if (err || loading->read->files > before)
		return err;
	scope_error_set(&said, 0, "%s has no files that end in %s", path, SCOPE_FLEET_SUFFIX);
	return note(loading->read, said.text);
}

int scope_fleet_load(const char *path, scope_fleet_take *take, void *user, struct scope_fleet_read *read,
		     struct scope_error *error)
{
	struct loading loading = { .take = take, .user = user, .read = read, .error = error };
	struct stat status;
	int err;

	err = !stat(path, &status) && S_ISDIR(status.st_mode) ? load_folder(&loading, path) : load_file(&loading, path);
	if (err && !loading.failed && !error->text[0])
		scope_error_set(error, err, "no memory to read %s", path);
	return err;
}

void scope_fleet_read_free(struct scope_fleet_read *read)
{
	free(read->problem);
	*read = (struct scope_fleet_read){ 0 };
}
