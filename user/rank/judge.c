// SPDX-License-Identifier: GPL-2.0-only
/* Decides by the measures of a function if it is a finding. */
#include "rank/judge.h"

#include <math.h>

#define BUSY_LEFT_MIN 0.1  /* share of the busy time, independent of other findings */
#define IN_DOUBT 0.5	   /* of the part that another explanation fits as well */
#define LONG_NS 1000000000 /* time above the usual, with … */
#define LONG_TIMES 100	   /* … this many times the usual time: a request stood still … */
#define LONG_UNITS_MIN 2   /* … and as many such requests are a finding */
#define ALONE_SHARE 0.9	   /* share of the time of slow units that one function has … */
#define ALONE_TIMES 10	   /* … and this many times what a usual unit takes in all … */
#define ALONE_UNITS_MIN 10 /* … in this many units, or in units_min for LONG_TIMES */
#define GREW_Z 2	   /* standard errors by which a unit is in it for longer, if all units take longer */
#define REST_ALIKE 0.5	   /* part of its growth: if all else grew by more than this, all else grew as well */
#define PACE_EXPLAINS 0.5  /* part of the growth of units, from which on a slower machine is the reason */
#define BYTES_EXPLAIN 0.5  /* part of the excess of the median unit, from which on bytes are the reason for it */

bool scope_rank_bytes_explain(const struct scope_rank_options *options, const struct scope_finding *finding)
{
	return finding->bytes_more * options->byte_ns >= BYTES_EXPLAIN * (finding->p50_ns - finding->usual_ns);
}

bool scope_rank_is_kernel(const struct scope_rank_options *options, const struct scope_finding *finding)
{
	return finding->kind == SCOPE_FINDING_TIME && finding->kernel_alike_share >= options->kernel_share &&
	       !scope_rank_bytes_explain(options, finding);
}

double scope_rank_doubt(const struct scope_finding *finding)
{
	if (scope_rank_finding_outside(finding))
		return IN_DOUBT;
	return finding->kind == SCOPE_FINDING_TIME ? finding->kernel_alike_share * IN_DOUBT : 0;
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

/* Requests that usually take almost no time stood still there for a second or more. Two of them are no chance. */
static bool stalled_long(const struct scope_finding *finding)
{
	return finding->serves && finding->units >= LONG_UNITS_MIN && finding->p50_ns - finding->usual_ns >= LONG_NS &&
	       finding->p50_ns >= LONG_TIMES * finding->usual_ns;
}

/* Runs, or waits inside the program for something that the thread chose to wait for: not somewhere in the kernel. */
static bool chose(const struct scope_finding *finding)
{
	return finding->kind == SCOPE_FINDING_TIME || finding->wait.class < SCOPE_WAIT_FAULT;
}

/*
 * True if slow units take ten times as long in this function alone as a whole usual unit, and hardly run or wait for anything else inside,
 * or for all else not nearly as much longer. A share cannot grow by much if usual units run little else either (a program whose functions are
 * all inlined into one), and is not known if they are too short for a sample. What slows all functions alike (a shared core, memory, a
 * lower frequency) makes none of them run that long.
 */
static bool runs_alone(const struct scope_rank_options *options, const struct scope_finding *finding)
{
	const bool waits = finding->kind == SCOPE_FINDING_WAIT && !scope_rank_finding_outside(finding);
	const double here_ns = finding->of_slow * finding->p50_ns;
	/* In each of these units, and in all of the time that is left to explain. */
	const bool is_long = finding->usual_ns > 0 &&
			     fmin(here_ns, finding->excess_ns / finding->units) >= LONG_TIMES * finding->usual_ns;
	const double least = is_long ? options->units_min : ALONE_UNITS_MIN;

	return (finding->kind == SCOPE_FINDING_TIME || waits) &&
	       (finding->of_slow >= ALONE_SHARE || (chose(finding) && finding->odds >= options->odds_min)) &&
	       here_ns >= ALONE_TIMES * finding->usual_ns && finding->units >= least &&
	       finding->kernel_alike_share < options->kernel_share;
}

/* A finding, and what several rules ask of it. */
struct judged {
	const struct scope_rank_input *input;
	const struct scope_rank_options *options;
	const struct scope_finding *finding;
	double sure; /* 1 minus the part in doubt: up to twice the odds are needed if the kernel may be the cause as well */
	bool few, grew, alone; /* a few units are enough; most of the growth is here; slow units run here alone */
	bool paced;	       /* the machine is not why units take longer */
};

static bool enough_excess(const struct judged *judged)
{
	return judged->finding->excess_ns >= judged->options->excess_share * busy_left(judged->input);
}

/* One stall for which many threads waited is enough. */
static bool enough_units(const struct judged *judged)
{
	const struct scope_rank_options *options = judged->options;

	return judged->few || (judged->finding->units >= options->units_min &&
			       judged->finding->units_at_first >= options->units_at_first_min);
}

static bool enough_odds(const struct judged *judged)
{
	return judged->grew || judged->alone || judged->finding->odds * judged->sure >= judged->options->odds_min;
}

static bool enough_times(const struct judged *judged)
{
	return judged->grew || judged->alone || judged->finding->times >= judged->options->times_min ||
	       judged->finding->odds >= judged->options->odds_alone;
}

/* If something slows all functions alike (a shared cache, a lower frequency), no function is responsible. */
static bool grew_alike(const struct scope_finding *finding)
{
	return finding->rest_z >= GREW_Z && finding->rest_times - 1 > REST_ALIKE * (finding->times - 1);
}

/* Its units make a call several times as often as usual ones, which is counted, so less is asked of the stacks. */
static bool counts_calls(const struct scope_finding *finding)
{
	return finding->kind == SCOPE_FINDING_CALLS && finding->chance_z >= GREW_Z;
}

/*
 * Its part of the time cannot grow by much if nearly all of the time was its own before. Then it is enough that a unit is in it for
 * longer, unless a slower machine, or what slows all else, too, explains that. That units take longer as a whole is beyond
 * chance already, so less is asked of which function does.
 */
static bool beyond_chance(const struct judged *judged)
{
	const double least = judged->options->chance_z;

	return judged->few || judged->alone || counts_calls(judged->finding) || judged->finding->chance_z >= least ||
	       (judged->grew && judged->paced && judged->finding->growth_z >= GREW_Z && !grew_alike(judged->finding));
}

/* If something happened in a single moment (the host stood still, a disk was written), no function is responsible. */
static bool spread_out(const struct judged *judged)
{
	return judged->few || judged->finding->spread >= judged->options->spread;
}

/*
 * Below the floor the time is too short for clients to notice, and too little to change the load. If no thread waits
 * for it, the floor is higher.
 */
static bool above_floor(const struct judged *judged)
{
	const struct scope_rank_options *options = judged->options;
	const struct scope_finding *finding = judged->finding;

	return judged->few ||
	       finding->p50_ns - finding->usual_ns >= (finding->asks ? options->served_ns : options->floor_ns) ||
	       finding->window_share >= (finding->asks ? options->served_share : options->floor_share);
}

/* A finding meets all of them; they are looked at in this order. */
static const struct {
	const char *name;
	bool (*meets)(const struct judged *judged);
} rules[] = {
	[SCOPE_RULE_EXCESS] = { "excess", enough_excess },
	[SCOPE_RULE_UNITS] = { "units", enough_units },
	[SCOPE_RULE_ODDS] = { "odds", enough_odds },
	[SCOPE_RULE_TIMES] = { "times", enough_times },
	[SCOPE_RULE_CHANCE] = { "chance", beyond_chance },
	[SCOPE_RULE_SPREAD] = { "spread", spread_out },
	[SCOPE_RULE_FLOOR] = { "floor", above_floor },
	[SCOPE_RULE_PARTS] = { "parts", NULL }, /* of callers alone, see rank.c */
};

const char *scope_rank_rule_name(enum scope_rank_rule rule)
{
	return rules[rule].name;
}

enum scope_rank_rule scope_rank_judge(const struct scope_rank_input *input, const struct scope_finding *finding)
{
	const double doubt = scope_rank_finding_outside(finding) ? 0 : scope_rank_doubt(finding);
	const struct judged judged = {
		.input = input,
		.options = input->options,
		.finding = finding,
		.sure = 1 - doubt,
		.few = finding->freezes || stalled_long(finding),
		.grew = finding->of_growth * (1 - doubt) >= input->options->growth_share,
		.alone = runs_alone(input->options, finding),
		.paced = input->pace > 0 && input->pace - 1 < PACE_EXPLAINS * (finding->grown - 1),
	};

	for (enum scope_rank_rule rule = SCOPE_RULE_EXCESS; rule < SCOPE_RULE_PARTS; rule++)
		if (!rules[rule].meets(&judged))
			return rule;
	return SCOPE_RULE_NONE;
}
