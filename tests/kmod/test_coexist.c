// SPDX-License-Identifier: GPL-2.0-only
/*
 * Delays together with other users of the same place: probes of this module and of tracefs, and delays of other sessions.
 *
 * Each user sees every call once, for any order of adding and removing, and at the end the state is as before. If the kernel
 * cannot have both, the module reports it, and visits that cannot be delayed count as missed.
 */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include "delay_ways.h"
#include "other_probe.h"
#include "tests.h"

#define CALLS 20
#define DELAY_ID 3
#define WAY_ENTRY 0
#define WAY_USER 3

/* The probes that are there at the moment, and what each should have counted by now. */
struct scene {
	const struct delay_way *way;
	struct client *client; /* the delay's */
	struct puppet *puppet;
	struct other_probe *other;
	const char *name;
	bool delayed, probed;
	bool alone; /* this kernel cannot have both at this place */
	uint64_t visits, missed, hits;
};

/* As in kmod/delay_entry.c: by breakpoint where the kernel has no ftrace that kprobes go by. */
static bool has_ftrace(void)
{
#ifdef __x86_64__
	char line[256], name[128];
	FILE *file = fopen("/proc/kallsyms", "re");
	bool found = false;

	CHECK(file);
	while (!found && fgets(line, sizeof(line), file))
		found = sscanf(line, "%*s %*s %127s", name) == 1 && !strcmp(name, "ftrace_set_filter_ip");
	fclose(file);
	return found;
#else
	return false;
#endif
}

static void check(const struct scene *scene)
{
	struct client_delay_state state;

	if (scene->delayed) {
		state = delay_state_of(scene->client, DELAY_ID);
		CHECK(state.visits == scene->visits && state.served == scene->visits && state.missed == scene->missed,
		      "%s: %lu visits, %lu served, %lu missed, not %lu and %lu", scene->name, state.visits,
		      state.served, state.missed, scene->visits, scene->missed);
	}
	if (scene->probed)
		CHECK(other_probe_hits(scene->other) == scene->hits, "%s: %lu hits, not %lu", scene->name,
		      other_probe_hits(scene->other), scene->hits);
}

static void act(struct scene *scene)
{
	puppet_do(scene->puppet, scene->way->act, CALLS);
	if (scene->delayed)
		*(scene->alone && scene->probed ? &scene->missed : &scene->visits) += CALLS;
	if (scene->probed)
		scene->hits += CALLS;
	check(scene);
}

static void delay(struct scene *scene)
{
	struct client_delay rule = scene->way->rule;
	int err;

	rule.id = DELAY_ID;
	rule.ns = 30000;
	if (scene->alone && scene->probed) {
		err = client_delay_set(scene->client, &rule);
		CHECK(err == -EBUSY && client_told(client_delay_text, "PROBE_SYMBOL"), "%s: %d %s", scene->name, err,
		      client_delay_text);
		return;
	}
	delay_must(scene->client, &rule);
	scene->delayed = true;
	scene->visits = scene->missed = 0;
}

static void undelay(struct scene *scene)
{
	if (scene->delayed)
		CHECK(!client_delay_remove(scene->client, DELAY_ID));
	scene->delayed = false;
}

static void probe(struct scene *scene)
{
	other_probe_add(scene->other);
	scene->probed = true;
	scene->hits = 0;
}

static void unprobe(struct scene *scene)
{
	other_probe_remove(scene->other);
	scene->probed = false;
}

/* One of the four orders; then each of both alone, as if the other had never been there. */
static void play(struct scene *scene, bool delay_first, bool delay_leaves_first)
{
	(delay_first ? delay : probe)(scene);
	act(scene);
	(delay_first ? probe : delay)(scene);
	act(scene);
	(delay_leaves_first ? undelay : unprobe)(scene);
	act(scene);
	(delay_leaves_first ? unprobe : undelay)(scene);
	probe(scene);
	act(scene);
	unprobe(scene);
	delay(scene);
	act(scene);
	undelay(scene);
}

static void play_all(const struct delay_way *way, const char *symbol)
{
	struct other_probe other = { .symbol = symbol };
	struct client client, second;
	struct puppet puppet;
	struct scene scene = { .client = &client, .puppet = &puppet, .other = &other };
	struct client_config config = { .count = 1 };
	struct delay_served served = { 0 };
	char name[64];
	int owner, order;

	delay_begin(&client, &puppet);
	config.pids[0] = puppet.pid;
	client_begin(&second, &config);
	scene.way = way;
	scene.alone = way == &delay_ways[WAY_ENTRY] && !has_ftrace();
	scene.name = name;
	snprintf(name, sizeof(name), "%s, before all others", way->name);
	/* Where a kernel has no such delays the test ends here, before a probe asks for their function. */
	delay(&scene);
	undelay(&scene);
	for (owner = 0; owner < OTHER_OWNERS; owner++)
		for (order = 0; order < 8; order++) {
			other.owner = owner;
			other.client = owner == OTHER_SAME_SESSION ? &client : &second;
			other.returns = order & 4;
			if (other_probe_has_overlay_bug(&other)) {
				printf("# %s: no probe of tracefs, which this kernel refuses in a file of an overlay\n",
				       way->name);
				break;
			}
			snprintf(name, sizeof(name), "%s, %s, order %d", scene.way->name, other_owners[owner], order);
			play(&scene, order & 1, order & 2);
		}
	client_close(&second);
	delay_end(&client, &puppet, &served);
	printf("# %s: %lu delays%s\n", scene.way->name, served.count, scene.alone ? ", each alone at its place" : "");
	CHECK(served.count);
}

void test_coexist_entry(void)
{
	play_all(&delay_ways[WAY_ENTRY], delay_ways[WAY_ENTRY].rule.symbol);
}

void test_coexist_kernel(void)
{
	/* A function that no other process calls: tracefs counts all calls. */
	const char *symbol = client_probe_function(CLIENT_GETPPID);
	const struct delay_way way = {
		"kernel", PUPPET_GETPPID, SCOPE_DELAYED_AT_RETURN, { .site = SCOPE_DELAY_KERNEL, .symbol = symbol }
	};

	play_all(&way, symbol);
}

void test_coexist_user(void)
{
	play_all(&delay_ways[WAY_USER], NULL);
}

#define SESSIONS 3

/* Each session is served by its own rule; one that comes or goes changes nothing for the others. */
static void share(const struct delay_way *way, struct client *clients, struct puppet *puppet)
{
	uint64_t visits[SESSIONS] = { 0 };
	bool there[SESSIONS] = { false };
	int step, who, i;

	/* In turn comes and goes the one, the next, ... so that each leaves first, amid and last. */
	for (step = 0; step < 4 * SESSIONS; step++) {
		struct client_delay rule = way->rule;

		who = (step + step / SESSIONS) % SESSIONS;
		rule.id = DELAY_ID;
		rule.ns = 20000 + 5000 * who;
		if (there[who])
			CHECK(!client_delay_remove(&clients[who], DELAY_ID));
		else
			delay_must(&clients[who], &rule);
		there[who] = !there[who];
		visits[who] = 0;
		puppet_do(puppet, way->act, CALLS);
		for (i = 0; i < SESSIONS; i++) {
			struct client_delay_state state;

			if (!there[i])
				continue;
			visits[i] += CALLS;
			state = delay_state_of(&clients[i], DELAY_ID);
			CHECK(state.visits == visits[i] && state.served == visits[i] && !state.missed &&
				      state.asked_ns == visits[i] * (20000 + 5000 * i),
			      "%s, step %d, session %d: %lu visits, %lu served, %lu missed", way->name, step, i,
			      state.visits, state.served, state.missed);
		}
	}
}

void test_coexist_sessions(void)
{
	struct client clients[SESSIONS];
	struct puppet puppet;
	struct client_config config = { .count = 1, .subbuf_count = 64 };
	struct delay_served served = { 0 };
	size_t i;

	delay_begin(&clients[0], &puppet);
	config.pids[0] = puppet.pid;
	for (i = 1; i < SESSIONS; i++)
		client_begin(&clients[i], &config);
	for (i = 0; i < DELAY_WAYS; i++)
		share(&delay_ways[i], clients, &puppet);
	for (i = 1; i < SESSIONS; i++)
		client_close(&clients[i]);
	delay_end(&clients[0], &puppet, &served);
}

/* What cannot be shared is refused: a second function for one call, and a 17th rule. */
void test_coexist_refuse(void)
{
	struct client_delay rule = delay_ways[WAY_ENTRY].rule;
	struct delay_served served = { 0 };
	struct puppet puppet;
	struct client client;
	int err;

	delay_begin(&client, &puppet);
	rule.ns = 1000;
	for (rule.id = 0; rule.id < 16; rule.id++)
		delay_must(&client, &rule);
	err = client_delay_set(&client, &rule);
	CHECK(err == -EUSERS && client_told(client_delay_text, "16"), "%d %s", err, client_delay_text);
	puppet_do(&puppet, PUPPET_GETPPID, CALLS);
	for (rule.id = 0; rule.id < 16; rule.id++)
		CHECK(delay_state_of(&client, rule.id).served == CALLS, "rule %u", rule.id);
	rule.symbol = DELAY_WRAPPED "getpid";
	err = client_delay_set(&client, &rule);
	CHECK(err == -EADDRINUSE && client_told(client_delay_text, "another function"), "%d %s", err,
	      client_delay_text);
	delay_end(&client, &puppet, &served);
	CHECK(served.count == 16 * CALLS);
}
