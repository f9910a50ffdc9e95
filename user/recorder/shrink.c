// SPDX-License-Identifier: GPL-2.0-only
/* Compresses files of a flight recorder in child processes. */
#include "recorder/shrink.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/forked.h"
#include "recorder/files.h"
#include "trace/copy.h"

static int put_subbuf(void *context, const struct scope_subbuf *subbuf)
{
	return scope_trace_writer_subbuf(context, subbuf);
}

static int put_memory(void *context, const struct scope_trace_memory *memory)
{
	return scope_trace_writer_memory(context, memory);
}

/* True if the file still exists. The recorder may have removed it because it is too old. */
static bool is_there(const char *path, const struct stat *before)
{
	struct stat now;

	return !stat(path, &now) && now.st_ino == before->st_ino && now.st_dev == before->st_dev;
}

/*
 * The work of a child. It writes a file with another name, because a file that is replaced would be kept as PATH.old.
 */
static void compress(const char *path, int level)
{
	char small[4096 + 16];
	struct scope_trace_editor editor = { .subbuf = put_subbuf, .memory = put_memory };
	struct scope_writer *writer = NULL;
	struct scope_trace *trace;
	struct stat before;

	if (stat(path, &before) || scope_trace_open(path, NULL, &trace))
		_exit(1);
	snprintf(small, sizeof(small), "%s" SCOPE_RECORDER_SMALL, path);
	if (!scope_trace_writer_create(small, NULL, &writer)) {
		editor.context = writer;
		scope_trace_writer_set_level(writer, level);
		if (!scope_trace_copy(trace, writer, &editor) && !scope_trace_writer_finish(writer, NULL) &&
		    (!is_there(path, &before) || rename(small, path)))
			unlink(small);
	}
	/* Removes the unfinished file. */
	scope_trace_writer_destroy(writer);
	_exit(0);
}

void scope_recorder_shrink(struct scope_recorder_shrinks *shrinks, const char *path, int level)
{
	pid_t *place = NULL;

	for (size_t i = 0; i < SCOPE_RECORDER_SHRINKS_MAX; i++) {
		pid_t *child = &shrinks->child[i];

		if (*child && waitpid(*child, NULL, WNOHANG) == *child)
			*child = 0;
		if (!*child)
			place = child;
	}
	if (!place || !level)
		return;
	*place = scope_forked();
	if (!*place)
		compress(path, level);
	if (*place < 0)
		*place = 0;
}

void scope_recorder_shrink_end(struct scope_recorder_shrinks *shrinks)
{
	for (size_t i = 0; i < SCOPE_RECORDER_SHRINKS_MAX; i++) {
		if (shrinks->child[i])
			waitpid(shrinks->child[i], NULL, 0);
		shrinks->child[i] = 0;
	}
}
