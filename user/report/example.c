// SPDX-License-Identifier: GPL-2.0-only
/* The calls of a finding's example, and those of a usual unit beside it, as text. */
#include "report/section.h"

#include <errno.h>
#include <stdlib.h>

#include "report/format.h"
#include "report/path.h"

/* The first calls of a path, and those that took longest. */
static void choose_calls(const struct scope_path *path, size_t most, bool *shown)
{
	size_t chosen;

	for (chosen = 0; chosen < path->calls && chosen < most / 2; chosen++)
		shown[chosen] = true;
	for (; chosen < path->calls && chosen < most; chosen++) {
		size_t longest = path->calls;

		for (size_t i = 0; i < path->calls; i++)
			if (!shown[i] && (longest == path->calls ||
					  path->call[i].ns > path->call[longest].ns))
				longest = i;
		shown[longest] = true;
	}
}

static void print_call(FILE *to, const struct scope_path_call *call)
{
	struct scope_text time;

	if (call->nr == SCOPE_NR_NONE) {
		fprintf(to, "%s running", scope_format_ns(&time, call->ns));
		return;
	}
	fprintf(to, "%s%s", call->extra ? "+" : "", scope_section_call(call->nr));
	if (call->count > 1)
		fprintf(to, " ×%u", call->count);
	if (call->ns)
		fprintf(to, " %s", scope_format_ns(&time, call->ns));
}

/* *ret_text is malloc'd. 0 or -ENOMEM. */
static int path_text(const struct scope_path *path, size_t most, char **ret_text)
{
	bool *shown = calloc(path->calls + 1, sizeof(*shown)), left_out = false;
	struct scope_paragraph line;
	size_t count = 0;

	if (!shown || scope_paragraph_begin(&line)) {
		free(shown);
		return -ENOMEM;
	}
	choose_calls(path, most, shown);
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
	return scope_paragraph_end(&line, ret_text);
}

int scope_section_paths(const struct scope_analysis *analysis, const struct scope_finding *finding,
			struct scope_path *ret_path, size_t *ret_count)
{
	const size_t count = finding->usual_example == UINT32_MAX ? 1 : 2;
	const bool elsewhere = finding->usual_elsewhere && count > 1;
	int err;

	ret_path[0] = (struct scope_path){ .unit = finding->example };
	ret_path[1] = (struct scope_path){ .unit = finding->usual_example };
	*ret_count = count;
	err = scope_path_collect(analysis->trace, analysis->units, ret_path, elsewhere ? 1 : count);
	if (!err && elsewhere)
		err = scope_path_collect(analysis->reference->trace,
					 analysis->reference_kept->units, &ret_path[1], 1);
	if (!err && count > 1)
		err = scope_path_align(&ret_path[0], &ret_path[1]);
	return err;
}

int scope_section_example(const struct report *report, const struct scope_finding *finding, size_t calls,
			  struct scope_section_example *ret_example)
{
	struct scope_path path[2];
	size_t count;
	int err;

	*ret_example = (struct scope_section_example){
		.baseline = finding->usual_elsewhere && finding->usual_example != UINT32_MAX &&
			    !report->analysis->since_ns,
	};
	if (finding->example == UINT32_MAX)
		return 0;
	err = scope_section_paths(report->analysis, finding, path, &count);
	if (!err)
		err = path_text(&path[0], calls, &ret_example->slow);
	if (!err && count > 1)
		err = path_text(&path[1], calls, &ret_example->usual);
	free(path[0].call);
	free(path[1].call);
	return err;
}
