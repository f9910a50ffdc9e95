// SPDX-License-Identifier: GPL-2.0-only
/* Names the functions in which the time of edges varies, by the stacks taken inside them. */
#include "variance/edge_functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "waits/stack_function.h"

#define FUNCTIONS_MAX 4096 /* no rule: of one kind: pairs of an edge and a function */

int scope_variance_stacks_add(struct scope_edge_stacks *stacks, const struct scope_edge_stack *stack)
{
	if (!stacks->every)
		stacks->every = 1;
	if (stacks->number++ % stacks->every)
		return 0;
	if (stacks->count == SCOPE_EDGE_STACKS_MAX) {
		stacks->count /= 2;
		stacks->every *= 2;
		for (size_t i = 0; i < stacks->count; i++)
			stacks->stack[i] = stacks->stack[2 * i];
		/* The next one to keep is determined by the new step. */
		if ((stacks->number - 1) % stacks->every)
			return 0;
	}
	if (scope_grow(&stacks->stack, &stacks->capacity, stacks->count + 1, sizeof(*stacks->stack)))
		return -ENOMEM;
	stacks->stack[stacks->count++] = *stack;
	return 0;
}

static int add_function(struct scope_variance_kind *kind, size_t *capacity, const struct scope_edge_stack *stack,
			const struct scope_function *function, double ns)
{
	size_t at = 0;

	while (at < kind->functions &&
	       (kind->function[at].edge != stack->edge || kind->function[at].function != function))
		at++;
	if (at == FUNCTIONS_MAX)
		return 0;
	if (at == kind->functions) {
		if (scope_grow(&kind->function, capacity, at + 1, sizeof(*kind->function)))
			return -ENOMEM;
		kind->function[kind->functions++] =
			(struct scope_edge_function){ .edge = stack->edge, .function = function };
	}
	kind->function[at].stacks++;
	scope_variance_part_add(&kind->function[at].sums, ns, stack->shifted_ns, (enum scope_band)stack->band);
	return 0;
}

static int name_all(const struct scope_edge_stacks *stacks, struct scope_stack_functions *functions,
		    struct scope_variance_kind *kind, size_t *capacity)
{
	int err = 0;

	for (size_t i = 0; !err && i < stacks->count; i++) {
		const struct scope_edge_stack *stack = &stacks->stack[i];
		const double ns = stack->ns > 0 ? stack->ns
						: (double)scope_trace_sample_ns(functions->trace, stack->stack.time_ns);
		const struct scope_function *function;

		err = scope_waits_stack_function(functions, &stack->stack, &function);
		if (!err)
			err = add_function(&kind[stack->kind], &capacity[stack->kind], stack, function,
					   ns * (double)stacks->every);
	}
	return err;
}

int scope_variance_stacks_name(const struct scope_edge_stacks *stacks, struct scope_trace *trace,
			       struct scope_symbols *symbols, struct scope_variance_kind *kind, size_t kinds)
{
	struct scope_stack_functions functions;
	size_t *capacity = calloc(kinds + 1, sizeof(*capacity));
	int err = scope_waits_stack_functions_init(&functions, trace, symbols);

	if (!err)
		err = capacity ? name_all(stacks, &functions, kind, capacity) : -ENOMEM;
	scope_waits_stack_functions_free(&functions);
	free(capacity);
	return err;
}

void scope_variance_stacks_free(struct scope_edge_stacks *stacks)
{
	free(stacks->stack);
	*stacks = (struct scope_edge_stacks){ 0 };
}
