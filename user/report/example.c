// SPDX-License-Identifier: GPL-2.0-only
/* The calls of a path, as text. */
#include "report/section.h"

#include <errno.h>
#include <stdlib.h>

#include "report/numbers.h"

/* Chooses the first calls of a path, and those that took longest. */
static void choose_calls(const struct scope_path *path, size_t most, bool *shown)
{
	size_t chosen;

	for (chosen = 0; chosen < path->calls && chosen < most / 2; chosen++)
		shown[chosen] = true;
	for (; chosen < path->calls && chosen < most; chosen++) {
		size_t longest = path->calls;

		for (size_t i = 0; i < path->calls; i++)
			if (!shown[i] && (longest == path->calls || path->call[i].ns > path->call[longest].ns))
				longest = i;
		shown[longest] = true;
	}
}

static void print_call(FILE *to, const struct scope_path_call *call)
{
	struct scope_text time;

	if (call->nr == SCOPE_NR_NONE) {
		fprintf(to, "%s running", scope_report_format_ns(&time, call->ns));
		return;
	}
	if (call->nr == SCOPE_PATH_QUEUE) {
		fprintf(to, "%s without a CPU", scope_report_format_ns(&time, call->ns));
		return;
	}
	if (call->nr == SCOPE_PATH_TASK) {
		fprintf(to, "%s%s waiting in no thread", call->extra ? "+" : "",
			scope_report_format_ns(&time, call->ns));
		return;
	}
	fprintf(to, "%s%s", call->extra ? "+" : "", scope_report_section_call(call->nr));
	if (call->count > 1)
		fprintf(to, " ×%u", call->count);
	if (call->ns)
		fprintf(to, " %s", scope_report_format_ns(&time, call->ns));
}

int scope_report_section_path(const struct scope_path *path, size_t calls, char **ret_text)
{
	bool *shown = calloc(path->calls + 1, sizeof(*shown)), left_out = false;
	struct scope_paragraph line;
	size_t count = 0;

	if (!shown || scope_report_paragraph_begin(&line)) {
		free(shown);
		return -ENOMEM;
	}
	choose_calls(path, calls, shown);
	for (size_t i = 0; i < path->calls; i++) {
		if (shown[i]) {
			fputs(!count++ ? "" : left_out ? " … " : " · ", line.to);
			print_call(line.to, &path->call[i]);
		}
		left_out = !shown[i];
	}
	if (count < path->calls)
		fprintf(line.to, " (%zu more)", path->calls - count);
	if (!path->calls)
		fputs("none", line.to);
	free(shown);
	return scope_report_paragraph_end(&line, ret_text);
}
