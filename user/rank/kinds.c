// SPDX-License-Identifier: GPL-2.0-only
/* Names of verdicts and kinds, and the findings of the requested kinds. */
#include "rank/kinds.h"

#include <stdio.h>

const char *const scope_rank_kind_name[SCOPE_FINDING_KINDS] = {
	[SCOPE_FINDING_HANG] = "hang",	     [SCOPE_FINDING_SPIN] = "spin", [SCOPE_FINDING_TIME] = "time",
	[SCOPE_FINDING_CALLS] = "calls",     [SCOPE_FINDING_WAIT] = "wait", [SCOPE_FINDING_LOCK] = "holds-lock",
	[SCOPE_FINDING_LATE] = "makes-wait",
};

const char *const scope_rank_verdict_name[SCOPE_VERDICTS] = {
	[SCOPE_VERDICT_NOTHING] = "nothing",   [SCOPE_VERDICT_HANG] = "hang",	    [SCOPE_VERDICT_SPIN] = "spin",
	[SCOPE_VERDICT_SLOWDOWN] = "slowdown", [SCOPE_VERDICT_FREEZES] = "freezes", [SCOPE_VERDICT_OUTSIDE] = "outside",
	[SCOPE_VERDICT_UNKNOWN] = "unknown",
};

const char *const scope_rank_confidence_name[SCOPE_CONFIDENCES] = {
	[SCOPE_CONFIDENCE_LOW] = "low",
	[SCOPE_CONFIDENCE_MEDIUM] = "medium",
	[SCOPE_CONFIDENCE_HIGH] = "high",
};

void scope_rank_kinds_keep(uint32_t kinds, struct scope_ranking *ranking)
{
	const char *first = ranking->findings ? scope_rank_kind_name[ranking->finding[0].kind] : "";
	size_t kept = 0;

	if (!kinds)
		return;
	for (size_t i = 0; i < ranking->findings; i++)
		if (kinds >> ranking->finding[i].kind & 1)
			ranking->finding[kept++] = ranking->finding[i];
	ranking->left_out = ranking->findings - kept;
	ranking->findings = kept;
	if (!kept && ranking->left_out)
		snprintf(
			ranking->reason, sizeof(ranking->reason),
			"No finding is of the kind asked for, and %zu %s, the first of kind %s: leave --kind out for all.",
			ranking->left_out, ranking->left_out == 1 ? "is of another" : "are of others", first);
}
