// SPDX-License-Identifier: GPL-2.0-only
/* Finds why a function's units may always have taken as long. */
#include "rank/by_design.h"

#define KNOWN_STACKS 5 /* stacks of usual units in a function, from which on they show what it usually costs */

#define ROUND_TRIP_NS 500000 /* within a data centre (J. Dean, "Numbers Everyone Should Know") */
#define SHORT_FLOORS 2.5     /* times floor_ns that kinds of requests differ by, … */
#define SHORT_TIMES 10	     /* … if it is less than as many times the usual time */

const char *const scope_rank_by_design_name[SCOPE_BY_DESIGNS] = {
	[SCOPE_BY_DESIGN_LARGER] = "larger",
	[SCOPE_BY_DESIGN_NOT_USUAL] = "not-usual",
	[SCOPE_BY_DESIGN_UNSIZED] = "unsized",
	[SCOPE_BY_DESIGN_SHORT] = "short",
};

const char *scope_rank_by_design_text(enum scope_by_design by_design)
{
	static const char *const text[SCOPE_BY_DESIGNS] = {
		[SCOPE_BY_DESIGN_LARGER] = "they have more bytes, and may take longer by design",
		[SCOPE_BY_DESIGN_NOT_USUAL] = "usual ones hardly run it, so these may take longer by design",
		[SCOPE_BY_DESIGN_UNSIZED] = "how much was asked for is not known, so they may take longer by design",
		[SCOPE_BY_DESIGN_SHORT] = "kinds of requests differ by as little by design",
	};

	return text[by_design];
}

/*
 * Applies without a baseline, and if units are not compared by size already. Nobody designs a freeze, or a slow disk or
 * peer.
 */
static bool is_of_one_trace(const struct scope_rank_input *input, const struct scope_finding *finding)
{
	const bool longer = finding->kind == SCOPE_FINDING_TIME || finding->kind == SCOPE_FINDING_CALLS ||
			    finding->kind == SCOPE_FINDING_WAIT;

	return longer && !scope_rank_finding_freezes(finding) && !scope_rank_finding_outside(finding) &&
	       !input->reference && !input->detection->population[finding->population].size;
}

bool scope_rank_short(const struct scope_rank_options *options, const struct scope_finding *finding)
{
	const double longer_ns = finding->p50_ns - finding->usual_ns;

	return longer_ns < ROUND_TRIP_NS ||
	       (longer_ns < SHORT_FLOORS * options->floor_ns && finding->p50_ns < SHORT_TIMES * finding->usual_ns);
}

/* Threads that get requests from others do not read them. */
static bool is_unsized(const struct scope_rank_input *input, const struct scope_finding *finding)
{
	return finding->serves && !input->units->groups->group[finding->group].reads;
}

enum scope_by_design scope_rank_by_design(const struct scope_rank_input *input, const struct scope_finding *finding)
{
	if (!is_of_one_trace(input, finding))
		return SCOPE_BY_DESIGN_NO;
	if (finding->bytes_more > 0 && scope_rank_bytes_explain(input->options, finding))
		return SCOPE_BY_DESIGN_LARGER;
	if (finding->usual_stacks < KNOWN_STACKS)
		return SCOPE_BY_DESIGN_NOT_USUAL;
	if (is_unsized(input, finding))
		return SCOPE_BY_DESIGN_UNSIZED;
	return finding->usual_ns > 0 && scope_rank_short(input->options, finding) ? SCOPE_BY_DESIGN_SHORT
										  : SCOPE_BY_DESIGN_NO;
}

bool scope_rank_in_proportion(const struct scope_rank_input *input, const struct scope_finding *finding)
{
	return is_of_one_trace(input, finding) && finding->bytes_times > 1 &&
	       finding->p50_ns <= finding->bytes_times * finding->usual_ns &&
	       scope_rank_bytes_explain(input->options, finding);
}
