// SPDX-License-Identifier: GPL-2.0-only
/* Names the functions that others wait for, by the stacks taken during these waits. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "waits/paths.h"
#include "waits/stack_function.h"
#include "waits/waits.h"

#define STACKS_MAX 20000 /* that are used; of more every n-th */

struct namer {
	struct scope_waits *waits; /* NULL: paths are named */
	struct scope_paths *paths;
	struct scope_trace *trace;
	struct scope_stack_functions functions;
	uint64_t wanted, every, number;
	size_t capacity;
};

/* True if another thread waited for the stack's thread, which ran or slept. */
static bool is_wanted(const struct scope_waits *waits, const struct scope_logged_stack *logged, uint8_t *ret_kind)
{
	const struct scope_unit_stack *stack = &logged->stack;
	const bool sample = scope_unit_logged_ran(logged);

	*ret_kind = sample			      ? SCOPE_BOTTLENECK_RUNS
		    : stack->class == SCOPE_WAIT_DISK ? SCOPE_BOTTLENECK_DISK
						      : SCOPE_BOTTLENECK_HOLDS;
	if (stack->stopped_stack || stack->thread >= waits->threads || (!sample && !stack->slept_ns))
		return false;
	return scope_waits_covers_has(&waits->kept[*ret_kind], stack->thread,
				      sample ? logged->time_ns : stack->wake_ns - 1);
}

static int count_stack(void *user, const struct scope_logged_stack *logged)
{
	struct namer *namer = user;
	uint8_t kind;

	namer->wanted += is_wanted(namer->waits, logged, &kind);
	return 0;
}

/* Boyer and Moore's vote, weighted: a call with more than half of the time wins, whatever the order. */
static void vote_call(struct scope_waits_function *function, uint16_t nr, double ns)
{
	if (function->nr == nr) {
		function->nr_ns += ns;
	} else if (ns <= function->nr_ns) {
		function->nr_ns -= ns;
	} else {
		function->nr = nr;
		function->nr_ns = ns - function->nr_ns;
	}
}

static int add(struct namer *namer, uint32_t group, uint8_t kind, const struct scope_function *function, uint16_t nr,
	       double ns)
{
	struct scope_waits *waits = namer->waits;
	size_t at = 0;

	while (at < waits->functions && (waits->function[at].function != function ||
					 waits->function[at].group != group || waits->function[at].kind != kind))
		at++;
	if (at == waits->functions) {
		if (scope_grow(&waits->function, &namer->capacity, at + 1, sizeof(*waits->function)))
			return -ENOMEM;
		waits->function[waits->functions++] = (struct scope_waits_function){
			.function = function,
			.group = group,
			.kind = kind,
			.nr = SCOPE_NR_NONE,
		};
	}
	if (kind != SCOPE_BOTTLENECK_RUNS)
		vote_call(&waits->function[at], nr, ns);
	waits->function[at].stacks++;
	waits->function[at].share += ns;
	return 0;
}

static int name_stack(void *user, const struct scope_logged_stack *logged)
{
	struct namer *namer = user;
	const uint32_t group =
		logged->stack.thread < namer->waits->threads ? namer->waits->of_thread[logged->stack.thread] : 0;
	const struct scope_function *function;
	uint8_t kind;
	int err;

	if (!is_wanted(namer->waits, logged, &kind) || namer->number++ % namer->every)
		return 0;
	err = scope_waits_stack_function(&namer->functions, logged, &function);
	if (err)
		return err;
	return add(namer, group, kind, function, logged->stack.nr,
		   kind == SCOPE_BOTTLENECK_RUNS ? (double)scope_unit_logged_run_ns(namer->trace, logged)
						 : (double)logged->stack.slept_ns);
}

/* By group; in a group those that ran first; then by time, ties by name. */
static int compare(const void *left, const void *right)
{
	const struct scope_waits_function *a = left, *b = right;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->share != b->share)
		return a->share > b->share ? -1 : 1;
	if (!a->function || !b->function)
		return !a->function - !b->function;
	return strcmp(a->function->name, b->function->name);
}

/* Converts times to shares of the sum of the group's stacks. */
static void divide(struct scope_waits *waits)
{
	for (size_t i = 0, end; i < waits->functions; i = end) {
		double sum = 0;

		for (end = i; end < waits->functions && waits->function[end].group == waits->function[i].group &&
			      waits->function[end].kind == waits->function[i].kind;
		     end++)
			sum += waits->function[end].share;
		for (size_t j = i; j < end; j++)
			waits->function[j].share = sum > 0 ? waits->function[j].share / sum : 0;
	}
}

static int name_all(struct namer *namer, struct scope_unit_log *log)
{
	int err = scope_unit_log_stacks(log, count_stack, namer);

	namer->every = 1 + namer->wanted / STACKS_MAX;
	return err ? err : scope_unit_log_stacks(log, name_stack, namer);
}

static int run(struct namer *namer, struct scope_symbols *symbols, struct scope_unit_log *log,
	       int (*name)(struct namer *, struct scope_unit_log *))
{
	int err = scope_waits_stack_functions_init(&namer->functions, namer->trace, symbols);

	if (!err)
		err = name(namer, log);
	scope_waits_stack_functions_free(&namer->functions);
	return err;
}

int scope_waits_name(struct scope_waits *waits, struct scope_trace *trace, struct scope_unit_log *log,
		     struct scope_symbols *symbols)
{
	struct namer namer = { .waits = waits, .trace = trace };
	int err = run(&namer, symbols, log, name_all);

	if (err)
		return err;
	if (waits->functions)
		qsort(waits->function, waits->functions, sizeof(*waits->function), compare);
	divide(waits);
	return 0;
}

/* The part of a path that the stack was taken in; NULL: none. */
static struct scope_path_part *part_of(const struct scope_slow_path *path, uint32_t thread, uint64_t time_ns,
				       bool sample)
{
	if (time_ns < path->begin_ns || time_ns >= path->end_ns)
		return NULL;
	for (size_t i = 0; i < path->parts; i++) {
		const struct scope_part *part = &path->part[i].part;
		const bool slept = part->end == SCOPE_END_OUTSIDE || part->end == SCOPE_END_PROCESS;

		if (part->thread == thread && time_ns >= part->begin_ns && time_ns < part->end_ns &&
		    (sample ? part->end == SCOPE_END_RUNS : slept))
			return &path->part[i];
	}
	return NULL;
}

/* Keeps the function of most of its stacks (R. S. Boyer, J. S. Moore, "MJRTY: A Fast Majority Vote Algorithm"). */
static void vote(struct scope_path_part *part, const struct scope_function *function)
{
	if (!part->stacks)
		part->function = function;
	if (part->function == function)
		part->stacks++;
	else
		part->stacks--;
}

static int name_part(void *user, const struct scope_logged_stack *logged)
{
	struct namer *namer = user;
	const bool sample = scope_unit_logged_ran(logged);
	const uint64_t time_ns = sample ? logged->time_ns : logged->stack.wake_ns - 1;
	int err = 0;

	if (logged->stack.stopped_stack || (!sample && !logged->stack.slept_ns))
		return 0;
	for (size_t i = 0; !err && i < namer->paths->count; i++) {
		struct scope_path_part *part = part_of(&namer->paths->path[i], logged->stack.thread, time_ns, sample);
		const struct scope_function *function;

		if (!part)
			continue;
		err = scope_waits_stack_function(&namer->functions, logged, &function);
		if (!err && function)
			vote(part, function);
	}
	return err;
}

static int name_parts(struct namer *namer, struct scope_unit_log *log)
{
	return scope_unit_log_stacks(log, name_part, namer);
}

int scope_waits_paths_name(struct scope_paths *paths, struct scope_trace *trace, struct scope_unit_log *log,
			   struct scope_symbols *symbols)
{
	struct namer namer = { .paths = paths, .trace = trace };

	return run(&namer, symbols, log, name_parts);
}
