// SPDX-License-Identifier: GPL-2.0-only
/* Text as `perf script` prints raw_syscalls and sched tracepoints, for what reads that. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "export/export.h"
#include "export/order.h"
#include "export/people.h"

#define ROOM 128

struct printer {
	const struct scope_trace *trace;
	struct scope_timeline *timeline;
	struct scope_symbols *symbols;
	FILE *stream;
};

/* As the kernel's sched_switch prints states. */
static char state_letter(uint8_t state)
{
	static const char letters[] = {
		[SCOPE_STATE_RUNNABLE] = 'R', [SCOPE_STATE_SLEEPING] = 'S', [SCOPE_STATE_DISK] = 'D',
		[SCOPE_STATE_STOPPED] = 'T',  [SCOPE_STATE_DEAD] = 'X',     [SCOPE_STATE_IDLE] = 'I',
		[SCOPE_STATE_OTHER] = 'S',
	};

	return state < sizeof(letters) ? letters[state] : 'S';
}

static void print_head(const struct printer *printer, const struct scope_event *event,
		       uint32_t tid, const char *name)
{
	const struct scope_thread *thread = scope_people_find(printer->timeline, tid);

	fprintf(printer->stream, "%s %u/%u [%03u] %" PRIu64 ".%09" PRIu64 ": %s: ", thread->comm,
		thread->tgid, tid, event->cpu, event->time_ns / 1000000000,
		event->time_ns % 1000000000, name);
}

static void print_enter(const struct printer *printer, const struct scope_event *event)
{
	print_head(printer, event, event->tid, "raw_syscalls:sys_enter");
	fprintf(printer->stream, "NR %u (", event->syscall.nr);
	for (unsigned i = 0; i < SCOPE_ARG_MAX; i++)
		fprintf(printer->stream, "%s%" PRIx64, i ? ", " : "",
			i < event->syscall.args ? event->syscall.arg[i] : 0);
	fputs(")\n", printer->stream);
}

static void print_switch(const struct printer *printer, const struct scope_event *event)
{
	const struct scope_thread *prev, *next;

	prev = scope_people_find(printer->timeline, event->sched.prev_tid);
	next = scope_people_find(printer->timeline, event->sched.next_tid);
	print_head(printer, event, event->sched.prev_tid, "sched:sched_switch");
	fprintf(printer->stream,
		"prev_comm=%s prev_pid=%u prev_prio=120 prev_state=%c%s ==> next_comm=%s next_pid=%u "
		"next_prio=120\n",
		prev->comm, event->sched.prev_tid, state_letter(event->sched.prev_state),
		event->sched.preempted ? "+" : "", next->comm, event->sched.next_tid);
}

static int print_stack(const struct printer *printer, const struct scope_event *event)
{
	const struct scope_thread *thread = scope_people_find(printer->timeline, event->tid);
	bool sample = event->stack.reason == SCOPE_STACK_SAMPLE;
	const struct scope_function *function[ROOM];
	uint64_t address[ROOM];
	unsigned count;
	int err = scope_people_stack(printer->symbols, thread->tgid, event, function, address, ROOM,
				     &count, NULL);

	if (err || !count)
		return err;
	print_head(printer, event, event->tid, sample ? "cpu-clock" : "scope:stack");
	fputc('\n', printer->stream);
	while (count--)
		fprintf(printer->stream, "\t%16" PRIx64 " %s (%s)\n", address[count],
			function[count]->name,
			function[count]->path[0] ? function[count]->path : function[count]->module);
	fputc('\n', printer->stream);
	return 0;
}

/* Of a probe: its number, where it is, and what was asked for there. */
static void print_probe(const struct printer *printer, const struct scope_event *event)
{
	print_head(printer, event, event->tid, "scope:probe");
	fprintf(printer->stream, "id=%u place=%s", event->probe.id,
		scope_people_place(printer->trace, event->probe.id));
	for (unsigned i = 0; i < event->probe.args; i++)
		fprintf(printer->stream, " arg%u=0x%" PRIx64, i, event->probe.arg[i]);
	fputs(event->flags & SCOPE_PROBE_RETURN ? " return\n" : "\n", printer->stream);
}

static void print_delay(const struct printer *printer, const struct scope_event *event)
{
	print_head(printer, event, event->tid, "scope:delay");
	fprintf(printer->stream, "rule=%u asked_ns=%u served_ns=%u%s\n", event->delay.id,
		event->delay.asked_ns, event->delay.served_ns,
		event->flags & SCOPE_DELAYED_AT_RETURN ? " at_return" : "");
}

static int print_event(const struct printer *printer, const struct scope_event *event)
{
	FILE *to = printer->stream;

	switch (event->kind) {
	case SCOPE_EVENT_ENTER:
		print_enter(printer, event);
		return 0;
	case SCOPE_EVENT_EXIT:
		print_head(printer, event, event->tid, "raw_syscalls:sys_exit");
		fprintf(to, "NR %u = %" PRId64 "\n", event->syscall.nr, event->syscall.ret);
		return 0;
	case SCOPE_EVENT_SWITCH:
		print_switch(printer, event);
		return 0;
	case SCOPE_EVENT_WAKING:
		print_head(printer, event, event->waking.waker_tid, "sched:sched_waking");
		fprintf(to, "comm=%s pid=%u prio=120 target_cpu=%03u\n",
			scope_people_find(printer->timeline, event->tid)->comm, event->tid,
			event->cpu);
		return 0;
	case SCOPE_EVENT_FORK:
		print_head(printer, event, event->fork.parent_tid, "sched:sched_process_fork");
		fprintf(to, "comm=%s pid=%u child_comm=%s child_pid=%u\n",
			scope_people_find(printer->timeline, event->fork.parent_tid)->comm,
			event->fork.parent_tid, event->fork.comm, event->tid);
		return 0;
	case SCOPE_EVENT_THREAD_EXIT:
		print_head(printer, event, event->tid, "sched:sched_process_exit");
		fprintf(to, "comm=%s pid=%u prio=120\n",
			scope_people_find(printer->timeline, event->tid)->comm, event->tid);
		return 0;
	case SCOPE_EVENT_EXEC:
		print_head(printer, event, event->tid, "sched:sched_process_exec");
		fprintf(to, "filename=%s pid=%u old_pid=%u\n", event->exec.comm, event->tid,
			event->exec.old_tid);
		return 0;
	case SCOPE_EVENT_LOST:
		fprintf(to, "# LOST %" PRIu64 " events on CPU %u\n", event->lost.count, event->cpu);
		return 0;
	case SCOPE_EVENT_STACK:
		return print_stack(printer, event);
	case SCOPE_EVENT_PROBE:
		print_probe(printer, event);
		return 0;
	case SCOPE_EVENT_DELAY:
		print_delay(printer, event);
		return 0;
	}
	return 0;
}

int scope_export_script(struct scope_trace *trace, struct scope_symbols *symbols,
			const struct scope_export_to *to, struct scope_error *error)
{
	struct printer printer = {.trace = trace, .symbols = symbols, .stream = to->stream};
	struct scope_order *order = NULL;
	struct scope_event event;
	int more = 0, err = scope_people_learn(trace, &printer.timeline);

	if (!err)
		err = scope_order_create(trace, &order);
	if (err)
		scope_error_set(error, err, "the trace cannot be read: %s", strerror(-err));
	if (!err) {
		while (!err && (more = scope_order_next(order, &event)) > 0)
			err = print_event(&printer, &event);
		if (!err && more < 0)
			err = more;
		if (err)
			scope_error_set(error, err, "the trace cannot be read: %s", strerror(-err));
	}
	scope_order_destroy(order);
	scope_timeline_destroy(printer.timeline);
	return err;
}
