// SPDX-License-Identifier: GPL-2.0-only
/* Writes profiles in the format of Coz. */
#include "causal/coz.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include <jansson.h>

/* A row with the name in the form of the format, with the mark for a delay. For a pair in_flight is used. */
struct row {
	char selected[320];
	double speedup;
	uint64_t duration_ns, samples, delta;
	double in_flight;
	bool pair;
};

/* True if some experiment had a begin without an end. Then a value of 0 is information, too. */
static bool is_pair(const struct scope_causal_result *result)
{
	for (size_t i = 0; i < result->count; i++)
		if (result->experiment[i].in_flight > 0)
			return true;
	return false;
}

static double longest(const struct scope_causal_result *result, uint32_t site)
{
	double most = 0;

	for (size_t i = 0; i < result->count; i++)
		if (result->experiment[i].site == site && result->experiment[i].value > most)
			most = result->experiment[i].value;
	return most;
}

static struct row make_row(const struct scope_causal_result *result, const struct scope_experiment *experiment,
			   bool pair)
{
	const bool delays = result->kind == SCOPE_CAUSAL_SENSITIVITY;
	const double most = delays ? longest(result, experiment->site) : 0;
	struct row row = {
		.speedup = delays ? (most > 0 ? 1 - experiment->value / most : 0) : experiment->value,
		.duration_ns = (uint64_t)scope_causal_experiment_effective(experiment),
		.samples = experiment->visits,
		.delta = experiment->progress,
		.in_flight = experiment->in_flight,
		.pair = pair,
	};

	snprintf(row.selected, sizeof(row.selected), "%.300s%s", result->site[experiment->site],
		 delays ? " (delay)" : "");
	return row;
}

static void write_tabs(const char *point, const struct row *row, FILE *out)
{
	fprintf(out, "experiment\tselected=%s\tspeedup=%.4f\tduration=%" PRIu64 "\tselected-samples=%" PRIu64 "\n",
		row->selected, row->speedup, row->duration_ns, row->samples);
	fprintf(out, "throughput-point\tname=%s\tdelta=%" PRIu64 "\n", point, row->delta);
	/* Writes whole numbers, like Coz, because readers accept only these. */
	if (row->pair)
		fprintf(out,
			"latency-point\tname=%s" SCOPE_COZ_LATENCY "\tarrivals=%" PRIu64 "\tdepartures=%" PRIu64
			"\tdifference=%.0f\n",
			point, row->delta, row->delta, row->in_flight);
}

/* Writes the object, and owns it from here on. */
static int write_object(json_t *object, FILE *out)
{
	int err = object ? 0 : -ENOMEM;

	if (!err && (json_dumpf(object, out, JSON_COMPACT | JSON_REAL_PRECISION(6)) || fputc('\n', out) == EOF))
		err = -EIO;
	json_decref(object);
	return err;
}

static int write_json(const char *point, const struct row *row, FILE *out)
{
	int err = write_object(json_pack("{s:s, s:s, s:f, s:I, s:I}", "type", "experiment", "selected", row->selected,
					 "speedup", row->speedup, "duration", (json_int_t)row->duration_ns,
					 "selected_samples", (json_int_t)row->samples),
			       out);

	if (!err)
		err = write_object(json_pack("{s:s, s:s, s:I}", "type", "throughput-point", "name", point, "delta",
					     (json_int_t)row->delta),
				   out);
	if (!err && row->pair) {
		char name[320];

		snprintf(name, sizeof(name), "%.300s" SCOPE_COZ_LATENCY, point);
		err = write_object(json_pack("{s:s, s:s, s:I, s:I, s:f}", "type", "latency-point", "name", name,
					     "arrivals", (json_int_t)row->delta, "departures", (json_int_t)row->delta,
					     "difference", row->in_flight),
				   out);
	}
	return err;
}

int scope_causal_coz_write(const struct scope_causal_result *result, bool json, FILE *out)
{
	const bool pair = is_pair(result);
	uint64_t runtime_ns = 0;
	int err = 0;

	if (json)
		fputs("{\"type\":\"startup\",\"time\":0}\n", out);
	else
		fputs("startup\ttime=0\n", out);
	for (size_t i = 0; i < result->count && !err; i++) {
		const struct row row = make_row(result, &result->experiment[i], pair);

		runtime_ns += result->experiment[i].elapsed_ns;
		/* Coz leaves out experiments without visits, and its viewers expect that. */
		if (result->experiment[i].progress < SCOPE_CAUSAL_VISITS_MIN)
			continue;
		if (json)
			err = write_json(result->progress, &row, out);
		else
			write_tabs(result->progress, &row, out);
	}
	if (json)
		fprintf(out, "{\"type\":\"runtime\",\"time\":%" PRIu64 "}\n", runtime_ns);
	else
		fprintf(out, "runtime\ttime=%" PRIu64 "\n", runtime_ns);
	return err ? err : ferror(out) ? -EIO : 0;
}
