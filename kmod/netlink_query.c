// SPDX-License-Identifier: GPL-2.0-only
/* The control messages that query the module, and a session and its CPUs. */
#include <linux/pid.h>
#include <linux/timekeeping.h>
#include "arch.h"
#include "lifetime.h"
#include "measure.h"
#include "netlink_query.h"
#include "netlink_reply.h"
#include "region.h"
#include "selftest.h"

#define CPUS_MAX 200 /* in one answer: a netlink attribute's length has 16 bits */
#define CPU_BYTES 256
#define SESSIONS_MAX 64

const struct nla_policy scope_netlink_query_policy[SCOPE_ATTR_CPU_FIRST + 1] = {
	[SCOPE_ATTR_SESSION] = { .type = NLA_U32 },
	[SCOPE_ATTR_CPU_FIRST] = { .type = NLA_U32 },
};

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

/* CPUs that were online at some time, from first on. */
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

	bytes += atomic64_read(&session->table_bytes);
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
	    nla_put_u8(reply, SCOPE_ATTR_RING_MODE, session->config.flight ? SCOPE_RING_FLIGHT : SCOPE_RING_STREAM) ||
	    nla_put_u32(reply, SCOPE_ATTR_OVERHEAD_MAX, session->config.overhead_max) ||
	    nla_put_u32(reply, SCOPE_ATTR_CPU_ID, session->guard_cpu) ||
	    nla_put_u32(reply, SCOPE_ATTR_OVERHEAD, session->guard_share) ||
	    nla_put_u32(reply, SCOPE_ATTR_OWNER, pid_vnr(session->owner)) ||
	    nla_put_u32(reply, SCOPE_ATTR_PROCESSES, atomic_read(&session->filter.count)) ||
	    nla_put_u32(reply, SCOPE_ATTR_THREADS, atomic_read(&session->filter.threads)))
		return -EMSGSIZE;
	return put_cpus(reply, session, query->first);
}

int scope_netlink_query(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *first = info->attrs[SCOPE_ATTR_CPU_FIRST];
	struct query query = { scope_netlink_session(info), first ? nla_get_u32(first) : 0 };

	return scope_netlink_reply(info, SCOPE_CMD_QUERY, 512 + min(num_possible_cpus(), CPUS_MAX + 0u) * CPU_BYTES,
				   put_session, &query);
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

int scope_netlink_info(struct sk_buff *skb, struct genl_info *info)
{
	return scope_netlink_reply(info, SCOPE_CMD_INFO, 1024, put_info, NULL);
}
