// SPDX-License-Identifier: GPL-2.0-only
/* Writes stacks as lines "thread;outer;inner count", from which flame graphs are drawn. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/plain.h"
#include "export/formats.h"
#include "export/threads.h"

#define ROOM 128

/* One distinct line. */
struct line {
	char *text;
	uint64_t count[2]; /* for the trace, or for the traces before and after */
};

struct own {
	uint64_t slept_ns; /* how long it slept in the call that has just returned */
	bool interpreted;  /* it has snapshots, which show more than stacks of its interpreter */
	/* The snapshot of the open call, if the thread sleeps in it; outermost first. */
	const struct scope_function **function;
	unsigned count;
	bool cut;
};

struct folder {
	struct scope_timeline *timeline;
	struct scope_symbols *symbols;
	bool off;	 /* sleeps, in us; else samples */
	unsigned side;	 /* index in count of the trace that is read */
	struct own *own; /* per thread */
	size_t threads, capacity;
	struct line *line;
	size_t lines, line_capacity;
};

/* NULL: no memory. */
static struct own *get_own(struct folder *folder, uint32_t thread)
{
	if (scope_grow(&folder->own, &folder->capacity, thread + 1, sizeof(*folder->own)))
		return NULL;
	while (folder->threads <= thread)
		folder->own[folder->threads++] = (struct own){ 0 };
	return &folder->own[thread];
}

static void forget_own(struct folder *folder)
{
	for (size_t i = 0; i < folder->threads; i++)
		free(folder->own[i].function);
	folder->threads = 0;
}

/* ";" separates frames, so it is written as \x3b in a name. */
static void put_name(FILE *to, const char *name)
{
	scope_plain_write_name(to, name, ";");
}

static int add_line(struct folder *folder, const struct scope_thread *thread, bool cut,
		    const struct scope_function **function, unsigned count, const char *last, uint64_t weight)
{
	struct line line = { 0 };
	size_t size;
	FILE *to = open_memstream(&line.text, &size);

	if (!to)
		return -ENOMEM;
	line.count[folder->side] = weight;
	put_name(to, thread->comm[0] ? thread->comm : "unknown");
	if (cut) /* the outer callers of the stack are not known */
		fputs(";[cut]", to);
	for (unsigned i = 0; i < count; i++) {
		fputc(';', to);
		put_name(to, function[i]->name);
	}
	if (*last) {
		fputc(';', to);
		put_name(to, last);
	}
	if (fclose(to) || scope_grow(&folder->line, &folder->line_capacity, folder->lines + 1, sizeof(line))) {
		free(line.text);
		return -ENOMEM;
	}
	folder->line[folder->lines++] = line;
	return 0;
}

/* True if some function of the program is on the stack. */
static bool has_own(const struct scope_function *const *function, unsigned count)
{
	while (count && function[count - 1]->library)
		count--;
	return count;
}

static int fold_stack(void *user, uint32_t index, const struct scope_event *event)
{
	struct folder *folder = user;
	const struct scope_thread *thread = scope_timeline_threads_at(folder->timeline->threads, index);
	const struct scope_function *function[ROOM];
	bool sample = event->stack.reason == SCOPE_STACK_SAMPLE;
	struct own *own = get_own(folder, index);
	uint64_t weight = 1;
	unsigned count;
	bool cut;
	int err;

	if (!own)
		return -ENOMEM;
	if (sample == folder->off)
		return 0;
	if (folder->off) {
		weight = own->slept_ns / 1000;
		own->slept_ns = 0;
	}
	if (!weight)
		return 0;
	if (folder->off && own->count)
		return add_line(folder, thread, own->cut, own->function, own->count, "", weight);
	err = scope_export_threads_stack(folder->symbols, thread, event, function, NULL, ROOM, &count, &cut);
	if (err || (sample && own->interpreted && !has_own(function, count)))
		return err;
	return add_line(folder, thread, cut, function, count, "", weight);
}

/* Counts a snapshot: for a running thread as the samples since the snapshot before, for a sleeping one for its call. */
static int fold_snapshot(void *user, uint32_t index, const struct scope_event *event)
{
	struct folder *folder = user;
	const struct scope_thread *thread = scope_timeline_threads_at(folder->timeline->threads, index);
	const uint64_t sample_ns = scope_trace_sample_ns(folder->timeline->trace, event->time_ns);
	const struct scope_function *function[ROOM];
	struct own *own = get_own(folder, index);
	unsigned count;
	bool cut, preempted;
	int err;

	/* At places where tasks wait no thread waits. */
	if (event->stack.reason == SCOPE_STACK_TASKS)
		return 0;
	if (!own)
		return -ENOMEM;
	own->interpreted = true;
	if (thread->run != SCOPE_RUN_BLOCKED && folder->off)
		return 0;
	/* It may have been preempted just now: see unit/snapshot.c. */
	preempted = thread->run == SCOPE_RUN_QUEUED && thread->preempted &&
		    event->time_ns - thread->queue_ns < event->stack.since_ns;
	if (thread->run != SCOPE_RUN_RUNNING && !preempted && !folder->off)
		return 0;
	err = scope_export_threads_stack(folder->symbols, thread, event, function, NULL, ROOM, &count, &cut);
	if (err || !count)
		return err;
	if (!folder->off)
		return add_line(folder, thread, cut, function, count, "",
				sample_ns && event->stack.since_ns > sample_ns ? event->stack.since_ns / sample_ns : 1);
	if (!own->function)
		own->function = calloc(ROOM, sizeof(*own->function));
	if (!own->function)
		return -ENOMEM;
	memcpy(own->function, function, count * sizeof(*function));
	own->count = count;
	own->cut = cut;
	return 0;
}

static int fold_enter(void *user, const struct scope_thread *thread, const struct scope_open_call *call)
{
	struct own *own = get_own(user, thread->index);

	(void)call;
	if (!own)
		return -ENOMEM;
	own->slept_ns = 0;
	own->count = 0;
	return 0;
}

static int fold_wait(void *user, const struct scope_wait *wait)
{
	struct own *own = get_own(user, wait->thread);

	if (!own)
		return -ENOMEM;
	own->slept_ns += wait->wake_ns - wait->begin_ns;
	return 0;
}

/* Takes the stacks of probes, which follow their probe directly on the same CPU. */
static int fold_probes(struct folder *folder, struct scope_trace *trace)
{
	const struct scope_function *function[ROOM];
	uint16_t *probe = calloc(UINT16_MAX + 1, sizeof(*probe)); /* the last probe of each CPU */
	struct scope_event event;
	int more = 0, err = probe ? scope_trace_rewind(trace) : -ENOMEM;

	while (!err && (more = scope_trace_next(trace, &event)) == 1) {
		const struct scope_thread *thread;
		unsigned count;
		bool cut;

		if (event.kind == SCOPE_EVENT_PROBE)
			probe[event.cpu] = event.probe.id;
		if (event.kind != SCOPE_EVENT_STACK || event.stack.reason != SCOPE_STACK_PROBE)
			continue;
		thread = scope_export_threads_find(folder->timeline, event.tid);
		err = scope_export_threads_stack(folder->symbols, thread, &event, function, NULL, ROOM, &count, &cut);
		if (!err)
			err = add_line(folder, thread, cut, function, count,
				       scope_export_threads_place(trace, probe[event.cpu]), 1);
	}
	free(probe);
	return err ? err : more;
}

static int compare_lines(const void *left, const void *right)
{
	return strcmp(((const struct line *)left)->text, ((const struct line *)right)->text);
}

/* sides: the number of counts on a line. */
static void print(struct folder *folder, unsigned sides, FILE *stream)
{
	if (folder->lines)
		qsort(folder->line, folder->lines, sizeof(*folder->line), compare_lines);
	for (size_t i = 0; i < folder->lines; i++) {
		struct line sum = folder->line[i];

		for (; i + 1 < folder->lines && !strcmp(sum.text, folder->line[i + 1].text); i++)
			for (unsigned side = 0; side < sides; side++)
				sum.count[side] += folder->line[i + 1].count[side];
		fputs(sum.text, stream);
		for (unsigned side = 0; side < sides; side++)
			fprintf(stream, " %" PRIu64, sum.count[side]);
		fputc('\n', stream);
	}
}

enum stacks {
	STACKS_ON,
	STACKS_OFF,
	STACKS_PROBE,
};

/* Adds the lines of one trace. */
static int fold_trace(struct folder *folder, const struct scope_export_from *from, enum stacks which)
{
	static const struct scope_timeline_ops nothing = { 0 }, ops = {
		.enter = fold_enter,
		.wait = fold_wait,
		.stack = fold_stack,
		.snapshot = fold_snapshot,
	};
	int err = scope_timeline_create(from->trace, &folder->timeline);

	folder->symbols = from->symbols;
	if (!err)
		err = scope_timeline_run(folder->timeline, from->trace, which == STACKS_PROBE ? &nothing : &ops,
					 folder);
	if (!err && which == STACKS_PROBE)
		err = fold_probes(folder, from->trace);
	forget_own(folder);
	scope_timeline_destroy(folder->timeline);
	folder->timeline = NULL;
	return err;
}

/* from: `sides` traces. */
static int fold(const struct scope_export_from *from, unsigned sides, const struct scope_export_to *to,
		enum stacks which, struct scope_error *error)
{
	struct folder folder = { .off = which == STACKS_OFF };
	int err = 0;

	for (; !err && folder.side < sides; folder.side++)
		err = fold_trace(&folder, &from[folder.side], which);
	if (err)
		scope_error_set(error, err, "the trace cannot be read: %s", strerror(-err));
	else
		print(&folder, sides, to->stream);
	for (size_t i = 0; i < folder.lines; i++)
		free(folder.line[i].text);
	free(folder.line);
	free(folder.own);
	return err;
}

int scope_export_folded(const struct scope_export_from *from, const struct scope_export_to *to,
			struct scope_error *error)
{
	return fold(from, 1, to, STACKS_ON, error);
}

int scope_export_folded_diff(const struct scope_export_from *from, const struct scope_export_to *to,
			     struct scope_error *error)
{
	return fold(from, 2, to, STACKS_ON, error);
}

int scope_export_folded_off(const struct scope_export_from *from, const struct scope_export_to *to,
			    struct scope_error *error)
{
	return fold(from, 1, to, STACKS_OFF, error);
}

int scope_export_folded_probe(const struct scope_export_from *from, const struct scope_export_to *to,
			      struct scope_error *error)
{
	return fold(from, 1, to, STACKS_PROBE, error);
}
