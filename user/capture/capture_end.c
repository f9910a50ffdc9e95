// SPDX-License-Identifier: GPL-2.0-only
/* Writes the last metadata of a file: counts and the reason of the end. */
#include <stdio.h>
#include <string.h>

#include "base/now.h"
#include "capture/capture_internal.h"
#include "capture/meta.h"
#include "capture/others.h"
#include "capture/snapshots.h"
#include "capture/states.h"
#include "capture/steer.h"
#include "proc/proc.h"
#include "proc/reader.h"
#include "source/source.h"
#include "trace/writer.h"

int scope_capture_write_unread(const struct scope_capture_run *capture, struct scope_writer *writer)
{
	char text[1536], names[512];

	scope_proc_reader_problem(capture->options.reader, text, sizeof(text));
	scope_proc_jit_problem(capture->proc, names, sizeof(names));
	if (names[0])
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", text[0] ? "; " : "", names);
	if (capture->snapshots) {
		scope_capture_snapshots_problem(capture->snapshots, names, sizeof(names));
		if (names[0])
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", text[0] ? "; " : "", names);
	}
	if (capture->fds_left_out)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "%sdescriptors of %zu processes are not known, because the others have more than %u",
			 text[0] ? "; " : "", capture->fds_left_out, SCOPE_PROC_FDS_MAX);
	return text[0] ? scope_trace_writer_meta(writer, SCOPE_META_UNREAD, text) : 0;
}

int scope_capture_write_end(struct scope_capture_run *capture, const char *reason, struct scope_writer *writer)
{
	int err = capture->source->count(capture->feed, NULL, &capture->stats.counts);

	if (err)
		return err;
	capture->stats.end_ns = scope_now_ns();
	scope_capture_count_unwound(capture);
	capture->stats.stack_highest_ns = scope_capture_steer_highest_ns(capture->steer);
	if (capture->states)
		err = scope_capture_states_write(capture->states, writer);
	if (!err)
		err = scope_capture_write_unread(capture, writer);
	if (!err)
		err = scope_capture_others_end(capture->others, writer);
	if (!err)
		err = scope_capture_last_meta(writer, &capture->stats);
	return err ? err : scope_trace_writer_meta(writer, SCOPE_META_END_REASON, reason);
}
