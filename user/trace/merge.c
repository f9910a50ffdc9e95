// SPDX-License-Identifier: GPL-2.0-only
/* Gives the events of all CPUs in order of time. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/decode.h"
#include "trace/trace_internal.h"

#define BATCH 32

/* Later than every event. A CPU without further events has this time, so it sorts after all others. */
#define NEVER_NS (UINT64_MAX - 1)

/*
 * One CPU's place in the trace, with at most one sub-buffer decompressed. Events are decoded in
 * batches of one CPU, because its records follow patterns that the branch predictor learns; records
 * of several CPUs in turn do not.
 */
struct cursor {
	const struct scope_trace_cpu *index;
	struct scope_decoder decoder;
	uint32_t cpu;
	size_t next;	       /* frame to open when this sub-buffer is done */
	const uint8_t *subbuf; /* the sub-buffer that is open */
	uint8_t *buffer;
	size_t buffer_capacity;
	uint64_t number, lost; /* expected number of the next sub-buffer; events lost before the last one */
	uint64_t begin_ns;     /* of the last sub-buffer that could be read */
	uint64_t lost_count, lost_from_ns;
	bool lost_pending; /* report the loss before the first event of this sub-buffer */
	bool broken;	   /* part of the previous sub-buffer was not read */
	bool middle;	   /* earlier sub-buffers are absent or were not requested: no loss */
	struct scope_event event[BATCH];
};

/* The events of a CPU that are decoded and not taken yet. */
struct lane {
	const struct scope_event *next, *end;
};

struct node {
	uint64_t time_ns;
	uint64_t cpu; /* index of its lane and cursor */
};

/*
 * A tournament between the CPUs (Knuth, The Art of Computer Programming 3, section 5.4.1): node 1
 * is the earliest of all, node n the earlier of nodes 2n and 2n + 1; the nodes from `leaves` on are
 * the CPUs. At equal times the left one wins, which is the lower CPU.
 */
struct scope_merge {
	size_t taken;  /* CPU that gave the last event, valid until the next call; or `cpus` */
	size_t leaves; /* a power of two */
	size_t cpus;
	uint64_t limit_ns; /* of the trace, NEVER_NS at most */
	bool gave_all;	   /* all events before the limit are given */
	struct node *node;
	struct lane *lane;
	struct cursor cursor[];
};

/* Replays the games of one CPU, without a branch that depends on the winner. Returns the winner. */
static inline struct node play(struct scope_merge *merge, size_t cpu, uint64_t time_ns)
{
	struct node winner = { .time_ns = time_ns, .cpu = cpu };
	size_t place = merge->leaves + cpu;

	for (; place > 1; place /= 2) {
		const struct node other = merge->node[place ^ 1];
		/* The left one wins a tie: this is the right one where place is odd. */
		uint64_t mask = -(uint64_t)(other.time_ns < winner.time_ns + (place & 1));

		merge->node[place] = winner;
		winner.time_ns ^= (winner.time_ns ^ other.time_ns) & mask;
		winner.cpu ^= (winner.cpu ^ other.cpu) & mask;
	}
	merge->node[1] = winner;
	return winner;
}

static void note_subbuf(struct scope_trace *trace, struct cursor *cursor, const char *why)
{
	struct scope_damage *damage = &trace->damage;

	cursor->broken = true;
	cursor->decoder.pos = cursor->decoder.end = NULL;
	cursor->decoder.problem = NULL;
	if (!damage->subbufs++) {
		damage->first_subbuf = cursor->index->frame[cursor->next - 1];
		damage->why_cpu = cursor->cpu;
		damage->why = why;
	}
	scope_trace_damage_update(damage);
}

/* Opens a sub-buffer. -EBADMSG: it cannot be used, which is noted as damage; -ENOMEM. */
static int open_subbuf(struct scope_trace *trace, struct cursor *cursor)
{
	uint64_t offset = cursor->index->frame[cursor->next++];
	const struct scope_frame *frame = (const void *)(trace->data + offset);
	const struct scope_subbuf *subbuf;
	const bool keep = trace->keeps_stacks && frame->flags & SCOPE_FRAME_COLUMNS;
	const uint8_t *data;
	int err = scope_trace_payload(trace, offset, &cursor->buffer, &cursor->buffer_capacity,
				      keep ? &trace->rests : NULL, &data);

	if (!err && keep)
		err = scope_trace_again_keep(trace, offset);
	scope_trace_touched(trace, frame->payload_bytes);
	if (err == -ENOMEM)
		return err;
	if (err) {
		note_subbuf(trace, cursor, "its checksum or compression is wrong");
		return err;
	}
	cursor->subbuf = data;
	subbuf = (const struct scope_subbuf *)data;
	err = scope_trace_decoder_begin(&cursor->decoder, subbuf, frame->raw_bytes);
	if (!err && subbuf->cpu != cursor->cpu) {
		cursor->decoder.problem = "it names another CPU";
		err = -EBADMSG;
	}
	if (err) {
		note_subbuf(trace, cursor, cursor->decoder.problem);
		return err;
	}
	if (cursor->middle) {
		cursor->lost = subbuf->lost;
		cursor->number = subbuf->number;
		cursor->middle = false;
	}
	cursor->lost_count = subbuf->lost > cursor->lost ? subbuf->lost - cursor->lost : 0;
	cursor->lost_pending = cursor->broken || cursor->lost_count || subbuf->number != cursor->number;
	/*
	 * The head of a sub-buffer counts the events lost before it began. Some of them may have been lost while the
	 * previous sub-buffer was open.
	 */
	cursor->lost_from_ns = cursor->begin_ns;
	cursor->begin_ns = cursor->decoder.time_ns;
	cursor->lost = subbuf->lost;
	cursor->number = subbuf->number + 1;
	cursor->broken = false;
	return 0;
}

static void take_lost(struct cursor *cursor)
{
	cursor->event[0] = (struct scope_event){
		.time_ns = cursor->decoder.time_ns,
		.cpu = cursor->cpu,
		.kind = SCOPE_EVENT_LOST,
		.lost = { .count = cursor->lost_count, .from_ns = cursor->lost_from_ns },
	};
	cursor->lost_pending = false;
}

/* Decodes the next events of a CPU; its lane is empty at its end. 0, -ENOMEM. */
static int refill(struct scope_trace *trace, struct cursor *cursor, struct lane *lane)
{
	size_t count = 0;

	while (!count) {
		if (cursor->lost_pending) {
			take_lost(cursor);
			count = 1;
			break;
		}
		count = scope_trace_decoder_batch(&cursor->decoder, cursor->event, BATCH);
		if (cursor->decoder.problem)
			note_subbuf(trace, cursor, cursor->decoder.problem);
		if (count || cursor->next == cursor->index->count)
			break;
		if (open_subbuf(trace, cursor) == -ENOMEM)
			return -ENOMEM;
	}
	lane->next = cursor->event;
	lane->end = cursor->event + count;
	if (count && cursor->event[0].time_ns < trace->passed_ns)
		trace->late = true;
	return 0;
}

/* Puts the next event of a CPU into the tournament, after its last one was taken. */
static inline int advance(struct scope_trace *trace, struct scope_merge *merge, size_t cpu, struct node *ret_winner)
{
	struct lane *lane = &merge->lane[cpu];
	uint64_t time_ns = NEVER_NS;

	if (__builtin_expect(lane->next == lane->end, 0)) {
		int err = refill(trace, &merge->cursor[cpu], lane);

		if (err)
			return err;
	}
	if (__builtin_expect(lane->next != lane->end, 1))
		time_ns = lane->next->time_ns;
	*ret_winner = play(merge, cpu, time_ns);
	return 0;
}

/* The first frame of a CPU that may hold events of that time: the one before the first that begins later. */
static size_t first_frame(const struct scope_trace *trace, const struct scope_trace_cpu *cpu, uint64_t time_ns)
{
	uint64_t offset = 0;
	size_t low = 0, high = cpu->count;

	for (size_t i = 0; i < trace->places; i++)
		if (trace->place[i].cpu == cpu->cpu && trace->place[i].begin_ns <= time_ns &&
		    trace->place[i].offset > offset)
			offset = trace->place[i].offset;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (cpu->frame[middle] < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < cpu->count && cpu->frame[low] == offset ? low : 0;
}

static void set_limit(const struct scope_trace *trace, struct scope_merge *merge)
{
	merge->limit_ns = trace->limit_ns < NEVER_NS ? trace->limit_ns : NEVER_NS;
}

/* Starts each CPU at the frame that may hold events of that time. */
static int start(struct scope_trace *trace, struct scope_merge *merge, uint64_t time_ns)
{
	const bool continues = scope_trace_meta_number(trace, SCOPE_META_CONTINUES, 0);
	struct node winner;

	for (size_t i = 0; i < 2 * merge->leaves; i++)
		merge->node[i] = (struct node){ .time_ns = NEVER_NS };
	merge->taken = merge->cpus;
	trace->passed_ns = 0;
	trace->late = merge->gave_all = false;
	set_limit(trace, merge);
	for (size_t i = 0; i < merge->cpus; i++) {
		struct cursor *cursor = &merge->cursor[i];
		int err;

		memset(&cursor->decoder, 0, sizeof(cursor->decoder));
		cursor->index = &trace->cpu[i];
		cursor->cpu = cursor->index->cpu;
		cursor->next = time_ns ? first_frame(trace, cursor->index, time_ns) : 0;
		cursor->middle = continues || cursor->next;
		cursor->number = cursor->lost = cursor->begin_ns = 0;
		cursor->lost_pending = cursor->broken = false;
		merge->lane[i] = (struct lane){ NULL, NULL };
		err = advance(trace, merge, i, &winner);
		if (err)
			return err;
	}
	return 0;
}

static struct scope_merge *merge_create(size_t cpus)
{
	struct scope_merge *merge = calloc(1, sizeof(*merge) + cpus * sizeof(merge->cursor[0]));

	if (!merge)
		return NULL;
	merge->cpus = cpus;
	merge->leaves = 1;
	while (merge->leaves < cpus)
		merge->leaves *= 2;
	merge->node = calloc(2 * merge->leaves, sizeof(*merge->node));
	merge->lane = calloc(cpus + 1, sizeof(*merge->lane));
	if (!merge->node || !merge->lane) {
		scope_trace_merge_destroy(merge);
		return NULL;
	}
	return merge;
}

/* Moves the cursors of a merge to one that has more CPUs. */
static int widen(struct scope_trace *trace)
{
	struct scope_merge *old = trace->merge, *merge = merge_create(trace->cpus);
	size_t from = 0;

	if (!merge)
		return -ENOMEM;
	for (size_t i = 0; i < merge->cpus; i++) {
		struct cursor *cursor = &merge->cursor[i];

		if (from < old->cpus && old->cursor[from].cpu == trace->cpu[i].cpu) {
			const struct lane *lane = &old->lane[from];

			*cursor = old->cursor[from];
			merge->lane[i].next = cursor->event + (lane->next - old->cursor[from].event);
			merge->lane[i].end = cursor->event + (lane->end - old->cursor[from].event);
			old->cursor[from++].buffer = NULL;
		} else {
			cursor->cpu = trace->cpu[i].cpu;
		}
	}
	scope_trace_merge_destroy(old);
	trace->merge = merge;
	return 0;
}

uint64_t scope_trace_merge_passed(const struct scope_trace *trace)
{
	const struct scope_merge *merge = trace->merge;

	if (!merge || merge->limit_ns == NEVER_NS)
		return 0;
	/* The last call gave no event, or it gave the event before `next`. */
	if (merge->taken == merge->cpus)
		return merge->gave_all ? merge->limit_ns : trace->passed_ns;
	return merge->lane[merge->taken].next[-1].time_ns;
}

int scope_trace_merge_grow(struct scope_trace *trace)
{
	struct scope_merge *merge = trace->merge;
	struct node winner;
	int err = 0;

	if (merge->cpus != trace->cpus)
		err = widen(trace);
	merge = trace->merge;
	merge->taken = merge->cpus;
	merge->gave_all = false;
	set_limit(trace, merge);
	for (size_t i = 0; !err && i < merge->cpus; i++)
		merge->cursor[i].index = &trace->cpu[i];
	for (size_t i = 0; i < 2 * merge->leaves; i++)
		merge->node[i] = (struct node){ .time_ns = NEVER_NS };
	for (size_t i = 0; !err && i < merge->cpus; i++)
		err = advance(trace, merge, i, &winner);
	return err;
}

/* Drops the events before that time. */
static int skip(struct scope_trace *trace, struct scope_merge *merge, uint64_t time_ns)
{
	struct node winner = merge->node[1];
	int err = 0;

	while (!err && winner.time_ns < time_ns) {
		merge->lane[winner.cpu].next++;
		err = advance(trace, merge, winner.cpu, &winner);
	}
	return err;
}

int scope_trace_rewind(struct scope_trace *trace)
{
	return scope_trace_seek(trace, 0);
}

int scope_trace_seek(struct scope_trace *trace, uint64_t time_ns)
{
	struct scope_merge *merge = trace->merge;
	int err;

	if (!merge) {
		merge = merge_create(trace->cpus);
		if (!merge)
			return -ENOMEM;
	}
	trace->merge = NULL; /* a rewind that fails leaves no half-built state */
	/* Each pass finds the same damaged sub-buffers: count them once. */
	trace->damage.subbufs = 0;
	scope_trace_damage_update(&trace->damage);
	if (time_ns > NEVER_NS)
		time_ns = NEVER_NS;
	err = start(trace, merge, time_ns);
	if (!err)
		err = skip(trace, merge, time_ns);
	if (err) {
		scope_trace_merge_destroy(merge);
		return err;
	}
	trace->merge = merge;
	return 0;
}

int scope_trace_take(struct scope_trace *trace, const struct scope_event **ret_event, size_t max)
{
	struct scope_merge *merge = trace->merge;
	struct node winner;
	size_t count = 0;
	int err;

	if (__builtin_expect(!merge, 0)) {
		err = scope_trace_rewind(trace);
		if (err)
			return err;
		merge = trace->merge;
	}
	if (__builtin_expect(merge->taken == merge->cpus, 0)) {
		winner = merge->node[1];
	} else {
		err = advance(trace, merge, merge->taken, &winner);
		if (err)
			return err;
	}
	if (__builtin_expect(winner.time_ns >= merge->limit_ns, 0)) {
		merge->taken = merge->cpus;
		merge->gave_all = true;
		return 0;
	}
	/* Stops where a lane is empty, because filling it would overwrite events that were given. */
	while (winner.time_ns < merge->limit_ns) {
		struct lane *lane = &merge->lane[winner.cpu];

		ret_event[count++] = lane->next++;
		merge->taken = winner.cpu;
		if (count >= max || lane->next == lane->end)
			break;
		winner = play(merge, winner.cpu, lane->next->time_ns);
	}
	return (int)count;
}

int scope_trace_next(struct scope_trace *trace, struct scope_event *ret_event)
{
	const struct scope_event *event;
	int err = scope_trace_take(trace, &event, 1);

	if (err > 0)
		*ret_event = *event;
	return err;
}

static const struct cursor *cursor_of(const struct scope_merge *merge, uint32_t cpu)
{
	size_t low = 0, high = merge->cpus;

	while (low + 1 < high) {
		size_t middle = (low + high) / 2;

		if (merge->cursor[middle].cpu <= cpu)
			low = middle;
		else
			high = middle;
	}
	return &merge->cursor[low];
}

struct scope_trace_place scope_trace_place(const struct scope_trace *trace, const struct scope_event *event)
{
	const struct cursor *cursor = cursor_of(trace->merge, event->cpu);
	const uint8_t *base = cursor->subbuf;
	const void *first = event->stack.ip ? event->stack.ip : event->stack.reg;
	struct scope_trace_place place = { .frame = cursor->index->frame[cursor->next - 1] };

	if (first)
		place.first = (uint32_t)((const uint8_t *)first - base);
	if (event->stack.data)
		place.data = (uint32_t)(event->stack.data - base);
	return place;
}

void scope_trace_merge_destroy(struct scope_merge *merge)
{
	if (!merge)
		return;
	for (size_t i = 0; i < merge->cpus; i++)
		free(merge->cursor[i].buffer);
	free(merge->node);
	free(merge->lane);
	free(merge);
}
