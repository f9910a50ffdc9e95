// SPDX-License-Identifier: GPL-2.0-only
/* From evidence to an ordered list of functions. */
#include "rank/rank.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/hop.h"
#include "rank/caller.h"
#include "rank/confidence.h"
#include "rank/context.h"
#include "rank/hangs.h"
#include "rank/hint.h"
#include "rank/judge.h"
#include "rank/kinds.h"
#include "rank/measure.h"
#include "rank/same_cause.h"
#include "rank/task_waits.h"
#include "rank/totals.h"
#include "rank/unnamed.h"
#include "rank/usual.h"
#include "rank/verdict.h"

#define IN_DOUBT 0.5	/* factor for the odds of a caller that may be one cause, or the common part of several */
#define UNSURE_UNITS 10 /* units in which such a caller is, at least */

const struct scope_rank_options scope_rank_defaults = {
	.excess_share = 0.01,
	.odds_min = 5,
	.times_min = 2.5,
	.odds_alone = 25,
	.growth_share = 0.5,
	.chance_z = 3.3,
	.units_min = 5,
	.units_at_first_min = 3,
	.spread = 0.2,
	.kernel_share = 0.8,
	.outside_calls = 1.5,
	.byte_ns = 100,
	.floor_ns = 1000000,
	.floor_share = 0.01,
	.served_ns = 500000,
	.served_share = 0.001,
	.findings_max = 10,
};

/* 0 with the rule that the share of the excess does not meet, or -errno. */
static int weigh_share(const struct scope_rank_input *input, const struct scope_share *share,
		       struct scope_finding *ret_finding, enum scope_rank_rule *ret_fails)
{
	struct scope_finding finding = {
		.function = share->function,
		.evidence = input->evidence,
		.attribution = input->attribution,
		.node = share->node,
		.excess_ns = share->excess_ns,
		.share = share->excess_ns / input->evidence->excess_ns,
	};
	int err;

	/* Normal time that was subtracted elsewhere can leave a larger excess here than the total. */
	finding.share = fmin(finding.share, 1);
	err = scope_rank_measure(input, &finding);
	if (err)
		return err;
	scope_rank_confidence(input, &finding);
	finding.unnamed = input->compiles ? scope_rank_unnamed_share(&finding) : 0;
	/* That it takes long is certain, but not that this function is why. */
	if (finding.unnamed > SCOPE_RANK_MOST && finding.confidence == SCOPE_CONFIDENCE_HIGH)
		finding.confidence = SCOPE_CONFIDENCE_MEDIUM;
	*ret_finding = finding;
	*ret_fails = scope_rank_judge(input, &finding);
	return 0;
}

/*
 * A function may be usual with most callers and abnormal with one. So first all nodes it is named
 * for are judged, then only the call path with most of its excess.
 */
static int weigh_contexts(const struct scope_rank_input *input, const struct scope_share *share,
			  struct scope_attribution *attribution, struct scope_finding *ret_finding,
			  enum scope_rank_rule *ret_fails)
{
	struct scope_share context = *share;
	struct scope_finding finding;
	struct scope_owner *was;
	enum scope_rank_rule fails;
	int err = weigh_share(input, share, ret_finding, ret_fails);

	if (err || (*ret_fails != SCOPE_RULE_ODDS && *ret_fails != SCOPE_RULE_TIMES && *ret_fails != SCOPE_RULE_CHANCE))
		return err;
	err = scope_rank_context_narrow(&input->evidence->tree, share->function, share->node, attribution,
					&context.excess_ns, &was);
	if (err || !was)
		return err;
	err = weigh_share(input, &context, &finding, &fails);
	if (err || fails) {
		scope_rank_context_restore(attribution, was);
		return err;
	}
	free(was);
	*ret_finding = finding;
	*ret_fails = SCOPE_RULE_NONE;
	return 0;
}

/* If nothing is found, the report names the function that came nearest to a finding. */
static void keep_near(const struct scope_finding *finding, enum scope_rank_rule fails, struct scope_ranking *ranking)
{
	struct scope_near *near = ranking->near;
	size_t at = ranking->nears;

	if (fails == SCOPE_RULE_EXCESS || finding->odds <= 1)
		return;
	while (at && near[at - 1].finding.excess_ns < finding->excess_ns)
		at--;
	if (at == SCOPE_NEAR_MAX)
		return;
	ranking->nears += ranking->nears < SCOPE_NEAR_MAX;
	memmove(&near[at + 1], &near[at], (ranking->nears - at - 1) * sizeof(*near));
	near[at] = (struct scope_near){ .finding = *finding, .fails = fails };
}

/* Adds the shares that are findings with respect to the part not named yet. */
static int rank_round(const struct scope_rank_input *input, const struct scope_share *shares, size_t count,
		      struct scope_ranking *ranking)
{
	int err = 0;

	for (size_t i = 0; !err && i < count && ranking->findings < input->options->findings_max; i++) {
		struct scope_finding finding;
		enum scope_rank_rule fails;

		if (input->attribution->owner[shares[i].node].found)
			continue;
		err = weigh_contexts(input, &shares[i], &ranking->by_stacks, &finding, &fails);
		if (err)
			break;
		if (fails) {
			keep_near(&finding, fails, ranking);
			continue;
		}
		/* Further rounds search for more bugs of the program. */
		if (input->found && scope_rank_finding_outside(&finding))
			continue;
		if (scope_rank_is_kernel(input->options, &finding)) {
			if (!ranking->kernel.function)
				ranking->kernel = finding;
			continue;
		}
		finding.by_stacks = true;
		ranking->explained_ns += finding.excess_ns;
		err = scope_rank_add(ranking, &finding);
	}
	return err;
}

/*
 * A caller whose excess splits, with too few stacks to decide if its callees are one cause. If no
 * callee is a finding, the caller is named as their common part.
 */
static int name_unsure(const struct scope_rank_input *input, uint32_t node, struct scope_ranking *ranking)
{
	const struct scope_tree *tree = &input->evidence->tree;
	const struct scope_share share = { tree->node[node].function, node, tree->node[node].total_ns };
	struct scope_finding finding;
	enum scope_rank_rule fails;
	int err;

	scope_evidence_tree_own(tree, node, &ranking->by_stacks);
	err = weigh_share(input, &share, &finding, &fails);
	if (err)
		return err;
	/* Several causes fit as well as one, so half of it is in doubt. */
	if (!fails && (finding.odds * IN_DOUBT < input->options->odds_min || finding.units < UNSURE_UNITS ||
		       scope_rank_finding_outside(&finding) || scope_rank_is_kernel(input->options, &finding)))
		fails = SCOPE_RULE_PARTS;
	if (fails) {
		keep_near(&finding, fails, ranking);
		return 0;
	}
	finding.by_stacks = true;
	finding.shown = finding.confidence = SCOPE_CONFIDENCE_LOW;
	ranking->explained_ns += finding.excess_ns;
	return scope_rank_add(ranking, &finding);
}

static void mark_found(struct scope_ranking *ranking, size_t from)
{
	struct scope_attribution *attribution = &ranking->by_stacks;

	for (; from < ranking->findings; from++)
		for (size_t i = 0; i < attribution->count; i++)
			if (attribution->owner[i].function == ranking->finding[from].function)
				attribution->owner[i].found = true;
}

/* Names functions for the nodes of the tree, and judges them. The caller frees the shares. */
static int attribute_round(const struct scope_rank_input *input, const struct scope_tree_judge *judge,
			   struct scope_ranking *ranking, struct scope_share **ret_shares, size_t *ret_count)
{
	int err = scope_evidence_tree_attribute(&input->evidence->tree, judge, &ranking->by_stacks, ret_shares,
						ret_count);

	return err ? err : rank_round(input, *ret_shares, *ret_count, ranking);
}

/*
 * Nothing was found. A caller with a part of its own that all requests have may hide what only some call below it, so
 * its branches are judged as well. If that finds nothing either, all stays as it was.
 */
static int follow_branches(const struct scope_rank_input *input, struct scope_tree_judge *judge,
			   struct scope_ranking *ranking, struct scope_share **shares, size_t *count)
{
	const size_t before = ranking->findings, nears = ranking->nears;
	struct scope_near near[SCOPE_NEAR_MAX];
	int err;

	memcpy(near, ranking->near, sizeof(near));
	free(*shares);
	*shares = NULL;
	judge->branches = true;
	err = attribute_round(input, judge, ranking, shares, count);
	if (err || ranking->findings > before || ranking->kernel.function)
		return err;
	memcpy(ranking->near, near, sizeof(near));
	ranking->nears = nears;
	free(*shares);
	*shares = NULL;
	judge->branches = false;
	return scope_evidence_tree_attribute(&input->evidence->tree, judge, &ranking->by_stacks, shares, count);
}

/*
 * Several bugs hide each other, because each has only a small part of the time of slow units. So
 * the findings are left out, as if they were fixed, and the rest is judged again, until no more is
 * found.
 */
static int rank_stacks(const struct scope_rank_input *input, struct scope_ranking *ranking)
{
	struct scope_rank_input rest = *input;
	struct scope_share *shares = NULL;
	size_t count = 0, before = ranking->findings;
	struct scope_same_cause same_cause = { &rest, SCOPE_TREE_ROOT };
	struct scope_tree_judge judge = { .same_cause = scope_rank_same_cause,
					  .caller = scope_rank_caller,
					  .user = &same_cause };
	int err = attribute_round(input, &judge, ranking, &shares, &count);

	if (!err && ranking->findings == before && !ranking->kernel.function)
		err = follow_branches(input, &judge, ranking, &shares, &count);
	rest.found = ranking;
	while (!err && ranking->findings > before) {
		mark_found(ranking, before);
		before = ranking->findings;
		err = rank_round(&rest, shares, count, ranking);
	}
	if (!err && !ranking->findings && !ranking->kernel.function && same_cause.unsure)
		err = name_unsure(input, same_cause.unsure, ranking);
	free(shares);
	return err;
}

/* True if a finding by stacks, or one that stacks attribute to the kernel, names the function already. */
static bool is_named(struct scope_ranking *ranking, const struct scope_function *function)
{
	for (size_t i = 0; i < ranking->findings; i++) {
		struct scope_finding *finding = &ranking->finding[i];

		if (finding->kind <= SCOPE_FINDING_SPIN || !finding->by_stacks ||
		    !scope_rank_same_function(finding->function, function))
			continue;
		finding->signature = function;
		return true;
	}
	return ranking->kernel.function && scope_rank_same_function(ranking->kernel.function, function);
}

/* The part that stacks left unexplained is given to functions that only signatures name. */
static int rank_signatures(const struct scope_rank_input *input, struct scope_ranking *ranking)
{
	double found_ns = fmax(input->evidence->found_ns, ranking->explained_ns);
	double left = 1 - fmax(0, fmin(1, found_ns / input->evidence->excess_ns));
	struct scope_rank_input by_second = *input;
	struct scope_share *shares = NULL;
	size_t count = 0;
	int err = scope_evidence_tree_attribute(&input->second->tree, NULL, &ranking->by_signatures, &shares, &count);

	by_second.evidence = input->second;
	by_second.attribution = input->second_attribution;
	for (size_t i = 0; !err && i < count && ranking->findings < input->options->findings_max; i++) {
		struct scope_finding finding;
		enum scope_rank_rule fails;

		err = weigh_share(&by_second, &shares[i], &finding, &fails);
		if (err)
			break;
		if (fails || is_named(ranking, shares[i].function))
			continue;
		finding.excess_ns *= left;
		finding.share *= left;
		finding.score *= left;
		if (scope_rank_judge(&by_second, &finding))
			continue;
		finding.signature = finding.function;
		/* Other functions may make the same calls in a way that learning did not see. */
		if (finding.shown == SCOPE_CONFIDENCE_HIGH)
			finding.shown = finding.confidence = SCOPE_CONFIDENCE_MEDIUM;
		ranking->explained_ns += finding.excess_ns;
		err = scope_rank_add(ranking, &finding);
	}
	free(shares);
	return err;
}

/*
 * Hangs first: deadlocks, which are proven; then hangs that may hold a lock, or have work that a request gave them, and
 * those that wait for one. Code without a name helps nobody, so it comes after all that has one. Hangs that may be idle
 * threads come last.
 */
static int order_of(const struct scope_finding *finding)
{
	const struct scope_function *function = finding->function;

	if (finding->kind > SCOPE_FINDING_SPIN)
		return function && scope_rank_is_unknown_code(function) ? 4 : 3;
	if (finding->hang.unsure)
		return 5;
	if (finding->hang.circle)
		return 0;
	return finding->kind == SCOPE_FINDING_HANG && (finding->hang.lock || finding->hang.for_other) ? 2 : 1;
}

/* A program without names is mostly a tool that one with names has begun and waits for. */
static bool has_name(const struct scope_finding *finding)
{
	return finding->function && finding->function->known;
}

/* Then by score, by name; scope_rank_hints_order() does the rest. */
static int compare_findings(const void *left, const void *right)
{
	const struct scope_finding *a = left, *b = right;
	int rank_a = order_of(a), rank_b = order_of(b);

	if (rank_a != rank_b)
		return rank_a - rank_b;
	if (scope_rank_finding_stuck(a) && has_name(a) != has_name(b))
		return has_name(a) ? -1 : 1;
	if (a->score != b->score)
		return a->score < b->score ? 1 : -1;
	if (a->function && b->function)
		return strcmp(a->function->name, b->function->name);
	return (b->function != NULL) - (a->function != NULL);
}

static void order(const struct scope_rank_input *input, struct scope_ranking *ranking)
{
	for (size_t i = 0; i < ranking->findings; i++) {
		struct scope_finding *finding = &ranking->finding[i];

		finding->hints = scope_rank_hints(input->units->timeline, finding,
						  scope_evidence_hop_find(finding->evidence, finding->node));
	}
	qsort(ranking->finding, ranking->findings, sizeof(*ranking->finding), compare_findings);
	scope_rank_hints_order(ranking->finding, ranking->findings, order_of);
	scope_rank_task_waits_order(ranking->finding, ranking->findings);
}

static int rank(const struct scope_rank_input *input, struct scope_ranking *ranking)
{
	int err = scope_rank_hangs(input, ranking);

	if (!err && input->evidence->excess_ns > 0)
		err = rank_stacks(input, ranking);
	if (!err && input->evidence->excess_ns > 0 && input->second)
		err = rank_signatures(input, ranking);
	if (err)
		return err;
	if (ranking->findings)
		order(input, ranking);
	scope_rank_kinds_keep(input->options->kinds, ranking);
	scope_rank_totals(input, ranking);
	err = scope_rank_usual(input, &ranking->usual);
	if (err)
		return err;
	if (ranking->findings || !ranking->left_out)
		scope_rank_verdict(input, ranking);
	return 0;
}

int scope_rank_run(const struct scope_rank_input *given, struct scope_ranking **ret_ranking)
{
	struct scope_ranking *ranking = calloc(1, sizeof(*ranking));
	struct scope_rank_input input = *given;
	int err;

	if (!ranking)
		return -ENOMEM;
	input.attribution = &ranking->by_stacks;
	input.second_attribution = &ranking->by_signatures;
	err = scope_evidence_attribution_init(&ranking->by_stacks, &input.evidence->tree);
	if (!err && input.second)
		err = scope_evidence_attribution_init(&ranking->by_signatures, &input.second->tree);
	if (!err)
		err = rank(&input, ranking);
	if (err) {
		scope_rank_destroy(ranking);
		return err;
	}
	*ret_ranking = ranking;
	return 0;
}

void scope_rank_destroy(struct scope_ranking *ranking)
{
	if (!ranking)
		return;
	free(ranking->finding);
	scope_evidence_attribution_free(&ranking->by_stacks);
	scope_evidence_attribution_free(&ranking->by_signatures);
	free(ranking);
}
