// SPDX-License-Identifier: GPL-2.0-only
/* Episodes, mined and found, compared with simple programs that try all possibilities. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "signature/match.h"
#include "signature/mine.h"

#define ROUNDS 300
#define CALLS_MAX 60
#define NAIVE_MAX 40000

static uint32_t random_below(uint64_t *state, uint32_t bound)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (*state >> 33) % bound;
}

/* Some calls repeat what came before, or the one before, as those of programs do; it may be busy between. */
static size_t random_calls(uint64_t *state, uint32_t alphabet, uint16_t *nr, size_t room)
{
	size_t length = 1 + random_below(state, room);
	bool busy = random_below(state, 2);

	for (size_t i = 0; i < length; i++) {
		nr[i] = i > 4 && random_below(state, 3) ? nr[i - 4] : (uint16_t)random_below(state, alphabet);
		if (i && !random_below(state, 5))
			nr[i] = nr[i - 1];
		if (busy && !random_below(state, 9))
			nr[i] = SCOPE_EPISODE_BUSY;
	}
	return length;
}

static size_t window_end(const uint16_t *nr, size_t length, size_t first)
{
	size_t end = first + 1;

	while (end < length && end < first + SCOPE_EPISODE_SPAN && nr[end] != nr[first])
		end++;
	return end;
}

/* Of the calls from first on, those that are next to each other and of one number. */
static size_t run_length(const uint16_t *nr, size_t length, size_t first)
{
	size_t end = first;

	while (end < length && nr[end] == nr[first])
		end++;
	return end - first;
}

static bool is_run(const struct scope_episode *episode)
{
	return episode->length > 1 && episode->nr[1] == episode->nr[0];
}

static bool same_calls(const struct scope_episode *a, const struct scope_episode *b)
{
	return a->length == b->length && !memcmp(a->nr, b->nr, a->length * sizeof(*a->nr));
}

/* Where the leftmost occurrence of an episode in the window ends, or 0. */
static size_t naive_find(const struct scope_episode *episode, const uint16_t *nr, size_t first, size_t end)
{
	unsigned found = 1;
	size_t at = first;

	if (nr[first] != episode->nr[0])
		return 0;
	if (episode->contiguous) {
		if (first + episode->length > end || memcmp(&nr[first], episode->nr, episode->length * sizeof(*nr)))
			return 0;
		return first + episode->length;
	}
	while (found < episode->length && ++at < end)
		found += nr[at] == episode->nr[found];
	return found == episode->length ? at + 1 : 0;
}

static size_t naive_add(struct scope_episode *all, size_t count, const struct scope_episode *episode)
{
	for (size_t i = 0; i < count; i++)
		if (same_calls(&all[i], episode))
			return count;
	assert_true(count < NAIVE_MAX);
	all[count] = *episode;
	return count + 1;
}

/* Every subsequence of every window, the first call included. */
static size_t naive_candidates(const struct scope_string *string, size_t strings, struct scope_episode *all)
{
	size_t count = 0;

	for (size_t s = 0; s < strings; s++)
		for (size_t i = 0; i < string[s].length; i++) {
			size_t rest = window_end(string[s].nr, string[s].length, i) - i - 1;

			for (unsigned set = 0; set < 1u << rest; set++) {
				struct scope_episode episode = { .nr = { string[s].nr[i] }, .length = 1 };

				if (__builtin_popcount(set) >= SCOPE_EPISODE_MAX)
					continue;
				for (size_t j = 0; j < rest; j++)
					if (set & 1u << j)
						episode.nr[episode.length++] = string[s].nr[i + 1 + j];
				count = naive_add(all, count, &episode);
			}
			for (size_t j = run_length(string[s].nr, string[s].length, i); j > 1; j--) {
				struct scope_episode run = { .length = (uint8_t)j, .contiguous = true };

				for (size_t k = 0; k < j && j <= SCOPE_EPISODE_MAX; k++)
					run.nr[k] = string[s].nr[i];
				if (j <= SCOPE_EPISODE_MAX)
					count = naive_add(all, count, &run);
			}
		}
	return count;
}

/* Taken one after the other from the left, as many as there is room for. */
static void naive_count_runs(const struct scope_string *string, size_t strings, struct scope_episode *run)
{
	for (size_t s = 0; s < strings; s++)
		for (size_t i = 0; i + run->length <= string[s].length;) {
			bool found = string[s].nr[i] == run->nr[0] &&
				     run_length(string[s].nr, string[s].length, i) >= run->length;

			run->support += found ? string[s].count : 0;
			i += found ? run->length : 1;
		}
}

static void naive_count(const struct scope_string *string, size_t strings, struct scope_episode *episode)
{
	uint64_t next_to = 0;

	for (size_t s = 0; s < strings; s++)
		for (size_t i = 0; i < string[s].length; i++) {
			size_t end = window_end(string[s].nr, string[s].length, i);
			struct scope_episode contiguous = *episode;

			contiguous.contiguous = true;
			if (!naive_find(episode, string[s].nr, i, end))
				continue;
			episode->support += string[s].count;
			if (naive_find(&contiguous, string[s].nr, i, end))
				next_to += string[s].count;
		}
	episode->contiguous = next_to == episode->support;
}

static bool is_within(const struct scope_episode *a, const struct scope_episode *b)
{
	unsigned found = 0;

	for (unsigned i = 0; i < b->length; i++)
		if (found < a->length && b->nr[i] == a->nr[found])
			found++;
	return a->length < b->length && found == a->length;
}

static int compare(const void *left, const void *right)
{
	return scope_signature_episode_compare(left, right);
}

/* Those with a busy stretch, or those without: neither kind knows the other. */
static size_t naive_mine_kind(const struct scope_string *string, size_t strings, uint64_t support_min, bool busy,
			      struct scope_episode *all)
{
	size_t count = naive_candidates(string, strings, all), kept = 0, frequent = 0;
	struct scope_episode *closed = calloc(count + 1, sizeof(*closed));

	assert_non_null(closed);
	for (size_t i = 0; i < count; i++) {
		if (scope_signature_episode_is_busy(&all[i]) != busy || (busy && is_run(&all[i])))
			continue;
		if (is_run(&all[i]))
			naive_count_runs(string, strings, &all[i]);
		else
			naive_count(string, strings, &all[i]);
		if (all[i].support >= support_min)
			all[frequent++] = all[i];
	}
	for (size_t i = 0; i < frequent; i++) {
		bool is_closed = true;

		for (size_t j = 0; j < frequent; j++)
			if (all[j].support == all[i].support && is_within(&all[i], &all[j]))
				is_closed = false;
		if (is_closed)
			closed[kept++] = all[i];
	}
	memcpy(all, closed, kept * sizeof(*closed));
	memset(all + kept, 0, (count - kept) * sizeof(*all));
	free(closed);
	return kept;
}

static bool string_is_busy(const struct scope_string *string)
{
	for (size_t i = 0; i < string->length; i++)
		if (string->nr[i] == SCOPE_EPISODE_BUSY)
			return true;
	return false;
}

/* Strings with a busy stretch are a kind of their own. */
static size_t naive_mine(const struct scope_string *string, size_t strings, uint64_t support_min,
			 struct scope_episode *all)
{
	struct scope_string of[3];
	size_t count = 0;

	assert_true(strings <= 3);
	for (int busy = 0; busy < 2; busy++) {
		size_t chosen = 0;

		for (size_t s = 0; s < strings; s++)
			if (string_is_busy(&string[s]) == busy)
				of[chosen++] = string[s];
		count += naive_mine_kind(of, chosen, support_min, busy, all + count);
	}
	qsort(all, count, sizeof(*all), compare);
	return count;
}

static void test_mined_episodes_are_the_closed_ones(void **state)
{
	struct scope_episode *naive = calloc(NAIVE_MAX, sizeof(*naive));
	uint64_t seed = 1;
	size_t total = 0, gaps = 0, runs = 0, busy = 0;

	(void)state;
	assert_non_null(naive);
	for (int round = 0; round < ROUNDS; round++) {
		const struct scope_mine_options options = { 1 + random_below(&seed, 6), SIZE_MAX };
		uint16_t nr[3][CALLS_MAX / 3];
		struct scope_string string[3];
		struct scope_episode *mined;
		uint32_t alphabet = 2 + random_below(&seed, 6);
		size_t count, expected;

		memset(naive, 0, NAIVE_MAX * sizeof(*naive));
		for (int s = 0; s < 3; s++)
			string[s] = (struct scope_string){
				nr[s],
				random_calls(&seed, alphabet, nr[s], CALLS_MAX / 3),
				1 + random_below(&seed, 3),
			};
		expected = naive_mine(string, 3, options.support_min, naive);
		assert_int_equal(scope_signature_mine(string, 3, &options, &mined, &count), 0);
		assert_int_equal(count, expected);
		for (size_t i = 0; i < count; i++) {
			assert_true(same_calls(&mined[i], &naive[i]));
			assert_int_equal(mined[i].support, naive[i].support);
			assert_int_equal(mined[i].contiguous, naive[i].contiguous);
			assert_true(scope_signature_episode_valid(&mined[i]));
			gaps += !mined[i].contiguous;
			runs += is_run(&mined[i]);
			busy += scope_signature_episode_is_busy(&mined[i]);
		}
		total += count;
		free(mined);
	}
	assert_true(total > 10 * ROUNDS && gaps > ROUNDS && runs > ROUNDS && busy > ROUNDS);
	free(naive);
}

static void test_best_supported_episodes_are_kept(void **state)
{
	static const uint16_t nr[] = { 1, 2, 3, 9, 9, 1, 2, 3, 9, 1, 2 };
	const struct scope_string string = { nr, sizeof(nr) / sizeof(*nr), 1 };
	const struct scope_mine_options options = { 2, 2 };
	struct scope_episode *mined;
	size_t count;

	(void)state;
	assert_int_equal(scope_signature_mine(&string, 1, &options, &mined, &count), 0);
	assert_int_equal(count, 2);
	/* Three windows each: 1 2 and 9; no other closed episode has as many. */
	assert_int_equal(mined[0].nr[0], 1);
	assert_int_equal(mined[0].length, 2);
	assert_int_equal(mined[0].support, 3);
	assert_int_equal(mined[1].nr[0], 9);
	assert_int_equal(mined[1].length, 1);
	assert_int_equal(mined[1].support, 3);
	free(mined);
}

static void test_nothing_is_mined_from_nothing(void **state)
{
	const struct scope_mine_options options = { 1, 10 };
	struct scope_episode *mined;
	size_t count;

	(void)state;
	assert_int_equal(scope_signature_mine(NULL, 0, &options, &mined, &count), 0);
	assert_int_equal(count, 0);
	free(mined);
}

struct hit {
	uint32_t episode;
	uint64_t first, last;
};

struct hits {
	struct hit hit[200000];
	size_t count;
};

static void take_hit(void *user, uint32_t episode, uint64_t first, uint64_t last)
{
	struct hits *hits = user;

	assert_true(hits->count < sizeof(hits->hit) / sizeof(*hits->hit));
	hits->hit[hits->count++] = (struct hit){ episode, first, last };
}

static int compare_hits(const void *left, const void *right)
{
	const struct hit *a = left, *b = right;

	if (a->episode != b->episode)
		return a->episode < b->episode ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

static void sort_hits(struct hits *hits)
{
	if (hits->count)
		qsort(hits->hit, hits->count, sizeof(*hits->hit), compare_hits);
}

static void random_episode(uint64_t *seed, uint32_t alphabet, struct scope_episode *ret_episode)
{
	bool run = !random_below(seed, 5);

	do {
		*ret_episode = (struct scope_episode){
			.length = 1 + random_below(seed, SCOPE_EPISODE_MAX),
			.contiguous = random_below(seed, 2),
		};
		for (unsigned i = 0; i < ret_episode->length; i++)
			ret_episode->nr[i] = i && run ? ret_episode->nr[0] : (uint16_t)random_below(seed, alphabet);
	} while (!scope_signature_episode_valid(ret_episode));
}

/* Calls come in pieces of all sizes: the same hits, however they are cut. */
static void feed_in_pieces(uint64_t *seed, const struct scope_matcher *matcher, struct scope_match *match,
			   const uint16_t *nr, size_t length, struct hits *hits)
{
	hits->count = 0;
	scope_signature_match_reset(match);
	for (size_t at = 0; at < length;) {
		size_t piece = 1 + random_below(seed, (uint32_t)(length - at));

		scope_signature_match_feed(matcher, match, nr + at, piece, take_hit, hits);
		at += piece;
	}
	sort_hits(hits);
}

static void naive_match(const struct scope_episode *episode, size_t episodes, const uint16_t *nr, size_t length,
			struct hits *hits)
{
	hits->count = 0;
	for (uint32_t e = 0; e < episodes; e++)
		for (size_t i = 0; i < length; i++) {
			/* A single call, a string and a run need no window. */
			size_t end = naive_find(&episode[e], nr, i,
						is_run(&episode[e]) ? length : window_end(nr, length, i));

			if (end)
				take_hit(hits, e, i, end - 1);
		}
	sort_hits(hits);
}

static void test_found_episodes_are_those_of_a_naive_search(void **state)
{
	struct hits *found = malloc(sizeof(*found)), *naive = malloc(sizeof(*naive));
	uint64_t seed = 7;
	size_t total = 0;

	(void)state;
	assert_true(found && naive);
	for (int round = 0; round < ROUNDS; round++) {
		uint32_t alphabet = 3 + random_below(&seed, 12);
		size_t episodes = 1 + random_below(&seed, 150), length;
		struct scope_episode episode[150];
		struct scope_matcher *matcher;
		struct scope_match *match;
		uint16_t nr[300];

		for (size_t i = 0; i < episodes; i++)
			random_episode(&seed, alphabet, &episode[i]);
		assert_int_equal(scope_signature_matcher_create(episode, episodes, &matcher), 0);
		assert_int_equal(scope_signature_match_create(matcher, &match), 0);
		for (int again = 0; again < 2; again++) {
			length = random_calls(&seed, alphabet + 2, nr, 300);
			feed_in_pieces(&seed, matcher, match, nr, length, found);
			naive_match(episode, episodes, nr, length, naive);
			assert_int_equal(found->count, naive->count);
			for (size_t i = 0; i < found->count; i++) {
				assert_int_equal(compare_hits(&found->hit[i], &naive->hit[i]), 0);
				assert_int_equal(found->hit[i].last, naive->hit[i].last);
			}
			total += found->count;
		}
		scope_signature_match_destroy(match);
		scope_signature_matcher_destroy(matcher);
	}
	assert_true(total > 100 * ROUNDS);
	free(found);
	free(naive);
}

static void test_episodes_that_cannot_be_are_refused(void **state)
{
	static const struct scope_episode wrong[] = {
		{ .length = 0 },
		{ .nr = { 1, 2 }, .length = SCOPE_EPISODE_MAX + 1 },
		{ .nr = { 1, 2, 1 }, .length = 3 },
		{ .nr = { 1, 1, 2 }, .length = 3, .contiguous = true },
		{ .nr = { 1, 1 }, .length = 2 }, /* with others between its calls it is no run */
	};
	struct scope_matcher *matcher;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_equal(scope_signature_matcher_create(&wrong[i], 1, &matcher), -EINVAL);
	assert_int_equal(scope_signature_matcher_create(NULL, 0, &matcher), 0);
	scope_signature_matcher_destroy(matcher);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mined_episodes_are_the_closed_ones),
		cmocka_unit_test(test_best_supported_episodes_are_kept),
		cmocka_unit_test(test_nothing_is_mined_from_nothing),
		cmocka_unit_test(test_found_episodes_are_those_of_a_naive_search),
		cmocka_unit_test(test_episodes_that_cannot_be_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
