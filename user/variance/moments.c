// SPDX-License-Identifier: GPL-2.0-only
/* Computes the share of each part of a latency in its variance. */
#include "variance/moments.h"

#include <math.h>

void scope_variance_spread_merge(struct scope_spread *to, const struct scope_spread *from)
{
	to->units += from->units;
	to->middle_units += from->middle_units;
	to->high_units += from->high_units;
	to->sum += from->sum;
	to->squares += from->squares;
	to->middle += from->middle;
	to->high += from->high;
}

void scope_variance_part_merge(struct scope_part_sums *to, const struct scope_part_sums *from)
{
	to->sum += from->sum;
	to->with_latency += from->with_latency;
	to->middle += from->middle;
	to->high += from->high;
}

double scope_variance_mean(const struct scope_spread *spread, double shift_ns)
{
	return spread->units ? shift_ns + spread->sum / (double)spread->units : 0;
}

/* The variance, multiplied by the number of units. */
static double scatter(const struct scope_spread *spread)
{
	const double squares = spread->squares - spread->sum * spread->sum / (double)spread->units;

	/* With equal latencies rounding may give a small value, which is no variance. */
	return squares > 1e-9 * spread->squares ? squares : 0;
}

double scope_variance_of(const struct scope_spread *spread)
{
	return spread->units ? scatter(spread) / (double)spread->units : 0;
}

double scope_variance_cv(const struct scope_spread *spread, double shift_ns)
{
	const double mean = scope_variance_mean(spread, shift_ns);

	return mean > 0 ? sqrt(scope_variance_of(spread)) / mean : 0;
}

double scope_variance_share(const struct scope_spread *spread, const struct scope_part_sums *part)
{
	const double all = spread->units ? scatter(spread) : 0;

	return all > 0 ? (part->with_latency - part->sum * spread->sum / (double)spread->units) / all : 0;
}

double scope_variance_tail_share(const struct scope_spread *spread, const struct scope_part_sums *part)
{
	double latency, own;

	if (spread->middle_units < SCOPE_VARIANCE_HIGH_MIN || spread->high_units < SCOPE_VARIANCE_HIGH_MIN)
		return NAN;
	latency = spread->high / (double)spread->high_units - spread->middle / (double)spread->middle_units;
	own = part->high / (double)spread->high_units - part->middle / (double)spread->middle_units;
	return latency > 0 ? own / latency : NAN;
}
