// SPDX-License-Identifier: GPL-2.0-only
/* Where in the kernel a finding ran. */
#include "evidence/inside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/section.h"

#define ROWS 4
#define SHARE_MIN 0.05 /* functions with less of the time are left out, but for the first */
#define KERNEL_MIN 0.2 /* of the running time: else the kernel is no matter */

static void print_row(FILE *to, const struct scope_inside *row)
{
	const char *module = row->function->module;
	const bool own = !strcmp(module, "[kernel]");

	fprintf(to, "%s%s%s (%.0f %%)", row->function->name, own ? "" : " ", own ? "" : module,
		100 * row->share);
}

int scope_section_inside(const struct report *report, const struct scope_finding *finding, char **ret_text)
{
	const char *why = scope_trace_meta(report->analysis->trace, SCOPE_META_KERNEL_NAMES);
	struct scope_inside row[ROWS];
	char *text = NULL;
	size_t count, size;
	FILE *to;
	int err;

	*ret_text = NULL;
	if (!finding->function || !finding->evidence || finding->kind == SCOPE_FINDING_HANG ||
	    (finding->kind != SCOPE_FINDING_SPIN && finding->kernel_share < KERNEL_MIN))
		return 0;
	err = scope_inside_find(finding->evidence, finding->attribution, finding->function, row, ROWS,
				&count);
	if (err || (!count && !why))
		return err;
	to = open_memstream(&text, &size);
	if (!to)
		return -ENOMEM;
	if (!count)
		fprintf(to, "no names: %s", why);
	for (size_t i = 0; i < count && (!i || row[i].share >= SHARE_MIN); i++) {
		fputs(i ? " · " : "", to);
		print_row(to, &row[i]);
	}
	if (fclose(to)) {
		free(text);
		return -ENOMEM;
	}
	*ret_text = text;
	return 0;
}
