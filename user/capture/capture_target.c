// SPDX-License-Identifier: GPL-2.0-only
/* Finds the process to capture and its descendants, and writes their names. */
#include "capture/capture_internal.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "proc/port_owners.h"
#include "proc/proc.h"
#include "source/selection.h"
#include "source/source.h"
#include "trace/writer.h"

/* The name that the process will have after it has executed its program. */
static void name_held(const char *program, struct scope_target *target)
{
	const char *slash = strrchr(program, '/');

	memset(target->comm, 0, sizeof(target->comm));
	strncpy(target->comm, slash ? slash + 1 : program, sizeof(target->comm) - 1);
}

int scope_capture_find_target(struct scope_capture_run *capture)
{
	const struct scope_selection *selection = capture->options.selection;
	int err = scope_proc_target_find(capture->options.pid, capture->error, &capture->stats.target);

	if (err == -ESRCH && selection && selection->process.tgid) {
		capture->stats.target = selection->process;
		err = 0;
	}
	if (!err && capture->options.held)
		name_held(capture->options.held, &capture->stats.target);
	return err;
}

/* Reads the processes that the source traces: the target, and its descendants if these are followed. */
static int read_targets(const struct scope_capture_run *capture, uint32_t **ret_tgids, size_t *ret_count)
{
	if (capture->options.follow)
		return scope_proc_target_tree(capture->stats.target.tgid, ret_tgids, ret_count);
	*ret_tgids = malloc(sizeof(**ret_tgids));
	if (!*ret_tgids)
		return -ENOMEM;
	**ret_tgids = capture->stats.target.tgid;
	*ret_count = 1;
	return 0;
}

int scope_capture_write_names(struct scope_capture_run *capture)
{
	struct scope_writer *writer = capture->writer;
	uint32_t *tgids;
	size_t count;
	int err;

	err = read_targets(capture, &tgids, &count);
	if (err)
		return err;
	err = scope_proc_write_maps(capture->proc, tgids, count, writer);
	if (!err)
		err = scope_proc_write_threads(capture->proc, tgids, count, writer);
	if (!err)
		err = scope_proc_write_jit(capture->proc, tgids, count, writer);
	free(tgids);
	return err;
}

int scope_capture_write_fds(struct scope_capture_run *capture)
{
	scope_trace_writer_forget_fds(capture->writer);
	return scope_capture_add_fds(capture);
}

int scope_capture_add_fds(struct scope_capture_run *capture)
{
	uint32_t *tgids;
	size_t count;
	int err = read_targets(capture, &tgids, &count);

	if (!err) {
		err = scope_proc_write_fds(tgids, count, capture->writer, &capture->fds_left_out);
		free(tgids);
	}
	return err;
}

int scope_capture_write_port_owners(struct scope_capture_run *capture)
{
	uint32_t *tgids;
	size_t count;
	int err = read_targets(capture, &tgids, &count);

	if (!err) {
		err = scope_proc_port_owners_write(capture->port_owners, tgids, count, capture->writer);
		free(tgids);
	}
	return err;
}

/* True if exactly one whole process is selected. */
static bool is_plain(const struct scope_capture_options *options)
{
	const struct scope_selection *selection = options->selection;

	return !selection || ((selection->plain || !selection->count) && !selection->some_calls);
}

static bool followed_left(struct scope_capture_run *capture)
{
	struct scope_capture_counts counts;

	if (capture->options.selection && capture->options.selection->lasting)
		return true;
	return (capture->options.follow || !is_plain(&capture->options)) &&
	       !capture->source->count(capture->feed, NULL, &counts) && counts.processes > 0;
}

/* The target's end is noticed by its pidfd, or on old kernels in /proc. */
bool scope_capture_target_gone(struct scope_capture_run *capture)
{
	struct pollfd poll_pid = { .fd = capture->pidfd, .events = POLLIN };
	struct scope_target target;

	if (!capture->leader_gone) {
		if (capture->pidfd >= 0)
			capture->leader_gone = poll(&poll_pid, 1, 0) == 1;
		else
			capture->leader_gone = scope_proc_target_find(capture->stats.target.tgid, NULL, &target) ==
					       -ESRCH;
	}
	return capture->leader_gone && !followed_left(capture);
}
