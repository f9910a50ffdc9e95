// SPDX-License-Identifier: GPL-2.0-only
/*
 * No kind of delay is longer than the caps: the cap of a visit, and the cap of all threads of a
 * session in a second. The time that is left out is counted and marked.
 */
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include "delay_ways.h"
#include "tests.h"

#define VISITS 20u
#define HIT_MAX_NS 100000ull
#define SECOND_MAX_NS (20 * MS)
#define FOR_EVER 2000000000u

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

/* Each visit asks for 5 ms. */
static void cap_visits(struct client *client, struct puppet *puppet, const struct delay_way *way)
{
	struct client_delay rule = way->rule;
	struct client_delay_state state;

	rule.ns = 5 * MS;
	rule.hit_max_ns = HIT_MAX_NS;
	delay_must(client, &rule);
	puppet_do(puppet, way->act, VISITS);
	state = delay_state_of(client, 0);
	CHECK(state.visits == VISITS && state.served == VISITS && state.capped == VISITS &&
		      state.asked_ns == VISITS * HIT_MAX_NS && !state.missed,
	      "%s: %lu %lu %lu %lu", way->name, state.visits, state.served, state.capped, state.asked_ns);
}

/* 40 ms are asked for by each of two processes, 20 are there for both; some may be left of a second before. */
static void cap_seconds(struct client *client, struct puppet *puppets, const struct delay_way *way)
{
	struct client_delay rule = way->rule;
	struct client_delay_state before = delay_state_of(client, 0), after;
	uint64_t took_ns = now_ns(), asked_ns, capped;

	rule.ns = 1 * MS;
	rule.second_max_ns = SECOND_MAX_NS;
	delay_must(client, &rule);
	puppet_start(&puppets[0], way->act, 2 * VISITS);
	puppet_start(&puppets[1], way->act, 2 * VISITS);
	puppet_wait(&puppets[0]);
	puppet_wait(&puppets[1]);
	took_ns = now_ns() - took_ns;
	after = delay_state_of(client, 0);
	asked_ns = after.asked_ns - before.asked_ns;
	capped = after.capped - before.capped;
	printf("# %s: %lu ns asked in %lu, %lu of %u visits capped\n", way->name, asked_ns, took_ns, capped,
	       4 * VISITS);
	CHECK(after.visits - before.visits == 4 * VISITS && !after.missed);
	CHECK(asked_ns <= SECOND_MAX_NS * (took_ns / 1000000000 + 2), "%s: %lu ns", way->name, asked_ns);
	CHECK(capped && after.served - before.served + capped >= 4 * VISITS);
}

void test_delay_caps(void)
{
	size_t i;

	for (i = 0; i < DELAY_WAYS; i++) {
		struct client_config config = { .count = 2, .subbuf_count = 64 };
		struct delay_served served = { 0 };
		struct client_delay_state state;
		struct puppet puppets[2];
		struct client client;
		int j;

		for (j = 0; j < 2; j++) {
			puppet_begin(&puppets[j], NULL);
			config.pids[j] = puppets[j].pid;
		}
		delay_find_places();
		client_begin(&client, &config);
		cap_visits(&client, &puppets[0], &delay_ways[i]);
		cap_seconds(&client, puppets, &delay_ways[i]);
		state = delay_state_of(&client, 0);
		puppet_end(&puppets[1]);
		delay_end(&client, &puppets[0], &served);
		CHECK(served.flags & SCOPE_DELAYED_CAPPED && served.count == state.served &&
			      served.asked_ns == state.asked_ns,
		      "%s: %lu records of %lu ns, not %lu of %lu", delay_ways[i].name, served.count, served.asked_ns,
		      state.served, state.asked_ns);
	}
}

/*
 * For virtual speedups the cap of a second is on the time waited, not on the time required: one process burns, and
 * requires far more than 20 ms a second of the other.
 */
void test_speedup_caps(void)
{
	struct client_config config = {
		.count = 2, .subbuf_count = 64, .stack_mode = SCOPE_STACK_CHAIN, .sample_period_ns = MS
	};
	struct scope_delay_range range;
	struct client_delay rule = { .site = SCOPE_DELAY_SPEEDUP,
				     .syscall = -1,
				     .ns = MS / 2,
				     .range = &range,
				     .second_max_ns = SECOND_MAX_NS };
	struct delay_served served = { 0 };
	struct client_delay_state state;
	struct puppet puppets[2];
	struct client client;
	uint64_t took_ns = now_ns();
	int i;

	for (i = 0; i < 2; i++) {
		puppet_begin(&puppets[i], NULL);
		config.pids[i] = puppets[i].pid;
	}
	client_begin(&client, &config);
	puppet_burn_range(&puppets[0], &range);
	delay_must(&client, &rule);
	puppet_start(&puppets[0], PUPPET_BURN, FOR_EVER);
	puppet_start(&puppets[1], PUPPET_WORK, FOR_EVER);
	/* Where the machine is busy waits last longer than asked for, and it takes longer to come to the cap. */
	do {
		usleep(10000);
		state = delay_state_of(&client, 0);
	} while (state.visits < 200 || !state.capped);
	took_ns = now_ns() - took_ns;
	puppet_end(&puppets[1]);
	state = delay_state_of(&client, 0);
	delay_end(&client, &puppets[0], &served);
	printf("# required %lu ms, waited %lu ms in %lu ms, %lu capped\n", state.required_ns / MS, state.served_ns / MS,
	       took_ns / MS, state.capped);
	CHECK(state.required_ns >= 200 * MS / 2 && state.capped);
	CHECK(state.asked_ns <= SECOND_MAX_NS * (took_ns / 1000000000 + 2), "%lu ns", state.asked_ns);
	CHECK(served.flags & SCOPE_DELAYED_CAPPED);
}
