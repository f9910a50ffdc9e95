// SPDX-License-Identifier: GPL-2.0-only
/* Computes how many threads of a stage have work at one time, and for how long all have. */
#include "server/stretch.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"
#include "base/sort.h"

#define MISSING 100 /* at most one unit in 100 may be missing: with more the pairs are uncertain */

int scope_server_stretch_add(struct scope_stretches *stretches, uint64_t begin_ns, uint64_t end_ns)
{
	const size_t count = stretches->count + 1;

	if (scope_grow(&stretches->begin_ns, &stretches->begin_capacity, count, sizeof(*stretches->begin_ns)) ||
	    scope_grow(&stretches->end_ns, &stretches->end_capacity, count, sizeof(*stretches->end_ns)))
		return -ENOMEM;
	stretches->begin_ns[stretches->count] = begin_ns;
	stretches->end_ns[stretches->count++] = end_ns;
	return 0;
}

/* Ends mostly come in order of time. */
static void sort(uint64_t *ns, size_t count)
{
	size_t at = 1;

	while (at < count && ns[at - 1] <= ns[at])
		at++;
	if (at < count)
		scope_sort_numbers(ns, count);
}

/*
 * A thread that ends a unit at the time at which it begins the next one has work all the time: at equal times ends come
 * first, and no time is between.
 */
struct scope_busy scope_server_stretch_sum(struct scope_stretches *stretches, uint32_t threads, uint64_t until_ns)
{
	struct scope_busy busy = { 0 };
	uint64_t last_ns = 0;
	uint32_t now = 0;
	size_t begins = 0, ends = 0;

	if (!stretches->count)
		return busy;
	sort(stretches->begin_ns, stretches->count);
	sort(stretches->end_ns, stretches->count);
	while (ends < stretches->count) {
		const bool begin = begins < stretches->count && stretches->begin_ns[begins] < stretches->end_ns[ends];
		uint64_t at_ns = begin ? stretches->begin_ns[begins] : stretches->end_ns[ends];

		at_ns = at_ns < until_ns ? at_ns : until_ns;
		if (last_ns && at_ns > last_ns) {
			busy.mean_ns += (double)now * (double)(at_ns - last_ns);
			busy.all_ns += now >= threads ? (double)(at_ns - last_ns) : 0;
			busy.most = now > busy.most ? now : busy.most;
		}
		last_ns = at_ns;
		if (begin) {
			now++;
			begins++;
		} else {
			/* A unit of no length begins where it ends. */
			if (begins <= ends)
				begins++;
			else
				now--;
			ends++;
		}
	}
	return busy;
}

bool scope_server_stretch_between(const struct scope_stretches *before, const struct scope_stretches *after,
				  double *ret_mean_ns)
{
	const size_t most = before->count > after->count ? before->count : after->count;
	const size_t both = before->count < after->count ? before->count : after->count;
	/* Extra begins are of work queued before the window, extra ends of work still queued at its end. */
	const size_t skip = after->count - both;
	double sum = 0;

	if (!both || (most - both) * MISSING > most)
		return false;
	for (size_t i = 0; i < both; i++)
		sum += (double)after->begin_ns[skip + i] - (double)before->end_ns[i];
	/*
	 * The stage before was still in the same unit and waited for the result, so it is not known when it gave the
	 * work.
	 */
	if (sum < 0)
		return false;
	*ret_mean_ns = sum / (double)both;
	return true;
}

void scope_server_stretch_free(struct scope_stretches *stretches)
{
	free(stretches->begin_ns);
	free(stretches->end_ns);
}
