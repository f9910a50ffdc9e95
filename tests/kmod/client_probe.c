// SPDX-License-Identifier: GPL-2.0-only
/* The messages by which a test sets probes and stacks while a session runs, and the module's answers. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include "client_probe.h"

char client_probe_text[256];

int client_probe_add(struct client *client, const struct client_probe *probe)
{
	struct nl_msg *msg = client_message(client, SCOPE_CMD_PROBE_ADD);

	nla_put_u32(msg, SCOPE_ATTR_PROBE_ID, probe->id);
	nla_put_u8(msg, SCOPE_ATTR_PROBE_KIND, probe->kind);
	if (probe->symbol)
		nla_put_string(msg, SCOPE_ATTR_PROBE_SYMBOL, probe->symbol);
	if (probe->path)
		nla_put_string(msg, SCOPE_ATTR_PROBE_PATH, probe->path);
	nla_put_u64(msg, SCOPE_ATTR_PROBE_OFFSET, probe->offset);
	nla_put_u8(msg, SCOPE_ATTR_PROBE_ARGS, probe->args);
	nla_put_u32(msg, SCOPE_ATTR_PROBE_FLAGS, probe->flags);
	return client_send(client, msg, NULL, NULL, client_probe_text, sizeof(client_probe_text));
}

int client_probe_remove(struct client *client, uint32_t id)
{
	struct nl_msg *msg = client_message(client, SCOPE_CMD_PROBE_REMOVE);

	nla_put_u32(msg, SCOPE_ATTR_PROBE_ID, id);
	return client_send(client, msg, NULL, NULL, client_probe_text, sizeof(client_probe_text));
}

static void on_probe(struct nlattr **attributes, void *data)
{
	struct client_probe_state *state = data;
	struct nlattr *name = attributes[SCOPE_ATTR_PROBE_SYMBOL];

	if (!name)
		name = attributes[SCOPE_ATTR_PROBE_PATH];
	CHECK(name && attributes[SCOPE_ATTR_PROBE_HITS]);
	state->id = nla_get_u32(attributes[SCOPE_ATTR_PROBE_ID]);
	state->kind = nla_get_u8(attributes[SCOPE_ATTR_PROBE_KIND]);
	state->offset = nla_get_u64(attributes[SCOPE_ATTR_PROBE_OFFSET]);
	state->hits = nla_get_u64(attributes[SCOPE_ATTR_PROBE_HITS]);
	state->missed = nla_get_u64(attributes[SCOPE_ATTR_PROBE_MISSED]);
	snprintf(state->name, sizeof(state->name), "%s", nla_get_string(name));
}

int client_probe_next(struct client *client, uint32_t id, struct client_probe_state *ret_state)
{
	struct nl_msg *msg = client_message(client, SCOPE_CMD_PROBE_NEXT);

	nla_put_u32(msg, SCOPE_ATTR_PROBE_ID, id);
	return client_send(client, msg, on_probe, ret_state, client_probe_text, sizeof(client_probe_text));
}

uint64_t client_probe_hits(struct client *client, uint32_t id)
{
	struct client_probe_state state;

	CHECK(!client_probe_next(client, id, &state) && state.id == id);
	CHECK(!state.missed, "probe %u: missed %lu", id, state.missed);
	return state.hits;
}

int client_stacks(struct client *client, const struct client_stacks *stacks)
{
	struct nl_msg *msg = client_message(client, SCOPE_CMD_STACKS);
	uint8_t syscalls[SCOPE_SYSCALL_MAX / 8] = { 0 };

	if (stacks->mode >= 0)
		nla_put_u8(msg, SCOPE_ATTR_STACK_MODE, stacks->mode);
	if (stacks->min_ns != UINT32_MAX)
		nla_put_u32(msg, SCOPE_ATTR_STACK_MIN_NS, stacks->min_ns);
	if (stacks->sample_period_ns != UINT32_MAX)
		nla_put_u32(msg, SCOPE_ATTR_SAMPLE_PERIOD_NS, stacks->sample_period_ns);
	if (stacks->threads)
		nla_put(msg, SCOPE_ATTR_STACK_THREADS, stacks->count * 4, stacks->threads);
	if (stacks->only_syscall >= 0) {
		syscalls[stacks->only_syscall / 8] = 1 << stacks->only_syscall % 8;
		nla_put(msg, SCOPE_ATTR_STACK_SYSCALLS, sizeof(syscalls), syscalls);
	}
	return client_send(client, msg, NULL, NULL, client_probe_text, sizeof(client_probe_text));
}

const char *client_probe_function(enum client_function which)
{
	static struct {
		const char *name, *before;
		bool known;
	} functions[] = {
		[CLIENT_GETPPID] = { "__x64_sys_getppid", "sys_getppid", false },
		[CLIENT_OPEN] = { "do_sys_openat2", "do_sys_open", false },
		[CLIENT_INT3] = { "exc_int3", "do_int3", false },
		[CLIENT_JPROBES] = { "longjmp_break_handler", "", false },
	};
	static bool asked;
	char line[512], name[256];
	FILE *file = asked ? NULL : fopen("/proc/kallsyms", "re");
	int i;

	CHECK(asked || file);
	while (file && fgets(line, sizeof(line), file))
		for (i = 0; i <= CLIENT_JPROBES && sscanf(line, "%*s %*s %255s", name) == 1; i++)
			functions[i].known |= !strcmp(name, functions[i].name);
	if (file)
		fclose(file);
	asked = true;
	return functions[which].known ? functions[which].name : functions[which].before;
}

bool client_kprobes_divert(void)
{
	return !*client_probe_function(CLIENT_JPROBES);
}
