// SPDX-License-Identifier: GPL-2.0-only
/* Bounds the offset between the clocks of two hosts by exchanges that both recorded. */
#include "fleet/clock.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define ANCHORS 24	 /* no rule: the narrowest bounds, by two of which a line is tried */
#define STEPS 64	 /* no rule: of a search for the least of a convex function */
#define CHANCE 0.01	 /* chance that this number agrees without being the same exchanges */
#define APART_US 86400e6 /* no rule: offsets of more than a day are not searched */

/* The bounds of the offset by one exchange on each side, us. at: the middle, by the client's clock. */
struct bound {
	double at, least, most;
	uint32_t ask;
};

struct edge {
	double at;
	int step; /* 1: a bound begins; -1: it ended */
};

struct line {
	double offset, drift; /* at the middle */
};

static int by_place(const void *left, const void *right)
{
	const struct edge *a = left, *b = right;

	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	/* Bounds that touch agree. */
	return (a->step < b->step) - (a->step > b->step);
}

static int by_width(const void *left, const void *right)
{
	const struct bound *a = left, *b = right;
	const double one = a->most - a->least, other = b->most - b->least;

	if (one != other)
		return one < other ? -1 : 1;
	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	return (a->least > b->least) - (a->least < b->least);
}

static double slack_of(const struct bound *bound)
{
	return SCOPE_FLEET_CLOCK_DRIFT * fabs(bound->at);
}

/* The probability of `count` or more if `expected` are the mean (Poisson). */
static double chance_of(size_t count, double expected)
{
	double below = 0;

	for (size_t i = 0; i < count; i++)
		below += exp((double)i * log(expected > 0 ? expected : 1e-300) - expected - lgamma((double)i + 1));
	return below < 1 ? 1 - below : 0;
}

/* All pairs of a connection that could be one exchange. */
static size_t pair(const struct scope_fleet_exchange_facts *ask, size_t asks,
		   const struct scope_fleet_exchange_facts *answer, size_t answers, uint64_t middle_us,
		   struct bound *bound)
{
	size_t count = 0;

	for (size_t i = 0; i < asks; i++)
		for (size_t k = 0; k < answers; k++) {
			const double most = (double)((int64_t)answer[k].at_us - (int64_t)ask[i].at_us);
			const double spare = (double)ask[i].took_us - (double)answer[k].took_us;

			if (ask[i].port != answer[k].port || spare < 0 || fabs(most) > APART_US)
				continue;
			bound[count++] = (struct bound){
				.at = (double)((int64_t)ask[i].at_us - (int64_t)middle_us),
				.least = most - spare,
				.most = most,
				.ask = (uint32_t)i,
			};
		}
	return count;
}

/*
 * The offset on which most bounds agree if any drift is possible; *ret_votes is their number. *ret_other: the largest
 * number that agrees on an offset which is not near this one.
 */
static double vote(const struct bound *bound, size_t count, struct edge *edge, size_t *ret_votes, size_t *ret_other)
{
	double best = 0, near = 0;
	long depth = 0, most = 0, other = 0;

	for (size_t i = 0; i < count; i++) {
		const double slack = slack_of(&bound[i]), width = bound[i].most - bound[i].least + 2 * slack;

		edge[2 * i] = (struct edge){ bound[i].least - slack, 1 };
		edge[2 * i + 1] = (struct edge){ bound[i].most + slack, -1 };
		if (width > near)
			near = width;
	}
	qsort(edge, 2 * count, sizeof(*edge), by_place);
	for (size_t i = 0; i < 2 * count; i++) {
		depth += edge[i].step;
		if (depth > most) {
			most = depth;
			best = (edge[i].at + edge[i + 1].at) / 2;
		}
	}
	depth = 0;
	for (size_t i = 0; i < 2 * count; i++) {
		depth += edge[i].step;
		if (depth > other && fabs(edge[i].at - best) > near)
			other = depth;
	}
	*ret_votes = (size_t)most;
	*ret_other = (size_t)other;
	return best;
}

static bool agrees(const struct bound *bound, const struct line *line)
{
	const double at = line->offset + line->drift * bound->at;

	return at >= bound->least && at <= bound->most;
}

static size_t count_agreeing(const struct bound *bound, size_t count, const struct line *line)
{
	size_t agree = 0;

	for (size_t i = 0; i < count; i++)
		agree += agrees(&bound[i], line);
	return agree;
}

/* Tries lines through the middles of the narrowest bounds, and level lines. */
static size_t draw(const struct bound *bound, size_t count, struct line *ret_line)
{
	const size_t anchors = count < ANCHORS ? count : ANCHORS;
	size_t best = 0;

	for (size_t i = 0; i < anchors; i++)
		for (size_t k = 0; k <= i; k++) {
			const double one = (bound[i].least + bound[i].most) / 2;
			const double other = (bound[k].least + bound[k].most) / 2;
			const double apart = bound[i].at - bound[k].at;
			struct line line = { .drift = k < i && fabs(apart) > 0 ? (one - other) / apart : 0 };
			size_t agree;

			if (fabs(line.drift) > SCOPE_FLEET_CLOCK_DRIFT)
				continue;
			line.offset = one - line.drift * bound[i].at;
			agree = count_agreeing(bound, count, &line);
			if (agree > best) {
				best = agree;
				*ret_line = line;
			}
		}
	return best;
}

/* The highest of the lower ends at the middle, for this drift; high: the lowest of the upper ends, negated. */
static double end_at(const struct bound *bound, size_t count, double drift, bool high)
{
	double end = -INFINITY;

	for (size_t i = 0; i < count; i++) {
		const double at = high ? -(bound[i].most - drift * bound[i].at) : bound[i].least - drift * bound[i].at;

		end = at > end ? at : end;
	}
	return end;
}

/* The least of that over all drifts, by a search, because it is convex. */
static double least_end(const struct bound *bound, size_t count, double from, double to, bool high)
{
	for (int i = 0; i < STEPS; i++) {
		const double one = from + (to - from) / 3, other = to - (to - from) / 3;

		if (end_at(bound, count, one, high) < end_at(bound, count, other, high))
			to = other;
		else
			from = one;
	}
	return end_at(bound, count, (from + to) / 2, high);
}

/* The ranges of drift and offset of all lines that are within all of these bounds. There is at least one such line. */
static void bound_lines(const struct bound *bound, size_t count, const struct line *line,
			struct scope_fleet_clock *clock)
{
	double least = -SCOPE_FLEET_CLOCK_DRIFT, most = SCOPE_FLEET_CLOCK_DRIFT;

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < count; k++) {
			const double apart = bound[k].at - bound[i].at;

			if (apart <= 0)
				continue;
			if ((bound[k].most - bound[i].least) / apart < most)
				most = (bound[k].most - bound[i].least) / apart;
			if ((bound[k].least - bound[i].most) / apart > least)
				least = (bound[k].least - bound[i].most) / apart;
		}
	/* Rounding must not make the range empty. */
	least = least < line->drift ? least : line->drift;
	most = most > line->drift ? most : line->drift;
	clock->least_drift = least;
	clock->most_drift = most;
	clock->least_us = (int64_t)floor(least_end(bound, count, least, most, false));
	clock->most_us = (int64_t)ceil(-least_end(bound, count, least, most, true));
	clock->exchanges = count;
}

static bool is_chance(const struct bound *bound, size_t count, size_t votes)
{
	double widths = 0, first = INFINITY, last = -INFINITY;

	for (size_t i = 0; i < count; i++) {
		widths += bound[i].most - bound[i].least + 2 * slack_of(&bound[i]);
		first = bound[i].least < first ? bound[i].least : first;
		last = bound[i].most > last ? bound[i].most : last;
	}
	/* If the offset is right, the bounds that agree do not do so by chance, so they are not counted here. */
	widths *= (double)(count - votes) / (double)count;
	return (double)count * chance_of(votes, widths / (last > first ? last - first : 1)) > CHANCE;
}

static void judge(struct bound *bound, size_t count, struct edge *edge, struct scope_fleet_clock *clock)
{
	size_t votes, other, near = 0;
	const double offset = vote(bound, count, edge, &votes, &other);
	struct line line = { 0 };

	if (votes < SCOPE_FLEET_CLOCK_MIN || (double)other > SCOPE_FLEET_CLOCK_OTHER * (double)votes ||
	    is_chance(bound, count, votes))
		return;
	for (size_t i = 0; i < count; i++)
		if (fabs((bound[i].least + bound[i].most) / 2 - offset) <=
		    (bound[i].most - bound[i].least) / 2 + slack_of(&bound[i]))
			bound[near++] = bound[i];
	qsort(bound, near, sizeof(*bound), by_width);
	if (draw(bound, near, &line) < SCOPE_FLEET_CLOCK_MIN)
		return;
	count = near;
	near = 0;
	for (size_t i = 0; i < count; i++)
		if (agrees(&bound[i], &line))
			bound[near++] = bound[i];
	bound_lines(bound, near, &line, clock);
}

int scope_fleet_clock_bound(const struct scope_fleet_exchange_facts *ask, size_t asks,
			    const struct scope_fleet_exchange_facts *answer, size_t answers,
			    struct scope_fleet_clock *ret_clock)
{
	struct bound *bound = calloc(asks * answers + 1, sizeof(*bound));
	struct edge *edge = calloc(2 * asks * answers + 1, sizeof(*edge));
	uint64_t first_us = UINT64_MAX, last_us = 0;
	size_t count;

	*ret_clock = (struct scope_fleet_clock){ 0 };
	if (!bound || !edge) {
		free(bound);
		free(edge);
		return -ENOMEM;
	}
	for (size_t i = 0; i < asks; i++) {
		first_us = ask[i].at_us < first_us ? ask[i].at_us : first_us;
		last_us = ask[i].at_us > last_us ? ask[i].at_us : last_us;
	}
	if (asks) {
		ret_clock->at_us = first_us + (last_us - first_us) / 2;
		count = pair(ask, asks, answer, answers, ret_clock->at_us, bound);
		if (count)
			judge(bound, count, edge, ret_clock);
	}
	free(bound);
	free(edge);
	return 0;
}
