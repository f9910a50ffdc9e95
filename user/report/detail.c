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

#define MOST 0.5	/* share of cut stacks from which the path is marked as cut */
#define EXAMPLE_CALLS 8 /* calls of a slow unit and of a usual one */
#define KERNEL_NAMES 4	/* the innermost functions of the kernel */

const char *scope_report_section_call(uint32_t nr)
{
	const char *name = scope_syscall_name(nr);

	return nr == SCOPE_NR_NONE ? "no call" : name ? name : "unknown call";
}

const char *scope_report_section_sleep(const struct scope_model_finding *one)
{
	const struct scope_finding *finding = one->finding;

	if (finding->kind != SCOPE_FINDING_WAIT || !finding->wait.task)
		return scope_report_section_call(finding->nr);
	if (finding->wait.held)
		return "no thread, between turns of its loop";
	return scope_report_model_task_sleep(one);
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

/* Prints the callers, if stacks name any, the innermost first; at the end an ellipsis if most stacks are cut short. */
static int print_chain(const struct report *report, const struct scope_model_finding *one)
{
	const struct scope_tree *tree = &one->finding->evidence->tree;
	const size_t count = scope_report_section_callers(one);
	struct scope_paragraph line;

	if (!one->path_count)
		return 0;
	if (scope_report_paragraph_begin(&line))
		return -ENOMEM;
	if (one->below)
		fprintf(line.to, "%s ← ", one->below->name);
	for (size_t i = 0; i < count; i++) {
		const struct scope_tree_node *node = &tree->node[one->path[i]];

		fprintf(line.to, "%s%s", i ? " ← " : "",
			scope_signatures_name(report->analysis->signatures, node->function));
		print_circle(report, &node->circle, line.to);
	}
	if (one->cut_share > MOST)
		fputs(" ← …", line.to);
	return scope_report_section_detail_line(report, &line, SCOPE_LABEL_CALL_PATH);
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
	return scope_report_section_detail_line(report, &line, SCOPE_LABEL_MOST_OF_IT);
}

/* Prints where the thread sleeps in the kernel, outermost function first, or why this is not known. */
static int print_kernel(const struct report *report, const struct scope_model_finding *one)
{
	const char *name[KERNEL_NAMES];
	size_t count = 0;
	char *names;

	if (!one->kernel_stack) {
		if (one->kernel_stack_why)
			scope_report_section_detail_text(report, SCOPE_LABEL_KERNEL, one->kernel_stack_why);
		return 0;
	}
	names = strdup(one->kernel_stack);
	if (!names)
		return -ENOMEM;
	for (char *at = names, *next; (next = strsep(&at, " ")) && count < KERNEL_NAMES;)
		name[count++] = next;
	scope_report_section_detail_label(report, SCOPE_LABEL_KERNEL);
	for (size_t i = count; i-- > 0;)
		fprintf(report->out, "%s%s", name[i], i ? " → " : "\n");
	free(names);
	return 0;
}

/* True if the owner of the lock waits for a lock of this thread; false if the circle has a third thread. */
static bool waits_for_this(const struct report *report, const struct scope_model_finding *one)
{
	for (size_t i = 0; i < report->analysis->hang_count; i++)
		if (thread_at(report, report->analysis->hangs[i].thread) == one->owner.thread)
			return report->analysis->hangs[i].owner == one->finding->hang.thread;
	return false;
}

/* Prints the owner of the lock, and where that thread is. */
static void print_owner(const struct report *report, const struct scope_model_finding *one)
{
	const struct scope_model_owner *owner = &one->owner;
	char line[128];

	scope_report_section_detail_label(report,
					  owner->itself || owner->thread ? SCOPE_LABEL_OWNER : SCOPE_LABEL_MIND);
	if (owner->itself)
		fputs("itself, as the lock's memory says: it waits for a lock that it holds\n", report->out);
	else if (owner->thread)
		fprintf(report->out, "%s (tid %u), as the lock's memory says%s%s%s%s\n", owner->thread->comm,
			owner->thread->tid, owner->at ? "; it is in " : "", owner->at ? owner->at->name : "",
			scope_report_section_line_of(&owner->place, line, sizeof(line)),
			!one->finding->hang.circle    ? ""
			: waits_for_this(report, one) ? ", and waits for this one: a deadlock"
						      : ", and waits for one that waits for this one: a deadlock");
	else
		fputs("the function that holds the lock may be another one: see the other lines\n", report->out);
}

static void print_stuck(const struct report *report, const struct scope_model_finding *one)
{
	const struct scope_finding *finding = one->finding;
	const struct scope_thread *thread = thread_at(report, finding->hang.thread);
	struct scope_text age, samples;

	scope_report_section_detail_label(report, SCOPE_LABEL_WHO);
	if (scope_rank_finding_tasks(finding)) {
		fprintf(report->out, "%u %s%s of %s (pid %u), waiting for %s in %s\n", finding->hang.threads, one->who,
			finding->hang.threads == 1 ? "" : "s", thread->comm, thread->tgid,
			scope_report_format_ns(&age, finding->hang.age_ns), one->sleeps_in);
		return;
	}
	if (finding->hang.rounds) {
		fprintf(report->out, "%s (tid %u)%s, in rounds without progress for %s, %s\n", thread->comm,
			thread->tid, finding->hang.threads > 1 ? " and others" : "",
			scope_report_format_ns(&age, finding->hang.age_ns),
			scope_report_format_some(&samples, finding->samples, "sample"));
		scope_report_section_detail_text(report, SCOPE_LABEL_ROUNDS, one->rounds);
		fputc('\n', report->out);
		return;
	}
	if (finding->kind == SCOPE_FINDING_SPIN) {
		fprintf(report->out, "%s (tid %u), running for %s without a %s, %s\n", thread->comm, thread->tid,
			scope_report_format_ns(&age, finding->hang.age_ns),
			finding->hang.signals ? "call of its own" : "system call",
			scope_report_format_some(&samples, finding->samples, "sample"));
		return;
	}
	if (finding->hang.retries) {
		fprintf(report->out, "%s (tid %u)%s, asleep %u times in %s, in %s, without progress\n", thread->comm,
			thread->tid, finding->hang.threads > 1 ? " and others" : "", finding->hang.retries,
			scope_report_format_ns(&age, finding->hang.age_ns), one->sleeps_in);
		return;
	}
	fprintf(report->out, "%s (tid %u)%s, asleep for %s in %s\n", thread->comm, thread->tid,
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

	scope_report_section_detail_label(report, SCOPE_LABEL_WHO_WAITS);
	fprintf(report->out, "%s ×%u: %.0f %% of the extra time in %s,\n%*s%s by %s (tid %u)\n", group->name,
		finding->holder.victim_threads, 100 * finding->share, one->sleeps_in, SCOPE_DETAIL_LABEL, "",
		finding->kind == SCOPE_FINDING_LOCK ? "held" : "ended", holder->comm, holder->tid);
}

uint32_t scope_report_section_named_call(const struct scope_model_finding *one)
{
	const enum scope_finding_kind kind = one->finding->kind;

	if (kind == SCOPE_FINDING_TIME)
		return SCOPE_NR_NONE;
	return kind == SCOPE_FINDING_CALLS || (kind == SCOPE_FINDING_WAIT && !one->finding->wait.task)
		       ? one->finding->nr
		       : SCOPE_PATH_ANY;
}

/* One of the two paths of an example. */
static int print_path(const struct report *report, const struct scope_model_finding *one, const struct scope_path *path,
		      enum scope_report_label label)
{
	const struct scope_path_show show = { .calls = EXAMPLE_CALLS,
					      .nr = scope_report_section_named_call(one),
					      .count_rest = true };
	char *text;
	int err = scope_report_section_path(path, &show, &text);

	if (err)
		return err;
	scope_report_section_detail_text(report, label, text);
	free(text);
	return 0;
}

static int print_example(const struct report *report, const struct scope_model_finding *one)
{
	int err = one->has_slow ? print_path(report, one, &one->slow, SCOPE_LABEL_SYSCALLS) : 0;

	if (!err && one->has_usual)
		err = print_path(report, one, &one->usual,
				 one->usual_of_baseline ? SCOPE_LABEL_DETAIL_BASELINE : SCOPE_LABEL_DETAIL_NORMAL);
	return err;
}

/* "in 97 % of the slow ones' time, under 0.1 % of normal ones'" */
static const char *format_shares(struct scope_text *text, const struct scope_finding *finding)
{
	if (!(finding->of_slow > 0))
		return "in all of the slow ones' time";
	if (finding->of_usual < 0.001)
		snprintf(text->text, sizeof(text->text), "in %.0f %% of the slow ones' time, < 0.1 %% of normal ones'",
			 100 * finding->of_slow);
	else
		snprintf(text->text, sizeof(text->text), "in %.0f %% of the slow ones' time, %.*f %% of normal ones'",
			 100 * finding->of_slow, finding->of_usual < 0.1, 100 * finding->of_usual);
	return text->text;
}

static void print_evidence(const struct report *report, const struct scope_finding *finding)
{
	const char *slow = report->model->slow.requests ? "slow request" : "slow round";
	struct scope_text samples, sleeps, held, shares;
	char kernel[64] = "";

	if (finding->samples)
		snprintf(kernel, sizeof(kernel), " (%.0f %% in the kernel)", 100 * finding->kernel_share);
	scope_report_section_detail_label(report, SCOPE_LABEL_EVIDENCE);
	if (finding->by_stacks)
		fprintf(report->out, "stacks%s: %s%s, %s", finding->signature ? " and signature" : "",
			scope_report_format_some(&samples, finding->samples, "sample"), kernel,
			scope_report_format_some(&sleeps, finding->sleeps, "sleep"));
	if (finding->by_stacks && finding->held)
		fprintf(report->out, ";\n%*s%s in no thread", SCOPE_DETAIL_LABEL, "",
			scope_report_format_some(&held, finding->held, "wait"));
	if (!finding->by_stacks)
		fprintf(report->out, "signature: found in %s",
			scope_report_format_some(&samples, finding->units, slow));
	fprintf(report->out, ";\n%*s%s\n", SCOPE_DETAIL_LABEL, "", format_shares(&shares, finding));
}

static void print_times(const struct report *report, const struct scope_finding *finding)
{
	const double times = finding->usual_ns > 0 ? finding->p50_ns / finding->usual_ns : 0;
	struct scope_text usual, p50, p95, p99;
	char more[48] = "";

	if (finding->kind == SCOPE_FINDING_TIME && times > 1)
		snprintf(more, sizeof(more), ", %.*f times as long", times < 9.95, times);
	scope_report_section_detail_label(report, SCOPE_LABEL_TIME);
	fprintf(report->out, "normal %s; slow: median %s%s, p95 %s, p99 %s\n",
		scope_report_format_ns(&usual, finding->usual_ns), scope_report_format_ns(&p50, finding->p50_ns), more,
		scope_report_format_ns(&p95, finding->p95_ns), scope_report_format_ns(&p99, finding->p99_ns));
	print_evidence(report, finding);
}

static int print_inside(const struct report *report, const struct scope_model_finding *one)
{
	char *text;
	int err = scope_report_section_inside(one, &text);

	if (err || !text)
		return err;
	scope_report_section_detail_text(report, SCOPE_LABEL_IN_KERNEL, text);
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
	scope_report_section_detail_label(report, SCOPE_LABEL_LOST);
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

	if (finding->kind == SCOPE_FINDING_CALLS) {
		scope_report_section_detail_label(report, SCOPE_LABEL_CALLS);
		fprintf(report->out, "%s, %.0f times as often as usual\n", scope_report_section_call(finding->nr),
			finding->calls_times);
	}
	if (scope_rank_finding_outside(finding)) {
		scope_report_section_detail_label(report, SCOPE_LABEL_OUTSIDE);
		fprintf(report->out, "%s, %s: look at the %s first\n", scope_report_section_sleep(one),
			scope_rank_finding_asks(finding) ? "for an answer that usual requests do not ask for"
							 : "called as often as usual, takes longer",
			one->waits_for);
	}
	if (scope_rank_finding_pauses(finding)) {
		scope_report_section_detail_label(report, SCOPE_LABEL_MIND);
		fprintf(report->out,
			"it sleeps by itself, as usual requests do not: a pause that clients ask for looks the\n"
			"%*ssame\n",
			SCOPE_DETAIL_LABEL, "");
	}
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
	if (!err && one->known_caller) {
		scope_report_section_detail_label(report, SCOPE_LABEL_NO_SYMBOL);
		fprintf(report->out, "called by %s\n", one->known_caller);
	}
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
