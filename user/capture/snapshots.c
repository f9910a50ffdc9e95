// SPDX-License-Identifier: GPL-2.0-only
/* The side of snapshots that holds the session: starts the child, and writes the snapshots that it sends. */
#include "capture/snapshots.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/now.h"
#include "capture/snapshots_internal.h"
#include "interpreter/goroutines.h"
#include "interpreter/name_table.h"
#include "proc/child.h"
#include "trace/format.h"
#include "trace/packer.h"

#define NS_PER_MS 1000000ull
#define END_MS 500u		   /* wait for the last snapshots, at most */
#define BUFFER_BYTES (4 << 20)	   /* bytes of the socket's buffer: enough if the caller is busy for some seconds */
#define META_SNAPSHOTS "snapshots" /* key of the metadata (docs/trace-format.md) */

struct scope_snapshots {
	struct scope_writer *writer;
	struct scope_packer *packer;
	pid_t child; /* 0: it has ended */
	int fd;
	uint32_t *tgid; /* processes that the child knows of */
	size_t tgids, capacity;
	uint32_t asked;	   /* the last process that was sent as a possible Go program, … */
	uint64_t start;	   /* … and its last mapping */
	uint32_t names;	   /* functions with numbers below this have names in the trace */
	uint64_t requests; /* requests sent to the child */
	uint64_t heard_ns; /* time of the child's last message; 0: it has nothing to read */
	uint64_t last_ns;  /* time of the last snapshot */
	bool given_up;
	struct scope_snapshots_head head; /* head of its last message */
	uint64_t ip[SCOPE_INTERPRETED_FRAMES];
	uint8_t message[SCOPE_SNAPSHOTS_MESSAGE];
};

/* The child may hang in the kernel, so this does not wait for its end; it ends when its wait in the kernel ends. */
static void give_up(struct scope_snapshots *snapshots)
{
	if (!snapshots->child)
		return;
	kill(snapshots->child, SIGKILL);
	waitpid(snapshots->child, NULL, WNOHANG);
	snapshots->child = 0;
}

static int begin_child(struct scope_snapshots *snapshots)
{
	const pid_t parent = getpid();
	const int bytes = BUFFER_BYTES;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	if (setsockopt(ends[1], SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes)))
		setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
	snapshots->child = fork();
	if (!snapshots->child) {
		scope_proc_child_detach(parent);
		scope_proc_child_close(ends[1]);
		scope_proc_child_drop_capabilities();
		scope_capture_snapshots_serve(ends[1]);
		_exit(0);
	}
	close(ends[1]);
	snapshots->fd = ends[0];
	if (snapshots->child > 0)
		return 0;
	snapshots->child = 0;
	return -errno;
}

int scope_capture_snapshots_create(struct scope_writer *writer,
				   int (*take)(const struct scope_subbuf *subbuf, void *context), void *context,
				   struct scope_error *error, struct scope_snapshots **ret_snapshots)
{
	struct scope_snapshots *snapshots = calloc(1, sizeof(*snapshots));
	int err = snapshots ? 0 : -ENOMEM;

	if (!err) {
		snapshots->fd = -1;
		snapshots->writer = writer;
		err = scope_trace_packer_create_for(take, context, 0, &snapshots->packer);
	}
	if (!err)
		err = begin_child(snapshots);
	if (err) {
		scope_capture_snapshots_destroy(snapshots);
		return scope_error_set(error, err, "cannot begin the process that reads interpreters: %s",
				       strerror(-err));
	}
	*ret_snapshots = snapshots;
	return 0;
}

void scope_capture_snapshots_destroy(struct scope_snapshots *snapshots)
{
	if (!snapshots)
		return;
	give_up(snapshots);
	if (snapshots->fd >= 0)
		close(snapshots->fd);
	scope_trace_packer_destroy(snapshots->packer);
	free(snapshots->tgid);
	free(snapshots);
}

static bool is_known(const struct scope_snapshots *snapshots, uint32_t tgid)
{
	for (size_t i = snapshots->tgids; i-- > 0;)
		if (snapshots->tgid[i] == tgid)
			return true;
	return false;
}

static void request(struct scope_snapshots *snapshots, uint32_t tgid, bool interpreted)
{
	const struct scope_snapshots_request row = { tgid, interpreted };

	if (!snapshots->child)
		return;
	if (send(snapshots->fd, &row, sizeof(row), MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof(row))
		snapshots->requests++;
	else if (errno != EAGAIN)
		give_up(snapshots);
}

/*
 * True for the first mapping of a process, or of a program that it executed later. Mappings come in order of addresses.
 */
static bool is_first(struct scope_snapshots *snapshots, const struct scope_trace_map *map)
{
	const bool first = map->tgid != snapshots->asked || map->start < snapshots->start;

	snapshots->asked = map->tgid;
	snapshots->start = map->start;
	return first;
}

void scope_capture_snapshots_map(struct scope_snapshots *snapshots, const struct scope_trace_map *map)
{
	if (!snapshots->child)
		return;
	if (is_first(snapshots, map))
		request(snapshots, map->tgid, false);
	if (!scope_interpreter_of_path(map->path) || scope_interpreter_of_path(map->path) == SCOPE_INTERPRETER_V8 ||
	    is_known(snapshots, map->tgid))
		return;
	/* Without memory the functions of the process have no names. */
	if (scope_grow(&snapshots->tgid, &snapshots->capacity, snapshots->tgids + 1, sizeof(*snapshots->tgid)))
		return;
	if (!snapshots->tgids)
		snapshots->heard_ns = scope_now_ns();
	snapshots->tgid[snapshots->tgids++] = map->tgid;
	request(snapshots, map->tgid, true);
}

/* ---- what the child sends ---- */

/* Takes the name of a function. -EPROTO: it is invalid. */
static int take_name(struct scope_snapshots *snapshots, const struct scope_snapshots_row *row, const char *text)
{
	const struct scope_trace_symbol symbol = {
		.start = scope_interpreter_address_of_name(row->id_or_tid, false),
		.size = SCOPE_INTERPRETED_SIZE,
		.name = (char *)text,
		.module = (char *)SCOPE_TRACE_JIT_MODULE,
	};

	if (row->id_or_tid != snapshots->names || snapshots->names == SCOPE_NAME_TABLE_MAX ||
	    strnlen(text, row->count + 1u) != row->count)
		return -EPROTO;
	snapshots->names++;
	return scope_trace_writer_symbol(snapshots->writer, &symbol);
}

static int take_stack(struct scope_snapshots *snapshots, const struct scope_snapshots_row *row, const uint32_t *id)
{
	const struct scope_event event = {
		.kind = SCOPE_EVENT_STACK,
		.cpu = SCOPE_FRAME_CPU_SNAPSHOTS,
		.time_ns = row->time_ns,
		.tid = row->id_or_tid,
		.stack = {
			.reason = SCOPE_STACK_SNAPSHOT,
			.ended = row->cut ? SCOPE_FRAMES_CUT : SCOPE_FRAMES_COMPLETE,
			.ips = row->count,
			.since_ns = row->since_ns,
			.ip = snapshots->ip,
		},
	};

	if (row->time_ns < snapshots->last_ns || row->time_ns > scope_now_ns() ||
	    row->count > SCOPE_INTERPRETED_FRAMES || !row->id_or_tid || row->id_or_tid > SCOPE_TID_MASK)
		return -EPROTO;
	for (uint16_t i = 0; i < row->count; i++) {
		if (id[i] >= snapshots->names)
			return -EPROTO;
		snapshots->ip[i] = scope_interpreter_address_of_name(id[i], i > 0);
	}
	snapshots->last_ns = row->time_ns;
	return scope_trace_packer_event(snapshots->packer, &event, NULL);
}

/* True if the address belongs to a function of an interpreter, and has a name. */
static bool is_of_name(const struct scope_snapshots *snapshots, uint64_t address, bool caller)
{
	const uint64_t id = (address - SCOPE_INTERPRETED_BASE) / SCOPE_INTERPRETED_SIZE;

	return id < snapshots->names && address == scope_interpreter_address_of_name((uint32_t)id, caller);
}

static int take_tasks(struct scope_snapshots *snapshots, const struct scope_snapshots_row *row, const uint64_t *word)
{
	const struct scope_event event = {
		.kind = SCOPE_EVENT_STACK,
		.cpu = SCOPE_FRAME_CPU_SNAPSHOTS,
		.time_ns = row->time_ns,
		.tid = row->id_or_tid,
		.stack = {
			.reason = SCOPE_STACK_TASKS,
			.ended = row->cut ? SCOPE_FRAMES_CUT : SCOPE_FRAMES_COMPLETE,
			.ips = row->count,
			.tasks = (uint32_t)word[0],
			.waited_s = (uint8_t)row->waited_s,
			.since_ns = row->since_ns,
			.ip = word + 1,
		},
	};

	if (row->time_ns < snapshots->last_ns || row->time_ns > scope_now_ns() || !row->count ||
	    row->count > SCOPE_WAITING_FRAMES || !row->id_or_tid || row->id_or_tid > SCOPE_TID_MASK || !word[0] ||
	    word[0] > SCOPE_WAITING_TASKS_MAX || row->waited_s > SCOPE_WAITING_SECONDS_MAX)
		return -EPROTO;
	for (uint16_t i = 0; i < row->count; i++)
		if (word[1 + i] >= SCOPE_INTERPRETED_BASE && !is_of_name(snapshots, word[1 + i], i > 0))
			return -EPROTO;
	snapshots->last_ns = row->time_ns;
	return scope_trace_packer_event(snapshots->packer, &event, NULL);
}

/* Bytes of a row; 0: its kind is unknown. */
static size_t row_bytes(const struct scope_snapshots_row *row)
{
	switch (row->kind) {
	case SCOPE_SNAPSHOTS_NAME:
		return sizeof(*row) + row->count + 1u;
	case SCOPE_SNAPSHOTS_STACK:
		return sizeof(*row) + row->count * sizeof(uint32_t);
	case SCOPE_SNAPSHOTS_TASKS:
		return sizeof(*row) + (row->count + 1u) * sizeof(uint64_t);
	default:
		return 0;
	}
}

static int take_row(struct scope_snapshots *snapshots, const struct scope_snapshots_row *row)
{
	if (row->kind == SCOPE_SNAPSHOTS_NAME)
		return take_name(snapshots, row, (const char *)(row + 1));
	return row->kind == SCOPE_SNAPSHOTS_STACK ? take_stack(snapshots, row, (const uint32_t *)(row + 1))
						  : take_tasks(snapshots, row, (const uint64_t *)(row + 1));
}

static int take_message(struct scope_snapshots *snapshots, size_t bytes)
{
	size_t at = sizeof(snapshots->head);
	int err = 0;

	if (bytes < at)
		return -EPROTO;
	memcpy(&snapshots->head, snapshots->message, sizeof(snapshots->head));
	/* The child sends nothing while it has nothing to read. */
	snapshots->heard_ns =
		snapshots->head.processes || snapshots->head.requests < snapshots->requests ? scope_now_ns() : 0;
	while (!err && at < bytes) {
		const struct scope_snapshots_row *row = (const void *)(snapshots->message + at);
		const size_t left = bytes - at;
		size_t own;

		if (left < sizeof(*row))
			return -EPROTO;
		own = (row_bytes(row) + 7) & ~(size_t)7;
		if (!own || own > left)
			return -EPROTO;
		err = take_row(snapshots, row);
		at += own;
	}
	return err;
}

/* Takes messages. Returns 1 if the child has ended, or has sent something invalid. */
static int take_messages(struct scope_snapshots *snapshots, int wait_ms)
{
	struct pollfd set = { .fd = snapshots->fd, .events = POLLIN };

	while (poll(&set, 1, wait_ms) > 0) {
		const ssize_t got = recv(snapshots->fd, snapshots->message, sizeof(snapshots->message), MSG_DONTWAIT);
		int err;

		if (got <= 0)
			return got < 0 && errno == EAGAIN ? 0 : 1;
		err = take_message(snapshots, (size_t)got);
		if (err)
			return err == -EPROTO ? 1 : err;
	}
	return 0;
}

int scope_capture_snapshots_pump(struct scope_snapshots *snapshots, bool end)
{
	int err;

	if (!snapshots->child)
		return 0;
	if (end)
		request(snapshots, 0, false);
	err = take_messages(snapshots, end ? (int)END_MS : 0);
	if (err < 0)
		return err;
	if (!err && snapshots->heard_ns && !end &&
	    scope_now_ns() > snapshots->heard_ns + SCOPE_SNAPSHOTS_WAIT_MS * NS_PER_MS)
		snapshots->given_up = true;
	if (err || end || snapshots->given_up)
		give_up(snapshots);
	return scope_trace_packer_flush(snapshots->packer, NULL);
}

uint64_t scope_capture_snapshots_settled_ns(const struct scope_snapshots *snapshots)
{
	return snapshots->child && snapshots->heard_ns ? snapshots->head.done_ns : UINT64_MAX;
}

static const char *const languages[] = {
	[SCOPE_INTERPRETER_PYTHON] = "Python",
	[SCOPE_INTERPRETER_PHP] = "PHP",
	[SCOPE_INTERPRETER_RUBY] = "Ruby",
	[SCOPE_INTERPRETER_PERL] = "Perl",
};

void scope_capture_snapshots_problem(const struct scope_snapshots *snapshots, char *text, size_t size)
{
	const struct scope_snapshots_head *head = &snapshots->head;

	text[0] = '\0';
	if (snapshots->given_up && !head->processes)
		snprintf(text, size,
			 "for %u s nothing was heard of whether the program is interpreted; functions of Python, PHP, "
			 "Ruby and Perl, and waits of Java and Go, would be missing",
			 SCOPE_SNAPSHOTS_WAIT_MS / 1000);
	else if (snapshots->given_up)
		snprintf(text, size,
			 "the memory of an interpreter could not be read for %u s, so later functions of the "
			 "program have no names",
			 SCOPE_SNAPSHOTS_WAIT_MS / 1000);
	else if (head->tgid && head->language < sizeof(languages) / sizeof(languages[0]) && languages[head->language])
		snprintf(text, size,
			 "functions of process %u have no names, because this version of %s (%u.%u), or how it "
			 "was built, is not known%s",
			 head->tgid, languages[head->language], head->version >> 8, head->version & 255,
			 head->language == SCOPE_INTERPRETER_PYTHON ? "; start it with -X perf" : "");
	else if (head->tgid && head->language == SCOPE_INTERPRETER_HOTSPOT)
		snprintf(text, size,
			 "methods in which threads of process %u wait have no names, because its JVM is older than "
			 "version 10, or this machine is not known",
			 head->tgid);
	else if (head->go)
		snprintf(text, size,
			 "where goroutines of process %u wait is not known, because this version of Go, or this "
			 "machine, is not known",
			 head->go);
}

int scope_capture_snapshots_write_meta(const struct scope_snapshots *snapshots, struct scope_writer *writer)
{
	const struct scope_snapshots_counts *counts = &snapshots->head.counts;
	char text[160];

	if (!snapshots->tgids && !counts->taken)
		return 0;
	snprintf(text, sizeof(text),
		 "taken %" PRIu64 ", torn %" PRIu64 ", unreadable %" PRIu64 ", lost %" PRIu64 ", cpu_ns %" PRIu64,
		 counts->taken, counts->torn, counts->unreadable, counts->lost, counts->cpu_ns);
	return scope_trace_writer_meta(writer, META_SNAPSHOTS, text);
}
