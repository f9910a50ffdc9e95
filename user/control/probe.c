// SPDX-License-Identifier: GPL-2.0-only
/* Sets and removes probes, and changes which stacks are taken, while a session runs. */
#include "control/probe.h"

#include <errno.h>
#include <stdio.h>

#include <netlink/attr.h>

#include "control/control.h"
#include "control/message.h"

static int no_room(struct nl_msg *message, struct scope_error *error)
{
	nlmsg_free(message);
	return scope_error_set(error, -ENOMEM, "no room for a netlink message");
}

static bool is_user(uint8_t kind)
{
	return kind == SCOPE_PROBE_UPROBE || kind == SCOPE_PROBE_URETPROBE;
}

int scope_control_probe_add(struct scope_control *control, uint32_t session, const struct scope_probe *probe,
			    struct scope_error *error)
{
	struct nl_msg *message = scope_control_request(control, SCOPE_CMD_PROBE_ADD);
	struct scope_reply reply = { 0 };
	char verb[SCOPE_PROBE_NAME_BYTES + 32];
	int bad = 0, err;

	if (!message)
		return no_room(NULL, error);
	bad |= nla_put_u32(message, SCOPE_ATTR_SESSION, session);
	bad |= nla_put_u32(message, SCOPE_ATTR_PROBE_ID, probe->id);
	bad |= nla_put_u8(message, SCOPE_ATTR_PROBE_KIND, probe->kind);
	bad |= nla_put_string(message, is_user(probe->kind) ? SCOPE_ATTR_PROBE_PATH : SCOPE_ATTR_PROBE_SYMBOL,
			      probe->name);
	bad |= nla_put_u64(message, SCOPE_ATTR_PROBE_OFFSET, probe->offset);
	bad |= nla_put_u8(message, SCOPE_ATTR_PROBE_ARGS, probe->args);
	bad |= nla_put_u32(message, SCOPE_ATTR_PROBE_FLAGS, probe->flags);
	if (bad)
		return no_room(message, error);
	err = scope_control_transact(control, message, &reply);
	snprintf(verb, sizeof(verb), "set a probe on %s", probe->name);
	/* For these errors the module's message says what is missing: a function or a file. */
	if (err && err != -EPERM && reply.text[0])
		return scope_error_set(error, err, "cannot %.300s: %s", verb, reply.text);
	return err ? scope_control_refused(err, verb, &reply, error) : 0;
}

int scope_control_probe_remove(struct scope_control *control, uint32_t session, uint16_t id, struct scope_error *error)
{
	struct nl_msg *message = scope_control_request(control, SCOPE_CMD_PROBE_REMOVE);
	struct scope_reply reply = { 0 };
	int err;

	if (!message || nla_put_u32(message, SCOPE_ATTR_SESSION, session) ||
	    nla_put_u32(message, SCOPE_ATTR_PROBE_ID, id))
		return no_room(message, error);
	err = scope_control_transact(control, message, &reply);
	return err ? scope_control_refused(err, "remove a probe", &reply, error) : 0;
}

struct hits {
	uint16_t id;
	uint64_t hits;
};

static int parse_hits(struct nlattr **attr, void *result)
{
	struct hits *hits = result;

	if (!attr[SCOPE_ATTR_PROBE_ID] || !attr[SCOPE_ATTR_PROBE_HITS])
		return -EBADMSG;
	hits->id = (uint16_t)nla_get_u32(attr[SCOPE_ATTR_PROBE_ID]);
	hits->hits = nla_get_u64(attr[SCOPE_ATTR_PROBE_HITS]);
	return 0;
}

int scope_control_probe_hits(struct scope_control *control, uint32_t session, uint16_t id, struct scope_error *error,
			     uint64_t *ret_hits)
{
	struct nl_msg *message = scope_control_request(control, SCOPE_CMD_PROBE_NEXT);
	struct hits hits = { 0 };
	struct scope_reply reply = { .parse = parse_hits, .result = &hits };
	int err;

	if (!message || nla_put_u32(message, SCOPE_ATTR_SESSION, session) ||
	    nla_put_u32(message, SCOPE_ATTR_PROBE_ID, id))
		return no_room(message, error);
	err = scope_control_transact(control, message, &reply);
	if (err)
		return scope_control_refused(err, "ask for the probes", &reply, error);
	if (hits.id != id)
		return scope_error_set(error, -ENOENT, "the session has no probe %u", id);
	*ret_hits = hits.hits;
	return 0;
}

int scope_control_stacks(struct scope_control *control, uint32_t session, const struct scope_stack_change *change,
			 struct scope_error *error)
{
	struct nl_msg *message = scope_control_request(control, SCOPE_CMD_STACKS);
	struct scope_reply reply = { 0 };
	int bad = 0, err;

	if (!message)
		return no_room(NULL, error);
	if (change->thread_count > SCOPE_STACK_THREADS_MAX) {
		nlmsg_free(message);
		return scope_error_set(error, -EINVAL, "%u threads for stacks: at most %d can be named",
				       change->thread_count, SCOPE_STACK_THREADS_MAX);
	}
	bad |= nla_put_u32(message, SCOPE_ATTR_SESSION, session);
	if (change->mode_given)
		bad |= nla_put_u8(message, SCOPE_ATTR_STACK_MODE, (uint8_t)change->mode);
	if (change->period_given)
		bad |= nla_put_u32(message, SCOPE_ATTR_SAMPLE_PERIOD_NS, change->sample_period_ns);
	if (change->slice_bytes)
		bad |= nla_put_u32(message, SCOPE_ATTR_STACK_BYTES, change->slice_bytes);
	if (change->per_second)
		bad |= nla_put_u32(message, SCOPE_ATTR_STACKS_PER_SECOND, change->per_second);
	if (change->min_given)
		bad |= nla_put_u32(message, SCOPE_ATTR_STACK_MIN_NS, change->min_ns);
	if (change->syscalls)
		bad |= nla_put(message, SCOPE_ATTR_STACK_SYSCALLS, SCOPE_SYSCALL_MAX / 8, change->syscalls);
	if (change->threads_given)
		bad |= nla_put(message, SCOPE_ATTR_STACK_THREADS, (int)(change->thread_count * sizeof(uint32_t)),
			       change->threads);
	if (bad)
		return no_room(message, error);
	err = scope_control_transact(control, message, &reply);
	return err ? scope_control_refused(err, "change the stacks", &reply, error) : 0;
}
