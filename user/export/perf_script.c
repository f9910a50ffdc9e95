// SPDX-License-Identifier: GPL-2.0-only
/* Writes the text that `perf script` prints for raw_syscalls and sched tracepoints, for scripts that read it. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/plain.h"
#include "export/formats.h"
#include "export/order.h"
#include "export/threads.h"

#define ROOM 128

struct printer {
	const struct scope_trace *trace;
	struct scope_timeline *timeline;
	struct scope_symbols *symbols;
	FILE *stream;
};

/* The letters with which the kernel's sched_switch prints states. */
static char state_letter(uint8_t state)
{
	static const char letters[] = {
		[SCOPE_STATE_RUNNABLE] = 'R', [SCOPE_STATE_SLEEPING] = 'S', [SCOPE_STATE_DISK] = 'D',
		[SCOPE_STATE_STOPPED] = 'T',  [SCOPE_STATE_DEAD] = 'X',	    [SCOPE_STATE_IDLE] = 'I',
		[SCOPE_STATE_OTHER] = 'S',
	};

	return state < sizeof(letters) ? letters[state] : 'S';
}

/*
 * Characters that would end a name, or make it look like a field, are written as \xHH, too; `scope import` reads them
 * back (base/plain.h). Brackets contain the CPU, "key=" begins a field.
 */
#define NAME_ESCAPES "[=\\"
#define FUNCTION_ESCAPES "\\+"
#define MODULE_ESCAPES "\\()"

/* Writes a name in plain form. Blanks at its ends would be lost, so they are escaped. */
static void put_name(const struct printer *printer, const char *plain, const char *also)
{
	const size_t bytes = strlen(plain);
	const bool edge = bytes && (plain[0] == ' ' || plain[bytes - 1] == ' ');
	char all[16];

	snprintf(all, sizeof(all), "%s%s", also, edge ? " " : "");
	scope_plain_write_name(printer->stream, plain, all);
}

static void put_comm(const struct printer *printer, const char *key, uint32_t tid)
{
	fprintf(printer->stream, "%s=", key);
	put_name(printer, scope_export_threads_find(printer->timeline, tid)->comm, NAME_ESCAPES);
}

/* The same for the bytes of a record. */
static void put_new_comm(const struct printer *printer, const char *key, const char comm[SCOPE_COMM_BYTES])
{
	char plain[SCOPE_PLAIN_COMM_BYTES];

	fprintf(printer->stream, "%s=", key);
	put_name(printer, scope_plain_comm(plain, comm), NAME_ESCAPES);
}

static void print_head(const struct printer *printer, const struct scope_event *event, uint32_t tid, const char *name)
{
	const struct scope_thread *thread = scope_export_threads_find(printer->timeline, tid);

	put_name(printer, thread->comm, NAME_ESCAPES);
	fprintf(printer->stream, " %u/%u [%03u] %" PRIu64 ".%09" PRIu64 ": %s: ", thread->tgid, tid, event->cpu,
		event->time_ns / 1000000000, event->time_ns % 1000000000, name);
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
	print_head(printer, event, event->sched.prev_tid, "sched:sched_switch");
	put_comm(printer, "prev_comm", event->sched.prev_tid);
	fprintf(printer->stream, " prev_pid=%u prev_prio=120 prev_state=%c%s ==> ", event->sched.prev_tid,
		state_letter(event->sched.prev_state), event->sched.preempted ? "+" : "");
	put_comm(printer, "next_comm", event->sched.next_tid);
	fprintf(printer->stream, " next_pid=%u next_prio=120\n", event->sched.next_tid);
}

static int print_stack(const struct printer *printer, const struct scope_event *event)
{
	const struct scope_thread *thread = scope_export_threads_find(printer->timeline, event->tid);
	const char *name = event->stack.reason == SCOPE_STACK_SAMPLE	 ? "cpu-clock"
			   : event->stack.reason == SCOPE_STACK_SNAPSHOT ? "scope:snapshot"
									 : "scope:stack";
	const struct scope_function *function[ROOM];
	uint64_t address[ROOM];
	unsigned count;
	int err = scope_export_threads_stack(printer->symbols, thread, event, function, address, ROOM, &count, NULL);

	if (err || !count)
		return err;
	print_head(printer, event, event->tid, name);
	fputc('\n', printer->stream);
	while (count--) {
		const struct scope_function *at = function[count];

		fprintf(printer->stream, "\t%16" PRIx64 " ", address[count]);
		put_name(printer, at->name, strstr(at->name, "+0x") ? FUNCTION_ESCAPES : "\\");
		fputs(" (", printer->stream);
		put_name(printer, at->path[0] ? at->path : at->module, MODULE_ESCAPES);
		fputs(")\n", printer->stream);
	}
	fputc('\n', printer->stream);
	return 0;
}

/* Prints a probe's number, its place, and the recorded words. */
static void print_probe(const struct printer *printer, const struct scope_event *event)
{
	print_head(printer, event, event->tid, "scope:probe");
	fprintf(printer->stream, "id=%u place=", event->probe.id);
	put_name(printer, scope_export_threads_place(printer->trace, event->probe.id), "\\");
	for (unsigned i = 0; i < event->probe.args; i++)
		fprintf(printer->stream, " arg%u=0x%" PRIx64, i, event->probe.arg[i]);
	fputs(event->flags & SCOPE_PROBE_RETURN ? " return\n" : "\n", printer->stream);
}

static void print_delay(const struct printer *printer, const struct scope_event *event)
{
	print_head(printer, event, event->tid, "scope:delay");
	fprintf(printer->stream, "rule=%u asked_ns=%u served_ns=%u%s\n", event->delay.id, event->delay.asked_ns,
		event->delay.served_ns, event->flags & SCOPE_DELAYED_AT_RETURN ? " at_return" : "");
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
		put_comm(printer, "comm", event->tid);
		fprintf(to, " pid=%u prio=120 target_cpu=%03u\n", event->tid, event->cpu);
		return 0;
	case SCOPE_EVENT_FORK:
		print_head(printer, event, event->fork.parent_tid, "sched:sched_process_fork");
		put_comm(printer, "comm", event->fork.parent_tid);
		fprintf(to, " pid=%u ", event->fork.parent_tid);
		put_new_comm(printer, "child_comm", event->fork.comm);
		fprintf(to, " child_pid=%u\n", event->tid);
		return 0;
	case SCOPE_EVENT_THREAD_EXIT:
		print_head(printer, event, event->tid, "sched:sched_process_exit");
		put_comm(printer, "comm", event->tid);
		fprintf(to, " pid=%u prio=120\n", event->tid);
		return 0;
	case SCOPE_EVENT_EXEC:
		print_head(printer, event, event->tid, "sched:sched_process_exec");
		put_new_comm(printer, "filename", event->exec.comm);
		fprintf(to, " pid=%u old_pid=%u\n", event->tid, event->exec.old_tid);
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

int scope_export_script(const struct scope_export_from *from, const struct scope_export_to *to,
			struct scope_error *error)
{
	struct printer printer = { .trace = from->trace, .symbols = from->symbols, .stream = to->stream };
	struct scope_order *order = NULL;
	struct scope_event event;
	int more = 0, err = scope_export_threads_learn(from->trace, &printer.timeline);

	if (!err)
		err = scope_export_order_create(from->trace, &order);
	if (err)
		scope_error_set(error, err, "the trace cannot be read: %s", strerror(-err));
	if (!err) {
		while (!err && (more = scope_export_order_next(order, &event)) > 0)
			err = print_event(&printer, &event);
		if (!err && more < 0)
			err = more;
		if (err)
			scope_error_set(error, err, "the trace cannot be read: %s", strerror(-err));
	}
	scope_export_order_destroy(order);
	scope_timeline_destroy(printer.timeline);
	return err;
}
