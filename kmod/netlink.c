// SPDX-License-Identifier: GPL-2.0-only
/* The generic netlink family that controls sessions, as include/scope/control.h describes it. */
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/timekeeping.h>
#include "arch.h"
#include "change.h"
#include "configure.h"
#include "genetlink.h"
#include "lifetime.h"
#include "listen.h"
#include "measure.h"
#include "netlink.h"
#include "region.h"
#include "parse.h"
#include "selftest.h"
#include "tracing.h"

#define CPUS_MAX 200 /* in one answer: a netlink attribute's length has 16 bits */
#define CPU_BYTES 256
#define SESSIONS_MAX 64

static struct genl_family family;

static const struct nla_policy session_policy[] = {
	[SCOPE_ATTR_SESSION] = { .type = NLA_U32 },
};

static const struct nla_policy configure_policy[] = {
	[SCOPE_ATTR_PROTOCOL] = { .type = NLA_U32 },
	[SCOPE_ATTR_SESSION] = { .type = NLA_U32 },
	[SCOPE_ATTR_TARGETS] = { .type = NLA_NESTED },
	[SCOPE_ATTR_FOLLOW] = { .type = NLA_FLAG },
	[SCOPE_ATTR_EVENTS] = { .type = NLA_U32 },
	[SCOPE_ATTR_SUBBUF_BYTES] = { .type = NLA_U32 },
	[SCOPE_ATTR_SUBBUF_COUNT] = { .type = NLA_U32 },
	[SCOPE_ATTR_ARG_COUNTS] = NLA_POLICY_EXACT_LEN(SCOPE_SYSCALL_MAX),
	[SCOPE_ATTR_STACK_MODE] = { .type = NLA_U8 },
	[SCOPE_ATTR_STACK_BYTES] = { .type = NLA_U32 },
	[SCOPE_ATTR_STACK_MIN_NS] = { .type = NLA_U32 },
	[SCOPE_ATTR_STACK_SYSCALLS] = NLA_POLICY_EXACT_LEN(SCOPE_SYSCALL_MAX / 8),
	[SCOPE_ATTR_STACKS_PER_SECOND] = { .type = NLA_U32 },
	[SCOPE_ATTR_SAMPLE_PERIOD_NS] = { .type = NLA_U32 },
	[SCOPE_ATTR_RING_MODE] = { .type = NLA_U8 },
	[SCOPE_ATTR_SYSCALLS] = NLA_POLICY_EXACT_LEN(SCOPE_SYSCALL_MAX / 8),
	[SCOPE_ATTR_OVERHEAD_MAX] = { .type = NLA_U32 },
	[SCOPE_ATTR_KERNEL_BASE] = { .type = NLA_U64 },
};

static const struct nla_policy query_policy[] = {
	[SCOPE_ATTR_SESSION] = { .type = NLA_U32 },
	[SCOPE_ATTR_CPU_FIRST] = { .type = NLA_U32 },
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
	[SCOPE_ATTR_STACK_MODE] = { .type = NLA_U8 },
	[SCOPE_ATTR_STACK_BYTES] = { .type = NLA_U32 },
	[SCOPE_ATTR_STACK_MIN_NS] = { .type = NLA_U32 },
	[SCOPE_ATTR_STACK_SYSCALLS] = NLA_POLICY_EXACT_LEN(SCOPE_SYSCALL_MAX / 8),
	[SCOPE_ATTR_STACKS_PER_SECOND] = { .type = NLA_U32 },
	[SCOPE_ATTR_SAMPLE_PERIOD_NS] = { .type = NLA_U32 },
	[SCOPE_ATTR_STACK_THREADS] = { .type = NLA_BINARY,
				       .len = SCOPE_STACK_THREADS_MAX * sizeof(u32) },
};

static const struct nla_policy no_policy[] = {
	[SCOPE_ATTR_UNSPEC] = { .type = NLA_UNSPEC },
};

static int check_shape(struct genl_info *info);

/* Both the opener of the socket and the sender need it, so a socket cannot be lent out. */
static int check_request(struct sk_buff *skb, struct genl_info *info)
{
	if (netlink_capable(skb, CAP_PERFMON) || netlink_capable(skb, CAP_SYS_ADMIN))
		return check_shape(info);
	return REFUSE_ALL(info, -EPERM,
			  "CAP_PERFMON or CAP_SYS_ADMIN in the initial user namespace is needed");
}

int scope_netlink_session(struct sk_buff *skb, struct genl_info *info,
			  struct scope_session **ret_session)
{
	struct nlattr *attribute = info->attrs[SCOPE_ATTR_SESSION];
	int err = check_request(skb, info);

	if (err)
		return err;
	if (!attribute) {
		NL_SET_ERR_MSG(info->extack, "SESSION is missing");
		return -EINVAL;
	}
	*ret_session = scope_session_get(nla_get_u32(attribute));
	if (!*ret_session)
		return REFUSE(info, attribute, -ENOENT, "SESSION: there is no such session");
	return 0;
}

int scope_netlink_explain(struct genl_info *info, const struct scope_netlink_reason *reasons,
			  size_t count, bool user, int err)
{
	const char *text;
	size_t i;

	/* Not for user space: an instruction that cannot be stepped over. */
	if (err == -ENOTSUPP)
		err = -EOPNOTSUPP;
	for (i = 0; i < count; i++) {
		if (reasons[i].err != err)
			continue;
		text = user && reasons[i].user ? reasons[i].user : reasons[i].text;
		if (text)
			scope_compat_genl_say(info, text);
		break;
	}
	return err;
}

static int do_configure(struct sk_buff *skb, struct genl_info *info)
{
	struct scope_session *session;
	int err = scope_netlink_session(skb, info, &session);

	if (err)
		return err;
	/* Whoever may read /proc/kallsyms may know where the kernel runs. */
	if (info->attrs[SCOPE_ATTR_KERNEL_BASE] && !netlink_capable(skb, CAP_SYSLOG))
		err = REFUSE(info, info->attrs[SCOPE_ATTR_KERNEL_BASE], -EPERM,
			     "KERNEL_BASE: addresses of the kernel need CAP_SYSLOG");
	else
		err = scope_configure(session, info);
	scope_session_put(session);
	return err;
}

static int do_filter(struct sk_buff *skb, struct genl_info *info)
{
	struct scope_session *session;
	int err = scope_netlink_session(skb, info, &session);

	if (err)
		return err;
	err = scope_configure_change(session, info);
	scope_session_put(session);
	return err;
}

static int do_stacks(struct sk_buff *skb, struct genl_info *info)
{
	struct scope_session *session;
	int err = scope_netlink_session(skb, info, &session);

	if (err)
		return err;
	err = scope_configure_stacks(session, info);
	scope_session_put(session);
	return err;
}

static int do_start(struct sk_buff *skb, struct genl_info *info)
{
	struct scope_session *session;
	int err = scope_netlink_session(skb, info, &session);

	if (err)
		return err;
	err = scope_session_start(session);
	if (err == -EINVAL)
		NL_SET_ERR_MSG(info->extack, "the session is not configured yet");
	else if (err == -EALREADY)
		NL_SET_ERR_MSG(info->extack, "the session is running already");
	else if (err == -ESHUTDOWN)
		NL_SET_ERR_MSG(info->extack, "the session was stopped: open a new one");
	scope_session_put(session);
	return err;
}

static int do_stop(struct sk_buff *skb, struct genl_info *info)
{
	struct scope_session *session;
	int err = scope_netlink_session(skb, info, &session);

	if (err)
		return err;
	err = scope_session_stop(session);
	if (err)
		NL_SET_ERR_MSG(info->extack, "the session is not running");
	scope_session_put(session);
	return err;
}

static int put_one_cpu(struct sk_buff *reply, struct scope_session *session, u32 id)
{
	struct scope_ring *ring = &per_cpu_ptr(session->cpu, id)->ring;
	struct scope_ring_page *page = ring->page;
	const struct {
		enum scope_attr name;
		u64 value;
	} rows[] = {
		{ SCOPE_ATTR_RECORDS, READ_ONCE(ring->records) },
		{ SCOPE_ATTR_LOST_FULL, READ_ONCE(page->lost[SCOPE_LOST_FULL]) },
		{ SCOPE_ATTR_LOST_NESTED, READ_ONCE(page->lost[SCOPE_LOST_NESTED]) },
		{ SCOPE_ATTR_LOST_TOO_BIG, READ_ONCE(page->lost[SCOPE_LOST_TOO_BIG]) },
		{ SCOPE_ATTR_STACKS, READ_ONCE(page->stacks) },
		{ SCOPE_ATTR_STACKS_SKIPPED, READ_ONCE(page->stacks_skipped) },
		{ SCOPE_ATTR_OVERWRITTEN, READ_ONCE(page->overwritten) },
		{ SCOPE_ATTR_PROBE_NS, scope_measure_ns(per_cpu_ptr(session->cpu, id)) },
	};
	struct nlattr *nest = nla_nest_start(reply, SCOPE_ATTR_CPU);
	size_t i;

	if (!nest || nla_put_u32(reply, SCOPE_ATTR_CPU_ID, id))
		return -EMSGSIZE;
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (nla_put_u64_64bit(reply, rows[i].name, rows[i].value, SCOPE_ATTR_PAD))
			return -EMSGSIZE;
	nla_nest_end(reply, nest);
	return 0;
}

/* Those that were online at some time, from first on. */
static int put_cpus(struct sk_buff *reply, struct scope_session *session, u32 first)
{
	struct nlattr *nest = nla_nest_start(reply, SCOPE_ATTR_CPUS);
	u32 id, count = 0, next = 0;

	if (!nest)
		return -EMSGSIZE;
	for_each_possible_cpu(id) {
		struct scope_ring *ring = &per_cpu_ptr(session->cpu, id)->ring;

		if (id < first || !ring->page ||
		    (!READ_ONCE(ring->subbufs) && !READ_ONCE(ring->page->lost[SCOPE_LOST_FULL])))
			continue;
		if (count++ == CPUS_MAX) {
			next = id;
			break;
		}
		if (put_one_cpu(reply, session, id))
			return -EMSGSIZE;
	}
	nla_nest_end(reply, nest);
	return next ? nla_put_u32(reply, SCOPE_ATTR_CPU_NEXT, next) : 0;
}

static u64 run_ns(const struct scope_session *session)
{
	u64 start = READ_ONCE(session->start_ns), stop = READ_ONCE(session->stop_ns);

	if (!start)
		return 0;
	return (stop ? stop : ktime_get_mono_fast_ns()) - start;
}

static u64 memory_bytes(struct scope_session *session)
{
	u64 bytes = sizeof(*session) + (u64)num_possible_cpus() * sizeof(struct scope_cpu);

	return scope_session_configured(session) ? bytes + scope_region_bytes(session) : bytes;
}

struct query {
	struct scope_session *session;
	u32 first; /* CPU */
};

static int put_session(struct sk_buff *reply, const void *data)
{
	const struct query *query = data;
	struct scope_session *session = query->session;
	const struct {
		enum scope_attr name;
		u64 value;
	} rows[] = {
		{ SCOPE_ATTR_MEMORY_BYTES, memory_bytes(session) },
		{ SCOPE_ATTR_FILTER_FULL, atomic64_read(&session->filter.full) },
		{ SCOPE_ATTR_BLOCK_UNMATCHED, atomic64_read(&session->block_unmatched) },
		{ SCOPE_ATTR_RUN_NS, run_ns(session) },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (nla_put_u64_64bit(reply, rows[i].name, rows[i].value, SCOPE_ATTR_PAD))
			return -EMSGSIZE;
	if (nla_put_u32(reply, SCOPE_ATTR_SESSION, session->id) ||
	    nla_put_u8(reply, SCOPE_ATTR_RUN_STATE, READ_ONCE(session->run_state)) ||
	    nla_put_u8(reply, SCOPE_ATTR_STOP_REASON, READ_ONCE(session->stop_reason)) ||
	    nla_put_u8(reply, SCOPE_ATTR_RING_MODE,
		       session->config.flight ? SCOPE_RING_FLIGHT : SCOPE_RING_STREAM) ||
	    nla_put_u32(reply, SCOPE_ATTR_OVERHEAD_MAX, session->config.overhead_max) ||
	    nla_put_u32(reply, SCOPE_ATTR_CPU_ID, session->guard_cpu) ||
	    nla_put_u32(reply, SCOPE_ATTR_OVERHEAD, session->guard_share) ||
	    nla_put_u32(reply, SCOPE_ATTR_OWNER, pid_vnr(session->owner)) ||
	    nla_put_u32(reply, SCOPE_ATTR_PROCESSES, atomic_read(&session->filter.count)) ||
	    nla_put_u32(reply, SCOPE_ATTR_THREADS, atomic_read(&session->filter.threads)))
		return -EMSGSIZE;
	return put_cpus(reply, session, query->first);
}

int scope_netlink_reply(struct genl_info *info, u8 command, size_t bytes,
			int (*fill)(struct sk_buff *, const void *), const void *data)
{
	struct sk_buff *reply = genlmsg_new(bytes, GFP_KERNEL);
	void *header;

	if (!reply)
		return -ENOMEM;
	header = genlmsg_put_reply(reply, info, &family, 0, command);
	if (!header || fill(reply, data)) {
		nlmsg_free(reply);
		return -EMSGSIZE;
	}
	genlmsg_end(reply, header);
	return genlmsg_reply(reply, info);
}

static int do_query(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *first = info->attrs[SCOPE_ATTR_CPU_FIRST];
	struct query query;
	struct scope_session *session;
	int err = scope_netlink_session(skb, info, &session);

	if (err)
		return err;
	query = (struct query){ session, first ? nla_get_u32(first) : 0 };
	err = scope_netlink_reply(info, SCOPE_CMD_QUERY,
				  512 + min(num_possible_cpus(), CPUS_MAX + 0u) * CPU_BYTES,
				  put_session, &query);
	scope_session_put(session);
	return err;
}

static int do_snapshot(struct sk_buff *skb, struct genl_info *info)
{
	struct scope_session *session;
	int err = scope_netlink_session(skb, info, &session);

	if (err)
		return err;
	err = scope_tracing_snapshot(session, nla_get_flag(info->attrs[SCOPE_ATTR_HOLD]));
	if (err == -EALREADY)
		NL_SET_ERR_MSG(info->extack, "the session is not running");
	scope_session_put(session);
	return err;
}

static int put_info(struct sk_buff *reply, const void *unused)
{
	u32 ids[SESSIONS_MAX], count = scope_session_list(ids, SESSIONS_MAX), i;
	struct nlattr *nest;

	if (nla_put_u32(reply, SCOPE_ATTR_PROTOCOL, SCOPE_PROTOCOL) ||
	    nla_put_u32(reply, SCOPE_ATTR_PROTOCOL_MIN, SCOPE_PROTOCOL_MIN) ||
	    nla_put_string(reply, SCOPE_ATTR_MODULE_VERSION, SCOPE_VERSION) ||
	    nla_put_u32(reply, SCOPE_ATTR_KERNEL_REGS, SCOPE_ARCH_REGS) ||
	    nla_put_u8(reply, SCOPE_ATTR_SELFTEST, scope_selftest_result()))
		return -EMSGSIZE;
	nest = nla_nest_start(reply, SCOPE_ATTR_SESSIONS);
	if (!nest)
		return -EMSGSIZE;
	for (i = 0; i < count; i++)
		if (nla_put_u32(reply, SCOPE_ATTR_SESSION, ids[i]))
			return -EMSGSIZE;
	nla_nest_end(reply, nest);
	return 0;
}

static int do_info(struct sk_buff *skb, struct genl_info *info)
{
	int err = check_request(skb, info);

	return err ? err : scope_netlink_reply(info, SCOPE_CMD_INFO, 1024, put_info, NULL);
}

static int do_listen(struct sk_buff *skb, struct genl_info *info)
{
	int err = check_request(skb, info);

	if (!err)
		err = scope_listen_add(genl_info_net(info), info->snd_portid);
	if (err == -ENOSPC)
		NL_SET_ERR_MSG(info->extack, "as many sockets listen as can");
	return err;
}

#define OP(command, function, attributes)                                                          \
	{                                                                                          \
		.cmd = command, .doit = function, .policy = attributes,                            \
		.maxattr = ARRAY_SIZE(attributes) - 1,                                             \
	}

static const struct scope_op ops[] = {
	OP(SCOPE_CMD_INFO, do_info, no_policy),
	OP(SCOPE_CMD_CONFIGURE, do_configure, configure_policy),
	OP(SCOPE_CMD_START, do_start, session_policy),
	OP(SCOPE_CMD_STOP, do_stop, session_policy),
	OP(SCOPE_CMD_QUERY, do_query, query_policy),
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

static int check_shape(struct genl_info *info)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ops); i++)
		if (ops[i].cmd == info->genlhdr->cmd)
			return scope_parse_check(info, ops[i].policy, ops[i].maxattr);
	return -EOPNOTSUPP;
}

static struct genl_ops genl_ops[ARRAY_SIZE(ops)];

static struct genl_family family = {
	.name = SCOPE_GENL_NAME,
	.version = SCOPE_GENL_VERSION,
	.module = THIS_MODULE,
	.netnsok = true,
	.parallel_ops = true, /* sessions have locks of their own */
	.maxattr = SCOPE_GENL_FAMILY_MAXATTR(SCOPE_ATTR_MAX),
	SCOPE_GENL_FAMILY_OPS(genl_ops)
};

void scope_netlink_notice(u32 session, enum scope_notice notice, u32 cpu, u64 value)
{
	struct sk_buff *message = genlmsg_new(128, GFP_KERNEL);
	void *header;

	if (!message)
		return;
	header = genlmsg_put(message, 0, 0, &family, 0, SCOPE_CMD_NOTICE);
	if (!header || nla_put_u32(message, SCOPE_ATTR_SESSION, session) ||
	    nla_put_u8(message, SCOPE_ATTR_NOTICE, notice) ||
	    nla_put_u32(message, SCOPE_ATTR_CPU_ID, cpu) ||
	    nla_put_u64_64bit(message, SCOPE_ATTR_VALUE, value, SCOPE_ATTR_PAD)) {
		nlmsg_free(message);
		return;
	}
	genlmsg_end(message, header);
	scope_listen_send(message);
}

int scope_netlink_init(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ops); i++)
		genl_ops[i] = scope_compat_genl_op(&ops[i]);
	return scope_compat_genl_register(&family, genl_ops, ARRAY_SIZE(genl_ops));
}

/* When it returns no request is being served. */
void scope_netlink_exit(void)
{
	genl_unregister_family(&family);
}
