// SPDX-License-Identifier: GPL-2.0-only
/* System calls by library function: two tables, a comparison of two functions, and JSON. */
#include "report/libcalls_text.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include <scope/abi.h>

#include "report/json.h"
#include "report/json_part.h"
#include "report/numbers.h"
#include "report/section.h"

#define FUNCTIONS 8 /* no rule: on a screen */
#define LIBRARIES 3 /* no rule: on a screen */
#define CALLS 2	    /* no rule: of a function, on a screen */

static const char *name_of(const struct scope_libcalls_function *row)
{
	if (row->function)
		return row->function->name;
	return row->from == SCOPE_LIBCALLS_PROGRAM ? "(the program itself)" : "(no frame of the program)";
}

static const char *library_of(const struct scope_libcalls_function *row)
{
	return row->function ? row->function->module : "-";
}

/* "4,096", "12.4 K": in units of 1,024. */
static const char *bytes_text(struct scope_text *buffer, double bytes)
{
	static const char unit[] = " KMGT";
	unsigned i = 0;

	if (bytes < 10240)
		return scope_report_format_count(buffer, (uint64_t)(bytes + 0.5));
	for (; bytes >= 10240 && i + 2 < sizeof(unit); i++)
		bytes /= 1024;
	snprintf(buffer->text, sizeof(buffer->text), "%.1f %c", bytes, unit[i]);
	return buffer->text;
}

/* "12,345", or with its interval "12,345 ±67"; the larger side of the two. */
static const char *calls_text(struct scope_text *buffer, const struct scope_libcalls_function *row, bool exact)
{
	const double below = row->calls - row->low, above = row->high - row->calls;
	struct scope_text count, error;

	if (exact || (below < 0.5 && above < 0.5))
		return scope_report_format_large(buffer, (uint64_t)(row->calls + 0.5));
	snprintf(buffer->text, sizeof(buffer->text), "%s ±%s",
		 scope_report_format_large(&count, (uint64_t)(row->calls + 0.5)),
		 scope_report_format_large(&error, (uint64_t)((below > above ? below : above) + 0.5)));
	return buffer->text;
}

static void print_figures(const struct scope_libcalls_function *row, bool exact, FILE *to)
{
	struct scope_text text;

	scope_report_format_padded(to, calls_text(&text, row, exact), 14);
	fprintf(to, " %8s", row->bytes > 0 ? bytes_text(&text, row->bytes) : "-");
	fprintf(to, " %8s", scope_report_format_ns(&text, row->ns));
	fprintf(to, " %8s  ", scope_report_format_ns(&text, row->calls > 0 ? row->ns / row->calls : 0));
}

static void print_function(const struct scope_libcalls_function *row, bool exact, bool verbose, FILE *to)
{
	struct scope_text text;

	fputs("  ", to);
	scope_report_format_name(to, name_of(row), 26);
	fputc(' ', to);
	print_figures(row, exact, to);
	for (size_t i = 0; i < row->count && (verbose || i < CALLS); i++)
		fprintf(to, "%s%s %s", i ? ", " : "", scope_report_section_call(row->call[i].nr),
			scope_report_format_large(&text, (uint64_t)(row->call[i].calls + 0.5)));
	if (!verbose && row->count > CALLS)
		fprintf(to, ", %zu more", row->count - CALLS);
}

/* True for the first row of its library. */
static bool is_first(const struct scope_libcalls *libcalls, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (libcalls->function[i].function &&
		    !strcmp(libcalls->function[i].function->module, libcalls->function[at].function->module))
			return false;
	return true;
}

/* The libraries, most time first; the caller frees. NULL: no memory. */
static struct scope_libcalls_function *find_libraries(const struct scope_libcalls *libcalls, size_t *ret_count)
{
	struct scope_libcalls_function *library = calloc(libcalls->count + 1, sizeof(*library));
	size_t count = 0;

	for (size_t i = 0; library && i < libcalls->count; i++) {
		struct scope_libcalls_function sum;
		size_t to;

		if (!libcalls->function[i].function || !is_first(libcalls, i))
			continue;
		scope_server_libcalls_library(libcalls, libcalls->function[i].function->module, &sum);
		for (to = count++; to && library[to - 1].ns < sum.ns; to--)
			library[to] = library[to - 1];
		library[to] = sum;
	}
	*ret_count = count;
	return library;
}

static int print_functions(const struct scope_libcalls *libcalls, const struct scope_report_style *style, FILE *out)
{
	const unsigned width = scope_report_style_columns(style);
	const size_t most = style->verbose || libcalls->count <= FUNCTIONS ? libcalls->count : FUNCTIONS - 1;
	int err = 0;

	scope_report_format_clipped(
		out, "  function                   calls             bytes     time     each  of which", width);
	fputc('\n', out);
	for (size_t i = 0; !err && i < most; i++) {
		struct scope_paragraph line;

		err = scope_report_paragraph_begin(&line);
		if (err)
			return err;
		print_function(&libcalls->function[i], libcalls->exact, style->verbose, line.to);
		err = scope_report_paragraph_print(&line, 0, width, out);
	}
	if (!err && most < libcalls->count)
		fprintf(out, "  … and %zu more (-v)\n", libcalls->count - most);
	return err;
}

static int print_libraries(const struct scope_libcalls *libcalls, const struct scope_report_style *style, FILE *out)
{
	const unsigned width = scope_report_style_columns(style);
	struct scope_libcalls_function *library;
	size_t count, most;
	int err = 0;

	library = find_libraries(libcalls, &count);
	if (!library)
		return -ENOMEM;
	most = style->verbose || count <= LIBRARIES ? count : LIBRARIES - 1;
	if (count)
		fputs("  library\n", out);
	for (size_t i = 0; !err && i < most; i++) {
		struct scope_paragraph line;

		err = scope_report_paragraph_begin(&line);
		if (err)
			break;
		fputs("  ", line.to);
		scope_report_format_name(line.to, library_of(&library[i]), 26);
		fputc(' ', line.to);
		print_figures(&library[i], libcalls->exact, line.to);
		err = scope_report_paragraph_print(&line, 0, width, out);
	}
	if (!err && most < count)
		fprintf(out, "  … and %zu more (-v)\n", count - most);
	free(library);
	return err;
}

/* The comparison in sentences. */
static int print_pair(const struct scope_report_libcalls_pair *pair, const struct scope_libcalls_function *one,
		      const struct scope_libcalls_function *other, unsigned width, FILE *out)
{
	const struct scope_libcalls_function *row[] = { one, other };
	const char *name[] = { pair->one, pair->other };
	struct scope_paragraph line;
	struct scope_text a, b, c;
	char *text;
	int err = scope_report_paragraph_begin(&line);

	if (err)
		return err;
	for (int i = 0; i < 2; i++) {
		fprintf(line.to, "%s%.40s: %s calls in %s", i ? "; " : "", name[i],
			scope_report_format_count(&a, (uint64_t)(row[i]->calls + 0.5)),
			scope_report_format_ns(&b, row[i]->ns));
		if (row[i]->bytes > 0)
			fprintf(line.to, " for %s bytes", bytes_text(&c, row[i]->bytes));
	}
	fputs(". ", line.to);
	if (one->bytes > 0 && other->bytes > 0) {
		const double calls = one->calls / one->bytes / (other->calls / other->bytes),
			     ns = one->ns / one->bytes / (other->ns / other->bytes);

		fprintf(line.to,
			"For each KB %.40s makes %.3g times the calls of %.40s, and takes %.3g times as long: "
			"%s and %s.",
			pair->one, calls, pair->other, ns, scope_report_format_ns(&a, 1024 * one->ns / one->bytes),
			scope_report_format_ns(&b, 1024 * other->ns / other->bytes));
	} else {
		fprintf(line.to, "%.40s makes %.3g times the calls of %.40s, which take %.3g times as long in all.",
			pair->one, one->calls / other->calls, pair->other, other->ns > 0 ? one->ns / other->ns : 0);
	}
	err = scope_report_paragraph_end(&line, &text);
	if (err)
		return err;
	fputs("  ", out);
	scope_report_format_wrapped_to(out, text, 2, 2, width);
	fputc('\n', out);
	free(text);
	return 0;
}

/* 0, or -ENOENT: one of the pair has no calls. Nothing if there is no pair. */
static int find_pair(const struct scope_libcalls *libcalls, const struct scope_report_libcalls_pair *pair,
		     struct scope_libcalls_function *ret_one, struct scope_libcalls_function *ret_other,
		     const char **ret_missing)
{
	if (!pair->one)
		return 0;
	*ret_missing = pair->one;
	if (!scope_server_libcalls_named(libcalls, pair->one, ret_one))
		return -ENOENT;
	*ret_missing = pair->other;
	return scope_server_libcalls_named(libcalls, pair->other, ret_other) ? 0 : -ENOENT;
}

/* Prints how exact the figures are. */
static void print_basis(const struct scope_libcalls *libcalls, unsigned width, FILE *out)
{
	struct scope_text calls, stacks, unknown;
	char text[400], none[96] = "";

	if (libcalls->exact || !libcalls->calls)
		return;
	if (libcalls->unknown)
		snprintf(none, sizeof(none),
			 " %s calls are of numbers of which no call has a stack: they are in no line.",
			 scope_report_format_count(&unknown, libcalls->unknown));
	snprintf(
		text, sizeof(text),
		"%s of %s calls have a stack. The others of their number are taken to be alike, ± is the 95 %% interval "
		"of a count then. A usual capture takes stacks of slow calls only: `scope libcalls -p PID` takes all.%s",
		scope_report_format_count(&stacks, libcalls->stacks),
		scope_report_format_count(&calls, libcalls->calls), none);
	fputs("  ", out);
	scope_report_format_wrapped_to(out, text, 2, 2, width);
	fputc('\n', out);
}

int scope_report_libcalls_text(const struct scope_analysis *analysis, const struct scope_libcalls *libcalls,
			       const struct scope_report_libcalls_pair *pair, const struct scope_report_style *style,
			       const char **ret_missing, FILE *out)
{
	const char *command = scope_trace_meta(analysis->trace, SCOPE_META_COMMAND);
	const char *pid = scope_trace_meta(analysis->trace, SCOPE_META_PID);
	const unsigned width = scope_report_style_columns(style);
	struct scope_libcalls_function one, other;
	struct scope_text calls;
	char head[256];
	int err = find_pair(libcalls, pair, &one, &other, ret_missing);

	if (err)
		return err;
	snprintf(head, sizeof(head), "LIBRARY CALLS of %.20s (pid %.10s), %.1f s: %s system calls%s",
		 command ? command : "?", pid ? pid : "?", analysis->server->window_ns / 1e9,
		 scope_report_format_count(&calls, libcalls->calls),
		 !libcalls->calls    ? ""
		 : libcalls->exact   ? ", each with a stack: counts are exact"
		 : !libcalls->stacks ? ", none with a stack"
				     : "");
	scope_report_format_wrapped_to(out, head, 0, 2, width);
	fputc('\n', out);
	if (!libcalls->stacks) {
		if (libcalls->calls)
			fputs("  Which functions made them is not known: trace with stacks.\n", out);
		return 0;
	}
	if (pair->one)
		return print_pair(pair, &one, &other, width, out);
	err = print_functions(libcalls, style, out);
	if (!err)
		err = print_libraries(libcalls, style, out);
	if (!err)
		print_basis(libcalls, width, out);
	return err;
}

static json_t *make_calls(const struct scope_libcalls_function *row)
{
	json_t *array = json_array();

	for (size_t i = 0; i < row->count; i++)
		json_array_append_new(array, json_pack("{s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "call",
						       scope_report_section_call(row->call[i].nr), "seen",
						       (json_int_t)row->call[i].seen, "failed",
						       (json_int_t)row->call[i].failed, "calls",
						       scope_report_json_number(row->call[i].calls), "low",
						       scope_report_json_number(row->call[i].low), "high",
						       scope_report_json_number(row->call[i].high), "bytes",
						       scope_report_json_number(row->call[i].bytes), "ns",
						       scope_report_json_number(row->call[i].ns)));
	return array;
}

static json_t *make_figures(const struct scope_libcalls_function *row)
{
	return json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "seen", (json_int_t)row->seen, "failed",
			 (json_int_t)row->failed, "calls", scope_report_json_number(row->calls), "low",
			 scope_report_json_number(row->low), "high", scope_report_json_number(row->high), "bytes",
			 scope_report_json_number(row->bytes), "ns", scope_report_json_number(row->ns));
}

static json_t *make_function(const struct scope_libcalls_function *row)
{
	static const char *const from[] = {
		[SCOPE_LIBCALLS_LIBRARY] = "library",
		[SCOPE_LIBCALLS_PROGRAM] = "program",
		[SCOPE_LIBCALLS_NOBODY] = "nobody",
	};
	json_t *object = make_figures(row);

	json_object_set_new(object, "from", json_string(from[row->from]));
	json_object_set_new(object, "function", scope_report_json_function(row->function));
	json_object_set_new(object, "by_call", make_calls(row));
	return object;
}

static json_t *make_pair(const struct scope_report_libcalls_pair *pair, const struct scope_libcalls_function *one,
			 const struct scope_libcalls_function *other)
{
	json_t *array;

	if (!pair->one)
		return json_null();
	array = json_pack("[o, o]", make_figures(one), make_figures(other));
	json_object_set_new(json_array_get(array, 0), "name", scope_report_json_string(pair->one));
	json_object_set_new(json_array_get(array, 1), "name", scope_report_json_string(pair->other));
	return array;
}

int scope_report_libcalls_json(const struct scope_analysis *analysis, const struct scope_libcalls *libcalls,
			       const struct scope_report_libcalls_pair *pair, const char **ret_missing, FILE *out)
{
	struct scope_libcalls_function one, other, *library;
	json_t *functions, *libraries;
	size_t count;
	int err = find_pair(libcalls, pair, &one, &other, ret_missing);

	if (err)
		return err;
	library = find_libraries(libcalls, &count);
	if (!library)
		return -ENOMEM;
	functions = json_array();
	libraries = json_array();
	for (size_t i = 0; i < libcalls->count; i++)
		json_array_append_new(functions, make_function(&libcalls->function[i]));
	for (size_t i = 0; i < count; i++) {
		json_t *object = make_figures(&library[i]);

		json_object_set_new(object, "library", scope_report_json_string(library_of(&library[i])));
		json_array_append_new(libraries, object);
	}
	free(library);
	return scope_report_json_write(json_pack("{s:i, s:s, s:s, s:o, s:I, s:I, s:I, s:b, s:o, s:o, s:o}", "schema",
						 SCOPE_REPORT_SCHEMA, "scope", SCOPE_VERSION, "command", "libcalls",
						 "window_ns", scope_report_json_number(analysis->server->window_ns),
						 "calls", (json_int_t)libcalls->calls, "stacks",
						 (json_int_t)libcalls->stacks, "unknown", (json_int_t)libcalls->unknown,
						 "exact", libcalls->exact, "functions", functions, "libraries",
						 libraries, "pair", make_pair(pair, &one, &other)),
				       JSON_INDENT(1), out);
}
