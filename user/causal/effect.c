// SPDX-License-Identifier: GPL-2.0-only
/* Computes the effect of one site on the whole program from its experiments. */
#include "causal/effect.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* The experiments that are used: each has one element in each array. */
struct points {
	double *value, *order, *period, *served, *latency;
	size_t n;
	double *memory; /* holds all these arrays */
};

static int points_create(size_t most, struct points *ret_points)
{
	double *memory = calloc(5 * (most + 1), sizeof(*memory));

	if (!memory)
		return -ENOMEM;
	*ret_points = (struct points){
		.memory = memory,
		.value = memory,
		.order = memory + most,
		.period = memory + 2 * most,
		.served = memory + 3 * most,
		.latency = memory + 4 * most,
	};
	return 0;
}

static void points_add(struct points *points, const struct scope_experiment *experiment, size_t order)
{
	const double effective = scope_causal_experiment_effective(experiment);
	const double progress = (double)experiment->progress;
	const size_t at = points->n++;

	points->value[at] = experiment->value;
	points->order[at] = (double)order;
	points->period[at] = effective / progress;
	points->served[at] = (double)experiment->served_ns / progress;
	points->latency[at] = experiment->in_flight * effective / progress;
}

/* Copies the elements of an array that belong to this value. Returns their number. */
static size_t pick(const struct points *points, double value, const double *from, double *ret_picked)
{
	size_t n = 0;

	for (size_t i = 0; i < points->n; i++)
		if (points->value[i] == value)
			ret_picked[n++] = from[i];
	return n;
}

static void add_counts(struct scope_effect *effect, const struct scope_experiment *experiment)
{
	effect->visits += experiment->visits;
	effect->served += experiment->served;
	effect->asked_ns += experiment->asked_ns;
	effect->served_ns += experiment->served_ns;
	effect->missed += experiment->missed;
	effect->capped += experiment->capped;
	effect->lost += experiment->lost;
	effect->inserted_ns += experiment->inserted_ns;
	effect->unsettled_ns += experiment->unsettled_ns;
	effect->elapsed_ns += experiment->elapsed_ns;
	if (experiment->progress < SCOPE_CAUSAL_VISITS_MIN) {
		effect->dropped_few++;
		effect->few_progress += experiment->progress;
		effect->few_ns += experiment->elapsed_ns;
	}
	if (effect->kind == SCOPE_CAUSAL_SENSITIVITY && experiment->elapsed_ns)
		effect->wanted_ns = fmax(effect->wanted_ns, (double)experiment->visits * experiment->value /
								    (double)experiment->elapsed_ns * 1e9);
}

/* Mean period of the experiments without delay or speedup; 0: there are none. */
static double base_period(const struct scope_experiment *experiment, size_t count, uint32_t site)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		if (experiment[i].site != site || experiment[i].value != 0 ||
		    experiment[i].progress < SCOPE_CAUSAL_VISITS_MIN)
			continue;
		sum += scope_causal_experiment_effective(&experiment[i]) / (double)experiment[i].progress;
		n++;
	}
	return n ? sum / (double)n : 0;
}

/* True if the program's speedup is larger than a speedup of a part can cause. */
static bool is_far(const struct scope_effect *effect, double base, double period)
{
	return effect->kind == SCOPE_CAUSAL_SPEEDUP && base > 0 && fabs((base - period) / base) > SCOPE_EFFECT_FAR;
}

static void collect(const struct scope_experiment *experiment, size_t count, uint32_t site, struct points *points,
		    struct scope_effect *effect)
{
	const double base = base_period(experiment, count, site);

	for (size_t i = 0; i < count; i++) {
		const struct scope_experiment *one = &experiment[i];

		if (one->site != site)
			continue;
		add_counts(effect, one);
		if (one->progress < SCOPE_CAUSAL_VISITS_MIN)
			continue;
		if (is_far(effect, base, scope_causal_experiment_effective(one) / (double)one->progress))
			effect->dropped_far++;
		else
			points_add(points, one, i);
	}
	effect->n = points->n;
}

static int by_value(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return a < b ? -1 : a > b;
}

/* Mean delay of the visits that were delayed, at this value. */
static double mean_served(const struct scope_experiment *experiment, size_t count, uint32_t site, double value)
{
	uint64_t served = 0, served_ns = 0;

	for (size_t i = 0; i < count; i++) {
		if (experiment[i].site != site || experiment[i].value != value)
			continue;
		served += experiment[i].served;
		served_ns += experiment[i].served_ns;
	}
	return served ? (double)served_ns / (double)served : 0;
}

static int compute_levels(const struct points *points, uint64_t seed, double *work, struct scope_effect *effect)
{
	double *sorted = work, *base = work + points->n, *own = work + 2 * points->n;
	const size_t bases = pick(points, 0, points->period, base);
	int err = 0;

	for (size_t i = 0; i < points->n; i++)
		sorted[i] = points->value[i];
	qsort(sorted, points->n, sizeof(*sorted), by_value);
	for (size_t i = 0; i < points->n && effect->levels < SCOPE_EFFECT_LEVELS; i++) {
		struct scope_effect_level *level = &effect->level[effect->levels];

		if (i && sorted[i] == sorted[i - 1])
			continue;
		effect->levels++;
		level->value = sorted[i];
		level->n = pick(points, level->value, points->period, own);
		level->period_ns = scope_causal_fit_mean(own, level->n);
		if (level->value == 0)
			continue;
		err = scope_causal_fit_change(base, bases, own, level->n, seed, &level->change);
		if (err == -ENOMEM)
			return err;
		level->known = !err;
	}
	return 0;
}

/* Fits the period, or the latency. */
static int fit_to(const struct points *points, const double *of, enum scope_causal_kind kind, uint64_t seed,
		  double *work, bool *ret_known, struct scope_fit *ret_fit)
{
	const double *x = points->served, *y = of;
	double *base = work, *change = work + points->n;
	const size_t bases = pick(points, 0, of, base);
	int err;

	*ret_known = false;
	if (!bases)
		return 0;
	if (kind == SCOPE_CAUSAL_SPEEDUP) {
		const double mean = scope_causal_fit_mean(base, bases);

		if (!(mean > 0))
			return 0;
		for (size_t i = 0; i < points->n; i++)
			change[i] = (mean - of[i]) / mean;
		x = points->value;
		y = change;
	}
	err = scope_causal_fit_line(x, y, points->n, seed, ret_fit);
	*ret_known = !err;
	return err == -ENODATA ? 0 : err;
}

/* True if the program itself became slower or faster during the experiments. */
static int compute_drift(const struct points *points, uint64_t seed, double *work, struct scope_effect *effect)
{
	double *period = work, *order = work + points->n;
	const size_t n = pick(points, 0, points->period, period);
	struct scope_fit fit;
	double scale;
	int err;

	pick(points, 0, points->order, order);
	err = scope_causal_fit_line(order, period, n, seed, &fit);
	if (err)
		return err == -ENODATA ? 0 : err;
	scale = (order[n - 1] - order[0]) / scope_causal_fit_mean(period, n);
	effect->drift_known = true;
	effect->drift = fit.slope * scale;
	effect->drift_95 = (struct scope_interval){ fit.slope_95.low * scale, fit.slope_95.high * scale };
	return 0;
}

static void judge(struct scope_effect *effect)
{
	const double slope = effect->fit.slope;
	const struct scope_interval *in = &effect->fit.slope_95;
	const double half = (in->high - in->low) / 2;

	/* If no thread visited the site, the numbers have no meaning. */
	if (!effect->known || !effect->visits) {
		effect->verdict = SCOPE_EFFECT_IS_UNKNOWN;
	} else if (in->low > -SCOPE_EFFECT_NONE && in->high < SCOPE_EFFECT_NONE &&
		   (fabs(slope) < SCOPE_EFFECT_CLEAR || (in->low <= 0 && in->high >= 0))) {
		effect->verdict = SCOPE_EFFECT_IS_NONE;
	} else if (in->high < 0 && slope < -SCOPE_EFFECT_CLEAR) {
		effect->verdict = SCOPE_EFFECT_IS_CONTENTION;
	} else if (in->low > 0 && slope >= SCOPE_EFFECT_STRONG) {
		effect->verdict = SCOPE_EFFECT_IS_STRONG;
	} else if (in->low > 0 && slope >= SCOPE_EFFECT_CLEAR) {
		effect->verdict = SCOPE_EFFECT_IS_MODERATE;
	} else {
		/* With enough experiments the interval would be on one side of 0, or within the bounds of no effect. */
		const double wanted = fmax(fabs(slope), SCOPE_EFFECT_NONE - fabs(slope));

		effect->verdict = SCOPE_EFFECT_IS_UNDECIDED;
		effect->enough_s = (double)effect->elapsed_ns / 1e9 * fmax(1.5, half * half / wanted / wanted);
	}
}

static int compute(const struct points *points, uint64_t seed, struct scope_effect *effect)
{
	double *work = calloc(3 * points->n + 1, sizeof(*work));
	bool pair = false;
	int err;

	if (!work)
		return -ENOMEM;
	for (size_t i = 0; i < points->n; i++)
		pair = pair || points->latency[i] > 0;
	err = compute_levels(points, seed, work, effect);
	if (!err)
		err = fit_to(points, points->period, effect->kind, seed, work, &effect->known, &effect->fit);
	if (!err && pair) {
		const size_t n = pick(points, 0, points->latency, work);

		effect->latency_ns = n ? scope_causal_fit_mean(work, n) : 0;
		err = fit_to(points, points->latency, effect->kind, seed, work, &effect->latency_known,
			     &effect->latency);
	}
	if (!err)
		err = compute_drift(points, seed, work, effect);
	free(work);
	return err;
}

int scope_causal_effect_compute(const struct scope_experiment *experiment, size_t count, uint32_t site,
				enum scope_causal_kind kind, uint64_t seed, struct scope_effect *ret_effect)
{
	struct scope_effect effect = { .kind = kind };
	struct points points;
	int err = points_create(count, &points);

	if (err)
		return err;
	collect(experiment, count, site, &points, &effect);
	err = compute(&points, seed, &effect);
	free(points.memory);
	if (err)
		return err;
	for (size_t i = 0; i < effect.levels; i++)
		effect.level[i].served_ns = mean_served(experiment, count, site, effect.level[i].value);
	judge(&effect);
	*ret_effect = effect;
	return 0;
}

const char *scope_causal_effect_word(enum scope_effect_verdict verdict)
{
	static const char *const words[SCOPE_EFFECT_WORDS] = {
		[SCOPE_EFFECT_IS_UNKNOWN] = "unknown", [SCOPE_EFFECT_IS_UNDECIDED] = "undecided",
		[SCOPE_EFFECT_IS_NONE] = "none",       [SCOPE_EFFECT_IS_MODERATE] = "moderate",
		[SCOPE_EFFECT_IS_STRONG] = "strong",   [SCOPE_EFFECT_IS_CONTENTION] = "contention",
	};

	return words[verdict];
}
