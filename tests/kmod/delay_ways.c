// SPDX-License-Identifier: GPL-2.0-only
/* A session that delays one puppet in each possible way, and the contents of its records. */
#include "delay_ways.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include "client_probe.h"
#include "tests.h"

struct delay_way delay_ways[DELAY_WAYS] = {
	{ "entry",
	  PUPPET_GETPPID,
	  0,
	  { .site = SCOPE_DELAY_SYSCALL, .syscall = SYS_getppid, .symbol = DELAY_WRAPPED "getppid" } },
	{ "after",
	  PUPPET_GETPPID,
	  SCOPE_DELAYED_AT_RETURN,
	  { .site = SCOPE_DELAY_SYSCALL, .syscall = SYS_getppid, .flags = SCOPE_DELAY_AFTER } },
	{ "receive", PUPPET_RECEIVE, SCOPE_DELAYED_AT_RETURN, { .site = SCOPE_DELAY_RECEIVE } },
	{ "user", PUPPET_FUNCTION, 0, { .site = SCOPE_DELAY_USER, .path = DELAY_OWN_PATH } },
	{ "kernel", PUPPET_OPEN, SCOPE_DELAYED_AT_RETURN, { .site = SCOPE_DELAY_KERNEL } },
};

void delay_find_places(void)
{
	delay_ways[3].rule.offset = puppet_function_offset();
	delay_ways[4].rule.symbol = client_probe_function(CLIENT_OPEN);
}

void delay_on_record(void *data, uint32_t cpu, uint32_t tid, uint64_t at_ns, const void *record, uint32_t bytes)
{
	const struct scope_record_delay *delay = record;
	struct delay_served *served = data;

	(void)cpu, (void)at_ns, (void)bytes;
	if (scope_record_type(delay->word) != SCOPE_RECORD_DELAY)
		return;
	served->all_flags = served->count ? served->all_flags & delay->flags : delay->flags;
	served->flags |= delay->flags;
	served->count++;
	served->asked_ns += delay->asked_ns;
	served->served_ns += delay->served_ns;
	served->tid = tid;
	if (delay->served_ns > delay->asked_ns && delay->served_ns - delay->asked_ns > served->longest_over_ns)
		served->longest_over_ns = delay->served_ns - delay->asked_ns;
	CHECK(delay->served_ns >= delay->asked_ns || delay->flags & SCOPE_DELAYED_CUT);
}

void delay_begin(struct client *client, struct puppet *puppet)
{
	struct client_config config = { .count = 1, .subbuf_count = 64 };

	delay_find_places();
	puppet_begin(puppet, NULL);
	config.pids[0] = puppet->pid;
	client_begin(client, &config);
}

void delay_end(struct client *client, struct puppet *puppet, struct delay_served *served)
{
	CHECK(!client_command(client, SCOPE_CMD_STOP));
	client_drain(client, delay_on_record, served);
	client_close(client);
	puppet_end(puppet);
}

void delay_must(struct client *client, const struct client_delay *rule)
{
	int err = client_delay_set(client, rule);

	if (err == -EOPNOTSUPP && rule->site == SCOPE_DELAY_SYSCALL && !(rule->flags & SCOPE_DELAY_AFTER) &&
	    (strcmp(client_probe_function(CLIENT_GETPPID), delay_ways[0].rule.symbol) || !client_kprobes_divert())) {
		printf("# skipped: this kernel has no functions at whose entry calls can be held up\n");
		exit(0);
	}
	CHECK(!err, "rule %u: %s: %s", rule->id, strerror(-err), client_delay_text);
}

struct client_delay_state delay_state_of(struct client *client, uint32_t id)
{
	struct client_delay_state state;

	CHECK(!client_delay_next(client, id, &state) && state.id == id);
	return state;
}
