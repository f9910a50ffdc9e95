// SPDX-License-Identifier: GPL-2.0-only
/* The summary of one window of one host. */
#include "fleet/host_summary.h"

#include <stdlib.h>

const char *scope_fleet_state_name(unsigned state)
{
	static const char *const names[] = { "run", "run queue" };

	return state < 2 ? names[state] : scope_timeline_wait_class_name((enum scope_wait_class)(state - 2));
}

static int compare_seconds(const void *left, const void *right)
{
	const struct scope_fleet_second *a = left, *b = right;

	if (a->at_s != b->at_s)
		return a->at_s < b->at_s ? -1 : 1;
	return (a->kind > b->kind) - (a->kind < b->kind);
}

static int compare_excesses(const void *left, const void *right)
{
	const struct scope_fleet_excess *a = left, *b = right;

	if (a->at_s != b->at_s)
		return a->at_s < b->at_s ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return (a->function > b->function) - (a->function < b->function);
}

static int add_second(struct scope_fleet_second *to, struct scope_fleet_second *from)
{
	int err = scope_fleet_coarse_merge(&to->wall, &from->wall);

	to->units += from->units;
	to->slow += from->slow;
	to->excess_us += from->excess_us;
	for (unsigned i = 0; i < SCOPE_FLEET_STATES; i++)
		to->state_us[i] += from->state_us[i];
	scope_fleet_coarse_free(&from->wall);
	return err;
}

static int merge_seconds(struct scope_fleet_summary *summary)
{
	size_t kept = 0;
	int err = 0;

	for (size_t i = 0; i < summary->seconds; i++) {
		struct scope_fleet_second *row = &summary->second[i];

		if (kept && !compare_seconds(&summary->second[kept - 1], row)) {
			const int failed = add_second(&summary->second[kept - 1], row);

			err = err ? err : failed;
		} else {
			summary->second[kept++] = *row;
		}
	}
	summary->seconds = kept;
	return err;
}

void scope_fleet_summary_merge_excesses(struct scope_fleet_summary *summary)
{
	size_t kept = 0;

	if (summary->excesses)
		qsort(summary->excess, summary->excesses, sizeof(*summary->excess), compare_excesses);
	for (size_t i = 0; i < summary->excesses; i++) {
		const struct scope_fleet_excess *row = &summary->excess[i];

		if (kept && !compare_excesses(&summary->excess[kept - 1], row))
			summary->excess[kept - 1].excess_us += row->excess_us;
		else
			summary->excess[kept++] = *row;
	}
	summary->excesses = kept;
}

/* Keeps the longer ones, because both sides of a link know which ones these are. */
static void halve_exchanges(struct scope_fleet_summary *summary)
{
	size_t kept = 0, end;

	for (size_t first = 0; first < summary->exchanges; first = end) {
		const struct scope_fleet_exchange *row = &summary->exchange[first];

		for (end = first; end < summary->exchanges && summary->exchange[end].link == row->link;)
			end++;
		for (size_t i = first; i < end; i++) {
			size_t longer = 0;

			for (size_t k = first; k < end; k++)
				longer += summary->exchange[k].took_us > summary->exchange[i].took_us;
			/* Rows before `first` are moved; those of this link must stay until all were compared. */
			summary->exchange[i].port |= longer < (end - first + 1) / 2 ? 0 : 1u << 31;
		}
	}
	for (size_t i = 0; i < summary->exchanges; i++)
		if (!(summary->exchange[i].port >> 31))
			summary->exchange[kept++] = summary->exchange[i];
	summary->exchanges = kept;
}

int scope_fleet_summary_halve(struct scope_fleet_summary *summary)
{
	halve_exchanges(summary);
	summary->step_s *= 2;
	for (size_t i = 0; i < summary->seconds; i++)
		summary->second[i].at_s -= summary->second[i].at_s % summary->step_s;
	for (size_t i = 0; i < summary->excesses; i++)
		summary->excess[i].at_s -= summary->excess[i].at_s % summary->step_s;
	if (summary->seconds)
		qsort(summary->second, summary->seconds, sizeof(*summary->second), compare_seconds);
	scope_fleet_summary_merge_excesses(summary);
	return merge_seconds(summary);
}

void scope_fleet_summary_destroy(struct scope_fleet_summary *summary)
{
	if (!summary)
		return;
	for (size_t i = 0; i < summary->seconds; i++)
		scope_fleet_coarse_free(&summary->second[i].wall);
	for (size_t i = 0; i < summary->links; i++)
		scope_fleet_coarse_free(&summary->link[i].wall);
	scope_fleet_names_free(&summary->names);
	free(summary->link);
	free(summary->exchange);
	free(summary->kind);
	free(summary->function);
	free(summary->second);
	free(summary->excess);
	free(summary->finding);
	free(summary);
}
