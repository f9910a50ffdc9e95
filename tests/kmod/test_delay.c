// SPDX-License-Identifier: GPL-2.0-only
/*
 * Delays on purpose: served where, to whom, as often and for as long as a rule says, each with a
 * record; no longer than the caps; and over at once when the rule, the target or the owner goes.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include "client_delay.h"
#include "client_probe.h"
#include "puppet.h"
#include "tests.h"

#define OWN_PATH "/proc/self/exe"
#ifdef __aarch64__
#define WRAPPED(call) "__arm64_sys_" #call
#else
#define WRAPPED(call) "__x64_sys_" #call
#endif
#define MS 1000000ull
#define LONG_NS SCOPE_DELAY_NS_MAX /* nobody waits for it to end */
#define MANY 60 /* of these would take a minute */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

/* The four ways there are, each with what comes to its site. */
static struct {
	const char *name;
	enum puppet_act act;
	uint8_t flags; /* of its records */
	struct client_delay rule;
} ways[] = {
	{ "entry", PUPPET_GETPPID, 0,
	  { .site = SCOPE_DELAY_SYSCALL, .syscall = SYS_getppid, .symbol = WRAPPED(getppid) } },
	{ "after", PUPPET_GETPPID, SCOPE_DELAYED_AT_RETURN,
	  { .site = SCOPE_DELAY_SYSCALL, .syscall = SYS_getppid, .flags = SCOPE_DELAY_AFTER } },
	{ "receive", PUPPET_RECEIVE, SCOPE_DELAYED_AT_RETURN, { .site = SCOPE_DELAY_RECEIVE } },
	{ "user", PUPPET_FUNCTION, 0, { .site = SCOPE_DELAY_USER, .path = OWN_PATH } },
	{ "kernel", PUPPET_OPEN, SCOPE_DELAYED_AT_RETURN, { .site = SCOPE_DELAY_KERNEL } },
};
#define WAYS (sizeof(ways) / sizeof(ways[0]))

/* Before any of them is used. */
static void find_places(void)
{
	ways[3].rule.offset = puppet_function_offset();
	ways[4].rule.symbol = client_probe_function(CLIENT_OPEN);
}

struct served {
	uint64_t count, asked_ns, served_ns, longest_over_ns;
	uint32_t flags, all_flags; /* of any, and of all */
	uint32_t tid;		   /* of the last */
};

static void on_record(void *data, uint32_t cpu, uint32_t tid, uint64_t at_ns, const void *record,
		      uint32_t bytes)
{
	const struct scope_record_delay *delay = record;
	struct served *served = data;

	(void)cpu, (void)at_ns, (void)bytes;
	if (scope_record_type(delay->word) != SCOPE_RECORD_DELAY)
		return;
	served->all_flags = served->count ? served->all_flags & delay->flags : delay->flags;
	served->flags |= delay->flags;
	served->count++;
	served->asked_ns += delay->asked_ns;
	served->served_ns += delay->served_ns;
	served->tid = tid;
	if (delay->served_ns > delay->asked_ns &&
	    delay->served_ns - delay->asked_ns > served->longest_over_ns)
		served->longest_over_ns = delay->served_ns - delay->asked_ns;
	CHECK(delay->served_ns >= delay->asked_ns || delay->flags & SCOPE_DELAYED_CUT);
}

static void begin(struct client *client, struct puppet *puppet)
{
	struct client_config config = { .count = 1, .subbuf_count = 64 };

	find_places();
	puppet_begin(puppet, NULL);
	config.pids[0] = puppet->pid;
	client_begin(client, &config);
}

static void end(struct client *client, struct puppet *puppet, struct served *served)
{
	CHECK(!client_command(client, SCOPE_CMD_STOP));
	client_drain(client, on_record, served);
	client_close(client);
	puppet_end(puppet);
}

static void must(struct client *client, const struct client_delay *rule)
{
	int err = client_delay_set(client, rule);

	CHECK(!err, "rule %u: %s: %s", rule->id, strerror(-err), client_delay_text);
}

static struct client_delay_state state_of(struct client *client, uint32_t id)
{
	struct client_delay_state state;

	CHECK(!client_delay_next(client, id, &state) && state.id == id);
	return state;
}

/* Every visit is held up, and nobody else. ns: what for; flags: what all records have. */
static void serve_all(uint64_t ns, uint32_t times, uint8_t flags)
{
	struct client_delay_state state;
	struct puppet puppet, other;
	struct client client;
	uint64_t took_ns;
	size_t i;

	for (i = 0; i < WAYS; i++) {
		struct client_delay rule = ways[i].rule;
		struct served served = { 0 };

		begin(&client, &puppet);
		puppet_begin(&other, NULL);
		rule.id = 7;
		rule.ns = ns;
		rule.offset = ways[i].rule.offset;
		must(&client, &rule);
		took_ns = now_ns();
		puppet_do(&puppet, ways[i].act, times);
		took_ns = now_ns() - took_ns;
		puppet_do(&other, ways[i].act, times); /* not traced */
		state = state_of(&client, 7);
		end(&client, &puppet, &served);
		puppet_end(&other);
		printf("# %s: asked %lu, took %lu ns each, at most %lu over\n", ways[i].name, ns,
		       served.count ? served.served_ns / served.count : 0, served.longest_over_ns);
		CHECK(state.visits == times && state.served == times, "%s: %lu visits, %lu served",
		      ways[i].name, state.visits, state.served);
		CHECK(!state.missed && !state.capped && state.asked_ns == times * ns);
		CHECK(served.count == times && served.served_ns == state.served_ns &&
		      served.asked_ns == state.asked_ns, "%s: %lu records", ways[i].name, served.count);
		CHECK(took_ns >= state.served_ns && state.served_ns >= times * ns);
		CHECK(served.flags == (ways[i].flags | flags) && served.all_flags == served.flags,
		      "%s: flags %x", ways[i].name, served.flags);
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
	struct served served = { 0 };
	struct puppet puppet;
	struct client client;
	size_t i;

	begin(&client, &puppet);
	for (i = 0; i < WAYS; i++) {
		ways[i].rule.id = i;
		ways[i].rule.ns = i == 1 ? 0 : 50000;
		must(&client, &ways[i].rule);
	}
	for (i = 0; i < WAYS; i++)
		if (i != 1)
			puppet_do(&puppet, ways[i].act, 20);
	for (i = 0; i < WAYS; i++)
		CHECK(state_of(&client, i).visits == 20 &&
		      state_of(&client, i).served == (i == 1 ? 0 : 20), "%s", ways[i].name);
	for (i = 0; i < WAYS; i += 2)
		CHECK(!client_delay_remove(&client, i) && client_delay_remove(&client, i) == -ENOENT);
	for (i = 0; i < WAYS; i++)
		puppet_do(&puppet, ways[i].act, 10);
	CHECK(state_of(&client, 1).visits == 40 && state_of(&client, 3).visits == 30);
	end(&client, &puppet, &served);
	CHECK(served.count == 20 * (WAYS - 1) + 10, "%lu records", served.count);
}

void test_delay_caps(void)
{
	struct client_delay rule = ways[1].rule;
	struct served served = { 0 };
	struct client_delay_state state;
	struct puppet puppet;
	struct client client;
	uint64_t took_ns;

	begin(&client, &puppet);
	rule.ns = 5 * MS;
	rule.hit_max_ns = 100000;
	must(&client, &rule);
	puppet_do(&puppet, PUPPET_GETPPID, 20);
	state = state_of(&client, 0);
	CHECK(state.visits == 20 && state.served == 20 && state.capped == 20 &&
	      state.asked_ns == 20 * 100000ull, "%lu %lu", state.capped, state.asked_ns);
	client_drain(&client, on_record, &served);
	/* 40 ms of a second, in which the 2 ms from above may count. */
	rule.hit_max_ns = 0;
	rule.second_max_ns = 40 * MS;
	must(&client, &rule);
	took_ns = now_ns();
	puppet_do(&puppet, PUPPET_GETPPID, 3000);
	took_ns = now_ns() - took_ns;
	state = state_of(&client, 0);
	printf("# %lu of 3000 visits capped, %lu ns asked in %lu\n", state.capped - 20,
	       state.asked_ns, took_ns);
	CHECK(state.visits == 3020 && state.capped > 20);
	CHECK(state.asked_ns - 20 * 100000 <= 40 * MS * (took_ns / 1000000000 + 2));
	CHECK(state.served - 20 + state.capped - 20 >= 3000);
	end(&client, &puppet, &served);
	CHECK(served.flags & SCOPE_DELAYED_CAPPED);
}

/* Which visits are chosen can be foretold, and is the same again with the same seed. */
void test_delay_choice(void)
{
	const uint64_t seeds[] = { 0, 1, 1, 123456789 };
	struct served served = { 0 };
	uint64_t visit = 0, chosen = 0;
	struct puppet puppet;
	struct client client;
	size_t i, n;

	begin(&client, &puppet);
	for (i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++) {
		struct client_delay rule = ways[0].rule;

		rule.ns = 1000;
		rule.probability = 1u << 30;
		rule.seed = seeds[i];
		must(&client, &rule);
		puppet_do(&puppet, PUPPET_GETPPID, 400);
		for (n = 0; n < 400; n++)
			chosen += scope_delay_chosen(rule.seed, visit++, rule.probability);
		CHECK(state_of(&client, 0).served == chosen, "seed %lu", rule.seed);
	}
	CHECK(chosen > 300 && chosen < 500, "%lu of 1600", chosen);
	end(&client, &puppet, &served);
}

void test_delay_threads(void)
{
	struct client_config config = { .count = 2, .subbuf_count = 64 };
	struct served served = { 0 };
	struct puppet puppets[2];
	struct client client;
	size_t i;

	find_places();
	for (i = 0; i < 2; i++) {
		puppet_begin(&puppets[i], NULL);
		config.pids[i] = puppets[i].pid;
	}
	find_places();
	client_begin(&client, &config);
	for (i = 0; i < WAYS; i++) {
		struct client_delay rule = ways[i].rule;

		rule.id = i;
		rule.ns = 30000;
		rule.tid = puppets[1].pid;
		must(&client, &rule);
		puppet_do(&puppets[0], ways[i].act, 10);
		CHECK(!state_of(&client, i).visits, "%s", ways[i].name);
		puppet_do(&puppets[1], ways[i].act, 10);
		CHECK(state_of(&client, i).served == 10, "%s", ways[i].name);
		CHECK(!client_delay_remove(&client, i));
	}
	puppet_end(&puppets[0]);
	end(&client, &puppets[1], &served);
	CHECK(served.count == 10 * WAYS && served.tid == (uint32_t)puppets[1].pid);
}

/* While the target runs into it all the time. */
void test_delay_replace(void)
{
	struct client_delay other = ways[3].rule;
	struct served served = { 0 };
	struct puppet puppet;
	struct client client;
	uint64_t before, i;

	begin(&client, &puppet);
	other.offset = puppet_function_offset();
	puppet_start(&puppet, PUPPET_GETPPID, 2000000000);
	for (i = 0; i < 60; i++) {
		struct client_delay rule = ways[i % 2].rule;

		rule.id = i % 2;
		rule.ns = i % 6 * 10000;
		rule.tid = i % 5 ? 0 : puppet.pid;
		must(&client, &rule);
		client_drain(&client, on_record, &served);
	}
	CHECK(client_delay_set(&client, &other) == -EEXIST);
	before = state_of(&client, 1).visits;
	while (state_of(&client, 1).visits < before + 10)
		usleep(1000);
	CHECK(state_of(&client, 1).asked_ns && state_of(&client, 1).ns == 50000);
	end(&client, &puppet, &served);
	CHECK(served.count);
}

/* Waits until somebody is held up: then the module is used by nobody else's clock. */
static void wait_visit(struct client *client, uint32_t id)
{
	while (!state_of(client, id).visits)
		usleep(1000);
	usleep(20000);
}

/* Removal, stop, death of the target: each ends a long delay at once. */
void test_delay_ends(void)
{
	struct client_delay_state state;
	struct served served;
	struct puppet puppet;
	struct client client;
	size_t i, how;

	for (i = 0; i < WAYS; i++) {
		for (how = 0; how < 3; how++) {
			struct client_delay rule;

			served = (struct served){ 0 };
			begin(&client, &puppet);
			rule = ways[i].rule;
			rule.ns = LONG_NS;
			must(&client, &rule);
			puppet_start(&puppet, ways[i].act, 1);
			/* The visit of a kernel function comes before the delay, by little. */
			wait_visit(&client, 0);
			if (how == 0) {
				CHECK(!client_delay_remove(&client, 0));
				puppet_wait(&puppet);
			} else if (how == 1) {
				CHECK(!client_command(&client, SCOPE_CMD_STOP));
				state = state_of(&client, 0);
				CHECK(state.served == 1 && state.served_ns < LONG_NS);
				puppet_wait(&puppet);
			} else {
				kill(puppet.pid, SIGKILL);
				CHECK(waitpid(puppet.pid, NULL, 0) == puppet.pid);
			}
			if (how != 1)
				CHECK(!client_command(&client, SCOPE_CMD_STOP));
			client_drain(&client, on_record, &served);
			CHECK(served.count == 1 && served.flags == (ways[i].flags | SCOPE_DELAYED_CUT),
			      "%s, %zu: %lu records, flags %x", ways[i].name, how, served.count,
			      served.flags);
			client_close(&client);
			puppet_end(&puppet);
		}
	}
}

/* The owner dies without a word: nobody is held up any more, and the module may go. */
void test_delay_owner_killed(void)
{
	uint64_t from_ns;
	size_t i;

	find_places();
	for (i = 0; i < WAYS; i++) {
		struct puppet puppet;
		int ready[2];
		pid_t owner;
		char byte;

		puppet_begin(&puppet, NULL);
		CHECK(!pipe(ready));
		owner = fork();
		if (!owner) {
			struct client_config config = { .count = 1, .pids = { puppet.pid } };
			struct client_delay rule = ways[i].rule;
			struct client client;

			rule.ns = LONG_NS;
			client_begin(&client, &config);
			must(&client, &rule);
			CHECK(write(ready[1], "", 1) == 1);
			wait_visit(&client, 0);
			CHECK(write(ready[1], "", 1) == 1);
			for (;;)
				pause();
		}
		close(ready[1]);
		CHECK(read(ready[0], &byte, 1) == 1);
		puppet_start(&puppet, ways[i].act, MANY);
		CHECK(read(ready[0], &byte, 1) == 1);
		from_ns = now_ns();
		kill(owner, SIGKILL);
		CHECK(waitpid(owner, NULL, 0) == owner);
		puppet_wait(&puppet);
		CHECK(now_ns() - from_ns < MANY * LONG_NS / 2, "%s: %lu ns", ways[i].name,
		      now_ns() - from_ns);
		client_wait_unused();
		close(ready[0]);
		puppet_end(&puppet);
	}
}

#define WANT(client, code, words, ...)                                                             \
	do {                                                                                       \
		int got = client_delay_set(client, &(struct client_delay){ __VA_ARGS__ });         \
		CHECK(got == (code) && strstr(client_delay_text, words), "%d %s", got,             \
		      client_delay_text);                                                          \
	} while (0)

void test_delay_refuse(void)
{
	struct served served = { 0 };
	struct client_delay many = ways[1].rule;
	struct puppet puppet;
	struct client client;
	uint32_t id;

	client_open(&client);
	WANT(&client, -ENODATA, "configured", .site = SCOPE_DELAY_RECEIVE, .ns = 1);
	client_close(&client);
	begin(&client, &puppet);
	WANT(&client, -EINVAL, "DELAY_SITE", .site = 5);
	WANT(&client, -EINVAL, "DELAY_ID", .id = 65536);
	WANT(&client, -EINVAL, "DELAY_SYSCALL", .syscall = -1, .flags = SCOPE_DELAY_AFTER);
	WANT(&client, -EINVAL, "DELAY_SYSCALL", .syscall = 512, .flags = SCOPE_DELAY_AFTER);
	WANT(&client, -EINVAL, "DELAY_FLAGS", .flags = 2);
	WANT(&client, -EINVAL, "DELAY_FLAGS", .site = SCOPE_DELAY_RECEIVE, .flags = 1);
	WANT(&client, -EINVAL, "DELAY_NS", .site = SCOPE_DELAY_RECEIVE,
	     .ns = SCOPE_DELAY_NS_MAX + 1);
	WANT(&client, -EINVAL, "DELAY_HIT_MAX_NS", .site = SCOPE_DELAY_RECEIVE,
	     .hit_max_ns = SCOPE_DELAY_NS_MAX + 1);
	WANT(&client, -EINVAL, "PROBE_SYMBOL", .syscall = SYS_getppid);
	WANT(&client, -EINVAL, "PROBE_SYMBOL", .site = SCOPE_DELAY_KERNEL);
	WANT(&client, -EINVAL, "PROBE_PATH", .site = SCOPE_DELAY_USER, .symbol = "f");
	WANT(&client, -EINVAL, "empty", .site = SCOPE_DELAY_KERNEL, .symbol = "");
	WANT(&client, -EINVAL, "PROBE_OFFSET", .syscall = SYS_getppid, .symbol = WRAPPED(getppid),
	     .offset = 4);
	WANT(&client, -ESRCH, "names no thread", .site = SCOPE_DELAY_RECEIVE, .tid = 4000000);
	WANT(&client, -ENOENT, "no such function", .site = SCOPE_DELAY_KERNEL, .symbol = "no_such");
	WANT(&client, -ENOENT, "no such file", .site = SCOPE_DELAY_USER, .path = PUPPET_PATH);
	WANT(&client, -ERANGE, "outside", .site = SCOPE_DELAY_USER, .path = OWN_PATH,
	     .offset = 1ull << 40);
	/* Not a system call's function, and not this call's: the thread goes its way. */
	must(&client, &(struct client_delay){ .id = 1, .syscall = SYS_openat, .ns = LONG_NS,
					      .symbol = client_probe_function(CLIENT_OPEN) });
	must(&client, &(struct client_delay){ .id = 2, .syscall = SYS_openat, .ns = LONG_NS,
					      .symbol = WRAPPED(getppid) });
	puppet_do(&puppet, PUPPET_OPEN, 10);
	puppet_do(&puppet, PUPPET_GETPPID, 10);
	for (id = 1; id < 3; id++)
		CHECK(!state_of(&client, id).visits && state_of(&client, id).missed == 10);
	for (id = 3; id < SCOPE_DELAY_MAX + 1; id++) {
		many.id = id;
		must(&client, &many);
	}
	many.id = id;
	CHECK(client_delay_set(&client, &many) == -ENOSPC);
	puppet_do(&puppet, PUPPET_GETPPID, 10);
	CHECK(state_of(&client, 64).visits == 10);
	end(&client, &puppet, &served);
}

/* For run.sh, which ends this process and unloads the module: a session full of rules. */
void test_delay_hold(int pid)
{
	struct client_config config = { .count = 1, .pids = { pid } };
	struct client client;
	size_t i;

	find_places();
	client_begin(&client, &config);
	for (i = 0; i < WAYS; i++) {
		struct client_delay rule = ways[i].rule;

		rule.id = i;
		rule.ns = 200000;
		must(&client, &rule);
	}
	puts("held");
	fflush(stdout);
	for (;;)
		pause();
}
