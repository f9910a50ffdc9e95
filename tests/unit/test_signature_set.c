// SPDX-License-Identifier: GPL-2.0-only
/* The function that an episode identifies: the deepest that fits, and which one is taken for a call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "evidence/vote.h"
#include "signature/ownership.h"

static const struct scope_signature_options four = { .owners_max = 4 }, two = { .owners_max = 2 };

enum { MAIN, HANDLE, READ_FILE, READ_INDEX, REPLY, FUNCTIONS };

/* main calls handle, which calls the other three. */
static struct scope_signatures *make_signatures(void)
{
	static const char *const name[] = { "main", "handle", "read_file", "read_index", "reply" };
	struct scope_signatures *signatures = calloc(1, sizeof(*signatures));

	assert_non_null(signatures);
	signatures->function = calloc(FUNCTIONS, sizeof(*signatures->function));
	assert_non_null(signatures->function);
	signatures->functions = FUNCTIONS;
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		struct scope_signature_function *function = &signatures->function[i];

		function->function.name = strdup(name[i]);
		function->function.module = strdup("server");
		if (i == MAIN)
			continue;
		function->caller = calloc(1, sizeof(*function->caller));
		assert_non_null(function->caller);
		function->caller[function->callers++] = i == HANDLE ? MAIN : HANDLE;
	}
	return signatures;
}

#define EPISODE(gaps, ...)                                                                                             \
	(struct scope_episode)                                                                                         \
	{                                                                                                              \
		.nr = { __VA_ARGS__ }, .length = sizeof((uint16_t[]){ __VA_ARGS__ }) / sizeof(uint16_t),               \
		.contiguous = !(gaps), .support = 10                                                                   \
	}

/* Owners of the episode as bits, 0 if it is left aside. */
static unsigned owners_of(const struct scope_signatures *signatures, const struct scope_episode *episode,
			  double *ret_weight)
{
	unsigned owners = 0;

	for (size_t i = 0; i < signatures->episodes; i++) {
		if (scope_signature_episode_compare(&signatures->episode[i], episode))
			continue;
		for (size_t j = signatures->first[i]; j < signatures->first[i + 1]; j++)
			owners |= 1u << signatures->owner[j];
		*ret_weight = signatures->weight[i];
	}
	return owners;
}

static void test_the_deepest_own_an_episode(void **state)
{
	const struct scope_episode open_read = EPISODE(false, 2, 0), gap = EPISODE(true, 2, 1);
	struct scope_owned owned[] = {
		{ open_read, MAIN }, { open_read, HANDLE }, { open_read, READ_FILE }, { gap, MAIN }, { gap, HANDLE },
	};
	struct scope_signatures *signatures = make_signatures();
	double weight = 0;

	(void)state;
	assert_int_equal(scope_signatures_own(signatures, owned, 5, &four), 0);
	assert_int_equal(owners_of(signatures, &open_read, &weight), 1u << READ_FILE);
	assert_true(weight == 2);
	assert_int_equal(owners_of(signatures, &gap, &weight), 1u << HANDLE);
	scope_signatures_destroy(signatures);
}

static void test_what_is_in_a_longer_episode_fits_as_well(void **state)
{
	const struct scope_episode single = EPISODE(false, 0), longer = EPISODE(false, 2, 8, 0);
	struct scope_owned owned[] = { { single, READ_FILE }, { longer, READ_INDEX } };
	struct scope_signatures *signatures = make_signatures();
	double weight = 0;

	(void)state;
	assert_int_equal(scope_signatures_own(signatures, owned, 2, &four), 0);
	assert_int_equal(owners_of(signatures, &single, &weight), 1u << READ_FILE | 1u << READ_INDEX);
	assert_true(weight == 0.5);
	assert_int_equal(owners_of(signatures, &longer, &weight), 1u << READ_INDEX);
	assert_true(weight == 3);
	scope_signatures_destroy(signatures);
}

static void test_what_too_many_share_is_left_aside(void **state)
{
	const struct scope_episode shared = EPISODE(false, 1), own = EPISODE(false, 1, 3);
	struct scope_owned owned[] = {
		{ shared, READ_FILE },
		{ shared, READ_INDEX },
		{ shared, REPLY },
		{ own, REPLY },
	};
	struct scope_signatures *signatures = make_signatures();
	double weight = 0;

	(void)state;
	assert_int_equal(scope_signatures_own(signatures, owned, 4, &two), 0);
	assert_int_equal(owners_of(signatures, &shared, &weight), 0);
	assert_int_equal(signatures->shared, 1);
	assert_int_equal(owners_of(signatures, &own, &weight), 1u << REPLY);
	scope_signatures_destroy(signatures);
}

static void test_flat_weights_know_no_length(void **state)
{
	const struct scope_signature_options flat = { .owners_max = 4, .flat = true };
	const struct scope_episode longer = EPISODE(true, 2, 8, 0);
	struct scope_owned owned[] = { { longer, READ_FILE }, { longer, REPLY } };
	struct scope_signatures *signatures = make_signatures();
	double weight = 0;

	(void)state;
	assert_int_equal(scope_signatures_own(signatures, owned, 2, &flat), 0);
	assert_int_equal(owners_of(signatures, &longer, &weight), 1u << READ_FILE | 1u << REPLY);
	assert_true(weight == 0.5);
	scope_signatures_destroy(signatures);
}

/* Support says in how many busy stretches a function was; the calls beside them are not its own. */
static void test_a_thread_that_is_busy_for_long_owns_it(void **state)
{
	struct scope_episode busy = EPISODE(false, 2, SCOPE_EPISODE_BUSY, 1);
	const struct scope_episode calls = EPISODE(true, 2, 1), opens = EPISODE(false, 2);
	struct scope_owned owned[] = {
		{ busy, MAIN },	 { busy, HANDLE },  { busy, READ_FILE },
		{ busy, REPLY }, { calls, HANDLE }, { opens, READ_INDEX },
	};
	struct scope_signatures *signatures = make_signatures();
	double weight = 0;

	(void)state;
	owned[0].episode.support = owned[1].episode.support = 100;
	owned[2].episode.support = 60;
	owned[3].episode.support = 40;
	assert_int_equal(scope_signatures_own(signatures, owned, 6, &four), 0);
	assert_int_equal(owners_of(signatures, &busy, &weight), 1u << READ_FILE);
	assert_true(weight == 3);
	assert_int_equal(owners_of(signatures, &calls, &weight), 1u << HANDLE);
	assert_int_equal(owners_of(signatures, &opens, &weight), 1u << READ_INDEX);
	scope_signatures_destroy(signatures);
}

/* Where nobody below was in half of them it is the caller's. */
static void test_a_caller_is_busy_in_many_ways(void **state)
{
	struct scope_episode busy = EPISODE(false, SCOPE_EPISODE_BUSY, 1);
	struct scope_owned owned[] = { { busy, MAIN }, { busy, HANDLE }, { busy, READ_FILE }, { busy, REPLY } };
	struct scope_signatures *signatures = make_signatures();
	double weight = 0;

	(void)state;
	owned[0].episode.support = owned[1].episode.support = 101;
	owned[2].episode.support = 50;
	owned[3].episode.support = 49;
	assert_int_equal(scope_signatures_own(signatures, owned, 4, &four), 0);
	assert_int_equal(owners_of(signatures, &busy, &weight), 1u << HANDLE);
	scope_signatures_destroy(signatures);
}

static void test_functions_that_call_each_other_keep_one(void **state)
{
	const struct scope_episode episode = EPISODE(false, 5);
	struct scope_owned owned[] = { { episode, MAIN }, { episode, HANDLE } };
	struct scope_signatures *signatures = make_signatures();
	struct scope_signature_function *top = &signatures->function[MAIN];
	double weight = 0;

	(void)state;
	top->caller = calloc(1, sizeof(*top->caller));
	assert_non_null(top->caller);
	top->caller[top->callers++] = HANDLE;
	assert_int_equal(scope_signatures_own(signatures, owned, 2, &four), 0);
	assert_int_equal(owners_of(signatures, &episode, &weight), 1u << MAIN);
	scope_signatures_destroy(signatures);
}

static void test_the_callers_weight_decides(void **state)
{
	struct scope_signatures *signatures = make_signatures();
	struct scope_winner winner[SCOPE_WINNERS_MAX];
	struct scope_ballot ballot = { .votes = 0 };

	(void)state;
	assert_int_equal(scope_evidence_ballot_count(signatures, &ballot, winner), 0);
	scope_evidence_ballot_vote(&ballot, READ_FILE, 0.5);
	scope_evidence_ballot_vote(&ballot, READ_INDEX, 0.5);
	assert_int_equal(scope_evidence_ballot_count(signatures, &ballot, winner), 2);
	/* A caller that both have changes nothing, and is no winner itself. */
	scope_evidence_ballot_vote(&ballot, HANDLE, 3);
	assert_int_equal(scope_evidence_ballot_count(signatures, &ballot, winner), 2);
	assert_string_equal(winner[0].path[winner[0].length - 1]->name, "read_file");
	/* The heaviest episode of a function counts. */
	scope_evidence_ballot_vote(&ballot, READ_INDEX, 2);
	scope_evidence_ballot_vote(&ballot, READ_INDEX, 1);
	assert_int_equal(scope_evidence_ballot_count(signatures, &ballot, winner), 1);
	assert_int_equal(winner[0].length, 3);
	assert_string_equal(winner[0].path[0]->name, "main");
	assert_string_equal(winner[0].path[1]->name, "handle");
	assert_string_equal(winner[0].path[2]->name, "read_index");
	scope_signatures_destroy(signatures);
}

/* With two callers, the way up is by the one that the call speaks for as well. */
static void test_the_way_up_is_by_the_heavier_caller(void **state)
{
	struct scope_signatures *signatures = make_signatures();
	struct scope_signature_function *function = &signatures->function[READ_FILE];
	struct scope_winner winner[SCOPE_WINNERS_MAX];
	struct scope_ballot ballot = { .votes = 0 };

	(void)state;
	free(function->caller);
	function->caller = calloc(2, sizeof(*function->caller));
	assert_non_null(function->caller);
	function->caller[0] = REPLY;
	function->caller[1] = READ_INDEX;
	function->callers = 2;
	scope_evidence_ballot_vote(&ballot, READ_FILE, 1);
	assert_int_equal(scope_evidence_ballot_count(signatures, &ballot, winner), 1);
	assert_string_equal(winner[0].path[winner[0].length - 2]->name, "reply");
	scope_evidence_ballot_vote(&ballot, READ_INDEX, 1);
	assert_int_equal(scope_evidence_ballot_count(signatures, &ballot, winner), 1);
	assert_string_equal(winner[0].path[winner[0].length - 2]->name, "read_index");
	assert_string_equal(winner[0].path[winner[0].length - 1]->name, "read_file");
	scope_signatures_destroy(signatures);
}

static void test_a_full_ballot_keeps_the_heaviest(void **state)
{
	struct scope_ballot ballot = { .votes = 0 };

	(void)state;
	for (uint32_t i = 0; i < 2 * SCOPE_VOTES_MAX; i++)
		scope_evidence_ballot_vote(&ballot, i, i + 1);
	assert_int_equal(ballot.votes, 12);
	for (unsigned i = 0; i < ballot.votes; i++)
		assert_true(ballot.weight[i] > SCOPE_VOTES_MAX);
}

/* Five functions without callers, of which some speak for a call with equal weight. */
static void test_of_more_than_four_equals_none_wins(void **state)
{
	struct scope_signatures *signatures = make_signatures();
	struct scope_winner winner[SCOPE_WINNERS_MAX];

	(void)state;
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		signatures->function[i].callers = 0;
	for (uint32_t equals = 4; equals <= 5; equals++) {
		struct scope_ballot ballot = { .votes = 0 };

		for (uint32_t i = 0; i < equals; i++)
			scope_evidence_ballot_vote(&ballot, i, 1);
		assert_int_equal(scope_evidence_ballot_count(signatures, &ballot, winner), equals == 4 ? 4 : 0);
	}
	scope_signatures_destroy(signatures);
}

/* Sums that differ by a 10,000th or less are of the same weights, in another order. */
static void test_sums_of_the_same_weights_are_equal(void **state)
{
	struct scope_signatures *signatures = make_signatures();
	struct scope_winner winner[SCOPE_WINNERS_MAX];

	(void)state;
	for (int less = 0; less < 2; less++) {
		struct scope_ballot ballot = { .votes = 0 };

		scope_evidence_ballot_vote(&ballot, READ_FILE, 1);
		scope_evidence_ballot_vote(&ballot, READ_INDEX, less ? 0.99985 : 0.99995);
		assert_int_equal(scope_evidence_ballot_count(signatures, &ballot, winner), less ? 1 : 2);
	}
	scope_signatures_destroy(signatures);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_deepest_own_an_episode),
		cmocka_unit_test(test_what_is_in_a_longer_episode_fits_as_well),
		cmocka_unit_test(test_what_too_many_share_is_left_aside),
		cmocka_unit_test(test_flat_weights_know_no_length),
		cmocka_unit_test(test_a_thread_that_is_busy_for_long_owns_it),
		cmocka_unit_test(test_a_caller_is_busy_in_many_ways),
		cmocka_unit_test(test_functions_that_call_each_other_keep_one),
		cmocka_unit_test(test_the_callers_weight_decides),
		cmocka_unit_test(test_the_way_up_is_by_the_heavier_caller),
		cmocka_unit_test(test_a_full_ballot_keeps_the_heaviest),
		cmocka_unit_test(test_of_more_than_four_equals_none_wins),
		cmocka_unit_test(test_sums_of_the_same_weights_are_equal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
