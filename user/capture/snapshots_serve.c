// SPDX-License-Identifier: GPL-2.0-only
/* The process that reads the interpreters of a capture: a round over all threads up to 500 times a second. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

#include "base/grow.h"
#include "base/now.h"
#include "capture/snapshots_internal.h"
#include "capture/snapshots_process.h"
#include "interpreter/name_table.h"

#define NS_PER_MS 1000000ull
#define PERIOD_NS (2 * NS_PER_MS) /* time from round to round, at least */
#define PERIOD_MAX_NS (200 * NS_PER_MS)
#define COST_PARTS 128		       /* a round takes at most this part of the time to the next: 0.8 % of a CPU */
#define SMOOTH 8		       /* rounds over which their cost is averaged */
#define SINCE_MAX_NS (100 * NS_PER_MS) /* the longest time that a snapshot represents */
#define LIST_NS (100 * NS_PER_MS)      /* time between two searches for new threads */
#define FORGET_NS (2000 * NS_PER_MS) /* code is read again after this time, because other code may be at its address */
#define SEND_NS (50 * NS_PER_MS)
#define SNAPSHOT_READS (3 * SCOPE_INTERPRETED_FRAMES)
#define NAME_READS 64
#define TRIES 2 /* attempts to read the frames of a thread */
#define PROCESSES_MAX 512
#define TASKS_PERIOD_NS (10 * NS_PER_MS) /* shortest time between two looks at tasks that wait, … */
#define TASKS_COST_PARTS 200 /* … and they take at most this part of the time: 0.5 % of a CPU, not counting sending */
#define TASK_READS (4 * SCOPE_WAITING_TASKS_MAX)
#define TASKS_FIND_NS (1000 * NS_PER_MS)    /* from one search for tasks of Python to the next */
#define MODULES_FIND_NS (10000 * NS_PER_MS) /* the same if no modules were found: it takes longer */
#define TASKS_FIND_READS 16384u

struct server {
	int fd;
	struct scope_memory memory;
	uint32_t tgid; /* the process whose memory is read */
	struct scope_snapshots_process **process;
	size_t processes, capacity;
	struct scope_name_table names;
	struct scope_snapshots_head head;
	uint8_t message[SCOPE_SNAPSHOTS_MESSAGE];
	size_t used;
	uint64_t sent_ns, dice;
	uint64_t answered;		  /* number of requests in the last message */
	uint64_t tasks_ns, tasks_next_ns; /* the last look at the tasks of all processes; the next look */
	struct scope_waiting_places places;
	uint64_t cpu_ns, round_cpu_ns; /* used in all; in one round, on average */
	bool ending;
};

static void begin_message(struct server *server)
{
	server->used = sizeof(server->head);
}

/*
 * A message for which the caller has no room is lost. Messages with names, and the last one, must not be lost (keep).
 */
static void send_message(struct server *server, uint64_t done_ns, bool keep)
{
	struct timespec cpu;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	server->head.done_ns = done_ns;
	server->head.counts.cpu_ns = (uint64_t)cpu.tv_sec * 1000000000ull + (uint64_t)cpu.tv_nsec;
	memcpy(server->message, &server->head, sizeof(server->head));
	if (send(server->fd, server->message, server->used, MSG_NOSIGNAL | (keep ? 0 : MSG_DONTWAIT)) < 0) {
		if (errno != EAGAIN)
			_Exit(0);
		server->head.counts.lost++;
	}
	server->sent_ns = done_ns;
	server->answered = server->head.requests;
	begin_message(server);
}

/* Makes room for a row and `bytes` bytes after it. */
static struct scope_snapshots_row *add_row(struct server *server, size_t bytes)
{
	const size_t own = (sizeof(struct scope_snapshots_row) + bytes + 7) & ~(size_t)7;
	struct scope_snapshots_row *row;

	/* The rest of this round is sent with a later message. */
	if (server->used + own > sizeof(server->message))
		send_message(server, server->head.done_ns, true);
	row = (void *)(server->message + server->used);
	memset(row, 0, own);
	server->used += own;
	return row;
}

/* ---- names ---- */

/* The number of a name; a new name is sent. */
static uint32_t id_of_name(struct server *server, const char *name)
{
	const size_t bytes = strlen(name), before = server->names.names;
	const uint32_t id = scope_interpreter_name_table_get(&server->names, name);
	struct scope_snapshots_row *row;

	if (id == SCOPE_NAME_TABLE_NONE || server->names.names == before)
		return id;
	row = add_row(server, bytes + 1);
	row->kind = SCOPE_SNAPSHOTS_NAME;
	row->count = (uint16_t)bytes;
	row->id_or_tid = id;
	memcpy(row + 1, name, bytes + 1);
	return id;
}

static uint32_t id_of_function(struct server *server, struct scope_snapshots_process *process, uint64_t function)
{
	struct scope_snapshots_code *code =
		&process->code[(function >> 4) * 0x9e3779b1u % SCOPE_SNAPSHOTS_CODES]; /* no rule */
	char name[SCOPE_INTERPRETED_NAME];

	if (code->function == function)
		return code->id;
	scope_interpreter_memory_begin(&server->memory, NAME_READS);
	if (!scope_interpreter_name(&server->memory, &process->interpreter, function, name))
		return SCOPE_NAME_TABLE_NONE;
	code->id = id_of_name(server, name);
	code->function = code->id == SCOPE_NAME_TABLE_NONE ? 0 : function;
	return code->id;
}

/* ---- snapshots ---- */

static void add_stack(struct server *server, const struct scope_snapshots_task *task,
		      const struct scope_interpreted_frames *frames, const uint32_t *ids, uint64_t time_ns,
		      uint64_t since_ns)
{
	struct scope_snapshots_row *row = add_row(server, frames->count * sizeof(*ids));

	row->kind = SCOPE_SNAPSHOTS_STACK;
	row->cut = frames->cut;
	row->count = (uint16_t)frames->count;
	row->id_or_tid = task->tid;
	row->time_ns = time_ns;
	row->since_ns = since_ns;
	memcpy(row + 1, ids, frames->count * sizeof(*ids));
	server->head.counts.taken++;
}

/*
 * Names are sent before the first stack that has them. If a frame cannot be named it is no function: the frames are
 * from different times.
 */
static enum scope_interpreter_read name_frames(struct server *server, struct scope_snapshots_process *process,
					       const struct scope_interpreted_frames *frames, uint32_t *ret_ids)
{
	for (uint32_t i = 0; i < frames->count; i++) {
		ret_ids[i] = id_of_function(server, process, frames->function[i]);
		if (ret_ids[i] == SCOPE_NAME_TABLE_NONE)
			return SCOPE_INTERPRETER_TORN;
	}
	return SCOPE_INTERPRETER_READ;
}

static void take_snapshot(struct server *server, struct scope_snapshots_process *process,
			  struct scope_snapshots_task *task, uint64_t since_ns)
{
	enum scope_interpreter_read read = SCOPE_INTERPRETER_TORN;
	struct scope_interpreted_frames frames;
	uint32_t ids[SCOPE_INTERPRETED_FRAMES];
	uint64_t now_ns = scope_now_ns();

	scope_interpreter_memory_begin(&server->memory, SNAPSHOT_READS);
	if (!scope_capture_snapshots_place(process, task, &server->memory, now_ns))
		return;
	for (int i = 0; i < TRIES && read == SCOPE_INTERPRETER_TORN; i++) {
		if (i)
			scope_interpreter_memory_begin(&server->memory, SNAPSHOT_READS);
		now_ns = scope_now_ns();
		read = scope_interpreter_frames(&server->memory, &process->interpreter, task->thread.state, &frames);
		if (read == SCOPE_INTERPRETER_READ)
			read = name_frames(server, process, &frames, ids);
	}
	task->looked_ns = now_ns;
	server->head.counts.torn += read == SCOPE_INTERPRETER_TORN;
	server->head.counts.unreadable += read == SCOPE_INTERPRETER_UNREADABLE;
	if (read == SCOPE_INTERPRETER_READ)
		add_stack(server, task, &frames, ids, now_ns, since_ns);
}

/* ---- tasks that wait ---- */

/* Gives functions of an interpreter their addresses in the trace. Returns false if some have no name. */
static bool name_place(struct server *server, struct scope_snapshots_process *process,
		       const struct scope_waiting_place *place)
{
	uint64_t *address = server->places.address + place->first;

	for (uint16_t i = 0; i < place->count; i++) {
		const uint32_t id = id_of_function(server, process, address[i]);

		if (id == SCOPE_NAME_TABLE_NONE)
			return false;
		address[i] = scope_interpreter_address_of_name(id, i > 0);
	}
	return true;
}

static void add_tasks(struct server *server, struct scope_snapshots_process *process,
		      const struct scope_waiting_place *place, uint64_t time_ns, uint64_t since_ns)
{
	struct scope_snapshots_row *row;
	uint64_t *word;

	if (!process->go && !name_place(server, process, place)) {
		server->head.counts.torn++;
		return;
	}
	row = add_row(server, (place->count + 1u) * sizeof(uint64_t));
	row->kind = SCOPE_SNAPSHOTS_TASKS;
	row->cut = place->cut;
	row->count = place->count;
	row->id_or_tid = process->tgid;
	row->time_ns = time_ns;
	row->since_ns = since_ns;
	row->waited_s = place->waited_s;
	word = (uint64_t *)(row + 1);
	word[0] = place->tasks;
	memcpy(word + 1, server->places.address + place->first, place->count * sizeof(*word));
	server->head.counts.taken++;
}

static bool find_goroutines(struct server *server, struct scope_snapshots_process *process)
{
	/* The process has ended, or executed another program. */
	process->gone = kill((pid_t)process->tgid, 0) ||
			scope_capture_snapshots_go_find(process->tgid, &server->memory, &process->goroutines);
	return false;
}

static bool look_at_goroutines(struct server *server, struct scope_snapshots_process *process, uint64_t now_ns)
{
	scope_interpreter_memory_begin(&server->memory, TASK_READS);
	return scope_interpreter_goroutines_look(&server->memory, &process->goroutines, now_ns, process->waits,
						 &server->places) ||
	       find_goroutines(server, process);
}

/* A program may import asyncio at any time. */
static bool find_python_tasks(struct server *server, struct scope_snapshots_process *process, uint64_t now_ns)
{
	if (now_ns < process->next_tasks_ns)
		return false;
	process->next_tasks_ns = now_ns + (process->python_tasks.modules ? TASKS_FIND_NS : MODULES_FIND_NS);
	scope_interpreter_memory_begin(&server->memory, TASKS_FIND_READS);
	if (!scope_interpreter_python_tasks_find(&server->memory, &process->interpreter, &process->python_tasks))
		return false;
	if (!process->waits)
		process->waits = calloc(1, sizeof(*process->waits));
	if (!process->waits)
		process->python_tasks.set = 0;
	return process->waits;
}

static bool look_at_python_tasks(struct server *server, struct scope_snapshots_process *process, uint64_t now_ns)
{
	if (!process->found || process->interpreter.language != SCOPE_INTERPRETER_PYTHON ||
	    (!process->python_tasks.set && !find_python_tasks(server, process, now_ns)))
		return false;
	if (scope_interpreter_python_tasks_look(&server->memory, &process->interpreter, &process->python_tasks,
						TASK_READS, now_ns, process->waits, &server->places))
		return true;
	process->python_tasks = (struct scope_python_tasks){ 0 };
	return false;
}

static void look_at_tasks(struct server *server, struct scope_snapshots_process *process, uint64_t since_ns)
{
	const uint64_t now_ns = scope_now_ns();

	server->tgid = process->tgid;
	if (!(process->go ? look_at_goroutines : look_at_python_tasks)(server, process, now_ns))
		return;
	server->head.counts.torn += server->places.torn;
	for (uint32_t i = 0; i < server->places.places; i++)
		add_tasks(server, process, &server->places.place[i], now_ns, since_ns);
}

/* ---- rounds ---- */

static uint64_t cpu_now_ns(void);

/* A look at all tasks costs time in proportion to their number, so with more tasks the next look comes later. */
static void go_round_of_tasks(struct server *server)
{
	const uint64_t begin_ns = scope_now_ns(), cpu_ns = cpu_now_ns();
	const uint64_t since_ns = server->tasks_ns ? begin_ns - server->tasks_ns : TASKS_PERIOD_NS;
	uint64_t cost_ns;

	if (begin_ns < server->tasks_next_ns)
		return;
	for (size_t i = 0; i < server->processes; i++)
		look_at_tasks(server, server->process[i], since_ns);
	cost_ns = (cpu_now_ns() - cpu_ns) * TASKS_COST_PARTS;
	server->tasks_ns = begin_ns;
	server->tasks_next_ns = begin_ns + (cost_ns < TASKS_PERIOD_NS ? TASKS_PERIOD_NS : cost_ns);
}

static void note_unknown(struct server *server, const struct scope_snapshots_process *process)
{
	server->head.language = process->interpreter.language;
	server->head.version = process->interpreter.version;
	server->head.tgid = process->tgid;
}

static void read_process(struct server *server, struct scope_snapshots_process *process)
{
	const uint64_t now_ns = scope_now_ns();
	const uint64_t since_ns = process->round_ns ? now_ns - process->round_ns : PERIOD_NS;

	server->tgid = process->tgid;
	if (!process->found) {
		if (now_ns >= process->next_try_ns && !process->unknown) {
			scope_capture_snapshots_find(process, &server->memory, now_ns);
			/* This is done once, and does not count as a cost of rounds. */
			server->cpu_ns = cpu_now_ns();
		}
		if (process->unknown && server->head.tgid != process->tgid)
			note_unknown(server, process);
		if (!process->found)
			return;
	}
	if (now_ns >= process->next_list_ns || scope_capture_snapshots_has_new(process, &server->memory, now_ns)) {
		scope_capture_snapshots_list(process, now_ns);
		process->next_list_ns = now_ns + LIST_NS;
	}
	if (now_ns >= process->forget_ns) {
		memset(process->code, 0, sizeof(process->code));
		process->forget_ns = now_ns + FORGET_NS;
	}
	process->round_ns = now_ns;
	for (size_t i = 0; i < process->tasks; i++)
		if (scope_capture_snapshots_due(process, &process->task[i], now_ns))
			take_snapshot(server, process, &process->task[i],
				      since_ns < SINCE_MAX_NS ? since_ns : SINCE_MAX_NS);
}

static struct scope_snapshots_process *find_process(struct server *server, uint32_t tgid)
{
	for (size_t i = 0; i < server->processes; i++)
		if (server->process[i]->tgid == tgid)
			return server->process[i];
	return NULL;
}

static void add_process(struct server *server, uint32_t tgid, bool interpreted)
{
	struct scope_snapshots_process *process;
	struct scope_goroutines goroutines = { 0 };

	server->tgid = tgid;
	if (!interpreted) {
		const enum scope_snapshots_go found =
			find_process(server, tgid)
				? SCOPE_SNAPSHOTS_GO_ABSENT
				: scope_capture_snapshots_go_find(tgid, &server->memory, &goroutines);

		if (found == SCOPE_SNAPSHOTS_GO_UNKNOWN)
			server->head.go = tgid;
		if (found != SCOPE_SNAPSHOTS_GO_FOUND)
			return;
	}
	if (server->processes == PROCESSES_MAX ||
	    scope_grow(&server->process, &server->capacity, server->processes + 1, sizeof(process)))
		return;
	process = calloc(1, sizeof(*process));
	if (!process)
		return;
	process->tgid = tgid;
	process->go = !interpreted;
	process->goroutines = goroutines;
	process->waits = process->go ? calloc(1, sizeof(*process->waits)) : NULL;
	if (process->go && !process->waits) {
		free(process);
		return;
	}
	server->process[server->processes++] = process;
}

static void read_requests(struct server *server)
{
	struct scope_snapshots_request row;
	ssize_t got;

	while ((got = recv(server->fd, &row, sizeof(row), MSG_DONTWAIT)) > 0) {
		server->head.requests++;
		if (row.tgid)
			add_process(server, row.tgid, row.interpreted);
		else
			server->ending = true;
	}
	if (!got)
		_Exit(0);
}

static uint64_t cpu_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

static void go_round(struct server *server)
{
	const uint64_t begin_ns = scope_now_ns();
	size_t kept = 0;
	uint64_t cpu_ns;
	bool last;

	go_round_of_tasks(server);
	for (size_t i = 0; i < server->processes; i++) {
		if (!server->process[i]->go)
			read_process(server, server->process[i]);
		if (server->process[i]->gone)
			scope_capture_snapshots_process_destroy(server->process[i]);
		else
			server->process[kept++] = server->process[i];
	}
	server->processes = kept;
	/* This is the last message before the child waits for another request. */
	last = !kept && (server->head.processes || server->head.requests > server->answered);
	server->head.processes = kept;
	/* The message contains all that this round found, so no earlier snapshot is missing. */
	server->head.done_ns = begin_ns;
	if (begin_ns >= server->sent_ns + SEND_NS || server->ending || last)
		send_message(server, begin_ns, server->ending || last);
	cpu_ns = cpu_now_ns();
	server->round_cpu_ns += (cpu_ns - server->cpu_ns) / SMOOTH;
	server->round_cpu_ns -= server->round_cpu_ns / SMOOTH;
	server->cpu_ns = cpu_ns;
}

/* The time to the next round: as long as the budget requires, and never in step with regular work of the target. */
static uint64_t next_period_ns(struct server *server)
{
	uint64_t period_ns = server->round_cpu_ns * COST_PARTS;

	period_ns = period_ns < PERIOD_NS ? PERIOD_NS : period_ns > PERIOD_MAX_NS ? PERIOD_MAX_NS : period_ns;
	server->dice = server->dice * 6364136223846793005ull + 1442695040888963407ull; /* no rule: D. Knuth's MMIX */
	return period_ns * 3 / 4 + (server->dice >> 32) * (period_ns / 2) / UINT32_MAX;
}

static void raise_limit(void)
{
	struct rlimit limits;

	if (getrlimit(RLIMIT_NOFILE, &limits))
		return;
	limits.rlim_cur = limits.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limits);
}

void scope_capture_snapshots_serve(int fd)
{
	struct server *server = calloc(1, sizeof(*server));
	struct pollfd set = { .fd = fd, .events = POLLIN };

	if (!server)
		return;
	raise_limit();
	server->fd = fd;
	server->memory.read = scope_interpreter_memory_of_process;
	server->memory.read_pages = scope_interpreter_memory_pages_of_process;
	server->memory.context = &server->tgid;
	begin_message(server);
	while (!server->ending) {
		const uint64_t period_ns = next_period_ns(server);
		const struct timespec wait = { .tv_nsec = (long)period_ns };

		/* A process whose interpreter is not found yet is searched at the same pace. */
		ppoll(&set, 1, server->processes ? &wait : NULL, NULL);
		if (set.revents)
			read_requests(server);
		go_round(server);
	}
}
