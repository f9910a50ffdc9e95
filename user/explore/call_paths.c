// SPDX-License-Identifier: GPL-2.0-only
/* The call paths of the stacks that were taken in one edge. */
#include "explore/call_paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "unit/log.h"

/* Maps the functions of one trace to numbers of the table. */
struct known {
	uint32_t *number; /* by id of the function, plus one; 0: not met */
	size_t count, capacity;
};

static struct scope_call_function *add_function(struct scope_call_paths *paths, const char *name, const char *module)
{
	struct scope_call_function *one;

	if (scope_grow(&paths->function, &paths->function_capacity, paths->functions + 1, sizeof(*paths->function)))
		return NULL;
	one = &paths->function[paths->functions++];
	*one = (struct scope_call_function){ 0 };
	snprintf(one->name, sizeof(one->name), "%s", name);
	snprintf(one->module, sizeof(one->module), "%s", module);
	return one;
}

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
			one = add_function(paths, function->name, function->module);
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

static bool is_path(const struct scope_call_path *path, const uint32_t *function, unsigned depth)
{
	return path->depth == depth && !memcmp(path->function, function, depth * sizeof(*function));
}

int scope_explore_call_paths_put(struct scope_call_paths *paths, const uint32_t *function, unsigned depth,
				 double weight_ns)
{
	struct scope_call_path *path = NULL;

	for (size_t i = 0; i < paths->paths && !path; i++)
		if (is_path(&paths->path[i], function, depth))
			path = &paths->path[i];
	if (!path) {
		if (scope_grow(&paths->path, &paths->path_capacity, paths->paths + 1, sizeof(*paths->path)))
			return -ENOMEM;
		path = &paths->path[paths->paths];
		*path = (struct scope_call_path){ .function = malloc((depth + 1) * sizeof(*function)), .depth = depth };
		if (!path->function)
			return -ENOMEM;
		memcpy(path->function, function, depth * sizeof(*function));
		paths->paths++;
	}
	path->weight_ns += weight_ns;
	path->stacks++;
	for (unsigned i = 0; i < depth; i++) {
		bool again = false;

		for (unsigned j = 0; j < i; j++)
			again |= function[j] == function[i];
		if (!again)
			paths->function[function[i]].stacks_ns += weight_ns;
	}
	return 0;
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
			struct scope_call_function *one = add_function(paths, name[i], "[kernel]");

			if (!one)
				return -ENOMEM;
			one->kernel = one->known = true;
		}
		number[i] = (uint32_t)at;
	}
	paths->stacks++;
	return depth ? scope_explore_call_paths_put(paths, number, depth, weight_ns) : 0;
}

static int by_weight(const void *left, const void *right)
{
	const struct scope_call_path *a = left, *b = right;

	if (a->weight_ns != b->weight_ns)
		return a->weight_ns > b->weight_ns ? -1 : 1;
	if (a->depth != b->depth)
		return a->depth < b->depth ? -1 : 1;
	for (unsigned i = 0; i < a->depth; i++)
		if (a->function[i] != b->function[i])
			return a->function[i] < b->function[i] ? -1 : 1;
	return 0;
}

void scope_explore_call_paths_end(struct scope_call_paths *paths)
{
	if (paths->paths)
		qsort(paths->path, paths->paths, sizeof(*paths->path), by_weight);
}

void scope_explore_call_paths_free(struct scope_call_paths *paths)
{
	for (size_t i = 0; i < paths->paths; i++)
		free(paths->path[i].function);
	free(paths->path);
	free(paths->function);
	*paths = (struct scope_call_paths){ 0 };
}
