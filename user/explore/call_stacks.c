// SPDX-License-Identifier: GPL-2.0-only
/* Adds the stacks that were taken in one edge, and the functions of the kernel, to the call paths. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "explore/call_paths.h"
#include "unit/log.h"

/* Maps the functions of one trace to numbers of the table. */
struct known {
	uint32_t *number; /* by id of the function, plus one; 0: not met */
	size_t count, capacity;
};

/* Finds the same function of an earlier trace, by name. */
static struct scope_call_function *find_function(struct scope_call_paths *paths, const struct scope_function *function)
{
	for (size_t i = 0; i < paths->functions; i++) {
		struct scope_call_function *one = &paths->function[i];

		if (!one->kernel && !strncmp(one->name, function->name, sizeof(one->name) - 1) &&
		    !strncmp(one->module, function->module, sizeof(one->module) - 1))
			return one;
	}
	return NULL;
}

/* Gets the number of a function in the table. 0 or -ENOMEM. */
static int number_of(struct scope_call_paths *paths, struct known *known, const struct scope_function *function,
		     uint32_t tgid, uint64_t address, bool after_call, uint32_t *ret_number)
{
	struct scope_call_function *one;

	if (scope_grow(&known->number, &known->capacity, function->id + 1ul, sizeof(*known->number)))
		return -ENOMEM;
	for (; known->count <= function->id; known->count++)
		known->number[known->count] = 0;
	if (!known->number[function->id]) {
		one = find_function(paths, function);
		if (!one) {
			one = scope_explore_call_paths_function(paths, function->name, function->module);
			if (!one)
				return -ENOMEM;
			one->library = function->library;
			one->known = function->known;
			one->inside = (struct scope_call_site){ tgid, address };
			one->after_call = after_call;
		}
		known->number[function->id] = (uint32_t)(one - paths->function) + 1;
	}
	*ret_number = known->number[function->id] - 1;
	return 0;
}

static void add_site(struct scope_call_function *function, uint32_t tgid, uint64_t address)
{
	for (unsigned i = 0; i < function->sites; i++)
		if (function->site[i].address == address)
			return;
	if (function->sites < SCOPE_CALL_PATH_SITES)
		function->site[function->sites++] = (struct scope_call_site){ tgid, address };
}

/* Adds the functions of a stack, outermost first; a function that calls itself is listed once. 0 or -ENOMEM. */
static int add_stack(struct scope_call_paths *paths, struct known *known, struct scope_symbols *symbols, uint32_t tgid,
		     const struct scope_event *event, double weight_ns)
{
	uint32_t number[SCOPE_CALL_PATH_DEPTH], reversed[SCOPE_CALL_PATH_DEPTH];
	const unsigned ips = event->stack.ips < SCOPE_CALL_PATH_DEPTH ? event->stack.ips : SCOPE_CALL_PATH_DEPTH;
	unsigned depth = 0;
	bool named = false;

	for (unsigned i = 0; i < ips; i++) {
		const struct scope_function *function;
		int err = scope_symbols_lookup(symbols, tgid, event->stack.ip[i], i > 0, &function);

		if (!err)
			err = number_of(paths, known, function, tgid, event->stack.ip[i], i > 0, &number[depth]);
		if (err)
			return err;
		named |= !function->library;
		if (depth && number[depth] == number[depth - 1])
			continue;
		/* The callee returns to this frame. */
		if (depth)
			add_site(&paths->function[number[depth - 1]], tgid, event->stack.ip[i]);
		depth++;
	}
	paths->stacks++;
	paths->nameless += !named;
	for (unsigned i = 0; i < depth; i++)
		reversed[i] = number[depth - 1 - i];
	return depth ? scope_explore_call_paths_put(paths, reversed, depth, weight_ns) : 0;
}

int scope_explore_call_paths_add(struct scope_call_paths *paths, const struct scope_round *round, uint32_t kind,
				 uint64_t hash, uint64_t edge, double only_slow, struct scope_trace *trace,
				 struct scope_symbols *symbols)
{
	struct known known = { 0 };
	int err = 0;

	for (size_t i = 0; i < round->stacks && !err; i++) {
		const struct scope_round_stack *one = &round->stack[i];
		const double ns = one->ns > 0 ? one->ns : (double)scope_trace_sample_ns(trace, one->stack.time_ns);
		struct scope_event event;

		if (one->kind != kind || one->edge != edge || (hash && one->hash != hash) || one->own_ns <= only_slow)
			continue;
		err = scope_unit_log_stack_at(trace, &one->stack, &event);
		/* A stack that was not unwound during the capture has no addresses. */
		if (!err && event.stack.ips && event.stack.ip)
			err = add_stack(paths, &known, symbols, one->stack.tgid, &event, ns);
	}
	free(known.number);
	return err;
}

int scope_explore_call_paths_kernel(struct scope_call_paths *paths, const char *const *name, unsigned depth,
				    double weight_ns)
{
	uint32_t number[SCOPE_CALL_PATH_DEPTH];

	if (depth > SCOPE_CALL_PATH_DEPTH)
		depth = SCOPE_CALL_PATH_DEPTH;
	for (unsigned i = 0; i < depth; i++) {
		size_t at = 0;

		while (at < paths->functions &&
		       (!paths->function[at].kernel || strcmp(paths->function[at].name, name[i]) != 0))
			at++;
		if (at == paths->functions) {
			struct scope_call_function *one = scope_explore_call_paths_function(paths, name[i], "[kernel]");

			if (!one)
				return -ENOMEM;
			one->kernel = one->known = true;
		}
		number[i] = (uint32_t)at;
	}
	paths->stacks++;
	return depth ? scope_explore_call_paths_put(paths, number, depth, weight_ns) : 0;
}
