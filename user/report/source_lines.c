// SPDX-License-Identifier: GPL-2.0-only
/* The lines of source of a finding, with their share of its stacks and their text. */
#include "report/source_lines.h"

#include <stdlib.h>
#include <string.h>

#include "symbol/source_text.h"

#define AROUND 2 /* lines shown before and after the one with most */

static struct scope_model_line *find_line(struct scope_model_finding *one, const char *file, int number)
{
	for (size_t i = 0; i < one->lines; i++)
		if (one->line[i].number == number && !strcmp(one->line[i].file, file))
			return &one->line[i];
	return NULL;
}

/* A line counts once for a stack, even if it is in it twice. inlined "": of the function's own text. */
static void add_line(struct scope_model_finding *one, const struct scope_source_line *place, double share)
{
	struct scope_model_line *line = find_line(one, place->file, place->line);

	if (!line && one->lines < SCOPE_MODEL_LINES) {
		line = &one->line[one->lines++];
		*line = (struct scope_model_line){ .file = place->file, .number = place->line };
		line->inlined = place->function;
	}
	if (line)
		line->share += share;
}

static bool is_twice(const struct scope_places_row *row, unsigned at)
{
	for (unsigned i = 0; i < at; i++)
		if (row->line[i].line == row->line[at].line && !strcmp(row->line[i].file, row->line[at].file))
			return true;
	return false;
}

/* Lines of the function come first, then those that were inlined; by file and number. */
static int compare_lines(const void *left, const void *right)
{
	const struct scope_model_line *a = left, *b = right;
	int order;

	if (!*a->inlined != !*b->inlined)
		return *a->inlined ? 1 : -1;
	order = strcmp(a->file, b->file);
	return order ? order : (a->number > b->number) - (a->number < b->number);
}

/* The lines next to the function's line with most, to show what is around it. */
static void add_around(struct scope_model_finding *one)
{
	const struct scope_model_line *most = NULL;
	struct scope_source_line place = { .function = "" };
	int number;

	for (size_t i = 0; i < one->lines; i++)
		if (!*one->line[i].inlined && (!most || one->line[i].share > most->share))
			most = &one->line[i];
	if (!most)
		return;
	place.file = most->file;
	number = most->number;
	for (place.line = number > AROUND ? number - AROUND : 1; place.line <= number + AROUND; place.line++)
		add_line(one, &place, 0);
	for (size_t i = 0; i < one->lines; i++) /* what place has ends with this function */
		if (one->line[i].inlined == place.function)
			one->line[i].inlined = "";
}

/* Reads the lines of one file, which are next to each other. */
static int read_file(const struct scope_analysis *analysis, struct scope_model_line *line, size_t count,
		     const char **ret_why)
{
	const uint64_t wall_ns = scope_trace_meta_number(analysis->trace, SCOPE_META_WALL_CLOCK, 0);
	struct scope_source_text text[SCOPE_MODEL_LINES] = { { 0 } };
	int err;

	for (size_t i = 0; i < count; i++)
		text[i].line = line[i].number;
	err = scope_symbols_source_read(analysis->symbols, line[0].file, wall_ns, text, count, ret_why);
	for (size_t i = 0; i < count; i++)
		line[i].text = text[i].text;
	return err;
}

/* Removes lines without a stack whose text was not read. */
static void drop_empty(struct scope_model_finding *one)
{
	size_t kept = 0;

	for (size_t i = 0; i < one->lines; i++)
		if (one->line[i].share > 0 || one->line[i].text)
			one->line[kept++] = one->line[i];
	one->lines = kept;
}

int scope_report_source_lines_make(const struct scope_analysis *analysis, struct scope_model_finding *one)
{
	const char *why = NULL;
	int err = 0;

	for (size_t i = 0; i < one->places; i++)
		for (unsigned j = 0; j < one->place[i].lines; j++)
			if (!is_twice(&one->place[i], j))
				add_line(one, &one->place[i].line[j], one->place[i].share);
	add_around(one);
	if (one->lines)
		qsort(one->line, one->lines, sizeof(*one->line), compare_lines);
	for (size_t i = 0, end; i < one->lines && !err; i = end) {
		for (end = i + 1; end < one->lines && !strcmp(one->line[i].file, one->line[end].file); end++)
			;
		err = read_file(analysis, &one->line[i], end - i, &why);
		if (!i)
			one->lines_why = why;
	}
	one->lines_absent = one->lines_why && !strcmp(one->lines_why, SCOPE_SOURCE_ABSENT);
	drop_empty(one);
	return err;
}

void scope_report_source_lines_free(struct scope_model_finding *one)
{
	for (size_t i = 0; i < one->lines; i++)
		free(one->line[i].text);
	one->lines = 0;
}
