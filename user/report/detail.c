// SPDX-License-Identifier: GPL-2.0-only
/* Prints the first findings in full: threads, calls, times. */
#include "report/section.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/syscall_name.h"
#include "report/numbers.h"

#define ODDS_MAX 1000	/* above it the figure depends on very few usual stacks */
#define MOST 0.5	/* share of cut stacks from which the path is marked as cut */
#define EXAMPLE_CALLS 8 /* of a slow unit and a usual one */
#define KERNEL_NAMES 4	/* the innermost functions of the kernel */

const char *scope_report_section_call(uint32_t nr)
{
	const char *name = scope_syscall_name(nr);

	return nr == SCOPE_NR_NONE ? "no call" : name ? name : "unknown call";
}

static const struct scope_thread *thread_at(const struct report *report, uint32_t index)
{
	return scope_timeline_threads_at(report->analysis->units->timeline->threads, index);
}

/* For a recursive function, which is on a path only once: prints the functions of the recursion. */
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

/* Prints the callers, if stacks name any; first an ellipsis if most stacks do not reach the start of the thread. */
static int print_chain(const struct report *report, const struct scope_model_finding *one)
{
	const struct scope_tree *tree = &one->finding->evidence->tree;
	struct scope_paragraph line;

	if (!one->path_count)
		return 0;
	if (scope_report_paragraph_begin(&line))
		return -ENOMEM;
	if (one->cut_share > MOST)
		fputs("… → ", line.to);
	for (size_t i = one->path_count; i--;) {
		const struct scope_tree_node *node = &tree->node[one->path[i]];

		fputs(scope_signatures_name(report->analysis->signatures, node->function), line.to);
		print_circle(report, &node->circle, line.to);
		fputs(i ? " → " : "", line.to);
	}
	if (one->below)
		fprintf(line.to, " → %s", one->below->name);
	return scope_report_section_line(report, &line, "     call path   ");
}

/* The callee with most of its excess, and so on down. */
static int print_callees(const struct report *report, const struct scope_model_finding *one)
{
	const struct scope_tree *tree = &one->finding->evidence->tree;
	struct scope_paragraph line;

	if (!one->most_count)
		return 0;
	if (scope_report_paragraph_begin(&line))
		return -ENOMEM;
	for (size_t i = 0; i < one->most_count; i++)
		fprintf(line.to, "%s%s", i ? " → " : "in ",
			scope_signatures_name(report->analysis->signatures, tree->node[one->most[i]].function));
	fprintf(line.to, " (%.0f %%)", 100 * one->most_share);
	return scope_report_section_line(report, &line, "     most of it  ");
}

/* Prints where the thread sleeps in the kernel, outermost function first, or why this is not known. */
static int print_kernel(const struct report *report, const struct scope_model_finding *one)
{
	const char *name[KERNEL_NAMES];
	size_t count = 0;
	char *names;

	if (!one->kernel_stack) {
		if (one->kernel_stack_why)
			scope_report_section_paragraph(report, "     kernel      ", one->kernel_stack_why);
		return 0;
	}
	names = strdup(one->kernel_stack);
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

/* Prints the owner of the lock, and where that thread is. */
static void print_owner(const struct report *report, const struct scope_model_finding *one)
{
	const struct scope_model_owner *owner = &one->owner;
	char line[128];

	if (owner->itself)
		fputs("     owner       itself, as the lock's memory says: it waits for a lock that it holds\n",
		      report->out);
	else if (owner->thread)
		fprintf(report->out, "     owner       %s (tid %u), as the lock's memory says%s%s%s%s\n",
			owner->thread->comm, owner->thread->tid, owner->at ? "; it is in " : "",
			owner->at ? owner->at->name : "",
			scope_report_section_line_of(&owner->place, line, sizeof(line)),
			one->finding->hang.circle ? ", and waits for this one: a deadlock" : "");
	else
		fputs("     mind        the function that holds the lock may be another one: see the other "
		      "lines\n",
		      report->out);
}

static void print_stuck(const struct report *report, const struct scope_model_finding *one)
{
	const struct scope_finding *finding = one->finding;
	const struct scope_thread *thread = thread_at(report, finding->hang.thread);
	struct scope_text age;

	if (finding->hang.rounds) {
		fprintf(report->out, "     who         %s (tid %u)%s, in rounds without progress for %s, %u samples\n",
			thread->comm, thread->tid, finding->hang.threads > 1 ? " and others" : "",
			scope_report_format_ns(&age, finding->hang.age_ns), finding->samples);
		scope_report_section_paragraph(report, "     rounds      ", one->rounds);
		fputc('\n', report->out);
		return;
	}
	if (finding->kind == SCOPE_FINDING_SPIN) {
		fprintf(report->out, "     who         %s (tid %u), running for %s without a system call, %u samples\n",
			thread->comm, thread->tid, scope_report_format_ns(&age, finding->hang.age_ns),
			finding->samples);
		return;
	}
	fprintf(report->out, "     who         %s (tid %u)%s, asleep for %s in %s\n", thread->comm, thread->tid,
		finding->hang.threads > 1 ? " and others" : "", scope_report_format_ns(&age, finding->hang.age_ns),
		one->sleeps_in);
	if (finding->hang.lock)
		print_owner(report, one);
}

static void print_waiters(const struct report *report, const struct scope_model_finding *one)
{
	const struct scope_finding *finding = one->finding;
	const struct scope_thread *holder = thread_at(report, finding->holder.thread);
	const struct scope_group *group = &report->analysis->found.groups->group[finding->holder.victim_group];

	fprintf(report->out,
		"     who waits   %s ×%u: %.0f %% of the excess in %s,\n"
		"                 %s by %s (tid %u)\n",
		group->name, finding->holder.victim_threads, 100 * finding->share, one->sleeps_in,
		finding->kind == SCOPE_FINDING_LOCK ? "held" : "ended", holder->comm, holder->tid);
}

/* One of the two paths of an example. */
static int print_path(const struct report *report, const struct scope_path *path, const char *head)
{
	char *text;
	int err = scope_report_section_path(path, EXAMPLE_CALLS, &text);

	if (err)
		return err;
	scope_report_section_paragraph(report, head, text);
	free(text);
	return 0;
}

static int print_example(const struct report *report, const struct scope_model_finding *one)
{
	int err = one->has_slow ? print_path(report, &one->slow, "     syscalls    ") : 0;

	if (!err && one->has_usual)
		err = print_path(report, &one->usual,
				 one->usual_of_baseline ? "       baseline  " : "       usual     ");
	return err;
}

static void print_evidence(const struct report *report, const struct scope_finding *finding)
{
	char by[128], kernel[64] = "", odds[64];

	if (finding->samples)
		snprintf(kernel, sizeof(kernel), " (%.0f %% in the kernel)", 100 * finding->kernel_share);
	if (finding->by_stacks)
		snprintf(by, sizeof(by), "stacks%s: %u samples%s, %u sleeps",
			 finding->signature ? " and signature" : "", finding->samples, kernel, finding->sleeps);
	else
		snprintf(by, sizeof(by), "signature: found in %u units", finding->units);
	if (!isfinite(finding->odds))
		snprintf(odds, sizeof(odds), "all of the abnormal time");
	else if (finding->odds > ODDS_MAX)
		snprintf(odds, sizeof(odds), "odds above ×%d against usual units", ODDS_MAX);
	else
		snprintf(odds, sizeof(odds), "odds ×%.0f against usual units", finding->odds);
	fprintf(report->out, "     evidence    %s;%s%s\n", by,
		finding->by_stacks && finding->signature ? "\n                 " : " ", odds);
}

static void print_times(const struct report *report, const struct scope_finding *finding)
{
	struct scope_text usual, p50, p95, p99;

	fprintf(report->out, "     time        usual %s; its units p50 %s, p95 %s, p99 %s\n",
		scope_report_format_ns(&usual, finding->usual_ns), scope_report_format_ns(&p50, finding->p50_ns),
		scope_report_format_ns(&p95, finding->p95_ns), scope_report_format_ns(&p99, finding->p99_ns));
	print_evidence(report, finding);
}

static int print_inside(const struct report *report, const struct scope_model_finding *one)
{
	char *text;
	int err = scope_report_section_inside(one, &text);

	if (err || !text)
		return err;
	scope_report_section_paragraph(report, "     in kernel   ", text);
	free(text);
	return 0;
}

/* If the trace has losses, prints if any were during this finding. */
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
			scope_report_format_count(&lost, finding->lost),
			scope_report_format_large(&came, (uint64_t)finding->events), 100 * finding->lost_share);
	else
		fputs("no event while it showed\n", report->out);
}

/* Prints what the function does, and if it is itself the cause. */
static void print_doing(const struct report *report, const struct scope_model_finding *one)
{
	const struct scope_finding *finding = one->finding;

	if (finding->kind == SCOPE_FINDING_CALLS)
		fprintf(report->out, "     calls       %s, %.0f times as often as usual\n",
			scope_report_section_call(finding->nr), finding->calls_times);
	if (scope_rank_finding_outside(finding))
		fprintf(report->out, "     outside     %s, %s: look at the %s first\n",
			scope_report_section_call(finding->nr),
			scope_rank_finding_asks(finding) ? "for an answer that usual requests do not ask for"
							 : "called as often as usual, takes longer",
			one->waits_for);
	if (scope_rank_finding_pauses(finding))
		fputs("     mind        it sleeps by itself, as usual requests do not: a pause that clients ask for "
		      "looks the\n                 same\n",
		      report->out);
	if (!one->stuck)
		print_times(report, finding);
	print_lost(report, finding);
}

static int print_finding(const struct report *report, const struct scope_model_finding *one)
{
	const struct scope_finding *finding = one->finding;
	int err;

	if (one->stuck)
		print_stuck(report, one);
	if (finding->kind == SCOPE_FINDING_LOCK || finding->kind == SCOPE_FINDING_LATE)
		print_waiters(report, one);
	err = scope_report_section_source(report, one);
	if (!err && one->known_caller)
		fprintf(report->out, "     no symbol   called by %s\n", one->known_caller);
	if (!err)
		err = print_chain(report, one);
	if (!err)
		err = print_callees(report, one);
	if (!err && finding->kind == SCOPE_FINDING_HANG)
		err = print_kernel(report, one);
	if (!err)
		print_doing(report, one);
	if (!err)
		err = print_inside(report, one);
	if (!err)
		err = print_example(report, one);
	return err;
}

int scope_report_section_detail(const struct report *report, size_t index)
{
	const struct scope_model_finding *one = &report->model->finding[index];
	int err;

	fprintf(report->out, "  %zu  %s%s%s\n", index + 1, scope_report_section_bold(report),
		scope_report_section_function(one), scope_report_section_plain(report));
	err = print_finding(report, one);
	fputc('\n', report->out);
	return err;
}

int scope_report_section_details(const struct report *report)
{
	const size_t findings = report->analysis->ranking->findings;
	int err = 0;

	for (size_t i = 0; !err && i < findings && i < report->style->details; i++)
		err = scope_report_section_detail(report, i);
	return err;
}
