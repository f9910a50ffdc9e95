/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes and reads profiles in the format of Coz, which its viewers open.
 *
 * A line is an object: a type and its fields, either split by tabs (type, then name=value), or as
 * JSON with the type as "type". Of these count:
 *
 *   experiment        selected (the site), speedup (0 to 1), duration (ns, effective),
 *                     selected-samples (visits of the site) or selected_samples
 *   throughput-point  name, delta: visits during the experiment before it. Older profiles say
 *                     progress-point, newer ones also throughput_point
 *   latency-point     name, arrivals, departures, difference (in flight); or latency_point. Viewers
 *                     keep one kind of data for each name: the name of a pair whose visits are
 *                     counted as well is written with " (latency)" at its end, and read with or
 *                     without it
 *
 * A sensitivity has delays instead of speedups. The longest one is taken as the baseline; a shorter
 * one makes the site's delay faster by 1 - delay / longest. It is written so, with " (delay)" after
 * the name of the site.
 */
#ifndef SCOPE_CAUSAL_COZ_H
#define SCOPE_CAUSAL_COZ_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "causal/result.h"

#define SCOPE_COZ_LATENCY " (latency)"

/* json: a JSON object a line, else tabs. 0, -EIO, -ENOMEM. */
int scope_causal_coz_write(const struct scope_causal_result *result, bool json, FILE *out);

/* The result of reading: experiments of one progress point. */
struct scope_coz_profile {
	char **site; /* `sites` names, in the order of their first occurrence */
	uint32_t sites;
	char *point; /* name of the progress point */
	struct scope_experiment *experiment;
	size_t count;
	size_t skipped; /* experiments whose duration is below 0 */
};

/*
 * point: the name of the progress point to use, NULL: the first one. 0, with *ret_profile for
 * scope_causal_coz_free(); -EBADMSG: a line is not of this format, error names it; -ENODATA: no
 * experiment with that point; -ENOMEM.
 */
int scope_causal_coz_read(FILE *in, const char *point, struct scope_error *error,
			  struct scope_coz_profile *ret_profile);
void scope_causal_coz_free(struct scope_coz_profile *profile); /* zeroed is fine */

#endif
