// SPDX-License-Identifier: GPL-2.0-only
/* The units of an analysed trace, each with its mark and the finding that explains it. */
#include "export/unit_findings.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/unit_mark.h"
#include "base/grow.h"

/* How much of a unit's excess a finding explains. A unit is identified by its thread and its end. */
struct part {
	uint32_t thread;
	uint32_t finding;
	uint64_t end_ns;
	double excess_ns;
};

struct requests {
	const struct scope_analysis *analysis;
	struct part *part;
	size_t parts, capacity;
	int (*each)(void *user, const struct scope_export_request *request);
	void *user;
};

/* The number of the finding that names the function, for this kind of evidence. */
static uint32_t finding_of(const struct scope_ranking *ranking, const struct scope_evidence *evidence,
			   const struct scope_function *function)
{
	for (size_t i = 0; i < ranking->findings; i++)
		if (ranking->finding[i].evidence == evidence && ranking->finding[i].function == function)
			return (uint32_t)i;
	return SCOPE_EXPORT_NO_FINDING;
}

/* Items without excess belong to spins, or to sleeps that are attributed to another thread. */
static int add_item(struct requests *requests, const struct scope_evidence *evidence,
		    const struct scope_attribution *attribution, const struct scope_item *item)
{
	const struct scope_units *units = requests->analysis->units;
	uint32_t finding;

	if (!item->abnormal || item->excess_ns <= 0 || item->unit >= units->count || item->node >= attribution->count ||
	    !attribution->owner[item->node].function)
		return 0;
	finding = finding_of(requests->analysis->ranking, evidence, attribution->owner[item->node].function);
	if (finding == SCOPE_EXPORT_NO_FINDING)
		return 0;
	if (scope_grow(&requests->part, &requests->capacity, requests->parts + 1, sizeof(*requests->part)))
		return -ENOMEM;
	requests->part[requests->parts++] = (struct part){
		.thread = units->unit[item->unit].thread,
		.finding = finding,
		.end_ns = units->unit[item->unit].end_ns,
		.excess_ns = item->excess_ns,
	};
	return 0;
}

static int add_items(struct requests *requests, const struct scope_evidence *evidence,
		     const struct scope_attribution *attribution)
{
	int err = 0;

	for (size_t i = 0; evidence && !err && i < evidence->items; i++)
		err = add_item(requests, evidence, attribution, &evidence->item[i]);
	return err;
}

static int compare_units(const struct part *a, const struct part *b)
{
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return (a->end_ns > b->end_ns) - (a->end_ns < b->end_ns);
}

static int compare_parts(const void *left, const void *right)
{
	const struct part *a = left, *b = right;
	const int order = compare_units(a, b);

	return order ? order : (a->finding > b->finding) - (a->finding < b->finding);
}

/* bsearch() compares only the unit. */
static int compare_key(const void *key, const void *part)
{
	return compare_units(key, part);
}

/* Keeps one entry for each unit: the finding with most of its excess; of equal ones the first in the ranking. */
static void merge(struct requests *requests)
{
	size_t kept = 0, sums = 0;

	if (requests->parts)
		qsort(requests->part, requests->parts, sizeof(*requests->part), compare_parts);
	for (size_t i = 0; i < requests->parts; i++) {
		if (sums && !compare_parts(&requests->part[sums - 1], &requests->part[i]))
			requests->part[sums - 1].excess_ns += requests->part[i].excess_ns;
		else
			requests->part[sums++] = requests->part[i];
	}
	for (size_t i = 0; i < sums; i++) {
		if (!kept || compare_units(&requests->part[kept - 1], &requests->part[i]))
			requests->part[kept++] = requests->part[i];
		else if (requests->part[i].excess_ns > requests->part[kept - 1].excess_ns)
			requests->part[kept - 1] = requests->part[i];
	}
	requests->parts = kept;
}

static int take_unit(void *user, struct scope_unit *unit, const struct scope_unit_call *call)
{
	const struct requests *requests = user;
	const uint8_t mark = scope_analysis_unit_mark(requests->analysis, unit, call);
	const struct part key = { .thread = unit->thread, .end_ns = unit->end_ns };
	struct scope_export_request request = {
		.unit = unit,
		.request = scope_unit_is_request(requests->analysis->found.distributions, unit),
		.slow = mark & SCOPE_UNIT_SLOW,
		.frequent = mark & SCOPE_UNIT_FREQUENT,
		.finding = SCOPE_EXPORT_NO_FINDING,
	};
	const struct part *part;

	if (unit->open)
		return 0;
	part = scope_anomaly_mark_abnormal(mark) && requests->parts
		       ? bsearch(&key, requests->part, requests->parts, sizeof(*part), compare_key)
		       : NULL;
	if (part)
		request.finding = part->finding;
	return requests->each(requests->user, &request);
}

int scope_export_requests_each(const struct scope_analysis *analysis,
			       int (*each)(void *user, const struct scope_export_request *request), void *user)
{
	struct requests requests = { .analysis = analysis, .each = each, .user = user };
	const struct scope_unit_sink sink = { .unit = take_unit, .user = &requests };
	int err = add_items(&requests, analysis->evidence, &analysis->ranking->by_stacks);

	if (!err)
		err = add_items(&requests, analysis->second, &analysis->ranking->by_signatures);
	if (!err) {
		merge(&requests);
		err = scope_unit_distributions_replay(analysis->found.distributions, analysis->found.groups, &sink);
	}
	free(requests.part);
	return err;
}
