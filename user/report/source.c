// SPDX-License-Identifier: GPL-2.0-only
/* Prints the lines of source of a finding. */
#include "report/section.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/numbers.h"

#define ROWS 3
#define SHARE_MIN 0.1 /* lines with less of the excess are left out, but for the first */

const char *scope_report_section_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

const char *scope_report_section_line_of(const struct scope_places_row *place, char *text, size_t room)
{
	const struct scope_source_line *line = scope_evidence_place_line(place);

	*text = '\0';
	if (line)
		snprintf(text, room, ", %s:%d", scope_report_section_base_name(line->file), line->line);
	return text;
}

static void print_row(FILE *to, const struct scope_places_row *row)
{
	for (unsigned int i = 0; i < row->lines; i++) {
		const struct scope_source_line *line = &row->line[i];

		fprintf(to, "%s%s:%d", i ? ", inlined at " : "", scope_report_section_base_name(line->file),
			line->line);
		if (line->function[0])
			fprintf(to, " in %s", line->function);
	}
}

/*
 * Prints the lines with their text if it was read; else the reason why not, unless the file is simply not on this host.
 */
static void print_lines(const struct report *report, const struct scope_model_finding *one)
{
	const char *file = "", *function = "";
	char share[16];

	for (size_t i = 0; i < one->lines; i++) {
		const struct scope_model_line *line = &one->line[i];

		if (!line->text)
			continue;
		if (strcmp(line->file, file) || strcmp(line->inlined, function)) {
			scope_report_section_detail_label(report, SCOPE_LABEL_LINES);
			fprintf(report->out, "%s%s%s\n", line->file, *line->inlined ? ", inlined: " : "",
				line->inlined);
		}
		file = line->file;
		function = line->inlined;
		snprintf(share, sizeof(share), "%.0f %%", 100 * line->share);
		fprintf(report->out, "         %6s %5d  %s\n", line->share > 0 ? share : "", line->number, line->text);
	}
	if (one->lines_why && !one->lines_absent)
		scope_report_section_detail_text(report, SCOPE_LABEL_LINES, one->lines_why);
}

static void print_loop(const struct report *report, const struct scope_model_finding *one)
{
	const struct scope_source_loop *loop = &one->loop.lines;

	if (!loop->file)
		return;
	scope_report_section_detail_label(report, SCOPE_LABEL_LOOP);
	fprintf(report->out, "%s:%d", scope_report_section_base_name(loop->file), loop->first);
	if (loop->last > loop->first)
		fprintf(report->out, "-%d", loop->last);
	if (*loop->inlined)
		fprintf(report->out, " in %s", loop->inlined);
	fprintf(report->out, " (%.0f %%)\n", 100 * one->loop.share);
}

/* Rules of thumb, marked as such. */
static int print_hints(const struct report *report, const struct scope_model_finding *one)
{
	struct scope_paragraph line;
	int err = 0;

	for (size_t i = 0; i < one->hints && !err; i++) {
		if (scope_report_paragraph_begin(&line))
			return -ENOMEM;
		if (one->hint[i].file)
			fprintf(line.to, "%s:%d: ", scope_report_section_base_name(one->hint[i].file),
				one->hint[i].line);
		fputs(one->hint[i].text, line.to);
		err = scope_report_section_detail_line(report, &line, SCOPE_LABEL_HINT);
	}
	return err;
}

static int print_places(const struct report *report, const struct scope_model_finding *one)
{
	const size_t count = one->places < ROWS ? one->places : ROWS;
	struct scope_paragraph line;

	if (!count)
		return 0;
	if (scope_report_paragraph_begin(&line))
		return -ENOMEM;
	for (size_t i = 0; i < count && (!i || one->place[i].share >= SHARE_MIN); i++) {
		fputs(i ? " · " : "", line.to);
		print_row(line.to, &one->place[i]);
		if (one->finding->kind != SCOPE_FINDING_HANG)
			fprintf(line.to, " (%.0f %%)", 100 * one->place[i].share);
	}
	return scope_report_section_detail_line(report, &line, SCOPE_LABEL_SOURCE);
}

int scope_report_section_source(const struct report *report, const struct scope_model_finding *one)
{
	const int err = print_places(report, one);

	if (err)
		return err;
	print_loop(report, one);
	print_lines(report, one);
	return print_hints(report, one);
}
