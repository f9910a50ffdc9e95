// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write the trace that a busy key-value server would give, of any length. One seed gives one trace,
 * but for the random words (canaries) that lie in any copied stack.
 *
 * Usage: server_trace [-n EVENTS] [-s SEED] [-k KINDS] -o FILE
 * Three workers serve requests (epoll, read, work, sendmsg), each on a CPU of its own. KINDS of
 * requests (1 to 64) differ in further calls; the first kinds are the most frequent. On a fourth
 * CPU a thread moves memory about every 50 ms with a lock held for 2 to 6 ms, and who stores
 * an item in that time waits for it. Samples every 2.003 ms and stacks at waits are copied from
 * functions of this program, so that they can be unwound and named.
 */
#include <errno.h>
#include <linux/futex.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/defaults.h"
#include "proc/proc.h"
#include "server_stacks.h"
#include "trace/packer.h"

#define TGID 1000u
#define WORKERS 3u
#define MOVER WORKERS /* its thread and CPU */
#define CPUS (WORKERS + 1)
#define START_NS 1000000000000ull
#define PERIOD_NS 50000000ull
#define CONNECTIONS 50
#define EPOLL_FD 5
#define FIRST_FD 20
#define LOCK 0x7f0000001040ull
#define LOG_FD 9

/* ---- the server ---- */

struct worker {
	uint64_t now_ns;
	uint64_t sample_ns; /* when its CPU samples next */
};

struct server {
	struct scope_packer *packer;
	struct scope_error error;
	uint64_t random;
	uint64_t events;
	unsigned int kinds;
	struct worker worker[CPUS];
	uint64_t lock_begin_ns, lock_end_ns; /* held by the mover, in this period */
	int failed;
};

static uint32_t tid_of(uint32_t thread)
{
	return TGID + thread;
}

/* Marsaglia's xorshift64* */
static uint64_t next_random(struct server *server)
{
	server->random ^= server->random >> 12;
	server->random ^= server->random << 25;
	server->random ^= server->random >> 27;
	return server->random * 2685821657736338717ull;
}

static double unit_random(struct server *server)
{
	return (double)(next_random(server) >> 11) * 0x1p-53;
}

static uint64_t between(struct server *server, uint64_t low, uint64_t high)
{
	return low + next_random(server) % (high - low);
}

/* Exponential around a mean, as times of work and of waiting for work are. */
static uint64_t about(struct server *server, double mean)
{
	return 200 + (uint64_t)(-mean * log(1 - unit_random(server)));
}

static void put(struct server *server, struct scope_event *event, uint32_t thread)
{
	event->cpu = (uint16_t)thread;
	if (server->failed)
		return;
	server->failed = scope_trace_packer_event(server->packer, event, &server->error);
	server->events++;
}

static void put_stack(struct server *server, uint32_t thread, uint64_t time_ns, enum place place, uint8_t reason)
{
	struct scope_event event = { .kind = SCOPE_EVENT_STACK, .time_ns = time_ns, .tid = tid_of(thread) };

	event.stack.reason = reason;
	event.stack.regs = shots[place].regs;
	event.stack.reg = shots[place].reg;
	event.stack.bytes = shots[place].bytes;
	event.stack.data = shots[place].data;
	put(server, &event, thread);
}

/* The thread runs for a while, at one place of the program. */
static void work(struct server *server, uint32_t thread, uint64_t ns, enum place place)
{
	struct worker *worker = &server->worker[thread];

	worker->now_ns += ns;
	for (; worker->sample_ns < worker->now_ns; worker->sample_ns += SCOPE_DEFAULT_SAMPLE_PERIOD_NS)
		put_stack(server, thread, worker->sample_ns, place, SCOPE_STACK_SAMPLE);
}

struct call {
	uint16_t nr;
	uint8_t args;
	uint64_t arg[2];
	int64_t ret;
};

static void put_call(struct server *server, uint32_t thread, uint8_t kind, const struct call *call, uint64_t enter_ns)
{
	struct scope_event event = { .kind = kind, .time_ns = server->worker[thread].now_ns, .tid = tid_of(thread) };

	event.syscall.enter_ns = enter_ns;
	event.syscall.nr = call->nr;
	event.syscall.ret = call->ret;
	event.syscall.args = kind == SCOPE_EVENT_EXIT ? 0 : call->args;
	event.syscall.arg = call->arg;
	put(server, &event, thread);
}

/* A call that does not block. */
static void quick_call(struct server *server, uint32_t thread, const struct call *call, double mean)
{
	uint64_t enter_ns = server->worker[thread].now_ns;

	work(server, thread, about(server, mean), REPLY);
	put_call(server, thread, SCOPE_EVENT_SYSCALL, call, enter_ns);
}

static void put_switch(struct server *server, uint32_t thread, bool leaves)
{
	struct scope_event event = { .kind = SCOPE_EVENT_SWITCH, .time_ns = server->worker[thread].now_ns };

	event.sched.prev_tid = leaves ? tid_of(thread) : 0;
	event.sched.next_tid = leaves ? 0 : tid_of(thread);
	event.sched.prev_state = leaves ? SCOPE_STATE_SLEEPING : SCOPE_STATE_RUNNABLE;
	event.tid = event.sched.prev_tid;
	put(server, &event, thread);
}

/* waker: a thread on a CPU of its own, or the sleeper itself for an interrupt on its CPU. */
static void put_waking(struct server *server, uint32_t waker, uint32_t tid, uint64_t time_ns)
{
	struct scope_event event = { .kind = SCOPE_EVENT_WAKING, .time_ns = time_ns, .tid = tid };
	bool interrupt = tid == tid_of(waker);

	event.waking.context = interrupt ? SCOPE_CONTEXT_SOFTIRQ : SCOPE_CONTEXT_TASK;
	event.waking.waker_tid = interrupt ? 0 : tid_of(waker);
	put(server, &event, waker);
}

/* A call that sleeps until wake_ns; on its own CPU an interrupt wakes it, else the mover does. */
static void slow_call(struct server *server, uint32_t thread, const struct call *call, uint64_t wake_ns,
		      bool by_interrupt)
{
	struct worker *worker = &server->worker[thread];
	uint64_t enter_ns = worker->now_ns;

	work(server, thread, between(server, 500, 1500), REPLY);
	put_call(server, thread, SCOPE_EVENT_ENTER, call, enter_ns);
	put_switch(server, thread, true);
	if (wake_ns < worker->now_ns + 300)
		wake_ns = worker->now_ns + 300;
	if (by_interrupt)
		put_waking(server, thread, tid_of(thread), wake_ns);
	worker->now_ns = wake_ns + between(server, 1500, 4000);
	while (worker->sample_ns < worker->now_ns) /* nothing runs there */
		worker->sample_ns += SCOPE_DEFAULT_SAMPLE_PERIOD_NS;
	put_switch(server, thread, false);
	work(server, thread, between(server, 300, 900), REPLY);
	put_call(server, thread, SCOPE_EVENT_EXIT, call, enter_ns);
}

/* Work on an item; who comes while the mover holds the lock sleeps until it is free. */
static void store(struct server *server, uint32_t thread, uint32_t *wakings, size_t *count)
{
	const struct call wait = { SYS_futex, 2, { LOCK, FUTEX_WAIT_PRIVATE }, 0 };
	struct worker *worker = &server->worker[thread];

	if (worker->now_ns >= server->lock_begin_ns && worker->now_ns < server->lock_end_ns) {
		wakings[(*count)++] = tid_of(thread);
		slow_call(server, thread, &wait, server->lock_end_ns + *count * 400, false);
		put_stack(server, thread, worker->now_ns, LOCK_WAIT, SCOPE_STACK_SYSCALL);
	}
	work(server, thread, about(server, 6000), COPY);
}

/* What one kind of request does more than another. */
static void extra_calls(struct server *server, uint32_t thread)
{
	static const struct {
		uint16_t nr;
		unsigned int times;
	} rows[] = {
		{ SYS_pread64, 2 },  { SYS_lseek, 1 },	{ SYS_fstat, 1 },
		{ SYS_pwrite64, 3 }, { SYS_openat, 2 }, { SYS_getdents64, 4 },
	};
	const double pick = unit_random(server);
	const unsigned int kind = (unsigned int)(server->kinds * pick * pick * pick);

	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (unsigned int j = 0; kind >> i & 1 && j < rows[i].times; j++) {
			const struct call call = { rows[i].nr, 1, { LOG_FD }, 0 };

			quick_call(server, thread, &call, 2000);
		}
}

static void request(struct server *server, uint32_t thread, uint32_t *wakings, size_t *count)
{
	const uint64_t fd = FIRST_FD + between(server, 0, CONNECTIONS);
	const struct call poll = { SYS_epoll_pwait, 1, { EPOLL_FD }, 1 };
	const struct call take = { SYS_read, 1, { fd }, (int64_t)between(server, 20, 80) };
	const struct call none = { SYS_read, 1, { fd }, -EAGAIN };
	const struct call send = { SYS_sendmsg, 1, { fd }, (int64_t)between(server, 30, 1000) };
	const struct call note = { SYS_write, 1, { LOG_FD }, 80 };
	const double kind = unit_random(server);

	if (unit_random(server) < 0.6)
		slow_call(server, thread, &poll, server->worker[thread].now_ns + about(server, 60000), true);
	else
		quick_call(server, thread, &poll, 900);
	quick_call(server, thread, &take, 1800);
	work(server, thread, about(server, 3000), PARSE);
	work(server, thread, about(server, 2000), HASH);
	extra_calls(server, thread);
	if (kind < 0.3) /* a set; large ones come in parts */
		for (unsigned parts = kind < 0.03 ? 2 + next_random(server) % 3 : 0; parts; parts--)
			quick_call(server, thread, &take, 2500);
	if (kind < 0.3)
		store(server, thread, wakings, count);
	if (kind > 0.98)
		quick_call(server, thread, &note, 5000);
	work(server, thread, about(server, 2500), REPLY);
	quick_call(server, thread, &send, 9000);
	if (kind > 0.2)
		quick_call(server, thread, &none, 700);
}

/* The mover's share of a period: holds the lock, wakes who waits, sleeps until the next one. */
static void move(struct server *server, const uint32_t *wakings, size_t count, uint64_t end_ns)
{
	const struct call wake = { SYS_futex, 2, { LOCK, FUTEX_WAKE_PRIVATE }, (int64_t)count };
	const struct call sleep = { SYS_clock_nanosleep, 0, { 0 }, 0 };
	struct worker *mover = &server->worker[MOVER];
	uint64_t enter_ns;

	slow_call(server, MOVER, &sleep, server->lock_begin_ns - 5000, true);
	work(server, MOVER, server->lock_end_ns - mover->now_ns, MOVE);
	enter_ns = mover->now_ns;
	for (size_t i = 0; i < count; i++) {
		work(server, MOVER, 300, MOVE);
		put_waking(server, MOVER, wakings[i], mover->now_ns);
	}
	work(server, MOVER, 500, MOVE);
	put_call(server, MOVER, SCOPE_EVENT_SYSCALL, &wake, enter_ns);
	work(server, MOVER, (end_ns - mover->now_ns) / 20, MOVE);
}

static void put_states(struct server *server, uint8_t flags)
{
	for (uint32_t thread = 0; thread < CPUS; thread++) {
		struct scope_record_state state = {
			.tid = tid_of(thread),
			.tgid = TGID,
			.nr = SCOPE_NR_NONE,
			.state = SCOPE_STATE_RUNNABLE,
			.flags = flags | SCOPE_STATE_ON_CPU,
		};
		struct scope_event event = { .kind = SCOPE_EVENT_STATE,
					     .tid = tid_of(thread),
					     .time_ns = server->worker[thread].now_ns };

		strcpy(state.comm, thread == MOVER ? "mover" : "worker");
		event.flags = state.flags;
		event.state.record = &state;
		put(server, &event, thread);
	}
}

/* Period by period: nobody is ahead of the lock by more than one. */
static void serve(struct server *server, uint64_t events)
{
	uint32_t wakings[WORKERS * 64];

	for (uint32_t thread = 0; thread < CPUS; thread++)
		server->worker[thread] = (struct worker){
			.now_ns = START_NS,
			.sample_ns = START_NS + between(server, 1, 2000000),
		};
	put_states(server, 0);
	for (uint64_t end_ns = START_NS + PERIOD_NS; server->events < events && !server->failed; end_ns += PERIOD_NS) {
		size_t count = 0;

		server->lock_begin_ns = end_ns - PERIOD_NS + between(server, 10000000, 30000000);
		server->lock_end_ns = server->lock_begin_ns + between(server, 2000000, 6000000);
		for (uint32_t thread = 0; thread < WORKERS; thread++)
			while (server->worker[thread].now_ns < end_ns && !server->failed)
				request(server, thread, wakings, &count);
		move(server, wakings, count, end_ns);
	}
	put_states(server, SCOPE_STATE_AT_STOP);
}

/* ---- the file ---- */

static int write_maps(struct scope_writer *writer)
{
	struct scope_proc_maps maps = { 0 };
	struct scope_proc *proc;
	int code = scope_proc_create(NULL, &proc);

	if (code)
		return code;
	code = scope_proc_maps_read(proc, (uint32_t)getpid(), &maps);
	for (size_t i = 0; i < maps.count && !code; i++) {
		maps.map[i].tgid = TGID;
		code = scope_trace_writer_map(writer, &maps.map[i]);
	}
	scope_proc_maps_destroy(&maps);
	scope_proc_destroy(proc);
	return code;
}

static int write_fds(struct scope_writer *writer)
{
	struct scope_trace_fd fd = { .tgid = TGID, .fd = EPOLL_FD, .kind = SCOPE_FD_EPOLL, .name = "" };
	int code = scope_trace_writer_fd(writer, &fd);

	fd.fd = LOG_FD;
	fd.kind = SCOPE_FD_FILE;
	if (!code)
		code = scope_trace_writer_fd(writer, &fd);
	fd.kind = SCOPE_FD_ACCEPTED;
	for (int i = 0; i < CONNECTIONS && !code; i++) {
		fd.fd = FIRST_FD + i;
		code = scope_trace_writer_fd(writer, &fd);
	}
	return code;
}

static int write_meta(struct scope_writer *writer, const struct server *server)
{
	char text[5][32];
	const struct {
		const char *key, *value;
	} rows[] = {
		{ SCOPE_META_KERNEL, "6.1.0" },	   { SCOPE_META_SOURCE, "text" }, { SCOPE_META_COMMAND, "kvserver" },
		{ SCOPE_META_ARCH, "x86_64" },	   { SCOPE_META_STACKS, "copy" }, { SCOPE_META_END_REASON, "time" },
		{ SCOPE_META_PID, text[0] },	   { SCOPE_META_BEGIN, text[1] }, { SCOPE_META_END, text[2] },
		{ SCOPE_META_SAMPLE_NS, text[3] }, { SCOPE_META_CPUS, text[4] },
	};
	uint64_t end_ns = START_NS;
	int code = 0;

	for (uint32_t thread = 0; thread < CPUS; thread++)
		if (server->worker[thread].now_ns > end_ns)
			end_ns = server->worker[thread].now_ns;
	snprintf(text[0], sizeof(text[0]), "%u", TGID);
	snprintf(text[1], sizeof(text[1]), "%llu", START_NS);
	snprintf(text[2], sizeof(text[2]), "%llu", (unsigned long long)end_ns);
	snprintf(text[3], sizeof(text[3]), "%u", SCOPE_DEFAULT_SAMPLE_PERIOD_NS);
	snprintf(text[4], sizeof(text[4]), "%u", CPUS);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && !code; i++)
		code = scope_trace_writer_meta(writer, rows[i].key, rows[i].value);
	return code;
}

static int write_trace(const char *path, uint64_t events, uint64_t seed, unsigned int kinds)
{
	struct server server = { .random = seed * 0x9e3779b97f4a7c15ull + 1, .kinds = kinds };
	struct scope_writer *writer;
	int code = scope_trace_writer_create(path, &server.error, &writer);

	if (!code) {
		code = write_maps(writer);
		if (!code)
			code = write_fds(writer);
		if (!code)
			code = scope_trace_packer_create(writer, 0, &server.packer);
		if (!code) {
			serve(&server, events);
			code = server.failed;
		}
		if (!code)
			code = scope_trace_packer_flush(server.packer, &server.error);
		if (!code)
			code = write_meta(writer, &server);
		if (!code)
			code = scope_trace_writer_finish(writer, &server.error);
		fprintf(stderr, "%s: %llu events, %.1f MB\n", path, (unsigned long long)server.events,
			(double)scope_trace_writer_bytes(writer) / 1e6);
		scope_trace_packer_destroy(server.packer);
		scope_trace_writer_destroy(writer);
	}
	if (code)
		fprintf(stderr, "server_trace: %s\n", server.error.text[0] ? server.error.text : strerror(-code));
	return code ? 1 : 0;
}

int main(int argc, char **argv)
{
	uint64_t events = 5000000, seed = 1;
	unsigned int kinds = 32;
	const char *path = NULL;
	int option;

	/* Addresses must not move from one run to the next. */
	if (!(personality(0xffffffff) & ADDR_NO_RANDOMIZE) &&
	    personality(personality(0xffffffff) | ADDR_NO_RANDOMIZE) >= 0)
		execv("/proc/self/exe", argv);
	while ((option = getopt(argc, argv, "n:s:k:o:")) != -1) {
		if (option == 'n')
			events = strtoull(optarg, NULL, 10);
		else if (option == 's')
			seed = strtoull(optarg, NULL, 10);
		else if (option == 'k')
			kinds = (unsigned int)strtoul(optarg, NULL, 10);
		else if (option == 'o')
			path = optarg;
		else
			return 2;
	}
	if (!path || kinds < 1 || kinds > 64) {
		fputs("usage: server_trace [-n EVENTS] [-s SEED] [-k KINDS] -o FILE\n", stderr);
		return 2;
	}
	if (server_stacks_take())
		return 1;
	return write_trace(path, events, seed, kinds);
}
