// SPDX-License-Identifier: GPL-2.0-only
/* Passes sub-buffers through the unwinder into the file. */
#include <errno.h>

#include "capture/capture_internal.h"
#include "capture/unwinder.h"
#include "proc/proc.h"
#include "trace/writer.h"

#define CUT_MS 2000u  /* the end of one file of several waits this long for names */
#define END_MS 20000u /* and the end of the last one this long */
#define SLICE_MS 20u

static int write_subbuf(void *context, const struct scope_subbuf *subbuf)
{
	struct scope_capture_run *capture = context;

	return scope_trace_writer_subbuf(capture->writer, subbuf);
}

static int write_maps(void *context, const uint32_t *tgids, size_t count)
{
	struct scope_capture_run *capture = context;

	return scope_proc_write_maps(capture->proc, tgids, count, capture->writer);
}

static int write_names(void *context, uint16_t type, const void *payload, size_t bytes)
{
	struct scope_capture_run *capture = context;
	const int err = scope_trace_writer_names(capture->writer, type, payload, bytes);

	return err == -EINVAL ? 0 : err;
}

static void take_map(void *context, const struct scope_trace_map *map)
{
	scope_capture_unwinder_map(context, map);
}

int scope_capture_begin_unwinder(struct scope_capture_run *capture, int nice)
{
	const struct scope_unwinder_host host = { write_subbuf, write_names, write_maps, capture };
	int err;

	if (capture->options.raw_stacks)
		return 0;
	err = scope_capture_unwinder_create(&host, capture->stats.target.tgid, nice, capture->error,
					    &capture->unwinder);
	if (!err)
		scope_trace_writer_set_map_tap(capture->writer, take_map, capture->unwinder);
	return err;
}

void scope_capture_end_unwinder(struct scope_capture_run *capture)
{
	scope_trace_writer_set_map_tap(capture->writer, NULL, NULL);
	scope_capture_unwinder_destroy(capture->unwinder);
	capture->unwinder = NULL;
}

int scope_capture_put(struct scope_capture_run *capture, const struct scope_subbuf *subbuf)
{
	return capture->unwinder ? scope_capture_unwinder_take(capture->unwinder, subbuf)
				 : scope_trace_writer_subbuf(capture->writer, subbuf);
}

int scope_capture_pump(struct scope_capture_run *capture, unsigned int wait_ms)
{
	return capture->unwinder ? scope_capture_unwinder_pump(capture->unwinder, wait_ms) : 0;
}

bool scope_capture_all_written(const struct scope_capture_run *capture)
{
	return !capture->unwinder || scope_capture_unwinder_idle(capture->unwinder);
}

void scope_capture_want_names(struct scope_capture_run *capture, bool all)
{
	if (capture->unwinder)
		scope_capture_unwinder_want_names(capture->unwinder, all);
}

int scope_capture_settle(struct scope_capture_run *capture, int (*while_waiting)(void *context))
{
	int err = 0;

	/*
	 * Drains new events, too, because a file needs all events before its end. The time for
	 * names is limited then: the remaining ones are written to the next file, or not at all.
	 */
	for (unsigned int waited = 0; !err && !scope_capture_all_written(capture); waited += SLICE_MS) {
		if (waited >= (while_waiting ? CUT_MS : END_MS))
			scope_capture_unwinder_defer_names(capture->unwinder);
		err = scope_capture_pump(capture, SLICE_MS);
		if (!err && while_waiting)
			err = while_waiting(capture);
	}
	return err;
}

void scope_capture_count_unwound(struct scope_capture_run *capture)
{
	struct scope_unwinder_counts counts;

	if (!capture->unwinder)
		return;
	scope_capture_unwinder_count(capture->unwinder, &counts);
	capture->stats.stacks_given_up = counts.given_up;
	capture->stats.unwinder_cpu_ns = counts.cpu_ns;
}
