// SPDX-License-Identifier: GPL-2.0-only
/* Puts the function that runs before those that wait for it, where tasks of a runtime wait for one another. */
#include "rank/task_waits.h"

#include <string.h>

#include "rank/rank.h"

#define RUNS_MOST 0.5 /* share of the running time of the excess: this function runs while tasks wait */

static bool waits_for_task(const struct scope_finding *finding)
{
	return finding->kind == SCOPE_FINDING_WAIT && finding->wait.task && !finding->wait.held &&
	       finding->wait.class == SCOPE_WAIT_FUTEX;
}

static bool runs_most(const struct scope_finding *finding)
{
	const double run_ns = finding->evidence->tree.node[SCOPE_TREE_ROOT].total_run_ns;

	return (finding->kind == SCOPE_FINDING_TIME || finding->kind == SCOPE_FINDING_CALLS) && finding->by_stacks &&
	       run_ns > 0 && finding->excess_ns >= RUNS_MOST * run_ns;
}

void scope_rank_task_waits_order(struct scope_finding *finding, size_t count)
{
	size_t to = 0, from;

	while (to < count && scope_rank_finding_stuck(&finding[to]))
		to++;
	if (to == count || !waits_for_task(&finding[to]))
		return;
	for (from = to + 1; from < count && !runs_most(&finding[from]); from++)
		;
	if (from < count) {
		const struct scope_finding runs = finding[from];

		memmove(&finding[to + 1], &finding[to], (from - to) * sizeof(*finding));
		finding[to] = runs;
	}
}
