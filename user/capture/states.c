// SPDX-License-Identifier: GPL-2.0-only
/* Records the present state of every thread of a target. */
#include "capture/states.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "capture/request_text.h"
#include "capture/stopped_stacks.h"
#include "trace/blank.h"
#include "trace/decode.h"
#include "trace/format.h"
#include "trace/packer.h"
#include "trace/writer.h"

struct scope_states {
	struct scope_subbuf **subbuf;
	size_t count, room;
	bool raw; /* registers are not removed */
	struct scope_stopped_stacks *stopped;
};

static int take_subbuf(const struct scope_subbuf *subbuf, void *context)
{
	struct scope_states *states = context;
	struct scope_subbuf *copy;
	int err;

	err = scope_capture_stopped_note(states->stopped, subbuf);
	if (err)
		return err;
	if (scope_grow(&states->subbuf, &states->room, states->count + 1, sizeof(*states->subbuf)))
		return -ENOMEM;
	copy = malloc(subbuf->used_bytes);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, subbuf, subbuf->used_bytes);
	states->subbuf[states->count++] = copy;
	return 0;
}

static int run_session(const struct scope_source *source, const struct scope_capture_options *options, uint32_t tgid,
		       int (*while_waiting)(void *context), void *context, struct scope_states *states)
{
	struct scope_capture_options quiet = *options;
	void *feed;
	int err;

	quiet.requests = SCOPE_REQUEST_NONE;
	quiet.sample_period_ns = 0;
	quiet.stack_mode = SCOPE_STACK_NONE;
	err = source->open(&quiet, tgid, NULL, &feed);
	if (err)
		return err;
	err = while_waiting(context);
	if (!err)
		err = source->start(feed, NULL);
	if (!err)
		err = while_waiting(context);
	if (!err)
		err = source->stop(feed, NULL);
	if (!err)
		err = while_waiting(context);
	if (!err)
		err = source->drain(feed, take_subbuf, states);
	source->close(feed);
	return err;
}

int scope_capture_states_take(const struct scope_source *source, void *feed,
			      const struct scope_capture_options *options, uint32_t tgid,
			      struct scope_stopped_stacks *stopped, struct scope_writer *writer,
			      int (*while_waiting)(void *context), void *context, struct scope_states **ret_states)
{
	struct scope_states *states = calloc(1, sizeof(*states));
	int err;

	if (!states)
		return -ENOMEM;
	states->stopped = stopped;
	states->raw = options->raw_stacks;
	if (source->states)
		err = source->states(feed, take_subbuf, states);
	else
		err = run_session(source, options, tgid, while_waiting, context, states);
	if (!err)
		err = scope_capture_stopped_write(stopped, writer, while_waiting, context);
	if (err) {
		scope_capture_states_destroy(states);
		return err;
	}
	*ret_states = states;
	return 0;
}

void scope_capture_states_destroy(struct scope_states *states)
{
	if (!states)
		return;
	for (size_t i = 0; i < states->count; i++)
		free(states->subbuf[i]);
	free(states->subbuf);
	free(states);
}

/* Copies the data of the event, without values that may be memory of the target. */
static void blank(struct scope_event *event, struct scope_record_state *record, uint64_t *reg)
{
	*record = *event->state.record;
	memcpy(reg, event->state.reg, record->regs * sizeof(*reg));
	scope_trace_blank_state(record, reg);
	event->state.record = record;
	event->state.reg = reg;
}

static int pack_states(const struct scope_states *states, const struct scope_subbuf *subbuf,
		       struct scope_packer *packer, uint64_t *last_ns)
{
	struct scope_record_state record;
	uint64_t reg[SCOPE_REG_MAX];
	struct scope_decoder decoder = { 0 };
	struct scope_event event;
	int err = 0;

	if (scope_trace_decoder_begin(&decoder, subbuf, subbuf->used_bytes))
		return 0;
	while (!err && scope_trace_decoder_peek(&decoder) && !scope_trace_decoder_take(&decoder, &event)) {
		if (event.kind != SCOPE_EVENT_STATE || !(event.flags & SCOPE_STATE_AT_STOP))
			continue;
		if (!states->raw)
			blank(&event, &record, reg);
		event.cpu = SCOPE_FRAME_CPU_STATES;
		/* Here the records of several CPUs follow one another. */
		if (event.time_ns < *last_ns)
			event.time_ns = *last_ns;
		*last_ns = event.time_ns;
		err = scope_trace_packer_event(packer, &event, NULL);
	}
	return err;
}

int scope_capture_states_write(const struct scope_states *states, struct scope_writer *writer)
{
	struct scope_packer *packer;
	uint64_t last_ns = 0;
	int err = scope_trace_packer_create(writer, 0, &packer);

	for (size_t i = 0; i < states->count && !err; i++)
		err = pack_states(states, states->subbuf[i], packer, &last_ns);
	if (!err)
		err = scope_trace_packer_flush(packer, NULL);
	scope_trace_packer_destroy(packer);
	return err;
}
