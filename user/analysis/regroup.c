// SPDX-License-Identifier: GPL-2.0-only
/* Cuts units once more, by the roles of threads, if stacks show other roles than their names. */
#include "analysis/regroup.h"

#include <stdlib.h>

#include "server/call_groups.h"
#include "unit/group_named.h"

static int cut_again(struct scope_trace *trace, const struct scope_listeners *listeners,
		     const char (*name)[SCOPE_PLAIN_COMM_BYTES], struct scope_found_units *found)
{
	struct scope_found_units again = { .pickups = found->pickups };
	int err;

	found->pickups = NULL;
	scope_analysis_found_units_destroy(found);
	err = scope_unit_groups_create_named(again.pickups, name, &again.groups);
	if (!err)
		err = scope_unit_distributions_run(trace, again.pickups, again.groups, listeners, &again.distributions);
	if (err)
		scope_analysis_found_units_destroy(&again);
	else
		*found = again;
	return err;
}

int scope_analysis_regroup(struct scope_trace *trace, struct scope_symbols *symbols,
			   const struct scope_listeners *listeners, struct scope_found_units *found)
{
	char(*names)[SCOPE_PLAIN_COMM_BYTES];
	int err = scope_server_call_groups_name(trace, symbols, found->distributions, found->groups, found->pickups,
						&names);

	if (!err && names)
		err = cut_again(trace, listeners, (const char(*)[SCOPE_PLAIN_COMM_BYTES])names, found);
	free(names);
	return err;
}
