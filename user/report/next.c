// SPDX-License-Identifier: GPL-2.0-only
/* What to do next: commands that work as they are. */
#include "report/answer.h"

#include <string.h>

#include "report/format.h"
#include "report/section.h"
#include "report/waits.h"

static char *add(struct scope_report_next *next, const char *why)
{
	static char spare[sizeof(next->command[0])];

	if (next->count == SCOPE_NEXT_MAX)
		return spare;
	next->why[next->count] = why;
	return next->command[next->count++];
}

/* A word as a shell takes it. */
static void quoted(const char *word, char *text, size_t size)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:@%+";
	size_t used = 0;

	if (word[strspn(word, plain)] == '\0') {
		snprintf(text, size, "%s", word);
		return;
	}
	if (size < 8)
		return;
	text[used++] = '\'';
	for (; *word && used + 6 < size; word++) {
		if (*word == '\'') {
			memcpy(text + used, "'\\''", 4);
			used += 4;
		} else {
			text[used++] = *word;
		}
	}
	text[used++] = '\'';
	text[used] = '\0';
}

void scope_report_next(const struct scope_model *model, const char *file, bool whole, struct scope_report_next *ret_next)
{
	struct scope_report_next *next = ret_next;
	const struct scope_ranking *ranking = model->analysis->ranking;
	const struct scope_finding *finding = ranking->findings ? ranking->finding : NULL;
	const char *pid = scope_trace_meta(model->analysis->trace, SCOPE_META_PID);
	const char *source = scope_trace_meta(model->analysis->trace, SCOPE_META_SOURCE);
	const size_t room = sizeof(next->command[0]);
	const struct scope_bottleneck *knot =
		scope_report_is_bottleneck(model->analysis) ? model->analysis->waits->bottleneck : NULL;
	char name[100] = "";

	next->count = 0;
	if (file)
		quoted(file, name, sizeof(name));
	if (!pid)
		pid = "PID";
	if (!whole && name[0])
		snprintf(add(next, "all evidence, and where the time went"), room, "scope-report -i %s -v", name);
	else if (!whole)
		snprintf(add(next, "all evidence; keeps the trace"), room, "scope-report -p %s -v --save slow.trace", pid);
	if (ranking->verdict == SCOPE_VERDICT_UNKNOWN) {
		snprintf(add(next, "for longer, while it is slow"), room, "scope-report -p %s -d 90", pid);
		return;
	}
	if (knot && name[0])
		snprintf(add(next, "who waits for whom"), room, "scope waits -i %s", name);
	if (knot && knot->function && source && !strcmp(source, "kmod")) {
		char function[80];

		quoted(knot->function->name, function, sizeof(function));
		snprintf(add(next, "does it matter? tries it faster"), room, "scope delay speedup -p %s --function %s", pid,
			 function);
	}
	if (ranking->verdict == SCOPE_VERDICT_NOTHING && !knot && name[0])
		snprintf(add(next, "once it is slow: what differs"), room, "scope-report -p %s --baseline %s", pid,
			 name);
	if (!finding)
		return;
	if (model->finding->stuck)
		snprintf(add(next, "does it still stand?"), room, "scope-report -p %s -d 5", pid);
	else if (finding->outside)
		snprintf(add(next, finding->class == SCOPE_WAIT_DISK ? "the disk's queue and latency" : "which peer"),
			 room, "%s", finding->class == SCOPE_WAIT_DISK ? "iostat -x 1 5" : "ss -tnpi");
	else if (source && !strcmp(source, "kmod"))
		snprintf(add(next, "does it matter? delays it a little"), room, "scope-report -p %s --causal 1", pid);
}

/* Prints commands in the lines that remain after `lines`, one at least; a blank line first where there is room. */
void scope_section_next(const struct report *report, unsigned int lines, bool blank)
{
	struct scope_report_next next;
	unsigned int width = 0, most;

	scope_report_next(report->model, report->style->trace, report->style->verbose, &next);
	if (next.count && blank && lines + 2 <= SCOPE_SCREEN_LINES) {
		fputc('\n', report->out);
		lines++;
	}
	most = lines < SCOPE_SCREEN_LINES ? SCOPE_SCREEN_LINES - lines : 1;
	if (next.count > most)
		next.count = most;
	for (unsigned int i = 0; i < next.count; i++)
		if (strlen(next.command[i]) > width)
			width = (unsigned int)strlen(next.command[i]);
	for (unsigned int i = 0; i < next.count; i++) {
		scope_section_label(report, i ? "" : "Next");
		fputs(next.command[i], report->out);
		if (SCOPE_SCREEN_LABEL + width + 4 + scope_format_columns(next.why[i]) <= SCOPE_SCREEN_WIDTH)
			fprintf(report->out, "%*s  # %s", (int)(width - strlen(next.command[i])), "", next.why[i]);
		fputc('\n', report->out);
	}
}
