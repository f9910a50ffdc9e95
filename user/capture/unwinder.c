// SPDX-License-Identifier: GPL-2.0-only
/* The side of the unwinder that holds the session: queue, order and limits. */
#include "capture/unwinder.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/now.h"
#include "capture/unwinder_internal.h"
#include "proc/child.h"
#include "symbol/names.h"
#include "trace/blank.h"
#include "trace/decode.h"
#include "trace/owner.h"
#include "trace/walk.h"

#define NS_PER_MS 1000000ull

static void give_up(struct scope_unwinder *unwinder)
{
	if (!unwinder->child)
		return;
	kill(unwinder->child, SIGKILL);
	/* The child reads nothing that could block it, because its readers do that, so it ends soon. */
	waitpid(unwinder->child, NULL, 0);
	unwinder->child = 0;
	unwinder->names_wanted = false;
	unwinder->busy = SCOPE_UNWINDER_NOTHING;
}

static void release(struct scope_unwinder *unwinder)
{
	give_up(unwinder);
	while (unwinder->first) {
		struct scope_unwinder_item *item = unwinder->first;

		unwinder->first = item->next;
		free(item);
	}
	if (unwinder->fd >= 0)
		close(unwinder->fd);
	if (unwinder->shared)
		munmap(unwinder->shared, sizeof(*unwinder->shared));
	scope_trace_owners_destroy(unwinder->owners);
	free(unwinder->maps);
	free(unwinder->refresh);
	free(unwinder->number);
	free(unwinder->table);
	free(unwinder->reduced);
	free(unwinder);
}

static int begin_child(struct scope_unwinder *unwinder, uint32_t tgid, int nice)
{
	const pid_t parent = getpid();
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	unwinder->child = fork();
	if (!unwinder->child) {
		scope_proc_child_detach(parent);
		scope_proc_child_close(ends[1]);
		setpriority(PRIO_PROCESS, 0, nice);
		scope_capture_unwinder_serve(ends[1], unwinder->shared, tgid);
		_exit(0);
	}
	close(ends[1]);
	unwinder->fd = ends[0];
	if (unwinder->child > 0)
		return 0;
	unwinder->child = 0;
	return -errno;
}

int scope_capture_unwinder_create(const struct scope_unwinder_host *host, uint32_t tgid, int nice,
				  struct scope_error *error, struct scope_unwinder **ret_unwinder)
{
	struct scope_unwinder *unwinder = calloc(1, sizeof(*unwinder));
	int err = -ENOMEM;

	if (unwinder) {
		unwinder->host = *host;
		unwinder->fd = -1;
		unwinder->last = &unwinder->first;
		unwinder->shared = mmap(NULL, sizeof(*unwinder->shared), PROT_READ | PROT_WRITE,
					MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (unwinder->shared == MAP_FAILED)
			unwinder->shared = NULL;
		unwinder->reduced = malloc(SCOPE_SUBBUF_BYTES_MAX);
	}
	if (unwinder && unwinder->shared && unwinder->reduced)
		err = scope_trace_owners_create(&unwinder->owners);
	if (!err)
		err = begin_child(unwinder, tgid, nice);
	if (err) {
		if (unwinder)
			release(unwinder);
		return scope_error_set(error, err, "cannot begin the process that unwinds stacks: %s", strerror(-err));
	}
	*ret_unwinder = unwinder;
	return 0;
}

void scope_capture_unwinder_destroy(struct scope_unwinder *unwinder)
{
	if (unwinder)
		release(unwinder);
}

int scope_capture_unwinder_fd(const struct scope_unwinder *unwinder)
{
	return unwinder->busy ? unwinder->fd : -1;
}

bool scope_capture_unwinder_idle(const struct scope_unwinder *unwinder)
{
	return !unwinder->first && !unwinder->names_wanted;
}

void scope_capture_unwinder_want_names(struct scope_unwinder *unwinder, bool all)
{
	unwinder->names_wanted = unwinder->child;
	unwinder->names_all |= all;
}

void scope_capture_unwinder_defer_names(struct scope_unwinder *unwinder)
{
	unwinder->names_wanted = false;
}

/* ---- jobs ---- */

void scope_capture_unwinder_send(struct scope_unwinder *unwinder, enum scope_unwinder_kind kind, uint32_t count)
{
	const struct scope_unwinder_job job = { kind, count };

	if (send(unwinder->fd, &job, sizeof(job), MSG_NOSIGNAL) != sizeof(job)) {
		give_up(unwinder);
		return;
	}
	unwinder->busy = kind;
	unwinder->since_ns = scope_now_ns();
}

static struct scope_unwinder_process process_of(const struct scope_unwinder *unwinder, uint32_t tid)
{
	const uint32_t tgid = scope_trace_owners_get(unwinder->owners, tid);

	return (struct scope_unwinder_process){ tgid,
						tgid ? scope_trace_owners_ancestor(unwinder->owners, tgid) : tid };
}

static void send_item(struct scope_unwinder *unwinder, const struct scope_unwinder_item *item)
{
	const struct scope_subbuf *subbuf = &item->subbuf;
	uint8_t *in = (uint8_t *)unwinder->shared->in;
	struct scope_unwinder_process *process = (void *)(in + subbuf->used_bytes);

	memcpy(in, subbuf, subbuf->used_bytes + item->processes * sizeof(*process));
	for (uint32_t i = 0; i < item->processes; i++) {
		if (process[i].tgid)
			continue;
		/* The thread was created on another CPU, whose sub-buffer was taken after this one. */
		process[i] = process_of(unwinder, process[i].ancestor);
		if (!process[i].tgid)
			process[i].ancestor = 0;
	}
	scope_capture_unwinder_send(unwinder, SCOPE_UNWINDER_SUBBUF, item->processes);
}

/* ---- the queue ---- */

/*
 * Finds the processes of a sub-buffer's stacks, in the order of the stacks, because a process has the mappings of its
 * ancestor until it executes a program. Returns their number.
 */
static uint32_t list_processes(struct scope_unwinder *unwinder, const struct scope_subbuf *subbuf,
			       struct scope_unwinder_process *ret_process)
{
	struct scope_decoder decoder = { 0 };
	struct scope_event event;
	uint32_t count = 0;

	if (!scope_trace_decoder_begin(&decoder, subbuf, subbuf->used_bytes)) {
		while (scope_trace_decoder_peek(&decoder)) {
			const void *record = decoder.pos;

			if (scope_trace_decoder_take(&decoder, &event))
				break;
			if (event.kind == SCOPE_EVENT_EXEC)
				scope_trace_owners_note(unwinder->owners, record);
			if (event.kind == SCOPE_EVENT_STACK)
				ret_process[count++] = event.stack.reason == SCOPE_STACK_TASKS
							       ? (struct scope_unwinder_process){ event.tid, event.tid }
							       : process_of(unwinder, event.tid);
		}
	}
	return count;
}

/* The same for a sub-buffer whose stacks are not unwound. */
static void note_execs(struct scope_unwinder *unwinder, const struct scope_subbuf *subbuf)
{
	const void *record;
	uint32_t offset = 0;

	while ((record = scope_trace_walk_next(subbuf, SCOPE_WALK(EXEC), &offset)))
		scope_trace_owners_note(unwinder->owners, record);
}

static uint32_t count_stacks(const struct scope_subbuf *subbuf)
{
	uint32_t offset = 0, count = 0;

	while (scope_trace_walk_next(subbuf, SCOPE_WALK(STACK) | SCOPE_WALK(CHAIN) | SCOPE_WALK(FRAMES), &offset))
		count++;
	return count;
}

static uint32_t nobody(void *context, const struct scope_event *event)
{
	(void)context;
	(void)event;
	return 0;
}

/* Keeps only the program counters of a sub-buffer's stacks. The result belongs to the unwinder. */
static const struct scope_subbuf *reduce(struct scope_unwinder *unwinder, const struct scope_subbuf *subbuf)
{
	const struct scope_stacks stacks = { NULL, nobody, NULL };
	struct scope_stacks_found found;

	scope_symbol_stacks_replace(&stacks, subbuf, unwinder->reduced, &found);
	unwinder->counts.given_up += found.stacks;
	return unwinder->reduced;
}

static int queue(struct scope_unwinder *unwinder, const struct scope_subbuf *subbuf, bool plain)
{
	const uint32_t stacks = plain ? 0 : count_stacks(subbuf);
	struct scope_unwinder_item *item =
		malloc(sizeof(*item) + subbuf->used_bytes + stacks * sizeof(struct scope_unwinder_process));

	if (!item)
		return -ENOMEM;
	*item = (struct scope_unwinder_item){ .plain = plain };
	memcpy(&item->subbuf, subbuf, subbuf->used_bytes);
	if (!plain)
		item->processes = list_processes(
			unwinder, subbuf,
			(struct scope_unwinder_process *)((uint8_t *)&item->subbuf + subbuf->used_bytes));
	*unwinder->last = item;
	unwinder->last = &item->next;
	unwinder->queue_bytes += subbuf->used_bytes;
	return 0;
}

/* Removes the first sub-buffer from the queue, and writes it, unchanged or unwound. */
static int write_first(struct scope_unwinder *unwinder, const struct scope_subbuf *subbuf)
{
	struct scope_unwinder_item *item = unwinder->first;
	int err = unwinder->host.write(unwinder->host.context, subbuf);

	unwinder->first = item->next;
	if (!unwinder->first)
		unwinder->last = &unwinder->first;
	unwinder->queue_bytes -= item->subbuf.used_bytes;
	free(item);
	return err;
}

void scope_capture_unwinder_note(struct scope_unwinder *unwinder, const void *record)
{
	if (scope_trace_walk_type(record) == SCOPE_RECORD_FUTEX)
		unwinder->futexes_noted = true;
	else if (scope_trace_walk_type(record) == SCOPE_RECORD_EXEC)
		unwinder->execs_noted = true; /* they were noted in order with the stacks, see list_processes() */
	else
		unwinder->stacks_noted |= scope_trace_owners_note(unwinder->owners, record);
}

/*
 * True if the thread exists. The record of a new thread may be in a sub-buffer that comes later, so /proc is checked,
 * too.
 */
static bool is_thread(void *context, uint32_t tid)
{
	const struct scope_unwinder *unwinder = context;
	char path[32];

	if (scope_trace_owners_get(unwinder->owners, tid))
		return true;
	snprintf(path, sizeof(path), "/proc/%u", tid);
	return !access(path, F_OK);
}

/* The result belongs to the unwinder. */
static const struct scope_subbuf *without_futexes(struct scope_unwinder *unwinder, const struct scope_subbuf *subbuf)
{
	if (subbuf != unwinder->reduced)
		memcpy(unwinder->reduced, subbuf, subbuf->used_bytes);
	scope_trace_blank_futexes(unwinder->reduced, is_thread, unwinder);
	return unwinder->reduced;
}

int scope_capture_unwinder_take(struct scope_unwinder *unwinder, const struct scope_subbuf *subbuf)
{
	bool plain = !unwinder->stacks_noted;

	unwinder->stacks_noted = false;
	/* Sub-buffers without stacks wait, too. If the queue is this long, the child is given up. */
	if (unwinder->queue_bytes + subbuf->used_bytes > 2 * SCOPE_UNWINDER_QUEUE_BYTES)
		give_up(unwinder);
	if (!plain && (!unwinder->child || unwinder->queue_bytes + subbuf->used_bytes > SCOPE_UNWINDER_QUEUE_BYTES)) {
		subbuf = reduce(unwinder, subbuf);
		plain = true;
	}
	if (unwinder->execs_noted && plain)
		note_execs(unwinder, subbuf);
	unwinder->execs_noted = false;
	if (unwinder->futexes_noted)
		subbuf = without_futexes(unwinder, subbuf);
	unwinder->futexes_noted = false;
	if (plain && !unwinder->first)
		return unwinder->host.write(unwinder->host.context, subbuf);
	return queue(unwinder, subbuf, plain);
}

/* ---- answers ---- */

/* The child is not trusted: the answer must be a sub-buffer with the same head, and not longer than the original. */
static bool is_good(const struct scope_subbuf *out, const struct scope_subbuf *subbuf)
{
	struct scope_subbuf head = *out;

	head.used_bytes = subbuf->used_bytes;
	return !memcmp(&head, subbuf, sizeof(head)) && out->used_bytes >= sizeof(*out) &&
	       out->used_bytes <= subbuf->used_bytes && !(out->used_bytes % 8);
}

static int take_subbuf(struct scope_unwinder *unwinder, const struct scope_unwinder_answer *answer)
{
	struct scope_unwinder_item *item = unwinder->first;
	const struct scope_subbuf *subbuf = &item->subbuf;
	const struct scope_subbuf *out = (const void *)unwinder->shared->out;

	if (answer->code || !is_good(out, subbuf)) {
		give_up(unwinder);
		return 0;
	}
	if (!item->again && answer->found.unmapped_count) {
		item->again = true;
		if (scope_capture_unwinder_refresh(unwinder, &answer->found, subbuf->end_ns))
			return 0;
	}
	unwinder->counts.stacks += answer->found.stacks;
	unwinder->counts.walked += answer->found.walked;
	for (unsigned int i = 0; i < SCOPE_COPY_REASONS; i++)
		unwinder->counts.copies[i] += answer->found.copies[i];
	return write_first(unwinder, out);
}

static int take_names(struct scope_unwinder *unwinder, const struct scope_unwinder_answer *answer)
{
	if (answer->code || !answer->bytes || answer->bytes > SCOPE_NAMES_ROOM) {
		unwinder->names_wanted = unwinder->names_all = false;
		return 0;
	}
	return unwinder->host.names(unwinder->host.context, (uint16_t)answer->type, unwinder->shared->out,
				    answer->bytes);
}

static int take_answer(struct scope_unwinder *unwinder)
{
	const enum scope_unwinder_kind kind = unwinder->busy;
	struct scope_unwinder_answer answer;
	const ssize_t got = recv(unwinder->fd, &answer, sizeof(answer), MSG_DONTWAIT);

	if (got != sizeof(answer)) {
		if (got >= 0 || errno != EAGAIN)
			give_up(unwinder);
		return 0;
	}
	unwinder->busy = SCOPE_UNWINDER_NOTHING;
	unwinder->unopened = answer.unopened && unwinder->host.table;
	if (answer.tables && kind != SCOPE_UNWINDER_TABLE && kind != SCOPE_UNWINDER_PROCESS)
		unwinder->tables = unwinder->processes = unwinder->host.table;
	if (kind == SCOPE_UNWINDER_SUBBUF)
		return take_subbuf(unwinder, &answer);
	if (kind == SCOPE_UNWINDER_NAMES)
		return take_names(unwinder, &answer);
	if (!answer.code && kind == SCOPE_UNWINDER_TABLE)
		answer.code = scope_capture_unwinder_take_table(unwinder, &answer);
	if (!answer.code && kind == SCOPE_UNWINDER_PROCESS)
		answer.code = scope_capture_unwinder_take_process(unwinder, &answer);
	if (answer.code)
		give_up(unwinder);
	if (kind == SCOPE_UNWINDER_STOPPED_STACK) {
		memcpy(&unwinder->stopped, unwinder->shared->out, sizeof(unwinder->stopped));
		unwinder->stopped_found = answer.found;
	}
	return 0;
}

/* Starts the next job, and writes sub-buffers that need no unwinding. */
static int go_on(struct scope_unwinder *unwinder)
{
	int err = 0;

	while (!err && !unwinder->busy) {
		struct scope_unwinder_item *item = unwinder->first;

		if (unwinder->child && scope_capture_unwinder_send_maps(unwinder))
			break;
		/* Tables come before stacks, because with them fewer stacks have to be copied and unwound. */
		if (unwinder->child && scope_capture_unwinder_send_tables(unwinder))
			break;
		if (!item && unwinder->names_wanted)
			scope_capture_unwinder_send(unwinder, SCOPE_UNWINDER_NAMES, unwinder->names_all);
		if (!item)
			break;
		if (item->plain)
			err = write_first(unwinder, &item->subbuf);
		else if (unwinder->child)
			send_item(unwinder, item);
		else
			err = write_first(unwinder, reduce(unwinder, &item->subbuf));
	}
	return err;
}

/* Names get a longer limit, because debug information may be large, and if a child is given up stacks are lost, too. */
static uint64_t limit_ns(const struct scope_unwinder *unwinder)
{
	const uint64_t wait_ns = SCOPE_UNWINDER_WAIT_MS * NS_PER_MS;

	return unwinder->busy == SCOPE_UNWINDER_NAMES ? 3 * wait_ns : wait_ns;
}

static int pump(struct scope_unwinder *unwinder, unsigned int wait_ms)
{
	const uint64_t end_ns = scope_now_ns() + wait_ms * NS_PER_MS;
	int err = go_on(unwinder);

	while (!err && unwinder->busy) {
		struct pollfd set = { .fd = unwinder->fd, .events = POLLIN };
		const uint64_t now = scope_now_ns();
		const int left = now < end_ns ? (int)((end_ns - now) / NS_PER_MS) + 1 : 0;

		if (poll(&set, 1, left) > 0) {
			err = take_answer(unwinder);
			if (!err)
				err = go_on(unwinder);
			continue;
		}
		if (scope_now_ns() > unwinder->since_ns + limit_ns(unwinder))
			give_up(unwinder);
		if (scope_now_ns() >= end_ns)
			break;
	}
	return err ? err : unwinder->child ? 0 : go_on(unwinder);
}

int scope_capture_unwinder_pump(struct scope_unwinder *unwinder, unsigned int wait_ms)
{
	int err;

	if (unwinder->pumping)
		return 0;
	unwinder->pumping = true;
	err = pump(unwinder, wait_ms);
	unwinder->pumping = false;
	return err;
}

void scope_capture_unwinder_count(const struct scope_unwinder *unwinder, struct scope_unwinder_counts *ret_counts)
{
	struct timespec time;
	clockid_t clock;

	*ret_counts = unwinder->counts;
	if (unwinder->child && !clock_getcpuclockid(unwinder->child, &clock) && !clock_gettime(clock, &time))
		ret_counts->cpu_ns = (uint64_t)time.tv_sec * 1000000000ull + (uint64_t)time.tv_nsec;
}
