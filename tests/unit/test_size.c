// SPDX-License-Identifier: GPL-2.0-only
/* The usual time for the size of a request, for sizes and times with known answers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "anomaly/detect.h"
#include "chance.h"

#define COUNT 8192
#define RUNS 100

static uint64_t chance;

static double uniform(void)
{
	return chance_uniform(&chance);
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * 3.14159265358979 * uniform());
}

static double evenly(void) /* 4 to 34 KB */
{
	return floor(1024 * (4 + 30 * uniform()));
}

/* The continuous form of Zipf's law, from 1 KB to 10 MB: P(size > s) falls as s to the power of -a. */
static double zipf(double a)
{
	const double low = pow(1024, -a), high = pow(10485760, -a);

	return floor(pow(low - uniform() * (low - high), -1 / a));
}

/* 100 us and 20 us for each KB; times scatter by that. */
static double time_of(double bytes, double scatter)
{
	return (1e5 + 20e3 * bytes / 1024) * exp(scatter * normal());
}

/* Populations by default: 6 scales, and 1.2 times what is usual. */
static bool is_slow(const struct scope_size_baseline *baseline, const struct scope_example *example)
{
	const struct scope_population population = { .z = scope_anomaly_detect_defaults.z_min,
						     .size = baseline,
						     .size_times = scope_anomaly_detect_defaults.size_times_min };

	return example->ns >
	       scope_anomaly_population_baseline(&population, (uint64_t)example->feature[SCOPE_FEATURE_BYTES]).limit_ns;
}

static struct scope_size_baseline *fit(const struct scope_example *example, size_t count)
{
	struct scope_example *copy = malloc(count * sizeof(*copy));
	struct scope_size_baseline *baseline;

	assert_non_null(copy);
	for (size_t i = 0; i < count; i++)
		copy[i] = example[i];
	assert_int_equal(scope_anomaly_size_fit(copy, count, 1000, &baseline), 0);
	free(copy);
	return baseline;
}

/* Times spread over 600 us by size. 3 % take 200 us more: nearly all of these are slow, whatever their size, no other. */
static void delays_of_any_size_are_found(void **state)
{
	static struct scope_example example[COUNT];

	(void)state;
	for (unsigned run = 1; run <= 20; run++) {
		unsigned late[3] = { 0 }, found[3] = { 0 }, others = 0;
		struct scope_size_baseline *baseline;

		chance = 88172645463325252ull * run;
		for (size_t i = 0; i < COUNT; i++) {
			const double bytes = evenly();

			example[i] = (struct scope_example){ time_of(bytes, 0.02) + (i % 33 ? 0 : 2e5), { bytes, 3 } };
		}
		baseline = fit(example, COUNT);
		assert_non_null(baseline);
		assert_true(baseline->share > 0.9);
		for (size_t i = 0; i < COUNT; i++) {
			const unsigned third = (unsigned)((example[i].feature[0] / 1024 - 4) / 10);

			if (i % 33) {
				others += is_slow(baseline, &example[i]);
				continue;
			}
			late[third]++;
			found[third] += is_slow(baseline, &example[i]);
		}
		for (int i = 0; i < 3; i++)
			assert_true(found[i] > 0.9 * late[i]);
		assert_int_equal(others, 0);
		scope_anomaly_size_destroy(baseline);
	}
}

/* Nothing is wrong: fewer than one unit in 1,000 is slow, and these are less than the 1 % of time that is reported. */
static void large_requests_are_healthy(void **state)
{
	static struct scope_example example[COUNT];
	static const double power[] = { 0.5, 1, 1.5, 2 };

	(void)state;
	for (size_t p = 0; p < 4; p++)
		for (unsigned run = 1; run <= RUNS; run++) {
			double excess = 0, all = 0;
			struct scope_size_baseline *baseline;
			unsigned slow = 0;

			chance = 6364136223846793005ull * run + p;
			for (size_t i = 0; i < COUNT; i++) {
				const double bytes = zipf(power[p]);

				example[i] = (struct scope_example){ time_of(bytes, 0.1), { bytes, 3 } };
			}
			baseline = fit(example, COUNT);
			assert_non_null(baseline);
			for (size_t i = 0; i < COUNT; i++) {
				all += example[i].ns;
				if (!is_slow(baseline, &example[i]))
					continue;
				slow++;
				excess +=
					example[i].ns -
					scope_anomaly_size_usual(baseline, example[i].feature[SCOPE_FEATURE_BYTES]).ns;
			}
			if (slow > COUNT / 1000 || excess > 0.01 * all)
				fail_msg("power %g, run %u: %u slow units, %.4f of all time", power[p], run, slow,
					 excess / all);
			scope_anomaly_size_destroy(baseline);
		}
}

/* Times hardly scatter, so that the times of what is usual decide: 1.19 of them are not slow, and 1.21 are. */
static void a_slow_unit_takes_a_fifth_more(void **state)
{
	static struct scope_example example[COUNT];
	struct scope_size_baseline *baseline;

	(void)state;
	chance = 9;
	for (size_t i = 0; i < COUNT; i++) {
		const double bytes = evenly();

		example[i] = (struct scope_example){ time_of(bytes, 0.001), { bytes, 3 } };
	}
	baseline = fit(example, COUNT);
	assert_non_null(baseline);
	for (double kilobytes = 8; kilobytes <= 32; kilobytes += 8) {
		const double usual_ns = scope_anomaly_size_usual(baseline, 1024 * kilobytes).ns;
		const struct scope_example inside = { 1.19 * usual_ns, { 1024 * kilobytes, 3 } };
		const struct scope_example outside = { 1.21 * usual_ns, { 1024 * kilobytes, 3 } };

		assert_false(is_slow(baseline, &inside));
		assert_true(is_slow(baseline, &outside));
	}
	scope_anomaly_size_destroy(baseline);
}

/* Alike in size: one in 20 is larger, and takes ten times as long. These are two kinds of requests. */
static void two_sizes_explain_nothing(void **state)
{
	static struct scope_example example[COUNT];

	(void)state;
	chance = 5;
	for (size_t i = 0; i < COUNT; i++)
		example[i] = (struct scope_example){ (i % 20 ? 1e5 : 1e6) * exp(0.1 * normal()),
						     { i % 20 ? 1024 : 10240, 3 } };
	assert_null(fit(example, COUNT));
}

static void chance_explains_nothing(void **state)
{
	static struct scope_example example[COUNT];

	(void)state;
	chance = 6;
	for (size_t i = 0; i < COUNT; i++)
		example[i] = (struct scope_example){ 1e5 * exp(0.5 * normal()), { evenly(), 3 } };
	assert_null(fit(example, COUNT));
	assert_null(fit(example, 99));
}

/* Times grow with sizes. The one request in 80 that is above 40 KB takes three times that: a bug, no effect of size. */
static void a_bug_of_large_requests_stays(void **state)
{
	static struct scope_example example[COUNT];
	struct scope_size_baseline *baseline;
	unsigned slow = 0, large = 0;

	(void)state;
	chance = 7;
	for (size_t i = 0; i < COUNT; i++) {
		const double bytes = i % 80 ? evenly() : 1024 * (40 + uniform());

		example[i] = (struct scope_example){ time_of(bytes, 0.02) * (i % 80 ? 1 : 3), { bytes, 3 } };
	}
	baseline = fit(example, COUNT);
	assert_non_null(baseline);
	for (size_t i = 0; i < COUNT; i += 80) {
		large++;
		slow += is_slow(baseline, &example[i]);
	}
	assert_true(slow > 0.9 * large);
	scope_anomaly_size_destroy(baseline);
}

/* Answers of eight lengths, of which one takes thirty times as long: a kind of request, and not its size. */
static void a_slow_length_is_not_explained(void **state)
{
	static struct scope_example example[COUNT];

	(void)state;
	chance = 88172645463325252ull;
	for (size_t i = 0; i < COUNT; i++) {
		const unsigned kind = (unsigned)(uniform() * 8);
		const double ns = 25e3 * (kind == 3 ? 30 : 1) * exp(0.05 * normal());

		example[i] = (struct scope_example){ ns, { 1024 * (4 + kind), 3 } };
	}
	assert_null(fit(example, COUNT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(delays_of_any_size_are_found),	  cmocka_unit_test(large_requests_are_healthy),
		cmocka_unit_test(a_slow_unit_takes_a_fifth_more), cmocka_unit_test(two_sizes_explain_nothing),
		cmocka_unit_test(chance_explains_nothing),	  cmocka_unit_test(a_bug_of_large_requests_stays),
		cmocka_unit_test(a_slow_length_is_not_explained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
