// SPDX-License-Identifier: GPL-2.0-only
/* Finds the sleeps in one pass over the stacks of a log. */
#include "evidence/native_sleeps.h"

#include <stdlib.h>

#include "base/grow.h"
#include "interpreter/interpreter.h"

struct search {
	struct scope_trace *trace;
	struct scope_native_sleeps *sleeps;
};

static int compare_sleeps(const void *left, const void *right)
{
	const struct scope_native_sleep *a = left, *b = right;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return (a->enter_ns > b->enter_ns) - (a->enter_ns < b->enter_ns);
}

static bool has_made(const struct scope_event *event)
{
	for (uint32_t i = 0; i < event->stack.ips; i++)
		if (event->stack.ip[i] >= SCOPE_INTERPRETED_ON_STACKS)
			return true;
	return false;
}

static int note(void *context, const struct scope_logged_stack *logged)
{
	struct search *search = context;
	struct scope_native_sleeps *sleeps = search->sleeps;
	struct scope_event event;
	int err;

	if (logged->reason == SCOPE_STACK_SNAPSHOT || logged->stack.stopped_stack || scope_unit_logged_ran(logged))
		return 0;
	err = scope_unit_log_stack_at(search->trace, logged, &event);
	if (err || !has_made(&event))
		return err;
	err = scope_grow(&sleeps->sleep, &sleeps->room, sleeps->count + 1, sizeof(*sleeps->sleep));
	if (!err)
		sleeps->sleep[sleeps->count++] =
			(struct scope_native_sleep){ logged->stack.thread, logged->stack.enter_ns };
	return err;
}

int scope_evidence_native_sleeps_find(struct scope_unit_log *log, struct scope_trace *trace,
				      struct scope_native_sleeps *ret_sleeps)
{
	struct search search = { trace, ret_sleeps };
	const struct scope_trace_symbol *row;
	bool made = false;
	size_t count;
	int err = 0;

	*ret_sleeps = (struct scope_native_sleeps){ 0 };
	row = scope_trace_symbols(trace, &count);
	for (size_t i = 0; i < count && !made; i++)
		made = row[i].start >= SCOPE_INTERPRETED_ON_STACKS;
	if (made)
		err = scope_unit_log_stacks(log, note, &search);
	if (ret_sleeps->count)
		qsort(ret_sleeps->sleep, ret_sleeps->count, sizeof(*ret_sleeps->sleep), compare_sleeps);
	return err;
}

bool scope_evidence_native_sleeps_has(const struct scope_native_sleeps *sleeps, uint32_t thread, uint64_t enter_ns)
{
	const struct scope_native_sleep sleep = { thread, enter_ns };

	return sleeps->count && bsearch(&sleep, sleeps->sleep, sleeps->count, sizeof(sleep), compare_sleeps);
}

void scope_evidence_native_sleeps_free(struct scope_native_sleeps *sleeps)
{
	free(sleeps->sleep);
}
