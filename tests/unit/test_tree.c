// SPDX-License-Identifier: GPL-2.0-only
/* The contrastive descent names the function that has the excess, and never the loop that calls it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "evidence/tree.h"

static const struct scope_function function_main = { .name = "main", .module = "p" };
static const struct scope_function loop = { .name = "loop", .module = "p" };
static const struct scope_function get = { .name = "get", .module = "p" };
static const struct scope_function set = { .name = "set", .module = "p" };
static const struct scope_function find = { .name = "find", .module = "p" };
static const struct scope_function hash = { .name = "hash", .module = "p" };

static void add(struct scope_tree *tree, double excess_ns, const struct scope_function *const *path, unsigned count)
{
	uint32_t node;

	assert_int_equal(scope_evidence_tree_insert(tree, path, count, &node), 0);
	tree->node[node].self_ns += excess_ns;
}

#define ADD(tree, excess, ...)                                                                                         \
	add(tree, excess, (const struct scope_function *[]){ __VA_ARGS__ },                                            \
	    sizeof((const struct scope_function *[]){ __VA_ARGS__ }) / sizeof(void *))

/* Of the last tree that was attributed. */
static struct scope_attribution attribution;

static size_t attribute(struct scope_tree *tree, struct scope_share **ret_shares)
{
	size_t count;

	scope_evidence_tree_sum(tree);
	scope_evidence_attribution_free(&attribution);
	assert_int_equal(scope_evidence_attribution_init(&attribution, tree), 0);
	assert_int_equal(scope_evidence_tree_attribute(tree, NULL, &attribution, ret_shares, &count), 0);
	return count;
}

static void names_the_deepest_holder(void **state)
{
	struct scope_tree tree;
	struct scope_share *shares;

	(void)state;
	assert_int_equal(scope_evidence_tree_init(&tree), 0);
	ADD(&tree, 95, &function_main, &loop, &get, &find);
	ADD(&tree, 5, &function_main, &loop);
	assert_int_equal(attribute(&tree, &shares), 1);
	assert_ptr_equal(shares[0].function, &find);
	assert_true(shares[0].excess_ns == 95);
	free(shares);
	scope_evidence_tree_free(&tree);
}

/* What a function waits for other tasks is not its own: a fifth of the rest is needed for that it is named with all that it calls. */
static void waits_for_tasks_are_not_its_own(void **state)
{
	struct scope_tree tree;
	struct scope_share *shares;
	uint32_t node;

	(void)state;
	assert_int_equal(scope_evidence_tree_init(&tree), 0);
	ADD(&tree, 80, &function_main, &loop, &get);
	ADD(&tree, 20, &function_main, &loop, &get, &find);
	assert_int_equal(attribute(&tree, &shares), 1);
	assert_ptr_equal(shares[0].function, &get);
	free(shares);
	assert_int_equal(scope_evidence_tree_insert(
				 &tree, (const struct scope_function *[]){ &function_main, &loop, &get }, 3, &node),
			 0);
	tree.node[node].self_task_ns = 60;
	assert_int_equal(attribute(&tree, &shares), 1);
	free(shares);
	tree.node[node].self_task_ns = 60.001;
	assert_int_equal(attribute(&tree, &shares), 2);
	assert_ptr_equal(shares[0].function, &get);
	assert_true(shares[0].excess_ns == 80);
	assert_ptr_equal(shares[1].function, &find);
	free(shares);
	scope_evidence_tree_free(&tree);
}

/* Neither is what it spends in libraries, if a function that it calls has 70 %: that one is first. */
static void libraries_are_not_its_own_beside_what_has_most(void **state)
{
	struct scope_tree tree;
	struct scope_share *shares;
	uint32_t node;

	(void)state;
	assert_int_equal(scope_evidence_tree_init(&tree), 0);
	ADD(&tree, 31, &function_main, &loop, &get);
	ADD(&tree, 69, &function_main, &loop, &get, &find);
	assert_int_equal(scope_evidence_tree_insert(
				 &tree, (const struct scope_function *[]){ &function_main, &loop, &get }, 3, &node),
			 0);
	tree.node[node].self_below_ns = 31;
	assert_int_equal(attribute(&tree, &shares), 1);
	assert_ptr_equal(shares[0].function, &get);
	free(shares);
	tree.node[node].self_ns = 29.5;
	tree.node[node].self_below_ns = 9;
	assert_int_equal(attribute(&tree, &shares), 1);
	free(shares);
	tree.node[node].self_below_ns = 10;
	assert_int_equal(attribute(&tree, &shares), 2);
	assert_ptr_equal(shares[0].function, &find);
	assert_ptr_equal(shares[1].function, &get);
	free(shares);
	scope_evidence_tree_free(&tree);
}

static int one_cause_never(void *user, uint32_t node, bool *ret_same_cause)
{
	(void)user;
	(void)node;
	*ret_same_cause = false;
	return 0;
}

/* Two bugs below one loop: both are named, in the order of their excess, and not the loop. */
static void names_both_branches(void **state)
{
	struct scope_tree tree;
	struct scope_share *shares;

	(void)state;
	assert_int_equal(scope_evidence_tree_init(&tree), 0);
	ADD(&tree, 40, &function_main, &loop, &get, &find);
	ADD(&tree, 60, &function_main, &loop, &set, &hash);
	assert_int_equal(attribute(&tree, &shares), 2);
	assert_ptr_equal(shares[0].function, &hash);
	assert_ptr_equal(shares[1].function, &find);
	for (size_t i = 1; i < tree.count; i++)
		if (tree.node[i].function == &hash || tree.node[i].function == &find)
			assert_ptr_equal(attribution.owner[i].function, tree.node[i].function);
	free(shares);
	scope_evidence_tree_free(&tree);
}

/* One function reached by two ways is one row. */
static void adds_up_branches(void **state)
{
	struct scope_tree tree;
	struct scope_share *shares;

	(void)state;
	assert_int_equal(scope_evidence_tree_init(&tree), 0);
	ADD(&tree, 50, &function_main, &loop, &get, &find);
	ADD(&tree, 50, &function_main, &loop, &set, &find);
	assert_int_equal(attribute(&tree, &shares), 1);
	assert_ptr_equal(shares[0].function, &find);
	assert_true(shares[0].excess_ns == 100);
	free(shares);
	scope_evidence_tree_free(&tree);
}

/* A function that does a good part itself is named for what it calls as well. */
static void names_a_splitting_worker(void **state)
{
	struct scope_tree tree;
	struct scope_share *shares;

	(void)state;
	assert_int_equal(scope_evidence_tree_init(&tree), 0);
	ADD(&tree, 40, &function_main, &loop, &get);
	ADD(&tree, 30, &function_main, &loop, &get, &find);
	ADD(&tree, 30, &function_main, &loop, &get, &hash);
	assert_int_equal(attribute(&tree, &shares), 1);
	assert_ptr_equal(shares[0].function, &get);
	assert_true(shares[0].excess_ns == 100);
	free(shares);
	scope_evidence_tree_free(&tree);
}

/* If it is no finding, what it calls is named as well, and its own part stays with it. */
static void follows_the_branches_of_a_worker(void **state)
{
	const struct scope_tree_judge judge = { .same_cause = one_cause_never, .branches = true };
	struct scope_tree tree;
	struct scope_share *shares;
	size_t count;

	(void)state;
	assert_int_equal(scope_evidence_tree_init(&tree), 0);
	ADD(&tree, 66, &function_main, &loop, &get);
	ADD(&tree, 30, &function_main, &loop, &get, &find);
	ADD(&tree, 4, &function_main, &loop, &get, &hash);
	scope_evidence_tree_sum(&tree);
	scope_evidence_attribution_free(&attribution);
	assert_int_equal(scope_evidence_attribution_init(&attribution, &tree), 0);
	assert_int_equal(scope_evidence_tree_attribute(&tree, &judge, &attribution, &shares, &count), 0);
	assert_int_equal(count, 2);
	assert_ptr_equal(shares[0].function, &get);
	assert_true(shares[0].excess_ns == 70);
	assert_ptr_equal(shares[1].function, &find);
	assert_true(shares[1].excess_ns == 30);
	free(shares);
	scope_evidence_tree_free(&tree);
}

/* What normal units hold there is negative excess, and never named. */
static void ignores_negative_excess(void **state)
{
	struct scope_tree tree;
	struct scope_share *shares;

	(void)state;
	assert_int_equal(scope_evidence_tree_init(&tree), 0);
	ADD(&tree, 50, &function_main, &loop, &find);
	ADD(&tree, -20, &function_main, &loop, &set);
	assert_int_equal(attribute(&tree, &shares), 1);
	assert_ptr_equal(shares[0].function, &find);
	free(shares);
	scope_evidence_tree_free(&tree);

	assert_int_equal(scope_evidence_tree_init(&tree), 0);
	ADD(&tree, -20, &function_main, &loop, &set);
	assert_int_equal(attribute(&tree, &shares), 0);
	free(shares);
	scope_evidence_tree_free(&tree);
}

static void folds_recursion(void **state)
{
	struct scope_tree tree;
	uint32_t once, twice;
	const struct scope_function *path[] = { &function_main, &find, &hash, &find, &hash };

	(void)state;
	assert_int_equal(scope_evidence_tree_init(&tree), 0);
	assert_int_equal(scope_evidence_tree_insert(&tree, path, 3, &once), 0);
	assert_int_equal(scope_evidence_tree_insert(&tree, path, 5, &twice), 0);
	assert_int_equal(once, twice);
	assert_ptr_equal(tree.node[once].function, &hash);
	scope_evidence_tree_free(&tree);
}

/* One bug sleeps, for 96 % of the excess; another runs, for most of the rest. */
static void a_sleeper_hides_no_runner(void **state)
{
	struct scope_tree tree;
	struct scope_share *shares;

	(void)state;
	assert_int_equal(scope_evidence_tree_init(&tree), 0);
	ADD(&tree, 960, &function_main, &loop, &get, &find);
	ADD(&tree, 30, &function_main, &loop, &set, &hash);
	ADD(&tree, 10, &function_main, &loop);
	for (size_t i = 1; i < tree.count; i++)
		if (tree.node[i].function == &hash || tree.node[i].function == &loop)
			tree.node[i].self_run_ns = tree.node[i].self_ns;
	assert_int_equal(attribute(&tree, &shares), 3);
	assert_ptr_equal(shares[0].function, &find);
	assert_ptr_equal(shares[1].function, &hash);
	assert_true(shares[1].excess_ns == 30);
	free(shares);
	scope_evidence_tree_free(&tree);
}

/* Parts of the excess that are named: loop calls get and set, which have these parts; the rest is loop's own. */
static size_t split(double get_ns, double set_ns, double own_ns, struct scope_share **ret_shares)
{
	struct scope_tree tree;
	size_t count;

	assert_int_equal(scope_evidence_tree_init(&tree), 0);
	ADD(&tree, own_ns, &function_main, &loop);
	ADD(&tree, get_ns, &function_main, &loop, &get);
	ADD(&tree, set_ns, &function_main, &loop, &set);
	count = attribute(&tree, ret_shares);
	scope_evidence_tree_free(&tree);
	return count;
}

static void a_child_with_nine_tenths_takes_all(void **state)
{
	struct scope_share *shares;

	(void)state;
	assert_int_equal(split(900, 99, 1, &shares), 1);
	assert_ptr_equal(shares[0].function, &get);
	free(shares);
	assert_int_equal(split(899, 100, 1, &shares), 3);
	assert_ptr_equal(shares[0].function, &get);
	assert_ptr_equal(shares[1].function, &set);
	assert_ptr_equal(shares[2].function, &loop);
	free(shares);
}

static void a_caller_with_a_fifth_of_its_own_is_named(void **state)
{
	struct scope_share *shares;

	(void)state;
	assert_int_equal(split(400, 400, 200, &shares), 1);
	assert_ptr_equal(shares[0].function, &loop);
	assert_true(shares[0].excess_ns == 1000);
	free(shares);
	assert_int_equal(split(401, 400, 199, &shares), 3);
	free(shares);
}

static void a_branch_below_a_twentieth_stays_with_the_caller(void **state)
{
	struct scope_share *shares;

	(void)state;
	assert_int_equal(split(850, 50, 100, &shares), 3);
	free(shares);
	assert_int_equal(split(850, 49, 101, &shares), 2);
	assert_ptr_equal(shares[1].function, &loop);
	assert_true(shares[1].excess_ns == 150);
	free(shares);
}

/* get sleeps, for nearly all; what set runs is a 50th of all, or less. */
static void running_for_a_fiftieth_is_split_by_itself(void **state)
{
	(void)state;
	for (int less = 0; less < 2; less++) {
		struct scope_tree tree;
		struct scope_share *shares;

		assert_int_equal(scope_evidence_tree_init(&tree), 0);
		ADD(&tree, 980 + less, &function_main, &loop, &get);
		ADD(&tree, 20 - less, &function_main, &loop, &set);
		tree.node[tree.count - 1].self_run_ns = 20 - less;
		assert_int_equal(attribute(&tree, &shares), less ? 1 : 2);
		free(shares);
		scope_evidence_tree_free(&tree);
	}
}

/* What runs: get has a part of 1,000, set the rest; get sleeps for long besides. */
static size_t runs(double get_run_ns, struct scope_share **ret_shares)
{
	struct scope_tree tree;
	size_t count;

	assert_int_equal(scope_evidence_tree_init(&tree), 0);
	ADD(&tree, 19000 + get_run_ns, &function_main, &loop, &get);
	tree.node[tree.count - 1].self_run_ns = get_run_ns;
	ADD(&tree, 1000 - get_run_ns, &function_main, &loop, &set);
	tree.node[tree.count - 1].self_run_ns = 1000 - get_run_ns;
	count = attribute(&tree, ret_shares);
	scope_evidence_tree_free(&tree);
	return count;
}

static void the_same_parts_hold_for_what_runs(void **state)
{
	struct scope_share *shares;

	(void)state;
	assert_int_equal(runs(900, &shares), 1);
	free(shares);
	assert_int_equal(runs(899, &shares), 2);
	free(shares);
}

/* set runs for a 20th of what runs, or less; it is far less of all. */
static void a_branch_is_followed_for_what_runs(void **state)
{
	(void)state;
	for (int less = 0; less < 2; less++) {
		struct scope_tree tree;
		struct scope_share *shares;

		assert_int_equal(scope_evidence_tree_init(&tree), 0);
		ADD(&tree, 19000, &function_main, &loop, &get);
		ADD(&tree, 950 + less, &function_main, &loop);
		tree.node[2].self_run_ns = 950 + less;
		ADD(&tree, 50 - less, &function_main, &loop, &set);
		tree.node[tree.count - 1].self_run_ns = 50 - less;
		assert_int_equal(attribute(&tree, &shares), less ? 2 : 3);
		free(shares);
		scope_evidence_tree_free(&tree);
	}
}

/* Says that loop calls a function too often; NULL: any. */
struct asked {
	const struct scope_tree *tree;
	const struct scope_function *callee;
};

static int blame_the_caller(void *user, uint32_t from, uint32_t node, uint32_t *ret_node)
{
	const struct asked *asked = user;

	*ret_node = node;
	for (; node != SCOPE_TREE_ROOT && node != from; node = asked->tree->node[node].parent)
		if (asked->tree->node[asked->tree->node[node].parent].function == &loop &&
		    (!asked->callee || asked->tree->node[node].function == asked->callee))
			*ret_node = asked->tree->node[node].parent;
	return 0;
}

/* get, set and find split the excess of loop, which calls all of them, or get alone, too often. What is loop named for? */
static double caller_is_named(double get_ns, double set_ns, double find_ns, const struct scope_function *too_often)
{
	struct scope_tree tree;
	struct scope_share *shares;
	struct asked asked = { &tree, too_often };
	const struct scope_tree_judge judge = { .same_cause = one_cause_never,
						.caller = blame_the_caller,
						.user = &asked };
	size_t count;
	double named_ns = 0;

	assert_int_equal(scope_evidence_tree_init(&tree), 0);
	ADD(&tree, get_ns, &function_main, &loop, &get);
	ADD(&tree, set_ns, &function_main, &loop, &set);
	ADD(&tree, find_ns, &function_main, &loop, &find);
	scope_evidence_tree_sum(&tree);
	scope_evidence_attribution_free(&attribution);
	assert_int_equal(scope_evidence_attribution_init(&attribution, &tree), 0);
	assert_int_equal(scope_evidence_tree_attribute(&tree, &judge, &attribution, &shares, &count), 0);
	for (size_t i = 0; i < count; i++)
		if (shares[i].function == &loop)
			named_ns += shares[i].excess_ns;
	for (size_t i = 1; i < tree.count; i++)
		if (tree.node[i].function == &get)
			assert_ptr_equal(attribution.owner[i].function, named_ns > 0 ? &loop : &get);
	free(shares);
	scope_evidence_tree_free(&tree);
	return named_ns;
}

static void a_branch_with_half_of_a_split_may_be_called_too_often(void **state)
{
	(void)state;
	assert_true(caller_is_named(95, 5, 0, &get) == 100);
	assert_true(caller_is_named(50, 30, 20, &get) == 100);
}

static void each_branch_below_half_stands_for_itself(void **state)
{
	(void)state;
	assert_true(caller_is_named(49, 30, 21, &get) == 49);
	assert_true(caller_is_named(49, 30, 21, NULL) == 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_the_deepest_holder),
		cmocka_unit_test(waits_for_tasks_are_not_its_own),
		cmocka_unit_test(libraries_are_not_its_own_beside_what_has_most),
		cmocka_unit_test(names_both_branches),
		cmocka_unit_test(adds_up_branches),
		cmocka_unit_test(names_a_splitting_worker),
		cmocka_unit_test(follows_the_branches_of_a_worker),
		cmocka_unit_test(ignores_negative_excess),
		cmocka_unit_test(folds_recursion),
		cmocka_unit_test(a_sleeper_hides_no_runner),
		cmocka_unit_test(a_child_with_nine_tenths_takes_all),
		cmocka_unit_test(a_caller_with_a_fifth_of_its_own_is_named),
		cmocka_unit_test(a_branch_below_a_twentieth_stays_with_the_caller),
		cmocka_unit_test(running_for_a_fiftieth_is_split_by_itself),
		cmocka_unit_test(the_same_parts_hold_for_what_runs),
		cmocka_unit_test(a_branch_is_followed_for_what_runs),
		cmocka_unit_test(a_branch_with_half_of_a_split_may_be_called_too_often),
		cmocka_unit_test(each_branch_below_half_stands_for_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
