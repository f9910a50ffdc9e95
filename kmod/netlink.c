// SPDX-License-Identifier: GPL-2.0-only
/* The commands of the generic netlink family, as include/scope/control.h describes them. */
#include <linux/errno.h>
#include <linux/netlink.h>

#include "change.h"
#include "configure.h"
#include "genetlink.h"
#include "lifetime.h"
#include "listen.h"
#include "netlink.h"
#include "netlink_delay.h"
#include "netlink_probe.h"
#include "netlink_query.h"
#include "netlink_reply.h"
#include "parse.h"
#include "tracing.h"

static const struct nla_policy session_policy[] = {
	[SCOPE_ATTR_SESSION] = { .type = NLA_U32 },
};

/* Attributes that say which calls get a stack: part of a configuration, and changed separately. */
#define STACK_POLICIES                                                                                                 \
	[SCOPE_ATTR_STACK_MODE] = { .type = NLA_U8 }, [SCOPE_ATTR_STACK_BYTES] = { .type = NLA_U32 },                  \
	[SCOPE_ATTR_STACK_MIN_NS] = { .type = NLA_U32 },                                                               \
	[SCOPE_ATTR_STACK_SYSCALLS] = NLA_POLICY_EXACT_LEN(SCOPE_SYSCALL_MAX / 8),                                     \
	[SCOPE_ATTR_STACKS_PER_SECOND] = { .type = NLA_U32 }, [SCOPE_ATTR_SAMPLE_PERIOD_NS] = { .type = NLA_U32 }

static const struct nla_policy configure_policy[] = {
	[SCOPE_ATTR_PROTOCOL] = { .type = NLA_U32 },
	[SCOPE_ATTR_SESSION] = { .type = NLA_U32 },
	[SCOPE_ATTR_TARGETS] = { .type = NLA_NESTED },
	[SCOPE_ATTR_FOLLOW] = { .type = NLA_FLAG },
	[SCOPE_ATTR_EVENTS] = { .type = NLA_U32 },
	[SCOPE_ATTR_SUBBUF_BYTES] = { .type = NLA_U32 },
	[SCOPE_ATTR_SUBBUF_COUNT] = { .type = NLA_U32 },
	[SCOPE_ATTR_ARG_COUNTS] = NLA_POLICY_EXACT_LEN(SCOPE_SYSCALL_MAX),
	STACK_POLICIES,
	[SCOPE_ATTR_RING_MODE] = { .type = NLA_U8 },
	[SCOPE_ATTR_SYSCALLS] = NLA_POLICY_EXACT_LEN(SCOPE_SYSCALL_MAX / 8),
	[SCOPE_ATTR_OVERHEAD_MAX] = { .type = NLA_U32 },
	[SCOPE_ATTR_KERNEL_BASE] = { .type = NLA_U64 },
};

static const struct nla_policy snapshot_policy[] = {
	[SCOPE_ATTR_SESSION] = { .type = NLA_U32 },
	[SCOPE_ATTR_HOLD] = { .type = NLA_FLAG },
};

static const struct nla_policy filter_policy[] = {
	[SCOPE_ATTR_SESSION] = { .type = NLA_U32 },
	[SCOPE_ATTR_TARGETS] = { .type = NLA_NESTED },
	[SCOPE_ATTR_REMOVE] = { .type = NLA_NESTED },
	[SCOPE_ATTR_SYSCALLS] = NLA_POLICY_EXACT_LEN(SCOPE_SYSCALL_MAX / 8),
};

static const struct nla_policy stacks_policy[] = {
	[SCOPE_ATTR_SESSION] = { .type = NLA_U32 },
	STACK_POLICIES,
	[SCOPE_ATTR_STACK_THREADS] = { .type = NLA_BINARY, .len = SCOPE_STACK_THREADS_MAX * sizeof(u32) },
};

static const struct nla_policy no_policy[] = {
	[SCOPE_ATTR_UNSPEC] = { .type = NLA_UNSPEC },
};

static int do_configure(struct sk_buff *skb, struct genl_info *info)
{
	/* A program that may read /proc/kallsyms may know where the kernel runs. */
	if (info->attrs[SCOPE_ATTR_KERNEL_BASE] && !netlink_capable(skb, CAP_SYSLOG))
		return REFUSE(info, info->attrs[SCOPE_ATTR_KERNEL_BASE], -EPERM,
			      "KERNEL_BASE: addresses of the kernel need CAP_SYSLOG");
	return scope_configure(scope_netlink_session(info), info);
}

static int do_filter(struct sk_buff *skb, struct genl_info *info)
{
	return scope_configure_change(scope_netlink_session(info), info);
}

static int do_stacks(struct sk_buff *skb, struct genl_info *info)
{
	return scope_configure_stacks(scope_netlink_session(info), info);
}

static int do_start(struct sk_buff *skb, struct genl_info *info)
{
	int err = scope_session_start(scope_netlink_session(info));

	if (err == -EINVAL)
		NL_SET_ERR_MSG(info->extack, "the session is not configured yet");
	else if (err == -EALREADY)
		NL_SET_ERR_MSG(info->extack, "the session is running already");
	else if (err == -ESHUTDOWN)
		NL_SET_ERR_MSG(info->extack, "the session was stopped: open a new one");
	return err;
}

static int do_stop(struct sk_buff *skb, struct genl_info *info)
{
	int err = scope_session_stop(scope_netlink_session(info));

	if (err)
		NL_SET_ERR_MSG(info->extack, "the session is not running");
	return err;
}

static int do_snapshot(struct sk_buff *skb, struct genl_info *info)
{
	int err = scope_tracing_snapshot(scope_netlink_session(info), nla_get_flag(info->attrs[SCOPE_ATTR_HOLD]));

	if (err == -EALREADY)
		NL_SET_ERR_MSG(info->extack, "the session is not running");
	return err;
}

static int do_listen(struct sk_buff *skb, struct genl_info *info)
{
	int err = scope_listen_add(genl_info_net(info), info->snd_portid);

	if (err == -ENOSPC)
		NL_SET_ERR_MSG(info->extack, "as many sockets listen as can");
	return err;
}

#define OP(command, function, attributes)                                                                              \
	{                                                                                                              \
		.cmd = command, .doit = function, .policy = attributes, .maxattr = ARRAY_SIZE(attributes) - 1,         \
	}

static const struct scope_op ops[] = {
	OP(SCOPE_CMD_INFO, scope_netlink_info, no_policy),
	OP(SCOPE_CMD_CONFIGURE, do_configure, configure_policy),
	OP(SCOPE_CMD_START, do_start, session_policy),
	OP(SCOPE_CMD_STOP, do_stop, session_policy),
	OP(SCOPE_CMD_QUERY, scope_netlink_query, scope_netlink_query_policy),
	OP(SCOPE_CMD_SNAPSHOT, do_snapshot, snapshot_policy),
	OP(SCOPE_CMD_FILTER, do_filter, filter_policy),
	OP(SCOPE_CMD_STACKS, do_stacks, stacks_policy),
	OP(SCOPE_CMD_PROBE_ADD, scope_netlink_probe_add, scope_netlink_probe_policy),
	OP(SCOPE_CMD_PROBE_REMOVE, scope_netlink_probe_remove, scope_netlink_probe_id_policy),
	OP(SCOPE_CMD_PROBE_NEXT, scope_netlink_probe_next, scope_netlink_probe_id_policy),
	OP(SCOPE_CMD_DELAY_SET, scope_netlink_delay_set, scope_netlink_delay_policy),
	OP(SCOPE_CMD_DELAY_REMOVE, scope_netlink_delay_remove, scope_netlink_delay_id_policy),
	OP(SCOPE_CMD_DELAY_NEXT, scope_netlink_delay_next, scope_netlink_delay_id_policy),
	OP(SCOPE_CMD_LISTEN, do_listen, no_policy),
};

static const struct scope_op *op_of(u8 command)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ops); i++)
		if (ops[i].cmd == command)
			return &ops[i];
	return NULL;
}

static int check_attributes(struct genl_info *info)
{
	const struct scope_op *op = op_of(info->genlhdr->cmd);

	return op ? scope_parse_check(info, op->policy, op->maxattr) : -EOPNOTSUPP;
}

static bool takes_session(const struct scope_op *op)
{
	return op->maxattr >= SCOPE_ATTR_SESSION && op->policy[SCOPE_ATTR_SESSION].type;
}

static int find_session(struct genl_info *info)
{
	struct nlattr *attribute = info->attrs[SCOPE_ATTR_SESSION];

	if (!attribute)
		return REFUSE_ALL(info, -EINVAL, "SESSION is missing");
	info->user_ptr[0] = scope_session_get(nla_get_u32(attribute));
	return info->user_ptr[0] ? 0 : REFUSE(info, attribute, -ENOENT, "SESSION: there is no such session");
}

/*
 * Before each command: checks that the sender may send it and that the message is well formed, and takes a reference
 * to the session it names. after_request() gives that back. Both the opener of the socket and the sender need the
 * capability, so a socket cannot be lent out.
 */
static int before_request(scope_compat_genl_row *row, struct sk_buff *skb, struct genl_info *info)
{
	int err;

	info->user_ptr[0] = NULL;
	if (!netlink_capable(skb, CAP_PERFMON) && !netlink_capable(skb, CAP_SYS_ADMIN))
		return REFUSE_ALL(info, -EPERM,
				  "CAP_PERFMON or CAP_SYS_ADMIN in the initial user "
				  "namespace is needed");
	err = check_attributes(info);
	return err || !takes_session(op_of(info->genlhdr->cmd)) ? err : find_session(info);
}

/* Not called where before_request() failed. */
static void after_request(scope_compat_genl_row *row, struct sk_buff *skb, struct genl_info *info)
{
	if (info->user_ptr[0])
		scope_session_put(info->user_ptr[0]);
}

static struct genl_ops genl_ops[ARRAY_SIZE(ops)];

int scope_netlink_init(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ops); i++)
		genl_ops[i] = scope_compat_genl_op(&ops[i]);
	scope_netlink_family.pre_doit = before_request;
	scope_netlink_family.post_doit = after_request;
	return scope_compat_genl_register(&scope_netlink_family, genl_ops, ARRAY_SIZE(genl_ops));
}

/* When it returns no request is being served. */
void scope_netlink_exit(void)
{
	genl_unregister_family(&scope_netlink_family);
}
