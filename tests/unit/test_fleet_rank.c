// SPDX-License-Identifier: GPL-2.0-only
/* The ranking names the right function and hosts, for fleets with known answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fleet/fleet_text.h"
#include "fleet/exact_test.h"
#include "fleet_together.h"

#define ROUNDS 20
#define HOSTS 100

/* A healthy host, whose requests are a little faster or slower than those of others. */
static struct fleet_host host_of(unsigned number, uint64_t seed, char name[16])
{
	uint64_t random = (seed + 1) * 0x9e3779b97f4a7c15ull + number * 0xbf58476d1ce4e5b9ull + 1;

	snprintf(name, 16, "web-%u", number);
	for (int i = 0; i < 8; i++)
		fleet_random(&random);
	return (struct fleet_host){
		.host = name,
		.build_id = "aa01",
		.random = random,
		.seconds = 10,
		.rate = 60,
		.times = 0.95 + 0.1 * fleet_chance(&random),
	};
}

static void make_slow(struct fleet_host *host, const char *function)
{
	host->slow = function;
	host->share = 0.05;
	host->excess_us = 5000;
	host->slow_from_s = 4;
}

/* One host of a hundred: that host and function come first, since when it began, in each round. */
static void one_sick_host_is_named(void **state)
{
	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		const unsigned sick = (round * 37 + 11) % HOSTS;
		struct fleet fleet = begin();
		const struct scope_fleet_rank *first;
		char name[16], want[16];

		snprintf(want, sizeof(want), "web-%u", sick);
		for (unsigned i = 0; i < HOSTS; i++) {
			struct fleet_host host = host_of(i, round, name);

			if (i == sick)
				make_slow(&host, "flush_log");
			add(&fleet, host);
		}
		judge(&fleet, 0);
		assert_int_equal(fleet.ranking->hosts, HOSTS);
		assert_int_equal(fleet.ranking->ranks, 1);
		first = &fleet.ranking->rank[0];
		assert_string_equal(text(&fleet, first->name), "flush_log");
		assert_int_equal(first->spread, SCOPE_FLEET_ONE);
		assert_int_equal(first->hosts, 1);
		assert_int_equal(first->compared, HOSTS);
		assert_string_equal(host_name(&fleet, first->host[0]), want);
		assert_int_equal(first->since_us, (FLEET_BEGIN_S + 4) * 1000000);
		assert_true(first->share >= 0.8);
		end(&fleet);
	}
}

/* A host that is slow for all of its time has no finding: it is out of line, and no other is. */
static void a_host_that_was_always_slow_is_out_of_line(void **state)
{
	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		const unsigned sick = (round * 41 + 5) % HOSTS;
		struct fleet fleet = begin();
		char name[16], want[16];

		snprintf(want, sizeof(want), "web-%u", sick);
		for (unsigned i = 0; i < HOSTS; i++) {
			struct fleet_host host = host_of(i, round + 100, name);

			if (i == sick)
				host.times *= 2;
			add(&fleet, host);
		}
		judge(&fleet, 0);
		assert_int_equal(fleet.ranking->ranks, 0);
		assert_true(fleet.ranking->outliers >= 1);
		for (size_t i = 0; i < fleet.ranking->outliers; i++) {
			assert_string_equal(host_name(&fleet, fleet.ranking->outlier[i].member), want);
			assert_in_range(fleet.ranking->outlier[i].ns / fleet.ranking->outlier[i].usual_ns * 100, 170,
					240);
		}
		end(&fleet);
	}
}

static void healthy_hosts_give_nothing(void **state)
{
	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct fleet fleet = begin();
		char name[16];

		for (unsigned i = 0; i < HOSTS; i++)
			add(&fleet, host_of(i, round + 200, name));
		judge(&fleet, 0);
		assert_int_equal(fleet.ranking->ranks, 0);
		assert_int_equal(fleet.ranking->outliers, 0);
		assert_int_equal(fleet.ranking->aparts, 0);
		end(&fleet);
	}
}

static struct fleet fleet_of(unsigned hosts, bool (*is_sick)(unsigned number, struct fleet_host *host))
{
	struct fleet fleet = begin();
	char name[16];

	for (unsigned i = 0; i < hosts; i++) {
		struct fleet_host host = host_of(i, 300, name);

		if (is_sick(i, &host))
			make_slow(&host, "flush_log");
		add(&fleet, host);
	}
	judge(&fleet, 0);
	return fleet;
}

static bool all_are(unsigned number, struct fleet_host *host)
{
	(void)number, (void)host;
	return true;
}

static bool new_build_is(unsigned number, struct fleet_host *host)
{
	host->rack = number % 2 ? "a" : "b";
	if (number < 6)
		host->build_id = "bb02";
	return number < 6;
}

static bool rack_is(unsigned number, struct fleet_host *host)
{
	static const char *const rack[] = { "a1", "a2", "a3", "a4", "a5" };

	host->rack = rack[number % 5];
	return number % 5 == 2;
}

static bool some_are(unsigned number, struct fleet_host *host)
{
	static const char *const rack[] = { "a1", "a2", "a3", "a4", "a5" };

	host->rack = rack[number % 5];
	return number == 1 || number == 7 || number == 13 || number == 24;
}

/* Both are in one rack, which has no other: two of six may be so by chance. */
static bool two_are(unsigned number, struct fleet_host *host)
{
	host->rack = number < 2 ? "a1" : "a2";
	return number < 2;
}

static void what_hosts_share_is_named(void **state)
{
	struct fleet fleet = fleet_of(30, all_are);
	const struct scope_fleet_rank *first = fleet.ranking->rank;

	(void)state;
	assert_int_equal(first->spread, SCOPE_FLEET_ALL);
	assert_int_equal(first->hosts, 30);
	assert_true(first->most <= 4 * first->least);
	end(&fleet);

	fleet = fleet_of(30, new_build_is);
	first = fleet.ranking->rank;
	assert_int_equal(first->spread, SCOPE_FLEET_PROPERTY);
	assert_string_equal(first->property, "build");
	assert_string_equal(first->value, "bb02");
	assert_int_equal(first->have, 6);
	end(&fleet);

	fleet = fleet_of(30, rack_is);
	first = fleet.ranking->rank;
	assert_int_equal(first->spread, SCOPE_FLEET_PROPERTY);
	assert_string_equal(first->property, "rack");
	assert_string_equal(first->value, "a3");
	end(&fleet);

	fleet = fleet_of(30, some_are);
	first = fleet.ranking->rank;
	assert_int_equal(first->spread, SCOPE_FLEET_SOME);
	assert_int_equal(first->hosts, 4);
	assert_null(first->value);
	end(&fleet);

	fleet = fleet_of(6, two_are);
	first = fleet.ranking->rank;
	assert_int_equal(first->spread, SCOPE_FLEET_SOME);
	assert_string_equal(first->value, "a1");
	end(&fleet);
}

/* Calculated: 3 of 10 have it, 3 are chosen. All three: 1 of 120. */
static void chance_is_fishers(void **state)
{
	(void)state;
	assert_true(fabs(scope_fleet_exact_test(10, 3, 3, 3) - 1.0 / 120) < 1e-9);
	assert_true(fabs(scope_fleet_exact_test(10, 3, 3, 2) - 22.0 / 120) < 1e-9);
	assert_true(fabs(scope_fleet_exact_test(10, 3, 3, 0) - 1) < 1e-9);
	assert_true(fabs(scope_fleet_exact_test(6, 2, 2, 2) - 1.0 / 15) < 1e-9);
}

/* Sent twice, and traced twice at the same time: counted once. What follows is added. */
static void nothing_counts_twice(void **state)
{
	struct fleet fleet = begin();
	char name[16];
	struct fleet_host host = host_of(1, 400, name);
	const struct fleet_host same = host;

	(void)state;
	add(&fleet, host);
	add(&fleet, same);
	assert_int_equal(fleet.twice, 1);
	host.number = 1;
	host.begin_s = FLEET_BEGIN_S + 5;
	add(&fleet, host);
	assert_int_equal(fleet.overlapping, 1);
	host.begin_s = FLEET_BEGIN_S + 10;
	add(&fleet, host);
	assert_int_equal(fleet.added, 2);
	judge(&fleet, 0);
	assert_int_equal(fleet.facts->members, 1);
	assert_int_equal(fleet.facts->member[0].requests, 2 * 10 * 60);
	assert_int_equal(fleet.facts->member[0].summaries, 2);
	assert_int_equal(scope_fleet_coarse_total(&fleet.facts->group[0].wall), 2 * 10 * 60);
	end(&fleet);
}

/* Numbers 0, 1 and 4 of a capture are there: 2 and 3 are missing. */
static void gaps_are_counted(void **state)
{
	struct fleet fleet = begin();
	char name[16];
	struct fleet_host host = host_of(1, 450, name);

	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		struct fleet_host part = host;

		part.number = i;
		part.begin_s = FLEET_BEGIN_S + 10 * i;
		if (i != 2 && i != 3)
			add(&fleet, part);
	}
	judge(&fleet, 0);
	assert_int_equal(fleet.facts->member[0].missing, 2);
	assert_int_equal(fleet.ranking->missing, 2);
	end(&fleet);
}

/* The last seconds alone, of each host by its own clock. */
static void the_last_seconds_count_alone(void **state)
{
	struct fleet fleet = begin();
	char name[16];
	struct fleet_host early = host_of(1, 500, name), late;

	(void)state;
	make_slow(&early, "flush_log");
	early.slow_from_s = 0;
	add(&fleet, early);
	late = host_of(1, 501, name);
	late.begin_s = FLEET_BEGIN_S + 10;
	late.number = 1;
	add(&fleet, late);
	judge(&fleet, 10);
	assert_int_equal(fleet.facts->member[0].requests, 10 * 60);
	assert_int_equal(fleet.ranking->ranks, 0);
	end(&fleet);
}

/* A clock that is some minutes wrong changes no answer, and is said. */
static void a_wrong_clock_is_said(void **state)
{
	struct fleet fleet = begin();
	char name[16];

	(void)state;
	for (unsigned i = 0; i < 10; i++) {
		struct fleet_host host = host_of(i, 600, name);

		if (i == 3)
			host.begin_s = FLEET_BEGIN_S - 300;
		if (i == 5)
			make_slow(&host, "flush_log");
		add(&fleet, host);
	}
	judge(&fleet, 0);
	assert_string_equal(host_name(&fleet, fleet.ranking->rank[0].host[0]), "web-5");
	assert_int_equal(fleet.ranking->aparts, 1);
	assert_string_equal(host_name(&fleet, fleet.ranking->apart), "web-3");
	assert_int_equal(fleet.ranking->apart_us, -300000000);
	end(&fleet);
}

/* Small excess in many hosts' noise does not hide one that is sick: only findings are listed. */
static void noise_hides_nothing(void **state)
{
	struct fleet fleet = begin();
	char name[16];

	(void)state;
	for (unsigned i = 0; i < 60; i++) {
		struct fleet_host host = host_of(i, 700, name);
		struct scope_fleet_summary *summary;
		enum scope_fleet_added added;

		make_slow(&host, i == 9 ? "flush_log" : "handle");
		if (i != 9)
			host.share = 0.004;
		summary = fleet_summary(&host);
		if (i != 9)
			summary->findings = 0;
		assert_int_equal(scope_fleet_store_add(fleet.store, summary, NULL, &added), 0);
		scope_fleet_summary_destroy(summary);
	}
	judge(&fleet, 0);
	assert_int_equal(fleet.ranking->ranks, 1);
	assert_string_equal(text(&fleet, fleet.ranking->rank[0].name), "flush_log");
	end(&fleet);
}

/* As many of everything as a summary may have, and names that would change a terminal. */
static struct scope_fleet_summary *hostile(void)
{
	struct fleet_host host = { .host = "web-\033[2J\r\n1",
				   .build_id = "\t'; DROP TABLE summary; --",
				   .random = 9,
				   .seconds = 3,
				   .rate = 40 };
	struct scope_fleet_summary *summary;

	make_slow(&host, "\033]0;owned\a\xff\xfe");
	host.slow_from_s = 0;
	summary = fleet_summary(&host);
	for (size_t i = 0; i < summary->seconds; i++)
		summary->second[i].units = (1ull << 40) - 1;
	for (size_t i = 0; i < summary->excesses; i++)
		summary->excess[i].excess_us = (1ull << 50) - 1;
	for (size_t i = 0; i < summary->findings; i++)
		summary->finding[i].units = summary->finding[i].excess_us = summary->finding[i].usual_us = UINT64_MAX;
	fleet_add_link(summary, &(struct fleet_link){
					.client = "\033[1m", .server = "10.0.0.3:-1", .exchanges = (1ull << 40) - 1 });
	return summary;
}

/* It lies about itself; what is reported about others stays, and what is printed is plain. */
static void a_hostile_host_harms_no_other(void **state)
{
	struct scope_fleet_member member[2][6];
	struct scope_fleet_read read = { 0 };
	char *text = NULL;
	size_t bytes;

	(void)state;
	for (int with = 0; with < 2; with++) {
		struct fleet fleet = begin();
		FILE *out = open_memstream(&text, &bytes);
		size_t others = 0;
		char name[16];

		for (unsigned i = 0; i < 6; i++) {
			struct fleet_host host = host_of(i, 800, name);

			if (i == 2)
				make_slow(&host, "flush_log");
			add(&fleet, host);
		}
		if (with)
			add_summary(&fleet, hostile());
		judge(&fleet, 0);
		for (size_t i = 0; i < fleet.facts->members; i++)
			if (strncmp(host_name(&fleet, (uint32_t)i), "web-\\", 5) && others < 6)
				member[with][others++] = fleet.facts->member[i];
		assert_int_equal(others, 6);
		for (size_t i = 0; i < others; i++) {
			assert_int_equal(member[with][i].requests, member[0][i].requests);
			assert_int_equal(member[with][i].excess_us, member[0][i].excess_us);
		}
		assert_int_equal(scope_fleet_text_print(fleet.ranking, &read, true, out), 0);
		fclose(out);
		assert_non_null(strstr(text, "flush_log"));
		assert_int_equal(strcspn(text, "\033\r\a\t\xff"), strlen(text));
		free(text);
		end(&fleet);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_sick_host_is_named),
		cmocka_unit_test(a_host_that_was_always_slow_is_out_of_line),
		cmocka_unit_test(healthy_hosts_give_nothing),
		cmocka_unit_test(what_hosts_share_is_named),
		cmocka_unit_test(chance_is_fishers),
		cmocka_unit_test(nothing_counts_twice),
		cmocka_unit_test(gaps_are_counted),
		cmocka_unit_test(the_last_seconds_count_alone),
		cmocka_unit_test(a_wrong_clock_is_said),
		cmocka_unit_test(noise_hides_nothing),
		cmocka_unit_test(a_hostile_host_harms_no_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
