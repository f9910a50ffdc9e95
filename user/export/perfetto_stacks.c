// SPDX-License-Identifier: GPL-2.0-only
/* Stacks of a Perfetto trace: samples of a profiler, and marks after long calls. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "export/perfetto.h"
#include "export/threads.h"

#define ROOM 128

enum {
	/* TracePacket */
	PACKET_INTERNED = 12,
	PACKET_PERF_SAMPLE = 66,
	/* PerfSample */
	SAMPLE_CPU = 1,
	SAMPLE_PID = 2,
	SAMPLE_TID = 3,
	SAMPLE_CALLSTACK = 4,
	SAMPLE_MODE = 5,
	MODE_KERNEL = 1,
	MODE_USER = 2,
	/* InternedData */
	INTERNED_FUNCTION = 5,
	INTERNED_FRAME = 6,
	INTERNED_CALLSTACK = 7,
	INTERNED_PATH = 17,
	INTERNED_MAPPING = 19,
	/* InternedString, Frame, Callstack, Mapping */
	STRING_IID = 1,
	STRING_TEXT = 2,
	FRAME_IID = 1,
	FRAME_FUNCTION = 2,
	FRAME_MAPPING = 3,
	FRAME_PC = 4,
	CALLSTACK_IID = 1,
	CALLSTACK_FRAME = 2,
	MAPPING_IID = 1,
	MAPPING_PATH = 7,
};

/* Numbers of objects that were already written. A function, its frame and its name have the same number. */
struct scope_export_stacks {
	FILE *stream;
	struct scope_symbols *symbols;
	size_t functions;
	uint32_t *by_id; /* by id of a function: its number; 0: not yet */
	size_t ids, id_capacity;
	const char **path;
	size_t paths, path_capacity;
	uint64_t callstacks;
};

int scope_export_perfetto_stacks_create(FILE *stream, struct scope_symbols *symbols,
					struct scope_export_stacks **ret_stacks)
{
	struct scope_export_stacks *stacks = calloc(1, sizeof(*stacks));

	if (!stacks)
		return -ENOMEM;
	stacks->stream = stream;
	stacks->symbols = symbols;
	*ret_stacks = stacks;
	return 0;
}

void scope_export_perfetto_stacks_destroy(struct scope_export_stacks *stacks)
{
	if (!stacks)
		return;
	free(stacks->by_id);
	free(stacks->path);
	free(stacks);
}

static void put_string(struct scope_export_message *interned, uint32_t field, uint64_t iid, const char *text)
{
	struct scope_export_message string = { .bytes = 0 };

	scope_export_protobuf_number(&string, STRING_IID, iid);
	scope_export_protobuf_text(&string, STRING_TEXT, text);
	scope_export_protobuf_message(interned, field, &string);
}

/* The number of a file, which is written at its first use. 0: no memory. */
static uint64_t mapping_of(struct scope_export_stacks *stacks, struct scope_export_message *interned, const char *path)
{
	struct scope_export_message mapping = { .bytes = 0 };

	for (size_t i = 0; i < stacks->paths; i++)
		if (!strcmp(stacks->path[i], path))
			return i + 1;
	if (scope_grow(&stacks->path, &stacks->path_capacity, stacks->paths + 1, sizeof(*stacks->path)))
		return 0;
	stacks->path[stacks->paths++] = path;
	put_string(interned, INTERNED_PATH, stacks->paths, path);
	scope_export_protobuf_number(&mapping, MAPPING_IID, stacks->paths);
	scope_export_protobuf_number(&mapping, MAPPING_PATH, stacks->paths);
	scope_export_protobuf_message(interned, INTERNED_MAPPING, &mapping);
	return stacks->paths;
}

/* One function has no id, because no symbols object made it: that for the kernel. */
static uint32_t *number_of(struct scope_export_stacks *stacks, const struct scope_function *function)
{
	const size_t at = function->id == UINT32_MAX ? 0 : (size_t)function->id + 1;

	if (scope_grow(&stacks->by_id, &stacks->id_capacity, at + 1, sizeof(*stacks->by_id)))
		return NULL;
	while (stacks->ids <= at)
		stacks->by_id[stacks->ids++] = 0;
	return &stacks->by_id[at];
}

/* The number of a function's frame, which is written at its first use. 0 or -ENOMEM. */
static int frame_of(struct scope_export_stacks *stacks, const struct scope_function *function, uint32_t *ret_frame)
{
	struct scope_export_message interned = { .bytes = 0 }, frame = { .bytes = 0 }, packet;
	uint32_t *number = number_of(stacks, function);
	uint64_t mapping;

	if (!number)
		return -ENOMEM;
	*ret_frame = *number;
	if (*number)
		return 0;
	mapping = mapping_of(stacks, &interned, function->path);
	if (!mapping)
		return -ENOMEM;
	*ret_frame = *number = (uint32_t)++stacks->functions;
	put_string(&interned, INTERNED_FUNCTION, *number, function->name);
	scope_export_protobuf_number(&frame, FRAME_IID, *number);
	scope_export_protobuf_number(&frame, FRAME_FUNCTION, *number);
	scope_export_protobuf_number(&frame, FRAME_MAPPING, mapping);
	scope_export_protobuf_number(&frame, FRAME_PC, function->start);
	scope_export_protobuf_message(&interned, INTERNED_FRAME, &frame);
	scope_export_perfetto_begin(&packet, 0);
	scope_export_protobuf_message(&packet, PACKET_INTERNED, &interned);
	scope_export_protobuf_write(stacks->stream, &packet);
	return 0;
}

static int write_sample(struct scope_export_stacks *stacks, const struct scope_thread *thread,
			const struct scope_event *event, const struct scope_function **function, unsigned count)
{
	struct scope_export_message interned = { .bytes = 0 }, callstack = { .bytes = 0 }, sample = { .bytes = 0 },
				    packet;
	uint32_t frame;
	int err = 0;

	scope_export_protobuf_number(&callstack, CALLSTACK_IID, ++stacks->callstacks);
	for (unsigned i = 0; i < count && !err; i++) {
		err = frame_of(stacks, function[i], &frame);
		if (!err)
			scope_export_protobuf_number(&callstack, CALLSTACK_FRAME, frame);
	}
	if (err)
		return err;
	scope_export_protobuf_message(&interned, INTERNED_CALLSTACK, &callstack);
	scope_export_protobuf_number(&sample, SAMPLE_CPU, event->cpu);
	scope_export_protobuf_number(&sample, SAMPLE_PID, thread->tgid);
	scope_export_protobuf_number(&sample, SAMPLE_TID, event->tid);
	scope_export_protobuf_number(&sample, SAMPLE_CALLSTACK, stacks->callstacks);
	scope_export_protobuf_number(&sample, SAMPLE_MODE,
				     event->flags & SCOPE_STACK_IN_KERNEL ? MODE_KERNEL : MODE_USER);
	scope_export_perfetto_begin(&packet, event->time_ns);
	scope_export_protobuf_message(&packet, PACKET_INTERNED, &interned);
	scope_export_protobuf_message(&packet, PACKET_PERF_SAMPLE, &sample);
	scope_export_protobuf_write(stacks->stream, &packet);
	return 0;
}

/* Writes a mark, whose name is the innermost function of the program. */
static int write_mark(const struct scope_export_stacks *stacks, const struct scope_thread *thread,
		      const struct scope_event *event, const struct scope_function **function, unsigned count)
{
	const char *name = function[count - 1]->name;
	char *text;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return -ENOMEM;
	for (unsigned i = count; i-- > 0;)
		fprintf(to, "%s%s", function[i]->name, i ? " ← " : "");
	if (fclose(to)) {
		free(text);
		return -ENOMEM;
	}
	for (unsigned i = 0; i < count; i++)
		if (!function[i]->library)
			name = function[i]->name;
	scope_export_perfetto_mark(stacks->stream, thread->index, event->time_ns, name, text);
	free(text);
	return 0;
}

int scope_export_perfetto_stacks_write(struct scope_export_stacks *stacks, struct scope_timeline *timeline,
				       const struct scope_event *event)
{
	const long index = scope_timeline_threads_find(timeline->threads, event->tid);
	const struct scope_function *function[ROOM];
	const struct scope_thread *thread;
	unsigned count;
	int err;

	if (index < 0)
		return 0;
	thread = scope_timeline_threads_at(timeline->threads, (size_t)index);
	/* Snapshots are left out: a running thread has samples, and a sleeping thread has the stack after its call. */
	if (event->stack.reason == SCOPE_STACK_SNAPSHOT)
		return 0;
	err = scope_export_threads_stack(stacks->symbols, thread, event, function, NULL, ROOM, &count, NULL);
	if (err || !count)
		return err;
	return event->stack.reason == SCOPE_STACK_SAMPLE ? write_sample(stacks, thread, event, function, count)
							 : write_mark(stacks, thread, event, function, count);
}
