// SPDX-License-Identifier: GPL-2.0-only
/* Finds what explains how long requests take: the bytes they read and write, or the calls they make. */
#include "server/explain.h"

#include <math.h>
#include <stdlib.h>

#include "anomaly/robust.h"

#define EXAMPLES_MIN 100 /* fewer prove nothing */
#define SHARE_MIN 0.5	 /* of the variance: less is no explanation */
#define RANKS_MIN 0.5	 /* Spearman's correlation */
#define LEFT_OUT 100	 /* one unit in 100 is left out, those that fit least: other rules judge slow units */

/* A feature that differs in fewer units than this share separates two kinds of requests, and does not measure them. */
#define DIFFER_SHARE 0.1

static int by_bytes(const void *left, const void *right)
{
	const struct scope_example *a = left, *b = right;
	const double *x = a->feature, *y = b->feature;

	if (x[SCOPE_FEATURE_BYTES] != y[SCOPE_FEATURE_BYTES])
		return x[SCOPE_FEATURE_BYTES] < y[SCOPE_FEATURE_BYTES] ? -1 : 1;
	return (a->ns > b->ns) - (a->ns < b->ns);
}

static int by_calls(const void *left, const void *right)
{
	const struct scope_example *a = left, *b = right;
	const double *x = a->feature, *y = b->feature;

	if (x[SCOPE_FEATURE_CALLS] != y[SCOPE_FEATURE_CALLS])
		return x[SCOPE_FEATURE_CALLS] < y[SCOPE_FEATURE_CALLS] ? -1 : 1;
	return (a->ns > b->ns) - (a->ns < b->ns);
}

/* Ranks of values in ascending order; equal ones share theirs. */
static void rank(const double *sorted, size_t count, double *ret_rank)
{
	for (size_t i = 0; i < count;) {
		size_t end = i;

		while (end < count && sorted[end] == sorted[i])
			end++;
		for (size_t j = i; j < end; j++)
			ret_rank[j] = (double)(i + end - 1) / 2;
		i = end;
	}
}

static double rank_of(const double *sorted, const double *ranks, size_t count, double value)
{
	size_t low = 0, high = count;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (sorted[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return ranks[low];
}

/* Examples are in order of x. room: 4 × count values. */
static double correlate_ranks(const struct scope_example *example, size_t count, enum scope_feature by, double *room)
{
	double *x = room, *x_rank = room + count, *ns = room + 2 * count, *ns_rank = room + 3 * count;
	const double middle = (double)(count - 1) / 2;
	double both = 0, of_x = 0, of_ns = 0;

	for (size_t i = 0; i < count; i++) {
		x[i] = example[i].feature[by];
		ns[i] = example[i].ns;
	}
	scope_anomaly_sort(ns, count);
	rank(x, count, x_rank);
	rank(ns, count, ns_rank);
	for (size_t i = 0; i < count; i++) {
		const double a = x_rank[i] - middle, b = rank_of(ns, ns_rank, count, example[i].ns) - middle;

		both += a * b;
		of_x += a * a;
		of_ns += b * b;
	}
	return of_x > 0 && of_ns > 0 ? both / sqrt(of_x * of_ns) : 0;
}

/* Slope and base. Returns false where x hardly differs. */
static bool fit(const struct scope_example *example, size_t count, enum scope_feature by, double *room,
		struct scope_explained *explained)
{
	const size_t half = count / 2;
	size_t slopes = 0;

	for (size_t i = 0; i + half < count; i++) {
		const double dx = example[i + half].feature[by] - example[i].feature[by];

		if (dx > 0)
			room[slopes++] = (example[i + half].ns - example[i].ns) / dx;
	}
	if ((double)slopes < DIFFER_SHARE * (double)count)
		return false;
	scope_anomaly_sort(room, slopes);
	explained->rate_ns = scope_anomaly_quantile_sorted(room, slopes, 0.5);
	for (size_t i = 0; i < count; i++)
		room[i] = example[i].ns - explained->rate_ns * example[i].feature[by];
	scope_anomaly_sort(room, count);
	explained->base_ns = scope_anomaly_quantile_sorted(room, count, 0.5);
	return explained->rate_ns > 0;
}

/* The share of the variance that the fit explains, of all but those that fit least. */
static double share_of(const struct scope_example *example, size_t count, enum scope_feature by, double *room,
		       const struct scope_explained *explained)
{
	double sum = 0, square = 0, left = 0, limit, n = 0;

	for (size_t i = 0; i < count; i++)
		room[i] = fabs(example[i].ns - explained->base_ns - explained->rate_ns * example[i].feature[by]);
	scope_anomaly_sort(room, count);
	limit = room[count - 1 - count / LEFT_OUT];
	for (size_t i = 0; i < count; i++) {
		const double off = example[i].ns - explained->base_ns - explained->rate_ns * example[i].feature[by];

		if (fabs(off) > limit)
			continue;
		n++;
		sum += example[i].ns;
		square += example[i].ns * example[i].ns;
		left += off * off;
	}
	square -= sum * sum / n;
	return square > 0 ? 1 - left / square : 0;
}

bool scope_server_explain(struct scope_example *example, size_t count, struct scope_explained *ret_explained)
{
	static int (*const order[SCOPE_FEATURES])(const void *, const void *) = { by_bytes, by_calls };
	double *room = count >= EXAMPLES_MIN ? malloc(4 * count * sizeof(*room)) : NULL;
	bool found = false;

	if (!room)
		return false;
	for (int by = 0; by < SCOPE_FEATURES; by++) {
		struct scope_explained one = *ret_explained;

		qsort(example, count, sizeof(*example), order[by]);
		one.by = (uint8_t)by;
		one.correlation = correlate_ranks(example, count, (enum scope_feature)by, room);
		if (one.correlation < RANKS_MIN || !fit(example, count, (enum scope_feature)by, room, &one))
			continue;
		one.share = share_of(example, count, (enum scope_feature)by, room, &one);
		if (one.share < SHARE_MIN || (found && one.share <= ret_explained->share))
			continue;
		*ret_explained = one;
		found = true;
	}
	free(room);
	return found;
}
