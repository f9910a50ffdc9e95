// SPDX-License-Identifier: GPL-2.0-only
/* Makes the experiments of a plan, one after another. */
#include "causal/series.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/grow.h"
#include "base/now.h"

#define DRAIN_NS 100000000ull
#define CHECK_DRAINS 5 /* drains between two checks that the target has not ended */

/* State of a running series. */
struct bench {
	const struct scope_series_options *options;
	const volatile sig_atomic_t *stop;
	const struct scope_series_watch *watch;
	struct scope_inject *inject;
	struct scope_series_result result;
	size_t index;		     /* index in the plan */
	struct scope_plan_step step; /* that step, with its value scaled */
	unsigned drains;
	uint64_t progress; /* progress of all experiments */
	double *scale; /* by site: the longest delay in ns, of which values are shares; NULL: values are no shares */
};

static void sleep_ns(uint64_t ns)
{
	const struct timespec time = { .tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u) };

	nanosleep(&time, NULL);
}

static void report_progress(const struct bench *bench, uint64_t until_ns)
{
	const uint64_t now = scope_now_ns();
	const size_t left = bench->options->plan->count - bench->index - 1;
	const double rest = until_ns > now ? (double)(until_ns - now) : 0;
	const double each = (double)(bench->result.length_ns + bench->options->cool_off_ns);

	if (bench->watch)
		bench->watch->progress(bench->watch->context, bench->index, &bench->step,
				       (rest + (double)left * each) / 1e9);
}

/* Drains until that time. 0; -EINTR: stopped; other errors as in scope_causal_inject_check(). */
static int wait_until(struct bench *bench, uint64_t until_ns)
{
	struct scope_error *error = &bench->result.why;
	int err = 0;

	while (!err && !*bench->stop) {
		const uint64_t now = scope_now_ns();

		if (now >= until_ns)
			return 0;
		sleep_ns(until_ns - now < DRAIN_NS ? until_ns - now : DRAIN_NS);
		err = scope_causal_inject_drain(bench->inject, error);
		if (!err && ++bench->drains % CHECK_DRAINS == 0)
			err = scope_causal_inject_check(bench->inject, error);
		report_progress(bench, until_ns);
	}
	return err ? err : *bench->stop ? -EINTR : 0;
}

static void subtract(const struct scope_delay_counts *after, const struct scope_delay_counts *before,
		     struct scope_experiment *experiment)
{
	experiment->visits = after->visits - before->visits;
	experiment->served = after->served - before->served;
	experiment->asked_ns = after->asked_ns - before->asked_ns;
	experiment->served_ns = after->served_ns - before->served_ns;
	experiment->missed = after->missed - before->missed;
	experiment->capped = after->capped - before->capped;
	experiment->inserted_ns = after->required_ns - before->required_ns;
	experiment->unsettled_ns = after->unsettled_ns - before->unsettled_ns;
}

/* Counts for the length of an experiment, from now on. */
static int measure(struct bench *bench, uint32_t site, struct scope_experiment *experiment)
{
	struct scope_tally *tally = scope_causal_inject_tally(bench->inject);
	struct scope_error *error = &bench->result.why;
	struct scope_delay_counts before, after;
	uint64_t lost, begin_ns, end_ns;
	int err = scope_causal_inject_drain(bench->inject, error);

	if (err)
		return err;
	lost = scope_causal_inject_lost(bench->inject);
	begin_ns = scope_now_ns();
	scope_causal_tally_begin(tally, begin_ns);
	err = scope_causal_inject_counts(bench->inject, site, error, &before);
	if (!err)
		err = wait_until(bench, begin_ns + bench->result.length_ns);
	end_ns = scope_now_ns();
	scope_causal_tally_end(tally, end_ns);
	if (!err)
		err = scope_causal_inject_counts(bench->inject, site, error, &after);
	if (!err)
		err = scope_causal_inject_drain(bench->inject, error);
	if (err)
		return err;
	experiment->elapsed_ns = end_ns - begin_ns;
	experiment->lost = scope_causal_inject_lost(bench->inject) - lost;
	scope_causal_tally_count(tally, &experiment->progress, &experiment->in_flight);
	subtract(&after, &before, experiment);
	/* An experiment during which the process ended is not used. */
	return scope_causal_inject_check(bench->inject, error);
}

static int keep(struct bench *bench, const struct scope_experiment *experiment)
{
	struct scope_series_result *result = &bench->result;

	if (scope_grow(&result->experiment, &result->capacity, result->count + 1, sizeof(*result->experiment)))
		return scope_error_set(&result->why, -ENOMEM, "no memory for another experiment");
	result->experiment[result->count++] = *experiment;
	bench->progress += experiment->progress;
	return 0;
}

static int no_progress(struct bench *bench)
{
	const struct scope_point *point = bench->options->inject.point;

	if (point->end.kind == SCOPE_POINT_REQUEST)
		return scope_error_set(&bench->result.why, -ENODATA,
				       "no request was answered in %.0f s: is "
				       "there a load? A program that serves no connections needs a point to "
				       "count: --progress syscall:NAME or function:NAME",
				       (double)bench->result.length_ns / 1e9);
	return scope_error_set(&bench->result.why, -ENODATA,
			       "the progress point was not visited in %.0f s: "
			       "is there a load? Else name another with --progress",
			       (double)bench->result.length_ns / 1e9);
}

/* Measures how often threads visit the sites without delays, and chooses the longest delays. */
static int choose_lengths(struct bench *bench)
{
	const uint32_t sites = bench->options->inject.sites;
	struct scope_delay_counts counts;
	uint64_t begin_ns;
	int err;

	bench->scale = calloc(sites + 1, sizeof(*bench->scale));
	if (!bench->scale)
		return scope_error_set(&bench->result.why, -ENOMEM, "no memory left to begin");
	begin_ns = scope_now_ns();
	err = wait_until(bench, begin_ns + bench->result.length_ns);
	for (uint32_t site = 0; site < sites && !err; site++) {
		err = scope_causal_inject_counts(bench->inject, site, &bench->result.why, &counts);
		if (!err)
			bench->scale[site] = scope_causal_plan_longest_ns(counts.visits, scope_now_ns() - begin_ns);
	}
	return err;
}

/* Makes one experiment; repeats it with a greater length if it had too few visits. */
static int perform(struct bench *bench)
{
	const uint32_t period_ns = bench->options->inject.sample_period_ns;
	const struct scope_plan_step *step = &bench->step;
	const uint64_t ns = (uint64_t)((period_ns ? step->value * period_ns : step->value) + 0.5);
	struct scope_series_result *result = &bench->result;
	int err;

	err = scope_causal_inject_set(bench->inject, step->site, ns, &result->why);
	if (!err)
		err = wait_until(bench, scope_now_ns() + bench->options->cool_off_ns);
	while (!err) {
		struct scope_experiment experiment = { .site = step->site, .value = step->value };
		uint64_t longer;

		err = measure(bench, step->site, &experiment);
		if (!err)
			err = keep(bench, &experiment);
		if (err)
			break;
		longer = scope_causal_plan_adapt(result->length_ns, experiment.progress);
		if (longer == result->length_ns)
			return bench->progress ? scope_causal_inject_set(bench->inject, step->site, 0, &result->why)
					       : no_progress(bench);
		result->length_ns = longer;
	}
	return err;
}

static enum scope_series_end end_of(int err)
{
	switch (err) {
	case 0:
		return SCOPE_SERIES_DONE;
	case -EINTR:
		return SCOPE_SERIES_INTERRUPTED;
	case -ESRCH:
		return SCOPE_SERIES_TARGET_GONE;
	case -ENODATA:
		return SCOPE_SERIES_NO_PROGRESS;
	default:
		return SCOPE_SERIES_FAILED;
	}
}

int scope_causal_series_run(const struct scope_series_options *options, const volatile sig_atomic_t *stop,
			    const struct scope_series_watch *watch, struct scope_error *error,
			    struct scope_series_result *ret_result)
{
	struct bench bench = {
		.options = options,
		.stop = stop,
		.watch = watch,
		.result.length_ns = options->length_ns,
	};
	const struct scope_sketch *late;
	int err = scope_causal_inject_open(&options->inject, error, &bench.inject);

	if (err)
		return err;
	if (options->relative)
		err = choose_lengths(&bench);
	for (; bench.index < options->plan->count && !err; bench.index++) {
		bench.step = options->plan->step[bench.index];
		if (bench.scale)
			bench.step.value *= bench.scale[bench.step.site];
		err = perform(&bench);
	}
	late = scope_causal_tally_late(scope_causal_inject_tally(bench.inject));
	bench.result.end = end_of(err);
	bench.result.delays = late->total;
	if (late->total) {
		bench.result.late_p50_ns = scope_sketch_quantile(late, 0.5);
		bench.result.late_p99_ns = scope_sketch_quantile(late, 0.99);
	}
	scope_causal_inject_close(bench.inject);
	free(bench.scale);
	*ret_result = bench.result;
	return 0;
}

void scope_causal_series_free(struct scope_series_result *result)
{
	free(result->experiment);
	*result = (struct scope_series_result){ 0 };
}
