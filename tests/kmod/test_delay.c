// SPDX-License-Identifier: GPL-2.0-only
/*
 * Deliberate delays: served at the place, to the threads, with the frequency and for the time of the rule, each with a
 * record; and they end immediately when the rule, the target or the owner is gone.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include "client_probe.h"
#include "delay_ways.h"
#include "tests.h"

#define WRAPPED(call) DELAY_WRAPPED #call
#define OWN_PATH DELAY_OWN_PATH
#define LONG_NS SCOPE_DELAY_NS_MAX /* no thread waits for it to end */
#define MANY 60			   /* of these would take a minute */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

/* Every visit of the target is held up, and no other thread. ns: the delay; flags: what all records have. */
static void serve_all(uint64_t ns, uint32_t times, uint8_t flags)
{
	struct client_delay_state state;
	struct puppet puppet, other;
	struct client client;
	uint64_t took_ns;
	size_t i;

	for (i = 0; i < DELAY_WAYS; i++) {
		struct client_delay rule = delay_ways[i].rule;
		struct delay_served served = { 0 };

		delay_begin(&client, &puppet);
		puppet_begin(&other, NULL);
		rule.id = 7;
		rule.ns = ns;
		rule.offset = delay_ways[i].rule.offset;
		delay_must(&client, &rule);
		took_ns = now_ns();
		puppet_do(&puppet, delay_ways[i].act, times);
		took_ns = now_ns() - took_ns;
		puppet_do(&other, delay_ways[i].act, times); /* not traced */
		state = delay_state_of(&client, 7);
		delay_end(&client, &puppet, &served);
		puppet_end(&other);
		printf("# %s: asked %lu, took %lu ns each, at most %lu over\n", delay_ways[i].name, ns,
		       served.count ? served.served_ns / served.count : 0, served.longest_over_ns);
		CHECK(state.visits == times && state.served == times, "%s: %lu visits, %lu served", delay_ways[i].name,
		      state.visits, state.served);
		CHECK(!state.missed && !state.capped && state.asked_ns == times * ns);
		CHECK(served.count == times && served.served_ns == state.served_ns && served.asked_ns == state.asked_ns,
		      "%s: %lu records", delay_ways[i].name, served.count);
		CHECK(took_ns >= state.served_ns && state.served_ns >= times * ns);
		CHECK(served.flags == (delay_ways[i].flags | flags) && served.all_flags == served.flags, "%s: flags %x",
		      delay_ways[i].name, served.flags);
	}
}

void test_delay_sleep(void)
{
	serve_all(300000, 50, 0);
}

void test_delay_spin(void)
{
	serve_all(5000, 200, SCOPE_DELAYED_SPUN);
}

/* Several rules for one thread at once, and what is counted where no time is asked for. */
void test_delay_together(void)
{
	struct delay_served served = { 0 };
	struct puppet puppet;
	struct client client;
	size_t i;

	delay_begin(&client, &puppet);
	for (i = 0; i < DELAY_WAYS; i++) {
		delay_ways[i].rule.id = i;
		delay_ways[i].rule.ns = i == 1 ? 0 : 50000;
		delay_must(&client, &delay_ways[i].rule);
	}
	for (i = 0; i < DELAY_WAYS; i++)
		if (i != 1)
			puppet_do(&puppet, delay_ways[i].act, 20);
	for (i = 0; i < DELAY_WAYS; i++)
		CHECK(delay_state_of(&client, i).visits == 20 && delay_state_of(&client, i).served == (i == 1 ? 0 : 20),
		      "%s", delay_ways[i].name);
	for (i = 0; i < DELAY_WAYS; i += 2)
		CHECK(!client_delay_remove(&client, i) && client_delay_remove(&client, i) == -ENOENT);
	for (i = 0; i < DELAY_WAYS; i++)
		puppet_do(&puppet, delay_ways[i].act, 10);
	CHECK(delay_state_of(&client, 1).visits == 40 && delay_state_of(&client, 3).visits == 30);
	delay_end(&client, &puppet, &served);
	CHECK(served.count == 20 * (DELAY_WAYS - 1) + 10, "%lu records", served.count);
}

/* Which visits are chosen can be foretold, and is the same again with the same seed. */
void test_delay_choice(void)
{
	const uint64_t seeds[] = { 0, 1, 1, 123456789 };
	struct delay_served served = { 0 };
	uint64_t visit = 0, chosen = 0;
	struct puppet puppet;
	struct client client;
	size_t i, n;

	delay_begin(&client, &puppet);
	for (i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++) {
		struct client_delay rule = delay_ways[0].rule;

		rule.ns = 1000;
		rule.probability = 1u << 30;
		rule.seed = seeds[i];
		delay_must(&client, &rule);
		puppet_do(&puppet, PUPPET_GETPPID, 400);
		for (n = 0; n < 400; n++)
			chosen += scope_delay_chosen(rule.seed, visit++, rule.probability);
		CHECK(delay_state_of(&client, 0).served == chosen, "seed %lu", rule.seed);
	}
	CHECK(chosen > 300 && chosen < 500, "%lu of 1600", chosen);
	delay_end(&client, &puppet, &served);
}

void test_delay_threads(void)
{
	struct client_config config = { .count = 2, .subbuf_count = 64 };
	struct delay_served served = { 0 };
	struct puppet puppets[2];
	struct client client;
	size_t i;

	delay_find_places();
	for (i = 0; i < 2; i++) {
		puppet_begin(&puppets[i], NULL);
		config.pids[i] = puppets[i].pid;
	}
	delay_find_places();
	client_begin(&client, &config);
	for (i = 0; i < DELAY_WAYS; i++) {
		struct client_delay rule = delay_ways[i].rule;

		rule.id = i;
		rule.ns = 30000;
		rule.tid = puppets[1].pid;
		delay_must(&client, &rule);
		puppet_do(&puppets[0], delay_ways[i].act, 10);
		CHECK(!delay_state_of(&client, i).visits, "%s", delay_ways[i].name);
		puppet_do(&puppets[1], delay_ways[i].act, 10);
		CHECK(delay_state_of(&client, i).served == 10, "%s", delay_ways[i].name);
		CHECK(!client_delay_remove(&client, i));
	}
	puppet_end(&puppets[0]);
	delay_end(&client, &puppets[1], &served);
	CHECK(served.count == 10 * DELAY_WAYS && served.tid == (uint32_t)puppets[1].pid);
}

/* While the target runs into it all the time. */
void test_delay_replace(void)
{
	struct client_delay other = delay_ways[3].rule;
	struct delay_served served = { 0 };
	struct puppet puppet;
	struct client client;
	uint64_t before, i;

	delay_begin(&client, &puppet);
	other.offset = puppet_function_offset();
	puppet_start(&puppet, PUPPET_GETPPID, 2000000000);
	for (i = 0; i < 60; i++) {
		struct client_delay rule = delay_ways[i % 2].rule;

		rule.id = i % 2;
		rule.ns = i % 6 * 10000;
		rule.tid = i % 5 ? 0 : puppet.pid;
		delay_must(&client, &rule);
		client_drain(&client, delay_on_record, &served);
	}
	CHECK(client_delay_set(&client, &other) == -EEXIST);
	before = delay_state_of(&client, 1).visits;
	while (delay_state_of(&client, 1).visits < before + 10)
		usleep(1000);
	CHECK(delay_state_of(&client, 1).asked_ns && delay_state_of(&client, 1).ns == 50000);
	delay_end(&client, &puppet, &served);
	CHECK(served.count);
}

/* Waits until a thread is held up. */
static void wait_visit(struct client *client, uint32_t id)
{
	while (!delay_state_of(client, id).visits)
		usleep(1000);
	usleep(20000);
}

/* Removal, stop, death of the target: each ends a long delay at once. */
void test_delay_ends(void)
{
	struct client_delay_state state;
	struct delay_served served;
	struct puppet puppet;
	struct client client;
	size_t i, how;

	for (i = 0; i < DELAY_WAYS; i++) {
		for (how = 0; how < 3; how++) {
			struct client_delay rule;

			served = (struct delay_served){ 0 };
			delay_begin(&client, &puppet);
			rule = delay_ways[i].rule;
			rule.ns = LONG_NS;
			delay_must(&client, &rule);
			puppet_start(&puppet, delay_ways[i].act, 1);
			/* The visit of a kernel function comes before the delay, by little. */
			wait_visit(&client, 0);
			if (how == 0) {
				CHECK(!client_delay_remove(&client, 0));
				puppet_wait(&puppet);
			} else if (how == 1) {
				CHECK(!client_command(&client, SCOPE_CMD_STOP));
				state = delay_state_of(&client, 0);
				CHECK(state.served == 1 && state.served_ns < LONG_NS);
				puppet_wait(&puppet);
			} else {
				kill(puppet.pid, SIGKILL);
				CHECK(waitpid(puppet.pid, NULL, 0) == puppet.pid);
			}
			if (how != 1)
				CHECK(!client_command(&client, SCOPE_CMD_STOP));
			client_drain(&client, delay_on_record, &served);
			CHECK(served.count == 1 && served.flags == (delay_ways[i].flags | SCOPE_DELAYED_CUT),
			      "%s, %zu: %lu records, flags %x", delay_ways[i].name, how, served.count, served.flags);
			client_close(&client);
			puppet_end(&puppet);
		}
	}
}

/* The owner dies without a message: no thread is held up any more, and the module can be unloaded. */
void test_delay_owner_killed(void)
{
	uint64_t from_ns;
	size_t i;

	delay_find_places();
	for (i = 0; i < DELAY_WAYS; i++) {
		struct puppet puppet;
		int ready[2], status;
		pid_t owner;
		char byte;

		puppet_begin(&puppet, NULL);
		CHECK(!pipe(ready));
		owner = fork();
		if (!owner) {
			struct client_config config = { .count = 1, .pids = { puppet.pid } };
			struct client_delay rule = delay_ways[i].rule;
			struct client client;

			rule.ns = LONG_NS;
			client_begin(&client, &config);
			delay_must(&client, &rule);
			CHECK(write(ready[1], "", 1) == 1);
			wait_visit(&client, 0);
			CHECK(write(ready[1], "", 1) == 1);
			for (;;)
				pause();
		}
		close(ready[1]);
		if (read(ready[0], &byte, 1) != 1) {
			/* It has said that this kernel does not know the way. */
			CHECK(waitpid(owner, &status, 0) == owner && !status);
			close(ready[0]);
			puppet_end(&puppet);
			continue;
		}
		puppet_start(&puppet, delay_ways[i].act, MANY);
		CHECK(read(ready[0], &byte, 1) == 1);
		from_ns = now_ns();
		kill(owner, SIGKILL);
		CHECK(waitpid(owner, NULL, 0) == owner);
		puppet_wait(&puppet);
		CHECK(now_ns() - from_ns < MANY * LONG_NS / 2, "%s: %lu ns", delay_ways[i].name, now_ns() - from_ns);
		client_wait_unused();
		close(ready[0]);
		puppet_end(&puppet);
	}
}

#define WANT(client, code, words, ...)                                                                                 \
	do {                                                                                                           \
		int got = client_delay_set(client, &(struct client_delay){ __VA_ARGS__ });                             \
		CHECK(got == (code) && client_told(client_delay_text, words), "%d %s", got, client_delay_text);        \
	} while (0)

void test_delay_refuse(void)
{
	struct delay_served served = { 0 };
	struct client_delay many = delay_ways[1].rule;
	struct puppet puppet;
	struct client client;
	uint32_t id;

	client_open(&client);
	WANT(&client, -ENODATA, "configured", .site = SCOPE_DELAY_RECEIVE, .ns = 1);
	client_close(&client);
	delay_begin(&client, &puppet);
	WANT(&client, -EINVAL, "DELAY_SITE", .site = 5);
	WANT(&client, -EINVAL, "DELAY_ID", .id = 65536);
	WANT(&client, -EINVAL, "DELAY_SYSCALL", .syscall = -1, .flags = SCOPE_DELAY_AFTER);
	WANT(&client, -EINVAL, "DELAY_SYSCALL", .syscall = 512, .flags = SCOPE_DELAY_AFTER);
	WANT(&client, -EINVAL, "DELAY_FLAGS", .flags = 2);
	WANT(&client, -EINVAL, "DELAY_FLAGS", .site = SCOPE_DELAY_RECEIVE, .flags = 1);
	WANT(&client, -EINVAL, "DELAY_NS", .site = SCOPE_DELAY_RECEIVE, .ns = SCOPE_DELAY_NS_MAX + 1);
	WANT(&client, -EINVAL, "DELAY_HIT_MAX_NS", .site = SCOPE_DELAY_RECEIVE, .hit_max_ns = SCOPE_DELAY_NS_MAX + 1);
	WANT(&client, -EINVAL, "DELAY_SECOND_MAX_NS", .site = SCOPE_DELAY_RECEIVE, .ns = 1,
	     .second_max_ns = SCOPE_DELAY_SECOND_MAX_NS_MAX + 1);
	delay_must(&client, &(struct client_delay){ .id = 1,
						    .site = SCOPE_DELAY_RECEIVE,
						    .ns = 1,
						    .second_max_ns = SCOPE_DELAY_SECOND_MAX_NS_MAX });
	CHECK(!client_delay_remove(&client, 1));
	WANT(&client, -EINVAL, "PROBE_SYMBOL", .syscall = SYS_getppid);
	WANT(&client, -EINVAL, "PROBE_SYMBOL", .site = SCOPE_DELAY_KERNEL);
	WANT(&client, -EINVAL, "PROBE_PATH", .site = SCOPE_DELAY_USER, .symbol = "f");
	WANT(&client, -EINVAL, "empty", .site = SCOPE_DELAY_KERNEL, .symbol = "");
	WANT(&client, -EINVAL, "PROBE_OFFSET", .syscall = SYS_getppid, .symbol = WRAPPED(getppid), .offset = 4);
	WANT(&client, -ESRCH, "names no thread", .site = SCOPE_DELAY_RECEIVE, .tid = 4000000);
	WANT(&client, -ENOENT, "no such function", .site = SCOPE_DELAY_KERNEL, .symbol = "no_such");
	WANT(&client, -ENOENT, "no such file", .site = SCOPE_DELAY_USER, .path = PUPPET_PATH);
	WANT(&client, -ERANGE, "outside", .site = SCOPE_DELAY_USER, .path = OWN_PATH, .offset = 1ull << 40);
	/* Not a system call's function, and not this call's: the thread goes its way. */
	delay_must(&client, &(struct client_delay){ .id = 1,
						    .syscall = SYS_openat,
						    .ns = LONG_NS,
						    .symbol = client_probe_function(CLIENT_OPEN) });
	delay_must(&client,
		   &(struct client_delay){ .id = 2, .syscall = SYS_getpid, .ns = LONG_NS, .symbol = WRAPPED(getppid) });
	puppet_do(&puppet, PUPPET_OPEN, 10);
	puppet_do(&puppet, PUPPET_GETPPID, 10);
	for (id = 1; id < 3; id++)
		CHECK(!delay_state_of(&client, id).visits && delay_state_of(&client, id).missed == 10);
	for (id = 3; id < SCOPE_DELAY_MAX + 1; id++) {
		many.id = id;
		delay_must(&client, &many);
	}
	many.id = id;
	CHECK(client_delay_set(&client, &many) == -ENOSPC);
	puppet_do(&puppet, PUPPET_GETPPID, 10);
	CHECK(delay_state_of(&client, 64).visits == 10);
	delay_end(&client, &puppet, &served);
}

static void set_parameter(const char *value)
{
	FILE *file = fopen("/sys/module/scope/parameters/delays", "we");

	CHECK(file && fputs(value, file) >= 0 && !fclose(file));
}

/* Switched off by the module's parameter: new rules are refused, and rules that are there go on. */
void test_delay_off(void)
{
	struct client_delay rule = delay_ways[1].rule, other = delay_ways[2].rule;
	struct delay_served served = { 0 };
	struct puppet puppet;
	struct client client;

	delay_begin(&client, &puppet);
	rule.ns = other.ns = 1000;
	rule.id = 1;
	delay_must(&client, &rule);
	set_parameter("0");
	WANT(&client, -ECANCELED, "/sys/module/scope/parameters/delays", .site = SCOPE_DELAY_RECEIVE);
	CHECK(client_delay_set(&client, &rule) == -ECANCELED);
	puppet_do(&puppet, PUPPET_GETPPID, 10);
	CHECK(delay_state_of(&client, 1).served == 10);
	CHECK(!client_delay_remove(&client, 1));
	set_parameter("1");
	delay_must(&client, &other);
	puppet_do(&puppet, PUPPET_RECEIVE, 10);
	delay_end(&client, &puppet, &served);
	CHECK(served.count == 20);
}

/* For run.sh, which ends this process and unloads the module: a session with rules of all kinds. */
void test_delay_hold(int pid)
{
	struct client_config config = {
		.count = 1, .pids = { pid }, .stack_mode = SCOPE_STACK_CHAIN, .sample_period_ns = MS
	};
	struct client_delay faster = {
		.id = DELAY_WAYS, .site = SCOPE_DELAY_SPEEDUP, .syscall = SYS_getppid, .ns = MS / 2
	};
	struct client client;
	size_t i;
	int err;

	delay_find_places();
	client_begin(&client, &config);
	for (i = 0; i < DELAY_WAYS; i++) {
		struct client_delay rule = delay_ways[i].rule;

		rule.id = i;
		rule.ns = 200000;
		err = client_delay_set(&client, &rule);
		/* Old kernels have no functions at whose entry calls can be held up. */
		CHECK(!err || (!i && err == -EOPNOTSUPP), "%s: %s", delay_ways[i].name, client_delay_text);
	}
	delay_must(&client, &faster);
	puts("held");
	fflush(stdout);
	for (;;)
		pause();
}
