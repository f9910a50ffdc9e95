// SPDX-License-Identifier: GPL-2.0-only
/* Doubts about an effect, and the time that would have been enough. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "causal/result.h"

#define N 32
#define LEVELS 4

/* Half a second each, 500 visits of the progress point, held up by 0 to 0.3 ms: all of it comes through. */
static void make(struct scope_experiment experiment[N])
{
	for (size_t i = 0; i < N; i++) {
		const double delay = (double)(i % LEVELS) * 1e5;
		const uint64_t visits = (uint64_t)(5e8 / (1e6 + delay) * (1 + 0.001 * (double)(i * 7 % 5)));

		experiment[i] = (struct scope_experiment){
			.value = delay,
			.elapsed_ns = 500000000,
			.progress = visits,
			.visits = visits,
			.served = delay > 0 ? visits : 0,
			.asked_ns = visits * (uint64_t)delay,
			.served_ns = visits * (uint64_t)delay,
		};
	}
}

/* All notes, one after the other. */
static const char *notes_of(const struct scope_experiment *experiment, size_t count, enum scope_causal_kind kind)
{
	static char text[SCOPE_NOTES_MAX * 320];
	struct scope_effect effect;
	struct scope_notes notes;

	assert_int_equal(scope_causal_effect_compute(experiment, count, 0, kind, 1, &effect), 0);
	scope_causal_effect_notes(&effect, &notes);
	text[0] = '\0';
	for (unsigned i = 0; i < notes.count; i++) {
		/* None is cut off. */
		assert_true(strlen(notes.text[i]) < sizeof(notes.text[0]) - 1);
		strcat(strcat(text, notes.text[i]), "\n");
	}
	return text;
}

static void assert_says(const char *text, const char *words)
{
	if (!strstr(text, words))
		fail_msg("'%s' is not said, but: %s", words, text);
}

static void nothing_is_said_of_a_good_series(void **state)
{
	struct scope_experiment experiment[N];

	(void)state;
	make(experiment);
	assert_string_equal(notes_of(experiment, N, SCOPE_CAUSAL_SENSITIVITY), "");
	assert_says(notes_of(experiment, 0, SCOPE_CAUSAL_SENSITIVITY), "no experiment was finished");
}

/* Two visits in half a second: ten of them take 2.5 s. */
static void few_visits_of_the_progress_point(void **state)
{
	struct scope_experiment experiment[N];

	(void)state;
	make(experiment);
	for (size_t i = 0; i < 3; i++)
		experiment[i].progress = 2;
	assert_says(notes_of(experiment, N, SCOPE_CAUSAL_SENSITIVITY),
		    "3 experiments saw the progress point fewer than 5 times and do not count: --length 2.5 ");
	for (size_t i = 0; i < N; i++)
		experiment[i].progress = 0;
	assert_says(notes_of(experiment, N, SCOPE_CAUSAL_SENSITIVITY), "no experiment counts");
	assert_says(notes_of(experiment, N, SCOPE_CAUSAL_SENSITIVITY),
		    "32 experiments, 16.0 s, did not see the progress point once");
}

/* 3 of 0.5 s where 5 are needed: 2.5 s, in words without a fraction. */
static void few_experiments(void **state)
{
	struct scope_experiment experiment[N];

	(void)state;
	make(experiment);
	assert_says(notes_of(experiment, 3, SCOPE_CAUSAL_SENSITIVITY),
		    "3 experiments count, 5 are needed, so about 3 s in all");
	/* Of those without a delay none counts. */
	for (size_t i = 0; i < N; i++)
		experiment[i].progress = i % LEVELS ? experiment[i].progress : 4;
	assert_says(notes_of(experiment, N, SCOPE_CAUSAL_SENSITIVITY),
		    "the experiments that count are all of one kind");
	for (size_t i = 0; i < N; i++)
		experiment[i].served = 0; /* as of a profile that was read */
	assert_says(notes_of(experiment, N, SCOPE_CAUSAL_SPEEDUP), "the experiments that count are all of one kind");
}

/* Two in an experiment of half a second; none. */
static void few_visits_of_the_site(void **state)
{
	struct scope_experiment experiment[N];
	struct scope_effect effect;

	(void)state;
	make(experiment);
	for (size_t i = 0; i < N; i++)
		experiment[i].visits = 2;
	assert_says(notes_of(experiment, N, SCOPE_CAUSAL_SENSITIVITY),
		    "the site was visited 64 times in 32 experiments: --length 2.5 would have sufficed");
	for (size_t i = 0; i < N; i++)
		experiment[i].visits = 0;
	assert_says(notes_of(experiment, N, SCOPE_CAUSAL_SENSITIVITY), "no thread came to the site");
	assert_says(notes_of(experiment, N, SCOPE_CAUSAL_SPEEDUP), "no sample found a thread running there");
	assert_int_equal(scope_causal_effect_compute(experiment, N, 0, SCOPE_CAUSAL_SPEEDUP, 1, &effect), 0);
	assert_int_equal(effect.verdict, SCOPE_EFFECT_IS_UNKNOWN);
}

/* A load that falls by a tenth in that time, 16 s: it may change by half of that in half the time. */
static void drift(void **state)
{
	struct scope_experiment experiment[N];
	const char *text;
	double seconds;

	(void)state;
	make(experiment);
	for (size_t i = 0; i < N; i++)
		experiment[i].progress = (uint64_t)((double)experiment[i].progress / (1 + 0.1 * (double)i / N));
	text = notes_of(experiment, N, SCOPE_CAUSAL_SENSITIVITY);
	assert_says(text, "without delays the program became 8 % slower");
	assert_int_equal(sscanf(strstr(text, "wider for it; "), "wider for it; in %lf s", &seconds), 1);
	assert_true(fabs(seconds - 16 * 0.05 / 0.084) < 0.6);
}

/* Nothing comes through, but the scatter is as large as what is looked for. */
static void overlap_with_zero(void **state)
{
	struct scope_experiment experiment[N];
	struct scope_effect effect;
	char want[80];

	(void)state;
	make(experiment);
	for (size_t i = 0; i < N; i++)
		experiment[i].progress = 400 + i * 37 % 200;
	assert_int_equal(scope_causal_effect_compute(experiment, N, 0, SCOPE_CAUSAL_SENSITIVITY, 1, &effect), 0);
	assert_int_equal(effect.verdict, SCOPE_EFFECT_IS_UNDECIDED);
	assert_true(effect.fit.slope_95.low < 0 && effect.fit.slope_95.high > 0 && effect.enough_s >= 24);
	snprintf(want, sizeof(want), "about %.0f s of experiments would have sufficed, instead of 16 s",
		 ceil(effect.enough_s));
	assert_says(notes_of(experiment, N, SCOPE_CAUSAL_SENSITIVITY), want);
}

/* Half of the delays, and a limit that 800 visits a second of 0.3 ms each want raised to 0.24, so 0.25 s. */
static void delays_not_served(void **state)
{
	struct scope_experiment experiment[N];

	(void)state;
	make(experiment);
	for (size_t i = 0; i < N; i++) {
		experiment[i].served /= 2;
		experiment[i].missed = experiment[i].served;
	}
	assert_says(notes_of(experiment, N, SCOPE_CAUSAL_SENSITIVITY), "32 s of experiments would have served as many");
	make(experiment);
	for (size_t i = 0; i < N; i++)
		experiment[i].capped = experiment[i].served / 10;
	assert_says(notes_of(experiment, N, SCOPE_CAUSAL_SENSITIVITY),
		    "delays met the limit of all threads in a second: shorter ones fit, or --max-delay 0.25 ");
	assert_says(notes_of(experiment, N, SCOPE_CAUSAL_SPEEDUP), "smaller speedups fit");
	/* Not one was let through. */
	for (size_t i = 0; i < N; i++) {
		experiment[i].capped = experiment[i].visits;
		experiment[i].served = experiment[i].served_ns = 0;
	}
	assert_says(notes_of(experiment, N, SCOPE_CAUSAL_SENSITIVITY), "--max-delay 0.25 ");
}

static void events_lost_and_debts(void **state)
{
	struct scope_experiment experiment[N];

	(void)state;
	make(experiment);
	experiment[1].lost = 7;
	experiment[2].unsettled_ns = 1600000000;
	assert_says(notes_of(experiment, N, SCOPE_CAUSAL_SENSITIVITY), "7 events were lost");
	assert_says(notes_of(experiment, N, SCOPE_CAUSAL_SENSITIVITY), "threads woke others 100.0 ms too early");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_said_of_a_good_series),
		cmocka_unit_test(few_visits_of_the_progress_point),
		cmocka_unit_test(few_experiments),
		cmocka_unit_test(few_visits_of_the_site),
		cmocka_unit_test(drift),
		cmocka_unit_test(overlap_with_zero),
		cmocka_unit_test(delays_not_served),
		cmocka_unit_test(events_lost_and_debts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
