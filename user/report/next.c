// SPDX-License-Identifier: GPL-2.0-only
/* Prints what to do next: commands that can be run unchanged. */
#include "report/answer.h"

#include <string.h>

#include "base/syscall_name.h"
#include "report/numbers.h"
#include "report/section.h"
#include "report/waits_text.h"

static char *add(struct scope_report_next *next, const char *why)
{
	static char spare[sizeof(next->command[0])];

	if (next->count == SCOPE_NEXT_MAX)
		return spare;
	next->why[next->count] = why;
	return next->command[next->count++];
}

void scope_report_quote(const char *word, char *text, size_t size)
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

/* The page is written to the current directory: FILE.html for a trace PATH/FILE.trace. */
static void add_page(const char *file, const char *name, struct scope_report_next *next)
{
	const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file, *dot = strrchr(base, '.');
	const size_t length = dot && dot > base ? (size_t)(dot - base) : strlen(base);
	char page[80], quoted_page[100] = "";

	snprintf(page, sizeof(page), "%.*s.html", (int)(length < 70 ? length : 70), base);
	scope_report_quote(page, quoted_page, sizeof(quoted_page));
	if (strlen("scope-report -i  -o ") + strlen(name) + strlen(quoted_page) >
	    SCOPE_REPORT_COLUMNS - SCOPE_SCREEN_LABEL)
		strcpy(quoted_page, "report.html");
	snprintf(add(next, "in a browser"), sizeof(next->command[0]), "scope-report -i %s -o %s", name, quoted_page);
}

static void add_evidence(const char *name, const char *pid, struct scope_report_next *next)
{
	const size_t room = sizeof(next->command[0]);

	if (name[0])
		snprintf(add(next, "all evidence"), room, "scope-report -i %s -v", name);
	else
		snprintf(add(next, "all evidence; keeps the trace"), room, "scope-report -p %s -v --save slow.trace",
			 pid);
}

/* Adds commands for the first finding. */
static void add_deed(const struct scope_model *model, const char *pid, struct scope_report_next *next)
{
	const struct scope_finding *finding = model->analysis->ranking->finding;
	const char *source = scope_trace_meta(model->analysis->trace, SCOPE_META_SOURCE);
	const size_t room = sizeof(next->command[0]);

	if (model->finding->stuck)
		snprintf(add(next, "is it still so?"), room, "scope-report -p %s -d 5", pid);
	else if (model->analysis->ranking->decided == SCOPE_DECIDED_PEER_FIRST &&
		 model->analysis->outside.peer.at.peer.pid)
		snprintf(add(next, "the process that it waits for"), room, "scope-report -p %u",
			 model->analysis->outside.peer.at.peer.pid);
	else if (model->analysis->ranking->decided == SCOPE_DECIDED_PEER_FIRST &&
		 model->analysis->outside.peer.at.peer.address[0])
		snprintf(add(next, "the connections to it"), room, "ss -tni dst %s",
			 model->analysis->outside.peer.at.peer.address);
	else if (scope_rank_finding_outside(finding))
		snprintf(add(next,
			     finding->wait.class == SCOPE_WAIT_DISK ? "the disk's queue and latency" : "which peer"),
			 room, "%s", finding->wait.class == SCOPE_WAIT_DISK ? "iostat -x 1 5" : "ss -tnpi");
	else if (source && !strcmp(source, "kmod"))
		snprintf(add(next, "does it matter? delays it a little"), room, "scope-report -p %s --causal 1", pid);
}

/* Adds commands for an answer that is a bottleneck. */
static void add_bottleneck(const struct scope_model *model, const char *name, const char *pid,
			   struct scope_report_next *next)
{
	const struct scope_bottleneck *bottleneck = model->analysis->waits->bottleneck;
	const char *source = scope_trace_meta(model->analysis->trace, SCOPE_META_SOURCE);
	const char *call = bottleneck->nr == SCOPE_NR_NONE ? NULL : scope_syscall_name(bottleneck->nr);
	const size_t room = sizeof(next->command[0]);

	if (name[0])
		snprintf(add(next, "who waits for whom"), room, "scope waits -i %s", name);
	if (bottleneck->function && call && source && !strcmp(source, "kmod")) {
		snprintf(add(next, "does it matter? tries it faster"), room,
			 "scope delay speedup -p %s --site syscall:%s", pid, call);
	} else if (bottleneck->function && source && !strcmp(source, "kmod")) {
		char function[80];

		scope_report_quote(bottleneck->function->name, function, sizeof(function));
		snprintf(add(next, "does it matter? tries it faster"), room, "scope delay speedup -p %s --function %s",
			 pid, function);
	}
}

/*
 * True if the first finding has no name, or is mostly in code without names: its program is stripped, or the code was
 * made at run time.
 */
static bool needs_names(const struct scope_model *model)
{
	const struct scope_ranking *ranking = model->analysis->ranking;
	const struct scope_function *near = !ranking->findings && ranking->nears &&
							    ranking->verdict == SCOPE_VERDICT_UNKNOWN
						    ? ranking->near[0].finding.function
						    : NULL;

	/* A signature may name it. */
	if (ranking->findings)
		return ranking->finding[0].function && (ranking->finding[0].unnamed > SCOPE_RANK_MOST ||
							(!ranking->finding[0].function->known &&
							 model->finding[0].name == ranking->finding[0].function->name));
	return near && scope_rank_is_unknown_code(near);
}

void scope_report_next(const struct scope_model *model, const struct scope_report_style *style, bool whole,
		       struct scope_report_next *ret_next)
{
	const char *file = style->trace;
	const struct scope_ranking *ranking = model->analysis->ranking;
	const char *pid = scope_trace_meta(model->analysis->trace, SCOPE_META_PID);
	const bool bottleneck = scope_report_is_bottleneck(model->analysis);
	char name[100] = "", part[260] = "", kinds[400] = ""; /* each with the options of the one before */

	ret_next->count = 0;
	if (file) {
		scope_report_quote(file, name, sizeof(name));
		snprintf(part, sizeof(part), "%s%s", name, style->part ? style->part : "");
		snprintf(kinds, sizeof(kinds), "%s%s%s", part, style->kind ? " --kind " : "",
			 style->kind ? style->kind : "");
	}
	if (!pid)
		pid = "PID";
	/* This capture was not saved, so the user should save the next one. */
	if (!whole && !name[0])
		add_evidence(name, pid, ret_next);
	if (needs_names(model))
		snprintf(add(ret_next, "what gives its functions names"), sizeof(ret_next->command[0]),
			 "scope doctor -p %s", pid);
	if (ranking->verdict == SCOPE_VERDICT_UNKNOWN)
		snprintf(add(ret_next, "for longer, while it is slow"), sizeof(ret_next->command[0]),
			 "scope-report -p %s -d 90", pid);
	else if (name[0])
		add_page(file, kinds, ret_next);
	if (bottleneck && ranking->verdict != SCOPE_VERDICT_UNKNOWN)
		add_bottleneck(model, part, pid, ret_next);
	if (ranking->findings)
		add_deed(model, pid, ret_next);
	else if (ranking->verdict == SCOPE_VERDICT_NOTHING && !bottleneck && name[0])
		snprintf(add(ret_next, "once it is slow: what differs"), sizeof(ret_next->command[0]),
			 "scope-report -p %s --baseline %s", pid, name);
	if (!whole && name[0])
		add_evidence(kinds, pid, ret_next);
}

/* Prints commands in the lines that remain after `lines`, one at least; a blank line first where there is room. */
void scope_report_section_next(const struct report *report, unsigned int lines, bool blank)
{
	struct scope_report_next next;
	const unsigned int all = scope_report_section_width(report);
	unsigned int width = 0, most;

	scope_report_next(report->model, report->style, report->style->verbose, &next);
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
		scope_report_section_label(report, i ? SCOPE_LABELS : SCOPE_LABEL_NEXT);
		fputs(next.command[i], report->out);
		if (SCOPE_SCREEN_LABEL + width + 4 + scope_report_format_columns(next.why[i]) <= all)
			fprintf(report->out, "%*s  # %s", (int)(width - strlen(next.command[i])), "", next.why[i]);
		else if (SCOPE_SCREEN_LABEL + strlen(next.command[i]) + 4 + scope_report_format_columns(next.why[i]) <=
			 all)
			fprintf(report->out, "  # %s", next.why[i]);
		fputc('\n', report->out);
	}
}
