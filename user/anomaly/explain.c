// SPDX-License-Identifier: GPL-2.0-only
/* Finds what explains how long requests take: their bytes, their calls, or the situation in which they began. */
#include "anomaly/explain.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "anomaly/robust.h"
#include "base/sort.h"

#define SHARE_MIN 0.5	   /* share of the variance: less is no explanation */
#define SETTING_MIN 0.6	   /* the same, of what a unit began in: kinds of work may differ in that, too */
#define RANKS_MIN 0.5	   /* Spearman's correlation */
#define MEDIAN_SPREAD 1.25 /* no rule: standard deviation of the median of n values, in theirs / sqrt(n) */
#define HALF_WIDTH 1.349   /* no rule: the middle half of a normal distribution, in standard deviations */
#define LEFT_OUT 100	   /* one unit in 100 is left out, those that fit least: other rules judge slow units */

/* A feature that differs in fewer units than this share separates two kinds of requests, and does not measure them. */
#define DIFFER_SHARE 0.1

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
	scope_sort_doubles(ns, count);
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

/* A standard deviation by the middle half of sorted values, and of the median of n of them. */
static double error_of_median(const double *sorted, size_t count)
{
	const double half =
		scope_anomaly_quantile_sorted(sorted, count, 0.75) - scope_anomaly_quantile_sorted(sorted, count, 0.25);

	return MEDIAN_SPREAD * half / HALF_WIDTH / sqrt((double)count);
}

bool scope_anomaly_explain_line(const struct scope_example *example, size_t count, enum scope_feature by, double *room,
				struct scope_line *ret_line)
{
	const size_t half = count / 2;
	struct scope_line line;
	size_t slopes = 0;

	for (size_t i = 0; i + half < count; i++) {
		const double dx = example[i + half].feature[by] - example[i].feature[by];

		if (dx > 0)
			room[slopes++] = (example[i + half].ns - example[i].ns) / dx;
	}
	if ((double)slopes < DIFFER_SHARE * (double)count)
		return false;
	scope_sort_doubles(room, slopes);
	line.rate_ns = scope_anomaly_quantile_sorted(room, slopes, 0.5);
	line.rate_error_ns = error_of_median(room, slopes);
	for (size_t i = 0; i < count; i++)
		room[i] = example[i].ns - line.rate_ns * example[i].feature[by];
	scope_sort_doubles(room, count);
	line.base_ns = scope_anomaly_quantile_sorted(room, count, 0.5);
	*ret_line = line;
	return true;
}

double scope_anomaly_explain_share(const struct scope_example *example, size_t count, const double *predicted_ns,
				   double *room)
{
	double sum = 0, square = 0, left = 0, limit, n = 0;

	for (size_t i = 0; i < count; i++)
		room[i] = fabs(example[i].ns - predicted_ns[i]);
	scope_sort_doubles(room, count);
	limit = room[count - 1 - count / LEFT_OUT];
	for (size_t i = 0; i < count; i++) {
		const double off = example[i].ns - predicted_ns[i];

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

/* room: 2 × count values. */
static bool explain_by(const struct scope_example *example, size_t count, enum scope_feature by, double *room,
		       struct scope_explained *explained)
{
	struct scope_line line;

	if (!scope_anomaly_explain_line(example, count, by, room, &line) || line.rate_ns <= 0)
		return false;
	explained->rate_ns = line.rate_ns;
	explained->base_ns = line.base_ns;
	for (size_t i = 0; i < count; i++)
		room[i] = line.base_ns + line.rate_ns * example[i].feature[by];
	explained->share = scope_anomaly_explain_share(example, count, room, room + count);
	return explained->share >= (explained->by < SCOPE_FEATURE_SIZES ? SHARE_MIN : SETTING_MIN);
}

int scope_anomaly_examples_sort(struct scope_example *example, size_t count, enum scope_feature by)
{
	struct scope_sort_row *row = reallocarray(NULL, count, 2 * sizeof(*row));
	struct scope_example *sorted = reallocarray(NULL, count, sizeof(*sorted));

	if (row && sorted) {
		for (size_t i = 0; i < count; i++)
			row[i] = (struct scope_sort_row){ scope_sort_key(example[i].ns), i };
		scope_sort_rows(row, row + count, count);
		for (size_t i = 0; i < count; i++)
			row[i].key = scope_sort_key(example[row[i].value].feature[by]);
		scope_sort_rows(row, row + count, count);
		for (size_t i = 0; i < count; i++)
			sorted[i] = example[row[i].value];
		memcpy(example, sorted, count * sizeof(*sorted));
	}
	free(row);
	free(sorted);
	return row && sorted ? 0 : -ENOMEM;
}

#define COLUMN SCOPE_FEATURE_BYTES /* no rule: the place in copies of examples of the feature in question */

static double value_of(enum scope_feature by, const struct scope_example *example, const struct scope_setting *setting)
{
	switch (by) {
	case SCOPE_FEATURE_FIRST:
		return setting->first;
	case SCOPE_FEATURE_AT_WORK:
		return setting->at_work;
	case SCOPE_FEATURE_PAUSE:
		return setting->pause_ns;
	default:
		return example->feature[by];
	}
}

/* Copies the examples of which the feature is known. Returns how many there are. */
static size_t copy_column(enum scope_feature by, const struct scope_example *example,
			  const struct scope_setting *setting, size_t count, struct scope_example *column)
{
	size_t copied = 0;

	for (size_t i = 0; i < count; i++) {
		const double value = value_of(by, &example[i], setting ? &setting[i] : NULL);

		if (!isnan(value))
			column[copied++] = (struct scope_example){ .ns = example[i].ns, .feature[COLUMN] = value };
	}
	return copied;
}

/* Explains by what is in the column, and room for 4 × count values. */
static bool explain_column(struct scope_example *column, size_t count, double *room, struct scope_explained *one)
{
	if (count < SCOPE_EXAMPLES_MIN || scope_anomaly_examples_sort(column, count, COLUMN))
		return false;
	one->correlation = correlate_ranks(column, count, COLUMN, room);
	return one->correlation >= RANKS_MIN && explain_by(column, count, COLUMN, room, one);
}

bool scope_anomaly_explain(const struct scope_example *example, const struct scope_setting *setting, size_t count,
			   struct scope_explained *ret_explained)
{
	const int features = setting ? SCOPE_FEATURES : SCOPE_FEATURE_SIZES;
	struct scope_example *column;
	bool found = false;
	double *room;

	if (count < SCOPE_EXAMPLES_MIN)
		return false;
	column = malloc(count * sizeof(*column));
	room = malloc(4 * count * sizeof(*room));
	for (int by = 0; column && room && by < features; by++) {
		struct scope_explained one = *ret_explained;
		const size_t copied = copy_column((enum scope_feature)by, example, setting, count, column);

		one.by = (uint8_t)by;
		if (!explain_column(column, copied, room, &one) || (found && one.share <= ret_explained->share))
			continue;
		*ret_explained = one;
		found = true;
	}
	free(column);
	free(room);
	return found;
}
