// SPDX-License-Identifier: GPL-2.0-only
/* Reads the attributes of CONFIGURE into a session's configuration, or reports what is wrong with them. */
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/stringify.h>
#include <net/netlink.h>
#include <scope/table.h>
#include "arch.h"
#include "change.h"
#include "configure.h"
#include "probe.h"
#include "parse.h"

static void get_u32(struct genl_info *info, enum scope_attr name, u32 *value)
{
	if (info->attrs[name])
		*value = nla_get_u32(info->attrs[name]);
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
	get_u32(info, SCOPE_ATTR_OVERHEAD_MAX, &config->overhead_max);
	if (config->overhead_max > 1000)
		return REFUSE(info, info->attrs[SCOPE_ATTR_OVERHEAD_MAX], -EINVAL,
			      "OVERHEAD_MAX is in thousandths of a CPU, 0 to 1000");
	return 0;
}

static int parse_stack_mode(struct genl_info *info, struct scope_config *config)
{
	struct nlattr *mode = info->attrs[SCOPE_ATTR_STACK_MODE];

	if (mode)
		config->stack_mode = nla_get_u8(mode);
	if (config->stack_mode > SCOPE_STACK_TABLES)
		return REFUSE(info, mode, -EINVAL, "STACK_MODE is 0 (none), 1 (chain), 2 (copy) or 3 (tables)");
	get_u32(info, SCOPE_ATTR_SAMPLE_PERIOD_NS, &config->sample_period_ns);
	if (config->sample_period_ns && config->sample_period_ns < SCOPE_SAMPLE_PERIOD_MIN_NS)
		return REFUSE(info, info->attrs[SCOPE_ATTR_SAMPLE_PERIOD_NS], -EINVAL,
			      "SAMPLE_PERIOD_NS is 0 or at least 200,000");
	if (config->sample_period_ns && !config->stack_mode)
		return REFUSE(info, info->attrs[SCOPE_ATTR_SAMPLE_PERIOD_NS], -EINVAL,
			      "SAMPLE_PERIOD_NS needs a STACK_MODE: samples are stacks");
	return 0;
}

static void parse_kernel_base(struct genl_info *info, struct scope_config *config)
{
	struct nlattr *base = info->attrs[SCOPE_ATTR_KERNEL_BASE];

	config->kernel_ips = base;
	config->kernel_base = base ? nla_get_u64(base) : 0;
}

/* After parse_rings(): a stack must fit a sub-buffer, with an address of the kernel. */
static int parse_stacks(struct genl_info *info, struct scope_config *config)
{
	struct nlattr *bytes = info->attrs[SCOPE_ATTR_STACK_BYTES];
	int err = parse_stack_mode(info, config);

	if (err)
		return err;
	get_u32(info, SCOPE_ATTR_STACK_BYTES, &config->stack_bytes);
	if (config->stack_bytes % 8 || config->stack_bytes > SCOPE_STACK_BYTES_MAX)
		return REFUSE(info, bytes, -EINVAL, "STACK_BYTES is a multiple of 8 and at most 32768");
	if (config->stack_mode >= SCOPE_STACK_COPY &&
	    sizeof(struct scope_subbuf) + sizeof(struct scope_record_stack) + SCOPE_ARCH_REGS * 8 +
			    (config->kernel_ips ? sizeof(u64) : 0) + config->stack_bytes >
		    config->subbuf_bytes)
		return REFUSE(info, bytes, -EINVAL,
			      "STACK_BYTES does not fit: make it smaller, or SUBBUF_BYTES larger");
	get_u32(info, SCOPE_ATTR_STACK_MIN_NS, &config->stack_min_ns);
	get_u32(info, SCOPE_ATTR_STACKS_PER_SECOND, &config->stacks_per_second);
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
			      "EVENTS: this kernel lacks tracepoints of block requests, reclaim or interrupts, "
			      "or they are of a form this module does not know");
	config->follow = nla_get_flag(info->attrs[SCOPE_ATTR_FOLLOW]);
	if (!counts)
		return 0;
	nla_memcpy(config->arg_counts, counts, sizeof(config->arg_counts));
	for (i = 0; i < SCOPE_SYSCALL_MAX; i++)
		if (config->arg_counts[i] > SCOPE_ARG_MAX)
			return REFUSE(info, counts, -EINVAL, "ARG_COUNTS: a call has at most 6 arguments");
	return 0;
}

static int check_protocol(struct genl_info *info, struct scope_config *config)
{
	struct nlattr *protocol = info->attrs[SCOPE_ATTR_PROTOCOL];

	if (!protocol) {
		NL_SET_ERR_MSG(info->extack, "PROTOCOL is missing");
		return -EINVAL;
	}
	config->protocol = nla_get_u32(protocol);
	if (config->protocol < SCOPE_PROTOCOL_MIN || config->protocol > SCOPE_PROTOCOL)
		return REFUSE(info, protocol, -EPROTO,
			      "PROTOCOL: this module speaks " __stringify(SCOPE_PROTOCOL_MIN) " to " __stringify(
				      SCOPE_PROTOCOL) ": install program and module of one release");
	if (config->protocol < 3 && config->events & ~(SCOPE_EVENTS_DEFAULT | SCOPE_EVENTS_BLOCK))
		return REFUSE(info, info->attrs[SCOPE_ATTR_EVENTS], -EINVAL,
			      "EVENTS: counters, memory stalls and interrupts need PROTOCOL 3");
	if (config->protocol < 2 && config->events & ~SCOPE_EVENTS_DEFAULT)
		return REFUSE(info, info->attrs[SCOPE_ATTR_EVENTS], -EINVAL, "EVENTS: block requests need PROTOCOL 2");
	return 0;
}

static int parse_syscalls(struct genl_info *info, const u8 **ret_bits)
{
	struct nlattr *bits = info->attrs[SCOPE_ATTR_SYSCALLS];

	if (bits && nla_len(bits) != SCOPE_SYSCALL_MAX / 8)
		return REFUSE(info, bits, -EINVAL, "SYSCALLS has 64 bytes, a bit for each number");
	*ret_bits = bits ? nla_data(bits) : NULL;
	return 0;
}

static int parse(struct genl_info *info, struct scope_config *config)
{
	const u8 *syscalls = NULL;
	int err;

	config->events = SCOPE_EVENTS_DEFAULT;
	config->subbuf_bytes = SCOPE_SUBBUF_BYTES_DEFAULT;
	config->subbuf_count = SCOPE_SUBBUF_COUNT_DEFAULT;
	config->overhead_max = SCOPE_OVERHEAD_MAX_DEFAULT;
	config->stack_bytes = SCOPE_STACK_BYTES_DEFAULT;
	config->stacks_per_second = SCOPE_STACKS_PER_SECOND_DEFAULT;
	memset(config->stack_syscalls, 0xff, sizeof(config->stack_syscalls));
	err = parse_events(info, config);
	if (!err)
		err = check_protocol(info, config);
	parse_kernel_base(info, config);
	if (!err)
		err = parse_rings(info, config);
	if (!err)
		err = parse_stacks(info, config);
	if (!err)
		err = parse_syscalls(info, &syscalls);
	if (!err && syscalls)
		scope_session_set_syscalls(config, syscalls);
	return err;
}

/* Threads can leave other kinds of selections and live on, which readers of protocol 1 do not know. */
static int check_kinds(struct genl_info *info, u32 protocol, const struct scope_target *targets, u32 count)
{
	u32 i;

	for (i = 0; i < count && protocol < 2; i++)
		if (targets[i].kind != SCOPE_ATTR_TARGET)
			return REFUSE(info, scope_parse_nth(info, i), -EPROTO,
				      "TARGETS: all but TARGET need PROTOCOL 2");
	return 0;
}

/* Call it without a lock held. 0, or -errno with the reason in the extended acknowledgement. */
int scope_configure(struct scope_session *session, struct genl_info *info)
{
	struct scope_config *config = kzalloc(sizeof(*config), GFP_KERNEL);
	struct scope_target *targets = NULL;
	u32 count = 0, failed = 0;
	int err = -ENOMEM;

	if (!config)
		return err;
	err = parse(info, config);
	if (!err)
		err = scope_parse_targets(info, SCOPE_ATTR_TARGETS, &targets, &count);
	if (!err && !count)
		err = REFUSE_ALL(info, -EINVAL, "TARGETS is missing: it names whom to trace");
	if (!err)
		err = check_kinds(info, config->protocol, targets, count);
	if (!err)
		err = scope_session_configure(session, config, targets, count, &failed);
	if (err == -EBUSY)
		REFUSE_ALL(info, err, "the session is configured already");
	else if (err == -E2BIG)
		err = REFUSE(info, info->attrs[SCOPE_ATTR_SUBBUF_COUNT], -ENOMEM,
			     "SUBBUF_BYTES times SUBBUF_COUNT times CPUs is, with the rings of other "
			     "sessions, over half of what is free");
	else if (err == -ENOMEM)
		err = REFUSE(info, info->attrs[SCOPE_ATTR_SUBBUF_COUNT], -ENOMEM,
			     "SUBBUF_BYTES times SUBBUF_COUNT times CPUs is more than this host, or the "
			     "caller's control group, has memory for");
	else if (err == -ENOSPC)
		scope_parse_refuse_nth(info, failed, SCOPE_NO_ROOM);
	kvfree(targets);
	kfree(config);
	return err;
}

/* As scope_configure(), for a message that changes which processes, threads and calls a session traces. */
int scope_configure_change(struct scope_session *session, struct genl_info *info)
{
	struct scope_target *add = NULL, *remove = NULL;
	struct scope_change change = { 0 };
	u32 failed = 0;
	int err;

	err = parse_syscalls(info, &change.syscalls);
	if (!err)
		err = scope_parse_targets(info, SCOPE_ATTR_REMOVE, &remove, &change.removes);
	if (!err)
		err = scope_parse_targets(info, SCOPE_ATTR_TARGETS, &add, &change.adds);
	if (!err && !change.adds && !change.removes && !change.syscalls)
		err = REFUSE_ALL(info, -EINVAL, "TARGETS, REMOVE or SYSCALLS is needed");
	if (!err) {
		change.add = add;
		change.remove = remove;
		err = scope_session_change(session, &change, &failed);
		if (err == -EINVAL)
			REFUSE_ALL(info, err, "the session is not configured yet");
		else if (err == -EPROTO)
			REFUSE_ALL(info, err, "FILTER needs a session of PROTOCOL 2");
		else if (err == -ESHUTDOWN)
			REFUSE_ALL(info, err, "the session was stopped: open a new one");
		else if (err == -ENOENT)
			scope_parse_refuse_nth(info, failed, "REMOVE: this was not named before");
		else if (err == -ENOSPC)
			scope_parse_refuse_nth(info, failed, SCOPE_NO_ROOM);
	}
	kvfree(add);
	kvfree(remove);
	return err;
}

static int compare_tids(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

/* Tids are those of the caller's namespace. No tids: *ret_threads is NULL, for all threads. */
/* NULL: none are named. The caller frees *ret_threads with kvfree(). */
int scope_configure_threads(struct genl_info *info, struct nlattr *attribute, struct scope_threads **ret_threads)
{
	u32 count = nla_len(attribute) / sizeof(u32), i;
	struct scope_threads *threads;
	struct task_struct *task;

	if (nla_len(attribute) % sizeof(u32) || count > SCOPE_STACK_THREADS_MAX)
		return REFUSE(info, attribute, -EINVAL, "threads are up to 1024 numbers of 4 bytes");
	*ret_threads = NULL;
	if (!count)
		return 0;
	threads = kvzalloc(sizeof(*threads) + count * sizeof(u32), GFP_KERNEL);
	if (!threads)
		return -ENOMEM;
	rcu_read_lock();
	for (i = 0; i < count; i++) {
		task = pid_task(find_vpid(((u32 *)nla_data(attribute))[i]), PIDTYPE_PID);
		if (task)
			threads->tid[threads->count++] = task->pid;
	}
	rcu_read_unlock();
	sort(threads->tid, threads->count, sizeof(u32), compare_tids, NULL);
	*ret_threads = threads;
	return 0;
}

/* STACKS: settings that it does not name stay as they are. */
int scope_configure_stacks(struct scope_session *session, struct genl_info *info)
{
	struct scope_config *config = kmalloc(sizeof(*config), GFP_KERNEL);
	bool threads_given = info->attrs[SCOPE_ATTR_STACK_THREADS];
	struct scope_threads *threads = NULL;
	int err = config ? 0 : -ENOMEM;

	if (!err && threads_given)
		err = scope_configure_threads(info, info->attrs[SCOPE_ATTR_STACK_THREADS], &threads);
	if (err)
		goto out;
	mutex_lock(&session->lock);
	*config = session->config;
	err = scope_session_configured(session) ? parse_stacks(info, config) : 0;
	if (err)
		kvfree(threads);
	else
		err = scope_session_set_stacks(session, config, threads, threads_given);
	mutex_unlock(&session->lock);
	if (err == -ESHUTDOWN)
		REFUSE_ALL(info, err, "the session was stopped: open a new one");
out:
	kfree(config);
	return err;
}
