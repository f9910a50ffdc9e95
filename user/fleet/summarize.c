// SPDX-License-Identifier: GPL-2.0-only
/* Makes the summary of a trace from its analysis. */
#include "fleet/summarize.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <scope/abi.h>

#include "analysis/unit_mark.h"
#include "base/grow.h"
#include "fleet/blame.h"
#include "fleet/exchanges.h"
#include "fleet/summarizer.h"
#include "fleet/table.h"

#define SPAN_STEPS 4096 /* no rule: a longer trace has longer steps */
#define LABEL_MAX 64	/* no rule: bytes of a key */

bool scope_fleet_label_check(const char *label)
{
	const char *equal = strchr(label, '=');

	if (!equal || equal == label || !equal[1] || equal - label > LABEL_MAX)
		return false;
	for (const char *at = label; at < equal; at++)
		if (!isalnum((unsigned char)*at) && !strchr(".-_", *at))
			return false;
	return true;
}

static int add_label(struct scope_fleet_summary *summary, const char *label)
{
	char key[LABEL_MAX + 1];
	struct scope_fleet_label *row = &summary->label[summary->labels];
	int err;

	if (summary->labels == SCOPE_FLEET_LABELS_MAX || !scope_fleet_label_check(label))
		return -EINVAL;
	snprintf(key, sizeof(key), "%.*s", (int)(strchr(label, '=') - label), label);
	err = scope_fleet_names_add(&summary->names, key, &row->key);
	if (!err)
		err = scope_fleet_names_add(&summary->names, strchr(label, '=') + 1, &row->value);
	summary->labels += !err;
	return err;
}

/* A number that is the same for the same texts and numbers on all machines (FNV-1a). */
static void mix(uint64_t *hash, const void *data, size_t bytes)
{
	const uint8_t *at = data;

	for (size_t i = 0; i < bytes; i++)
		*hash = (*hash ^ at[i]) * 0x100000001b3ull;
}

static void name_capture(const struct scope_analysis *analysis, const struct scope_fleet_summarize_options *options,
			 struct scope_fleet_summary *summary)
{
	const char *host = scope_fleet_text(summary, summary->host);
	uint64_t numbers[4] = {
		options->capture,
		options->capture ? 0 : scope_trace_meta_number(analysis->trace, SCOPE_META_BEGIN, 0),
		options->capture ? 0 : scope_trace_meta_number(analysis->trace, SCOPE_META_WALL_CLOCK, 0),
		summary->pid,
	};

	summary->capture[0] = 0xcbf29ce484222325ull;
	mix(&summary->capture[0], host, strlen(host));
	mix(&summary->capture[0], numbers, sizeof(numbers));
	summary->capture[1] = summary->capture[0] ^ 0x9e3779b97f4a7c15ull;
	mix(&summary->capture[1], numbers, sizeof(numbers));
	mix(&summary->capture[1], host, strlen(host));
	summary->number = options->number;
}

/* The build-id of a mapped file; "" if it is not known. comm: of a file whose name begins so; NULL: of that path. */
static const char *build_id_of(const struct scope_trace *trace, const char *path, const char *comm)
{
	size_t count;
	const struct scope_trace_map *map = scope_trace_maps(trace, &count);

	for (size_t i = 0; i < count; i++) {
		const char *base = strrchr(map[i].path, '/');

		if (!*map[i].build_id)
			continue;
		if (comm ? base && !strncmp(base + 1, comm, strlen(comm)) : !strcmp(map[i].path, path))
			return map[i].build_id;
	}
	return "";
}

static int fill_head(const struct scope_analysis *analysis, const struct scope_fleet_summarize_options *options,
		     struct scope_fleet_summary *summary)
{
	const struct scope_trace *trace = analysis->trace;
	const struct scope_ranking *ranking = analysis->ranking;
	const char *command = scope_trace_meta(trace, SCOPE_META_COMMAND);
	const struct {
		uint32_t *to;
		const char *text;
	} texts[] = {
		{ &summary->host, options->host ? options->host : scope_trace_meta(trace, SCOPE_META_HOST) },
		{ &summary->program, command },
		{ &summary->build_id, command && *command ? build_id_of(trace, NULL, command) : "" },
		{ &summary->version, SCOPE_VERSION },
		{ &summary->kernel, scope_trace_meta(trace, SCOPE_META_KERNEL) },
		{ &summary->source, scope_trace_meta(trace, SCOPE_META_SOURCE) },
		{ &summary->verdict, scope_rank_verdict_name[ranking->verdict] },
		{ &summary->reason, ranking->reason },
	};
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(texts) / sizeof(*texts); i++)
		err = scope_fleet_names_add(&summary->names, texts[i].text, texts[i].to);
	if (!err && !summary->host)
		err = scope_fleet_names_add(&summary->names, "[unnamed]", &summary->host);
	for (size_t i = 0; !err && i < options->labels; i++)
		err = add_label(summary, options->label[i]);
	summary->pid = scope_trace_meta_number(trace, SCOPE_META_PID, 0);
	summary->lost = scope_trace_meta_number(trace, SCOPE_META_LOST, 0);
	summary->requests = ranking->requests;
	summary->slow = ranking->slow_requests;
	name_capture(analysis, options, summary);
	return err;
}

uint64_t scope_fleet_wall_us(const struct scope_fleet_summarizer *summarizer, uint64_t ns)
{
	return (uint64_t)((int64_t)ns + summarizer->to_wall_ns) / 1000;
}

/* The cell of a time; NULL: it is outside. */
static struct scope_fleet_second *cell_of(struct scope_fleet_summarizer *summarizer, uint32_t kind, uint64_t ns)
{
	const uint64_t second = scope_fleet_wall_us(summarizer, ns) / 1000000;

	if (ns < summarizer->from_ns || ns >= summarizer->to_ns || second < summarizer->first_s)
		return NULL;
	if ((second - summarizer->first_s) / summarizer->step_s >= summarizer->steps)
		return NULL;
	return &summarizer
			->cell[(second - summarizer->first_s) / summarizer->step_s * summarizer->summary->kinds + kind];
}

/* Sleeps come before the unit that they are in. */
static int take_wait(void *user, const struct scope_wait *wait)
{
	struct scope_fleet_summarizer *summarizer = user;

	if (!wait->queue && !wait->outside && wait->thread < summarizer->threads && wait->class < SCOPE_WAIT_CLASSES)
		summarizer->asleep[wait->thread].ns[wait->class] += wait->end_ns - wait->begin_ns;
	return 0;
}

/*
 * Adds the time for which the unit slept, by the reasons of the reported sleeps, scaled so that they sum up to all of
 * its sleep.
 */
static void add_states(struct scope_fleet_summarizer *summarizer, const struct scope_unit *unit,
		       struct scope_fleet_second *cell)
{
	struct scope_fleet_asleep none = { { 0 } }, *asleep = &none;
	uint64_t sum = 0, left = unit->blocked_ns;

	if (unit->thread < summarizer->threads)
		asleep = &summarizer->asleep[unit->thread];
	for (unsigned i = 0; i < SCOPE_WAIT_CLASSES; i++)
		sum += asleep->ns[i];
	for (unsigned i = 0; i < SCOPE_WAIT_CLASSES; i++) {
		uint64_t ns = asleep->ns[i];

		if (sum > unit->blocked_ns)
			ns = (uint64_t)((double)ns * (double)unit->blocked_ns / (double)sum);
		ns = ns < left ? ns : left;
		left -= ns;
		cell->state_us[2 + i] += ns;
	}
	/* Short sleeps are not reported. */
	cell->state_us[2 + SCOPE_WAIT_OTHER] += left;
	cell->state_us[0] += unit->run_ns;
	cell->state_us[1] += unit->queue_ns;
	*asleep = (struct scope_fleet_asleep){ { 0 } };
}

static int take_unit(void *user, struct scope_unit *unit, const struct scope_unit_call *call)
{
	struct scope_fleet_summarizer *summarizer = user;
	const struct scope_analysis *analysis = summarizer->analysis;
	const uint32_t population = scope_fleet_table_population(&summarizer->table, unit);
	struct scope_fleet_second *cell;
	double usual_ns;

	if (unit->open || unit->group >= analysis->found.groups->count)
		return 0;
	cell = cell_of(summarizer, scope_fleet_table_kind(&summarizer->table, unit), unit->end_ns);
	if (!cell)
		return 0;
	cell->units++;
	add_states(summarizer, unit, cell);
	if (scope_anomaly_mark_abnormal(scope_analysis_unit_mark(analysis, unit, call)) &&
	    population != SCOPE_POPULATION_NONE) {
		usual_ns = scope_anomaly_population_baseline(&analysis->detection->population[population], unit->bytes)
				   .usual_ns;
		cell->slow++;
		if ((double)scope_unit_measure(unit) > usual_ns)
			cell->excess_us += (uint64_t)((double)scope_unit_measure(unit) - usual_ns);
	}
	return scope_fleet_coarse_add(&cell->wall, scope_fleet_coarse_bucket(scope_unit_wall(unit)), 1);
}

/* Sums of cells were in ns; cells without units are left out. */
static int keep_cells(struct scope_fleet_summarizer *summarizer)
{
	struct scope_fleet_summary *summary = summarizer->summary;
	const size_t cells = summarizer->steps * summary->kinds;

	for (size_t i = 0; i < cells; i++) {
		struct scope_fleet_second *cell = &summarizer->cell[i];

		if (!cell->units)
			continue;
		if (scope_grow(&summary->second, &summary->second_capacity, summary->seconds + 1,
			       sizeof(*summary->second)))
			return -ENOMEM;
		cell->kind = (uint32_t)(i % summary->kinds);
		cell->at_s = summarizer->first_s + i / summary->kinds * summarizer->step_s;
		cell->excess_us /= 1000;
		for (unsigned k = 0; k < SCOPE_FLEET_STATES; k++)
			cell->state_us[k] /= 1000;
		summary->second[summary->seconds++] = *cell;
		*cell = (struct scope_fleet_second){ 0 };
	}
	return 0;
}

static int fill_seconds(struct scope_fleet_summarizer *summarizer)
{
	const struct scope_found_units *found = &summarizer->analysis->found;
	const struct scope_unit_sink sink = { .unit = take_unit, .wait = take_wait, .user = summarizer };
	int err;

	summarizer->threads = scope_timeline_threads_count(found->distributions->run->timeline->threads);
	summarizer->asleep = calloc(summarizer->threads + 1, sizeof(*summarizer->asleep));
	summarizer->cell = calloc(summarizer->steps * summarizer->summary->kinds + 1, sizeof(*summarizer->cell));
	if (!summarizer->asleep || !summarizer->cell)
		return -ENOMEM;
	err = scope_unit_distributions_replay(found->distributions, found->groups, &sink);
	return err ? err : keep_cells(summarizer);
}

/* 0, or -ENODATA. */
static int set_window(struct scope_fleet_summarizer *summarizer, const struct scope_fleet_summarize_options *options)
{
	const struct scope_analysis *analysis = summarizer->analysis;
	const struct scope_timeline *timeline = analysis->units->timeline;
	const uint64_t wall_ns = scope_trace_meta_number(analysis->trace, SCOPE_META_WALL_CLOCK, 0);
	const uint64_t begin_ns = scope_trace_meta_number(analysis->trace, SCOPE_META_BEGIN, 0);
	struct scope_fleet_summary *summary = summarizer->summary;
	uint64_t span_s;

	summarizer->to_wall_ns = (int64_t)wall_ns - (int64_t)begin_ns;
	summarizer->from_ns = options->from_ns > timeline->begin_ns ? options->from_ns : timeline->begin_ns;
	/* The last unit ends with the window. */
	summarizer->to_ns = options->to_ns < timeline->end_ns ? options->to_ns : timeline->end_ns + 1;
	if (!wall_ns || (int64_t)summarizer->from_ns + summarizer->to_wall_ns < 0 ||
	    summarizer->from_ns >= summarizer->to_ns)
		return -ENODATA;
	summary->from_us = scope_fleet_wall_us(summarizer, summarizer->from_ns);
	summary->to_us = scope_fleet_wall_us(summarizer, summarizer->to_ns);
	span_s = summary->to_us / 1000000 - summary->from_us / 1000000 + 1;
	for (summarizer->step_s = 1; span_s / summarizer->step_s >= SPAN_STEPS;)
		summarizer->step_s *= 2;
	summarizer->first_s = summary->from_us / 1000000;
	summarizer->first_s -= summarizer->first_s % summarizer->step_s;
	summarizer->steps = (summary->to_us / 1000000 - summarizer->first_s) / summarizer->step_s + 1;
	summary->step_s = summarizer->step_s;
	return 0;
}

const char *scope_fleet_build_id_of(const struct scope_trace *trace, const struct scope_function *function)
{
	return function->path && *function->path ? build_id_of(trace, function->path, NULL) : "";
}

int scope_fleet_summarize(const struct scope_analysis *analysis, const struct scope_fleet_summarize_options *options,
			  struct scope_fleet_summary **ret_summary)
{
	struct scope_fleet_summarizer summarizer = { .analysis = analysis };
	int err;

	summarizer.summary = calloc(1, sizeof(*summarizer.summary));
	if (!summarizer.summary)
		return -ENOMEM;
	err = fill_head(analysis, options, summarizer.summary);
	if (!err)
		err = set_window(&summarizer, options);
	if (!err)
		err = scope_fleet_table_create(analysis, summarizer.summary, &summarizer.table);
	if (!err)
		err = fill_seconds(&summarizer);
	if (!err)
		err = scope_fleet_blame(&summarizer);
	if (!err)
		err = scope_fleet_exchanges_find(&summarizer);
	for (size_t i = 0; summarizer.cell && i < summarizer.steps * summarizer.summary->kinds; i++)
		scope_fleet_coarse_free(&summarizer.cell[i].wall);
	free(summarizer.cell);
	free(summarizer.asleep);
	scope_fleet_table_free(&summarizer.table);
	if (err)
		scope_fleet_summary_destroy(summarizer.summary);
	else
		*ret_summary = summarizer.summary;
	return err;
}
