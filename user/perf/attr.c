// SPDX-License-Identifier: GPL-2.0-only
/* The attributes of each perf event of a session: tracepoint, sample, stack, filter. */
#include "perf/attr.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "perf/tracefs.h"
#include "source/selection.h"

/* The tracepoints, the fields that are read, and the fields that hold a number to filter by. */
static const struct {
	const char *tracepoint; /* NULL: the timer */
	const char *field[SCOPE_PERF_FIELDS_MAX];
	const char *filter[2];
	bool optional; /* older kernels do not have it */
} rows[SCOPE_PERF_KINDS] = {
	[SCOPE_PERF_SWITCH] = { "sched/sched_switch",
				{ "prev_pid", "prev_state", "next_pid" },
				{ "prev_pid", "next_pid" } },
	[SCOPE_PERF_ENTER] = { "raw_syscalls/sys_enter", { "id", "args" }, { "common_pid" } },
	[SCOPE_PERF_EXIT] = { "raw_syscalls/sys_exit", { "id", "ret" }, { "common_pid" } },
	[SCOPE_PERF_WAKING] = { "sched/sched_waking", { "pid", "common_flags" }, { "pid" } },
	[SCOPE_PERF_EXEC] = { "sched/sched_process_exec", { "pid", "old_pid" }, { NULL } },
	[SCOPE_PERF_PEER] = { "sock/inet_sock_set_state",
			      { "dport", "daddr_v6", "saddr_v6" },
			      { "common_pid" },
			      .optional = true },
	[SCOPE_PERF_BLOCK] = { "sched/sched_switch", { "prev_pid" }, { "prev_pid" } },
	[SCOPE_PERF_SAMPLE] = { NULL, { NULL }, { NULL } },
	[SCOPE_PERF_LIFE] = { NULL, { NULL }, { NULL } },
};

static struct perf_event_attr attr_base(void)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.disabled = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
	};
}

struct perf_event_attr scope_perf_attr_owner(bool tasks)
{
	struct perf_event_attr attr = attr_base();

	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.sample_period = 1;
	attr.task = tasks;
	attr.comm = tasks;
	attr.comm_exec = tasks;
	return attr;
}

static void want_stack(struct perf_event_attr *attr, enum scope_stack_mode mode, uint32_t bytes)
{
	if (mode == SCOPE_STACK_CHAIN) {
		attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
		attr->exclude_callchain_kernel = 1;
	} else if (mode == SCOPE_STACK_COPY) {
		attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		attr->sample_regs_user = scope_perf_register_mask();
		attr->sample_stack_user = (bytes + 7) & ~7u;
	}
}

struct perf_event_attr scope_perf_attr_of(const struct scope_perf_events *events, enum scope_perf_kind kind,
					  const struct scope_capture_options *options)
{
	struct perf_event_attr attr = attr_base();

	attr.type = PERF_TYPE_TRACEPOINT;
	attr.config = events->tracepoint[kind];
	attr.sample_period = 1;
	attr.sample_type |= PERF_SAMPLE_RAW;
	if (kind == SCOPE_PERF_SAMPLE || kind == SCOPE_PERF_LIFE) {
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_CPU_CLOCK;
		attr.sample_period = kind == SCOPE_PERF_SAMPLE ? options->sample_period_ns : SCOPE_PERF_LIFE_NS;
		attr.sample_type &= ~(uint64_t)PERF_SAMPLE_RAW;
	}
	attr.exclude_idle = kind == SCOPE_PERF_SAMPLE; /* the target never runs in the idle task */
	want_stack(&attr, events->layout.stack[kind], options->stack_bytes);
	/* PERF_SAMPLE_IP would come before the time, but the time must have the same place in all records. */
	if (kind == SCOPE_PERF_SAMPLE && events->layout.kernel_ips) {
		attr.sample_type |= PERF_SAMPLE_REGS_INTR;
		attr.sample_regs_intr = scope_perf_counter_mask();
	}
	return attr;
}

int scope_perf_attr_find(struct scope_perf_events *events, struct scope_error *error)
{
	int tracefs, err, kind;

	err = scope_perf_tracefs_open(error, &tracefs);
	if (err)
		return err;
	for (kind = 0; !err && kind < SCOPE_PERF_KINDS; kind++) {
		char *format;
		int i;

		if (!rows[kind].tracepoint)
			continue;
		err = scope_perf_tracepoint_read(tracefs, rows[kind].tracepoint, error, &events->tracepoint[kind],
						 &format);
		if (err == -ENOENT && rows[kind].optional) {
			events->tracepoint[kind] = 0;
			err = 0;
			continue;
		}
		if (err)
			break;
		for (i = 0; i < SCOPE_PERF_FIELDS_MAX && rows[kind].field[i] && !err; i++)
			err = scope_perf_field_find(format, rows[kind].field[i], &events->layout.field[kind][i]);
		if (!err && kind == SCOPE_PERF_SWITCH)
			err = scope_perf_states_find(format, &events->layout.states);
		free(format);
		if (err)
			scope_error_set(error, err, "the tracepoint %s of this kernel has another layout",
					rows[kind].tracepoint);
	}
	close(tracefs);
	return err;
}

static void filter_threads(const struct scope_perf_events *events, enum scope_perf_kind kind,
			   const struct scope_perf_coverage *cover, enum scope_perf_age age,
			   char text[SCOPE_PERF_FILTER_BYTES])
{
	size_t fields = 0, used;

	while (fields < 2 && rows[kind].filter[fields])
		fields++;
	scope_perf_coverage_text(cover, age, rows[kind].filter, fields, text);
	if (kind == SCOPE_PERF_PEER)
		strncat(text, "&&newstate==2", SCOPE_PERF_FILTER_BYTES - strlen(text) - 1); /* TCP_SYN_SENT */
	if (kind != SCOPE_PERF_BLOCK)
		return;
	/* Only threads that sleep, not those that were preempted: the bit for that is above those of the states. */
	used = strlen(text);
	snprintf(text + used, SCOPE_PERF_FILTER_BYTES - used, "&&prev_state>0&&prev_state<=%u",
		 events->layout.states.all);
}

/*
 * Adds ranges of the selected calls; nothing if the text has no room for all of them, because the reader filters, too.
 */
static void filter_calls(const struct scope_selection *selection, char text[SCOPE_PERF_FILTER_BYTES])
{
	const size_t begin = strlen(text);
	/* Numbers of x32 have an extra bit. */
	size_t used = begin + (size_t)snprintf(text + begin, SCOPE_PERF_FILTER_BYTES - begin, "&&(id>=%u", 1u << 30);
	uint16_t first, last;

	for (first = 0; first < SCOPE_SYSCALL_MAX && used < SCOPE_PERF_FILTER_BYTES; first = last + 1) {
		for (last = first; last + 1 < SCOPE_SYSCALL_MAX && scope_source_selection_has_call(selection, first) &&
				   scope_source_selection_has_call(selection, last + 1);
		     last++)
			;
		if (scope_source_selection_has_call(selection, first))
			used += (size_t)snprintf(text + used, SCOPE_PERF_FILTER_BYTES - used, "||(id>=%u&&id<=%u)",
						 first, last);
	}
	if (used + 1 < SCOPE_PERF_FILTER_BYTES)
		strcpy(text + used, ")");
	else
		text[begin] = '\0';
}

bool scope_perf_attr_filter(const struct scope_perf_events *events, enum scope_perf_kind kind,
			    const struct scope_perf_coverage *cover, enum scope_perf_age age,
			    const struct scope_selection *selection, char text[SCOPE_PERF_FILTER_BYTES])
{
	if (!rows[kind].filter[0])
		return false;
	filter_threads(events, kind, cover, age, text);
	if ((kind == SCOPE_PERF_ENTER || kind == SCOPE_PERF_EXIT) && selection && selection->some_calls)
		filter_calls(selection, text);
	return true;
}

const char *scope_perf_attr_tracepoint(enum scope_perf_kind kind)
{
	return rows[kind].tracepoint;
}
