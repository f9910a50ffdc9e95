// SPDX-License-Identifier: GPL-2.0-only
/* Adds the units of a trace that is being written to metrics, a while after they ended. */
#include "analysis/settled_units.h"

#define SETTLES_NS 1000000000ull /* no rule: after that hardly anything is learned about a unit or a sleep */

int scope_analysis_settle_units(struct scope_settled_units *settled, struct scope_stream *stream,
				struct scope_metrics *metrics, uint64_t now_ns)
{
	const unsigned restarts = scope_analysis_stream_restarts(stream);
	const struct scope_found_units *found;
	int err;

	if (now_ns < settled->noted_ns + SETTLES_NS)
		return 0;
	err = scope_analysis_stream_so_far(stream, &found);
	if (err || !found)
		return err;
	/* After a restart the metrics have no units, and the place is one of a log that is gone. */
	if (settled->restarts == restarts)
		err = scope_metrics_take_units_until(metrics, found->distributions, found->groups, &settled->place);
	settled->place = scope_unit_log_end(found->distributions->log);
	settled->noted_ns = now_ns;
	settled->restarts = restarts;
	return err;
}
