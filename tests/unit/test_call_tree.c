// SPDX-License-Identifier: GPL-2.0-only
/*
 * Distances of call trees are compared with a simple program; groups of threads have known roles. SEED changes the
 * random trees.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "server/call_tree.h"

#define THREADS 64
#define ROLES 4
#define STACKS 200
#define NODES 40

static uint64_t seed = 25;

static uint32_t draw(uint32_t below)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)((seed >> 33) % below);
}

/*
 * Half of the sum over all nodes, looked at one by one, less twice what two samples of both would differ by on average: the
 * mean size of a normal variable is sqrt(2 / pi) of its standard deviation.
 */
static double plain_apart(const uint32_t *a, const uint32_t *b)
{
	double all_a = 0, all_b = 0, sum = 0, chance = 0;

	for (int i = 0; i < NODES; i++) {
		all_a += a[i];
		all_b += b[i];
	}
	for (int i = 0; i < NODES; i++) {
		const double share = (a[i] + b[i]) / (all_a + all_b);

		sum += fabs(a[i] / all_a - b[i] / all_b);
		chance += sqrt(share * (1 - share) * (1 / all_a + 1 / all_b));
	}
	return fmax(sum / 2 - 2 * chance * sqrt(2 / M_PI) / 2, 0);
}

static struct scope_call_tree tree_of(const uint32_t *count)
{
	struct scope_call_tree tree = { 0 };
	uint32_t left[NODES], sum = 0;

	for (int i = 0; i < NODES; i++)
		sum += left[i] = count[i];
	/* In any order. */
	while (sum) {
		const uint32_t node = draw(NODES);

		if (left[node]) {
			assert_int_equal(scope_server_call_tree_add(&tree, node + 1), 0);
			left[node]--;
			sum--;
		}
	}
	scope_server_call_tree_sort(&tree);
	return tree;
}

static void distances_are_those_of_the_definition(void **state)
{
	int some = 0;

	(void)state;
	for (int round = 0; round < 1000; round++) {
		uint32_t a[NODES] = { [3] = 1 }, b[NODES] = { [5] = 1 };
		struct scope_call_tree one, other;

		for (int i = 0; i < NODES; i++) {
			a[i] += draw(3) ? 0 : draw(200);
			b[i] += draw(3) ? 0 : draw(200);
		}
		one = tree_of(a);
		other = tree_of(b);
		assert_float_equal(scope_server_call_tree_apart(&one, &other), plain_apart(a, b), 1e-12);
		assert_float_equal(scope_server_call_tree_apart(&other, &one), plain_apart(a, b), 1e-12);
		assert_float_equal(scope_server_call_tree_apart(&one, &one), 0, 1e-12);
		some += plain_apart(a, b) > 0;
		scope_server_call_tree_free(&one);
		scope_server_call_tree_free(&other);
	}
	assert_true(some > 0);
}

/* Stacks of a role, by chance: its own function most of the time, others of all. Roles 2 and 3 have the same tree with weights swapped. */
static void fill(struct scope_call_tree *tree, uint32_t role, uint32_t stacks)
{
	for (uint32_t i = 0; i < stacks; i++) {
		const bool most = draw(100) < 75;
		uint32_t node;

		if (role < 2)
			node = 1 + 10 * role + (most ? 0 : 1 + draw(4));
		else
			node = 30 + (most == (role == 2));
		assert_int_equal(scope_server_call_tree_add(tree, node), 0);
	}
	scope_server_call_tree_sort(tree);
}

/* Are two labellings the same but for the numbers: an adjusted Rand index of 1? */
static bool same_groups(const uint32_t *a, const uint32_t *b, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < i; j++)
			if ((a[i] == a[j]) != (b[i] == b[j]))
				return false;
	return true;
}

static void four_roles_fall_apart(void **state)
{
	(void)state;
	for (int round = 0; round < 20; round++) {
		struct scope_call_tree tree[THREADS] = { 0 };
		const struct scope_call_tree *of[THREADS];
		uint32_t role[THREADS], label[THREADS], groups;

		for (int i = 0; i < THREADS; i++) {
			role[i] = (uint32_t)i % ROLES;
			fill(&tree[i], role[i], STACKS / 2 + draw(STACKS));
			of[i] = &tree[i];
		}
		assert_int_equal(scope_server_call_tree_groups(of, THREADS, label, &groups), 0);
		assert_int_equal(groups, ROLES);
		assert_true(same_groups(role, label, THREADS));
		for (int i = 0; i < THREADS; i++)
			scope_server_call_tree_free(&tree[i]);
	}
}

/* With few stacks threads of one role differ by chance alone. */
static void one_role_stays_together(void **state)
{
	int split = 0;

	(void)state;
	for (int round = 0; round < 100; round++) {
		struct scope_call_tree tree[THREADS] = { 0 };
		const struct scope_call_tree *of[THREADS];
		uint32_t label[THREADS], groups;

		for (int i = 0; i < THREADS; i++) {
			fill(&tree[i], (uint32_t)round % ROLES, 10 + draw(30));
			of[i] = &tree[i];
		}
		assert_int_equal(scope_server_call_tree_groups(of, THREADS, label, &groups), 0);
		split += groups > 1;
		for (int i = 0; i < THREADS; i++)
			scope_server_call_tree_free(&tree[i]);
	}
	assert_true(split <= 2);
}

/* More threads than are grouped: the others join. */
static void any_number_is_grouped(void **state)
{
	const size_t count = SCOPE_CALL_TREES_MAX + 500;
	struct scope_call_tree kind[ROLES] = { 0 };
	const struct scope_call_tree **of = calloc(count, sizeof(*of));
	uint32_t *label = calloc(count, sizeof(*label)), groups;

	(void)state;
	assert_true(of && label);
	for (uint32_t i = 0; i < ROLES; i++)
		fill(&kind[i], i, STACKS);
	for (size_t i = 0; i < count; i++)
		of[i] = &kind[i % ROLES];
	assert_int_equal(scope_server_call_tree_groups(of, count, label, &groups), 0);
	assert_int_equal(groups, ROLES);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(label[i], i % ROLES);
	assert_int_equal(scope_server_call_tree_groups(of, 0, label, &groups), 0);
	assert_int_equal(groups, 0);
	for (uint32_t i = 0; i < ROLES; i++)
		scope_server_call_tree_free(&kind[i]);
	free(of);
	free(label);
}

int main(void)
{
	const char *from = getenv("SEED");
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distances_are_those_of_the_definition),
		cmocka_unit_test(four_roles_fall_apart),
		cmocka_unit_test(one_role_stays_together),
		cmocka_unit_test(any_number_is_grouped),
	};

	if (from)
		seed = strtoull(from, NULL, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
