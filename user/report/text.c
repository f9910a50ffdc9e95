// SPDX-License-Identifier: GPL-2.0-only
/* The report as text for a terminal. */
#include "report/text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/syscall_name.h"
#include "report/format.h"
#include "report/path.h"

#define DETAIL_COLUMN 17 /* where the details of a finding begin */
#define PATH_CALLS 8	 /* more make no example */

struct report {
	const struct scope_analysis *analysis;
	const struct scope_report_style *style;
	FILE *out;
};

static const char *bold(const struct report *report)
{
	return report->style->colour ? "\033[1m" : "";
}

static const char *red(const struct report *report)
{
	return report->style->colour ? "\033[1;31m" : "";
}

static const char *plain(const struct report *report)
{
	return report->style->colour ? "\033[0m" : "";
}

static const char *meta(const struct report *report, const char *key)
{
	const char *value = scope_trace_meta(report->analysis->trace, key);

	return value ? value : "?";
}

static const char *call_name(uint32_t nr)
{
	const char *name = scope_syscall_name(nr);

	return nr == SCOPE_NR_NONE ? "no call" : name ? name : "unknown call";
}

static uint32_t distinct_groups(const struct scope_units *units)
{
	uint32_t count = 0;

	for (size_t i = 0; i < units->groups; i++) {
		bool again = false;

		for (size_t j = 0; j < i; j++)
			again |= !strcmp(units->group[i].name, units->group[j].name);
		count += !again;
	}
	return count;
}

static int print_head(const struct report *report)
{
	const struct scope_units *units = report->analysis->units;
	const struct scope_timeline *timeline = units->timeline;
	uint64_t kernel_lost = scope_trace_meta_number(report->analysis->trace, SCOPE_META_LOST, 0);
	uint64_t lost = timeline->lost > kernel_lost ? timeline->lost : kernel_lost;
	struct scope_text events, losses;
	uint32_t groups = distinct_groups(units);

	fprintf(report->out,
		"scope %s · %s[%s], %zu thread%s in %u group%s · %.1f s\n"
		"Linux %s, source %s · %s events, %s lost\n\n",
		SCOPE_VERSION, meta(report, SCOPE_META_COMMAND), meta(report, SCOPE_META_PID),
		units->threads, units->threads == 1 ? "" : "s", groups, groups == 1 ? "" : "s",
		(timeline->end_ns - timeline->begin_ns) / 1e9, meta(report, SCOPE_META_KERNEL),
		meta(report, SCOPE_META_SOURCE), scope_format_large(&events, timeline->events),
		scope_format_count(&losses, lost));
	if (!strcmp(meta(report, SCOPE_META_END_REASON), "target-gone"))
		fprintf(report->out,
			"  The process ended %.1f s into the capture: this covers the time until then.\n\n",
			(timeline->end_ns - timeline->begin_ns) / 1e9);
	return 0;
}

static void print_slow(const struct report *report)
{
	const struct scope_ranking *ranking = report->analysis->ranking;
	const struct scope_finding *first = &ranking->finding[0];
	bool requests = ranking->slow_requests > 0;
	uint32_t slow = requests ? ranking->slow_requests : ranking->slow_units;
	uint32_t all = requests ? ranking->requests : ranking->units;
	struct scope_text a, b, c, d;

	fprintf(report->out,
		"%s of %s %s (%.1f %%) took too long;\n"
		"  those of the first function took %s instead of %s.\n",
		scope_format_count(&a, slow), scope_format_count(&b, all),
		requests ? "requests" : "units of work", all ? 100.0 * slow / all : 0,
		scope_format_ns(&c, first->p50_ns), scope_format_ns(&d, first->usual_ns));
}

static uint32_t hung_threads(const struct scope_ranking *ranking, enum scope_finding_kind kind)
{
	uint32_t threads = 0;

	for (size_t i = 0; i < ranking->findings; i++)
		if (ranking->finding[i].kind == kind)
			threads += ranking->finding[i].threads;
	return threads;
}

static void print_reason(const struct report *report, const char *verdict)
{
	fprintf(report->out, "%s%s ", verdict, plain(report));
	scope_format_wrapped(report->out, report->analysis->ranking->reason, strlen(verdict) + 3, 2);
	fputc('\n', report->out);
}

static int print_verdict(const struct report *report)
{
	const struct scope_ranking *ranking = report->analysis->ranking;
	const struct scope_finding *first = ranking->finding;
	struct scope_text age;
	uint32_t threads;

	fprintf(report->out, "  %s",
		ranking->verdict == SCOPE_VERDICT_NOTHING ? bold(report) : red(report));
	switch (ranking->verdict) {
	case SCOPE_VERDICT_HANG:
		threads = hung_threads(ranking, SCOPE_FINDING_HANG);
		fprintf(report->out, "HANG%s inside the program. %u thread%s %s still; the first for %s.\n",
			plain(report), threads, threads == 1 ? "" : "s",
			threads == 1 ? "stands" : "stand", scope_format_ns(&age, first->age_ns));
		break;
	case SCOPE_VERDICT_SPIN:
		threads = hung_threads(ranking, SCOPE_FINDING_SPIN);
		fprintf(report->out, "SPIN%s inside the program. %u thread%s without end, the first for %s.\n",
			plain(report), threads, threads == 1 ? " runs" : "s run",
			scope_format_ns(&age, first->age_ns));
		break;
	case SCOPE_VERDICT_SLOWDOWN:
		fprintf(report->out, "SLOWDOWN%s inside the program. ", plain(report));
		print_slow(report);
		break;
	case SCOPE_VERDICT_OUTSIDE:
		print_reason(report, "OUTSIDE THE PROGRAM.");
		break;
	case SCOPE_VERDICT_NOTHING:
		print_reason(report, "NOTHING ABNORMAL.");
		break;
	case SCOPE_VERDICT_UNKNOWN:
		print_reason(report, "NOTHING CAN BE SAID.");
		break;
	}
	fputc('\n', report->out);
	return 0;
}

static void kind_text(const struct scope_finding *finding, char *text, size_t room)
{
	double times = finding->usual_ns > 0 ? finding->p50_ns / finding->usual_ns : 0;

	switch (finding->kind) {
	case SCOPE_FINDING_HANG:
		snprintf(text, room, finding->lock ? "hung, lock" : "hung");
		break;
	case SCOPE_FINDING_SPIN:
		snprintf(text, room, "spins");
		break;
	case SCOPE_FINDING_TIME:
		snprintf(text, room, times < 9.95 ? "time ×%.1f" : "time ×%.0f", times);
		break;
	case SCOPE_FINDING_CALLS:
		snprintf(text, room, "calls ×%.0f", finding->calls_times);
		break;
	case SCOPE_FINDING_WAIT:
		snprintf(text, room, "waits");
		break;
	case SCOPE_FINDING_LOCK:
		snprintf(text, room, "holds lock");
		break;
	case SCOPE_FINDING_LATE:
		snprintf(text, room, "makes wait");
		break;
	}
}

static bool is_stuck(const struct scope_finding *finding)
{
	return finding->kind == SCOPE_FINDING_HANG || finding->kind == SCOPE_FINDING_SPIN;
}

static void print_row(const struct report *report, size_t index)
{
	const struct scope_finding *finding = &report->analysis->ranking->finding[index];
	const struct scope_function *function = finding->function;
	char kind[32], times[64];
	struct scope_text count, usual, slow;

	kind_text(finding, kind, sizeof(kind));
	if (is_stuck(finding))
		snprintf(times, sizeof(times), "for %s", scope_format_ns(&slow, finding->age_ns));
	else
		snprintf(times, sizeof(times), "%s → %s", scope_format_ns(&usual, finding->usual_ns),
			 scope_format_ns(&slow, finding->p99_ns));
	fprintf(report->out, "  %-2zu %s", index + 1, bold(report));
	scope_format_padded(report->out, function ? function->name : "(no usable stack)", 35);
	fprintf(report->out, "%s ", plain(report));
	scope_format_padded(report->out, function ? function->module : "-", 12);
	fprintf(report->out, " %3.0f %%  ", 100 * finding->share);
	scope_format_padded(report->out, kind, 11);
	fprintf(report->out, " %7s  %s\n",
		scope_format_count(&count, is_stuck(finding) ? finding->threads : finding->units),
		times);
}

static const char *confidence_name(enum scope_confidence confidence)
{
	static const char *const name[] = {"low", "medium", "high"};

	return name[confidence];
}

static int print_ranking(const struct report *report)
{
	const struct scope_ranking *ranking = report->analysis->ranking;
	size_t functions = scope_symbols_program_functions(report->analysis->symbols, 0);
	uint32_t named = 0;
	struct scope_text total;

	if (!ranking->findings)
		return 0;
	fprintf(report->out,
		"  #  function                            module       excess kind        %7s  %s\n",
		is_stuck(ranking->finding) ? "threads" : "units", "usual → p99");
	for (size_t i = 0; i < ranking->findings; i++) {
		print_row(report, i);
		named += ranking->finding[i].function != NULL;
	}
	fputs("     ", report->out);
	if (ranking->explained_ns > 0 && ranking->excess_ns > 0)
		fprintf(report->out, "explained %.0f %% of the excess · ",
			100 * ranking->explained_ns / ranking->excess_ns);
	if (functions)
		fprintf(report->out, "%u of %s program functions (%.2f %%) · ", named,
			scope_format_count(&total, functions), 100.0 * named / functions);
	fprintf(report->out, "confidence %s (n %u)\n\n",
		confidence_name(ranking->finding[0].confidence), ranking->finding[0].units);
	return 0;
}

static const struct scope_thread *thread_at(const struct report *report, uint32_t index)
{
	return scope_threads_at(report->analysis->units->timeline->threads, index);
}

static int print_chain(const struct report *report, const struct scope_finding *finding)
{
	const struct scope_tree *tree = &report->analysis->evidence->tree;
	const struct scope_function *path[SCOPE_PATH_MAX];
	unsigned count = 0;
	size_t size;
	char *line = NULL;
	FILE *to;

	for (uint32_t node = finding->node; node && count < SCOPE_PATH_MAX;
	     node = tree->node[node].parent)
		path[count++] = tree->node[node].function;
	if (!count)
		return 0;
	to = open_memstream(&line, &size);
	if (!to)
		return -ENOMEM;
	while (count--)
		fprintf(to, "%s%s", path[count]->name, count ? " → " : "");
	if (tree->node[finding->node].below)
		fprintf(to, " → %s", tree->node[finding->node].below->name);
	if (fclose(to)) {
		free(line);
		return -ENOMEM;
	}
	fputs("     call path   ", report->out);
	scope_format_wrapped(report->out, line, DETAIL_COLUMN, DETAIL_COLUMN);
	fputc('\n', report->out);
	free(line);
	return 0;
}

static void print_stuck(const struct report *report, const struct scope_finding *finding)
{
	const struct scope_thread *thread = thread_at(report, finding->thread);
	struct scope_text age;

	if (finding->kind == SCOPE_FINDING_SPIN) {
		fprintf(report->out,
			"     who         %s (tid %u), running for %s without a system call, %u samples\n",
			thread->comm, thread->tid, scope_format_ns(&age, finding->age_ns),
			finding->samples);
		return;
	}
	fprintf(report->out, "     who         %s (tid %u)%s, asleep for %s in %s(0x%" PRIx64 "%s)\n",
		thread->comm, thread->tid, finding->threads > 1 ? " and others" : "",
		scope_format_ns(&age, finding->age_ns), call_name(finding->nr), finding->object,
		finding->lock ? ", a lock" : "");
	if (finding->lock)
		fputs("     mind        the function that holds the lock may be another one: see the other "
		      "lines\n", report->out);
}

static void print_waiters(const struct report *report, const struct scope_finding *finding)
{
	const struct scope_thread *holder = thread_at(report, finding->holder);
	const struct scope_group *group = &report->analysis->units->group[finding->victim_group];

	fprintf(report->out,
		"     who waits   %s ×%u: %.0f %% of the excess in %s(0x%" PRIx64 "),\n"
		"                 %s by %s (tid %u)\n",
		group->name, finding->victim_threads, 100 * finding->share, call_name(finding->nr),
		finding->object, finding->kind == SCOPE_FINDING_LOCK ? "held" : "ended",
		holder->comm, holder->tid);
}

static int print_path(const struct report *report, const char *head, const struct scope_path *path)
{
	struct scope_text time;
	size_t shown = path->calls < PATH_CALLS ? path->calls : PATH_CALLS, size;
	char *line = NULL;
	FILE *to = open_memstream(&line, &size);

	if (!to)
		return -ENOMEM;
	for (size_t i = 0; i < shown; i++) {
		const struct scope_path_call *call = &path->call[i];

		fprintf(to, "%s%s", i ? " · " : "", call_name(call->nr));
		if (call->count > 1)
			fprintf(to, " ×%u", call->count);
		if (call->ns)
			fprintf(to, " %s", scope_format_ns(&time, call->ns));
	}
	if (shown < path->calls)
		fprintf(to, " · %zu more", path->calls - shown);
	if (fclose(to)) {
		free(line);
		return -ENOMEM;
	}
	fputs(head, report->out);
	scope_format_wrapped(report->out, path->calls ? line : "none", DETAIL_COLUMN, DETAIL_COLUMN);
	fputc('\n', report->out);
	free(line);
	return 0;
}

static int print_paths(const struct report *report, const struct scope_finding *finding)
{
	struct scope_path path[2] = {{.unit = finding->example}, {.unit = finding->usual_example}};
	size_t count = finding->usual_example == UINT32_MAX ? 1 : 2;
	int err;

	if (finding->example == UINT32_MAX)
		return 0;
	err = scope_path_collect(report->analysis->trace, report->analysis->units, path, count);
	if (!err)
		err = print_path(report, "     syscalls    ", &path[0]);
	if (!err && count > 1)
		err = print_path(report, "       usual     ", &path[1]);
	free(path[0].call);
	free(path[1].call);
	return err;
}

static void print_times(const struct report *report, const struct scope_finding *finding)
{
	struct scope_text usual, p50, p95, p99;

	fprintf(report->out, "     time        usual %s; its units p50 %s, p95 %s, p99 %s\n",
		scope_format_ns(&usual, finding->usual_ns), scope_format_ns(&p50, finding->p50_ns),
		scope_format_ns(&p95, finding->p95_ns), scope_format_ns(&p99, finding->p99_ns));
	fprintf(report->out, "     evidence    stacks: %u samples, %u sleeps; ", finding->samples,
		finding->sleeps);
	if (isfinite(finding->odds))
		fprintf(report->out, "odds in abnormal units ×%.0f those in usual ones\n",
			finding->odds);
	else
		fputs("all of the abnormal time\n", report->out);
}

static int print_details(const struct report *report)
{
	const struct scope_ranking *ranking = report->analysis->ranking;
	int err = 0;

	for (size_t i = 0; !err && i < ranking->findings && i < report->style->details; i++) {
		const struct scope_finding *finding = &ranking->finding[i];

		fprintf(report->out, "  %zu  %s%s%s\n", i + 1, bold(report),
			finding->function ? finding->function->name : "(no usable stack)",
			plain(report));
		if (is_stuck(finding))
			print_stuck(report, finding);
		if (finding->kind == SCOPE_FINDING_LOCK || finding->kind == SCOPE_FINDING_LATE)
			print_waiters(report, finding);
		err = print_chain(report, finding);
		if (err)
			break;
		if (finding->kind == SCOPE_FINDING_CALLS)
			fprintf(report->out, "     calls       %s, %.0f times as often as usual\n",
				call_name(finding->nr), finding->calls_times);
		if (!is_stuck(finding))
			print_times(report, finding);
		err = print_paths(report, finding);
		fputc('\n', report->out);
	}
	return err;
}

/* A line of the table of times: all threads of one group name. */
struct group_line {
	const char *name;
	uint32_t threads;
	double wall_ns, run_ns, queue_ns, unexplained_ns;
	double blocked_ns[SCOPE_WAIT_CLASSES];
};

static void add_thread(struct group_line *line, const struct scope_thread *thread)
{
	const struct scope_account *account = &thread->account;

	line->threads++;
	line->wall_ns += scope_account_wall(account);
	line->run_ns += account->run_ns;
	line->queue_ns += account->queue_ns;
	line->unexplained_ns += account->unknown_ns;
	for (int class = 0; class < SCOPE_WAIT_CLASSES; class++)
		line->blocked_ns[class] += account->blocked_ns[class];
	/* What the kernel's own count of CPU time says beyond ours, or ours beyond its. */
	if (thread->stopped && thread->start_run_ns)
		line->unexplained_ns += fabs((double)(thread->stop_run_ns - thread->start_run_ns) -
					     (double)account->run_ns);
}

static int print_times_table(const struct report *report)
{
	const struct scope_units *units = report->analysis->units;
	struct group_line *line = calloc(units->groups + 1, sizeof(*line));
	size_t lines = 0;

	if (!line)
		return -ENOMEM;
	for (size_t i = 0; i < units->threads; i++) {
		const char *name = units->group[units->thread[i].group].name;
		size_t at = 0;

		while (at < lines && strcmp(line[at].name, name))
			at++;
		if (at == lines)
			line[lines++].name = name;
		add_thread(&line[at], thread_at(report, i));
	}
	fputs("  where the time went     run  queue  futex    net  epoll   disk   pipe  timer  other"
	      " unexplained\n", report->out);
	for (size_t i = 0; i < lines; i++) {
		double whole = line[i].wall_ns > 0 ? line[i].wall_ns / 100 : 1;
		const double *blocked = line[i].blocked_ns;
		char name[64];

		snprintf(name, sizeof(name), "%s ×%u", line[i].name, line[i].threads);
		fputs("  ", report->out);
		scope_format_padded(report->out, name, 20);
		fprintf(report->out,
			" %4.0f %% %4.0f %% %4.0f %% %4.0f %% %4.0f %% %4.0f %% %4.0f %% "
			"%4.0f %% %4.0f %%    %5.1f %%\n",
			line[i].run_ns / whole, line[i].queue_ns / whole,
			blocked[SCOPE_WAIT_FUTEX] / whole, blocked[SCOPE_WAIT_NETWORK] / whole,
			blocked[SCOPE_WAIT_POLL] / whole, blocked[SCOPE_WAIT_DISK] / whole,
			blocked[SCOPE_WAIT_PIPE] / whole, blocked[SCOPE_WAIT_TIMER] / whole,
			(blocked[SCOPE_WAIT_CHILD] + blocked[SCOPE_WAIT_FAULT] +
			 blocked[SCOPE_WAIT_OTHER]) / whole,
			line[i].unexplained_ns / whole);
	}
	fputc('\n', report->out);
	free(line);
	return 0;
}

static int print_basis(const struct report *report)
{
	const struct scope_analysis *analysis = report->analysis;
	const struct scope_evidence *evidence = analysis->evidence;
	uint64_t skipped = scope_trace_meta_number(analysis->trace, SCOPE_META_STACKS_SKIPPED, 0);
	double z = analysis->detection->populations ? analysis->detection->population[0].z : 0;
	struct scope_text a, b, c;
	size_t problems;
	const char *const *problem;

	fprintf(report->out,
		"  basis: %s requests, %s units, %zu populations; abnormal above z %.1f and twice the\n"
		"  median; a finding needs %.0f %% of busy time, %u units, both halves of the window, and\n"
		"  odds ×%.0f and share ×%.1f against usual units. %s stacks",
		scope_format_count(&a, analysis->ranking->requests),
		scope_format_count(&b, analysis->ranking->units), analysis->detection->populations,
		z, 100 * scope_rank_defaults.excess_share, scope_rank_defaults.units_min,
		scope_rank_defaults.odds_min, scope_rank_defaults.times_min, scope_format_count(&c, evidence->stacks));
	if (evidence->stacks)
		fprintf(report->out, " (%.1f %% without a program function, %.1f %% cut short)",
			100.0 * evidence->nameless / evidence->stacks,
			100.0 * (evidence->cut + evidence->broken) / evidence->stacks);
	if (skipped)
		fprintf(report->out, ", %s not taken (limit per second)", scope_format_count(&a, skipped));
	fputs(".\n", report->out);
	if (analysis->units->discarded)
		fprintf(report->out, "  %s units were discarded because events around them were lost.\n",
			scope_format_count(&a, analysis->units->discarded));
	if (analysis->detection->sampled)
		fputs("  So many different units that a sample of them was clustered.\n", report->out);
	if (scope_trace_damage(analysis->trace)[0])
		fprintf(report->out, "  %s\n", scope_trace_damage(analysis->trace));
	problem = scope_symbols_problems(analysis->symbols, &problems);
	for (size_t i = 0; i < problems && i < 5; i++)
		fprintf(report->out, "  %s\n", problem[i]);
	return 0;
}

int scope_report_text(const struct scope_analysis *analysis, const struct scope_report_style *style,
		      FILE *out)
{
	static int (*const section[])(const struct report *) = {
		print_head, print_verdict, print_ranking, print_details, print_times_table, print_basis,
	};
	const struct report report = {analysis, style, out};

	for (size_t i = 0; i < sizeof(section) / sizeof(*section); i++) {
		int err = section[i](&report);

		if (err)
			return err;
	}
	return 0;
}
