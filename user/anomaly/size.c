// SPDX-License-Identifier: GPL-2.0-only
/* Computes how long a request of a given size usually takes, where sizes explain how long requests take. */
#include "anomaly/size.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "anomaly/robust.h"
#include "base/sort.h"

#define SIZES_DIFFER 1.25  /* the third quartile of sizes by the first: less of a spread separates kinds of requests */
#define SIZE_SHARE_MIN 0.5 /* share of the variance: less is no explanation */
#define BIN_SHARE 8	   /* a bin has one in 8 of the examples that are left … */
#define BIN_MIN 32	   /* … but at least this many */
#define STEEPER 2	   /* times the line of all units: a larger request that takes longer is slow */
#define RATE_ERRORS 4	   /* standard errors that the rate of this line may be off */
#define BEYOND_TIMES 2	   /* times the last bin's size: what is usual there is a guess */
#define BIN_SCALE 0.6745   /* no rule: the median deviation of a normal distribution, in standard deviations */

/* Index of the first example that is no part of the bin; equal sizes are in one bin. */
static size_t bin_end(const struct scope_example *example, size_t count, size_t begin)
{
	const size_t left = count - begin, part = left / BIN_SHARE > BIN_MIN ? left / BIN_SHARE : BIN_MIN;
	size_t end = left < part + BIN_MIN ? count : begin + part;

	while (end < count &&
	       example[end].feature[SCOPE_FEATURE_BYTES] == example[end - 1].feature[SCOPE_FEATURE_BYTES])
		end++;
	return end;
}

/* Medians of the bins. Returns how many there are; knot: room for one of BIN_MIN examples each. */
static size_t place_knots(const struct scope_example *example, size_t count, struct scope_size_knot *knot, double *room)
{
	size_t knots = 0;

	for (size_t begin = 0, end; begin < count; begin = end) {
		end = bin_end(example, count, begin);
		for (size_t i = begin; i < end; i++)
			room[i - begin] = example[i].ns;
		scope_sort_doubles(room, end - begin);
		knot[knots++] = (struct scope_size_knot){
			.bytes = example[begin + (end - begin) / 2].feature[SCOPE_FEATURE_BYTES],
			.ns = scope_anomaly_quantile_sorted(room, end - begin, 0.5),
		};
	}
	return knots;
}

/* The last knot that is no larger; 0 if all are. */
static size_t knot_below(const struct scope_size_baseline *baseline, double bytes)
{
	size_t low = 0, high = baseline->knots;

	while (low + 1 < high) {
		const size_t middle = (low + high) / 2;

		if (baseline->knot[middle].bytes <= bytes)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Larger than the last bin's: as time grew in the upper half of bins. The scale grows with the time. */
static struct scope_size_usual usual_above(const struct scope_size_baseline *baseline, double bytes)
{
	const struct scope_size_knot *last = &baseline->knot[baseline->knots - 1],
				     *from = &baseline->knot[(baseline->knots - 1) / 2];
	const double rate = fmax((last->ns - from->ns) / (last->bytes - from->bytes), 0);
	const double ns = last->ns + rate * (bytes - last->bytes);

	return (struct scope_size_usual){
		.ns = ns,
		.scale_ns = last->ns > 0 ? last->scale_ns * ns / last->ns : last->scale_ns,
		.beyond = bytes > BEYOND_TIMES * last->bytes,
	};
}

/* On the line through the medians. */
static struct scope_size_usual curve_at(const struct scope_size_baseline *baseline, double bytes)
{
	const struct scope_size_knot *a = &baseline->knot[knot_below(baseline, bytes)], *b = a + 1;
	double part;

	if (bytes >= baseline->knot[baseline->knots - 1].bytes)
		return usual_above(baseline, bytes);
	part = bytes > a->bytes ? (bytes - a->bytes) / (b->bytes - a->bytes) : 0;
	return (struct scope_size_usual){
		.ns = a->ns + part * (b->ns - a->ns),
		.scale_ns = a->scale_ns + part * (b->scale_ns - a->scale_ns),
	};
}

struct scope_size_usual scope_anomaly_size_usual(const struct scope_size_baseline *baseline, double bytes)
{
	const double most = STEEPER * (baseline->base_ns + baseline->rate_ns * bytes);
	struct scope_size_usual usual = curve_at(baseline, bytes);

	if (usual.ns > most)
		usual.ns = most;
	return usual;
}

/* How far units are off the line through the medians, bin by bin. */
static void measure_scales(const struct scope_example *example, size_t count, double scale_min_ns,
			   struct scope_size_baseline *baseline, double *room)
{
	struct scope_size_knot *knot = baseline->knot;

	for (size_t begin = 0, end; begin < count; begin = end, knot++) {
		end = bin_end(example, count, begin);
		for (size_t i = begin; i < end; i++)
			room[i - begin] =
				fabs(example[i].ns - curve_at(baseline, example[i].feature[SCOPE_FEATURE_BYTES]).ns);
		scope_sort_doubles(room, end - begin);
		knot->scale_ns = fmax(scope_anomaly_quantile_sorted(room, end - begin, 0.5) / BIN_SCALE, scale_min_ns);
	}
}

/* Units without any bytes are of another kind. */
static bool sizes_differ(const struct scope_example *example, size_t count)
{
	const double first = example[count / 4].feature[SCOPE_FEATURE_BYTES],
		     third = example[count - 1 - count / 4].feature[SCOPE_FEATURE_BYTES];

	return first > 0 && third >= SIZES_DIFFER * first;
}

/* Examples in order of their bytes; room: 2 × count values. */
static bool fit(const struct scope_example *example, size_t count, double scale_min_ns,
		struct scope_size_baseline *baseline, double *room)
{
	struct scope_line line;

	if (!sizes_differ(example, count) ||
	    !scope_anomaly_explain_line(example, count, SCOPE_FEATURE_BYTES, room, &line))
		return false;
	baseline->base_ns = fmax(line.base_ns, 0);
	baseline->rate_ns = fmax(line.rate_ns, 0) + RATE_ERRORS * line.rate_error_ns;
	baseline->knots = place_knots(example, count, baseline->knot, room);
	if (baseline->knots < 2)
		return false;
	/*
	 * A straight line has to explain the times. Sizes that are not on it are kinds of requests, and one of these
	 * may have the bug.
	 */
	for (size_t i = 0; i < count; i++)
		room[i] = line.base_ns + line.rate_ns * example[i].feature[SCOPE_FEATURE_BYTES];
	baseline->share = scope_anomaly_explain_share(example, count, room, room + count);
	if (baseline->share < SIZE_SHARE_MIN)
		return false;
	measure_scales(example, count, scale_min_ns, baseline, room);
	return true;
}

int scope_anomaly_size_fit(struct scope_example *example, size_t count, double scale_min_ns,
			   struct scope_size_baseline **ret_baseline)
{
	struct scope_size_baseline *baseline;
	double *room;

	*ret_baseline = NULL;
	if (count < SCOPE_EXAMPLES_MIN)
		return 0;
	baseline = calloc(1, sizeof(*baseline));
	room = malloc(2 * count * sizeof(*room));
	if (baseline)
		baseline->knot = calloc(count / BIN_MIN + 1, sizeof(*baseline->knot));
	if (!baseline || !room || !baseline->knot || scope_anomaly_examples_sort(example, count, SCOPE_FEATURE_BYTES)) {
		free(room);
		scope_anomaly_size_destroy(baseline);
		return -ENOMEM;
	}
	if (fit(example, count, scale_min_ns, baseline, room))
		*ret_baseline = baseline;
	else
		scope_anomaly_size_destroy(baseline);
	free(room);
	return 0;
}

void scope_anomaly_size_destroy(struct scope_size_baseline *baseline)
{
	if (!baseline)
		return;
	free(baseline->knot);
	free(baseline);
}
