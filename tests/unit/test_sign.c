// SPDX-License-Identifier: GPL-2.0-only
/* The functions that a call, and the time before it, are attributed to by the signatures that contain the call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "evidence_case.h"
#include "signature/ownership.h"

#define MS 1000000ull
#define US 1000ull

static const struct scope_signature_options options = { .owners_max = 4 };

enum { MAIN, WRITER, SEEKER, FUNCTIONS };

#define EPISODE(gaps, ...)                                                                                             \
	(struct scope_episode)                                                                                         \
	{                                                                                                              \
		.nr = { __VA_ARGS__ }, .length = sizeof((uint16_t[]){ __VA_ARGS__ }) / sizeof(uint16_t),               \
		.contiguous = !(gaps), .support = 10                                                                   \
	}

/* main calls writer and seeker. */
static struct scope_signatures *learned(struct scope_owned *owned, size_t count)
{
	static const char *const name[] = { "main", "writer", "seeker" };
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
		function->caller[function->callers++] = MAIN;
	}
	assert_int_equal(scope_signatures_own(signatures, owned, count, &options), 0);
	assert_int_equal(
		scope_signature_matcher_create(signatures->episode, signatures->episodes, &signatures->matcher), 0);
	return signatures;
}

static struct story story;
static struct evidence_case made;
static struct scope_signatures *signatures;

/* 40 usual requests, and then a slow one, from that time on. */
static void begin(void)
{
	story_begin(&story, "");
	story_usual(&story, 40, NULL);
	story_take(&story);
}

/* Runs for that time, and then makes a call of 10 us, or a getpid of 15 us. */
static void call(const char *name, uint64_t run_ns)
{
	const uint64_t length_ns = strcmp(name, "getpid") ? 10 * US : 15 * US;

	story.now_ns += run_ns;
	fprintf(story.to, "%ju 0 syscall 10 %s enter=%ju ret=0 args=9\n", (uintmax_t)(story.now_ns + length_ns), name,
		(uintmax_t)story.now_ns);
	story.now_ns += length_ns;
}

static const struct scope_evidence *sign(void)
{
	const struct scope_evidence_source source = {
		.trace = made.trace,
		.kept = made.kept,
		.signatures = signatures,
	};

	assert_int_equal(scope_evidence_sign(&source, NULL, made.detection, &made.evidence), 0);
	return made.evidence;
}

static const struct scope_evidence *end(void)
{
	story.now_ns += 10 * US;
	story_loop(&story);
	made = case_of(&story);
	assert_int_equal(made.kept->slow_units, 1);
	return sign();
}

static void over(void)
{
	case_end(&made);
	scope_signatures_destroy(signatures);
}

/* ns that the slow unit spent in that function: running, or asleep. "": in none. */
static double time_of(const char *function, uint8_t kind)
{
	double sum_ns = 0;

	for (size_t i = 0; i < made.evidence->items; i++) {
		const struct scope_item *item = &made.evidence->item[i];

		if (item->abnormal && item->kind == kind && !strcmp(case_function(made.evidence, item), function))
			sum_ns += item->weight_ns;
	}
	return sum_ns;
}

static void a_call_and_what_lies_between_are_the_owners(void **state)
{
	struct scope_owned owned[] = { { EPISODE(false, SYS_lseek, SYS_fsync), SEEKER } };

	(void)state;
	signatures = learned(owned, 1);
	begin();
	call("lseek", 2 * MS);
	call("fsync", 3 * MS);
	call("getpid", 4 * MS);
	end();
	/* Not the time before the first one, which anybody may have spent. */
	assert_true(time_of("seeker", SCOPE_ITEM_RUN) == 10 * US + 3 * MS + 10 * US);
	assert_true(time_of("", SCOPE_ITEM_RUN) >= 6 * MS + 10 * US);
	over();
}

/* The calls between its own are somebody's else; the time is its own all the same. */
static void calls_between_are_others(void **state)
{
	struct scope_owned owned[] = { { EPISODE(true, SYS_lseek, SYS_fsync), SEEKER } };

	(void)state;
	signatures = learned(owned, 1);
	begin();
	call("lseek", 2 * MS);
	call("getpid", 1 * MS);
	call("fsync", 3 * MS);
	end();
	assert_true(time_of("seeker", SCOPE_ITEM_RUN) == 10 * US + 1 * MS + 3 * MS + 10 * US);
	over();
}

static void the_one_that_more_speaks_for_wins(void **state)
{
	struct scope_owned owned[] = {
		{ EPISODE(false, SYS_lseek, SYS_fsync), SEEKER },
		{ EPISODE(false, SYS_fsync), WRITER },
	};

	(void)state;
	signatures = learned(owned, 2);
	begin();
	call("lseek", 2 * MS);
	call("fsync", 3 * MS);
	call("getpid", 1 * MS);
	call("fsync", 1 * MS);
	end();
	assert_true(time_of("seeker", SCOPE_ITEM_RUN) == 3 * MS + 20 * US);
	/* The second one comes without what seeker does before it: it may be either's. */
	assert_true(time_of("main", SCOPE_ITEM_RUN) == 10 * US);
	assert_true(time_of("writer", SCOPE_ITEM_RUN) == 0);
	over();
}

static void between_equals_it_is_their_callers(void **state)
{
	struct scope_owned owned[] = {
		{ EPISODE(false, SYS_lseek, SYS_fsync), SEEKER },
		{ EPISODE(false, SYS_lseek, SYS_fsync), WRITER },
	};

	(void)state;
	signatures = learned(owned, 2);
	begin();
	call("lseek", 2 * MS);
	call("fsync", 3 * MS);
	end();
	assert_true(time_of("main", SCOPE_ITEM_RUN) == 3 * MS + 20 * US);
	assert_true(time_of("seeker", SCOPE_ITEM_RUN) == 0);
	over();
}

/* Eight calls are a window: the last is the eighth, or the ninth. */
static void an_episode_lies_within_eight_calls(void **state)
{
	(void)state;
	for (unsigned between = 6; between <= 7; between++) {
		struct scope_owned owned[] = { { EPISODE(true, SYS_lseek, SYS_fsync), SEEKER } };

		signatures = learned(owned, 1);
		begin();
		call("lseek", 2 * MS);
		for (unsigned i = 0; i < between; i++)
			call("getpid", MS);
		call("fsync", MS);
		end();
		assert_true(time_of("seeker", SCOPE_ITEM_RUN) == (between == 6 ? 7 * MS + 20 * US : 0));
		over();
	}
}

/* 64 us between the two calls are a busy stretch, of which alone the episode speaks. */
static void a_stretch_of_64_us_is_busy(void **state)
{
	(void)state;
	for (unsigned more = 0; more < 2; more++) {
		struct scope_owned owned[] = { { EPISODE(false, SYS_lseek, SCOPE_EPISODE_BUSY, SYS_fsync), SEEKER } };
		const uint64_t run_ns = 64 * US - 1 + more;

		signatures = learned(owned, 1);
		begin();
		call("lseek", 2 * MS);
		call("fsync", run_ns);
		end();
		assert_true(time_of("seeker", SCOPE_ITEM_RUN) == (more ? run_ns : 0));
		over();
	}
}

/* lseek, busy, fsync, busy, close: the second stretch is the episode's. */
static void another_busy_stretch_is_not_spoken_for(void **state)
{
	struct scope_owned owned[] = {
		{ EPISODE(true, SYS_lseek, SYS_fsync, SCOPE_EPISODE_BUSY, SYS_close), SEEKER },
	};

	(void)state;
	signatures = learned(owned, 1);
	begin();
	call("lseek", 2 * MS);
	call("fsync", 100 * US);
	call("close", 200 * US);
	end();
	assert_true(time_of("seeker", SCOPE_ITEM_RUN) == 200 * US);
	over();
}

/* A sleep in the call, of which 1 ms waits for a CPU. */
static void a_sleep_is_that_of_its_call(void **state)
{
	struct scope_owned owned[] = { { EPISODE(false, SYS_lseek, SYS_fsync), SEEKER } };

	(void)state;
	signatures = learned(owned, 1);
	begin();
	call("lseek", 2 * MS);
	fprintf(story.to,
		"%ju 0 enter 10 fsync enter=%ju args=9\n%ju 0 switch 10 0 disk\n"
		"%ju 1 waking 10 from - hardirq\n%ju 0 switch 0 10 sleeping\n%ju 0 exit 10 fsync ret=0\n",
		(uintmax_t)(story.now_ns + 1000), (uintmax_t)(story.now_ns + 1000), (uintmax_t)(story.now_ns + 1000),
		(uintmax_t)(story.now_ns + 1000 + 4 * MS), (uintmax_t)(story.now_ns + 1000 + 5 * MS),
		(uintmax_t)(story.now_ns + 1000 + 5 * MS));
	story.now_ns += 6 * MS;
	end();
	assert_true(time_of("seeker", SCOPE_ITEM_WAIT) == 4 * MS);
	assert_true(time_of("", SCOPE_ITEM_WAIT) == 0);
	for (size_t i = 0; i < made.evidence->items; i++)
		if (made.evidence->item[i].kind == SCOPE_ITEM_WAIT) {
			assert_int_equal(made.evidence->item[i].class, SCOPE_WAIT_DISK);
			assert_int_equal(made.evidence->item[i].nr, SYS_fsync);
			assert_false(made.evidence->item[i].propagated);
		}
	over();
}

/* Events were lost between the two: nobody knows what came between. */
static void a_loss_ends_what_was_under_way(void **state)
{
	(void)state;
	for (int lost = 0; lost < 2; lost++) {
		struct scope_owned owned[] = { { EPISODE(false, SYS_lseek, SYS_clock_nanosleep), SEEKER } };
		const struct scope_evidence *evidence;

		signatures = learned(owned, 1);
		begin();
		call("getpid", 5 * MS);
		story.now_ns += 10 * US;
		story_loop(&story);
		story_take(&story);
		call("lseek", 100 * US);
		if (lost)
			fprintf(story.to, "%ju 0 lost 5\n", (uintmax_t)(story.now_ns + 10));
		if (lost)
			fprintf(story.to, "%ju 0 switch 0 10 sleeping\n", (uintmax_t)(story.now_ns + 20));
		call("clock_nanosleep", 100 * US);
		evidence = end();
		assert_int_equal(evidence->nameless < evidence->stacks, !lost);
		over();
	}
}

/* It is in a call as the trace ends; before it it sought, or made no call at all. */
static void a_thread_in_a_call_is_named_by_the_calls_before(void **state)
{
	(void)state;
	for (int alone = 0; alone < 2; alone++) {
		struct scope_owned owned[] = { { EPISODE(false, SYS_fsync), SEEKER } };
		const struct scope_evidence *evidence;
		uint32_t index;

		signatures = learned(owned, 1);
		begin();
		story.now_ns += 5 * MS;
		story_loop(&story);
		fprintf(story.to, "%ju 1 switch 0 20 sleeping\n", (uintmax_t)story.now_ns);
		if (!alone)
			fprintf(story.to, "%ju 1 syscall 20 lseek enter=%ju ret=0 args=9\n",
				(uintmax_t)(story.now_ns + 200), (uintmax_t)(story.now_ns + 100));
		fprintf(story.to, "%ju 1 enter 20 fsync enter=%ju args=9\n%ju 1 switch 20 0 disk\n",
			(uintmax_t)(story.now_ns + 1000), (uintmax_t)(story.now_ns + 1000),
			(uintmax_t)(story.now_ns + 1000));
		made = case_of(&story);
		evidence = sign();
		index = (uint32_t)scope_timeline_threads_find(made.kept->units->timeline->threads, 20);
		if (alone) {
			assert_int_equal(evidence->stopped_stack[index].node, SCOPE_TREE_ROOT);
		} else {
			assert_string_equal(evidence->tree.node[evidence->stopped_stack[index].node].function->name,
					    "seeker");
			assert_string_equal(evidence->stopped_stack[index].start->name, "main");
		}
		over();
	}
}

static void no_node_is_signed_where_two_fit(void **state)
{
	struct scope_owned owned[] = { { EPISODE(false, SYS_fsync), SEEKER }, { EPISODE(false, SYS_fsync), WRITER } };
	const struct scope_evidence *evidence;

	(void)state;
	signatures = learned(owned, 2);
	begin();
	call("lseek", 5 * MS);
	fprintf(story.to, "%ju 0 enter 10 fsync enter=%ju args=9\n%ju 0 switch 10 0 disk\n",
		(uintmax_t)(story.now_ns + 1000), (uintmax_t)(story.now_ns + 1000), (uintmax_t)(story.now_ns + 1000));
	made = case_of(&story);
	evidence = sign();
	assert_int_equal(evidence->stopped_stack[0].node, SCOPE_TREE_ROOT);
	over();
}

/* Of 19,999 usual units all calls are looked at, of one more every other unit's. */
static void of_many_units_of_a_side_a_regular_part_is_taken(void **state)
{
	uint64_t stacks[2];

	(void)state;
	for (unsigned more = 0; more < 2; more++) {
		struct scope_owned owned[] = { { EPISODE(false, SYS_read), SEEKER } };

		signatures = learned(owned, 1);
		story_begin(&story, "");
		story_usual(&story, 19999 + more, NULL);
		made = case_of(&story);
		assert_int_equal(made.kept->units->count, 19999 + more);
		stacks[more] = sign()->stacks;
		over();
	}
	assert_true(stacks[0] > 3 * 19990);
	assert_true(stacks[1] > stacks[0] * 0.49 && stacks[1] < stacks[0] * 0.51);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_and_what_lies_between_are_the_owners),
		cmocka_unit_test(calls_between_are_others),
		cmocka_unit_test(the_one_that_more_speaks_for_wins),
		cmocka_unit_test(between_equals_it_is_their_callers),
		cmocka_unit_test(an_episode_lies_within_eight_calls),
		cmocka_unit_test(a_stretch_of_64_us_is_busy),
		cmocka_unit_test(another_busy_stretch_is_not_spoken_for),
		cmocka_unit_test(a_sleep_is_that_of_its_call),
		cmocka_unit_test(a_loss_ends_what_was_under_way),
		cmocka_unit_test(a_thread_in_a_call_is_named_by_the_calls_before),
		cmocka_unit_test(no_node_is_signed_where_two_fit),
		cmocka_unit_test(of_many_units_of_a_side_a_regular_part_is_taken),
	};

	return cmocka_run_group_tests_name("sign", tests, NULL, NULL);
}
