/* SPDX-License-Identifier: GPL-2.0-only */
/* Which function of the program a stack of the trace was taken in. */
#ifndef SCOPE_WAITS_STACK_FUNCTION_H
#define SCOPE_WAITS_STACK_FUNCTION_H

#include "evidence/stack_node.h"

/* Stacks need a tree of their own. A zeroed struct is empty. */
struct scope_stack_functions {
	struct scope_trace *trace;
	struct scope_evidence *evidence; /* for its tree */
	struct scope_stack_nodes nodes;
};

/* The arguments must outlive it. 0 or -ENOMEM; free it in any case. */
int scope_waits_stack_functions_init(struct scope_stack_functions *functions, struct scope_trace *trace,
				     struct scope_symbols *symbols);
void scope_waits_stack_functions_free(struct scope_stack_functions *functions);
/* *ret_function: the stack's innermost function of the program; NULL: it has none. 0 or -errno. */
int scope_waits_stack_function(struct scope_stack_functions *functions, const struct scope_logged_stack *logged,
			       const struct scope_function **ret_function);

#endif
