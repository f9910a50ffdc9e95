// SPDX-License-Identifier: GPL-2.0-only
/* Sends the module the configuration of a session. */
#include "control/control.h"
#include "control/message.h"

#include <errno.h>

#include <netlink/attr.h>
#include <netlink/msg.h>

static int put_target(struct nl_msg *message, const struct scope_control_target *target)
{
	struct nlattr *nest;
	int bad;

	switch (target->kind) {
	case SCOPE_ATTR_COMM:
	case SCOPE_ATTR_COMM_PREFIX:
		return nla_put_string(message, target->kind, target->comm);
	case SCOPE_ATTR_CGROUP:
		nest = nla_nest_start(message, SCOPE_ATTR_CGROUP);
		if (!nest)
			return -ENOMEM;
		bad = nla_put_u64(message, SCOPE_ATTR_CGROUP_ID, target->cgroup);
		bad |= nla_put_u32(message, SCOPE_ATTR_CGROUP_HIERARCHY, target->id);
		nla_nest_end(message, nest);
		return bad;
	default:
		return nla_put_u32(message, target->kind, target->id);
	}
}

/* True if this configuration needs something that protocol 1 does not have. */
static bool needs_newer(const struct scope_session_config *config)
{
	uint32_t i;

	for (i = 0; i < config->target_count; i++)
		if (config->targets[i].kind != SCOPE_ATTR_TARGET)
			return true;
	return config->syscalls;
}

/* Adds the attributes of CONFIGURE that differ from their default. 0, or negative if the message is full. */
static int put_config(struct nl_msg *message, uint32_t protocol, const struct scope_session_config *config)
{
	const struct {
		int attr;
		uint32_t value;
	} word[] = {
		{ SCOPE_ATTR_EVENTS, config->events },
		{ SCOPE_ATTR_SUBBUF_BYTES, config->subbuf_bytes },
		{ SCOPE_ATTR_SUBBUF_COUNT, config->subbuf_count },
		{ SCOPE_ATTR_STACK_BYTES, config->stack_bytes },
		{ SCOPE_ATTR_STACK_MIN_NS, config->stack_min_ns },
		{ SCOPE_ATTR_STACKS_PER_SECOND, config->stacks_per_second },
		{ SCOPE_ATTR_SAMPLE_PERIOD_NS, config->sample_period_ns },
		{ SCOPE_ATTR_OVERHEAD_MAX, config->overhead_any ? 0 : config->overhead_max },
	};
	struct nlattr *nest;
	uint32_t i;
	int bad = 0;

	bad |= nla_put_u32(message, SCOPE_ATTR_SESSION, config->session);
	bad |= nla_put_u32(message, SCOPE_ATTR_PROTOCOL, protocol);
	nest = nla_nest_start(message, SCOPE_ATTR_TARGETS);
	if (!nest)
		return -ENOMEM;
	for (i = 0; i < config->target_count; i++)
		bad |= put_target(message, &config->targets[i]);
	nla_nest_end(message, nest);
	if (config->follow)
		bad |= nla_put_flag(message, SCOPE_ATTR_FOLLOW);
	for (i = 0; i < sizeof(word) / sizeof(word[0]); i++)
		if (word[i].value)
			bad |= nla_put_u32(message, word[i].attr, word[i].value);
	if (config->overhead_any)
		bad |= nla_put_u32(message, SCOPE_ATTR_OVERHEAD_MAX, 0);
	if (config->ring_mode != SCOPE_RING_STREAM)
		bad |= nla_put_u8(message, SCOPE_ATTR_RING_MODE, (uint8_t)config->ring_mode);
	if (config->stack_mode != SCOPE_STACK_NONE)
		bad |= nla_put_u8(message, SCOPE_ATTR_STACK_MODE, (uint8_t)config->stack_mode);
	if (config->kernel_ips && protocol > 1)
		bad |= nla_put_u64(message, SCOPE_ATTR_KERNEL_BASE, config->kernel_base);
	if (config->arg_counts)
		bad |= nla_put(message, SCOPE_ATTR_ARG_COUNTS, SCOPE_SYSCALL_MAX, config->arg_counts);
	if (config->syscalls)
		bad |= nla_put(message, SCOPE_ATTR_SYSCALLS, SCOPE_SYSCALL_MAX / 8, config->syscalls);
	if (config->stack_syscalls)
		bad |= nla_put(message, SCOPE_ATTR_STACK_SYSCALLS, SCOPE_SYSCALL_MAX / 8, config->stack_syscalls);
	return bad ? -ENOMEM : 0;
}

int scope_control_configure(struct scope_control *control, const struct scope_session_config *config,
			    struct scope_error *error)
{
	struct scope_reply reply = { 0 };
	struct nl_msg *message;
	int err;

	if (!config->target_count || config->target_count > SCOPE_TARGET_MAX)
		return scope_error_set(error, -EINVAL, "%u processes to trace: 1 to %d can be named",
				       config->target_count, SCOPE_TARGET_MAX);
	if (control->protocol < 2 && needs_newer(config))
		return scope_error_set(error, -EOPNOTSUPP,
				       "the loaded scope module speaks protocol %u, in which processes "
				       "alone can be selected, and all their calls: load the scope.ko of "
				       "this release",
				       control->protocol);
	message = scope_control_request(control, SCOPE_CMD_CONFIGURE);
	if (!message || put_config(message, control->protocol, config)) {
		nlmsg_free(message);
		return scope_error_set(error, -ENOMEM, "no room for a netlink message");
	}
	err = scope_control_transact(control, message, &reply);
	return err ? scope_control_refused(err, "set up tracing", &reply, error) : 0;
}
