// SPDX-License-Identifier: GPL-2.0-only
/* Compares a function's part of abnormal time with its part of usual time. */
#include "rank/shares.h"

#include <math.h>

#include "anomaly/robust.h"

double scope_rank_grown(const struct scope_population *population)
{
	return population->reference && !population->size ? population->grown : 0;
}

static double growth_of(const struct scope_shares *shares)
{
	if (shares->all_usual_ns <= 0)
		return 1;
	return fmax(1, fmin(shares->grown, shares->all_here_ns / shares->all_usual_ns));
}

/* Of two times per unit, in standard errors of their difference; stacks: by which they were counted. */
static double longer_z(double here, double stacks, double usual, double usual_stacks)
{
	return stacks > 0 ? (here - usual) / sqrt(here * here / stacks + usual * usual / usual_stacks) : 0;
}

/* usual: its part of usual time, by that number of stacks. */
static void compare_times(const struct scope_shares *shares, double usual, double usual_count,
			  struct scope_finding *finding)
{
	const double here = finding->of_slow * finding->grown, rest = (1 - finding->of_slow) * finding->grown;

	finding->growth_z = finding->rest_z = finding->rest_times = 0;
	if (!shares->slower)
		return;
	finding->growth_z = longer_z(here, shares->stacks, usual, usual * usual_count);
	finding->rest_z = longer_z(rest, shares->all_stacks - shares->stacks, 1 - usual, (1 - usual) * usual_count);
	finding->rest_times = rest / (1 - usual);
}

void scope_rank_shares_compare(struct scope_shares shares, struct scope_finding *finding)
{
	double stack_ns = shares.usual_stacks > 0 ? shares.all_usual_ns / shares.usual_stacks : 1;
	double usual = (shares.usual_ns + stack_ns) / (shares.all_usual_ns + 2 * stack_ns);
	double here = shares.here_ns / shares.all_here_ns;
	double room = (shares.usual_share_max * shares.usual_units + 1) / (shares.usual_units + 2);
	double usual_count = shares.usual_stacks + 2;

	if (shares.all_here_ns <= 0 || here <= 0 || usual >= 1)
		return;
	if (shares.usual_units > 0 && room < usual) {
		usual = room;
		usual_count = fmax(usual_count, shares.usual_units + 2);
	}
	finding->chance_z =
		scope_anomaly_two_shares_z(shares.stacks / shares.all_stacks, shares.all_stacks, usual, usual_count);
	if (shares.weighed_stacks > 0)
		finding->chance_z =
			fmax(finding->chance_z,
			     scope_anomaly_two_shares_z(fmin(here, 1), shares.weighed_stacks, usual, usual_count));
	finding->of_slow = here;
	finding->of_usual = usual;
	finding->grown = growth_of(&shares);
	finding->times = here / usual * finding->grown;
	/* What it takes longer, and what all of a unit does, in times of a usual unit. */
	finding->of_growth =
		shares.slower && finding->grown > 1 ? (here * finding->grown - usual) / (finding->grown - 1) : 0;
	compare_times(&shares, usual, usual_count, finding);
	finding->odds = here < 1 ? here / (1 - here) / (usual / (1 - usual)) : HUGE_VAL;
}
