// SPDX-License-Identifier: GPL-2.0-only
/* Threads that hang or spin as findings, one for each function they are in. */
#include "rank/hangs.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/syscall_name.h"
#include "evidence/stuck_tasks.h"
#include "rank/confidence.h"
#include "rank/hint.h"
#include "rank/wait_helper.h"

#define FAILING_MIN 5	 /* samples in the call that fails, from which they show where it is made */
#define BESIDE_SHARE 0.1 /* share of a spin's samples that are not on the path to the poll */

int scope_rank_add(struct scope_ranking *ranking, const struct scope_finding *finding)
{
	struct scope_finding *grown = reallocarray(ranking->finding, ranking->findings + 1, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	ranking->finding = grown;
	grown[ranking->findings++] = *finding;
	return 0;
}

bool scope_rank_same_function(const struct scope_function *a, const struct scope_function *b)
{
	return !strcmp(a->module, b->module) && (!strcmp(a->name, b->name) || (a->start && a->start == b->start));
}

static const char *last_part(const char *name)
{
	const char *dot = strrchr(name, '.'), *colon = strrchr(name, ':');
	const char *part = dot > colon ? dot : colon;

	return part ? part + 1 : name;
}

/* True if the sample was taken in the library's function for the call that fails in each round: "accept" or "accept4". */
static bool in_failing_call(const struct scope_item *item, const struct scope_spin *rounds)
{
	const char *call = rounds && rounds->nr != SCOPE_NR_NONE ? scope_syscall_name(rounds->nr) : NULL;
	const char *name = call && item->below ? last_part(scope_rank_hint_plain_name(item->below->name)) : NULL;
	size_t bytes;

	if (!name)
		return false;
	bytes = strcspn(call, "0123456789");
	return !strncmp(name, call, bytes) && strspn(name + bytes, "0123456789") == strlen(name + bytes);
}

/*
 * The samples of a spin that show where it is. These are all samples; or those in the call that fails, because other
 * work of a round, such as logging the error, follows from it; or, if a loop only polls in vain, those that are not on
 * the path to that poll, because the function that makes the loop turn again is not there.
 */
struct spin_search {
	const struct scope_evidence *evidence;
	const struct scope_spin *rounds;
	uint32_t hang;
	uint32_t poll_node; /* where the polls are made; SCOPE_TREE_ROOT: not known */
	bool failing, beside;
	bool branch; /* beside: not in the loop's own functions, which call the poll */
};

static bool is_of(const struct spin_search *search, const struct scope_item *item)
{
	return item->kind == SCOPE_ITEM_SPIN && item->unit == search->hang;
}

static bool is_beside(const struct spin_search *search, const struct scope_item *item)
{
	const struct scope_tree *tree = &search->evidence->tree;

	return search->poll_node != SCOPE_TREE_ROOT &&
	       !scope_evidence_tree_is_below(tree, search->poll_node, item->node) &&
	       !(search->branch && scope_evidence_tree_is_below(tree, item->node, search->poll_node));
}

static bool counts(const struct spin_search *search, const struct scope_item *item)
{
	if (search->failing)
		return in_failing_call(item, search->rounds);
	return !search->beside || is_beside(search, item);
}

/* The node with the most samples in the kernel, if the rounds make no other call in vain than a poll. */
static int find_poll(struct spin_search *search)
{
	const struct scope_evidence *evidence = search->evidence;
	const struct scope_spin *rounds = search->rounds;
	uint32_t *samples;

	search->poll_node = SCOPE_TREE_ROOT;
	if (!rounds || rounds->nr != SCOPE_NR_NONE || rounds->poll_nr == SYS_sched_yield)
		return 0;
	samples = calloc(evidence->tree.count, sizeof(*samples));
	if (!samples)
		return -ENOMEM;
	for (size_t i = 0; i < evidence->items; i++) {
		const struct scope_item *item = &evidence->item[i];

		if (is_of(search, item) && item->inside && ++samples[item->node] > samples[search->poll_node])
			search->poll_node = item->node;
	}
	free(samples);
	return 0;
}

static int choose_samples(struct spin_search *search, uint32_t *ret_samples)
{
	size_t failing = 0, beside = 0, branch = 0;
	int err = find_poll(search);

	*ret_samples = 0;
	for (size_t i = 0; !err && i < search->evidence->items; i++) {
		const struct scope_item *item = &search->evidence->item[i];

		if (!is_of(search, item))
			continue;
		++*ret_samples;
		failing += in_failing_call(item, search->rounds);
		search->branch = false;
		beside += is_beside(search, item);
		search->branch = true;
		branch += is_beside(search, item);
	}
	search->failing = failing >= FAILING_MIN;
	search->beside = beside >= FAILING_MIN && beside >= BESIDE_SHARE * *ret_samples;
	search->branch = branch >= FAILING_MIN && branch >= BESIDE_SHARE * *ret_samples;
	return err;
}

/* The function that a spinning thread's samples point to: the descent of the excess tree on only those. */
static int spin_node(const struct scope_evidence *evidence, const struct scope_spin *rounds, uint32_t hang,
		     uint32_t *ret_node, uint32_t *ret_samples)
{
	struct spin_search search = { .evidence = evidence, .rounds = rounds, .hang = hang };
	struct scope_tree tree = evidence->tree;
	struct scope_attribution attribution = { 0 };
	struct scope_share *shares = NULL;
	size_t count = 0;
	int err;

	*ret_node = SCOPE_TREE_ROOT;
	err = choose_samples(&search, ret_samples);
	if (err)
		return err;
	tree.node = malloc(tree.count * sizeof(*tree.node));
	if (!tree.node)
		return -ENOMEM;
	memcpy(tree.node, evidence->tree.node, tree.count * sizeof(*tree.node));
	for (size_t i = 0; i < tree.count; i++)
		tree.node[i].self_ns = tree.node[i].self_run_ns = tree.node[i].self_task_ns =
			tree.node[i].self_below_ns = 0;
	for (size_t i = 0; i < evidence->items; i++)
		if (is_of(&search, &evidence->item[i]) && counts(&search, &evidence->item[i]))
			tree.node[evidence->item[i].node].self_ns += evidence->item[i].weight_ns;
	scope_evidence_tree_sum(&tree);
	err = scope_evidence_attribution_init(&attribution, &tree);
	if (!err)
		err = scope_evidence_tree_attribute(&tree, NULL, &attribution, &shares, &count);
	if (!err && count)
		*ret_node = shares[0].node;
	scope_evidence_attribution_free(&attribution);
	free(shares);
	free(tree.node);
	return err;
}

static struct scope_finding *same_hang(struct scope_ranking *ranking, const struct scope_finding *finding)
{
	for (size_t i = 0; i < ranking->findings; i++)
		if (finding->function && ranking->finding[i].function == finding->function &&
		    ranking->finding[i].kind == finding->kind &&
		    !ranking->finding[i].hang.tasks == !finding->hang.tasks)
			return &ranking->finding[i];
	return NULL;
}

/* The function that signatures find for a thread in a call. */
static void ask_second(const struct scope_rank_input *input, uint32_t thread, bool spin, struct scope_finding *finding)
{
	uint32_t node = input->second && !spin ? input->second->stopped_stack[thread].node : 0;
	const struct scope_function *function;

	if (!node)
		return;
	function = input->second->tree.node[node].function;
	if (!finding->by_stacks) {
		finding->node = node;
		finding->evidence = input->second;
		finding->attribution = input->second_attribution;
	} else if (!scope_rank_same_function(input->evidence->tree.node[finding->node].function, function)) {
		return;
	}
	finding->signature = function;
}

/*
 * True if the kernel's count of CPU time shows, even if events were lost, that it has not run since it went to sleep.
 */
static bool never_ran(const struct scope_thread *thread)
{
	return thread->stopped_ns && thread->stopped_ns <= thread->block_ns;
}

static bool sleeps_for_a_time(const struct scope_hang *hang)
{
	return hang->kind == SCOPE_HANG_BLOCKED && (hang->nr == SYS_clock_nanosleep || hang->nr == SYS_nanosleep);
}

/* Fills in what is known of it without its stack. */
static struct scope_finding finding_of(const struct scope_rank_input *input, const struct scope_hang *hang)
{
	const struct scope_timeline *timeline = input->units->timeline;
	const bool spin = hang->kind == SCOPE_HANG_SPIN;

	return (struct scope_finding){
		.kind = spin ? SCOPE_FINDING_SPIN : SCOPE_FINDING_HANG,
		.node = input->evidence->stopped_stack[hang->thread].node,
		.evidence = input->evidence,
		.attribution = input->attribution,
		.group = input->units->groups->of_thread[hang->thread],
		.nr = hang->nr,
		.units = 1,
		.first_ns = hang->since_ns > timeline->begin_ns ? hang->since_ns : timeline->begin_ns,
		.last_ns = hang->until_ns,
		.odds = HUGE_VAL,
		.example = UINT32_MAX,
		.usual_example = UINT32_MAX,
		.hang = {
			.thread = hang->thread,
			.threads = 1,
			.age_ns = hang->until_ns - hang->since_ns,
			.rounds = hang->rounds,
			.object = hang->object,
			.lock = hang->lock,
			.circle = hang->circle,
			.for_other = hang->for_other,
			.unsure = hang->unsure,
			.backlog = hang->backlog,
			.unread = hang->unread,
			.retries = hang->retries,
			.signals = spin ? hang->signals : 0,
			.never_ran = !spin && never_ran(scope_timeline_threads_at(timeline->threads, hang->thread)),
		},
	};
}

/*
 * Decides which of two threads that hang in the same way is shown: one in a circle of waits before others, then one
 * that certainly hangs, then the one that hangs longest.
 */
static bool is_shown_before(const struct scope_finding *a, const struct scope_finding *b)
{
	if (a->hang.circle != b->hang.circle)
		return a->hang.circle;
	if (a->hang.unsure != b->hang.unsure)
		return b->hang.unsure;
	return a->hang.age_ns > b->hang.age_ns;
}

/* Adds a thread that hangs in the same way. */
static void add_thread(struct scope_finding *same, const struct scope_finding *one)
{
	same->hang.threads += one->hang.threads;
	same->hang.unread += one->hang.unread;
	same->hang.never_ran &= one->hang.never_ran;
	same->hang.for_other &= one->hang.for_other;
	same->units += one->units;
	same->share += one->share;
	same->excess_ns += one->excess_ns;
	same->score += one->score;
	if (is_shown_before(one, same)) {
		same->nr = one->nr;
		same->hang.lock = one->hang.lock;
		same->hang.unsure = one->hang.unsure;
		same->hang.circle = one->hang.circle;
		same->hang.age_ns = one->hang.age_ns;
		same->hang.rounds = one->hang.rounds;
		same->hang.retries = one->hang.retries;
		same->first_ns = one->first_ns;
		same->hang.thread = one->hang.thread;
		same->hang.object = one->hang.object;
		same->hang.tasks = one->hang.tasks;
	}
}

const char *scope_rank_finding_who(const struct scope_finding *finding)
{
	const struct scope_stuck_tasks *tasks = scope_rank_finding_tasks(finding);

	return !tasks ? "thread" : tasks->asyncio ? "task" : "goroutine";
}

static struct scope_finding finding_of_tasks(const struct scope_rank_input *input,
					     const struct scope_stuck_tasks *stuck)
{
	const struct scope_timeline *timeline = input->units->timeline;

	return (struct scope_finding){
		.kind = SCOPE_FINDING_HANG,
		.node = stuck->node.node,
		.function = input->evidence->tree.node[stuck->node.node].function,
		.by_stacks = true,
		.evidence = input->evidence,
		.attribution = input->attribution,
		.group = input->units->groups->of_thread[stuck->thread],
		.nr = SCOPE_NR_NONE,
		.units = stuck->tasks,
		.first_ns = stuck->since_ns > timeline->begin_ns ? stuck->since_ns : timeline->begin_ns,
		.last_ns = timeline->end_ns,
		.odds = HUGE_VAL,
		.example = UINT32_MAX,
		.usual_example = UINT32_MAX,
		.hang = {
			.thread = stuck->thread,
			.threads = stuck->tasks,
			.tasks = stuck,
			.age_ns = timeline->end_ns - stuck->since_ns,
			.lock = stuck->lock,
			.unsure = stuck->unsure,
		},
	};
}

/* Adds a finding, or to the one that hangs in the same function. */
static int add_hang(const struct scope_rank_input *input, struct scope_finding *finding, struct scope_ranking *ranking)
{
	const struct scope_timeline *timeline = input->units->timeline;
	struct scope_finding *same;

	finding->excess_ns = fmin(finding->hang.age_ns, timeline->end_ns - timeline->begin_ns);
	finding->score = finding->excess_ns;
	finding->share = 1.0 / (input->hang_count + input->evidence->stucks);
	same = same_hang(ranking, finding);
	if (!same)
		return scope_rank_add(ranking, finding);
	add_thread(same, finding);
	return 0;
}

int scope_rank_hangs(const struct scope_rank_input *input, struct scope_ranking *ranking)
{
	const struct scope_evidence *evidence = input->evidence;

	for (size_t i = 0; i < input->hang_count; i++) {
		const struct scope_hang *hang = &input->hangs[i];
		const bool spin = hang->kind == SCOPE_HANG_SPIN;
		struct scope_finding finding = finding_of(input, hang);
		int err = spin ? spin_node(evidence, hang->rounds, i, &finding.node, &finding.samples) : 0;

		if (err)
			return err;
		finding.by_stacks = finding.node != SCOPE_TREE_ROOT;
		if (hang->retries || sleeps_for_a_time(hang))
			finding.node = scope_rank_wait_helper_caller(evidence, SCOPE_TREE_ROOT, finding.node, true);
		ask_second(input, hang->thread, spin, &finding);
		if (finding.node)
			finding.function = finding.evidence->tree.node[finding.node].function;
		err = add_hang(input, &finding, ranking);
		if (err)
			return err;
	}
	for (size_t i = 0; i < evidence->stucks; i++) {
		struct scope_finding finding = finding_of_tasks(input, &evidence->stuck[i]);
		int err = add_hang(input, &finding, ranking);

		if (err)
			return err;
	}
	for (size_t i = 0; i < ranking->findings; i++)
		scope_rank_confidence(input, &ranking->finding[i]);
	return 0;
}
