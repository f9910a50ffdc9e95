// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waits of one host for another: the requests that they belong to, the difference of clocks, and waits that cannot be
 * matched.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fleet/codec.h"
#include "fleet_together.h"

#define ROUNDS 20
#define MAX 128

/* What both sides of a connection saw of exchanges. */
struct both {
	struct scope_fleet_exchange_facts ask[MAX], answer[MAX];
	size_t asks, answers;
};

/* The server's clock is ahead by that at the begin, and drifts. */
static struct both exchanges(uint64_t seed, size_t count, double span_us, double offset_us, double drift)
{
	uint64_t random = (seed + 1) * 0x9e3779b97f4a7c15ull;
	struct both both = { .asks = 0 };

	for (int i = 0; i < 8; i++)
		fleet_random(&random);
	for (size_t i = 0; i < count; i++) {
		const double sent = span_us * fleet_chance(&random), there = 50 + 150 * fleet_chance(&random);
		const double took = 500 + 6000 * fleet_chance(&random), back = 50 + 150 * fleet_chance(&random);
		const double came = sent + there, at = came + offset_us + drift * came;
		const uint64_t base = FLEET_BEGIN_S * 1000000;

		/* Each side keeps some that the other does not. */
		if (fleet_random(&random) % 3)
			both.ask[both.asks++] = (struct scope_fleet_exchange_facts){
				.port = 4000 + i % 2,
				.at_us = base + (uint64_t)floor(sent),
				.took_us = (uint64_t)ceil(there + took + back) + 1,
			};
		if (fleet_random(&random) % 3)
			both.answer[both.answers++] = (struct scope_fleet_exchange_facts){
				.port = 4000 + i % 2,
				.at_us = (uint64_t)(int64_t)((double)base + ceil(at)),
				.took_us = (uint64_t)floor(took) - 1,
			};
	}
	return both;
}

static struct scope_fleet_clock clock_of(const struct both *both)
{
	struct scope_fleet_clock clock;

	assert_int_equal(scope_fleet_clock_bound(both->ask, both->asks, both->answer, both->answers, &clock), 0);
	return clock;
}

/* By milliseconds, and by minutes; both ways. */
static void clocks_are_bounded(void **state)
{
	static const double offsets_us[] = { 50e3, -50e3, 0, 300e6, -7.2e9 };

	(void)state;
	for (uint64_t round = 0; round < ROUNDS; round++) {
		const double drift = ((double)(round % 5) - 2) * 25e-6, offset_us = offsets_us[round % 5];
		const struct both both = exchanges(round, 90, 300e6, offset_us, drift);
		const struct scope_fleet_clock clock = clock_of(&both);
		const double since_us = (double)(clock.at_us - FLEET_BEGIN_S * 1000000);
		const double want = offset_us + drift * since_us;

		assert_true(clock.exchanges >= 20);
		assert_true((double)clock.least_us <= want + 1 && (double)clock.most_us >= want - 1);
		assert_true(clock.most_us - clock.least_us < 300);
		assert_true(clock.least_drift <= drift + 1e-9 && clock.most_drift >= drift - 1e-9);
		assert_true(clock.most_drift - clock.least_drift < 5e-6);
	}
}

/* Of other exchanges, or of too few, nothing is said. */
static void strangers_give_no_clock(void **state)
{
	(void)state;
	for (uint64_t round = 0; round < ROUNDS; round++) {
		struct both both = exchanges(round, 90, 300e6, 1000, 0);
		const struct both other = exchanges(round + 100, 90, 300e6, 1000, 0);

		memcpy(both.answer, other.answer, sizeof(both.answer));
		both.answers = other.answers;
		assert_int_equal(clock_of(&both).exchanges, 0);
		both = exchanges(round, 3, 300e6, 1000, 0);
		assert_int_equal(clock_of(&both).exchanges, 0);
	}
}

/* Requests at a strict pace fit at many offsets: none of them may be said, but the right one. */
static void a_strict_pace_is_not_guessed(void **state)
{
	(void)state;
	for (uint64_t round = 0; round < ROUNDS; round++) {
		struct both both = { .asks = 100, .answers = 100 };
		struct scope_fleet_clock clock;

		for (size_t i = 0; i < 100; i++) {
			both.ask[i] = (struct scope_fleet_exchange_facts){ .port = 1,
									   .at_us = 10000000 + i * 100000,
									   .took_us = 1200 };
			both.answer[i] = (struct scope_fleet_exchange_facts){
				.port = 1,
				.at_us = 10000000 + (i + round) * 100000 + 40100,
				.took_us = 1000,
			};
		}
		clock = clock_of(&both);
		assert_true(!clock.exchanges || (clock.least_us <= (int64_t)(40000 + round * 100000) &&
						 clock.most_us >= (int64_t)(40000 + round * 100000)));
	}
}

static struct scope_fleet_summary *host(const char *name, const char *program, const char *slow)
{
	struct fleet_host host = {
		.host = name, .build_id = "aa01", .random = 7, .seconds = 10, .rate = 60, .times = 1
	};
	struct scope_fleet_summary *summary;

	if (slow) {
		host.slow = slow;
		host.share = 0.05;
		host.excess_us = 5000;
	}
	summary = fleet_summary(&host);
	summary->program = fleet_text(summary, program);
	return summary;
}

static void link_to(struct scope_fleet_summary *summary, const char *client, const char *server, double share)
{
	fleet_add_link(
		summary,
		&(struct fleet_link){
			.client = client, .server = server, .exchanges = 1000, .slow_share = share, .slow_us = 5000 });
}

static void link_from(struct scope_fleet_summary *summary, const char *client, const char *server, double share)
{
	fleet_add_link(summary, &(struct fleet_link){ .answers = true,
						      .client = client,
						      .server = server,
						      .exchanges = 1000,
						      .slow_share = share,
						      .slow_us = 5000 });
}

static const struct scope_fleet_match *match_of(const struct fleet *fleet, const char *host)
{
	const struct scope_fleet_links *links = fleet->ranking->links;

	for (size_t i = 0; i < links->matches; i++)
		if (!strcmp(host_name(fleet, links->match[i].ask->member), host))
			return &links->match[i];
	fail();
	return NULL;
}

static double parts_of(const struct scope_fleet_match *match)
{
	return match->passed_us + match->unnamed_us + match->outside_us + match->between_us;
}

/* A front waits for a host that waits for a third one, whose function is slow. */
static void blame_is_passed_to_the_end(void **state)
{
	struct fleet fleet = begin();
	struct scope_fleet_summary *front = host("front", "front", NULL), *middle = host("middle", "app", NULL);
	struct scope_fleet_summary *back = host("back", "db", "flush_log");
	const struct scope_fleet_match *match;

	(void)state;
	link_to(front, "10.0.0.1", "10.0.0.2:80", 0.05);
	link_from(middle, "10.0.0.1", "10.0.0.2:80", 0.05);
	link_to(middle, "10.0.0.2", "10.0.0.3:5432", 0.05);
	link_from(back, "10.0.0.2", "10.0.0.3:5432", 0.05);
	add_summary(&fleet, front);
	add_summary(&fleet, middle);
	add_summary(&fleet, back);
	judge(&fleet, 0);
	match = match_of(&fleet, "front");
	assert_int_equal(match->how, SCOPE_FLEET_MATCHED);
	assert_string_equal(host_name(&fleet, match->answer->member), "middle");
	assert_int_equal(match->passes, 1);
	assert_string_equal(text(&fleet, fleet.facts->blame[match->passed[0].blame].name), "flush_log");
	assert_string_equal(host_name(&fleet, fleet.facts->blame[match->passed[0].blame].member), "back");
	assert_true(match->passed[0].us > 0.95 * match->excess_us);
	assert_true(fabs(parts_of(match) - match->excess_us) < 1);
	assert_true(fabs(match->excess_us - 50 * 5000) < 0.05 * 50 * 5000);
	end(&fleet);
}

/* The server's requests of the link took no longer than usual, so its functions are not to blame. */
static void what_the_server_did_not_lose_is_on_the_way(void **state)
{
	struct fleet fleet = begin();
	struct scope_fleet_summary *front = host("front", "front", NULL), *back = host("back", "db", "flush_log");
	const struct scope_fleet_match *match;

	(void)state;
	link_to(front, "10.0.0.1", "10.0.0.3:5432", 0.05);
	link_from(back, "10.0.0.1", "10.0.0.3:5432", 0.01);
	add_summary(&fleet, front);
	add_summary(&fleet, back);
	judge(&fleet, 0);
	match = match_of(&fleet, "front");
	assert_true(fabs(match->between_us - 0.8 * match->excess_us) < 0.01 * match->excess_us);
	assert_true(fabs(parts_of(match) - match->excess_us) < 1);
	end(&fleet);
}

/* Two hosts that wait for one another: the walk has an end, and no time is lost or made. */
static void a_circle_has_an_end(void **state)
{
	struct fleet fleet = begin();
	struct scope_fleet_summary *one = host("one", "app", NULL), *two = host("two", "app", NULL);
	const struct scope_fleet_match *match;

	(void)state;
	link_to(one, "10.0.0.1", "10.0.0.2:80", 0.05);
	link_from(one, "10.0.0.2", "10.0.0.1:80", 0.05);
	link_to(two, "10.0.0.2", "10.0.0.1:80", 0.05);
	link_from(two, "10.0.0.1", "10.0.0.2:80", 0.05);
	add_summary(&fleet, one);
	add_summary(&fleet, two);
	judge(&fleet, 0);
	match = match_of(&fleet, "one");
	assert_int_equal(match->passes, 0);
	assert_true(fabs(match->outside_us - match->excess_us) < 1);
	end(&fleet);
}

/* Each reason, with how much it is. */
static void what_cannot_be_matched_is_said(void **state)
{
	static const struct {
		const char *name, *client, *server;
		enum scope_fleet_matching how;
	} clients[] = {
		{ "absent", "10.0.0.1", "10.0.0.9:80", SCOPE_FLEET_NO_SUMMARY },
		{ "masked", "192.168.0.7", "10.0.0.3:80", SCOPE_FLEET_TRANSLATED },
		{ "twins", "10.0.0.4", "10.0.0.5:80", SCOPE_FLEET_AMBIGUOUS },
		{ "many", "10.0.0.6", "10.0.0.3:80", SCOPE_FLEET_SEVERAL },
		{ "late", "", "", SCOPE_FLEET_NO_ENDS },
		/* Its own 127.0.0.1 is not that of another host. */
		{ "local", "127.0.0.1", "127.0.0.1:80", SCOPE_FLEET_NO_SUMMARY },
	};
	struct scope_fleet_summary *back = host("back", "db", NULL), *twin = host("twin", "db", NULL);
	struct fleet fleet = begin();

	(void)state;
	for (size_t i = 0; i < sizeof(clients) / sizeof(*clients); i++) {
		struct scope_fleet_summary *front = host(clients[i].name, "front", NULL);

		link_to(front, clients[i].client, clients[i].server, 0.05);
		add_summary(&fleet, front);
	}
	link_from(back, "10.0.0.1", "10.0.0.3:80", 0.05);
	link_from(back, "10.0.0.4", "10.0.0.5:80", 0.05);
	link_from(back, "127.0.0.1", "127.0.0.1:80", 0.05);
	link_from(twin, "10.0.0.4", "10.0.0.5:80", 0.05);
	/* It took twice as many as the client sees answers: several at once. */
	fleet_add_link(back,
		       &(struct fleet_link){
			       .answers = true, .client = "10.0.0.6", .server = "10.0.0.3:80", .exchanges = 2000 });
	add_summary(&fleet, back);
	add_summary(&fleet, twin);
	judge(&fleet, 0);
	for (size_t i = 0; i < sizeof(clients) / sizeof(*clients); i++) {
		const struct scope_fleet_match *match = match_of(&fleet, clients[i].name);

		assert_int_equal(match->how, clients[i].how);
		assert_int_equal(match->passes, 0);
		assert_true(fleet.ranking->links->excess_us[match->how] >= match->excess_us && match->excess_us > 0);
	}
	assert_true(fleet.ranking->links->excess_us[SCOPE_FLEET_MATCHED] < 1);
	end(&fleet);
}

/* As they were sent, through bytes and the database. An earlier version's summary has none. */
static void links_come_back(void **state)
{
	struct scope_fleet_summary *front = host("front", "front", NULL), *again;
	struct fleet fleet = begin();
	size_t count, before;
	uint8_t *bytes;

	(void)state;
	assert_int_equal(scope_fleet_codec_write(front, &bytes, &before), 0);
	free(bytes);
	link_to(front, "10.0.0.1", "10.0.0.2:80", 0.05);
	fleet_add_exchange(front, 4000, front->from_us + 5, 1200);
	fleet_add_exchange(front, 4001, front->from_us + 3, 2200);
	assert_int_equal(scope_fleet_codec_write(front, &bytes, &count), 0);
	assert_int_equal(scope_fleet_codec_read(bytes, count, &again), 0);
	assert_int_equal(again->links, 1);
	assert_string_equal(scope_fleet_text(again, again->link[0].server), "10.0.0.2:80");
	assert_int_equal(scope_fleet_coarse_total(&again->link[0].wall), 1000);
	assert_int_equal(again->exchange[1].at_us, front->from_us + 3);
	add_summary(&fleet, again);
	judge(&fleet, 0);
	assert_int_equal(fleet.facts->links, 1);
	assert_int_equal(fleet.facts->link[0].exchanges, 1000);
	assert_int_equal(fleet.facts->exchanges, 2);
	assert_int_equal(fleet.facts->exchange[0].took_us, 2200);
	assert_int_equal(fleet.facts->exchange[0].port, 4001);
	end(&fleet);
	free(bytes);
	/* Two counts of nothing are what an earlier version has not. */
	scope_fleet_coarse_free(&front->link[0].wall);
	front->links = front->exchanges = 0;
	assert_int_equal(scope_fleet_codec_write(front, &bytes, &count), 0);
	assert_int_equal(scope_fleet_codec_read(bytes, count - 2, &again), 0);
	assert_int_equal(again->links, 0);
	assert_int_equal(again->findings, front->findings);
	scope_fleet_summary_destroy(again);
	scope_fleet_summary_destroy(front);
	free(bytes);
}

/* Rows that cannot be, one at a time. */
static void nonsense_is_refused(void **state)
{
	(void)state;
	for (int what = 0; what < 6; what++) {
		struct scope_fleet_summary *front = host("front", "front", NULL), *again;
		uint8_t *bytes;
		size_t count;

		link_to(front, "10.0.0.1", "10.0.0.2:80", 0.05);
		fleet_add_exchange(front, 4000, front->from_us + 5, 1200);
		if (what == 0)
			front->link[0].exchanges++;
		else if (what == 1)
			front->link[0].mixed = 2000;
		else if (what == 2)
			front->exchange[0].at_us = UINT64_MAX - 10;
		else if (what == 3)
			front->exchange[0].took_us = UINT64_MAX;
		else if (what == 4)
			front->link[0].connections = UINT64_MAX;
		else
			link_to(front, "10.0.0.1", "10.0.0.2:80", 0.05);
		assert_int_equal(scope_fleet_codec_write(front, &bytes, &count), 0);
		assert_int_equal(scope_fleet_codec_read(bytes, count, &again), -EBADMSG);
		free(bytes);
		scope_fleet_summary_destroy(front);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clocks_are_bounded),
		cmocka_unit_test(strangers_give_no_clock),
		cmocka_unit_test(a_strict_pace_is_not_guessed),
		cmocka_unit_test(blame_is_passed_to_the_end),
		cmocka_unit_test(what_the_server_did_not_lose_is_on_the_way),
		cmocka_unit_test(a_circle_has_an_end),
		cmocka_unit_test(what_cannot_be_matched_is_said),
		cmocka_unit_test(links_come_back),
		cmocka_unit_test(nonsense_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
