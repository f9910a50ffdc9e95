// SPDX-License-Identifier: GPL-2.0-only
/*
 * Virtual speedups of two and three processes: the process that is not in the code is delayed for the required time, and
 * no other one is. The time for which a thread waited for another delayed thread counts.
 */
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "client_delay.h"
#include "other_probe.h"
#include "puppet.h"
#include "tests.h"

#define MS 1000000ull
#define FOR_EVER 2000000000u
#define PUPPETS 3

struct waited {
	uint32_t pid[PUPPETS];
	uint64_t ns[PUPPETS], count[PUPPETS], longest_ns;
};

static void on_record(void *data, uint32_t cpu, uint32_t tid, uint64_t at_ns, const void *record, uint32_t bytes)
{
	const struct scope_record_delay *delay = record;
	struct waited *waited = data;
	int i;

	(void)cpu, (void)at_ns, (void)bytes;
	if (scope_record_type(delay->word) != SCOPE_RECORD_DELAY)
		return;
	CHECK(delay->flags & SCOPE_DELAYED_AT_RETURN);
	for (i = 0; i < PUPPETS; i++) {
		if (waited->pid[i] != tid)
			continue;
		waited->ns[i] += delay->served_ns;
		waited->count[i]++;
		if (delay->served_ns > waited->longest_ns)
			waited->longest_ns = delay->served_ns;
	}
}

static void begin(struct client *client, struct puppet *puppets, uint32_t count, struct waited *waited)
{
	struct client_config config = {
		.count = count, .subbuf_count = 64, .stack_mode = SCOPE_STACK_CHAIN, .sample_period_ns = MS
	};
	uint32_t i;

	for (i = 0; i < count; i++) {
		puppet_begin(&puppets[i], NULL);
		config.pids[i] = waited->pid[i] = puppets[i].pid;
	}
	client_begin(client, &config);
}

static struct client_delay_state state_of(struct client *client)
{
	struct client_delay_state state;

	CHECK(!client_delay_next(client, 0, &state));
	return state;
}

static void set(struct client *client, const struct client_delay *rule)
{
	int err = client_delay_set(client, rule);

	CHECK(!err, "%d %s", err, client_delay_text);
}

static void wait_visits(struct client *client, uint64_t visits)
{
	while (state_of(client).visits < visits)
		usleep(10000);
}

static void end(struct client *client, struct puppet *puppets, uint32_t count, struct waited *waited)
{
	CHECK(!client_command(client, SCOPE_CMD_STOP));
	client_drain(client, on_record, waited);
	client_close(client);
	while (count--)
		puppet_end(&puppets[count]);
}

/* One burns, one works; both never enter the kernel by themselves. */
void test_speedup(void)
{
	struct scope_delay_range range;
	struct client_delay rule = { .site = SCOPE_DELAY_SPEEDUP, .syscall = -1, .ns = MS / 2, .range = &range };
	struct puppet puppets[2];
	struct waited waited = { 0 };
	struct client_delay_state state;
	struct client client;
	uint64_t before;

	begin(&client, puppets, 2, &waited);
	puppet_burn_range(&puppets[0], &range);
	set(&client, &rule);
	puppet_start(&puppets[0], PUPPET_BURN, FOR_EVER);
	puppet_start(&puppets[1], PUPPET_WORK, FOR_EVER);
	wait_visits(&client, 400);
	/* The speedup has ended: debts are paid, and nothing new is required. */
	rule.ns = 0;
	set(&client, &rule);
	before = state_of(&client).visits;
	wait_visits(&client, before + 50);
	state = state_of(&client);
	end(&client, puppets, 2, &waited);
	printf("# required %lu ms for %lu samples; waited %lu and %lu ms\n", state.required_ns / MS, state.visits,
	       waited.ns[0] / MS, waited.ns[1] / MS);
	CHECK(state.required_ns >= 400 * MS / 2 && state.required_ns <= state.visits * MS / 2);
	CHECK(!waited.count[0], "the fast one waited %lu times", waited.count[0]);
	/* It may owe a last sleep, or have slept too long in it. */
	CHECK(waited.ns[1] + waited.longest_ns >= state.required_ns &&
		      waited.ns[1] <= state.required_ns + waited.longest_ns,
	      "%lu of %lu ns", waited.ns[1], state.required_ns);
	CHECK(!state.missed && !state.capped && state.served == waited.count[1]);
}

/* Time asleep in a call that is to look faster counts by periods; other sleeps do not. */
void test_speedup_blocked(void)
{
	struct client_delay rule = { .site = SCOPE_DELAY_SPEEDUP, .syscall = SYS_nanosleep, .ns = MS / 4 };
	struct waited waited = { 0 };
	struct puppet puppets[2];
	struct client_delay_state state;
	struct client client;
	struct timespec from, to;
	uint64_t took_ns;

	begin(&client, puppets, 2, &waited);
	set(&client, &rule);
	puppet_start(&puppets[1], PUPPET_WORK, FOR_EVER);
	clock_gettime(CLOCK_MONOTONIC, &from);
	puppet_do(&puppets[0], PUPPET_NAP, 1000); /* of 0.3 ms at least */
	clock_gettime(CLOCK_MONOTONIC, &to);
	took_ns = (to.tv_sec - from.tv_sec) * 1000000000ull + to.tv_nsec - from.tv_nsec;
	state = state_of(&client);
	usleep(200000); /* asleep in read, which is another call */
	CHECK(state_of(&client).visits == state.visits);
	end(&client, puppets, 2, &waited);
	printf("# %lu periods of blocked time in %lu ms; waited %lu and %lu ms\n", state.visits, took_ns / MS,
	       waited.ns[0] / MS, waited.ns[1] / MS);
	CHECK(state.visits >= 300 && state.visits <= took_ns / MS + 1);
	CHECK(state.required_ns == state.visits * MS / 4);
	CHECK(waited.ns[1] > state.required_ns / 2);
}

/* Where the kernel records wakings by the thread that wakes, from 4.3 on. */
static bool wakers_known(void)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/events/sched/sched_waking", other_probe_tracefs());
	return !access(path, F_OK);
}

/*
 * One burns; two pass a byte to and fro, so that only one of them runs at a time. What the one waits
 * the other waits, too: together they wait less than twice what a single thread would. (Debts that
 * come while one runs are known to be settled at its next return alone: unsettled_ns.)
 */
void test_speedup_peers(void)
{
	struct scope_delay_range range;
	struct client_delay rule = { .site = SCOPE_DELAY_SPEEDUP, .syscall = -1, .ns = MS / 2, .range = &range };
	struct client_config config = {
		.count = 2, .subbuf_count = 64, .follow = true, .stack_mode = SCOPE_STACK_CHAIN, .sample_period_ns = MS
	};
	struct waited waited = { 0 };
	struct puppet puppets[2];
	struct client_delay_state state;
	struct client client;
	uint64_t before;
	int i;

	if (!wakers_known()) {
		printf("# skipped: this kernel does not say which thread wakes another\n");
		return;
	}
	for (i = 0; i < 2; i++) {
		puppet_begin(&puppets[i], NULL);
		config.pids[i] = puppets[i].pid;
	}
	client_begin(&client, &config);
	puppet_burn_range(&puppets[0], &range);
	puppet_start(&puppets[1], PUPPET_PINGPONG, FOR_EVER);
	puppet_start(&puppets[0], PUPPET_BURN, FOR_EVER);
	usleep(100000);
	set(&client, &rule);
	wait_visits(&client, 400);
	rule.ns = 0;
	set(&client, &rule);
	before = state_of(&client).visits;
	wait_visits(&client, before + 50);
	state = state_of(&client);
	end(&client, puppets, 2, &waited);
	printf("# required %lu ms, both together waited %lu ms, unsettled %lu ms\n", state.required_ns / MS,
	       state.served_ns / MS, state.unsettled_ns / MS);
	CHECK(state.required_ns >= 400 * MS / 2);
	CHECK(state.served_ns > state.required_ns / 2 && state.served_ns < state.required_ns / 10 * 18, "%lu of %lu ns",
	      state.served_ns, state.required_ns);
}

/* In the middle of it: the rule goes, the target dies, the owner dies. */
void test_speedup_ends(void)
{
	struct scope_delay_range range;
	struct client_delay rule = {
		.site = SCOPE_DELAY_SPEEDUP, .syscall = SYS_nanosleep, .ns = 200 * MS, .range = &range
	};
	struct waited waited = { 0 };
	struct puppet puppets[2];
	struct client client;
	int how;

	for (how = 0; how < 3; how++) {
		begin(&client, puppets, 2, &waited);
		puppet_burn_range(&puppets[0], &range);
		set(&client, &rule);
		rule.id = 1;
		CHECK(client_delay_set(&client, &rule) == -16, "%s", client_delay_text);
		rule.id = 0;
		puppet_start(&puppets[0], PUPPET_BURN, FOR_EVER);
		puppet_start(&puppets[1], PUPPET_WORK, FOR_EVER);
		wait_visits(&client, 10);
		if (how == 0) {
			CHECK(!client_delay_remove(&client, 0));
			set(&client, &rule);
			wait_visits(&client, 10);
		} else if (how == 1) {
			kill(puppets[1].pid, SIGKILL);
			CHECK(waitpid(puppets[1].pid, NULL, 0) == (pid_t)waited.pid[1]);
		} else {
			kill(puppets[0].pid, SIGKILL);
			CHECK(waitpid(puppets[0].pid, NULL, 0) == (pid_t)waited.pid[0]);
		}
		if (how == 1)
			client_close(&client);
		else
			CHECK(!client_command(&client, SCOPE_CMD_STOP));
		puppet_end(&puppets[0]);
		puppet_end(&puppets[1]);
		if (how != 1)
			client_close(&client);
	}
	client_wait_unused();
}
