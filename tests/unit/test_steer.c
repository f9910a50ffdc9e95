// SPDX-License-Identifier: GPL-2.0-only
/* The choice of stacks is sent to the source; a source that cannot change it is not asked again. */
#include <errno.h>
#include <stdio.h>

#include "capture/capture.h"
#include "capture/defaults.h"
#include "capture/steer.h"
#include "control/probe.h"
#include "trace/trace_internal.h"
#include "trace/text_form.h"
#include "trace_fixture.h"

#define S 1000000000ull

struct fake {
	struct scope_stack_change last;
	unsigned int changes;
	int answer;
	uint64_t samples;
};

static int fake_stacks(void *feed, const struct scope_stack_change *change, struct scope_error *error)
{
	struct fake *fake = feed;

	(void)error;
	fake->last = *change;
	fake->changes++;
	return fake->answer;
}

static uint64_t fake_samples(const void *feed)
{
	return ((const struct fake *)feed)->samples;
}

static const struct scope_source able = {
	.name = "able", .stacks = fake_stacks, .slice_max = 32768, .slice_room = 1000000
};
static const struct scope_source always = {
	.name = "always",
	.stacks = fake_stacks,
	.slice_max = 32768,
	.slice_room = 1000000,
	.stacks_always = true,
	.samples = fake_samples,
};
static const struct scope_source unable = { .name = "unable" };

static struct scope_steer *steer_begin(const struct scope_source *source, struct fake *fake,
				       const struct scope_capture_options *options)
{
	struct scope_steer *steer = (struct scope_steer *)fake;

	assert_int_equal(scope_capture_steer_create(source, fake, options, NULL, &steer), 0);
	scope_capture_steer_begin(steer, 10 * S);
	return steer;
}

/* Long captures begin without stacks and samples; short ones and those of a command have them. */
static void test_begin(void **state)
{
	struct scope_capture_options options;
	struct fake fake = { .changes = 0 };
	struct scope_steer *steer;

	(void)state;
	scope_capture_options_init(&options, 1);
	steer = steer_begin(&able, &fake, &options);
	assert_non_null(steer);
	assert_int_equal(fake.changes, 1);
	assert_true(fake.last.min_given && fake.last.min_ns == UINT32_MAX);
	assert_true(fake.last.period_given && !fake.last.sample_period_ns);
	assert_int_equal(scope_capture_steer_highest_ns(steer), 0);
	scope_capture_steer_update(steer, 10 * S + S / 2);
	assert_int_equal(fake.changes, 1);
	scope_capture_steer_update(steer, 10 * S + SCOPE_DEFAULT_LEARN_NS);
	assert_int_equal(fake.changes, 2);
	assert_int_equal(fake.last.min_ns, SCOPE_DEFAULT_STACK_MIN_NS);
	assert_int_equal(fake.last.sample_period_ns, options.sample_period_ns);
	assert_int_equal(fake.last.slice_bytes, SCOPE_DEFAULT_STACK_BYTES);
	assert_int_equal(fake.last.per_second, SCOPE_DEFAULT_STACKS_PER_SECOND);
	assert_false(fake.last.mode_given || fake.last.threads_given);
	assert_int_equal(scope_capture_steer_highest_ns(steer), SCOPE_DEFAULT_STACK_MIN_NS);
	scope_capture_steer_destroy(steer);

	steer = steer_begin(&always, &fake, &options);
	assert_int_equal(fake.last.min_ns, SCOPE_DEFAULT_STACK_MIN_NS);
	assert_int_equal(fake.last.sample_period_ns, options.sample_period_ns);
	scope_capture_steer_destroy(steer);
	options.duration_ns = S;
	steer = steer_begin(&able, &fake, &options);
	assert_int_equal(fake.last.min_ns, SCOPE_DEFAULT_STACK_MIN_NS);
	scope_capture_steer_destroy(steer);
	options.duration_ns = 0;
	options.held = "program";
	steer = steer_begin(&able, &fake, &options);
	assert_int_equal(fake.last.min_ns, SCOPE_DEFAULT_STACK_MIN_NS);
	scope_capture_steer_destroy(steer);
}

static void test_left_alone(void **state)
{
	struct scope_capture_options options;
	struct fake fake = { .answer = -EOPNOTSUPP };

	(void)state;
	scope_capture_options_init(&options, 1);
	assert_null(steer_begin(&able, &fake, &options));
	assert_int_equal(fake.changes, 1);
	assert_null(steer_begin(&unable, &fake, &options));
	options.stack_budget = 0;
	assert_null(steer_begin(&able, &fake, &options));
	options.stack_budget = 100;
	options.stack_min_ns = 0; /* every call is to have its stack */
	assert_null(steer_begin(&able, &fake, &options));
	options.stack_min_ns = 1;
	options.stack_mode = SCOPE_STACK_NONE;
	assert_null(steer_begin(&able, &fake, &options));
	assert_int_equal(fake.changes, 1);
	/* Of none nothing is asked. */
	scope_capture_steer_take(NULL, NULL);
	scope_capture_steer_update(NULL, 0);
	assert_int_equal(scope_capture_steer_highest_ns(NULL), 0);
	scope_capture_steer_destroy(NULL);
}

static void take(void *context, const struct scope_subbuf *subbuf)
{
	scope_capture_steer_take(context, subbuf);
}

/* n samples of a traced thread, in a sub-buffer. */
static void samples(struct scope_steer *steer, unsigned int count)
{
	size_t bytes;
	char *text;
	FILE *stream = open_memstream(&text, &bytes);

	for (unsigned int i = 0; i < count; i++)
		fprintf(stream, "%u 0 sample 101 regs=1,2,3 data=0011223344556677 cost=3000\n", 1000 + i);
	fclose(stream);
	fixture_feed(text, bytes, take, steer);
}

/* The period that was chosen reaches the source, and the writer of the trace knows it. */
static void test_period(void **state)
{
	struct scope_capture_options options;
	struct fake fake = { .samples = 20 };
	struct scope_steer *steer;
	uint32_t first;

	(void)state;
	scope_capture_options_init(&options, 1);
	first = options.sample_period_ns;
	steer = steer_begin(&always, &fake, &options);
	assert_int_equal(scope_capture_steer_period_ns(steer), first);
	samples(steer, 20);
	scope_capture_steer_update(steer, 11 * S);
	assert_true(fake.last.period_given);
	assert_int_equal(fake.last.sample_period_ns, first / 8);
	assert_int_equal(scope_capture_steer_period_ns(steer), first / 8);
	/* Others take what there is. */
	fake.samples += 100000;
	scope_capture_steer_update(steer, 12 * S);
	assert_int_equal(fake.last.sample_period_ns, first);
	assert_int_equal(scope_capture_steer_period_ns(steer), first);
	scope_capture_steer_destroy(steer);
	/* It stays where that is asked for. */
	options.sample_period_min_ns = first;
	steer = steer_begin(&always, &fake, &options);
	samples(steer, 20);
	scope_capture_steer_update(steer, 11 * S);
	assert_int_equal(scope_capture_steer_period_ns(steer), first);
	scope_capture_steer_destroy(steer);
	assert_int_equal(scope_capture_steer_period_ns(NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_begin),
		cmocka_unit_test(test_left_alone),
		cmocka_unit_test(test_period),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
