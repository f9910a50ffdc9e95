// SPDX-License-Identifier: GPL-2.0-only
/* Makes the answer in a sentence or two. */
#include "report/answer.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "report/numbers.h"
#include "report/freezes.h"
#include "report/section.h"
#include "report/uneven.h"
#include "report/waits_text.h"

/* Writes "4.8 ms instead of 0.11 ms". */
static void write_times(const struct scope_finding *finding, FILE *to)
{
	struct scope_text slow, usual;

	fprintf(to, "%s %s instead of %s", finding->units == 1 ? "takes" : "take",
		scope_report_format_ns(&slow, finding->p50_ns), scope_report_format_ns(&usual, finding->usual_ns));
}

#define NAME_COLUMNS 76 /* no rule: a longer name of Go is written without the path of its package */
#define CIRCLE_MAX 4	/* threads that are named */

static const struct scope_hang *hang_of(const struct scope_analysis *analysis, uint32_t thread)
{
	for (size_t i = 0; i < analysis->hang_count; i++)
		if (analysis->hangs[i].thread == thread)
			return &analysis->hangs[i];
	return NULL;
}

/*
 * Writes the threads of which each waits for a lock of the next one: "a (tid 1) → b (tid 2) → a". Nothing if they are
 * not known.
 */
static void write_circle(const struct scope_analysis *analysis, const struct scope_finding *finding, FILE *to)
{
	struct scope_threads *threads = analysis->units->timeline->threads;
	const struct scope_hang *first = hang_of(analysis, finding->hang.thread), *hang = first;
	size_t count = 0;

	if (!first || !first->circle)
		return;
	do {
		const struct scope_thread *thread = scope_timeline_threads_at(threads, hang->thread);

		if (count < CIRCLE_MAX)
			fprintf(to, "%s%s (tid %u)", count ? " → " : ", ", thread->comm, thread->tid);
		hang = hang_of(analysis, hang->owner);
	} while (++count < analysis->hang_count && hang && hang != first);
	fprintf(to, "%s → %s", count > CIRCLE_MAX ? " → …" : "",
		scope_timeline_threads_at(threads, first->thread)->comm);
}

/* Writes the reason why the thread is not idle, or that it may be idle. */
static void write_why_stuck(const struct scope_model *model, const struct scope_finding *finding, FILE *to)
{
	if (finding->hang.unread)
		fprintf(to, ", while bytes that clients sent wait in %u socket%s", finding->hang.unread,
			finding->hang.unread == 1 ? "" : "s");
	if (finding->hang.circle) {
		fputs(": a deadlock", to);
		write_circle(model->analysis, finding, to);
	} else if (finding->hang.unsure) {
		fputs(finding->hang.threads > 1 && finding->hang.tasks ? "; they may be idle" : "; it may be idle", to);
	}
	fputc('.', to);
}

static void write_stuck(const struct scope_model *model, const struct scope_model_finding *one, FILE *to)
{
	const struct scope_finding *finding = one->finding;
	const struct scope_thread *thread =
		scope_timeline_threads_at(model->analysis->units->timeline->threads, finding->hang.thread);
	struct scope_text age, tries;

	if (scope_rank_finding_tasks(finding)) {
		fprintf(to, "%u %s%s waited in %s%s for %s", finding->hang.threads, one->who,
			finding->hang.threads == 1 ? " has" : "s have", one->sleeps_in,
			finding->hang.threads == 1 ? "" : ", the first",
			scope_report_format_ns(&age, finding->hang.age_ns));
		write_why_stuck(model, finding, to);
		return;
	}
	if (finding->hang.rounds) {
		fprintf(to, "thread %s (tid %u) has turned for %s without progress: %s.", thread->comm, thread->tid,
			scope_report_format_ns(&age, finding->hang.age_ns), one->rounds);
		return;
	}
	if (finding->kind == SCOPE_FINDING_SPIN) {
		fprintf(to, "thread %s (tid %u) has run for %s without a system call%s.", thread->comm, thread->tid,
			scope_report_format_ns(&age, finding->hang.age_ns),
			finding->hang.signals ? " but those of signal handlers" : "");
		return;
	}
	if (finding->hang.backlog) {
		fprintf(to,
			"thread %s (tid %u) waits for its client in %s, while %u connection%s %s to be accepted, for %s.",
			thread->comm, thread->tid, one->sleeps_in, finding->hang.backlog,
			finding->hang.backlog == 1 ? "" : "s", finding->hang.backlog == 1 ? "waits" : "wait",
			scope_report_format_ns(&age, finding->hang.age_ns));
		return;
	}
	if (finding->hang.retries) {
		fprintf(to, "thread %s (tid %u) has slept and tried again %s times in %s, in %s", thread->comm,
			thread->tid, scope_report_format_count(&tries, finding->hang.retries),
			scope_report_format_ns(&age, finding->hang.age_ns), one->sleeps_in);
		write_why_stuck(model, finding, to);
		return;
	}
	fprintf(to, "thread %s (tid %u) has slept for %s in %s", thread->comm, thread->tid,
		scope_report_format_ns(&age, finding->hang.age_ns), one->sleeps_in);
	if (finding->hang.threads > 1)
		fprintf(to, ", and %u other%s", finding->hang.threads - 1,
			finding->hang.threads > 2 ? "s too" : " too");
	if (one->owner.itself)
		fputs(", which it holds itself: a deadlock.", to);
	else
		write_why_stuck(model, finding, to);
}

static void write_waiters(const struct scope_model *model, const struct scope_finding *finding, FILE *to)
{
	const struct scope_group *group = &model->analysis->found.groups->group[finding->holder.victim_group];

	if (finding->holder.victim_threads > 1)
		fprintf(to, "%u %s threads", finding->holder.victim_threads, group->name);
	else
		fprintf(to, "thread %s", group->name);
}

/* The object for which a request waits in no thread, with a comma. */
static const char *held_for(const struct scope_finding *finding)
{
	if (!finding->wait.held)
		return "";
	switch (finding->wait.class) {
	case SCOPE_WAIT_TIMER:
		return ", for a timer";
	case SCOPE_WAIT_NETWORK:
		return ", for a peer";
	case SCOPE_WAIT_PIPE:
		return ", for another thread or process";
	default:
		return "";
	}
}

static void write_finding(const struct scope_model *model, const struct scope_model_finding *one, FILE *to)
{
	const struct scope_finding *finding = one->finding;
	const char *call = scope_report_section_sleep(one);
	struct scope_text times;

	fprintf(to, "%s",
		!one->name			   ? "(no usable stack)"
		: strlen(one->name) > NAME_COLUMNS ? scope_report_section_last_name(one->name)
						   : one->name);
	if (one->known_caller)
		fprintf(to, " (called by %s)", one->known_caller);
	else if (finding->function && scope_rank_is_unknown_code(finding->function))
		fputs(" (code made at run time)", to);
	switch (finding->kind) {
	case SCOPE_FINDING_HANG:
	case SCOPE_FINDING_SPIN:
		fputs(": ", to);
		write_stuck(model, one, to);
		return;
	case SCOPE_FINDING_TIME:
		fputs(" runs longer", to);
		break;
	case SCOPE_FINDING_CALLS:
		fprintf(to, " calls %s %s times as often as usual", call,
			scope_report_format_count(&times, (uint64_t)(finding->calls_times + 0.5)));
		break;
	case SCOPE_FINDING_WAIT:
		if (finding->wait.asks)
			fprintf(to, " asks a %s that usual requests do not ask, in %s", one->waits_for, call);
		else if (finding->wait.outside)
			fprintf(to, " waits for a slow %s, in %s", one->waits_for, call);
		else
			fprintf(to, " %s longer, in %s%s", finding->wait.task ? "waits" : "sleeps", call,
				held_for(finding));
		break;
	case SCOPE_FINDING_LOCK:
		fputs(" holds a lock that ", to);
		write_waiters(model, finding, to);
		fputs(finding->holder.victim_threads > 1 ? " wait for" : " waits for", to);
		break;
	case SCOPE_FINDING_LATE:
		fputs(" keeps ", to);
		write_waiters(model, finding, to);
		fputs(" waiting", to);
		break;
	}
	if (finding->units == 1)
		fprintf(to, ": the slow %s ", model->slow.requests ? "request" : "round of work");
	else
		fprintf(to, ": the slow %s ", model->slow.requests ? "requests" : "rounds of work");
	write_times(finding, to);
	fputc('.', to);
}

static void write_freezes(const struct scope_model *model, FILE *to)
{
	struct scope_freezes_text freezes;

	fprintf(to, "%s ", scope_report_freezes_name(&freezes, model->analysis));
}

static void write_since(const struct scope_model *model, FILE *to)
{
	const struct scope_analysis *analysis = model->analysis;
	const time_t seconds = (time_t)(model->since_wall_ns / 1000000000);
	char when[40] = "";
	struct scope_text length;
	struct tm tm;

	if (!model->since_ns)
		return;
	if (analysis->since_ns == analysis->units->timeline->begin_ns) {
		fprintf(to, " Compared with the %s before.",
			scope_report_format_window(&length, (uint64_t)(1e9 * model->part.from_s)));
		return;
	}
	if (model->since_wall_ns && gmtime_r(&seconds, &tm))
		strftime(when, sizeof(when), ", at %H:%M:%S UTC", &tm);
	fprintf(to, " It began %s into the window%s.",
		scope_report_format_window(&length, analysis->since_ns - analysis->units->timeline->begin_ns), when);
}

#define PACE_SAID 1.25 /* no rule: if calls take this many times as long, the machine became slower */

/* This is written even if no function is found, because requests that take longer and longer are not normal. */
static void write_growth(const struct scope_model *model, FILE *to)
{
	const struct scope_analysis *analysis = model->analysis;
	struct scope_text first, last;

	if (analysis->growth.last_ns <= 0)
		return;
	fprintf(to, " %s take longer and longer: %s at the beginning of the window, %s at its end%s",
		analysis->ranking->findings ? "They"
		: model->slow.requests	    ? "Requests"
					    : "Rounds of work",
		scope_report_format_ns(&first, analysis->growth.first_ns),
		scope_report_format_ns(&last, analysis->growth.last_ns), analysis->pace >= PACE_SAID ? "; " : ".");
	if (analysis->pace >= PACE_SAID)
		fprintf(to,
			"calls that do the same take %.1f times as long, too, so the machine became slower or busier.",
			analysis->pace);
}

static void write_left_out(const struct scope_model *model, FILE *to)
{
	const size_t left_out = model->analysis->ranking->findings ? model->part.left_out : 0;

	if (left_out)
		fprintf(to,
			left_out == 1 ? " %zu finding of another kind is left out."
				      : " %zu findings of other kinds are left out.",
			left_out);
}

#define UNANSWERED_TIMES 10 /* 99th percentiles of requests: an answer that takes as long is overdue */

/*
 * In an event loop unanswered requests keep no thread, so they are no hang of a thread. It is not known for what they
 * wait; it may be another client.
 */
static void write_unanswered(const struct scope_model *model, FILE *to)
{
	const struct scope_distributions *distributions = model->analysis->found.distributions;
	const struct scope_unanswered *unanswered = &distributions->run->unanswered;
	const double age_ns = (double)(distributions->run->timeline->end_ns - unanswered->first_ns);
	struct scope_text age;

	if (!unanswered->requests || model->analysis->ranking->verdict == SCOPE_VERDICT_HANG)
		return;
	for (size_t i = 0; i < distributions->groups; i++)
		if (distributions->group[i].asked &&
		    scope_sketch_quantile(&distributions->group[i].request_wall, 0.99) * UNANSWERED_TIMES > age_ns)
			return;
	if (unanswered->requests == 1)
		fprintf(to, " A request that came %s before the end has no answer, and its loop serves others.",
			scope_report_format_ns(&age, age_ns));
	else
		fprintf(to,
			" %" PRIu32
			" requests have no answer, the first of which came %s before the end, and their loop serves others.",
			unanswered->requests, scope_report_format_ns(&age, age_ns));
}

/* Writes the limits of the whole capture. */
static void write_end(const struct scope_model *model, FILE *to)
{
	const char *end = scope_trace_meta(model->analysis->trace, SCOPE_META_END_REASON);
	const char *guard = scope_trace_meta(model->analysis->trace, SCOPE_META_GUARD);

	if (end && !strcmp(end, "target-gone"))
		fputs(" The process ended during the capture.", to);
	if (end && !strcmp(end, "guard"))
		fprintf(to, " The overload guard stopped the capture: %s.", guard ? guard : "?");
}

const char *scope_report_headline(const struct scope_model *model)
{
	static const char *const word[] = {
		[SCOPE_VERDICT_NOTHING] = "NOTHING ABNORMAL",
		[SCOPE_VERDICT_HANG] = "HANG",
		[SCOPE_VERDICT_SPIN] = "SPIN",
		[SCOPE_VERDICT_FREEZES] = "FREEZES",
		[SCOPE_VERDICT_SLOWDOWN] = "SLOWDOWN",
		[SCOPE_VERDICT_OUTSIDE] = "SLOWDOWN outside",
		[SCOPE_VERDICT_UNKNOWN] = "NOTHING CAN BE SAID",
	};

	if (scope_report_is_bottleneck(model->analysis))
		return "BOTTLENECK";
	if (scope_report_uneven_answer(model->analysis))
		return "UNEVEN THREADS";
	if (model->analysis->ranking->decided == SCOPE_DECIDED_BY_NONE)
		return "NOTHING OF THIS KIND";
	return word[model->outside ? SCOPE_VERDICT_OUTSIDE : model->analysis->ranking->verdict];
}

bool scope_report_names_first(const struct scope_ranking *ranking)
{
	return ranking->findings && ranking->verdict != SCOPE_VERDICT_OUTSIDE &&
	       ranking->verdict != SCOPE_VERDICT_NOTHING;
}

int scope_report_answer(const struct scope_model *model, char **ret_text)
{
	const struct scope_ranking *ranking = model->analysis->ranking;
	struct scope_waits_text bottleneck;
	struct scope_uneven_text uneven;
	struct scope_paragraph line;

	if (scope_report_paragraph_begin(&line))
		return -ENOMEM;
	if (model->triggered.why)
		fprintf(line.to, "Recorded because of %s. ", model->triggered.why);
	if (ranking->verdict == SCOPE_VERDICT_FREEZES)
		write_freezes(model, line.to);
	if (scope_report_names_first(ranking))
		write_finding(model, model->finding, line.to);
	else if (scope_report_is_bottleneck(model->analysis))
		fputs(scope_report_bottleneck(&bottleneck, model->analysis, model->analysis->waits->bottleneck),
		      line.to);
	else if (scope_report_uneven_answer(model->analysis))
		fputs(scope_report_uneven(&uneven, model->analysis, scope_report_uneven_answer(model->analysis)),
		      line.to);
	else
		fputs(ranking->reason, line.to);
	if (ranking->findings)
		write_since(model, line.to);
	write_growth(model, line.to);
	write_left_out(model, line.to);
	if (scope_trace_window_to(model->analysis->trace) == UINT64_MAX) {
		write_unanswered(model, line.to);
		write_end(model, line.to);
	}
	return scope_report_paragraph_end(&line, ret_text);
}
