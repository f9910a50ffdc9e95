// SPDX-License-Identifier: GPL-2.0-only
/* Finds threads that differ from their group, and in which respect. */
#include "server/balance.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "anomaly/robust.h"

#define MIN_UNITS 10	 /* of a thread; one with fewer is not compared: a spare thread of a pool is not out of line */
#define MIN_THREADS 4	 /* of a group; of two it is not known which is the usual one */
#define FALSE_RATE 0.02	 /* share of programs whose threads are alike */
#define TIMES_MIN 1.3	 /* ratio to the usual: below it a difference does not matter */
#define EXTRA_SHARE 0.01 /* share of the thread's time: the same */
#define OUT_SHARE 4	 /* at most one thread in 4 may be out of line: more of them are a group */
#define OUT_MAX 64	 /* no rule: threads of a group that are looked at one by one */

/* One thread in one respect. */
struct point {
	uint32_t thread;
	double value; /* logarithm */
	double error; /* of it, one standard deviation */
};

/* A group in one respect, the highest point first. */
struct sample {
	struct point *point;
	size_t count;
};

struct judge {
	const struct scope_thread_load *load;
	const uint32_t *of_thread;
	struct sample sample;
	double chance;			/* of a false answer in one group and respect */
	struct scope_uneven_thread *of; /* by thread; extra_ns 0: it is in line */
};

static double mean_of(const struct scope_thread_load *load, enum scope_uneven in)
{
	if (in == SCOPE_UNEVEN_WORK)
		return (double)load->units / load->life_ns * 1e9;
	return (in == SCOPE_UNEVEN_SLOWER ? load->run_ns : load->wait_ns) / (double)load->units;
}

/* Waits and runs below a microsecond count as equal, so there is no logarithm of 0. */
static struct point point_of(const struct scope_thread_load *load, uint32_t thread, enum scope_uneven in)
{
	const double units = (double)load->units, mean = mean_of(load, in);
	const double square = in == SCOPE_UNEVEN_SLOWER ? load->run_square : load->wait_square;

	if (in == SCOPE_UNEVEN_WORK)
		return (struct point){ thread, log(mean), 1 / sqrt(units) };
	return (struct point){ thread, log(mean + 1000),
			       sqrt(fmax(square / units - mean * mean, 0) / units) / (mean + 1000) };
}

static int higher_first(const void *left, const void *right)
{
	const struct point *a = left, *b = right;

	if (a->value != b->value)
		return a->value < b->value ? 1 : -1;
	return a->thread < b->thread ? -1 : 1;
}

/*
 * How many of the highest are out of line: the most for which the last of them is still far above all the rest.
 * Sums are taken from the far end, so that each step takes one point away.
 */
static size_t count_out(const struct sample *sample, double chance)
{
	const size_t n = sample->count, most = n / OUT_SHARE < OUT_MAX ? n / OUT_SHARE : OUT_MAX;
	const double middle = sample->point[n / 2].value;
	double sum = 0, square = 0;
	size_t out = 0;

	for (size_t i = n; i-- > 1;) {
		const struct point *next = &sample->point[i - 1];
		const double value = sample->point[i].value - middle, rest = (double)(n - i);
		double mean, scale;

		sum += value;
		square += value * value;
		if (i > most || rest < 2)
			continue;
		mean = sum / rest;
		scale = fmax(sqrt(fmax(square - sum * mean, 0) / (rest - 1)), next->error);
		if (next->value - middle - mean >
		    scale * sqrt(1 + 1 / rest) * scope_anomaly_student_upper(chance / (rest + 1), rest - 1)) {
			out = i;
			break;
		}
	}
	return out;
}

/* The usual value is the median of those in line. */
static double usual_of(const struct judge *judge, size_t out, enum scope_uneven in)
{
	const size_t at = out + (judge->sample.count - out) / 2;

	return mean_of(&judge->load[judge->sample.point[at].thread], in);
}

static void note(struct judge *judge, const struct point *point, double usual, uint32_t others, enum scope_uneven in)
{
	const struct scope_thread_load *load = &judge->load[point->thread];
	const double own = mean_of(load, in), busy_ns = load->run_ns + load->wait_ns;
	const double extra_ns = in == SCOPE_UNEVEN_WORK ? busy_ns * (1 - usual / own)
							: (own - usual) * (double)load->units;
	struct scope_uneven_thread *of = &judge->of[point->thread];

	if (own < TIMES_MIN * usual || extra_ns < EXTRA_SHARE * load->life_ns || extra_ns <= of->extra_ns)
		return;
	*of = (struct scope_uneven_thread){
		.thread = point->thread,
		.group = judge->of_thread[point->thread],
		.in = in,
		.cpu = in == SCOPE_UNEVEN_WAITS && 2 * load->queue_ns > load->wait_ns,
		.others = others,
		.units = load->units,
		.own = own,
		.usual = usual,
		.extra_ns = extra_ns,
	};
}

static void judge_group(struct judge *judge, const uint32_t *thread, size_t count)
{
	for (int in = 0; in < SCOPE_UNEVENS; in++) {
		size_t out;
		double usual;

		for (size_t i = 0; i < count; i++)
			judge->sample.point[i] = point_of(&judge->load[thread[i]], thread[i], (enum scope_uneven)in);
		judge->sample.count = count;
		qsort(judge->sample.point, count, sizeof(*judge->sample.point), higher_first);
		out = count_out(&judge->sample, judge->chance);
		usual = out ? usual_of(judge, out, (enum scope_uneven)in) : 0;
		for (size_t i = 0; i < out; i++)
			note(judge, &judge->sample.point[i], usual, (uint32_t)(count - out), (enum scope_uneven)in);
	}
}

static int dearer_first(const void *left, const void *right)
{
	const struct scope_uneven_thread *a = left, *b = right;

	if (a->extra_ns != b->extra_ns)
		return a->extra_ns < b->extra_ns ? 1 : -1;
	return a->thread < b->thread ? -1 : 1;
}

static bool is_compared(const struct scope_thread_load *load)
{
	return load->units >= MIN_UNITS && load->life_ns > 0;
}

/* Puts threads that can be compared in order of their groups: first[g] to first[g + 1] are group g's. */
static void sort_threads(const struct judge *judge, size_t threads, size_t groups, uint32_t *thread, size_t *first)
{
	for (size_t i = 0; i < threads; i++)
		first[judge->of_thread[i]] += is_compared(&judge->load[i]);
	for (size_t g = 0, sum = 0; g <= groups; g++)
		first[g] = sum += first[g];
	for (size_t i = threads; i-- > 0;)
		if (is_compared(&judge->load[i]))
			thread[--first[judge->of_thread[i]]] = (uint32_t)i;
}

/* thread and first: room for all threads, and for groups + 1 zeros. */
static void judge_groups(struct judge *judge, size_t threads, size_t groups, uint32_t *thread, size_t *first)
{
	size_t compared = 0;

	sort_threads(judge, threads, groups, thread, first);
	for (size_t g = 0; g < groups; g++)
		compared += first[g + 1] - first[g] >= MIN_THREADS;
	judge->chance = compared ? FALSE_RATE / (double)(compared * SCOPE_UNEVENS) : 0;
	for (size_t g = 0; g < groups; g++)
		if (first[g + 1] - first[g] >= MIN_THREADS)
			judge_group(judge, thread + first[g], first[g + 1] - first[g]);
}

static int judge_all(struct judge *judge, size_t threads, size_t groups)
{
	uint32_t *thread = malloc((threads + 1) * sizeof(*thread));
	size_t *first = calloc(groups + 1, sizeof(*first));
	int err = -ENOMEM;

	judge->sample.point = malloc((threads + 1) * sizeof(*judge->sample.point));
	if (thread && first && judge->sample.point) {
		judge_groups(judge, threads, groups, thread, first);
		err = 0;
	}
	free(judge->sample.point);
	free(first);
	free(thread);
	return err;
}

int scope_server_balance_judge(const struct scope_thread_load *load, const uint32_t *of_thread, size_t threads,
			       size_t groups, struct scope_balance **ret_balance)
{
	struct scope_balance *balance = calloc(1, sizeof(*balance));
	struct judge judge = { .load = load, .of_thread = of_thread };

	if (!balance)
		return -ENOMEM;
	judge.of = balance->thread = calloc(threads + 1, sizeof(*balance->thread));
	if (!balance->thread || judge_all(&judge, threads, groups)) {
		scope_server_balance_destroy(balance);
		return -ENOMEM;
	}
	for (size_t i = 0; i < threads; i++)
		if (judge.of[i].extra_ns > 0)
			balance->thread[balance->count++] = judge.of[i];
	qsort(balance->thread, balance->count, sizeof(*balance->thread), dearer_first);
	*ret_balance = balance;
	return 0;
}

void scope_server_balance_destroy(struct scope_balance *balance)
{
	if (!balance)
		return;
	free(balance->thread);
	free(balance);
}
