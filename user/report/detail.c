// SPDX-License-Identifier: GPL-2.0-only
/* The first findings in full: who, by which calls, since when. */
#include "report/section.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "anomaly/owner.h"
#include "base/syscall_name.h"
#include "evidence/hop.h"
#include "report/format.h"
#include "report/object.h"
#include "report/rounds.h"

#define ODDS_TOLD 1000	 /* beyond, the figure is that of very few usual stacks */
#define MOST 0.5	 /* of the excess below it: a callee with that is shown */
#define EXAMPLE_CALLS 8	 /* of a slow unit and a usual one */
#define KERNEL_NAMES 4	 /* the innermost functions of the kernel */

const char *scope_section_call(uint32_t nr)
{
	const char *name = scope_syscall_name(nr);

	return nr == SCOPE_NR_NONE ? "no call" : name ? name : "unknown call";
}

const char *scope_section_sleep(struct scope_section_sleep_text *buffer, const struct report *report, uint32_t tgid,
				const struct scope_finding *finding)
{
	struct scope_object_text object;

	if (finding->nr == SCOPE_NR_NONE)
		return "a page fault";
	snprintf(buffer->text, sizeof(buffer->text), "%s(%s%s)", scope_section_call(finding->nr),
		 scope_object_name(&object, report->analysis, tgid, finding->nr, finding->object),
		 finding->kind == SCOPE_FINDING_HANG && finding->lock ? ", a lock" : "");
	return buffer->text;
}

static const struct scope_thread *thread_at(const struct report *report, uint32_t index)
{
	return scope_threads_at(report->analysis->units->timeline->threads, index);
}

/* The library function that the last one of the program's calls, or NULL: a hung thread's own. */
static const struct scope_function *below(const struct scope_finding *finding)
{
	const struct scope_standing *standing = &finding->evidence->standing[finding->thread];

	if (finding->kind == SCOPE_FINDING_HANG && standing->node == finding->node)
		return standing->below;
	return scope_hop_find(finding->evidence, finding->node);
}

/* A function that calls itself again, which stands once on a path: by which others. */
static void print_circle(const struct report *report, const struct scope_circle *circle, FILE *to)
{
	if (!circle->function)
		return;
	if (!circle->count) {
		fputs(" (calls itself)", to);
		return;
	}
	fputs(" (again by ", to);
	for (unsigned i = 0; i < circle->count && i < SCOPE_CIRCLE_MAX; i++)
		fprintf(to, "%s%s", i ? " → " : "", scope_signatures_name(report->analysis->signatures, circle->by[i]));
	fputs(circle->count > SCOPE_CIRCLE_MAX ? " → …)" : ")", to);
}

/* cut: most of its stacks do not reach the start of the thread. */
static int print_chain(const struct report *report, const struct scope_finding *finding, bool cut)
{
	const struct scope_tree *tree = &finding->evidence->tree;
	const struct scope_tree_node *path[SCOPE_PATH_MAX];
	struct scope_paragraph line;
	unsigned count = 0;

	for (uint32_t node = finding->node; node && count < SCOPE_PATH_MAX;
	     node = tree->node[node].parent)
		path[count++] = &tree->node[node];
	if (!count)
		return 0;
	if (scope_paragraph_begin(&line))
		return -ENOMEM;
	if (cut)
		fputs("… → ", line.to);
	while (count--) {
		fputs(scope_signatures_name(report->analysis->signatures, path[count]->function), line.to);
		print_circle(report, &path[count]->circle, line.to);
		fputs(count ? " → " : "", line.to);
	}
	if (below(finding))
		fprintf(line.to, " → %s", below(finding)->name);
	return scope_paragraph_print(&line, report->out, "     call path   ");
}

/* The callee with most of what it is named for, and so on down. */
static int print_callees(const struct report *report, const struct scope_finding *finding)
{
	const struct scope_tree *tree = &finding->evidence->tree;
	const double all_ns = tree->node[finding->node].total_ns;
	uint32_t path[SCOPE_PATH_MAX], at = finding->node;
	struct scope_paragraph line;
	unsigned count = 0;

	while (at && all_ns > 0 && count < SCOPE_PATH_MAX && !scope_section_stuck(finding)) {
		for (at = tree->node[at].child; at && tree->node[at].total_ns < MOST * all_ns;)
			at = tree->node[at].sibling;
		if (at)
			path[count++] = at;
	}
	if (!count)
		return 0;
	if (scope_paragraph_begin(&line))
		return -ENOMEM;
	for (unsigned i = 0; i < count; i++)
		fprintf(line.to, "%s%s", i ? " → " : "in ",
			scope_signatures_name(report->analysis->signatures, tree->node[path[i]].function));
	fprintf(line.to, " (%.0f %%)", fmin(100, 100 * tree->node[path[count - 1]].total_ns / all_ns));
	return scope_paragraph_print(&line, report->out, "     most of it  ");
}

/* A function of a stripped file has no name; who called it says more than its address. */
static void print_caller(const struct report *report, const struct scope_finding *finding)
{
	const struct scope_signatures *signatures = report->analysis->signatures;
	const struct scope_tree *tree = &finding->evidence->tree;
	const struct scope_function *function = finding->function;
	uint32_t node = finding->node;

	/* One that signatures know by name has another name than its own. */
	if (!function || function->known ||
	    scope_signatures_name(signatures, function) != function->name)
		return;
	while (node && !tree->node[node].function->known)
		node = tree->node[node].parent;
	if (node)
		fprintf(report->out, "     no symbol   called by %s\n",
			tree->node[node].function->name);
}

/* Where the thread sleeps in the kernel, from the call inwards, or why that is not known. */
static int print_kernel(const struct report *report, const struct scope_finding *finding)
{
	const struct scope_trace *trace = report->analysis->trace;
	const char *name[KERNEL_NAMES], *why = scope_trace_meta(trace, SCOPE_META_KERNEL_STACKS);
	char key[48], *names;
	size_t count = 0;

	snprintf(key, sizeof(key), SCOPE_META_KERNEL_STACK "%u",
		 thread_at(report, finding->thread)->tid);
	if (!scope_trace_meta(trace, key)) {
		if (why)
			scope_format_paragraph(report->out, "     kernel      ", why);
		return 0;
	}
	names = strdup(scope_trace_meta(trace, key));
	if (!names)
		return -ENOMEM;
	for (char *at = names, *next; (next = strsep(&at, " ")) && count < KERNEL_NAMES;)
		name[count++] = next;
	fputs("     kernel      ", report->out);
	for (size_t i = count; i-- > 0;)
		fprintf(report->out, "%s%s", name[i], i ? " → " : "\n");
	free(names);
	return 0;
}

/* Who owns the lock, and where it stands itself. False: nobody knows. */
static bool print_owner(const struct report *report, const struct scope_finding *finding)
{
	const struct scope_evidence *evidence = report->analysis->evidence;
	long index = scope_owner_find(report->analysis->trace, report->analysis->units->timeline->threads,
				      finding->thread, finding->object);
	const struct scope_thread *owner;
	const struct scope_function *stands;
	uint32_t node;

	if (index < 0)
		return false;
	if ((uint32_t)index == finding->thread) {
		fputs("     owner       itself, as the lock's memory says: it waits for a lock that it holds\n",
		      report->out);
		return true;
	}
	owner = thread_at(report, (uint32_t)index);
	node = evidence->standing[index].node;
	stands = node ? evidence->tree.node[node].function : NULL;
	fprintf(report->out, "     owner       %s (tid %u), as the lock's memory says%s%s%s\n", owner->comm,
		owner->tid, stands ? "; it stands in " : "", stands ? stands->name : "",
		finding->circle ? ", and waits for this one: a deadlock" : "");
	return true;
}

static void print_stuck(const struct report *report, const struct scope_finding *finding)
{
	const struct scope_thread *thread = thread_at(report, finding->thread);
	struct scope_section_sleep_text sleep;
	struct scope_text age;

	if (finding->rounds) {
		struct scope_rounds_text rounds;

		fprintf(report->out, "     who         %s (tid %u)%s, in rounds without progress for %s, %u samples\n",
			thread->comm, thread->tid, finding->threads > 1 ? " and others" : "",
			scope_format_ns(&age, finding->age_ns), finding->samples);
		scope_format_paragraph(report->out, "     rounds      ",
				       scope_rounds_name(&rounds, report->analysis, finding));
		fputc('\n', report->out);
		return;
	}
	if (finding->kind == SCOPE_FINDING_SPIN) {
		fprintf(report->out,
			"     who         %s (tid %u), running for %s without a system call, %u samples\n",
			thread->comm, thread->tid, scope_format_ns(&age, finding->age_ns),
			finding->samples);
		return;
	}
	fprintf(report->out, "     who         %s (tid %u)%s, asleep for %s in %s\n",
		thread->comm, thread->tid, finding->threads > 1 ? " and others" : "",
		scope_format_ns(&age, finding->age_ns),
		scope_section_sleep(&sleep, report, thread->tgid, finding));
	if (finding->lock && !print_owner(report, finding))
		fputs("     mind        the function that holds the lock may be another one: see the other "
		      "lines\n", report->out);
}

/* The process of a thread of the group that waits. */
static uint32_t victim_process(const struct report *report, const struct scope_finding *finding)
{
	const struct scope_groups *groups = report->analysis->found.groups;
	size_t i;

	for (i = 0; i + 1 < groups->threads && groups->of_thread[i] != finding->victim_group; i++)
		;
	return thread_at(report, (uint32_t)i)->tgid;
}

static void print_waiters(const struct report *report, const struct scope_finding *finding)
{
	const struct scope_thread *holder = thread_at(report, finding->holder);
	const struct scope_group *group = &report->analysis->found.groups->group[finding->victim_group];
	struct scope_section_sleep_text sleep;

	fprintf(report->out,
		"     who waits   %s ×%u: %.0f %% of the excess in %s,\n"
		"                 %s by %s (tid %u)\n",
		group->name, finding->victim_threads, 100 * finding->share,
		scope_section_sleep(&sleep, report, victim_process(report, finding), finding), finding->kind == SCOPE_FINDING_LOCK ? "held" : "ended",
		holder->comm, holder->tid);
}

static int print_example(const struct report *report, const struct scope_finding *finding)
{
	struct scope_section_example example;
	int err = scope_section_example(report, finding, EXAMPLE_CALLS, &example);

	if (!err && example.slow)
		scope_format_paragraph(report->out, "     syscalls    ", example.slow);
	if (!err && example.usual)
		scope_format_paragraph(report->out, example.baseline ? "       baseline  " : "       usual     ",
				       example.usual);
	free(example.slow);
	free(example.usual);
	return err;
}

static void print_evidence(const struct report *report, const struct scope_finding *finding)
{
	char by[128], kernel[64] = "", odds[64];

	if (finding->samples)
		snprintf(kernel, sizeof(kernel), " (%.0f %% in the kernel)", 100 * finding->kernel_share);
	if (finding->by_stacks)
		snprintf(by, sizeof(by), "stacks%s: %u samples%s, %u sleeps",
			 finding->signature ? " and signature" : "", finding->samples, kernel,
			 finding->sleeps);
	else
		snprintf(by, sizeof(by), "signature: found in %u units", finding->units);
	if (!isfinite(finding->odds))
		snprintf(odds, sizeof(odds), "all of the abnormal time");
	else if (finding->odds > ODDS_TOLD)
		snprintf(odds, sizeof(odds), "odds above ×%d against usual units", ODDS_TOLD);
	else
		snprintf(odds, sizeof(odds), "odds ×%.0f against usual units", finding->odds);
	fprintf(report->out, "     evidence    %s;%s%s\n", by,
		finding->by_stacks && finding->signature ? "\n                 " : " ", odds);
}

static void print_times(const struct report *report, const struct scope_finding *finding)
{
	struct scope_text usual, p50, p95, p99;

	fprintf(report->out, "     time        usual %s; its units p50 %s, p95 %s, p99 %s\n",
		scope_format_ns(&usual, finding->usual_ns), scope_format_ns(&p50, finding->p50_ns),
		scope_format_ns(&p95, finding->p95_ns), scope_format_ns(&p99, finding->p99_ns));
	print_evidence(report, finding);
}

static int print_inside(const struct report *report, const struct scope_finding *finding)
{
	char *text;
	int err = scope_section_inside(report, finding, &text);

	if (err || !text)
		return err;
	scope_format_paragraph(report->out, "     in kernel   ", text);
	free(text);
	return 0;
}

/* Where the trace lost anything: whether it was while this showed. */
static void print_lost(const struct report *report, const struct scope_finding *finding)
{
	const struct scope_timeline *timeline = report->analysis->units->timeline;
	struct scope_text lost, came;

	if (!scope_timeline_lost(timeline) && !timeline->losses.losses)
		return;
	fputs("     lost        ", report->out);
	if (finding->lost_unknown)
		fputs("an unknown number of events while it showed\n", report->out);
	else if (finding->lost)
		fprintf(report->out, "%s events while it showed, and about %s came (%.2g %% lost)\n",
			scope_format_count(&lost, finding->lost),
			scope_format_large(&came, (uint64_t)finding->events), 100 * finding->lost_share);
	else
		fputs("no event while it showed\n", report->out);
}

int scope_section_details(const struct report *report)
{
	const struct scope_ranking *ranking = report->analysis->ranking;
	int err = 0;

	for (size_t i = 0; !err && i < ranking->findings && i < report->style->details; i++) {
		const struct scope_finding *finding = &ranking->finding[i];
		double cut;

		fprintf(report->out, "  %zu  %s%s%s\n", i + 1, scope_section_bold(report),
			scope_section_function(report, finding), scope_section_plain(report));
		if (scope_section_stuck(finding))
			print_stuck(report, finding);
		if (finding->kind == SCOPE_FINDING_LOCK || finding->kind == SCOPE_FINDING_LATE)
			print_waiters(report, finding);
		err = scope_section_source(report, finding, &cut);
		print_caller(report, finding);
		if (!err)
			err = print_chain(report, finding, cut > 0.5);
		if (!err)
			err = print_callees(report, finding);
		if (!err && finding->kind == SCOPE_FINDING_HANG)
			err = print_kernel(report, finding);
		if (err)
			break;
		if (finding->kind == SCOPE_FINDING_CALLS)
			fprintf(report->out, "     calls       %s, %.0f times as often as usual\n",
				scope_section_call(finding->nr), finding->calls_times);
		if (finding->outside)
			fprintf(report->out, "     outside     %s, %s: look at the %s first\n",
				scope_section_call(finding->nr),
				finding->asks ? "for an answer that usual requests do not ask for"
					      : "called as often as usual, takes longer",
				scope_section_outside(finding));
		if (finding->pauses)
			fputs("     mind        it sleeps by itself, as usual requests do not: a pause that clients ask for "
			      "looks the\n                 same\n", report->out);
		if (!scope_section_stuck(finding))
			print_times(report, finding);
		print_lost(report, finding);
		err = print_inside(report, finding);
		if (err)
			break;
		err = print_example(report, finding);
		fputc('\n', report->out);
	}
	return err;
}
