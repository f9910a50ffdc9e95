// SPDX-License-Identifier: GPL-2.0-only
/* Sets delay rules in the module and reads their counts. */
#include "control/delay_rules.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <netlink/attr.h>

#include <scope/event.h>

#include "base/syscall_name.h"
#include "control/control.h"
#include "control/message.h"

static int no_room(struct nl_msg *message, struct scope_error *error)
{
	nlmsg_free(message);
	return scope_error_set(error, -ENOMEM, "no room for a netlink message");
}

/* Kernel functions whose name differs from that of their system call. */
static const char *function_of(const char *call)
{
	static const char *const other[][2] = {
		{ "fstat", "newfstat" }, { "lstat", "newlstat" }, { "sendfile", "sendfile64" },
		{ "stat", "newstat" },	 { "umount2", "umount" }, { "uname", "newuname" },
	};

	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		if (!strcmp(call, other[i][0]))
			return other[i][1];
	return call;
}

/* name: the place, or "" if the site has none. 0, or -errno with reply filled. */
static int send_rule(struct scope_control *control, uint32_t session, const struct scope_delay *delay, const char *name,
		     struct scope_reply *reply)
{
	struct nl_msg *message = scope_control_request(control, SCOPE_CMD_DELAY_SET);
	int bad = 0;

	if (!message)
		return -ENOMEM;
	bad |= nla_put_u32(message, SCOPE_ATTR_SESSION, session);
	bad |= nla_put_u32(message, SCOPE_ATTR_DELAY_ID, delay->id);
	bad |= nla_put_u8(message, SCOPE_ATTR_DELAY_SITE, delay->site);
	if (delay->site == SCOPE_DELAY_SYSCALL ||
	    (delay->site == SCOPE_DELAY_SPEEDUP && delay->syscall != SCOPE_NR_NONE))
		bad |= nla_put_u32(message, SCOPE_ATTR_DELAY_SYSCALL, delay->syscall);
	if (*name)
		bad |= nla_put_string(message,
				      delay->site == SCOPE_DELAY_USER ? SCOPE_ATTR_PROBE_PATH : SCOPE_ATTR_PROBE_SYMBOL,
				      name);
	if (delay->offset)
		bad |= nla_put_u64(message, SCOPE_ATTR_PROBE_OFFSET, delay->offset);
	bad |= nla_put_u32(message, SCOPE_ATTR_DELAY_FLAGS, delay->flags);
	bad |= nla_put_u64(message, SCOPE_ATTR_DELAY_NS, delay->ns);
	bad |= nla_put_u32(message, SCOPE_ATTR_DELAY_PROBABILITY, delay->probability);
	bad |= nla_put_u64(message, SCOPE_ATTR_DELAY_SEED, delay->seed);
	if (delay->hit_max_ns)
		bad |= nla_put_u64(message, SCOPE_ATTR_DELAY_HIT_MAX_NS, delay->hit_max_ns);
	if (delay->second_max_ns)
		bad |= nla_put_u64(message, SCOPE_ATTR_DELAY_SECOND_MAX_NS, delay->second_max_ns);
	if (delay->thread_count)
		bad |= nla_put(message, SCOPE_ATTR_DELAY_THREADS, (int)(delay->thread_count * sizeof(uint32_t)),
			       delay->threads);
	if (delay->range_count)
		bad |= nla_put(message, SCOPE_ATTR_DELAY_RANGES, (int)(delay->range_count * sizeof(*delay->ranges)),
			       delay->ranges);
	if (bad) {
		nlmsg_free(message);
		return -ENOMEM;
	}
	return scope_control_transact(control, message, reply);
}

/* Each architecture has wrappers for its system calls; older kernels have functions with other names instead. */
static int send_call(struct scope_control *control, uint32_t session, const struct scope_delay *delay,
		     struct scope_reply *reply)
{
	static const char *const format[] = {
#if defined(__x86_64__)
		"__x64_sys_%s",
#elif defined(__aarch64__)
		"__arm64_sys_%s",
#endif
		"sys_%s",
		"SyS_%s",
	};
	const char *call = scope_syscall_name(delay->syscall);
	int err = -ENOENT;

	for (size_t i = 0; call && i < sizeof(format) / sizeof(format[0]); i++) {
		char name[SCOPE_PROBE_SYMBOL_BYTES];

		snprintf(name, sizeof(name), format[i], function_of(call));
		*reply = (struct scope_reply){ 0 };
		err = send_rule(control, session, delay, name, reply);
		if (err != -ENOENT)
			break;
	}
	return err;
}

int scope_control_delay_set(struct scope_control *control, uint32_t session, const struct scope_delay *delay,
			    struct scope_error *error)
{
	struct scope_reply reply = { 0 };
	const char *call;
	char verb[SCOPE_PROBE_NAME_BYTES + 32];
	int err;

	if (delay->thread_count > SCOPE_STACK_THREADS_MAX)
		return scope_error_set(error, -EINVAL, "%u threads to hold up: at most %d can be named",
				       delay->thread_count, SCOPE_STACK_THREADS_MAX);
	if (delay->range_count > SCOPE_DELAY_RANGES_MAX)
		return scope_error_set(error, -EINVAL, "%u ranges of code: at most %d can be named", delay->range_count,
				       SCOPE_DELAY_RANGES_MAX);
	if (delay->site == SCOPE_DELAY_SYSCALL && !(delay->flags & SCOPE_DELAY_AFTER) && !*delay->name)
		err = send_call(control, session, delay, &reply);
	else
		err = send_rule(control, session, delay, delay->name, &reply);
	if (!err)
		return 0;
	call = delay->site == SCOPE_DELAY_SYSCALL ? scope_syscall_name(delay->syscall) : NULL;
	snprintf(verb, sizeof(verb), "hold threads up at %s", *delay->name ? delay->name : call ? call : "that place");
	/* The module's message says what is missing: a function, a file, a capability. */
	if (reply.text[0])
		return scope_error_set(error, err, "cannot %.300s: %s", verb, reply.text);
	return scope_control_refused(err, verb, &reply, error);
}

int scope_control_delay_remove(struct scope_control *control, uint32_t session, uint16_t id, struct scope_error *error)
{
	struct nl_msg *message = scope_control_request(control, SCOPE_CMD_DELAY_REMOVE);
	struct scope_reply reply = { 0 };
	int err;

	if (!message || nla_put_u32(message, SCOPE_ATTR_SESSION, session) ||
	    nla_put_u32(message, SCOPE_ATTR_DELAY_ID, id))
		return no_room(message, error);
	err = scope_control_transact(control, message, &reply);
	return err ? scope_control_refused(err, "remove a delay rule", &reply, error) : 0;
}

struct state {
	struct scope_delay delay;
	struct scope_delay_counts counts;
};

static int parse_state(struct nlattr **attr, void *result)
{
	static const struct {
		int name;
		size_t at;
	} rows[] = {
		{ SCOPE_ATTR_DELAY_NS, offsetof(struct state, delay.ns) },
		{ SCOPE_ATTR_DELAY_SEED, offsetof(struct state, delay.seed) },
		{ SCOPE_ATTR_DELAY_HIT_MAX_NS, offsetof(struct state, delay.hit_max_ns) },
		{ SCOPE_ATTR_DELAY_SECOND_MAX_NS, offsetof(struct state, delay.second_max_ns) },
		{ SCOPE_ATTR_PROBE_OFFSET, offsetof(struct state, delay.offset) },
		{ SCOPE_ATTR_DELAY_VISITS, offsetof(struct state, counts.visits) },
		{ SCOPE_ATTR_DELAY_SERVED, offsetof(struct state, counts.served) },
		{ SCOPE_ATTR_DELAY_ASKED_NS, offsetof(struct state, counts.asked_ns) },
		{ SCOPE_ATTR_DELAY_SERVED_NS, offsetof(struct state, counts.served_ns) },
		{ SCOPE_ATTR_DELAY_MISSED, offsetof(struct state, counts.missed) },
		{ SCOPE_ATTR_DELAY_CAPPED, offsetof(struct state, counts.capped) },
		{ SCOPE_ATTR_DELAY_REQUIRED_NS, offsetof(struct state, counts.required_ns) },
		{ SCOPE_ATTR_DELAY_UNSETTLED_NS, offsetof(struct state, counts.unsettled_ns) },
	};
	struct state *state = result;
	struct nlattr *name = attr[SCOPE_ATTR_PROBE_SYMBOL] ? attr[SCOPE_ATTR_PROBE_SYMBOL]
							    : attr[SCOPE_ATTR_PROBE_PATH];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!attr[rows[i].name])
			return -EBADMSG;
		*(uint64_t *)((char *)state + rows[i].at) = nla_get_u64(attr[rows[i].name]);
	}
	if (!attr[SCOPE_ATTR_DELAY_ID] || !attr[SCOPE_ATTR_DELAY_SITE] || !attr[SCOPE_ATTR_DELAY_FLAGS] ||
	    !attr[SCOPE_ATTR_DELAY_SYSCALL] || !attr[SCOPE_ATTR_DELAY_PROBABILITY])
		return -EBADMSG;
	state->delay.id = (uint16_t)nla_get_u32(attr[SCOPE_ATTR_DELAY_ID]);
	state->delay.site = nla_get_u8(attr[SCOPE_ATTR_DELAY_SITE]);
	state->delay.flags = nla_get_u32(attr[SCOPE_ATTR_DELAY_FLAGS]);
	state->delay.syscall = nla_get_u32(attr[SCOPE_ATTR_DELAY_SYSCALL]);
	state->delay.probability = nla_get_u32(attr[SCOPE_ATTR_DELAY_PROBABILITY]);
	if (name)
		nla_strlcpy(state->delay.name, name, sizeof(state->delay.name));
	return 0;
}

int scope_control_delay_query(struct scope_control *control, uint32_t session, uint32_t id, struct scope_error *error,
			      struct scope_delay *ret_delay, struct scope_delay_counts *ret_counts)
{
	struct nl_msg *message = scope_control_request(control, SCOPE_CMD_DELAY_NEXT);
	struct state state = { .counts = { 0 } };
	struct scope_reply reply = { .parse = parse_state, .result = &state };
	int err;

	if (!message || nla_put_u32(message, SCOPE_ATTR_SESSION, session) ||
	    nla_put_u32(message, SCOPE_ATTR_DELAY_ID, id))
		return no_room(message, error);
	err = scope_control_transact(control, message, &reply);
	if (err)
		return scope_control_refused(err, "ask for the delay rules", &reply, error);
	if (ret_delay)
		*ret_delay = state.delay;
	*ret_counts = state.counts;
	return 0;
}
