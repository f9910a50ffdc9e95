// SPDX-License-Identifier: GPL-2.0-only
/*
 * Experiments on simulated programs (sim.h) whose answers are known exactly: the results of the statistics
 * are compared with calculations.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "causal/effect.h"
#include "causal/plan.h"

#include "sim.h"

#define MS 1000000ull
#define WARM_NS (100 * MS)
#define LENGTH_NS (3000 * MS)
#define REPEATS 3

enum { A, B, C };

/* Stage A 1 ms, stage B 2 ms, and a thread beside them. */
static void pipeline(struct sim *sim)
{
	sim_init(sim, 4, 0);
	sim_add(sim, { SIM_WORK, A, MS }, { SIM_PUT, 0, 0 });
	sim_add(sim, { SIM_GET, 0, 0 }, { SIM_WORK, B, 2 * MS }, { SIM_DONE, 0, 0 });
	sim_add(sim, { SIM_WORK, C, MS });
}

/* The same with the second stage off the CPU. */
static void device(struct sim *sim)
{
	sim_init(sim, 4, 0);
	sim_add(sim, { SIM_WORK, A, MS }, { SIM_PUT, 0, 0 });
	sim_add(sim, { SIM_GET, 0, 0 }, { SIM_IO, B, 2 * MS }, { SIM_DONE, 0, 0 });
}

/* A under a lock that three threads want all the time, B outside of it. */
static void convoy(struct sim *sim)
{
	sim_init(sim, 0, 0);
	for (int i = 0; i < 3; i++)
		sim_add(sim, { SIM_LOCK, 0, 0 }, { SIM_WORK, A, MS }, { SIM_DONE, 0, 0 }, { SIM_UNLOCK, 0, 0 },
			{ SIM_WORK, B, MS / 2 });
}

static void barrier(struct sim *sim)
{
	sim_init(sim, 0, 3);
	sim_add(sim, { SIM_WORK, A, 2 * MS }, { SIM_MEET, 0, 0 }, { SIM_DONE, 0, 0 });
	sim_add(sim, { SIM_WORK, B, MS }, { SIM_MEET, 0, 0 });
	sim_add(sim, { SIM_WORK, B, MS }, { SIM_MEET, 0, 0 });
}

/* Another thread takes the lock for 1 ms, then rests for A. */
static void poke(struct sim *sim)
{
	sim_init(sim, 0, 0);
	sim_add(sim, { SIM_LOCK, 0, 0 }, { SIM_WORK, B, MS }, { SIM_DONE, 0, 0 }, { SIM_UNLOCK, 0, 0 });
	sim_add(sim, { SIM_LOCK, 0, 0 }, { SIM_WORK, C, MS }, { SIM_UNLOCK, 0, 0 }, { SIM_WORK, A, MS / 2 });
}

/* Four threads that share the work and nothing else. */
static void pool(struct sim *sim)
{
	sim_init(sim, 0, 0);
	for (int i = 0; i < 4; i++)
		sim_add(sim, { SIM_WORK, A, MS }, { SIM_DONE, 0, 0 });
}

/* With a rest of 1.5 ms the other has two turns for each; a shorter rest leaves it one. */
static void poke_less(struct sim *sim)
{
	sim_init(sim, 0, 0);
	sim_add(sim, { SIM_LOCK, 0, 0 }, { SIM_WORK, B, MS }, { SIM_DONE, 0, 0 }, { SIM_UNLOCK, 0, 0 });
	sim_add(sim, { SIM_LOCK, 0, 0 }, { SIM_WORK, C, MS }, { SIM_UNLOCK, 0, 0 }, { SIM_WORK, A, 3 * MS / 2 });
}

/* A is twice in each thing done: delays count twice, and the slope is 1 all the same. */
static void twice(struct sim *sim)
{
	sim_init(sim, 0, 0);
	sim_add(sim, { SIM_WORK, A, MS }, { SIM_WORK, B, MS }, { SIM_WORK, A, MS }, { SIM_DONE, 0, 0 });
}

/* 6.7 and 6.4 halves of a ms; who comes first waits for the other (Coz, SOSP 2015, figure 1). */
static void race(struct sim *sim)
{
	sim_init(sim, 0, 2);
	sim_add(sim, { SIM_WORK, A, 67 * MS / 20 }, { SIM_MEET, 0, 0 }, { SIM_DONE, 0, 0 });
	sim_add(sim, { SIM_WORK, B, 64 * MS / 20 }, { SIM_MEET, 0, 0 });
}

/* Stages with a pool each, where the slowest has two threads and would need more (ferret there). */
static void pools(struct sim *sim)
{
	sim_init(sim, 4, 0);
	sim_add(sim, { SIM_WORK, B, MS }, { SIM_PUT, 0, 0 });
	for (int i = 0; i < 2; i++)
		sim_add(sim, { SIM_GET, 0, 0 }, { SIM_WORK, C, 3 * MS / 2 }, { SIM_PUT, 1, 0 });
	for (int i = 0; i < 2; i++)
		sim_add(sim, { SIM_GET, 1, 0 }, { SIM_WORK, A, 5 * MS }, { SIM_PUT, 2, 0 });
	sim_add(sim, { SIM_GET, 2, 0 }, { SIM_WORK, B, MS / 2 }, { SIM_DONE, 0, 0 });
}

/* A chain of a hash table is walked under its lock, what is found is packed without (dedup there). */
static void chains(struct sim *sim)
{
	sim_init(sim, 0, 0);
	for (int i = 0; i < 2; i++)
		sim_add(sim, { SIM_LOCK, 0, 0 }, { SIM_WORK, A, MS }, { SIM_UNLOCK, 0, 0 }, { SIM_WORK, B, 4 * MS },
			{ SIM_DONE, 0, 0 });
}

static void experiment(void (*program)(struct sim *sim), int site, double delay_ns,
		       struct scope_experiment *ret_experiment)
{
	struct sim *sim = malloc(sizeof(*sim)), before;

	assert_non_null(sim);
	program(sim);
	sim->site = site;
	sim->delay_ns = (uint64_t)delay_ns;
	sim_run(sim, WARM_NS);
	before = *sim;
	sim_run(sim, WARM_NS + LENGTH_NS);
	*ret_experiment = (struct scope_experiment){
		.value = delay_ns,
		.elapsed_ns = LENGTH_NS,
		.progress = sim->done - before.done,
		.visits = sim->visits - before.visits,
		.served_ns = sim->served_ns - before.served_ns,
	};
	ret_experiment->asked_ns = ret_experiment->served_ns;
	ret_experiment->served = delay_ns > 0 ? ret_experiment->visits : 0;
	free(sim);
}

struct answer {
	const char *name;
	void (*program)(struct sim *sim);
	int site;
	double delay_ns[3]; /* beside 0 */
	double slope;
	enum scope_effect_verdict verdict;
};

static const struct answer answers[] = {
	{ "pipeline, slow stage", pipeline, B, { .1e6, .3e6, .6e6 }, 1, SCOPE_EFFECT_IS_STRONG },
	{ "pipeline, fast stage", pipeline, A, { .1e6, .3e6, .6e6 }, 0, SCOPE_EFFECT_IS_NONE },
	{ "beside the pipeline", pipeline, C, { .1e6, .3e6, .6e6 }, 0, SCOPE_EFFECT_IS_NONE },
	{ "device", device, B, { .1e6, .3e6, .6e6 }, 1, SCOPE_EFFECT_IS_STRONG },
	{ "convoy, under the lock", convoy, A, { .1e6, .3e6, .6e6 }, 1, SCOPE_EFFECT_IS_STRONG },
	{ "convoy, outside", convoy, B, { .1e6, .3e6, .6e6 }, 0, SCOPE_EFFECT_IS_NONE },
	{ "barrier, the last", barrier, A, { .1e6, .3e6, .6e6 }, 1, SCOPE_EFFECT_IS_STRONG },
	{ "barrier, the others", barrier, B, { .1e6, .3e6, .6e6 }, 0, SCOPE_EFFECT_IS_NONE },
	{ "poke", poke, A, { 1e6, 2e6, 3e6 }, -1, SCOPE_EFFECT_IS_CONTENTION },
	{ "pool of four", pool, A, { .1e6, .3e6, .6e6 }, 0.25, SCOPE_EFFECT_IS_MODERATE },
	{ "twice in each", twice, A, { .1e6, .3e6, .6e6 }, 1, SCOPE_EFFECT_IS_STRONG },
};

static void measure(const struct answer *answer, struct scope_effect *ret_effect)
{
	struct scope_experiment experiments[4 * REPEATS];
	struct scope_plan plan;

	assert_int_equal(scope_causal_plan_delays(answer->delay_ns, 3, 1, REPEATS, 1, &plan), 0);
	assert_int_equal(plan.count, 4 * REPEATS);
	for (size_t i = 0; i < plan.count; i++)
		experiment(answer->program, answer->site, plan.step[i].value, &experiments[i]);
	assert_int_equal(
		scope_causal_effect_compute(experiments, plan.count, 0, SCOPE_CAUSAL_SENSITIVITY, 1, ret_effect), 0);
	scope_causal_plan_free(&plan);
}

/* Within what counting whole visits in 3 s leaves open. */
static void delays_have_their_slope(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		const struct answer *answer = &answers[i];
		struct scope_effect effect;

		measure(answer, &effect);
		print_message("%s: slope %.4f, %s\n", answer->name, effect.fit.slope,
			      scope_causal_effect_word(effect.verdict));
		assert_true(fabs(effect.fit.slope - answer->slope) < 0.005);
		assert_int_equal(effect.verdict, answer->verdict);
	}
}

/* Beyond its slack of 1 ms the fast stage becomes the slow one. */
static void slack_ends(void **state)
{
	struct scope_experiment at[3];
	const double delay[] = { 0.9e6, 2e6, 3e6 };

	(void)state;
	for (size_t i = 0; i < 3; i++)
		experiment(pipeline, A, delay[i], &at[i]);
	assert_int_equal(at[0].progress, LENGTH_NS / (2 * MS));
	assert_int_equal(at[1].progress, LENGTH_NS / (3 * MS));
	assert_int_equal(at[2].progress, LENGTH_NS / (4 * MS));
}

#define PERIOD_NS (MS / 10)

/* How much faster the program is with a site faster by speedup, by the module's accounts. */
static double sped_up(void (*program)(struct sim *sim), int site, double speedup)
{
	struct sim *sim = malloc(sizeof(*sim));
	struct scope_experiment at[2];

	assert_non_null(sim);
	for (int i = 0; i < 2; i++) {
		uint64_t done, required_ns;

		program(sim);
		sim->speedup = (struct sim_speedup){
			.period_ns = PERIOD_NS,
			.site = site,
			.worth_ns = i ? (uint64_t)(speedup * (double)PERIOD_NS) : 0,
		};
		sim_run(sim, WARM_NS);
		done = sim->done;
		required_ns = sim->speedup.required_ns;
		sim_run(sim, WARM_NS + LENGTH_NS);
		at[i] = (struct scope_experiment){
			.elapsed_ns = LENGTH_NS,
			.progress = sim->done - done,
			.inserted_ns = sim->speedup.required_ns - required_ns,
		};
	}
	free(sim);
	return 1 - scope_causal_experiment_effective(&at[1]) / (double)at[1].progress /
			   (scope_causal_experiment_effective(&at[0]) / (double)at[0].progress);
}

/* What a real speedup of the site would do, on paper. */
static double until_half(double speedup)
{
	return fmin(speedup, 0.5);
}

/* From 3/4 on nobody waits for the lock: a third of 1.5 ms less speedup. */
static double under_lock(double speedup)
{
	return fmin(speedup, 0.5 + speedup / 3);
}

static double nothing(double speedup)
{
	(void)speedup;
	return 0;
}

static double whole(double speedup)
{
	return speedup;
}

/* Until the other thread is the longer. */
static double first_of_race(double speedup)
{
	return fmin(speedup, 0.3 / 6.7);
}

/* Until the stage before, of one thread, is the slowest: 1 ms instead of 2.5. */
static double until_next_stage(double speedup)
{
	return fmin(speedup, 0.6);
}

static double fifth(double speedup)
{
	return speedup / 5;
}

static double third(double speedup)
{
	return speedup / 3;
}

/* Two turns in 3 ms, or one in 2. */
static double one_turn_less(double speedup)
{
	return speedup < 1 / 3.0 ? 0 : -1 / 3.0;
}

static const struct {
	const char *name;
	void (*program)(struct sim *sim);
	int site;
	double (*want)(double speedup);
} speedups[] = {
	{ "pipeline, slow stage", pipeline, B, until_half },
	{ "pipeline, fast stage", pipeline, A, nothing },
	{ "beside the pipeline", pipeline, C, nothing },
	{ "device", device, B, until_half },
	{ "before the device", device, A, nothing },
	{ "convoy, under the lock", convoy, A, under_lock },
	{ "convoy, outside", convoy, B, nothing },
	{ "barrier, the last", barrier, A, until_half },
	{ "barrier, the others", barrier, B, nothing },
	{ "pool of four", pool, A, whole },
	{ "one of three parts", twice, B, third },
	{ "poke, a shorter rest", poke_less, A, one_turn_less },
	{ "race, the longer", race, A, first_of_race },
	{ "race, the shorter", race, B, nothing },
	{ "pools, the slowest", pools, A, until_next_stage },
	{ "pools, another", pools, C, nothing },
	{ "chains", chains, A, fifth },
};

static void speedups_are_what_they_would_be(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(speedups) / sizeof(speedups[0]); i++) {
		for (int percent = 10; percent <= 90; percent += 20) {
			const double speedup = percent / 100.0;
			const double want = speedups[i].want(speedup);
			const double got = sped_up(speedups[i].program, speedups[i].site, speedup);

			if (fabs(got - want) > 0.002)
				fail_msg("%s, by %d %%: %.4f instead of %.4f", speedups[i].name, percent, got, want);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(delays_have_their_slope),
		cmocka_unit_test(slack_ends),
		cmocka_unit_test(speedups_are_what_they_would_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
