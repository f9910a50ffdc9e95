// SPDX-License-Identifier: GPL-2.0-only
/* The control messages that set, remove and list delay rules. */
#include <linux/errno.h>
#include <linux/netlink.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include <net/netlink.h>
#include "configure.h"
#include "delay.h"
#include "netlink_delay.h"
#include "netlink_reply.h"
#include "parse.h"

const struct nla_policy scope_netlink_delay_policy[SCOPE_ATTR_DELAY_RANGES + 1] = {
	[SCOPE_ATTR_SESSION] = { .type = NLA_U32 },
	[SCOPE_ATTR_PROBE_SYMBOL] = { .type = NLA_NUL_STRING, .len = SCOPE_PROBE_SYMBOL_BYTES - 1 },
	[SCOPE_ATTR_PROBE_PATH] = { .type = NLA_NUL_STRING, .len = SCOPE_PROBE_NAME_BYTES - 1 },
	[SCOPE_ATTR_PROBE_OFFSET] = { .type = NLA_U64 },
	[SCOPE_ATTR_DELAY_ID] = { .type = NLA_U32 },
	[SCOPE_ATTR_DELAY_SITE] = { .type = NLA_U8 },
	[SCOPE_ATTR_DELAY_SYSCALL] = { .type = NLA_U32 },
	[SCOPE_ATTR_DELAY_FLAGS] = { .type = NLA_U32 },
	[SCOPE_ATTR_DELAY_NS] = { .type = NLA_U64 },
	[SCOPE_ATTR_DELAY_PROBABILITY] = { .type = NLA_U32 },
	[SCOPE_ATTR_DELAY_SEED] = { .type = NLA_U64 },
	[SCOPE_ATTR_DELAY_HIT_MAX_NS] = { .type = NLA_U64 },
	[SCOPE_ATTR_DELAY_SECOND_MAX_NS] = { .type = NLA_U64 },
	[SCOPE_ATTR_DELAY_THREADS] = { .type = NLA_BINARY, .len = SCOPE_STACK_THREADS_MAX * 4 },
	[SCOPE_ATTR_DELAY_RANGES] = { .type = NLA_BINARY,
				      .len = SCOPE_DELAY_RANGES_MAX * sizeof(struct scope_delay_range) },
};

const struct nla_policy scope_netlink_delay_id_policy[SCOPE_ATTR_DELAY_ID + 1] = {
	[SCOPE_ATTR_SESSION] = { .type = NLA_U32 },
	[SCOPE_ATTR_DELAY_ID] = { .type = NLA_U32 },
};

static int parse_id(struct genl_info *info, u16 *ret_id)
{
	struct nlattr *id = info->attrs[SCOPE_ATTR_DELAY_ID];

	if (!id)
		return REFUSE_ALL(info, -EINVAL, "DELAY_ID is missing");
	if (nla_get_u32(id) > U16_MAX)
		return REFUSE(info, id, -EINVAL, "DELAY_ID is at most 65535");
	*ret_id = nla_get_u32(id);
	return 0;
}

static u64 get_u64(struct genl_info *info, enum scope_attr name, u64 otherwise)
{
	struct nlattr *attribute = info->attrs[name];

	return attribute ? nla_get_u64(attribute) : otherwise;
}

static int parse_call(struct genl_info *info, struct scope_delay_request *request)
{
	static const u32 flags_of[] = {
		[SCOPE_DELAY_SYSCALL] = SCOPE_DELAY_AFTER, [SCOPE_DELAY_SPEEDUP] = SCOPE_DELAY_CALLERS
	};
	struct nlattr *nr = info->attrs[SCOPE_ATTR_DELAY_SYSCALL];
	struct nlattr *flags = info->attrs[SCOPE_ATTR_DELAY_FLAGS];

	if (flags)
		request->flags = nla_get_u32(flags);
	if (request->flags & ~SCOPE_DELAY_FLAGS_ALL)
		return REFUSE(info, flags, -EINVAL, "DELAY_FLAGS has a bit this module does not know");
	if (request->flags & ~flags_of[request->site])
		return REFUSE(info, flags, -EINVAL,
			      "DELAY_FLAGS: AFTER is for DELAY_SITE 0 (syscall), "
			      "CALLERS for 4 (speedup)");
	request->nr = SCOPE_NR_NONE;
	if (request->site == SCOPE_DELAY_SPEEDUP && !nr)
		return 0;
	if (request->site != SCOPE_DELAY_SYSCALL && request->site != SCOPE_DELAY_SPEEDUP)
		return nr ? REFUSE(info, nr, -EINVAL,
				   "DELAY_SYSCALL belongs to DELAY_SITE 0 (syscall) "
				   "and 4 (speedup) alone")
			  : 0;
	if (!nr)
		return REFUSE_ALL(info, -EINVAL, "DELAY_SYSCALL is missing");
	if (nla_get_u32(nr) >= SCOPE_SYSCALL_MAX)
		return REFUSE(info, nr, -EINVAL, "DELAY_SYSCALL is at most 511");
	request->nr = nla_get_u32(nr);
	return 0;
}

/* Which of the two names each site needs. */
static int parse_place(struct genl_info *info, struct scope_delay_request *request)
{
	const bool entry = request->site == SCOPE_DELAY_SYSCALL && !(request->flags & SCOPE_DELAY_AFTER);
	const bool symbol = entry || request->site == SCOPE_DELAY_KERNEL;
	const bool path = request->site == SCOPE_DELAY_USER;
	struct nlattr *names[] = { info->attrs[SCOPE_ATTR_PROBE_SYMBOL], info->attrs[SCOPE_ATTR_PROBE_PATH] };
	struct nlattr *name = names[path], *offset = info->attrs[SCOPE_ATTR_PROBE_OFFSET];

	if (!names[0] != !symbol || !names[1] != !path)
		return REFUSE_ALL(info, -EINVAL,
				  "a syscall at its entry and a kernel function want "
				  "PROBE_SYMBOL, a user function PROBE_PATH, other sites none");
	if (name) {
		request->name = nla_data(name);
		if (!*request->name)
			return REFUSE(info, name, -EINVAL, "the name is empty");
	}
	if (!offset)
		return 0;
	request->offset = nla_get_u64(offset);
	if (request->offset && !path &&
	    (request->site != SCOPE_DELAY_KERNEL || request->offset > SCOPE_PROBE_SYMBOL_OFFSET_MAX))
		return REFUSE(info, offset, -EINVAL,
			      "PROBE_OFFSET is at most 65536 from a kernel "
			      "function, any in a program, and 0 elsewhere");
	return 0;
}

/* The caller frees *ret_ranges with kvfree(). */
static int parse_ranges(struct genl_info *info, struct nlattr *attribute, struct scope_delay_ranges **ret_ranges)
{
	const struct scope_delay_range *from = nla_data(attribute);
	u32 count = nla_len(attribute) / sizeof(*from), i;
	struct scope_delay_ranges *ranges;
	struct task_struct *task;

	if (!count || nla_len(attribute) % sizeof(*from) || count > SCOPE_DELAY_RANGES_MAX)
		return REFUSE(info, attribute, -EINVAL, "DELAY_RANGES is 1 to 256 of 24 bytes");
	ranges = kvzalloc(sizeof(*ranges) + count * sizeof(*from), GFP_KERNEL);
	if (!ranges)
		return -ENOMEM;
	rcu_read_lock();
	for (i = 0; i < count; i++) {
		if (from[i].zero || from[i].begin >= from[i].end)
			break;
		task = pid_task(find_vpid(from[i].tgid), PIDTYPE_PID);
		ranges->range[i] = from[i];
		/* A process that ended has no more samples. */
		ranges->range[i].tgid = task ? task->tgid : 0;
	}
	rcu_read_unlock();
	ranges->count = i;
	*ret_ranges = ranges;
	return i == count ? 0
			  : REFUSE(info, attribute, -EINVAL,
				   "DELAY_RANGES: a range is empty, or "
				   "its zero is not");
}

static int parse_values(struct genl_info *info, struct scope_delay_values *values)
{
	struct nlattr *ns = info->attrs[SCOPE_ATTR_DELAY_NS];
	struct nlattr *probability = info->attrs[SCOPE_ATTR_DELAY_PROBABILITY];
	struct nlattr *threads = info->attrs[SCOPE_ATTR_DELAY_THREADS];
	struct nlattr *ranges = info->attrs[SCOPE_ATTR_DELAY_RANGES];
	int err;

	if (!ns)
		return REFUSE_ALL(info, -EINVAL, "DELAY_NS is missing");
	values->ns = nla_get_u64(ns);
	if (values->ns > SCOPE_DELAY_NS_MAX)
		return REFUSE(info, ns, -EINVAL, "DELAY_NS is at most a second");
	values->hit_max_ns = get_u64(info, SCOPE_ATTR_DELAY_HIT_MAX_NS, SCOPE_DELAY_NS_MAX);
	if (!values->hit_max_ns || values->hit_max_ns > SCOPE_DELAY_NS_MAX)
		return REFUSE(info, info->attrs[SCOPE_ATTR_DELAY_HIT_MAX_NS], -EINVAL,
			      "DELAY_HIT_MAX_NS is at least 1 and at most a second");
	values->seed = get_u64(info, SCOPE_ATTR_DELAY_SEED, 0);
	if (probability)
		values->probability = nla_get_u32(probability);
	if (ranges) {
		err = parse_ranges(info, ranges, &values->ranges);
		if (err)
			return err;
	}
	if (!threads)
		return 0;
	err = scope_configure_threads(info, threads, &values->threads);
	if (!err && (!values->threads || !values->threads->count))
		err = REFUSE(info, threads, -ESRCH, "DELAY_THREADS names no thread that lives");
	return err;
}

static int parse_request(struct genl_info *info, struct scope_delay_request *request)
{
	struct nlattr *site = info->attrs[SCOPE_ATTR_DELAY_SITE];
	struct nlattr *ranges = info->attrs[SCOPE_ATTR_DELAY_RANGES];
	int err = parse_id(info, &request->id);

	if (err)
		return err;
	if (!site)
		return REFUSE_ALL(info, -EINVAL, "DELAY_SITE is missing");
	request->site = nla_get_u8(site);
	if (request->site > SCOPE_DELAY_SPEEDUP)
		return REFUSE(info, site, -EINVAL,
			      "DELAY_SITE is 0 (syscall), 1 (receive), 2 (user "
			      "function), 3 (kernel function) or 4 (speedup)");
	request->second_max_ns = get_u64(info, SCOPE_ATTR_DELAY_SECOND_MAX_NS, SCOPE_DELAY_SECOND_MAX_NS_DEFAULT);
	if (request->second_max_ns > SCOPE_DELAY_SECOND_MAX_NS_MAX)
		return REFUSE(info, info->attrs[SCOPE_ATTR_DELAY_SECOND_MAX_NS], -EINVAL,
			      "DELAY_SECOND_MAX_NS is at most 100 seconds: a hundred threads that do "
			      "nothing else");
	err = parse_call(info, request);
	if (!err && (request->site == SCOPE_DELAY_SPEEDUP ? !ranges && request->nr == SCOPE_NR_NONE : !!ranges))
		err = REFUSE_ALL(info, -EINVAL,
				 "DELAY_RANGES belongs to DELAY_SITE 4 (speedup), which "
				 "wants that or DELAY_SYSCALL");
	if (!err)
		err = parse_place(info, request);
	return err ? err : parse_values(info, request->values);
}

/* The meaning of an error that does not come from an attribute. */
static int explain(struct genl_info *info, const struct scope_delay_request *request, int err)
{
	static const struct scope_netlink_reason reasons[] = {
		{ -ENODATA, "the session is not configured yet" },
		{ -EPROTO, "DELAY_SET needs a session of PROTOCOL 2" },
		{ -ESHUTDOWN, "the session was stopped: open a new one" },
		{ -EEXIST, "DELAY_ID is that of a rule of another site: remove that first" },
		{ -ENOSPC, "the session has 64 rules: remove some" },
		{ -EADDRINUSE, "another function of this call has rules: name that, or remove them" },
		{ -EUSERS, "this call has 16 rules of all sessions: remove some" },
		{ -ENOENT, "the kernel has no such function, or its module is not loaded", "there is no such file" },
		{ -EILSEQ, "no instruction begins there", "no instruction begins there" },
		{ -EINVAL, "the kernel allows no probe there", "the kernel allows no probe there" },
		{ -ERANGE, NULL, "PROBE_OFFSET lies outside the file" },
		{ -EISDIR, NULL, "that is no regular file" },
		{ -EIO, NULL, "files of this kind cannot be probed: processes do not map them" },
		{ -EOPNOTSUPP,
		  "this kernel cannot hold threads up there: a syscall may be delayed as it "
		  "returns (DELAY_FLAGS 1), or a user function",
		  "this kernel has no uprobes, or cannot probe this instruction" },
	};

	if (err == -EBUSY && request->site == SCOPE_DELAY_SPEEDUP)
		return REFUSE_ALL(info, err, "the session has a speedup already: remove or replace it");
	if (err == -EBUSY)
		return REFUSE(info, info->attrs[SCOPE_ATTR_PROBE_SYMBOL], err,
			      "PROBE_SYMBOL: something "
			      "else has this function: a live patch, a BPF program, a probe where "
			      "the kernel has no ftrace; or kernel.ftrace_enabled is 0");
	return scope_netlink_explain(info, reasons, ARRAY_SIZE(reasons), request->site == SCOPE_DELAY_USER, err);
}

static int check_allowed(struct sk_buff *skb, struct genl_info *info)
{
	static const struct scope_netlink_reason reasons[] = {
		{ -ENOSYS, "this module was built without delays (SCOPE_DELAYS=0)" },
		{ -ECANCELED, "delays are switched off by the module's parameter "
			      "`delays`: `echo 1 > /sys/module/scope/parameters/delays` allows them" },
	};
	int err = scope_delay_check_allowed();

	if (err)
		return scope_netlink_explain(info, reasons, ARRAY_SIZE(reasons), false, err);
	/* As for all messages, the opener of the socket needs it as well. */
	return netlink_capable(skb, CAP_SYS_ADMIN)
		       ? 0
		       : REFUSE_ALL(info, -EPERM,
				    "to hold other programs up takes CAP_SYS_ADMIN, CAP_PERFMON is "
				    "not enough: run as root");
}

int scope_netlink_delay_set(struct sk_buff *skb, struct genl_info *info)
{
	struct scope_delay_request request = { 0 };
	int err = check_allowed(skb, info);

	if (err)
		return err;
	request.values = kzalloc(sizeof(*request.values), GFP_KERNEL);
	if (!request.values)
		return -ENOMEM;
	err = parse_request(info, &request);
	if (!err)
		err = explain(info, &request, scope_delay_set(scope_netlink_session(info), &request));
	if (err)
		scope_delay_values_free(request.values);
	return err;
}

int scope_netlink_delay_remove(struct sk_buff *skb, struct genl_info *info)
{
	u16 id;
	int err = parse_id(info, &id);

	if (err)
		return err;
	err = scope_delay_remove(scope_netlink_session(info), id);
	if (err)
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[SCOPE_ATTR_DELAY_ID],
				    "DELAY_ID: the session has no such rule");
	return err;
}

static int put_rule(struct sk_buff *reply, const void *data)
{
	const struct scope_delay_info *rule = data;
	const struct {
		enum scope_attr name;
		u64 value;
	} rows[] = {
		{ SCOPE_ATTR_PROBE_OFFSET, rule->offset },
		{ SCOPE_ATTR_DELAY_NS, rule->ns },
		{ SCOPE_ATTR_DELAY_SEED, rule->seed },
		{ SCOPE_ATTR_DELAY_HIT_MAX_NS, rule->hit_max_ns },
		{ SCOPE_ATTR_DELAY_SECOND_MAX_NS, rule->second_max_ns },
		{ SCOPE_ATTR_DELAY_VISITS, rule->visits },
		{ SCOPE_ATTR_DELAY_SERVED, rule->served },
		{ SCOPE_ATTR_DELAY_ASKED_NS, rule->asked_ns },
		{ SCOPE_ATTR_DELAY_SERVED_NS, rule->served_ns },
		{ SCOPE_ATTR_DELAY_MISSED, rule->missed },
		{ SCOPE_ATTR_DELAY_CAPPED, rule->capped },
		{ SCOPE_ATTR_DELAY_REQUIRED_NS, rule->required_ns },
		{ SCOPE_ATTR_DELAY_UNSETTLED_NS, rule->unsettled_ns },
	};
	size_t i;

	if (nla_put_u32(reply, SCOPE_ATTR_DELAY_ID, rule->id) || nla_put_u8(reply, SCOPE_ATTR_DELAY_SITE, rule->site) ||
	    nla_put_u32(reply, SCOPE_ATTR_DELAY_SYSCALL, rule->nr) ||
	    nla_put_u32(reply, SCOPE_ATTR_DELAY_FLAGS, rule->flags) ||
	    nla_put_u32(reply, SCOPE_ATTR_DELAY_PROBABILITY, rule->probability))
		return -EMSGSIZE;
	if (*rule->name &&
	    nla_put_string(reply, rule->site == SCOPE_DELAY_USER ? SCOPE_ATTR_PROBE_PATH : SCOPE_ATTR_PROBE_SYMBOL,
			   rule->name))
		return -EMSGSIZE;
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (nla_put_u64_64bit(reply, rows[i].name, rows[i].value, SCOPE_ATTR_PAD))
			return -EMSGSIZE;
	return 0;
}

int scope_netlink_delay_next(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *id = info->attrs[SCOPE_ATTR_DELAY_ID];
	struct scope_delay_info *rule = kmalloc(sizeof(*rule), GFP_KERNEL);
	int err;

	if (!rule)
		return -ENOMEM;
	err = scope_delay_next(scope_netlink_session(info), id ? nla_get_u32(id) : 0, rule);
	if (err)
		NL_SET_ERR_MSG(info->extack, "the session has no more delay rules");
	else
		err = scope_netlink_reply(info, SCOPE_CMD_DELAY_NEXT, sizeof(*rule) + 512, put_rule, rule);
	kfree(rule);
	return err;
}
