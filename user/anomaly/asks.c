// SPDX-License-Identifier: GPL-2.0-only
/* Finds which populations are of clients' requests, and which of threads that no request needs. */
#include "anomaly/asks.h"

void scope_anomaly_asks_find(const struct scope_baseline_units *all, struct scope_population *population,
			     uint32_t first, uint32_t populations, uint32_t *kind_of_vector)
{
	for (uint32_t i = first; i < first + populations; i++) {
		uint64_t asked = 0;

		for (size_t j = 0; j < all->distributions->rows; j++)
			asked += all->of_vector[j] == i ? all->distributions->row[j].asked : 0;
		population[i].asks = 2 * asked > population[i].units;
	}
	for (size_t i = 0; i < all->distributions->rows; i++)
		kind_of_vector[i] = population[all->of_vector[i]].asks ? SCOPE_KIND_ASKS : SCOPE_KIND_TURN;
}

/*
 * Blame follows the wait (wPerf): a thread that answers no client, and for which no such thread
 * waits, cannot slow a request. Its time during a wait within a request is attributed to that
 * request, by the thread that ended the wait. A program that serves almost no clients would be
 * background as a whole, so none of its threads is.
 */
void scope_anomaly_asks_background(const struct scope_groups *groups, const struct scope_distributions *distributions,
				   const struct scope_detect_options *options, struct scope_detection *detection)
{
	double busy_ns = 0;
	uint64_t units = 0;

	for (uint32_t i = 0; i < groups->count && i < distributions->groups; i++)
		if (groups->group[i].serves) {
			busy_ns += (double)distributions->group[i].busy_ns;
			units += distributions->group[i].units;
		}
	if (units < options->units_min || busy_ns < options->serving_share * distributions->busy_ns)
		return;
	for (uint32_t i = 0; i < detection->populations; i++)
		detection->population[i].background = !groups->group[detection->population[i].group].serves;
}
