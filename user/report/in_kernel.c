// SPDX-License-Identifier: GPL-2.0-only
/* The functions of the kernel in which a finding ran. */
#include "report/section.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 4
#define SHARE_MIN 0.05 /* functions with less of the time are left out, but for the first */

static void print_row(FILE *to, const struct scope_inside *row)
{
	const char *module = row->function->module;
	const bool own = !strcmp(module, "[kernel]");

	fprintf(to, "%s%s%s (%.0f %%)", row->function->name, own ? "" : " ", own ? "" : module, 100 * row->share);
}

int scope_report_section_inside(const struct scope_model_finding *one, char **ret_text)
{
	const size_t count = one->insides < ROWS ? one->insides : ROWS;
	char *text = NULL;
	size_t size;
	FILE *to;

	*ret_text = NULL;
	if (!one->kernel_matters || (!count && !one->inside_why))
		return 0;
	to = open_memstream(&text, &size);
	if (!to)
		return -ENOMEM;
	if (!count)
		fprintf(to, "no names: %s", one->inside_why);
	for (size_t i = 0; i < count && (!i || one->inside[i].share >= SHARE_MIN); i++) {
		fputs(i ? " · " : "", to);
		print_row(to, &one->inside[i]);
	}
	if (fclose(to)) {
		free(text);
		return -ENOMEM;
	}
	*ret_text = text;
	return 0;
}
