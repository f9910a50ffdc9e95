// SPDX-License-Identifier: GPL-2.0-only
/* Reads the attributes of CONFIGURE into a session's configuration, or says what is wrong there. */
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include "arch.h"
#include "configure.h"
#include "probe.h"

static void get_u32(struct genl_info *info, enum scope_attr name, u32 *value)
{
	if (info->attrs[name])
		*value = nla_get_u32(info->attrs[name]);
}

/* A host short of memory is not made shorter of it. */
static int check_memory(struct genl_info *info, const struct scope_config *config)
{
	u64 want = (u64)config->subbuf_bytes * config->subbuf_count * num_online_cpus();
	u64 free = (u64)si_mem_available() << PAGE_SHIFT;

	if (want <= free / 2)
		return 0;
#ifdef NL_SET_ERR_MSG_FMT
	NL_SET_ERR_MSG_FMT(info->extack, "rings take %llu MiB, half of the %llu MiB free is the most",
			   want >> 20, free >> 20);
	NL_SET_BAD_ATTR(info->extack, info->attrs[SCOPE_ATTR_SUBBUF_COUNT]);
	return -ENOMEM;
#else /* before 6.2 a message is a constant */
	return REFUSE(info, info->attrs[SCOPE_ATTR_SUBBUF_COUNT], -ENOMEM,
		      "SUBBUF_BYTES times SUBBUF_COUNT times CPUs is over half of what is free");
#endif
}

static int parse_rings(struct genl_info *info, struct scope_config *config)
{
	struct nlattr *mode = info->attrs[SCOPE_ATTR_RING_MODE];

	if (mode && nla_get_u8(mode) > SCOPE_RING_FLIGHT)
		return REFUSE(info, mode, -EINVAL, "RING_MODE is 0 (stream) or 1 (flight)");
	config->flight = mode && nla_get_u8(mode) == SCOPE_RING_FLIGHT;
	get_u32(info, SCOPE_ATTR_SUBBUF_BYTES, &config->subbuf_bytes);
	get_u32(info, SCOPE_ATTR_SUBBUF_COUNT, &config->subbuf_count);
	if (!is_power_of_2(config->subbuf_bytes) || config->subbuf_bytes < SCOPE_SUBBUF_BYTES_MIN ||
	    config->subbuf_bytes > SCOPE_SUBBUF_BYTES_MAX || config->subbuf_bytes % PAGE_SIZE)
		return REFUSE(info, info->attrs[SCOPE_ATTR_SUBBUF_BYTES], -EINVAL,
			      "SUBBUF_BYTES is a power of two from 4 KiB (or a page) to 4 MiB");
	if (!is_power_of_2(config->subbuf_count) || config->subbuf_count < SCOPE_SUBBUF_COUNT_MIN ||
	    config->subbuf_count > SCOPE_SUBBUF_COUNT_MAX)
		return REFUSE(info, info->attrs[SCOPE_ATTR_SUBBUF_COUNT], -EINVAL,
			      "SUBBUF_COUNT is a power of two from 2 to 1024");
	return check_memory(info, config);
}

static int parse_stack_mode(struct genl_info *info, struct scope_config *config)
{
	struct nlattr *mode = info->attrs[SCOPE_ATTR_STACK_MODE];

	if (mode)
		config->stack_mode = nla_get_u8(mode);
	if (config->stack_mode > SCOPE_STACK_COPY)
		return REFUSE(info, mode, -EINVAL, "STACK_MODE is 0 (none), 1 (chain) or 2 (copy)");
	get_u32(info, SCOPE_ATTR_SAMPLE_PERIOD_NS, &config->sample_period_ns);
	if (config->sample_period_ns && config->sample_period_ns < SCOPE_SAMPLE_PERIOD_MIN_NS)
		return REFUSE(info, info->attrs[SCOPE_ATTR_SAMPLE_PERIOD_NS], -EINVAL,
			      "SAMPLE_PERIOD_NS is 0 or at least 200,000");
	if (config->sample_period_ns && !config->stack_mode)
		return REFUSE(info, info->attrs[SCOPE_ATTR_SAMPLE_PERIOD_NS], -EINVAL,
			      "SAMPLE_PERIOD_NS needs a STACK_MODE: samples are stacks");
	return 0;
}

/* Behind parse_rings(): a stack must fit a sub-buffer. */
static int parse_stacks(struct genl_info *info, struct scope_config *config)
{
	struct nlattr *bytes = info->attrs[SCOPE_ATTR_STACK_BYTES];
	int err = parse_stack_mode(info, config);

	if (err)
		return err;
	get_u32(info, SCOPE_ATTR_STACK_BYTES, &config->stack_bytes);
	if (config->stack_bytes % 8 || config->stack_bytes > SCOPE_STACK_BYTES_MAX)
		return REFUSE(info, bytes, -EINVAL,
			      "STACK_BYTES is a multiple of 8 and at most 32768");
	if (config->stack_mode == SCOPE_STACK_COPY &&
	    sizeof(struct scope_subbuf) + sizeof(struct scope_record_stack) + SCOPE_ARCH_REGS * 8 +
	    config->stack_bytes > config->subbuf_bytes)
		return REFUSE(info, bytes, -EINVAL,
			      "STACK_BYTES does not fit: make it smaller, or SUBBUF_BYTES larger");
	get_u32(info, SCOPE_ATTR_STACK_MIN_NS, &config->stack_min_ns);
	get_u32(info, SCOPE_ATTR_STACKS_PER_SECOND, &config->stacks_per_second);
	memset(config->stack_syscalls, 0xff, sizeof(config->stack_syscalls));
	if (info->attrs[SCOPE_ATTR_STACK_SYSCALLS])
		nla_memcpy(config->stack_syscalls, info->attrs[SCOPE_ATTR_STACK_SYSCALLS],
			   sizeof(config->stack_syscalls));
	return 0;
}

static int parse_events(struct genl_info *info, struct scope_config *config)
{
	struct nlattr *counts = info->attrs[SCOPE_ATTR_ARG_COUNTS];
	int i;

	get_u32(info, SCOPE_ATTR_EVENTS, &config->events);
	if (config->events & ~SCOPE_EVENTS_ALL)
		return REFUSE(info, info->attrs[SCOPE_ATTR_EVENTS], -EINVAL,
			      "EVENTS has a bit this module does not know");
	if (config->events & ~scope_probe_events())
		return REFUSE(info, info->attrs[SCOPE_ATTR_EVENTS], -EOPNOTSUPP,
			      "EVENTS: this kernel has no tracepoints of block requests, or they are "
			      "of a form this module does not know");
	config->follow = nla_get_flag(info->attrs[SCOPE_ATTR_FOLLOW]);
	if (!counts)
		return 0;
	nla_memcpy(config->arg_counts, counts, sizeof(config->arg_counts));
	for (i = 0; i < SCOPE_SYSCALL_MAX; i++)
		if (config->arg_counts[i] > SCOPE_ARG_MAX)
			return REFUSE(info, counts, -EINVAL,
				      "ARG_COUNTS: a call has at most 6 arguments");
	return 0;
}

/* The pid is one of the caller's namespace, and may be that of any thread of the process. */
static int target_tgid(struct genl_info *info, struct nlattr *attribute, u32 *ret_tgid)
{
	struct task_struct *task;
	int err = 0;

	rcu_read_lock();
	task = pid_task(find_vpid(nla_get_u32(attribute)), PIDTYPE_PID);
	if (!task || !atomic_read(&task->signal->live))
		err = REFUSE(info, attribute, -ESRCH, "TARGET: there is no such process");
	else if (task->flags & PF_KTHREAD)
		err = REFUSE(info, attribute, -EINVAL, "TARGET is a kernel thread");
	else
		*ret_tgid = task->tgid;
	rcu_read_unlock();
	return err;
}

static int parse_targets(struct genl_info *info, u32 *tgids, u32 *ret_count)
{
	struct nlattr *targets = info->attrs[SCOPE_ATTR_TARGETS], *attribute;
	u32 count = 0;
	int rest, err;

	if (!targets) {
		NL_SET_ERR_MSG(info->extack, "TARGETS is missing");
		return -EINVAL;
	}
	nla_for_each_nested(attribute, targets, rest) {
		if (nla_type(attribute) != SCOPE_ATTR_TARGET || nla_len(attribute) != sizeof(u32))
			return REFUSE(info, attribute, -EINVAL, "TARGETS holds u32 TARGET alone");
		if (count == SCOPE_TARGET_MAX)
			return REFUSE(info, attribute, -EINVAL, "TARGETS: at most 256 processes");
		err = target_tgid(info, attribute, &tgids[count]);
		if (err)
			return err;
		count++;
	}
	if (!count || rest)
		return REFUSE(info, targets, -EINVAL, "TARGETS holds no process, or is cut short");
	*ret_count = count;
	return 0;
}

static int check_protocol(struct genl_info *info)
{
	struct nlattr *protocol = info->attrs[SCOPE_ATTR_PROTOCOL];

	if (!protocol) {
		NL_SET_ERR_MSG(info->extack, "PROTOCOL is missing");
		return -EINVAL;
	}
	if (nla_get_u32(protocol) != SCOPE_PROTOCOL)
		return REFUSE(info, protocol, -EPROTO,
			      "PROTOCOL: module and program differ, install both from one release");
	return 0;
}

/* Under no lock. 0, or -errno with the reason in the extended acknowledgement. */
int scope_configure(struct scope_session *session, struct genl_info *info)
{
	struct scope_config *config = kzalloc(sizeof(*config), GFP_KERNEL);
	u32 *tgids = kmalloc_array(SCOPE_TARGET_MAX, sizeof(*tgids), GFP_KERNEL);
	u32 count = 0;
	int err = -ENOMEM;

	if (!config || !tgids)
		goto out;
	config->events = SCOPE_EVENTS_DEFAULT;
	config->subbuf_bytes = SCOPE_SUBBUF_BYTES_DEFAULT;
	config->subbuf_count = SCOPE_SUBBUF_COUNT_DEFAULT;
	config->stack_bytes = SCOPE_STACK_BYTES_DEFAULT;
	config->stacks_per_second = SCOPE_STACKS_PER_SECOND_DEFAULT;
	err = check_protocol(info);
	if (!err)
		err = parse_rings(info, config);
	if (!err)
		err = parse_stacks(info, config);
	if (!err)
		err = parse_events(info, config);
	if (!err)
		err = parse_targets(info, tgids, &count);
	if (!err)
		err = scope_session_configure(session, config, tgids, count);
out:
	kfree(tgids);
	kfree(config);
	return err;
}
