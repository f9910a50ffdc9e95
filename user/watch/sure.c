// SPDX-License-Identifier: GPL-2.0-only
/* Decides if one analysis is enough for an incident. */
#include "watch/sure.h"

/*
 * A watch makes hundreds of analyses an hour, so with fewer slow requests than this some would pass the rules by
 * chance.
 */
#define SURE_UNITS 20

bool scope_watch_is_sure(const struct scope_finding *found)
{
	if (found->confidence <= SCOPE_CONFIDENCE_LOW)
		return false;
	return scope_rank_finding_stuck(found) || scope_rank_finding_freezes(found) || found->units >= SURE_UNITS;
}
