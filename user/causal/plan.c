// SPDX-License-Identifier: GPL-2.0-only
/* Plans which experiments to make, and in which order. */
#include "causal/plan.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/random.h"
#include "causal/experiment.h"

#define STEPS_MAX 1000000

static int create(uint64_t count, struct scope_plan *ret_plan)
{
	struct scope_plan plan = { .count = (size_t)count };

	if (!count || count > STEPS_MAX)
		return -EINVAL;
	plan.step = calloc(plan.count, sizeof(*plan.step));
	if (!plan.step)
		return -ENOMEM;
	*ret_plan = plan;
	return 0;
}

/* The method of Fisher and Yates. */
static void shuffle(struct scope_plan_step *step, size_t count, uint64_t *state)
{
	for (size_t left = count; left > 1; left--) {
		const size_t at = scope_random_below(state, (uint32_t)left);
		const struct scope_plan_step last = step[left - 1];

		step[left - 1] = step[at];
		step[at] = last;
	}
}

int scope_causal_plan_delays(const double *value, size_t values, uint32_t sites, uint32_t repeats, uint64_t seed,
			     struct scope_plan *ret_plan)
{
	bool zero = false;
	struct scope_plan plan;
	size_t round, at = 0;
	int err;

	for (size_t i = 0; i < values; i++)
		zero = zero || value[i] == 0;
	if (!values || values > STEPS_MAX)
		return -EINVAL;
	round = (values + !zero) * (size_t)sites;
	err = create((uint64_t)round * repeats, &plan);
	if (err)
		return err;
	for (uint32_t repeat = 0; repeat < repeats; repeat++) {
		const size_t first = at;

		for (uint32_t site = 0; site < sites; site++) {
			for (size_t i = 0; i < values; i++)
				plan.step[at++] = (struct scope_plan_step){ site, value[i] };
			if (!zero)
				plan.step[at++] = (struct scope_plan_step){ site, 0 };
		}
		shuffle(plan.step + first, round, &seed);
	}
	*ret_plan = plan;
	return 0;
}

int scope_causal_plan_speedups(uint32_t sites, uint32_t count, uint64_t seed, struct scope_plan *ret_plan)
{
	struct scope_plan plan;
	int err = create((uint64_t)sites * count, &plan);

	if (err)
		return err;
	for (size_t i = 0; i < plan.count; i++) {
		const uint32_t drawn = scope_random_below(&seed, SCOPE_PLAN_SPEEDUPS + SCOPE_PLAN_ZERO_WEIGHT);
		const uint32_t steps = drawn < SCOPE_PLAN_ZERO_WEIGHT ? 0 : drawn - SCOPE_PLAN_ZERO_WEIGHT + 1;

		plan.step[i].site = (uint32_t)(i % sites);
		plan.step[i].value = (double)steps / SCOPE_PLAN_SPEEDUPS;
	}
	shuffle(plan.step, plan.count, &seed);
	*ret_plan = plan;
	return 0;
}

void scope_causal_plan_free(struct scope_plan *plan)
{
	free(plan->step);
	*plan = (struct scope_plan){ 0 };
}

double scope_causal_plan_longest_ns(uint64_t visits, uint64_t elapsed_ns)
{
	const double ns = SCOPE_PLAN_SHARE * (double)elapsed_ns / (double)(visits ? visits : 1);

	if (ns > SCOPE_PLAN_LONGEST_NS)
		return SCOPE_PLAN_LONGEST_NS;
	return ns < SCOPE_PLAN_SHORTEST_NS ? SCOPE_PLAN_SHORTEST_NS : round(ns / 1e4) * 1e4;
}

uint64_t scope_causal_plan_adapt(uint64_t length_ns, uint64_t visits)
{
	if (visits >= SCOPE_CAUSAL_VISITS_MIN || length_ns >= SCOPE_PLAN_LENGTH_MAX_NS)
		return length_ns;
	return length_ns > SCOPE_PLAN_LENGTH_MAX_NS / 2 ? SCOPE_PLAN_LENGTH_MAX_NS : 2 * length_ns;
}
