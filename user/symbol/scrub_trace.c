// SPDX-License-Identifier: GPL-2.0-only
/* Copies a trace with its stacks unwound. */
#include "symbol/scrub_trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/machine.h"
#include "symbol/names.h"
#include "symbol/stacks.h"
#include "trace/blank.h"
#include "trace/copy.h"
#include "trace/format.h"
#include "trace/owner.h"

/* The processes of a CPU's stacks, in the order of the stacks. */
struct lane {
	uint32_t *tgid;
	size_t count, room, next;
};

/* The last recorded registers of a thread; regs 0: none. */
struct state {
	uint32_t tid, tgid;
	uint16_t regs;
	uint64_t reg[SCOPE_REG_MAX];
};

struct scrub {
	struct scope_trace *trace;
	struct scope_symbols *symbols;
	struct scope_writer *writer;
	struct scope_owners *owners;
	struct lane *lane;
	size_t lanes, lane_room;
	struct state *state;
	size_t states, state_room;
	struct scope_subbuf *out;
	size_t out_room;
	struct scope_scrub_counts *counts;
};

static uint64_t stack_pointer(const struct state *state)
{
	return state->reg[scope_machine_reg_sp(state->regs)];
}

static int note_state(struct scrub *scrub, const struct scope_event *event)
{
	const struct scope_record_state *record = event->state.record;
	struct state *state;

	scope_trace_owners_put(scrub->owners, record->tid, record->tgid);
	if (record->regs <= scope_machine_reg_sp(record->regs))
		return 0;
	if (scope_grow(&scrub->state, &scrub->state_room, scrub->states + 1, sizeof(*scrub->state)))
		return -ENOMEM;
	state = &scrub->state[scrub->states++];
	*state = (struct state){ .tid = record->tid, .tgid = record->tgid, .regs = (uint16_t)record->regs };
	memcpy(state->reg, event->state.reg, record->regs * sizeof(*state->reg));
	return 0;
}

static int note_stack(struct scrub *scrub, const struct scope_event *event)
{
	struct lane *lane;

	if (scope_grow(&scrub->lane, &scrub->lane_room, event->cpu + 1ul, sizeof(*lane)))
		return -ENOMEM;
	while (scrub->lanes <= event->cpu)
		scrub->lane[scrub->lanes++] = (struct lane){ 0 };
	lane = &scrub->lane[event->cpu];
	if (scope_grow(&lane->tgid, &lane->room, lane->count + 1, sizeof(*lane->tgid)))
		return -ENOMEM;
	lane->tgid[lane->count++] = scope_trace_owners_get(scrub->owners, event->tid);
	return 0;
}

static int note_event(struct scrub *scrub, const struct scope_event *event)
{
	switch (event->kind) {
	case SCOPE_EVENT_STATE:
		return note_state(scrub, event);
	case SCOPE_EVENT_STACK:
		return note_stack(scrub, event);
	case SCOPE_EVENT_FORK:
		scope_trace_owners_put(scrub->owners, event->tid, event->fork.tgid);
		break;
	case SCOPE_EVENT_EXEC:
		scope_trace_owners_put(scrub->owners, event->tid, event->exec.tgid);
		break;
	case SCOPE_EVENT_COMM:
		scope_trace_owners_put(scrub->owners, event->tid, event->comm.tgid);
		break;
	}
	return 0;
}

/* The thread of a stack is known only if all CPUs are read in order of time. */
static int note_all(struct scrub *scrub)
{
	struct scope_event event;
	size_t count;
	const struct scope_trace_thread *thread = scope_trace_threads(scrub->trace, &count);
	int err = scope_trace_rewind(scrub->trace);

	for (size_t i = 0; i < count; i++)
		scope_trace_owners_put(scrub->owners, thread[i].tid, thread[i].tgid);
	while (!err && (err = scope_trace_next(scrub->trace, &event)) == 1)
		err = note_event(scrub, &event);
	return err;
}

static uint32_t tgid_of(void *context, const struct scope_event *event)
{
	struct scrub *scrub = context;
	struct lane *lane = event->cpu < scrub->lanes ? &scrub->lane[event->cpu] : NULL;

	return lane && lane->next < lane->count ? lane->tgid[lane->next++] : 0;
}

/* True if it is a thread of any process of the trace: a lock may be shared. */
static bool is_any_thread(void *context, uint32_t tid)
{
	const struct scrub *scrub = context;

	return scope_trace_owners_get(scrub->owners, tid);
}

static int edit_subbuf(void *context, const struct scope_subbuf *subbuf)
{
	struct scrub *scrub = context;
	const struct scope_stacks stacks = { scrub->symbols, tgid_of, scrub };
	struct scope_stacks_found found;
	int err;

	if (scope_grow(&scrub->out, &scrub->out_room, subbuf->used_bytes, 1))
		return -ENOMEM;
	err = scope_symbol_stacks_replace(&stacks, subbuf, scrub->out, &found);
	scope_trace_blank_futexes(scrub->out, is_any_thread, scrub);
	scrub->counts->stacks += found.stacks;
	return err ? err : scope_trace_writer_subbuf(scrub->writer, scrub->out);
}

/*
 * The registers that belong to a copied stack: the latest ones whose stack pointer is in it. NULL: the memory is no
 * stack.
 */
static const struct state *state_of(const struct scrub *scrub, const struct scope_trace_memory *memory)
{
	for (size_t i = scrub->states; i-- > 0;)
		if (scrub->state[i].tid == memory->tid && stack_pointer(&scrub->state[i]) == memory->address)
			return &scrub->state[i];
	return NULL;
}

/*
 * Any thread of the trace counts, because a lock may be shared. Readers check with the call in which its thread sleeps
 * which processes share it.
 */
static bool is_thread(void *context, uint32_t tid)
{
	const struct scrub *scrub = context;

	return scope_trace_owners_get(scrub->owners, tid);
}

static int edit_memory(void *context, const struct scope_trace_memory *memory)
{
	struct scrub *scrub = context;
	const struct state *state = state_of(scrub, memory);
	struct scope_trace_stopped_stack stopped_stack;
	struct scope_trace_lock lock;
	uint64_t ip[SCOPE_FRAMES_MAX];
	bool unmapped;
	int err;

	if (state) {
		err = scope_symbol_stacks_stopped(scrub->symbols, state->tgid, state->reg, state->regs, memory, ip,
						  &stopped_stack, &unmapped);
		scrub->counts->stopped_stack++;
		return err ? err : scope_trace_writer_stopped_stack(scrub->writer, &stopped_stack);
	}
	if (memory->bytes != SCOPE_FUTEX_MEMORY_BYTES)
		return 0; /* no registers belong to it */
	scope_symbol_stacks_lock(memory, is_thread, scrub, &lock);
	scrub->counts->locks++;
	return scope_trace_writer_lock(scrub->writer, &lock);
}

static void release(struct scrub *scrub)
{
	for (size_t i = 0; i < scrub->lanes; i++)
		free(scrub->lane[i].tgid);
	free(scrub->lane);
	free(scrub->state);
	free(scrub->out);
	scope_trace_owners_destroy(scrub->owners);
}

static int write_names(struct scrub *scrub)
{
	uint8_t *buffer = malloc(SCOPE_NAMES_ROOM);
	uint16_t type;
	size_t bytes;
	int err = buffer ? 1 : -ENOMEM;

	while (err > 0) {
		err = scope_symbol_names_next(scrub->symbols, true, 0, buffer, &type, &bytes);
		if (err > 0)
			err = scope_trace_writer_names(scrub->writer, type, buffer, bytes) ?: 1;
	}
	free(buffer);
	return err;
}

int scope_symbol_scrub(struct scope_trace *trace, struct scope_symbols *symbols, struct scope_writer *writer,
		       struct scope_scrub_counts *ret_counts)
{
	struct scrub scrub = {
		.trace = trace,
		.symbols = symbols,
		.writer = writer,
		.counts = ret_counts,
	};
	const struct scope_trace_editor editor = {
		.subbuf = edit_subbuf,
		.memory = edit_memory,
		.context = &scrub,
	};
	int err = scope_trace_owners_create(&scrub.owners);

	*ret_counts = (struct scope_scrub_counts){ 0 };
	if (!err)
		err = note_all(&scrub);
	if (!err)
		err = scope_trace_copy(trace, writer, &editor);
	if (!err)
		err = write_names(&scrub);
	release(&scrub);
	return err;
}
