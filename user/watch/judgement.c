// SPDX-License-Identifier: GPL-2.0-only
/* Analyses the data of a flight recorder, in a child process. */
#include "watch/judgement.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/change_point.h"
#include "base/forked.h"
#include "base/now.h"
#include "base/syscall_name.h"
#include "proc/reader.h"
#include "watch/sure.h"

#define SHARE_MIN 0.2 /* share of the excess, or of the stuck threads, that a finding needs; others are consequences */
#define POLL_MS 20

struct scope_watch_judge {
	struct scope_watch_judgement *shared;
	bool outside;
	void (*analysed)(void *context, const struct scope_analysis *analysis); /* NULL: not requested */
	void *context;
	pid_t child; /* 0: none */
	uint64_t begun_ns;
};

int scope_watch_judge_create(bool outside, struct scope_watch_judge **ret_judge)
{
	struct scope_watch_judge *judge = calloc(1, sizeof(*judge));

	if (!judge)
		return -ENOMEM;
	judge->outside = outside;
	judge->shared = mmap(NULL, sizeof(*judge->shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (judge->shared == MAP_FAILED) {
		free(judge);
		return -ENOMEM;
	}
	*ret_judge = judge;
	return 0;
}

void scope_watch_judge_listen(struct scope_watch_judge *judge,
			      void (*analysed)(void *context, const struct scope_analysis *analysis), void *context)
{
	judge->analysed = analysed;
	judge->context = context;
}

void scope_watch_judge_destroy(struct scope_watch_judge *judge)
{
	if (!judge)
		return;
	if (judge->child) {
		kill(judge->child, SIGKILL);
		waitpid(judge->child, NULL, 0);
	}
	munmap(judge->shared, sizeof(*judge->shared));
	free(judge);
}

int scope_watch_judge_analyse(const char *path, const char *root, bool variance, struct scope_analysis **ret_analysis)
{
	struct scope_analysis_options options;
	struct scope_trace *trace;
	int err = scope_trace_open(path, NULL, &trace);

	if (err)
		return err;
	scope_analysis_options_init(&options);
	options.variance = variance;
	options.symbols.root = root;
	/* The target may still run and control its files. */
	err = scope_proc_reader_create(NULL, NULL, &options.symbols.reader);
	return err ? err : scope_analysis_run(trace, &options, ret_analysis);
}

static const char *call_of(const struct scope_finding *finding)
{
	const char *name = finding->nr < SCOPE_SYSCALL_MAX ? scope_syscall_name(finding->nr) : NULL;

	return name ? name : "no call";
}

/* The innermost function of the same file with half of its excess: the first stacks may name a caller. NULL: it is the function itself. */
static const char *mostly_in(const struct scope_finding *found)
{
	const struct scope_function *inner = NULL;
	const struct scope_tree *tree;
	double all_ns;

	if (!found->function || !found->evidence || !found->node)
		return NULL;
	tree = &found->evidence->tree;
	all_ns = tree->node[found->node].total_ns;
	if (all_ns <= 0)
		return NULL;
	for (uint32_t at = found->node; (at = scope_evidence_tree_child_with(tree, at, all_ns / 2));)
		if (tree->node[at].function->known && !strcmp(tree->node[at].function->module, found->function->module))
			inner = tree->node[at].function;
	return inner && inner != found->function ? inner->name : NULL;
}

static void describe_slow(const struct scope_finding *found, const char *name, struct scope_watch_finding *finding)
{
	const char *inner = mostly_in(found);

	snprintf(finding->sentence, sizeof(finding->sentence),
		 "%.80s is slow%s%.80s: work with it takes %.3g ms, usual are %.3g ms (%u times seen)", name,
		 inner ? ", mostly in " : "", inner ? inner : "", found->p50_ns / 1e6, found->usual_ns / 1e6,
		 found->units);
}

static void describe(const struct scope_finding *found, struct scope_watch_finding *finding)
{
	const char *name = found->function ? found->function->name : "a function without a stack";
	const uint32_t threads = scope_rank_finding_stuck(found) ? found->hang.threads : 0;

	if (found->kind == SCOPE_FINDING_HANG && found->hang.tasks)
		snprintf(finding->sentence, sizeof(finding->sentence), "%s hangs, in %u %s%s", name, threads,
			 scope_rank_finding_who(found), threads == 1 ? "" : "s");
	else if (found->kind == SCOPE_FINDING_HANG)
		snprintf(finding->sentence, sizeof(finding->sentence), "%s hangs, in %s, in %u thread%s", name,
			 call_of(found), threads, threads == 1 ? "" : "s");
	else if (found->kind == SCOPE_FINDING_SPIN)
		snprintf(finding->sentence, sizeof(finding->sentence), "%s spins, in %u thread%s", name, threads,
			 threads == 1 ? "" : "s");
	else
		describe_slow(found, name, finding);
}

/* When the finding began. A slowdown begins with the change point: single slow units before it are usual. */
static uint64_t began_of(const struct scope_analysis *analysis, const struct scope_finding *found)
{
	const uint64_t end_ns = analysis->units->timeline->end_ns;

	if (scope_rank_finding_stuck(found))
		return found->hang.age_ns < end_ns && end_ns - found->hang.age_ns < found->first_ns
			       ? end_ns - found->hang.age_ns
			       : found->first_ns;
	return analysis->since_ns > found->first_ns ? analysis->since_ns : found->first_ns;
}

static void add(struct scope_watch_judgement *judgement, const struct scope_analysis *analysis,
		const struct scope_finding *found)
{
	struct scope_watch_finding *finding = &judgement->finding[judgement->findings++];

	*finding = (struct scope_watch_finding){
		.stuck = scope_rank_finding_stuck(found),
		.sure = scope_watch_is_sure(found),
		.began_ns = began_of(analysis, found),
	};
	snprintf(finding->kind, sizeof(finding->kind), "%s", scope_rank_kind_name[found->kind]);
	if (found->function) {
		snprintf(finding->function, sizeof(finding->function), "%s", found->function->name);
		snprintf(finding->module, sizeof(finding->module), "%s", found->function->module);
	} else {
		snprintf(finding->function, sizeof(finding->function), "[%s in %s]", scope_rank_kind_name[found->kind],
			 call_of(found));
	}
	describe(found, finding);
}

/*
 * When work became slow, if no function is the cause: the analysis finds none in the time after a change. Without a
 * change it is the begin of the recorder's memory.
 */
static uint64_t changed_of(const struct scope_analysis *analysis)
{
	uint64_t since_ns = analysis->since_ns;

	if (!since_ns && scope_analysis_change_point_find(analysis->kept, analysis->detection, analysis->rank.times_min,
							  analysis->rank.chance_z, &since_ns))
		since_ns = 0;
	return since_ns ? since_ns : analysis->units->timeline->begin_ns;
}

/* reason: a sentence. */
static void add_outside(struct scope_watch_judgement *judgement, const struct scope_analysis *analysis,
			const char *reason)
{
	struct scope_watch_finding *finding = &judgement->finding[judgement->findings++];

	*finding = (struct scope_watch_finding){
		.function = SCOPE_WATCH_OUTSIDE,
		.kind = "outside",
		.began_ns = changed_of(analysis),
	};
	snprintf(finding->sentence, sizeof(finding->sentence), "%.250s", reason);
}

static void fill(const struct scope_watch_judge *judge, const struct scope_analysis *analysis,
		 struct scope_watch_judgement *judgement)
{
	const struct scope_ranking *ranking = analysis->ranking;

	if (judge->outside && ranking->verdict == SCOPE_VERDICT_OUTSIDE)
		add_outside(judgement, analysis, ranking->reason);
	else if (judge->outside && ranking->outside[0])
		add_outside(judgement, analysis, ranking->outside);
	if (ranking->verdict == SCOPE_VERDICT_NOTHING || ranking->verdict == SCOPE_VERDICT_UNKNOWN ||
	    ranking->verdict == SCOPE_VERDICT_OUTSIDE)
		return;
	for (size_t i = 0; i < ranking->findings && judgement->findings < SCOPE_WATCH_FINDINGS; i++) {
		const struct scope_finding *found = &ranking->finding[i];

		if (found->share >= SHARE_MIN && !scope_rank_finding_unsure(found) &&
		    !scope_rank_finding_outside(found))
			add(judgement, analysis, found);
	}
}

/* The work of the child. */
static void judge_in_child(const struct scope_watch_judge *judge, int trace_fd, const char *root)
{
	const struct rlimit cpu = { SCOPE_WATCH_JUDGE_CPU_S, SCOPE_WATCH_JUDGE_CPU_S };
	struct scope_watch_judgement *judgement = judge->shared;
	struct scope_analysis *analysis;
	struct rusage used;
	char path[64];

	setrlimit(RLIMIT_CPU, &cpu);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", trace_fd);
	judgement->err = scope_watch_judge_analyse(path, root, false, &analysis);
	if (!judgement->err)
		fill(judge, analysis, judgement);
	if (!judgement->err && judge->analysed)
		judge->analysed(judge->context, analysis);
	getrusage(RUSAGE_SELF, &used);
	judgement->cpu_ns = (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000000ull +
			    (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1000ull;
	_exit(0);
}

int scope_watch_judge_begin(struct scope_watch_judge *judge, int trace_fd, const char *root)
{
	pid_t child;

	memset(judge->shared, 0, sizeof(*judge->shared));
	/* This value stays if the child does not end normally. */
	judge->shared->err = -ECHILD;
	judge->shared->cpu_ns = SCOPE_WATCH_JUDGE_CPU_S * 1000000000ull;
	child = scope_forked();
	if (!child)
		judge_in_child(judge, trace_fd, root);
	if (child < 0)
		return -errno;
	judge->child = child;
	judge->begun_ns = scope_now_ns();
	return 0;
}

bool scope_watch_judge_runs(const struct scope_watch_judge *judge)
{
	return judge->child;
}

bool scope_watch_judge_end(struct scope_watch_judge *judge, unsigned wait_ms,
			   struct scope_watch_judgement *ret_judgement)
{
	if (!judge->child)
		return false;
	while (waitpid(judge->child, NULL, WNOHANG) != judge->child) {
		scope_forked_hurry(judge->child, scope_now_ns() - judge->begun_ns);
		if (!wait_ms)
			return false;
		poll(NULL, 0, POLL_MS);
		wait_ms -= wait_ms < POLL_MS ? wait_ms : POLL_MS;
	}
	judge->child = 0;
	*ret_judgement = *judge->shared;
	return true;
}
