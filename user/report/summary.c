// SPDX-License-Identifier: GPL-2.0-only
/* The first screen of the report: what is wrong, where, how bad, how sure, and what to do next. */
#include "report/section.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "anomaly/owner.h"
#include "evidence/place.h"
#include "report/format.h"
#include "report/freezes.h"
#include "report/rounds.h"

#define WIDTH 80     /* columns */
#define LABEL 14     /* of them before a line's text */
#define LINES_MAX 15 /* in all */
#define EXAMPLE_CALLS 3 /* of a slow request and a usual one */
#define NEXT_MAX 3   /* commands */
#define ALSO_MAX 4   /* further findings, in one line */

static const char *meta(const struct report *report, const char *key)
{
	return scope_trace_meta(report->analysis->trace, key);
}

static const struct scope_thread *thread_of(const struct report *report, const struct scope_finding *finding)
{
	return scope_threads_at(report->analysis->units->timeline->threads, finding->thread);
}

/* The moment by the wall, of a time by the trace's clock. False: the trace does not know it. */
static bool wall_time(const struct report *report, uint64_t time_ns, const char *format, char *text, size_t size)
{
	const struct scope_trace *trace = report->analysis->trace;
	const uint64_t wall_ns = scope_trace_meta_number(trace, SCOPE_META_WALL_CLOCK, 0);
	const uint64_t begin_ns = scope_trace_meta_number(trace, SCOPE_META_BEGIN, 0);
	const time_t seconds = (time_t)((wall_ns + (time_ns - begin_ns)) / 1000000000);
	struct tm tm;

	return wall_ns && gmtime_r(&seconds, &tm) && strftime(text, size, format, &tm);
}

/* ---- the head: two lines ---- */

static const char *verdict_word(const struct scope_ranking *ranking)
{
	static const char *const word[] = {
		[SCOPE_VERDICT_NOTHING] = "NOTHING ABNORMAL in",
		[SCOPE_VERDICT_HANG] = "HANG in",
		[SCOPE_VERDICT_SPIN] = "SPIN in",
		[SCOPE_VERDICT_FREEZES] = "FREEZES in",
		[SCOPE_VERDICT_SLOWDOWN] = "SLOWDOWN in",
		[SCOPE_VERDICT_OUTSIDE] = "SLOWDOWN outside of",
		[SCOPE_VERDICT_UNKNOWN] = "NOTHING CAN BE SAID of",
	};

	if (ranking->verdict == SCOPE_VERDICT_SLOWDOWN && ranking->finding[0].outside)
		return word[SCOPE_VERDICT_OUTSIDE];
	return word[ranking->verdict];
}

/* Left and right ends of a line; the left one is cut where both have no room. */
static void print_ends(const struct report *report, const char *left, const char *right)
{
	const unsigned width = scope_format_columns(right), room = width + 2 < WIDTH ? WIDTH - 2 - width : 0;
	const unsigned used = scope_format_columns(left);

	scope_format_clipped(report->out, left, room);
	fprintf(report->out, "%*s%s\n", 2 + (int)(used < room ? room - used : 0), "", right);
}

static void print_head(const struct report *report)
{
	const struct scope_timeline *timeline = report->analysis->units->timeline;
	const char *host = meta(report, SCOPE_META_HOST), *command = meta(report, SCOPE_META_COMMAND);
	const char *line = meta(report, SCOPE_META_COMMAND_LINE), *pid = meta(report, SCOPE_META_PID);
	const char *source = meta(report, SCOPE_META_SOURCE);
	const uint64_t lost = scope_timeline_lost(timeline);
	char left[512], right[96], when[40] = "";
	struct scope_text count;

	snprintf(left, sizeof(left), "%s %s (pid %s)%s%s", verdict_word(report->analysis->ranking),
		 command ? command : "?", pid ? pid : "?", host ? " on " : "", host ? host : "");
	wall_time(report, timeline->begin_ns, "%Y-%m-%d %H:%M:%S UTC, ", when, sizeof(when));
	snprintf(right, sizeof(right), "%s%.1f s", when, (timeline->end_ns - timeline->begin_ns) / 1e9);
	fputs(report->style->colour ? "\033[1m" : "", report->out);
	print_ends(report, left, right);
	fputs(scope_section_plain(report), report->out);
	snprintf(right, sizeof(right), "source %s · %s lost", source ? source : "?",
		 lost ? scope_format_count(&count, lost) : "nothing");
	print_ends(report, line ? line : command ? command : "", right);
	fputc('\n', report->out);
}

/* ---- the answer, in a sentence or two ---- */

/* "4.8 ms instead of 0.11 ms" */
static void tell_times(const struct scope_finding *finding, FILE *to)
{
	struct scope_text slow, usual;

	fprintf(to, "take %s instead of %s", scope_format_ns(&slow, finding->p50_ns),
		scope_format_ns(&usual, finding->usual_ns));
}

static void tell_stuck(const struct report *report, const struct scope_finding *finding, FILE *to)
{
	const struct scope_thread *thread = thread_of(report, finding);
	struct scope_section_sleep_text sleep;
	struct scope_rounds_text rounds;
	struct scope_text age;

	if (finding->rounds) {
		fprintf(to, "thread %s (tid %u) has turned for %s without progress: %s.", thread->comm, thread->tid,
			scope_format_ns(&age, finding->age_ns),
			scope_rounds_name(&rounds, report->analysis, finding));
		return;
	}
	if (finding->kind == SCOPE_FINDING_SPIN) {
		fprintf(to, "thread %s (tid %u) has run for %s without a system call.", thread->comm,
			thread->tid, scope_format_ns(&age, finding->age_ns));
		return;
	}
	fprintf(to, "thread %s (tid %u) has slept for %s in %s", thread->comm, thread->tid,
		scope_format_ns(&age, finding->age_ns),
		scope_section_sleep(&sleep, report, thread->tgid, finding));
	if (finding->threads > 1)
		fprintf(to, ", and %u other%s", finding->threads - 1, finding->threads > 2 ? "s likewise" : " too");
	if (finding->lock && scope_owner_find(report->analysis->trace, report->analysis->units->timeline->threads,
					      finding->thread, finding->object) == (long)finding->thread)
		fputs(", which it holds itself: a deadlock.", to);
	else
		fputs(finding->circle ? ": a deadlock." : finding->unsure ? "; it may be idle." : ".", to);
}

static void tell_waiters(const struct report *report, const struct scope_finding *finding, FILE *to)
{
	const struct scope_group *group = &report->analysis->found.groups->group[finding->victim_group];

	if (finding->victim_threads > 1)
		fprintf(to, "%u %s threads", finding->victim_threads, group->name);
	else
		fprintf(to, "thread %s", group->name);
}

static void tell_finding(const struct report *report, const struct scope_finding *finding, FILE *to)
{
	const char *call = scope_section_call(finding->nr);

	fprintf(to, "%s", scope_section_function(report, finding));
	switch (finding->kind) {
	case SCOPE_FINDING_HANG:
	case SCOPE_FINDING_SPIN:
		fputs(": ", to);
		tell_stuck(report, finding, to);
		return;
	case SCOPE_FINDING_TIME:
		fputs(" runs longer", to);
		break;
	case SCOPE_FINDING_CALLS:
		fprintf(to, " calls %s %.0f times as often as usual", call, finding->calls_times);
		break;
	case SCOPE_FINDING_WAIT:
		if (finding->asks)
			fprintf(to, " asks a %s that usual requests do not ask, in %s",
				scope_section_outside(finding), call);
		else if (finding->outside)
			fprintf(to, " waits for a slow %s, in %s", scope_section_outside(finding), call);
		else
			fprintf(to, " sleeps longer, in %s", call);
		break;
	case SCOPE_FINDING_LOCK:
		fputs(" holds a lock that ", to);
		tell_waiters(report, finding, to);
		fputs(finding->victim_threads > 1 ? " wait for" : " waits for", to);
		break;
	case SCOPE_FINDING_LATE:
		fputs(" keeps ", to);
		tell_waiters(report, finding, to);
		fputs(" waiting", to);
		break;
	}
	fprintf(to, ": the slow %s ", report->analysis->ranking->slow_requests ? "requests" : "rounds of work");
	tell_times(finding, to);
	fputc('.', to);
}

static void tell_freezes(const struct report *report, FILE *to)
{
	struct scope_freezes_text freezes;

	fprintf(to, "%s ", scope_freezes_name(&freezes, report->analysis));
}

static void tell_since(const struct report *report, FILE *to)
{
	const struct scope_analysis *analysis = report->analysis;
	char when[40] = "";

	if (!analysis->since_ns)
		return;
	wall_time(report, analysis->since_ns, ", at %H:%M:%S UTC", when, sizeof(when));
	fprintf(to, " It began %.1f s into the window%s.",
		(analysis->since_ns - analysis->units->timeline->begin_ns) / 1e9, when);
}

/* What limits what can be said of this capture at all. */
static void tell_end(const struct report *report, FILE *to)
{
	const char *end = meta(report, SCOPE_META_END_REASON), *guard = meta(report, SCOPE_META_GUARD);

	if (end && !strcmp(end, "target-gone"))
		fputs(" The process ended during the capture.", to);
	if (end && !strcmp(end, "guard"))
		fprintf(to, " The overload guard stopped the capture: %s.", guard ? guard : "?");
}

/* Whether the answer is the first finding. */
static bool names_first(const struct scope_ranking *ranking)
{
	return ranking->findings && ranking->verdict != SCOPE_VERDICT_OUTSIDE &&
	       ranking->verdict != SCOPE_VERDICT_NOTHING;
}

int scope_section_answer(const struct report *report, char **ret_text)
{
	const struct scope_ranking *ranking = report->analysis->ranking;
	struct scope_paragraph line;

	if (scope_paragraph_begin(&line))
		return -ENOMEM;
	if (ranking->verdict == SCOPE_VERDICT_FREEZES)
		tell_freezes(report, line.to);
	if (names_first(ranking))
		tell_finding(report, ranking->finding, line.to);
	else
		fputs(ranking->reason, line.to);
	if (ranking->findings)
		tell_since(report, line.to);
	tell_end(report, line.to);
	return scope_paragraph_end(&line, ret_text);
}

static int print_answer(const struct report *report)
{
	char *text;
	int err = scope_section_answer(report, &text);

	if (err)
		return err;
	fputs("  ", report->out);
	scope_format_wrapped_to(report->out, text, 2, 2, WIDTH);
	fputs("\n\n", report->out);
	free(text);
	return 0;
}

/* ---- the first finding, a line for each thing ---- */

static void print_label(const struct report *report, const char *label)
{
	fprintf(report->out, "  %-*s", LABEL - 2, label);
}

/* A line that is cut at the right edge. */
static int print_clipped(const struct report *report, struct scope_paragraph *line)
{
	char *text;
	int err = scope_paragraph_end(line, &text);

	if (err)
		return err;
	scope_format_clipped(report->out, text, WIDTH - LABEL);
	fputc('\n', report->out);
	free(text);
	return 0;
}

/* *ret_cut: the share of its excess whose stacks are cut short. */
static int print_where(const struct report *report, const struct scope_finding *finding, double *ret_cut)
{
	const struct scope_analysis *analysis = report->analysis;
	const uint32_t thread = scope_section_stuck(finding) ? finding->thread : UINT32_MAX;
	struct scope_places_row row;
	struct scope_paragraph line;
	size_t count = 0;
	int err = 0;

	*ret_cut = 0;
	if (!finding->function)
		return 0;
	if (finding->by_stacks)
		err = scope_places_find(analysis->evidence, &analysis->ranking->by_stacks, analysis->symbols,
					finding->function, thread, &row, 1, &count, ret_cut);
	if (err || scope_paragraph_begin(&line))
		return err ? err : -ENOMEM;
	fprintf(line.to, "%s in %s", scope_section_function(report, finding), finding->function->module);
	if (count && row.lines) {
		const char *slash = strrchr(row.line[0].file, '/');

		fprintf(line.to, ", %s:%d", slash && slash[1] ? slash + 1 : row.line[0].file, row.line[0].line);
	}
	print_label(report, "Where");
	return print_clipped(report, &line);
}

static int print_callers(const struct report *report, const struct scope_finding *finding, bool cut)
{
	const struct scope_tree *tree = &finding->evidence->tree;
	struct scope_paragraph line;
	uint32_t node = finding->node ? tree->node[finding->node].parent : 0;

	if (!finding->function || !node)
		return 0;
	if (scope_paragraph_begin(&line))
		return -ENOMEM;
	fputs("called by ", line.to);
	for (bool first = true; node; node = tree->node[node].parent, first = false)
		fprintf(line.to, "%s%s", first ? "" : " ← ",
			scope_signatures_name(report->analysis->signatures, tree->node[node].function));
	if (cut)
		fputs(" ← …", line.to);
	print_label(report, "");
	return print_clipped(report, &line);
}

static int print_example(const struct report *report, const struct scope_finding *finding)
{
	struct scope_section_example example;
	struct scope_text worst;
	int err = scope_section_example(report, finding, EXAMPLE_CALLS, &example);

	if (!err && example.usual) {
		print_label(report, example.baseline ? "Baseline" : "Normal");
		scope_format_clipped(report->out, example.usual, WIDTH - LABEL);
		fputc('\n', report->out);
	}
	if (!err && example.slow) {
		print_label(report, "Slow");
		scope_format_clipped(report->out, example.slow, WIDTH - LABEL - 18);
		fprintf(report->out, "   (p99 %s)\n", scope_format_ns(&worst, finding->p99_ns));
	}
	free(example.slow);
	free(example.usual);
	return err;
}

static void print_extent(const struct report *report, const struct scope_finding *finding)
{
	const struct scope_ranking *ranking = report->analysis->ranking;
	const bool requests = ranking->slow_requests > 0;
	const uint64_t slow = requests ? ranking->slow_requests : ranking->slow_units;
	const uint64_t all = requests ? ranking->requests : ranking->units;
	const double share = all ? 100.0 * slow / all : 0;
	struct scope_text a, b;
	char percent[16];

	print_label(report, "Extent");
	if (scope_section_stuck(finding)) {
		fprintf(report->out, "%u of %s thread%s\n", finding->threads,
			scope_format_count(&a, report->analysis->units->threads),
			report->analysis->units->threads == 1 ? "" : "s");
		return;
	}
	if (share < 0.1)
		strcpy(percent, "< 0.1");
	else
		snprintf(percent, sizeof(percent), "%.*f", share < 10, share);
	fprintf(report->out, "%s of %s %s slow (%s %%); %.0f %% of the extra time here\n",
		scope_format_large(&a, slow), scope_format_large(&b, all), requests ? "requests" : "rounds",
		percent, 100 * finding->share);
}

static void print_confidence(const struct report *report, const struct scope_finding *finding)
{
	const bool requests = report->analysis->ranking->slow_requests > 0;
	const uint32_t stacks = finding->samples + finding->sleeps;
	struct scope_text a, b;

	print_label(report, "Confidence");
	fputs(scope_section_confidence(finding), report->out);
	if (!scope_section_stuck(finding))
		fprintf(report->out, ": %s slow %s%s, %s stack%s", scope_format_count(&a, finding->units),
			requests ? "request" : "round", finding->units == 1 ? "" : "s",
			scope_format_count(&b, stacks), stacks == 1 ? "" : "s");
	if (!scope_section_stuck(finding) && !finding->by_stacks)
		fputs(", by signature", report->out);
	fputc('\n', report->out);
}

/* The other findings, by name and share. */
static int print_also(const struct report *report)
{
	const struct scope_ranking *ranking = report->analysis->ranking;
	struct scope_paragraph line;

	if (ranking->findings < 2)
		return 0;
	if (scope_paragraph_begin(&line))
		return -ENOMEM;
	for (size_t i = 1; i < ranking->findings && i <= ALSO_MAX; i++)
		fprintf(line.to, "%s%s (%.0f %%)", i == 1 ? "" : ", ",
			scope_section_function(report, &ranking->finding[i]), 100 * ranking->finding[i].share);
	if (ranking->findings > ALSO_MAX + 1)
		fprintf(line.to, ", and %zu more", ranking->findings - ALSO_MAX - 1);
	print_label(report, "Also");
	return print_clipped(report, &line);
}

static int print_first(const struct report *report)
{
	const struct scope_ranking *ranking = report->analysis->ranking;
	const struct scope_finding *finding = ranking->finding;
	double cut;
	int err;

	if (!ranking->findings)
		return 0;
	err = print_where(report, finding, &cut);
	if (!err)
		err = print_callers(report, finding, cut > 0.5);
	/* Where the answer is another than this function, it is not described further. */
	if (!err && !scope_section_stuck(finding) && names_first(ranking))
		err = print_example(report, finding);
	if (err)
		return err;
	print_extent(report, finding);
	print_confidence(report, finding);
	return print_also(report);
}

/* What could not be read, cut at the right edge: -v has all of it. */
static void print_notes(const struct report *report)
{
	const char *const notes[] = { scope_trace_damage(report->analysis->trace), meta(report, SCOPE_META_UNREAD) };

	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++) {
		if (!notes[i] || !notes[i][0])
			continue;
		print_label(report, "Missing");
		scope_format_clipped(report->out, notes[i], WIDTH - LABEL);
		fputc('\n', report->out);
	}
}

/* ---- what to do next: commands that work as they stand ---- */

struct next {
	char command[NEXT_MAX][160];
	const char *why[NEXT_MAX];
	unsigned int count;
};

static char *add(struct next *next, const char *why)
{
	static char spare[sizeof(next->command[0])];

	if (next->count == NEXT_MAX)
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

static void choose_next(const struct report *report, struct next *next)
{
	const struct scope_ranking *ranking = report->analysis->ranking;
	const struct scope_finding *finding = ranking->findings ? ranking->finding : NULL;
	const char *pid = meta(report, SCOPE_META_PID), *source = meta(report, SCOPE_META_SOURCE);
	const size_t room = sizeof(next->command[0]);
	char file[100] = "";

	if (report->style->trace)
		quoted(report->style->trace, file, sizeof(file));
	if (!pid)
		pid = "PID";
	if (!report->style->verbose && file[0])
		snprintf(add(next, "all evidence, and where the time went"), room, "scope-report -i %s -v", file);
	else if (!report->style->verbose)
		snprintf(add(next, "all evidence; keeps the trace"), room, "scope-report -p %s -v --save slow.trace", pid);
	if (ranking->verdict == SCOPE_VERDICT_UNKNOWN) {
		snprintf(add(next, "for longer, while it is slow"), room, "scope-report -p %s -d 90", pid);
		return;
	}
	if (ranking->verdict == SCOPE_VERDICT_NOTHING && file[0])
		snprintf(add(next, "once it is slow: what differs"), room, "scope-report -p %s --baseline %s", pid,
			 file);
	if (!finding)
		return;
	if (scope_section_stuck(finding))
		snprintf(add(next, "does it still stand?"), room, "scope-report -p %s -d 5", pid);
	else if (finding->outside)
		snprintf(add(next, finding->class == SCOPE_WAIT_DISK ? "the disk's queue and latency" : "which peer"),
			 room, "%s", finding->class == SCOPE_WAIT_DISK ? "iostat -x 1 5" : "ss -tnpi");
	else if (source && !strcmp(source, "kmod"))
		snprintf(add(next, "does it matter? delays it a little"), room, "scope-report -p %s --causal 1", pid);
}

/* Prints commands in the lines that remain after `lines`, one at least; a blank line first where there is room. */
static void print_next(const struct report *report, unsigned int lines, bool blank)
{
	struct next next = { .count = 0 };
	unsigned int width = 0, most;

	choose_next(report, &next);
	if (next.count && blank && lines + 2 <= LINES_MAX) {
		fputc('\n', report->out);
		lines++;
	}
	most = lines < LINES_MAX ? LINES_MAX - lines : 1;
	if (next.count > most)
		next.count = most;
	for (unsigned int i = 0; i < next.count; i++)
		if (strlen(next.command[i]) > width)
			width = (unsigned int)strlen(next.command[i]);
	for (unsigned int i = 0; i < next.count; i++) {
		print_label(report, i ? "" : "Next");
		fputs(next.command[i], report->out);
		if (LABEL + width + 4 + scope_format_columns(next.why[i]) <= WIDTH)
			fprintf(report->out, "%*s  # %s", (int)(width - strlen(next.command[i])), "", next.why[i]);
		fputc('\n', report->out);
	}
}

static int print_body(const struct report *report)
{
	int err;

	print_head(report);
	err = print_answer(report);
	if (!err)
		err = print_first(report);
	if (!err)
		print_notes(report);
	return err;
}

static unsigned int count_lines(const char *text)
{
	unsigned int count = 0;

	for (; (text = strchr(text, '\n')); text++)
		count++;
	return count;
}

int scope_section_summary(const struct report *report)
{
	struct scope_paragraph body;
	struct report inner = *report;
	char *text;
	int err;

	if (scope_paragraph_begin(&body))
		return -ENOMEM;
	inner.out = body.to;
	err = print_body(&inner);
	if (scope_paragraph_end(&body, &text))
		return -ENOMEM;
	if (!err) {
		fputs(text, report->out);
		print_next(report, count_lines(text), strcmp(text + strlen(text) - 2, "\n\n") != 0);
		if (report->style->verbose)
			fputc('\n', report->out);
	}
	free(text);
	return err;
}
