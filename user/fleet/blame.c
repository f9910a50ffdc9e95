// SPDX-License-Identifier: GPL-2.0-only
/* Adds the findings of the analysis, and the excess of functions by second, to a summary. */
#include "fleet/blame.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"

#define FROM_BEGIN_NS 1000000000ull /* no rule: a finding of the first second may have begun before */

/* A function that owns excess. */
struct blamed {
	const struct scope_function *function;
	const struct scope_evidence *evidence;
	uint32_t finding; /* its number, or UINT32_MAX */
	uint32_t number;  /* in the summary, or SCOPE_FLEET_NO_FUNCTION */
	double net_ns;	  /* abnormal less usual */
	double abnormal_ns;
	double network_ns; /* of the net: asleep for a peer */
};

struct blaming {
	struct scope_fleet_summarizer *summarizer;
	struct blamed *blamed;
	size_t count, capacity;
};

static const struct scope_attribution *attribution_of(const struct scope_analysis *analysis,
						      const struct scope_evidence *evidence)
{
	return evidence == analysis->evidence ? &analysis->ranking->by_stacks : &analysis->ranking->by_signatures;
}

static struct blamed *find(struct blaming *blaming, const struct scope_function *function,
			   const struct scope_evidence *evidence)
{
	for (size_t i = 0; i < blaming->count; i++)
		if (blaming->blamed[i].function == function && blaming->blamed[i].evidence == evidence)
			return &blaming->blamed[i];
	return NULL;
}

static int add(struct blaming *blaming, const struct blamed *blamed)
{
	if (scope_grow(&blaming->blamed, &blaming->capacity, blaming->count + 1, sizeof(*blamed)))
		return -ENOMEM;
	blaming->blamed[blaming->count++] = *blamed;
	return 0;
}

/* The function that an item of evidence counts for; NULL: none. */
static const struct scope_function *owner_of(const struct scope_analysis *analysis,
					     const struct scope_evidence *evidence, const struct scope_item *item)
{
	const struct scope_attribution *attribution = attribution_of(analysis, evidence);

	if (item->kind == SCOPE_ITEM_SPIN || item->unit >= analysis->units->count || item->node >= attribution->count)
		return NULL;
	return attribution->owner[item->node].function;
}

/* A function that only signatures name counts if it is a finding: stacks name the same excess. */
static int sum_items(struct blaming *blaming, const struct scope_evidence *evidence)
{
	const struct scope_analysis *analysis = blaming->summarizer->analysis;
	int err = 0;

	for (size_t i = 0; evidence && !err && i < evidence->items; i++) {
		const struct scope_item *item = &evidence->item[i];
		const struct scope_function *function = owner_of(analysis, evidence, item);
		struct blamed *blamed = function ? find(blaming, function, evidence) : NULL;
		const struct blamed one = {
			.function = function,
			.evidence = evidence,
			.finding = UINT32_MAX,
			.number = SCOPE_FLEET_NO_FUNCTION,
		};

		if (!function || (!blamed && evidence != analysis->evidence))
			continue;
		if (!blamed) {
			err = add(blaming, &one);
			blamed = err ? NULL : &blaming->blamed[blaming->count - 1];
		}
		if (!blamed)
			continue;
		blamed->net_ns += item->excess_ns;
		if (item->kind == SCOPE_ITEM_WAIT && item->class == SCOPE_WAIT_NETWORK)
			blamed->network_ns += item->excess_ns;
		if (item->abnormal && item->excess_ns > 0)
			blamed->abnormal_ns += item->excess_ns;
	}
	return err;
}

/* Findings first, then by excess, then as they came. */
static int compare(const void *left, const void *right)
{
	const struct blamed *a = left, *b = right;

	if (a->finding != b->finding)
		return a->finding < b->finding ? -1 : 1;
	if (a->net_ns != b->net_ns)
		return a->net_ns > b->net_ns ? -1 : 1;
	return (a->function->id > b->function->id) - (a->function->id < b->function->id);
}

static int add_function(struct scope_fleet_summarizer *summarizer, const struct scope_function *function, bool outside,
			uint32_t *ret_number)
{
	struct scope_fleet_summary *summary = summarizer->summary;
	struct scope_fleet_function row = { .outside = outside };
	const char *name = scope_signatures_name(summarizer->analysis->signatures, function);
	int err = scope_fleet_names_add(&summary->names, name, &row.name);

	if (!err)
		err = scope_fleet_names_add(&summary->names, function->module, &row.module);
	if (!err)
		err = scope_fleet_names_add(
			&summary->names, scope_fleet_build_id_of(summarizer->analysis->trace, function), &row.build_id);
	for (size_t i = 0; !err && i < summary->functions; i++) {
		const struct scope_fleet_function *other = &summary->function[i];

		if (other->name == row.name && other->module == row.module && other->build_id == row.build_id &&
		    other->outside == row.outside) {
			*ret_number = (uint32_t)i;
			return 0;
		}
	}
	if (!err)
		err = scope_grow(&summary->function, &summary->function_capacity, summary->functions + 1, sizeof(row));
	if (err)
		return err;
	*ret_number = (uint32_t)summary->functions;
	summary->function[summary->functions++] = row;
	return 0;
}

/*
 * True if the function waits for something outside: the finding says so, or most of its excess was sleep for a peer,
 * which may be another host.
 */
static bool is_outside(const struct blaming *blaming, const struct blamed *blamed)
{
	const struct scope_ranking *ranking = blaming->summarizer->analysis->ranking;

	if (blamed->finding != UINT32_MAX)
		return scope_rank_finding_outside(&ranking->finding[blamed->finding]);
	return blamed->network_ns > blamed->net_ns / 2;
}

static int name_blamed(struct blaming *blaming)
{
	int err = 0;

	if (blaming->count)
		qsort(blaming->blamed, blaming->count, sizeof(*blaming->blamed), compare);
	for (size_t i = 0; !err && i < blaming->count && i < SCOPE_FLEET_FUNCTIONS; i++) {
		struct blamed *blamed = &blaming->blamed[i];
		const bool found = blamed->finding != UINT32_MAX;

		if (!found && blamed->net_ns <= 0)
			break;
		err = add_function(blaming->summarizer, blamed->function, is_outside(blaming, blamed), &blamed->number);
	}
	return err;
}

static int add_excess(struct scope_fleet_summary *summary, const struct scope_fleet_excess *row)
{
	if (scope_grow(&summary->excess, &summary->excess_capacity, summary->excesses + 1, sizeof(*row)))
		return -ENOMEM;
	summary->excess[summary->excesses++] = *row;
	return 0;
}

static int add_item(struct blaming *blaming, const struct scope_evidence *evidence, const struct scope_item *item)
{
	struct scope_fleet_summarizer *summarizer = blaming->summarizer;
	const struct scope_function *function = owner_of(summarizer->analysis, evidence, item);
	const struct blamed *blamed = function ? find(blaming, function, evidence) : NULL;
	const struct scope_unit *unit = blamed ? &summarizer->analysis->units->unit[item->unit] : NULL;
	struct scope_fleet_excess row;
	uint64_t second;
	double part;

	if (!blamed || blamed->number == SCOPE_FLEET_NO_FUNCTION || !item->abnormal || item->excess_ns <= 0 ||
	    unit->end_ns < summarizer->from_ns || unit->end_ns >= summarizer->to_ns)
		return 0;
	/* Abnormal units have a usual part, too. This factor makes the sum equal to that of the analysis. */
	part = blamed->net_ns < blamed->abnormal_ns ? blamed->net_ns / blamed->abnormal_ns : 1;
	second = scope_fleet_wall_us(summarizer, unit->end_ns) / 1000000;
	row = (struct scope_fleet_excess){
		.kind = scope_fleet_table_kind(&summarizer->table, unit),
		.function = blamed->number,
		.at_s = second - second % summarizer->step_s,
		.excess_us = (uint64_t)(item->excess_ns * part), /* ns until rows are merged */
	};
	return part > 0 ? add_excess(summarizer->summary, &row) : 0;
}

static int add_items(struct blaming *blaming, const struct scope_evidence *evidence)
{
	int err = 0;

	for (size_t i = 0; evidence && !err && i < evidence->items; i++)
		err = add_item(blaming, evidence, &evidence->item[i]);
	return err;
}

/* Threads that hang or spin lose all of their time. */
static int add_stuck(struct blaming *blaming, const struct scope_finding *found, uint32_t number)
{
	struct scope_fleet_summarizer *summarizer = blaming->summarizer;
	const uint64_t end_ns = summarizer->to_ns;
	const uint64_t age_ns = found->hang.age_ns < end_ns ? found->hang.age_ns : end_ns;
	uint64_t from_ns = end_ns - age_ns > summarizer->from_ns ? end_ns - age_ns : summarizer->from_ns;
	int err = 0;

	while (!err && from_ns < end_ns) {
		const uint64_t second = scope_fleet_wall_us(summarizer, from_ns) / 1000000;
		const uint64_t at_s = second - second % summarizer->step_s;
		const uint64_t next_ns =
			(uint64_t)((int64_t)((at_s + summarizer->step_s) * 1000000000ull) - summarizer->to_wall_ns);
		const uint64_t until_ns = next_ns < end_ns ? next_ns : end_ns;
		const struct scope_fleet_excess row = {
			.kind = summarizer->table.rounds_of_group[found->group],
			.function = number,
			.at_s = at_s,
			.excess_us = (until_ns - from_ns) * found->hang.threads,
		};

		err = add_excess(summarizer->summary, &row);
		from_ns = until_ns;
	}
	return err;
}

static uint64_t since_of(const struct scope_fleet_summarizer *summarizer, const struct scope_finding *found)
{
	const struct scope_analysis *analysis = summarizer->analysis;
	const uint64_t end_ns = analysis->units->timeline->end_ns;

	if (scope_rank_finding_stuck(found) && found->hang.age_ns < end_ns)
		return end_ns - found->hang.age_ns;
	return analysis->since_ns > found->first_ns ? analysis->since_ns : found->first_ns;
}

static uint64_t us_of(double ns)
{
	return ns > 0 && ns < 1e18 ? (uint64_t)(ns / 1000) : 0;
}

static int add_finding(struct blaming *blaming, size_t index)
{
	struct scope_fleet_summarizer *summarizer = blaming->summarizer;
	struct scope_fleet_summary *summary = summarizer->summary;
	const struct scope_finding *found = &summarizer->analysis->ranking->finding[index];
	const struct blamed *blamed = found->function ? find(blaming, found->function, found->evidence) : NULL;
	const uint64_t since_ns = since_of(summarizer, found);
	const bool stuck = scope_rank_finding_stuck(found);
	struct scope_fleet_finding row = {
		.function = blamed ? blamed->number : SCOPE_FLEET_NO_FUNCTION,
		.stuck = stuck,
		.threads = stuck ? found->hang.threads : 0,
		.share_ppm = found->share > 0 ? (uint64_t)(found->share < 1 ? found->share * 1e6 : 1e6) : 0,
		.units = found->units,
		.excess_us = us_of(found->excess_ns),
		.usual_us = us_of(found->usual_ns),
		.p50_us = us_of(found->p50_ns),
		.p99_us = us_of(found->p99_ns),
		.since_us = scope_fleet_wall_us(summarizer, since_ns),
		.last_us = stuck ? summary->to_us : scope_fleet_wall_us(summarizer, found->last_ns),
		.from_begin = !stuck && since_ns < summarizer->analysis->units->timeline->begin_ns + FROM_BEGIN_NS,
	};
	int err;

	/* It ended before the seconds of this summary. */
	if (!stuck && found->last_ns < summarizer->from_ns)
		return 0;
	err = scope_fleet_names_add(&summary->names, scope_rank_kind_name[found->kind], &row.kind);
	if (!err)
		err = scope_fleet_names_add(&summary->names, scope_rank_confidence_name[found->confidence],
					    &row.confidence);
	if (!err)
		err = scope_fleet_names_add(&summary->names,
					    summarizer->analysis->found.groups->group[found->group].name, &row.group);
	if (!err)
		err = scope_grow(&summary->finding, &summary->finding_capacity, summary->findings + 1, sizeof(row));
	if (err)
		return err;
	summary->finding[summary->findings++] = row;
	return stuck && row.function != SCOPE_FLEET_NO_FUNCTION ? add_stuck(blaming, found, row.function) : 0;
}

/* One row for each second, kind and function, in us. */
static void merge_rows(struct scope_fleet_summary *summary)
{
	scope_fleet_summary_merge_excesses(summary);
	for (size_t i = 0; i < summary->excesses; i++)
		summary->excess[i].excess_us /= 1000;
}

static int add_findings_functions(struct blaming *blaming)
{
	const struct scope_ranking *ranking = blaming->summarizer->analysis->ranking;
	int err = 0;

	for (size_t i = 0; !err && i < ranking->findings; i++) {
		const struct blamed blamed = {
			.function = ranking->finding[i].function,
			.evidence = ranking->finding[i].evidence,
			.finding = (uint32_t)i,
			.number = SCOPE_FLEET_NO_FUNCTION,
		};

		if (blamed.function && !find(blaming, blamed.function, blamed.evidence))
			err = add(blaming, &blamed);
	}
	return err;
}

int scope_fleet_blame(struct scope_fleet_summarizer *summarizer)
{
	const struct scope_analysis *analysis = summarizer->analysis;
	struct blaming blaming = { .summarizer = summarizer };
	int err = add_findings_functions(&blaming);

	if (!err)
		err = sum_items(&blaming, analysis->evidence);
	if (!err)
		err = sum_items(&blaming, analysis->second);
	if (!err)
		err = name_blamed(&blaming);
	if (!err)
		err = add_items(&blaming, analysis->evidence);
	if (!err)
		err = add_items(&blaming, analysis->second);
	for (size_t i = 0; !err && i < analysis->ranking->findings; i++)
		err = add_finding(&blaming, i);
	if (!err)
		merge_rows(summarizer->summary);
	free(blaming.blamed);
	return err;
}
