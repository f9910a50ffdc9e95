// SPDX-License-Identifier: GPL-2.0-only
/* The calls of a path, as text. */
#include "report/section.h"

#include <errno.h>
#include <stdlib.h>

#include "report/numbers.h"

static bool is_of(const struct scope_path_call *call, uint32_t nr)
{
	return nr == SCOPE_PATH_ANY || call->nr == nr || (nr == SCOPE_NR_NONE && call->nr == SCOPE_PATH_BETWEEN);
}

/* The call that took longest, of those that are not shown yet; nr: of this call only. path->calls: none. */
static size_t longest_call(const struct scope_path *path, const bool *shown, uint32_t nr)
{
	size_t longest = path->calls;

	for (size_t i = 0; i < path->calls; i++)
		if (!shown[i] && is_of(&path->call[i], nr) &&
		    (longest == path->calls || path->call[i].ns > path->call[longest].ns))
			longest = i;
	return longest;
}

/* Chooses the first calls of a path, the one that the answer names, and those that took longest. */
static void choose_calls(const struct scope_path *path, const struct scope_path_show *show, bool *shown)
{
	const size_t first = show->calls > 2 ? show->calls / 2 : 0;
	bool has_named = false;
	size_t chosen, named;

	for (chosen = 0; chosen < path->calls && chosen < first; chosen++) {
		shown[chosen] = true;
		has_named |= is_of(&path->call[chosen], show->nr) && path->call[chosen].ns;
	}
	named = has_named ? path->calls : longest_call(path, shown, show->nr);
	if (named < path->calls) {
		shown[named] = true;
		chosen++;
	}
	for (; chosen < path->calls && chosen < show->calls; chosen++)
		shown[longest_call(path, shown, SCOPE_PATH_ANY)] = true;
}

static void print_call(FILE *to, const struct scope_path_call *call)
{
	struct scope_text time;

	if (call->nr == SCOPE_NR_NONE) {
		fprintf(to, "%s running", scope_report_format_ns(&time, call->ns));
		return;
	}
	if (call->nr == SCOPE_PATH_BETWEEN) {
		fprintf(to, "%s running between", scope_report_format_ns(&time, call->ns));
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

int scope_report_section_path(const struct scope_path *path, const struct scope_path_show *show, char **ret_text)
{
	bool *shown = calloc(path->calls + 1, sizeof(*shown)), left_out = false;
	struct scope_paragraph line;
	size_t count = 0;

	if (!shown || scope_report_paragraph_begin(&line)) {
		free(shown);
		return -ENOMEM;
	}
	choose_calls(path, show, shown);
	for (size_t i = 0; i < path->calls; i++) {
		if (shown[i]) {
			fputs(!count++ ? "" : left_out ? " … " : " · ", line.to);
			print_call(line.to, &path->call[i]);
		}
		left_out = !shown[i];
	}
	if (count < path->calls && show->count_rest)
		fprintf(line.to, " (%zu more)", path->calls - count);
	else if (left_out)
		fputs(" …", line.to);
	if (!path->calls)
		fputs("none", line.to);
	free(shown);
	return scope_report_paragraph_end(&line, ret_text);
}
