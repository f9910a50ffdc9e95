// SPDX-License-Identifier: GPL-2.0-only
/* Checks the form of control messages, and finds the processes and threads that their targets name. */
#include <linux/bitmap.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <net/netlink.h>
#include "cgroup.h"
#include "parse.h"
#include "probe.h"

static int bytes_of(const struct nla_policy *policy)
{
	switch (policy->type) {
	case NLA_U8:
		return 1;
	case NLA_U32:
		return 4;
	case NLA_U64:
		return 8;
	case NLA_FLAG:
		return 0;
	default:
		return scope_compat_exact_bytes(policy);
	}
}

/* Before 5.10 the kernel does not see the policy of a command, and leaves this to the module. */
static bool has_end(const struct nla_policy *policy, const struct nlattr *attribute)
{
	return policy->type != NLA_NUL_STRING ||
	       (nla_len(attribute) <= policy->len + 1 && memchr(nla_data(attribute), 0, nla_len(attribute)));
}

/*
 * Checks what the kernel's own policies permit: an attribute that occurs twice (the kernel takes the last one), and
 * on old kernels unknown attributes and those that are too long.
 */
int scope_parse_check(struct genl_info *info, const struct nla_policy *policy, int max)
{
	DECLARE_BITMAP(seen, SCOPE_ATTR_MAX + 1) = { 0 };
	struct nlattr *attribute;
	int rest, type, bytes;

	nlmsg_for_each_attr(attribute, info->nlhdr, GENL_HDRLEN, rest) {
		type = nla_type(attribute);
		if (type < 1 || type > max || type > SCOPE_ATTR_MAX || !policy[type].type)
			return REFUSE(info, attribute, -EINVAL, "the command does not take this attribute");
		bytes = bytes_of(&policy[type]);
		if (bytes >= 0 && nla_len(attribute) != bytes)
			return REFUSE(info, attribute, -EINVAL, "the attribute has another length than its type");
		if (!has_end(&policy[type], attribute))
			return REFUSE(info, attribute, -EINVAL, "the text is too long, or does not end");
		if (test_and_set_bit(type, seen))
			return REFUSE(info, attribute, -EINVAL, "the attribute is in the message twice");
	}
	if (rest)
		return REFUSE_ALL(info, -EINVAL, "the message ends within an attribute");
	return 0;
}

/* The number is one of the caller's PID namespace; for a process, that of any of its threads. */
static int parse_task(struct genl_info *info, struct nlattr *attribute, struct scope_target *target)
{
	bool process = target->kind == SCOPE_ATTR_TARGET;
	struct task_struct *task;
	int err = 0;

	if (nla_len(attribute) != sizeof(u32))
		return REFUSE(info, attribute, -EINVAL, "TARGET and THREAD are u32: a number");
	rcu_read_lock();
	task = pid_task(find_vpid(nla_get_u32(attribute)), PIDTYPE_PID);
	if (!task || !(process ? atomic_read(&task->signal->live) : !task->exit_state))
		err = REFUSE(info, attribute, -ESRCH,
			     "TARGET, THREAD: nothing with this number lives in the caller's pid "
			     "namespace");
	else if (task->flags & PF_KTHREAD)
		err = REFUSE(info, attribute, -EINVAL,
			     "TARGET, THREAD: a kernel thread, which has no program to look at");
	else
		target->id = process ? task->tgid : task->pid;
	rcu_read_unlock();
	return err;
}

static int parse_comm(struct genl_info *info, struct nlattr *attribute, struct scope_target *target)
{
	int bytes = nla_len(attribute);
	const char *text = nla_data(attribute);

	if (bytes && !text[bytes - 1])
		bytes--;
	if (bytes < 1 || bytes >= SCOPE_COMM_BYTES || memchr(text, 0, bytes))
		return REFUSE(info, attribute, -EINVAL,
			      "COMM and COMM_PREFIX hold 1 to 15 bytes, as /proc/PID/comm has them");
	memcpy(target->comm, text, bytes);
	return 0;
}

static int parse_cgroup(struct genl_info *info, struct nlattr *attribute, struct scope_target *target)
{
	struct nlattr *part;
	int rest;

	nla_for_each_nested(part, attribute, rest) {
		if (nla_type(part) == SCOPE_ATTR_CGROUP_ID && nla_len(part) == sizeof(u64))
			target->cgroup = nla_get_u64(part);
		else if (nla_type(part) == SCOPE_ATTR_CGROUP_HIERARCHY && nla_len(part) == sizeof(u32))
			target->id = nla_get_u32(part);
		else if (nla_type(part) != SCOPE_ATTR_PAD)
			return REFUSE(info, part, -EINVAL, "CGROUP holds u64 CGROUP_ID and u32 CGROUP_HIERARCHY alone");
	}
	if (!target->cgroup || rest)
		return REFUSE(info, attribute, -EINVAL,
			      "CGROUP holds no CGROUP_ID, the inode number of the group's directory");
	if (!SCOPE_COMPAT_CGROUPS || !scope_probe_selects(SCOPE_SELECT_CGROUP))
		return REFUSE(info, attribute, -EOPNOTSUPP,
			      "CGROUP: this kernel does not show which threads are in a control group: name the "
			      "processes of its cgroup.procs as TARGETs, with FOLLOW");
	return 0;
}

static int parse_target(struct genl_info *info, struct nlattr *attribute, struct scope_target *ret_target)
{
	struct scope_target target = { .kind = nla_type(attribute) };
	int err;

	switch (target.kind) {
	case SCOPE_ATTR_TARGET:
	case SCOPE_ATTR_THREAD:
		err = parse_task(info, attribute, &target);
		break;
	case SCOPE_ATTR_COMM:
	case SCOPE_ATTR_COMM_PREFIX:
		err = parse_comm(info, attribute, &target);
		break;
	case SCOPE_ATTR_CGROUP:
		err = parse_cgroup(info, attribute, &target);
		break;
	default:
		return REFUSE(info, attribute, -EINVAL,
			      "TARGETS and REMOVE hold TARGET, THREAD, COMM, COMM_PREFIX and CGROUP "
			      "alone");
	}
	if (!err)
		*ret_target = target;
	return err;
}

/* If the attribute is missing there are none. The caller frees them with kvfree(). */
int scope_parse_targets(struct genl_info *info, enum scope_attr name, struct scope_target **ret_targets, u32 *ret_count)
{
	struct nlattr *targets = info->attrs[name], *attribute;
	struct scope_target *target;
	u32 count = 0;
	int rest, err = 0;

	if (!targets)
		return 0;
	target = kvmalloc_array(SCOPE_TARGET_MAX, sizeof(*target), GFP_KERNEL);
	if (!target)
		return -ENOMEM;
	nla_for_each_nested(attribute, targets, rest) {
		if (count == SCOPE_TARGET_MAX)
			err = REFUSE(info, attribute, -EINVAL, "TARGETS, REMOVE: at most 256 in one message");
		else
			err = parse_target(info, attribute, &target[count]);
		if (err)
			break;
		count++;
	}
	if (!err && (!count || rest))
		err = REFUSE(info, targets, -EINVAL, "TARGETS, REMOVE: empty, or ends within an attribute");
	if (err) {
		kvfree(target);
		return err;
	}
	*ret_targets = target;
	*ret_count = count;
	return 0;
}

struct nlattr *scope_parse_nth(struct genl_info *info, u32 index)
{
	static const enum scope_attr names[] = { SCOPE_ATTR_REMOVE, SCOPE_ATTR_TARGETS };
	struct nlattr *attribute;
	int rest;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!info->attrs[names[i]])
			continue;
		nla_for_each_nested(attribute, info->attrs[names[i]], rest)
			if (!index--)
				return attribute;
	}
	return NULL;
}
