// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes the facts of one finding: the object of its waits, its callers, its places in the source and the kernel, an
 * example.
 */
#include "report/model.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "anomaly/lock_owner.h"
#include "base/syscall_name.h"
#include "evidence/hop.h"
#include "evidence/stuck_tasks.h"
#include "report/object.h"
#include "report/rounds.h"
#include "report/source_lines.h"

#define MOST 0.5       /* share of the excess below it: a callee with this is shown */
#define KERNEL_MIN 0.2 /* share of the running time: with less the kernel is not reported */

static const struct scope_thread *thread_at(const struct scope_analysis *analysis, uint32_t index)
{
	return scope_timeline_threads_at(analysis->units->timeline->threads, index);
}

static void make_path(struct scope_model_finding *one)
{
	const struct scope_tree *tree = &one->finding->evidence->tree;

	for (uint32_t node = one->finding->node; node && one->path_count < SCOPE_PATH_MAX;
	     node = tree->node[node].parent)
		one->path[one->path_count++] = node;
}

/* The path of a hung thread, if its stack ends at the node. */
static void make_below(struct scope_model_finding *one)
{
	const struct scope_finding *finding = one->finding;
	const struct scope_stopped_stack *stopped_stack;

	one->below = scope_evidence_hop_find(finding->evidence, finding->node);
	if (finding->kind != SCOPE_FINDING_HANG)
		return;
	if (finding->hang.tasks) {
		one->below = finding->hang.tasks->waits;
		return;
	}
	stopped_stack = &finding->evidence->stopped_stack[finding->hang.thread];
	if (stopped_stack->node == finding->node)
		one->below = stopped_stack->below;
}

/* A function of a stripped file has no name; its caller is more useful than its address. */
static void make_known_caller(struct scope_model_finding *one)
{
	const struct scope_tree *tree = &one->finding->evidence->tree;
	const struct scope_function *function = one->finding->function;
	uint32_t node = one->finding->node;

	/* True if signatures give it another name than symbols. */
	if (!function || function->known || one->name != function->name)
		return;
	while (node && !tree->node[node].function->known)
		node = tree->node[node].parent;
	if (node)
		one->known_caller = tree->node[node].function->name;
}

/* From the finding's node down, the callee with most of the excess at each step. */
static void make_most(struct scope_model_finding *one)
{
	const struct scope_tree *tree = &one->finding->evidence->tree;
	const double all_ns = tree->node[one->finding->node].total_ns;
	uint32_t at = one->finding->node;

	while (at && all_ns > 0 && one->most_count < SCOPE_PATH_MAX && !one->stuck) {
		at = scope_evidence_tree_child_with(tree, at, MOST * all_ns);
		if (at)
			one->most[one->most_count++] = at;
	}
	if (one->most_count)
		one->most_share = fmin(1, tree->node[one->most[one->most_count - 1]].total_ns / all_ns);
}

/* The node in the evidence at which the stack of the hung thread or task begins. */
static uint32_t stopped_frames(const struct scope_analysis *analysis, const struct scope_finding *finding)
{
	if (finding->kind != SCOPE_FINDING_HANG)
		return SCOPE_PLACE_OF_ITEMS;
	return finding->hang.tasks ? finding->hang.tasks->node.frames
				   : analysis->evidence->stopped_stack[finding->hang.thread].frames;
}

static int make_places(const struct scope_analysis *analysis, struct scope_model_finding *one)
{
	const struct scope_finding *finding = one->finding;

	if (!finding->function || !finding->by_stacks)
		return 0;
	return scope_evidence_places_find(analysis->evidence, &analysis->ranking->by_stacks, analysis->symbols,
					  finding->function, stopped_frames(analysis, finding), one->place,
					  SCOPE_MODEL_PLACES, &one->places, &one->cut_share,
					  finding->kind == SCOPE_FINDING_HANG ? NULL : &one->loop);
}

static int make_inside(const struct scope_analysis *analysis, struct scope_model_finding *one)
{
	const struct scope_finding *finding = one->finding;

	if (!finding->function || !finding->evidence)
		return 0;
	one->kernel_matters = finding->kind == SCOPE_FINDING_SPIN ||
			      (finding->kind != SCOPE_FINDING_HANG && finding->kernel_share >= KERNEL_MIN);
	one->inside_why = scope_trace_meta(analysis->trace, SCOPE_META_KERNEL_NAMES);
	return scope_evidence_inside_find(finding->evidence, finding->attribution, finding->function, one->inside,
					  SCOPE_MODEL_INSIDE, &one->insides);
}

/* The process of a thread of the group that waits. */
static uint32_t victim_process(const struct scope_analysis *analysis, const struct scope_finding *finding)
{
	const struct scope_groups *groups = analysis->found.groups;
	size_t i;

	for (i = 0; i + 1 < groups->threads && groups->of_thread[i] != finding->holder.victim_group; i++)
		;
	return thread_at(analysis, (uint32_t)i)->tgid;
}

const char *scope_report_model_task_sleep(const struct scope_model_finding *one)
{
	if (one->below)
		return one->below->name;
	return one->finding->function && !strncmp(one->finding->function->symbol, "py::", strlen("py::"))
		       ? "await"
		       : "its runtime";
}

static void make_sleep(const struct scope_analysis *analysis, struct scope_model_finding *one)
{
	const struct scope_finding *finding = one->finding;
	const bool hang = finding->kind == SCOPE_FINDING_HANG;
	const char *call = scope_syscall_name(finding->nr);
	struct scope_object_text object;
	uint32_t tgid;

	if (!hang && finding->kind != SCOPE_FINDING_LOCK && finding->kind != SCOPE_FINDING_LATE)
		return;
	if (hang && finding->hang.tasks) {
		snprintf(one->sleeps_in, sizeof(one->sleeps_in), "%s", scope_report_model_task_sleep(one));
		return;
	}
	tgid = hang ? thread_at(analysis, finding->hang.thread)->tgid : victim_process(analysis, finding);
	if (!hang && finding->holder.held)
		strcpy(one->sleeps_in, "no thread, between turns of its loop");
	else if (finding->nr == SCOPE_NR_NONE)
		strcpy(one->sleeps_in, "a page fault");
	else
		snprintf(one->sleeps_in, sizeof(one->sleeps_in), "%s(%s%s)", call ? call : "unknown call",
			 scope_report_object_name(&object, analysis, tgid, finding->nr,
						  hang ? finding->hang.object : finding->holder.object),
			 hang && finding->hang.lock ? ", a lock" : "");
}

static int make_owner(const struct scope_analysis *analysis, struct scope_model_finding *one)
{
	const struct scope_finding *finding = one->finding;
	long index = -ENOENT;
	size_t places = 0;
	uint32_t node;
	double cut;

	if (finding->kind == SCOPE_FINDING_HANG && finding->hang.lock && !finding->hang.tasks)
		index = scope_anomaly_owner_find(analysis->trace, analysis->units->timeline->threads,
						 finding->hang.thread, finding->hang.object);
	if (index < 0)
		return 0;
	node = analysis->evidence->stopped_stack[index].node;
	one->owner = (struct scope_model_owner){
		.thread = thread_at(analysis, (uint32_t)index),
		.itself = (uint32_t)index == finding->hang.thread,
		.at = node ? analysis->evidence->tree.node[node].function : NULL,
	};
	if (!one->owner.at)
		return 0;
	return scope_evidence_places_find(analysis->evidence, &analysis->ranking->by_stacks, analysis->symbols,
					  one->owner.at, analysis->evidence->stopped_stack[index].frames,
					  &one->owner.place, 1, &places, &cut, NULL);
}

/* Where the thread sleeps in the kernel. */
static int make_kernel_stack(const struct scope_analysis *analysis, struct scope_model_finding *one)
{
	const char *names;
	char key[48];

	if (one->finding->kind != SCOPE_FINDING_HANG || one->finding->hang.tasks)
		return 0;
	snprintf(key, sizeof(key), SCOPE_META_KERNEL_STACK "%u", thread_at(analysis, one->finding->hang.thread)->tid);
	names = scope_trace_meta(analysis->trace, key);
	if (!names) {
		one->kernel_stack_why = scope_trace_meta(analysis->trace, SCOPE_META_KERNEL_STACKS);
		return 0;
	}
	one->kernel_stack = strdup(names);
	return one->kernel_stack ? 0 : -ENOMEM;
}

/* The calls of an example, and of a usual unit, which may be one of the baseline. */
static int make_example(const struct scope_analysis *analysis, struct scope_model_finding *one)
{
	const struct scope_finding *finding = one->finding;
	struct scope_path path[2] = { { .unit = finding->example }, { .unit = finding->usual_example } };
	const size_t count = finding->usual_example == UINT32_MAX ? 1 : 2;
	const bool elsewhere = finding->usual_elsewhere && count > 1;
	int err;

	if (finding->example == UINT32_MAX)
		return 0;
	err = scope_report_path_collect(analysis->trace, analysis->units, path, elsewhere ? 1 : count);
	if (!err && elsewhere)
		err = scope_report_path_collect(analysis->reference->trace, analysis->reference_kept->units, &path[1],
						1);
	if (!err && count > 1)
		err = scope_report_path_align(&path[0], &path[1]);
	one->slow = path[0];
	one->usual = path[1];
	one->has_slow = !err;
	one->has_usual = !err && count > 1;
	one->usual_of_baseline = elsewhere && !analysis->since_ns;
	return err;
}

static int describe(const struct scope_analysis *analysis, struct scope_model_finding *one)
{
	struct scope_rounds_text rounds;
	int err;

	make_path(one);
	make_below(one);
	make_known_caller(one);
	make_most(one);
	make_sleep(analysis, one);
	if (scope_rank_finding_rounds(one->finding))
		snprintf(one->rounds, sizeof(one->rounds), "%s",
			 scope_report_rounds_name(&rounds, analysis, one->finding));
	err = make_owner(analysis, one);
	if (!err)
		err = make_places(analysis, one);
	if (!err)
		err = scope_report_source_lines_make(analysis, one);
	scope_report_hints_make(one);
	if (!err)
		err = make_inside(analysis, one);
	if (!err)
		err = make_kernel_stack(analysis, one);
	if (!err)
		err = make_example(analysis, one);
	return err;
}

int scope_report_model_finding_init(const struct scope_analysis *analysis, const struct scope_finding *finding,
				    bool detailed, struct scope_model_finding *ret_one)
{
	*ret_one = (struct scope_model_finding){
		.finding = finding,
		.name = finding->function ? scope_signatures_name(analysis->signatures, finding->function) : NULL,
		.stuck = scope_rank_finding_stuck(finding),
		.who = scope_rank_finding_who(finding),
	};
	if (scope_rank_finding_outside(finding) || scope_rank_finding_asks(finding))
		ret_one->waits_for = finding->wait.class == SCOPE_WAIT_DISK	 ? "disk"
				     : finding->wait.class == SCOPE_WAIT_NETWORK ? "peer"
										 : "pipe";
	return detailed ? describe(analysis, ret_one) : 0;
}

void scope_report_model_finding_free(struct scope_model_finding *one)
{
	scope_report_source_lines_free(one);
	free(one->kernel_stack);
	free(one->slow.call);
	free(one->usual.call);
	one->kernel_stack = NULL;
	one->slow.call = one->usual.call = NULL;
}
