// SPDX-License-Identifier: GPL-2.0-only
/* Sums up what the units of a ranking took, and which part of that is explained. */
#include "rank/totals.h"

#include <math.h>

/* Blame that follows the wait ends at threads that were idle: the cause is outside the program. */
static void count_idle(const struct scope_wait_chains *wait_chains, struct scope_ranking *ranking)
{
	double sum_ns = 0;

	for (size_t i = 0; i < wait_chains->threads; i++) {
		sum_ns += wait_chains->recent[i].idle_ns;
		if (wait_chains->recent[i].idle_ns > wait_chains->recent[ranking->idle_thread].idle_ns)
			ranking->idle_thread = i;
	}
	ranking->idle_units = wait_chains->idle_units;
	if (ranking->excess_ns > 0)
		ranking->idle_share = fmin(1, sum_ns / ranking->excess_ns);
}

/* A thread that runs its language's runtime, and nothing of the program: it collects garbage. */
static bool is_of_runtime(const struct scope_evidence *evidence, uint32_t thread)
{
	return evidence->thread_stacks && evidence->thread_stacks[thread].runtime &&
	       !evidence->thread_stacks[thread].own;
}

/* Units that waited for a runtime's thread directly. Segments are in the order of threads. */
static void count_runtime(const struct scope_rank_input *input, struct scope_ranking *ranking)
{
	const struct scope_kept *kept = input->kept;
	double sum_ns = 0, own_ns = 0, most_ns = 0;

	for (size_t i = 0; i < kept->wait_chains.windows; i++) {
		const struct scope_wait_segment *window = &kept->wait_chains.window[i];
		const struct scope_kept_side *side = &kept->of[kept->population[window->unit]].side[1];
		const double stands_for = side->kept ? (double)side->units / (double)side->kept : 0;

		if (window->weight_ns <= 0 || !is_of_runtime(input->evidence, window->thread))
			continue;
		own_ns = i && window->thread == window[-1].thread ? own_ns : 0;
		own_ns += window->weight_ns * stands_for;
		sum_ns += window->weight_ns * stands_for;
		ranking->runtime_units +=
			i && window->thread == window[-1].thread && window->unit == window[-1].unit ? 0 : stands_for;
		if (own_ns > most_ns) {
			most_ns = own_ns;
			ranking->runtime_thread = window->thread;
		}
	}
	if (ranking->excess_ns > 0)
		ranking->runtime_share = fmin(1, sum_ns / ranking->excess_ns);
}

/* Counts only groups that serve clients, if there are any; by wall time. */
static double longest_request(const struct scope_rank_input *input)
{
	const struct scope_distributions *distributions = input->distributions;
	double longest_ns = 0, served_ns = 0;

	for (size_t i = 0; i < distributions->groups; i++) {
		const double wall_ns = scope_sketch_quantile(&distributions->group[i].request_wall, 1);

		longest_ns = fmax(longest_ns, wall_ns);
		if (input->units->groups->group[i].serves)
			served_ns = fmax(served_ns, wall_ns);
	}
	return served_ns > 0 ? served_ns : longest_ns;
}

void scope_rank_totals(const struct scope_rank_input *input, struct scope_ranking *ranking)
{
	const struct scope_distributions *distributions = input->distributions;

	ranking->units = distributions->units;
	ranking->requests = distributions->requests;
	ranking->slow_units = input->kept->slow_units;
	ranking->slow_requests = input->kept->slow_requests;
	ranking->busy_ns = distributions->busy_ns;
	ranking->serves = distributions->asked;
	ranking->long_queue_units = distributions->long_queue_units;
	if (ranking->busy_ns > 0) {
		ranking->queue_share = distributions->queue_ns / ranking->busy_ns;
		ranking->long_queue_share = distributions->long_queue_ns / ranking->busy_ns;
	}
	ranking->excess_ns = input->evidence->excess_ns;
	if (ranking->excess_ns > 0)
		ranking->chance_share = fmin(1, input->evidence->chance_ns / ranking->excess_ns);
	ranking->explained_ns = fmin(ranking->explained_ns, ranking->excess_ns);
	for (size_t i = 0; i < ranking->findings; i++)
		if (ranking->finding[i].kind > SCOPE_FINDING_SPIN && !scope_rank_finding_outside(&ranking->finding[i]))
			ranking->inside_share += ranking->finding[i].share;
	ranking->longest_ns = longest_request(input);
	count_idle(&input->kept->wait_chains, ranking);
	count_runtime(input, ranking);
}
