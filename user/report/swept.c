// SPDX-License-Identifier: GPL-2.0-only
/* The figures of a server at several loads, and the laws that they follow. */
#include "report/swept.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <scope/abi.h>

#include "report/json.h"
#include "report/json_part.h"
#include "report/numbers.h"

#define FLAT_POINTS 4	/* numbers of clients, from which on it is said that throughput does not rise */
#define FLAT_TIMES 1.25 /* throughput with more clients to that with fewer: above it rises */

/* At each number of clients the highest throughput, because a low rate limits it from outside. */
static unsigned highest(const struct scope_swept *swept, double *clients, double *per_s)
{
	unsigned count = 0;

	for (unsigned i = 0; i < swept->points; i++) {
		const struct scope_sweep_point *point = &swept->point[i];
		unsigned at = 0;

		while (at < count && clients[at] != point->conns)
			at++;
		if (at == count) {
			clients[count] = point->conns;
			per_s[count++] = 0;
		}
		per_s[at] = fmax(per_s[at], point->per_s);
	}
	return count;
}

void scope_report_swept_fit(struct scope_swept *swept)
{
	double x[SCOPE_SWEEP_POINTS], y[SCOPE_SWEEP_POINTS];
	unsigned count = 0;

	if (swept->sweep.conns_count)
		swept->throughput = scope_server_scaling_usl(x, y, highest(swept, x, y));
	for (unsigned i = 0; i < swept->points; i++) {
		x[count] = swept->point[i].per_s;
		y[count++] = swept->point[i].cpu_ns;
	}
	swept->cpu = scope_server_scaling_line(x, y, count);
	for (unsigned i = 0; i < count; i++)
		y[i] = swept->point[i].wait_ns;
	swept->wait = scope_server_scaling_line(x, y, count);
	for (unsigned i = 0; i < count; i++) {
		x[i] = swept->point[i].conns;
		y[i] = swept->point[i].threads;
	}
	swept->threads = scope_server_scaling_line(x, y, swept->sweep.conns_count ? count : 0);
}

static void print_point(const struct scope_sweep_point *point, FILE *out)
{
	struct scope_text cpu, p50, p99, wait;
	char conns[16] = "-", rate[16] = "-";

	if (point->conns > 0)
		snprintf(conns, sizeof(conns), "%.0f", point->conns);
	if (point->rate > 0)
		snprintf(rate, sizeof(rate), "%.6g", point->rate);
	fprintf(out, "  %5s %8s %11.1f  %-9s", conns, rate, point->per_s, scope_report_format_ns(&cpu, point->cpu_ns));
	fprintf(out, " %-9s %-9s %-9s %5.1f %7" PRIu32 "\n", scope_report_format_ns(&p50, point->p50_ns),
		scope_report_format_ns(&p99, point->p99_ns), scope_report_format_ns(&wait, point->wait_ns), point->busy,
		point->threads);
}

/* "0.0441 (0.0283 to 0.0597)". */
static void print_value(const char *name, const struct scope_scaling_value *value, double unit, FILE *out)
{
	fprintf(out, "%s %.3g", name, value->value / unit);
	if (isfinite(value->low))
		fprintf(out, " (%.3g to %.3g)", value->low / unit, value->high / unit);
}

static int compare_numbers(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static double median(double *number, unsigned count)
{
	qsort(number, count, sizeof(*number), compare_numbers);
	return (number[(count - 1) / 2] + number[count / 2]) / 2;
}

/*
 * No curve explains a throughput that does not rise, but the user wants to know this. Prints medians of the runs with
 * fewer clients and of those with more. Returns false if throughput rises, or there are too few numbers of clients.
 */
static bool print_flat(const struct scope_swept *swept, FILE *out)
{
	double clients[SCOPE_SWEEP_POINTS], per_s[SCOPE_SWEEP_POINTS], sorted[SCOPE_SWEEP_POINTS];
	double few[SCOPE_SWEEP_POINTS], many[SCOPE_SWEEP_POINTS], limit, less, more;
	const unsigned count = highest(swept, clients, per_s);
	unsigned fews = 0, manys = 0;

	if (count < FLAT_POINTS)
		return false;
	memcpy(sorted, clients, count * sizeof(*sorted));
	limit = median(sorted, count);
	for (unsigned i = 0; i < count; i++)
		if (clients[i] <= limit)
			few[fews++] = per_s[i];
		else
			many[manys++] = per_s[i];
	less = median(few, fews);
	more = median(many, manys);
	if (more > FLAT_TIMES * less)
		return false;
	fprintf(out,
		"  throughput: does not rise with clients: %.0f a second with up to %.0f, %.0f with more (medians). The "
		"server, or\n    the load itself, is at its limit with few\n",
		less, limit, more);
	return true;
}

static void print_usl(const struct scope_swept *swept, FILE *out)
{
	const struct scope_usl *usl = &swept->throughput;

	if (!usl->known && print_flat(swept, out))
		return;
	if (!usl->known) {
		fprintf(out,
			"  throughput: no scaling law fits (R² %.2f of %zu numbers of clients; at least 4, and more than 0.9)\n",
			usl->r2, usl->n);
		return;
	}
	fprintf(out, "  throughput: gamma N / (1 + alpha (N - 1) + beta N (N - 1)) of N clients, R² %.3f\n    ",
		usl->r2);
	print_value("gamma", &usl->gamma, 1, out);
	print_value(" a second, alpha", &usl->alpha, 1, out);
	print_value(", beta", &usl->beta, 1, out);
	if (isfinite(usl->most_at))
		fprintf(out, "\n    highest with %.0f clients: %.0f a second", usl->most_at, usl->most);
	fputc('\n', out);
}

static void print_line(const char *what, const char *by, const struct scope_scaling_line *line, double unit, FILE *out)
{
	if (!line->known)
		return;
	fprintf(out, "  %s: ", what);
	print_value("", &line->intercept, unit, out);
	print_value(" +", &line->slope, unit, out);
	fprintf(out, " for each %s, R² %.3f\n", by, line->r2);
}

int scope_report_swept_text(const struct scope_swept *swept, FILE *out)
{
	fprintf(out, "SWEEP: %u of %u points, 95 %% intervals in parentheses\n  %s\n\n", swept->points, swept->planned,
		swept->load);
	fputs("  conns     rate  requests/s  CPU       p50       p99       waits      busy threads\n", out);
	for (unsigned i = 0; i < swept->points; i++)
		print_point(&swept->point[i], out);
	fputc('\n', out);
	if (swept->sweep.conns_count)
		print_usl(swept, out);
	print_line("CPU of a request in µs", "request a second", &swept->cpu, 1e3, out);
	print_line("waits of a request in µs", "request a second", &swept->wait, 1e3, out);
	print_line("threads", "client", &swept->threads, 1, out);
	return ferror(out) ? -EIO : 0;
}

static json_t *make_value(const struct scope_scaling_value *value)
{
	return json_pack("{s:o, s:o, s:o}", "value", scope_report_json_number(value->value), "low",
			 scope_report_json_number(value->low), "high", scope_report_json_number(value->high));
}

static json_t *make_line(const struct scope_scaling_line *line)
{
	return json_pack("{s:I, s:o, s:o, s:o}", "n", (json_int_t)line->n, "r2", scope_report_json_number(line->r2),
			 "intercept", line->known ? make_value(&line->intercept) : json_null(), "slope",
			 line->known ? make_value(&line->slope) : json_null());
}

static json_t *make_usl(const struct scope_usl *usl)
{
	return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "n", (json_int_t)usl->n, "r2",
			 scope_report_json_number(usl->r2), "gamma", usl->known ? make_value(&usl->gamma) : json_null(),
			 "alpha", usl->known ? make_value(&usl->alpha) : json_null(), "beta",
			 usl->known ? make_value(&usl->beta) : json_null(), "most_at",
			 scope_report_json_number(usl->most_at), "most", scope_report_json_number(usl->most));
}

static json_t *make_point(const struct scope_sweep_point *point)
{
	return json_pack("{s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:I}", "conns",
			 point->conns > 0 ? scope_report_json_number(point->conns) : json_null(), "rate",
			 point->rate > 0 ? scope_report_json_number(point->rate) : json_null(), "requests",
			 (json_int_t)point->requests, "reqs_per_sec", scope_report_json_number(point->per_s), "cpu_ns",
			 scope_report_json_number(point->cpu_ns), "p50_ns", scope_report_json_number(point->p50_ns),
			 "p99_ns", scope_report_json_number(point->p99_ns), "wait_ns",
			 scope_report_json_number(point->wait_ns), "busy", scope_report_json_number(point->busy),
			 "threads", (json_int_t)point->threads);
}

int scope_report_swept_json(const struct scope_swept *swept, FILE *out)
{
	json_t *points = json_array(), *all;

	for (unsigned i = 0; i < swept->points; i++)
		json_array_append_new(points, make_point(&swept->point[i]));
	all = json_pack("{s:i, s:s, s:s, s:o, s:I, s:o, s:{s:o, s:o, s:o, s:o}}", "schema", SCOPE_REPORT_SCHEMA,
			"scope", SCOPE_VERSION, "command", "model --sweep", "load",
			scope_report_json_string(swept->load), "planned", (json_int_t)swept->planned, "points", points,
			"laws", "throughput", swept->sweep.conns_count ? make_usl(&swept->throughput) : json_null(),
			"cpu_ns", make_line(&swept->cpu), "wait_ns", make_line(&swept->wait), "threads",
			swept->sweep.conns_count ? make_line(&swept->threads) : json_null());
	return scope_report_json_write(all, JSON_INDENT(1), out);
}
