// SPDX-License-Identifier: GPL-2.0-only
/* Passes sub-buffers through the unwinder into the file. */
#include <errno.h>
#include <stdio.h>

#include "capture/capture_internal.h"
#include "capture/defaults.h"
#include "capture/snapshots.h"
#include "capture/unwinder.h"
#include "proc/proc.h"
#include "source/source.h"
#include "trace/walk.h"
#include "trace/writer.h"

/* Keys of the metadata (docs/trace-format.md). */
#define META_WALKED "stacks_walked" /* stacks that the module walked by unwind tables */
#define META_COPIED "stacks_copied" /* stacks that it copied, by reason: counts */

#define CUT_MS 2000u  /* the end of a file that others follow waits this long for names */
#define END_MS 20000u /* the end of the last file waits this long */
#define REST_MS 100u  /* names of addresses that come during such a wait get this long */
#define SLICE_MS 20u
#define UNMAPPED_MIN_MS 30u
#define UNMAPPED_MAX_MS SCOPE_DEFAULT_FLUSH_MS
#define NS_PER_MS 1000000ull
#define TABLES_MS 500u /* the start waits this long for unwind tables; later ones come while the capture runs */

static int write_subbuf(void *context, const struct scope_subbuf *subbuf)
{
	struct scope_capture_run *capture = context;

	return scope_trace_writer_subbuf(capture->writer, subbuf);
}

/* The places where tasks wait are addresses of code, which get names like those of stacks. */
static int put_snapshots(const struct scope_subbuf *subbuf, void *context)
{
	struct scope_capture_run *capture = context;
	const struct scope_record_frames *frames;
	uint32_t offset = 0;

	while (capture->unwinder && (frames = scope_trace_walk_next(subbuf, SCOPE_WALK(FRAMES), &offset)))
		if (frames->reason == SCOPE_STACK_TASKS)
			scope_capture_unwinder_note(capture->unwinder, frames);
	return scope_capture_put(capture, subbuf);
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
	struct scope_capture_run *capture = context;

	if (capture->unwinder)
		scope_capture_unwinder_map(capture->unwinder, map);
	if (capture->snapshots && map->executable)
		scope_capture_snapshots_map(capture->snapshots, map);
}

/* The unwinder starts before the source opens. */
static int give_table(void *context, const void *table, uint32_t bytes)
{
	struct scope_capture_run *capture = context;

	return capture->feed && capture->source->table ? capture->source->table(capture->feed, table, bytes) : -EPROTO;
}

static int give_process(void *context, uint32_t tgid, const struct scope_table_map *map, uint32_t count)
{
	struct scope_capture_run *capture = context;

	return capture->feed && capture->source->process ? capture->source->process(capture->feed, tgid, map, count)
							 : -EPROTO;
}

int scope_capture_begin_unwinder(struct scope_capture_run *capture, int nice)
{
	const bool tables = capture->options.stack_mode == SCOPE_STACK_TABLES && capture->source->table;
	const struct scope_unwinder_host host = {
		.write = write_subbuf,
		.names = write_names,
		.maps = write_maps,
		.table = tables ? give_table : NULL,
		.process = give_process,
		.context = capture,
	};
	int err = 0;

	if (capture->options.stack_mode != SCOPE_STACK_NONE)
		err = scope_capture_snapshots_create(capture->writer, put_snapshots, capture, capture->error,
						     &capture->snapshots);
	if (!err && !capture->options.raw_stacks)
		err = scope_capture_unwinder_create(&host, capture->stats.target.tgid, nice, capture->error,
						    &capture->unwinder);
	if (!err)
		scope_trace_writer_set_map_tap(capture->writer, take_map, capture);
	return err;
}

void scope_capture_end_unwinder(struct scope_capture_run *capture)
{
	scope_trace_writer_set_map_tap(capture->writer, NULL, NULL);
	scope_capture_unwinder_destroy(capture->unwinder);
	capture->unwinder = NULL;
	scope_capture_snapshots_destroy(capture->snapshots);
	capture->snapshots = NULL;
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

int scope_capture_give_tables(struct scope_capture_run *capture)
{
	int err = 0;

	for (unsigned int waited = 0; !err && !*capture->stop && capture->unwinder && waited < TABLES_MS &&
				      !scope_capture_unwinder_settled(capture->unwinder);
	     waited += SLICE_MS)
		err = scope_capture_pump(capture, SLICE_MS);
	return err;
}

uint64_t scope_capture_unmapped_due_ns(const struct scope_capture_run *capture)
{
	return capture->unwinder && capture->options.stack_mode == SCOPE_STACK_TABLES ? capture->unmapped.next_ns
										      : UINT64_MAX;
}

bool scope_capture_unmapped(struct scope_capture_run *capture, uint64_t now)
{
	uint64_t stacks, rows;

	if (now < scope_capture_unmapped_due_ns(capture))
		return false;
	stacks = capture->source->unmapped(capture->feed);
	rows = scope_capture_unwinder_map_rows(capture->unwinder);
	/* Code that is in no file stays unmapped. Then an extra flush does not help, and the usual one is enough. */
	if (rows != capture->unmapped.rows || stacks == capture->unmapped.stacks)
		capture->unmapped.wait_ns = UNMAPPED_MIN_MS * NS_PER_MS;
	else if (capture->unmapped.wait_ns < UNMAPPED_MAX_MS * NS_PER_MS)
		capture->unmapped.wait_ns *= 2;
	capture->unmapped.next_ns = now + capture->unmapped.wait_ns;
	capture->unmapped.rows = rows;
	if (stacks == capture->unmapped.stacks)
		return false;
	capture->unmapped.stacks = stacks;
	return true;
}

int scope_capture_settle(struct scope_capture_run *capture, int (*while_waiting)(void *context))
{
	int err = 0;

	/*
	 * Drains new events, too, because a file needs all events from before its end. Then the time for names is
	 * limited: the rest is written to the next file, or not at all.
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

int scope_capture_name_rest(struct scope_capture_run *capture)
{
	int err = 0;

	scope_capture_want_names(capture, true);
	for (unsigned int waited = 0; !err && waited < REST_MS && !scope_capture_all_written(capture);
	     waited += SLICE_MS)
		err = scope_capture_pump(capture, SLICE_MS);
	/* If it takes longer, the rest is written to the next file. */
	if (!scope_capture_all_written(capture))
		scope_capture_unwinder_defer_names(capture->unwinder);
	return err;
}

/* Adds a key with a number, if it is not 0. 0 or -errno. */
static int put_number(struct scope_writer *writer, const char *key, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
	return number ? scope_trace_writer_meta(writer, key, text) : 0;
}

int scope_capture_write_walks(const struct scope_capture_run *capture)
{
	static const char *const reasons[SCOPE_COPY_REASONS] = {
		[SCOPE_COPY_NO_MAPS] = "no-maps",   [SCOPE_COPY_UNMAPPED] = "unmapped",
		[SCOPE_COPY_NO_TABLE] = "no-table", [SCOPE_COPY_OTHER] = "other-rule",
		[SCOPE_COPY_MEMORY] = "memory",	    [SCOPE_COPY_DEEP] = "deep",
		[SCOPE_COPY_BROKEN] = "broken",
	};
	struct scope_unwinder_counts counts;
	char text[256] = "";
	size_t used = 0;
	int err;

	if (!capture->unwinder || capture->options.stack_mode != SCOPE_STACK_TABLES)
		return 0;
	scope_capture_unwinder_count(capture->unwinder, &counts);
	for (unsigned int i = SCOPE_COPY_NO_MAPS; i < SCOPE_COPY_REASONS; i++)
		if (counts.copies[i])
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s %llu", used ? ", " : "",
						 reasons[i], (unsigned long long)counts.copies[i]);
	err = put_number(capture->writer, META_WALKED, counts.walked);
	if (!err && used)
		err = scope_trace_writer_meta(capture->writer, META_COPIED, text);
	if (!err)
		err = put_number(capture->writer, SCOPE_META_TABLES_REFUSED, counts.tables_refused);
	return err ? err : put_number(capture->writer, SCOPE_META_MAPS_REFUSED, counts.maps_refused);
}

void scope_capture_count_unwound(struct scope_capture_run *capture)
{
	struct scope_unwinder_counts counts;

	if (!capture->unwinder)
		return;
	scope_capture_unwinder_count(capture->unwinder, &counts);
	capture->stats.stacks_given_up = counts.given_up;
	capture->stats.tables_refused = counts.tables_refused;
	capture->stats.maps_refused = counts.maps_refused;
	capture->stats.unwinder_cpu_ns = counts.cpu_ns;
}
