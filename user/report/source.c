// SPDX-License-Identifier: GPL-2.0-only
/* Where in the source a finding stands. */
#include "report/section.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/place.h"
#include "report/format.h"

#define ROWS 3
#define SHARE_MIN 0.1 /* lines with less of the excess are left out, but for the first */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static void print_row(FILE *to, const struct scope_places_row *row)
{
	for (unsigned int i = 0; i < row->lines; i++) {
		const struct scope_source_line *line = &row->line[i];

		fprintf(to, "%s%s:%d", i ? ", inlined at " : "", base_name(line->file), line->line);
		if (line->function[0])
			fprintf(to, " in %s", line->function);
	}
}

int scope_section_source(const struct report *report, const struct scope_finding *finding,
			 double *ret_cut)
{
	const struct scope_analysis *analysis = report->analysis;
	bool hung = finding->kind == SCOPE_FINDING_HANG;
	struct scope_places_row row[ROWS];
	struct scope_paragraph line;
	size_t count;
	int err;

	*ret_cut = 0;
	if (!finding->function || !finding->by_stacks)
		return 0;
	err = scope_places_find(analysis->evidence, &analysis->ranking->by_stacks, analysis->symbols, finding->function,
				hung ? finding->thread : UINT32_MAX, row, ROWS, &count, ret_cut);
	if (err || !count)
		return err;
	if (scope_paragraph_begin(&line))
		return -ENOMEM;
	for (size_t i = 0; i < count && (!i || row[i].share >= SHARE_MIN); i++) {
		fputs(i ? " · " : "", line.to);
		print_row(line.to, &row[i]);
		if (!hung)
			fprintf(line.to, " (%.0f %%)", 100 * row[i].share);
	}
	return scope_paragraph_print(&line, report->out, "     source      ");
}
