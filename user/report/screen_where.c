// SPDX-License-Identifier: GPL-2.0-only
/*
 * The first screen's lines with the place of the first finding: its function and line, its callers, the owner of the
 * lock.
 */
#include "report/section.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/numbers.h"

#define LABEL SCOPE_SCREEN_LABEL
#define CUT_MOST 0.5 /* share of cut stacks from which the path is marked as cut */
#define REST 4	     /* columns of " ← …" */
#define NAME_ROOM 52 /* no rule: columns of a name without its first parts; "called by NAME ← …" fits */

const char *scope_report_section_short_name(const char *name)
{
	const char *slash = memrchr(name, '/', strcspn(name, "([<: "));

	/* Not that of an operator of C++. */
	return slash && slash > name && (isalnum((unsigned char)slash[1]) || slash[1] == '_') ? slash + 1 : name;
}

const char *scope_report_section_last_name(const char *name)
{
	const char *short_name = scope_report_section_short_name(name), *at = short_name, *part;

	while (scope_report_format_columns(at) > NAME_ROOM && (part = strpbrk(at, "/.:([<")) && strchr("/.:", *part))
		at = part + 1 + strspn(part + 1, ":");
	return *at && *at != '(' ? at : short_name;
}

/* Adds the loop around a line, with its file and its function where these are not the line's. */
static void put_loop(FILE *to, const struct scope_source_loop *loop, const struct scope_source_line *line,
		     const char *name)
{
	if (!loop->file || loop->last == loop->first)
		return;
	if (strcmp(loop->file, line->file))
		fprintf(to, ", loop at %s:%d-%d", scope_report_section_base_name(loop->file), loop->first, loop->last);
	else
		fprintf(to, ", loop of lines %d-%d", loop->first, loop->last);
	if (strcmp(loop->inlined, line->function))
		fprintf(to, " in %s", loop->inlined[0] ? loop->inlined : name);
}

/* The thread that holds the lock which the stuck one waits for, and where it is. */
static int print_holder(const struct report *report, const struct scope_model_finding *one)
{
	const struct scope_model_owner *owner = &one->owner;
	struct scope_paragraph text;
	char line[128];

	if (!owner->thread || owner->itself)
		return 0;
	if (scope_report_paragraph_begin(&text))
		return -ENOMEM;
	fprintf(text.to, "%s (tid %u)", owner->thread->comm, owner->thread->tid);
	if (owner->at)
		fprintf(text.to, ", in %s%s", owner->at->name,
			scope_report_section_line_of(&owner->place, line, sizeof(line)));
	scope_report_section_label(report, SCOPE_LABEL_HOLDER);
	return scope_report_section_clipped(report, &text);
}

/* Where it is, as the line says it: with its loop and its package's path, or without. */
static void put_where(const struct scope_model_finding *one, const char *name, bool loop, FILE *to)
{
	const struct scope_source_line *line = one->places ? scope_evidence_place_line(&one->place[0]) : NULL;
	char at[128];

	fprintf(to, "%s in %s", name, one->finding->function->module);
	if (one->finding->function->message && loop)
		fputs(", a name from its own messages", to);
	if (!line)
		return;
	fputs(scope_report_section_line_of(&one->place[0], at, sizeof(at)), to);
	if (line->function[0] && strcmp(line->function, "?"))
		fprintf(to, " in %s", line->function);
	if (loop)
		put_loop(to, &one->loop.lines, line, name);
}

/* As much of it as there is room for. */
static int print_where(const struct report *report, const struct scope_model_finding *one)
{
	const unsigned room = scope_report_section_width(report) - LABEL;
	char *text = NULL;

	if (!one->finding->function)
		return 0;
	for (int less = 0; less < 3; less++) {
		struct scope_paragraph line;
		int err = scope_report_paragraph_begin(&line);

		free(text);
		if (err)
			return err;
		put_where(one, less < 2 ? one->name : scope_report_section_last_name(one->name), less < 1, line.to);
		err = scope_report_paragraph_end(&line, &text);
		if (err)
			return err;
		if (scope_report_format_columns(text) <= room)
			break;
	}
	scope_report_section_label(report, SCOPE_LABEL_WHERE);
	scope_report_format_clipped(report->out, text, room);
	fputc('\n', report->out);
	free(text);
	return 0;
}

size_t scope_report_section_callers(const struct scope_model_finding *one)
{
	const struct scope_tree *tree = &one->finding->evidence->tree;
	size_t count = one->path_count;

	while (count > 1 && !strcmp(tree->node[one->path[count - 1]].function->name, "_start"))
		count--;
	return count;
}

/*
 * Of a function without a symbol, what it calls that has one: the innermost callee with most of its excess, or the library
 * function that it mostly calls. NULL: none, or it has a symbol itself.
 */
static const char *named_callee(const struct report *report, const struct scope_model_finding *one,
				const char **ret_phrase)
{
	const struct scope_tree *tree = &one->finding->evidence->tree;

	if (!one->finding->function || one->finding->function->known)
		return NULL;
	*ret_phrase = "most of it in";
	for (size_t i = one->most_count; i-- > 0;) {
		const struct scope_function *callee = tree->node[one->most[i]].function;

		if (callee->known)
			return scope_signatures_name(report->analysis->signatures, callee);
	}
	*ret_phrase = "calls";
	return one->below && one->below->known ? one->below->name : NULL;
}

/* The name of a function, by a symbol or a signature; NULL: it has none. */
static const char *known_name(const struct report *report, const struct scope_function *function)
{
	const char *name = scope_signatures_name(report->analysis->signatures, function);

	return function->known || name != function->name ? name : NULL;
}

/*
 * Callers without a name are "…": addresses, which -v has, would leave no room for those that have one. So are those for which
 * there is no room. used: columns of the line before them.
 */
static void put_callers(const struct report *report, const struct scope_model_finding *one, size_t count, unsigned used,
			FILE *to)
{
	const unsigned room = scope_report_section_width(report) - LABEL;
	const struct scope_tree *tree = &one->finding->evidence->tree;
	const bool cut = one->cut_share > CUT_MOST;
	bool left_out = false;

	used += (unsigned)fprintf(to, "called by ");
	for (size_t i = 1; i < count; i++) {
		const char *name = known_name(report, tree->node[one->path[i]].function);
		const char *shown = name ? scope_report_section_last_name(name) : "…";
		const unsigned rest = i + 1 < count || cut ? REST : 0;

		if (!name && left_out)
			continue;
		if (i > 1 && used + REST - 1 + scope_report_format_columns(shown) + rest > room) {
			fputs(left_out ? "" : " ← …", to);
			return;
		}
		fprintf(to, "%s%s", i == 1 ? "" : " ← ", shown);
		used += scope_report_format_columns(shown) + (i == 1 ? 0 : REST - 1);
		left_out = !name;
	}
	if (cut && !left_out)
		fputs(" ← …", to);
}

/* The callers to print; 0: none has a name. */
static size_t named_callers(const struct report *report, const struct scope_model_finding *one)
{
	const struct scope_tree *tree = &one->finding->evidence->tree;
	const size_t count = one->finding->function ? scope_report_section_callers(one) : 0;

	for (size_t i = 1; i < count; i++)
		if (known_name(report, tree->node[one->path[i]].function))
			return count;
	return 0;
}

static int print_callers(const struct report *report, const struct scope_model_finding *one)
{
	const size_t count = named_callers(report, one);
	const char *phrase, *callee = named_callee(report, one, &phrase);
	struct scope_paragraph line;
	unsigned used = 0;

	if (count < 2 && !callee)
		return 0;
	if (scope_report_paragraph_begin(&line))
		return -ENOMEM;
	if (callee) {
		fprintf(line.to, "%s %s%s", phrase, callee, count < 2 ? "" : ", ");
		used = scope_report_format_columns(phrase) + scope_report_format_columns(callee) + 3;
	}
	if (count > 1)
		put_callers(report, one, count, used, line.to);
	scope_report_section_label(report, SCOPE_LABELS);
	return scope_report_section_clipped(report, &line);
}

int scope_report_section_where(const struct report *report, const struct scope_model_finding *one)
{
	int err = print_where(report, one);

	if (!err)
		err = print_callers(report, one);
	return err ? err : print_holder(report, one);
}
