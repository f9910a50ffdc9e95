// SPDX-License-Identifier: GPL-2.0-only
/* Writes profiles in the format of Coz. */
#include "causal/coz.h"

#include <errno.h>
#include <inttypes.h>

#include <jansson.h>

/* As the format has it; the name with what makes a delay of it. */
struct row {
	char selected[320];
	double speedup;
	uint64_t duration_ns, samples, delta, in_flight;
};

static double longest(const struct scope_causal_result *result, uint32_t site)
{
	double most = 0;

	for (size_t i = 0; i < result->count; i++)
		if (result->experiment[i].site == site && result->experiment[i].value > most)
			most = result->experiment[i].value;
	return most;
}

static struct row make_row(const struct scope_causal_result *result,
			   const struct scope_experiment *experiment)
{
	const bool delays = result->kind == SCOPE_CAUSAL_SENSITIVITY;
	const double most = delays ? longest(result, experiment->site) : 0;
	struct row row = {
		.speedup = delays ? (most > 0 ? 1 - experiment->value / most : 0) : experiment->value,
		.duration_ns = (uint64_t)scope_experiment_effective(experiment),
		.samples = experiment->visits,
		.delta = experiment->progress,
		.in_flight = (uint64_t)(experiment->in_flight + 0.5),
	};

	snprintf(row.selected, sizeof(row.selected), "%.300s%s", result->site[experiment->site],
		 delays ? " (delay)" : "");
	return row;
}

static void write_tabs(const char *point, const struct row *row, FILE *out)
{
	fprintf(out, "experiment\tselected=%s\tspeedup=%.4f\tduration=%" PRIu64 "\tselected-samples=%" PRIu64
		"\n", row->selected, row->speedup, row->duration_ns, row->samples);
	fprintf(out, "throughput-point\tname=%s\tdelta=%" PRIu64 "\n", point, row->delta);
	if (row->in_flight)
		fprintf(out, "latency-point\tname=%s\tarrivals=%" PRIu64 "\tdepartures=%" PRIu64
			"\tdifference=%" PRIu64 "\n", point, row->delta, row->delta, row->in_flight);
}

/* Takes over object. */
static int write_object(json_t *object, FILE *out)
{
	int code = object ? 0 : -ENOMEM;

	if (!code && (json_dumpf(object, out, JSON_COMPACT | JSON_REAL_PRECISION(6)) ||
		      fputc('\n', out) == EOF))
		code = -EIO;
	json_decref(object);
	return code;
}

static int write_json(const char *point, const struct row *row, FILE *out)
{
	int code = write_object(json_pack("{s:s, s:s, s:f, s:I, s:I}", "type", "experiment", "selected",
					  row->selected, "speedup", row->speedup, "duration",
					  (json_int_t)row->duration_ns, "selected_samples",
					  (json_int_t)row->samples),
				out);

	if (!code)
		code = write_object(json_pack("{s:s, s:s, s:I}", "type", "throughput-point", "name", point,
					      "delta", (json_int_t)row->delta), out);
	if (!code && row->in_flight)
		code = write_object(json_pack("{s:s, s:s, s:I, s:I, s:I}", "type", "latency-point", "name",
					      point, "arrivals", (json_int_t)row->delta, "departures",
					      (json_int_t)row->delta, "difference",
					      (json_int_t)row->in_flight), out);
	return code;
}

int scope_coz_write(const struct scope_causal_result *result, bool json, FILE *out)
{
	uint64_t runtime_ns = 0;
	int code = 0;

	if (json)
		fputs("{\"type\":\"startup\",\"time\":0}\n", out);
	else
		fputs("startup\ttime=0\n", out);
	for (size_t i = 0; i < result->count && !code; i++) {
		const struct row row = make_row(result, &result->experiment[i]);

		runtime_ns += result->experiment[i].elapsed_ns;
		/* Coz leaves out those that say nothing, and its viewers expect it. */
		if (result->experiment[i].progress < SCOPE_CAUSAL_VISITS_MIN)
			continue;
		if (json)
			code = write_json(result->progress, &row, out);
		else
			write_tabs(result->progress, &row, out);
	}
	if (json)
		fprintf(out, "{\"type\":\"runtime\",\"time\":%" PRIu64 "}\n", runtime_ns);
	else
		fprintf(out, "runtime\ttime=%" PRIu64 "\n", runtime_ns);
	return code ? code : ferror(out) ? -EIO : 0;
}
