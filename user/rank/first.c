// SPDX-License-Identifier: GPL-2.0-only
/* Finds functions that are slow in the first request of each connection. */
#include "rank/first.h"

bool scope_rank_in_first_requests(const struct scope_rank_input *input, const uint32_t *unit, size_t units,
				  uint32_t group)
{
	struct scope_first_counts counts = { .units = units };
	const struct scope_distributions_group *of;
	uint64_t asked = 0;

	if (!input->distributions || group >= input->distributions->groups)
		return false;
	of = &input->distributions->group[group];
	for (size_t i = 0; i < units; i++)
		counts.first += input->units->unit[unit[i]].first;
	for (size_t i = 0; i < of->rows; i++) {
		counts.all += of->row[i].first;
		asked += of->row[i].asked;
	}
	for (size_t i = 0; i < input->detection->populations; i++)
		if (input->detection->population[i].group == group)
			counts.slow += input->kept->of[i].first_slow;
	/* Threads that get requests from others take none themselves. */
	counts.requests = asked ? asked : of->units;
	return scope_rank_first_requests(&counts);
}
