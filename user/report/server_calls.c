// SPDX-License-Identifier: GPL-2.0-only
/* The system calls of each stage of a server: how often, on what, how they fail, and what they return. */
#include "report/server_calls.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/syscall_args.h"
#include "base/syscall_name.h"
#include "report/json_part.h"
#include "report/numbers.h"
#include "report/object.h"
#include "report/section.h"
#include "report/server_text.h"

#define STAGES 3	 /* no rule: on a screen */
#define CALLS 6		 /* no rule: of a stage, on a screen */
#define PER_UNIT 0.01	 /* on a screen: a call that fewer units make is left out */
#define PERCENTILES 100u /* no rule: in JSON */

/* How often the stage works: requests, or rounds of work where it takes none. */
static uint64_t units_of(const struct scope_stage *stage)
{
	return stage->requests ? stage->requests : stage->units;
}

static double per_unit(const struct scope_server_call *call, const struct scope_stage *stage)
{
	return units_of(stage) ? (double)call->calls / (double)units_of(stage) : 0;
}

/* "2.00", "1,250", "<0.001". */
static const char *rate_text(struct scope_text *buffer, double rate)
{
	if (rate >= 100)
		return scope_report_format_count(buffer, (uint64_t)(rate + 0.5));
	if (rate < 0.001)
		return "<0.001";
	snprintf(buffer->text, sizeof(buffer->text), rate < 0.01 ? "%.3f" : "%.2f", rate);
	return buffer->text;
}

/* "4096", "32.0 K": in units of 1,024. */
static const char *size_text(struct scope_text *buffer, double bytes)
{
	static const char unit[] = " KMG";
	unsigned i = 0;

	for (; bytes >= 10240 && i + 2 < sizeof(unit); i++)
		bytes /= 1024;
	snprintf(buffer->text, sizeof(buffer->text), i ? "%.1f %c" : "%.0f", bytes, unit[i]);
	return buffer->text;
}

static const struct scope_server_error *most_frequent(const struct scope_server_call *call)
{
	const struct scope_server_error *most = &call->error[0];

	for (unsigned i = 1; i < SCOPE_SERVER_ERRORS; i++)
		if (call->error[i].calls > most->calls)
			most = &call->error[i];
	return most;
}

/* "EAGAIN", or the number of an error that the C library does not know. */
static const char *error_text(struct scope_text *buffer, const struct scope_server_error *error)
{
	const char *name = strerrorname_np(error->number);

	if (name)
		return name;
	snprintf(buffer->text, sizeof(buffer->text), "error %u", error->number);
	return buffer->text;
}

static void print_call(const struct scope_server_call *call, double rate, FILE *out)
{
	const char *name = scope_report_section_call(call->nr), *kind = scope_report_object_kind(call->kind);
	struct scope_text text, error;
	char failed[32] = "-";

	if (call->failed)
		snprintf(failed, sizeof(failed), "%.0f %% %.12s", 100 * (double)call->failed / (double)call->calls,
			 error_text(&error, most_frequent(call)));
	fprintf(out, "    %-16.16s %-8s %9s  %-14s", name, kind ? kind : "-", rate_text(&text, rate), failed);
	if (!call->returned.total) {
		fputs(" -", out);
		return;
	}
	fprintf(out, " %-6s %7s", call->result == SCOPE_RESULT_BYTES ? "bytes" : "events",
		size_text(&text, scope_values_quantile(&call->returned, 0.5)));
	fprintf(out, " %7s", size_text(&text, scope_values_quantile(&call->returned, 0.99)));
}

static const struct scope_server_flags *usual_flags(const struct scope_server_call *call)
{
	const struct scope_server_flags *most = &call->flags[0];

	for (unsigned i = 1; i < SCOPE_SERVER_FLAGS; i++)
		if (call->flags[i].calls > most->calls)
			most = &call->flags[i];
	return most;
}

/* "asks for 4096 bytes (99th percentile 16384), at 0 to 1.5 M, flags 0x4000 in 97 %". The trace has some of it. */
static void print_args(const struct scope_server_call *call, FILE *out)
{
	const struct scope_syscall_args *args = scope_syscall_args_of(call->nr);
	struct scope_text one, other;
	const char *before = "      ";

	if (call->asked.total) {
		fprintf(out, "%sasks for %s %s (99th percentile %s)", before,
			size_text(&one, scope_values_quantile(&call->asked, 0.5)), args->unit,
			size_text(&other, scope_values_quantile(&call->asked, 0.99)));
		before = ", ";
	}
	if (call->offset.total) {
		fprintf(out, "%sat %s to %s", before, size_text(&one, scope_values_quantile(&call->offset, 0)),
			size_text(&other, (double)scope_values_most(&call->offset)));
		before = ", ";
	}
	if (call->flagged)
		fprintf(out, "%sflags 0x%x in %.0f %%", before, usual_flags(call)->value,
			100 * (double)usual_flags(call)->calls / (double)call->flagged);
}

static int print_head(const struct scope_analysis *analysis, const struct scope_stage *stage, unsigned width, FILE *out)
{
	struct scope_text count;
	char text[160];

	snprintf(text, sizeof(text), "CALLS of %.40s ×%u (%s), %s%s%s:", scope_report_server_stage(analysis, stage),
		 stage->threads, scope_server_role_name((enum scope_server_role)stage->role),
		 units_of(stage) ? "for each of " : "a second",
		 units_of(stage) ? scope_report_format_count(&count, units_of(stage)) : "",
		 stage->requests   ? " requests"
		 : units_of(stage) ? " rounds"
				   : "");
	fputs("\n  ", out);
	scope_report_format_wrapped_to(out, text, 2, 2, width);
	fputc('\n', out);
	scope_report_format_clipped(
		out, "    call             on            each  failed         returns     p50     p99", width);
	fputc('\n', out);
	return 0;
}

static int print_stage(const struct scope_analysis *analysis, const struct scope_server_calls *calls, uint32_t stage,
		       const struct scope_report_style *style, FILE *out)
{
	const struct scope_stage *of = &analysis->server->stage[stage];
	const unsigned width = scope_report_style_columns(style);
	size_t printed = 0, left = 0;
	int err = 0;

	for (size_t i = 0; !err && i < calls->count; i++) {
		const struct scope_server_call *call = &calls->call[i];
		const double rate = units_of(of) ? per_unit(call, of)
						 : (double)call->calls / analysis->server->window_ns * 1e9;
		struct scope_paragraph line;

		if (call->stage != stage)
			continue;
		if (!style->verbose && (printed == CALLS || (units_of(of) && rate < PER_UNIT))) {
			left++;
			continue;
		}
		if (!printed++)
			err = print_head(analysis, of, width, out);
		if (!err)
			err = scope_report_paragraph_begin(&line);
		if (err)
			break;
		print_call(call, rate, line.to);
		if (call->asked.total || call->offset.total || call->flagged) {
			err = scope_report_paragraph_print(&line, 0, width, out);
			if (!err)
				err = scope_report_paragraph_begin(&line);
			if (err)
				break;
			print_args(call, line.to);
		}
		err = scope_report_paragraph_print(&line, 0, width, out);
	}
	if (printed && left)
		fprintf(out, "    … and %zu more (-v)\n", left);
	return err;
}

static bool has_calls(const struct scope_server_calls *calls, uint32_t stage)
{
	for (size_t i = 0; i < calls->count; i++)
		if (calls->call[i].stage == stage)
			return true;
	return false;
}

int scope_report_server_calls_print(const struct scope_analysis *analysis, const struct scope_server_calls *calls,
				    const struct scope_report_style *style, FILE *out)
{
	const struct scope_server *server = analysis->server;
	uint32_t *order = scope_report_server_busiest(server);
	size_t printed = 0, left = 0;
	int err = order ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < server->stages; i++) {
		if (!has_calls(calls, order[i]))
			continue;
		if (style->verbose || printed < STAGES)
			err = print_stage(analysis, calls, order[i], style, out);
		else
			left++;
		printed++;
	}
	if (!err && !printed)
		fputs("\n  CALLS: the trace has none that returned in this time.\n", out);
	if (!err && left)
		fprintf(out, "\n  … and the calls of %zu more stages (-v)\n", left);
	free(order);
	return err;
}

static json_t *make_errors(const struct scope_server_call *call)
{
	json_t *object = json_object();
	struct scope_text text;

	for (unsigned i = 0; i < SCOPE_SERVER_ERRORS && call->error[i].calls; i++)
		json_object_set_new(object, error_text(&text, &call->error[i]),
				    json_integer((json_int_t)call->error[i].calls));
	return object;
}

/* From the smallest to the largest in steps of one percent. */
static json_t *make_percentiles(const struct scope_values *values)
{
	json_t *array = json_array();

	for (unsigned i = 0; i <= PERCENTILES; i++)
		json_array_append_new(array,
				      scope_report_json_number(scope_values_quantile(values, (double)i / PERCENTILES)));
	return array;
}

/* Numbers of which the trace has some; null: it has none. */
static json_t *make_values(const struct scope_values *values, const char *unit)
{
	return values->total ? json_pack("{s:I, s:s?, s:o}", "count", (json_int_t)values->total, "unit", unit,
					 "percentiles", make_percentiles(values))
			     : json_null();
}

static json_t *make_flags(const struct scope_server_call *call)
{
	json_t *array = json_array();
	uint64_t rest = call->flagged;

	if (!call->flagged) {
		json_decref(array);
		return json_null();
	}
	for (unsigned i = 0; i < SCOPE_SERVER_FLAGS && call->flags[i].calls; i++) {
		rest -= call->flags[i].calls;
		json_array_append_new(array, json_pack("{s:I, s:I}", "value", (json_int_t)call->flags[i].value, "calls",
						       (json_int_t)call->flags[i].calls));
	}
	if (rest)
		json_array_append_new(array, json_pack("{s:n, s:I}", "value", "calls", (json_int_t)rest));
	return array;
}

json_t *scope_report_server_calls_array(const struct scope_analysis *analysis, const struct scope_server_calls *calls)
{
	static const char *const result[] = {
		[SCOPE_RESULT_OTHER] = "other",
		[SCOPE_RESULT_BYTES] = "bytes",
		[SCOPE_RESULT_EVENTS] = "events",
	};
	json_t *array = json_array();

	for (size_t i = 0; i < calls->count; i++) {
		const struct scope_server_call *call = &calls->call[i];
		const struct scope_stage *stage = &analysis->server->stage[call->stage];
		const char *kind = scope_report_object_kind(call->kind);
		const struct scope_syscall_args *args = scope_syscall_args_of(call->nr);

		json_array_append_new(
			array,
			json_pack("{s:I, s:s, s:s?, s:I, s:o, s:I, s:o, s:s, s:I, s:o, s:o, s:o, s:o}", "stage",
				  (json_int_t)call->stage, "call", scope_report_section_call(call->nr), "on", kind,
				  "calls", (json_int_t)call->calls, "per_unit",
				  units_of(stage) ? scope_report_json_number(per_unit(call, stage)) : json_null(),
				  "failed", (json_int_t)call->failed, "errors", make_errors(call), "returns",
				  result[call->result], "returned", (json_int_t)call->returned.total, "percentiles",
				  call->returned.total ? make_percentiles(&call->returned) : json_null(), "asked",
				  make_values(&call->asked, args ? args->unit : NULL), "offsets",
				  make_values(&call->offset, "bytes"), "flags", make_flags(call)));
	}
	return array;
}
