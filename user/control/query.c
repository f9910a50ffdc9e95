// SPDX-License-Identifier: GPL-2.0-only
/* Reads the counts of a session, from as many answers as its CPUs need. */
#include "control/control.h"
#include "control/message.h"

#include <errno.h>
#include <stdlib.h>

#include <netlink/attr.h>
#include <netlink/msg.h>

static int parse_cpu(struct nlattr *nest, struct scope_session_status *status)
{
	struct scope_session_counts *cpu = &status->cpu[status->cpus];
	struct nlattr *attr[SCOPE_ATTR_MAX + 1];
	int i;

	if (nla_parse_nested(attr, SCOPE_ATTR_MAX, nest, NULL) < 0)
		return -EBADMSG;
	cpu->cpu = (uint32_t)scope_control_reply_number(attr[SCOPE_ATTR_CPU_ID]);
	cpu->records = scope_control_reply_number(attr[SCOPE_ATTR_RECORDS]);
	cpu->lost[SCOPE_LOST_FULL] = scope_control_reply_number(attr[SCOPE_ATTR_LOST_FULL]);
	cpu->lost[SCOPE_LOST_NESTED] = scope_control_reply_number(attr[SCOPE_ATTR_LOST_NESTED]);
	cpu->lost[SCOPE_LOST_TOO_BIG] = scope_control_reply_number(attr[SCOPE_ATTR_LOST_TOO_BIG]);
	cpu->stacks = scope_control_reply_number(attr[SCOPE_ATTR_STACKS]);
	cpu->stacks_skipped = scope_control_reply_number(attr[SCOPE_ATTR_STACKS_SKIPPED]);
	cpu->overwritten = scope_control_reply_number(attr[SCOPE_ATTR_OVERWRITTEN]);
	cpu->probe_ns = scope_control_reply_number(attr[SCOPE_ATTR_PROBE_NS]);
	status->total.records += cpu->records;
	status->total.stacks += cpu->stacks;
	status->total.stacks_skipped += cpu->stacks_skipped;
	status->total.overwritten += cpu->overwritten;
	status->total.probe_ns += cpu->probe_ns;
	for (i = 0; i < SCOPE_LOST_REASONS; i++)
		status->total.lost[i] += cpu->lost[i];
	status->cpus++;
	return 0;
}

struct query {
	struct scope_session_status status;
	uint32_t next; /* the next answer starts at this CPU; 0: this was the last answer */
};

static int parse_cpus(struct nlattr *cpus, struct scope_session_status *status)
{
	struct scope_session_counts *larger;
	struct nlattr *nest;
	size_t count = 0;
	int left, err = 0;

	nla_for_each_nested(nest, cpus, left)
		count++;
	larger = realloc(status->cpu, (status->cpus + count + 1) * sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	status->cpu = larger;
	nla_for_each_nested(nest, cpus, left)
		if (!err)
			err = parse_cpu(nest, status);
	return err;
}

static int parse_query(struct nlattr **attr, void *result)
{
	struct query *query = result;
	struct scope_session_status *status = &query->status;

	status->session = (uint32_t)scope_control_reply_number(attr[SCOPE_ATTR_SESSION]);
	status->run_state = (enum scope_run_state)scope_control_reply_number(attr[SCOPE_ATTR_RUN_STATE]);
	status->memory_bytes = scope_control_reply_number(attr[SCOPE_ATTR_MEMORY_BYTES]);
	status->processes = (uint32_t)scope_control_reply_number(attr[SCOPE_ATTR_PROCESSES]);
	status->threads = (uint32_t)scope_control_reply_number(attr[SCOPE_ATTR_THREADS]);
	status->filter_full = scope_control_reply_number(attr[SCOPE_ATTR_FILTER_FULL]);
	status->ring_mode = (enum scope_ring_mode)scope_control_reply_number(attr[SCOPE_ATTR_RING_MODE]);
	status->stop_reason = (enum scope_stop_reason)scope_control_reply_number(attr[SCOPE_ATTR_STOP_REASON]);
	status->overhead_max = (uint32_t)scope_control_reply_number(attr[SCOPE_ATTR_OVERHEAD_MAX]);
	status->guard_cpu = (uint32_t)scope_control_reply_number(attr[SCOPE_ATTR_CPU_ID]);
	status->guard_share = (uint32_t)scope_control_reply_number(attr[SCOPE_ATTR_OVERHEAD]);
	status->owner = (uint32_t)scope_control_reply_number(attr[SCOPE_ATTR_OWNER]);
	status->run_ns = scope_control_reply_number(attr[SCOPE_ATTR_RUN_NS]);
	query->next = (uint32_t)scope_control_reply_number(attr[SCOPE_ATTR_CPU_NEXT]);
	return attr[SCOPE_ATTR_CPUS] ? parse_cpus(attr[SCOPE_ATTR_CPUS], status) : 0;
}

/*
 * One answer has the counts of a limited number of CPUs, and the CPU at which the next answer starts, which is always
 * higher.
 */
int scope_control_query(struct scope_control *control, uint32_t session, struct scope_error *error,
			struct scope_session_status *ret_status)
{
	struct query query = { 0 };
	struct nl_msg *message;
	uint32_t first = 0;
	int err;

	do {
		struct scope_reply reply = { .parse = parse_query, .result = &query };

		query.next = 0;
		message = scope_control_request(control, SCOPE_CMD_QUERY);
		if (!message || nla_put_u32(message, SCOPE_ATTR_SESSION, session) ||
		    (first && nla_put_u32(message, SCOPE_ATTR_CPU_FIRST, first))) {
			nlmsg_free(message);
			err = scope_error_set(error, -ENOMEM, "no room for a netlink message");
			break;
		}
		err = scope_control_transact(control, message, &reply);
		if (!err && query.next && query.next <= first)
			err = -EBADMSG;
		if (err)
			scope_control_refused(err, "read the counts", &reply, error);
		first = query.next;
	} while (!err && first);
	if (err) {
		scope_control_session_status_destroy(&query.status);
		return err;
	}
	*ret_status = query.status;
	return 0;
}

void scope_control_session_status_destroy(struct scope_session_status *status)
{
	if (!status)
		return;
	free(status->cpu);
	status->cpu = NULL;
	status->cpus = 0;
}
