// SPDX-License-Identifier: GPL-2.0-only
/* The messages by which a test sets delay rules, and the module's answers. */
#include <stdio.h>
#include <unistd.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include "client_delay.h"

char client_delay_text[256];

int client_delay_set(struct client *client, const struct client_delay *delay)
{
	struct nl_msg *msg = client_message(client, SCOPE_CMD_DELAY_SET);

	nla_put_u32(msg, SCOPE_ATTR_DELAY_ID, delay->id);
	nla_put_u8(msg, SCOPE_ATTR_DELAY_SITE, delay->site);
	if ((delay->site == SCOPE_DELAY_SYSCALL || delay->site == SCOPE_DELAY_SPEEDUP) && delay->syscall >= 0)
		nla_put_u32(msg, SCOPE_ATTR_DELAY_SYSCALL, delay->syscall);
	if (delay->flags)
		nla_put_u32(msg, SCOPE_ATTR_DELAY_FLAGS, delay->flags);
	if (delay->symbol)
		nla_put_string(msg, SCOPE_ATTR_PROBE_SYMBOL, delay->symbol);
	if (delay->path)
		nla_put_string(msg, SCOPE_ATTR_PROBE_PATH, delay->path);
	if (delay->offset)
		nla_put_u64(msg, SCOPE_ATTR_PROBE_OFFSET, delay->offset);
	nla_put_u64(msg, SCOPE_ATTR_DELAY_NS, delay->ns);
	if (delay->probability)
		nla_put_u32(msg, SCOPE_ATTR_DELAY_PROBABILITY, delay->probability);
	if (delay->seed)
		nla_put_u64(msg, SCOPE_ATTR_DELAY_SEED, delay->seed);
	if (delay->hit_max_ns)
		nla_put_u64(msg, SCOPE_ATTR_DELAY_HIT_MAX_NS, delay->hit_max_ns);
	if (delay->second_max_ns)
		nla_put_u64(msg, SCOPE_ATTR_DELAY_SECOND_MAX_NS, delay->second_max_ns);
	if (delay->tid)
		nla_put(msg, SCOPE_ATTR_DELAY_THREADS, 4, &delay->tid);
	if (delay->range)
		nla_put(msg, SCOPE_ATTR_DELAY_RANGES, sizeof(*delay->range), delay->range);
	return client_send(client, msg, NULL, NULL, client_delay_text, sizeof(client_delay_text));
}

int client_delay_remove(struct client *client, uint32_t id)
{
	struct nl_msg *msg = client_message(client, SCOPE_CMD_DELAY_REMOVE);

	nla_put_u32(msg, SCOPE_ATTR_DELAY_ID, id);
	return client_send(client, msg, NULL, NULL, client_delay_text, sizeof(client_delay_text));
}

static void on_rule(struct nlattr **attributes, void *data)
{
	struct client_delay_state *state = data;

	CHECK(attributes[SCOPE_ATTR_DELAY_CAPPED]);
	state->id = nla_get_u32(attributes[SCOPE_ATTR_DELAY_ID]);
	state->ns = nla_get_u64(attributes[SCOPE_ATTR_DELAY_NS]);
	state->visits = nla_get_u64(attributes[SCOPE_ATTR_DELAY_VISITS]);
	state->served = nla_get_u64(attributes[SCOPE_ATTR_DELAY_SERVED]);
	state->asked_ns = nla_get_u64(attributes[SCOPE_ATTR_DELAY_ASKED_NS]);
	state->served_ns = nla_get_u64(attributes[SCOPE_ATTR_DELAY_SERVED_NS]);
	state->missed = nla_get_u64(attributes[SCOPE_ATTR_DELAY_MISSED]);
	state->capped = nla_get_u64(attributes[SCOPE_ATTR_DELAY_CAPPED]);
	state->required_ns = nla_get_u64(attributes[SCOPE_ATTR_DELAY_REQUIRED_NS]);
	state->unsettled_ns = nla_get_u64(attributes[SCOPE_ATTR_DELAY_UNSETTLED_NS]);
}

int client_delay_next(struct client *client, uint32_t id, struct client_delay_state *ret_state)
{
	struct nl_msg *msg = client_message(client, SCOPE_CMD_DELAY_NEXT);

	nla_put_u32(msg, SCOPE_ATTR_DELAY_ID, id);
	return client_send(client, msg, on_rule, ret_state, client_delay_text, sizeof(client_delay_text));
}
