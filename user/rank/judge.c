// SPDX-License-Identifier: GPL-2.0-only
/* Decides by the measures of a function if it is a finding. */
#include "rank/judge.h"

#include <math.h>

#define BUSY_LEFT_MIN 0.1  /* of the busy time, independent of other findings */
#define IN_DOUBT 0.5	   /* of the part that another explanation fits as well */
#define LONG_NS 1000000000 /* more than usual, with … */
#define LONG_TIMES 100	   /* … times the usual time: a request stood … */
#define LONG_UNITS_MIN 2   /* … and as many such requests are a finding */
#define ALONE_SHARE 0.9	   /* of the time of slow units: it is one function's … */
#define ALONE_TIMES 10	   /* … and this many times what a usual unit takes in all … */
#define ALONE_UNITS_MIN 10 /* … in this many units: shares need not show it */
#define BYTES_EXPLAIN 0.5  /* of the excess of the median unit, from which bytes are the reason that it runs longer */

bool scope_rank_is_kernel(const struct scope_rank_options *options, const struct scope_finding *finding)
{
	return finding->kind == SCOPE_FINDING_TIME && finding->kernel_share >= options->kernel_share &&
	       finding->bytes_more * options->byte_ns < BYTES_EXPLAIN * (finding->p50_ns - finding->usual_ns);
}

double scope_rank_doubt(const struct scope_finding *finding)
{
	if (scope_rank_finding_outside(finding))
		return IN_DOUBT;
	return finding->kind == SCOPE_FINDING_TIME ? finding->kernel_share * IN_DOUBT : 0;
}

/* Busy time of all groups, as if the functions found so far were fixed. */
static double busy_left(const struct scope_rank_input *input)
{
	double left_ns = input->detection->busy_ns;

	for (size_t i = 0; input->found && i < input->found->findings; i++)
		if (input->found->finding[i].kind > SCOPE_FINDING_SPIN)
			left_ns -= input->found->finding[i].excess_ns;
	return fmax(left_ns, BUSY_LEFT_MIN * input->detection->busy_ns);
}

/* Requests stood there for a second or more that take next to nothing otherwise: no chance puts two of them there. */
static bool stalled_long(const struct scope_finding *finding)
{
	return finding->serves && finding->units >= LONG_UNITS_MIN && finding->p50_ns - finding->usual_ns >= LONG_NS &&
	       finding->p50_ns >= LONG_TIMES * finding->usual_ns;
}

/*
 * True if slow units run in this function and nowhere else, ten times as long as a whole usual unit. A share cannot
 * grow if usual units run nothing else either (a program whose functions are all inlined into one), and is not known
 * if they are too short for a sample. What slows all functions alike (a shared core, memory, a lower frequency) makes
 * none of them run that long.
 */
static bool runs_alone(const struct scope_rank_options *options, const struct scope_finding *finding)
{
	return finding->kind == SCOPE_FINDING_TIME && finding->of_slow >= ALONE_SHARE &&
	       finding->p50_ns >= ALONE_TIMES * finding->usual_ns && finding->units >= ALONE_UNITS_MIN &&
	       finding->kernel_share < options->kernel_share;
}

enum scope_rank_rule scope_rank_judge(const struct scope_rank_input *input, const struct scope_finding *finding)
{
	const struct scope_rank_options *options = input->options;
	/* If the kernel may be the cause as well, up to twice the odds are needed. */
	const double doubt = scope_rank_finding_outside(finding) ? 0 : scope_rank_doubt(finding);
	const bool few = finding->freezes || stalled_long(finding);
	const bool grew = finding->of_growth * (1 - doubt) >= options->growth_share;
	const bool alone = runs_alone(options, finding);

	if (!(finding->excess_ns >= options->excess_share * busy_left(input)))
		return SCOPE_RULE_EXCESS;
	/* One stall for which many threads waited is enough, and it is in one half of the window. */
	if (!few && (finding->units < options->units_min || !(finding->units_at_first >= options->units_at_first_min)))
		return SCOPE_RULE_UNITS;
	if (!grew && !alone && !(finding->odds * (1 - doubt) >= options->odds_min))
		return SCOPE_RULE_ODDS;
	if (!grew && !alone && !(finding->times >= options->times_min || finding->odds >= options->odds_alone))
		return SCOPE_RULE_TIMES;
	if (few)
		return SCOPE_RULE_NONE;
	if (!alone && !(finding->chance_z >= options->chance_z))
		return SCOPE_RULE_CHANCE;
	if (!(finding->half_share >= options->half_share))
		return SCOPE_RULE_HALVES;
	/*
	 * The time is so short that no client notices it, and nobody who looks at the load. If no thread waits for
	 * it, it may be longer.
	 */
	if (!(finding->p50_ns - finding->usual_ns >= (finding->serves ? options->served_ns : options->floor_ns)) &&
	    !(finding->window_share >= (finding->serves ? options->served_share : options->floor_share)))
		return SCOPE_RULE_FLOOR;
	return SCOPE_RULE_NONE;
}
