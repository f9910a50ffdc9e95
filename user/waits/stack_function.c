// SPDX-License-Identifier: GPL-2.0-only
/* Which function of the program a stack of the trace was taken in. */
#include "waits/stack_function.h"

#include <errno.h>
#include <stdlib.h>

int scope_waits_stack_functions_init(struct scope_stack_functions *functions, struct scope_trace *trace,
				     struct scope_symbols *symbols)
{
	*functions = (struct scope_stack_functions){ .trace = trace, .nodes.symbols = symbols };
	functions->evidence = functions->nodes.evidence = calloc(1, sizeof(*functions->evidence));
	return functions->evidence ? scope_evidence_tree_init(&functions->evidence->tree) : -ENOMEM;
}

void scope_waits_stack_functions_free(struct scope_stack_functions *functions)
{
	scope_evidence_destroy(functions->evidence);
	functions->evidence = NULL;
}

int scope_waits_stack_function(struct scope_stack_functions *functions, const struct scope_logged_stack *logged,
			       const struct scope_function **ret_function)
{
	struct scope_stack_node stack_node;
	struct scope_event event;
	int err = scope_unit_log_stack_at(functions->trace, logged, &event);

	if (!err)
		err = scope_evidence_stack_node_of_event(&functions->nodes, logged->tgid, &event, &stack_node);
	if (!err)
		*ret_function = stack_node.node ? functions->evidence->tree.node[stack_node.node].function : NULL;
	return err;
}
