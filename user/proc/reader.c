// SPDX-License-Identifier: GPL-2.0-only
/* The caller's side of the readers: requests, answers, time limits, and which threads and files are not read again. */
#include "proc/reader.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/now.h"
#include "proc/file.h"
#include "proc/reader_internal.h"

#define NS_PER_MS 1000000ull
#define SLICE_MS 20u  /* between two calls of while_waiting() */
#define STARVED 5u    /* a reader that waits for a CPU gets this many time limits */
#define SENT_MAX 32u  /* requests without an answer yet: touches, and requests whose answer a caller waits for */
#define WANTED_MAX 2u /* nested waits: while_waiting() may send requests, which do not call it again */

struct sent {
	uint64_t number, sent_ns;
	uint32_t tgid, tid, kind, mark;
};

/* Marks a request that is not sent again, for a thread or a whole process; or a request that was not answered. */
struct mark {
	uint32_t tgid, tid; /* tid: WHOLE_PROCESS, or the number of a file's name */
	uint32_t of;	    /* kind, as returned by mark_of() */
};

#define WHOLE_PROCESS 0u

struct marks {
	struct mark *mark;
	size_t count, room;
};

struct scope_proc_reader {
	const volatile sig_atomic_t *stop;
	int (*while_waiting)(void *context);
	void *context;
	int keeper, channel; /* sockets; -1: there is none */
	pid_t keeper_pid;
	pid_t *reader_pid;	    /* shared with the keeper */
	uint64_t number;	    /* of the last request */
	struct sent sent[SENT_MAX]; /* answered in this order; a ring */
	unsigned int first, count;
	uint64_t since_ns;		    /* when the reader began with the first of them */
	unsigned int lost;		    /* number of readers that were given up */
	struct scope_reader_wanted *wanted; /* the innermost waiting request */
	unsigned int depth;		    /* number of waiting requests */
	struct marks refused, unread;
	uint8_t data[SCOPE_READER_BYTES]; /* data of the received packet */
};

/* ---- what is not read again, and what is missing ---- */

static bool has_mark(const struct marks *marks, uint32_t tgid, uint32_t tid, uint32_t of)
{
	for (size_t i = 0; i < marks->count; i++)
		if (marks->mark[i].tgid == tgid && marks->mark[i].tid == tid && marks->mark[i].of == of)
			return true;
	return false;
}

/* Without memory the list of missing data is incomplete. */
static void set_mark(struct marks *marks, uint32_t tgid, uint32_t tid, uint32_t of)
{
	if (!has_mark(marks, tgid, tid, of) &&
	    !scope_grow(&marks->mark, &marks->room, marks->count + 1, sizeof(*marks->mark)))
		marks->mark[marks->count++] = (struct mark){ tgid, tid, of };
}

/*
 * A touch has the same mark as a read of memory, because both wait for the same pages. A look and an open have the same
 * mark, because both wait for the same file. Each kind of text has a separate mark.
 */
static uint32_t mark_of(const struct scope_reader_request *request)
{
	switch (request->kind) {
	case SCOPE_READER_TEXT:
		return SCOPE_READER_KINDS + request->what;
	case SCOPE_READER_TOUCH:
		return SCOPE_READER_MEMORY;
	case SCOPE_READER_LOOK:
		return SCOPE_READER_OPEN;
	default:
		return request->kind;
	}
}

/* A thread that blocked a reader is not read again. After a second such thread none of the process's threads is. */
static void refuse(struct scope_proc_reader *reader, const struct sent *sent)
{
	uint32_t tid = sent->tid;

	/* Files are marked one by one, each by the number of its name. */
	for (size_t i = 0; sent->mark != SCOPE_READER_OPEN && i < reader->refused.count; i++)
		if (reader->refused.mark[i].tgid == sent->tgid && reader->refused.mark[i].of == sent->mark)
			tid = WHOLE_PROCESS;
	set_mark(&reader->refused, sent->tgid, tid, sent->mark);
	set_mark(&reader->unread, sent->tgid, sent->tid, sent->mark);
}

static bool is_refused(const struct scope_proc_reader *reader, const struct scope_reader_request *request)
{
	const uint32_t mark = mark_of(request);

	return has_mark(&reader->refused, request->tgid, request->tid, mark) ||
	       (mark != SCOPE_READER_OPEN && has_mark(&reader->refused, request->tgid, WHOLE_PROCESS, mark));
}

static size_t count_marks(const struct marks *marks, uint32_t of)
{
	size_t count = 0;

	for (size_t i = 0; i < marks->count; i++)
		count += marks->mark[i].of == of;
	return count;
}

/* ---- readers come and go ---- */

static uint64_t limit_ns(const struct scope_proc_reader *reader)
{
	uint64_t limit = SCOPE_READER_WAIT_MS >> (reader->lost < 2 ? reader->lost : 2);

	if (limit < SCOPE_READER_HURRY_MS || (reader->stop && *reader->stop))
		limit = SCOPE_READER_HURRY_MS;
	return limit * NS_PER_MS;
}

static bool is_runnable(pid_t pid)
{
	const char *state;
	bool runnable;
	char *text;

	if (pid <= 0 || scope_proc_file_read(&text, "/proc/%d/status", (int)pid))
		return false;
	state = scope_proc_file_field(text, "State:");
	runnable = state && *state == 'R';
	free(text);
	return runnable;
}

/* A reader that waits for a CPU, on a busy host, is not blocked by what it reads, so it gets more time. */
static bool is_overdue(const struct scope_proc_reader *reader)
{
	const uint64_t waited_ns = scope_now_ns() - reader->since_ns, limit = limit_ns(reader);

	return waited_ns >= limit &&
	       (waited_ns >= STARVED * limit ||
		(!is_runnable(*(volatile pid_t *)reader->reader_pid) && !is_runnable(reader->keeper_pid)));
}

/* fd: the socket of a new reader; -1: end the current reader. */
static int send_keeper(const struct scope_proc_reader *reader, int fd)
{
	char byte = 0, room[CMSG_SPACE(sizeof(fd))] = { 0 };
	struct iovec piece = { &byte, 1 };
	struct msghdr message = { .msg_iov = &piece, .msg_iovlen = 1 };

	if (fd >= 0)
		scope_proc_reader_pass(&message, room, sizeof(room), fd);
	return sendmsg(reader->keeper, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == 1 ? 0 : -errno;
}

static int begin(struct scope_proc_reader *reader)
{
	int ends[2], err;

	if (reader->channel >= 0)
		return 0;
	if (reader->lost >= SCOPE_READER_LOST_MAX)
		return -ETIMEDOUT;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	err = send_keeper(reader, ends[1]);
	close(ends[1]);
	if (err)
		close(ends[0]);
	else
		reader->channel = ends[0];
	return err;
}

/* The reader may be blocked in the kernel without end, so it is killed without waiting for its end. */
static void give_up(struct scope_proc_reader *reader)
{
	send_keeper(reader, -1);
	close(reader->channel);
	reader->channel = -1;
	reader->lost++;
	if (reader->count)
		refuse(reader, &reader->sent[reader->first]);
	reader->count = 0;
	for (struct scope_reader_wanted *wanted = reader->wanted; wanted; wanted = wanted->outer)
		wanted->lost = !wanted->done;
}

/* ---- requests and answers ---- */

bool scope_proc_reader_make_room(struct scope_reader_wanted *wanted, size_t bytes)
{
	const size_t need = wanted->bytes + bytes;
	size_t room = wanted->room ? wanted->room : SCOPE_READER_BYTES;
	uint8_t *grown;

	if (need <= wanted->room)
		return true;
	if (need > wanted->limit)
		return false;
	while (room < need)
		room *= 2;
	grown = realloc(wanted->data, room);
	if (!grown)
		return false;
	wanted->data = grown;
	wanted->room = room;
	return true;
}

/* Gives an answer to the request that waits for it; other answers are dropped. Owns fd from here on. */
static void deliver(struct scope_proc_reader *reader, const struct scope_reader_answer *head, int fd)
{
	struct scope_reader_wanted *wanted = reader->wanted;

	while (wanted && wanted->number != head->number)
		wanted = wanted->outer;
	if (!wanted) {
		if (fd >= 0)
			close(fd);
		return;
	}
	if (fd >= 0)
		wanted->fd = fd;
	/* The error only means that the reader's memory is limited; this process has enough memory. */
	if (wanted->code != -EFBIG)
		wanted->code = head->code == -ENOMEM ? -EFBIG : head->code;
	if (head->bytes && scope_proc_reader_make_room(wanted, head->bytes)) {
		memcpy(wanted->data + wanted->bytes, reader->data, head->bytes);
		wanted->bytes += head->bytes;
	} else if (head->bytes) {
		wanted->code = -EFBIG;
	}
	wanted->done = !head->more;
}

/* Receives answers. 0; -EPIPE: the reader has ended, or sent an answer without a request. */
static int collect(struct scope_proc_reader *reader)
{
	struct scope_reader_answer head;
	struct iovec piece[] = { { &head, sizeof(head) }, { reader->data, sizeof(reader->data) } };

	while (reader->count) {
		const struct sent *sent = &reader->sent[reader->first];
		char room[CMSG_SPACE(sizeof(int))];
		struct msghdr message = {
			.msg_iov = piece, .msg_iovlen = 2, .msg_control = room, .msg_controllen = sizeof(room)
		};
		const ssize_t got = recvmsg(reader->channel, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			return 0;
		if (got < (ssize_t)sizeof(head) || got - sizeof(head) != head.bytes || head.number != sent->number)
			return -EPIPE;
		deliver(reader, &head, scope_proc_reader_passed(&message));
		/* An answer with a copy of a file may take longer than other answers. */
		if (!head.more || (sent->kind == SCOPE_READER_OPEN &&
				   scope_now_ns() - sent->sent_ns < SCOPE_READER_COPY_MS * NS_PER_MS))
			reader->since_ns = scope_now_ns();
		if (head.more)
			continue;
		reader->first = (reader->first + 1) % SENT_MAX;
		reader->count--;
	}
	return 0;
}

/* Receives answers, and gives up a reader that has ended or has not answered in time. */
static void check(struct scope_proc_reader *reader)
{
	if (reader->channel >= 0 && (collect(reader) || (reader->count && is_overdue(reader))))
		give_up(reader);
}

static int send_request(struct scope_proc_reader *reader, struct scope_reader_request *request,
			const struct scope_reader_attachment *attachment)
{
	char room[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec piece[] = { { request, sizeof(*request) }, { NULL, 0 } };
	struct msghdr message = { .msg_iov = piece, .msg_iovlen = 1 };
	int err = begin(reader);

	if (err)
		return err;
	request->number = ++reader->number;
	if (attachment && attachment->path) {
		piece[1] = (struct iovec){ (void *)attachment->path, strlen(attachment->path) };
		message.msg_iovlen = 2;
	}
	if (attachment && attachment->root >= 0)
		scope_proc_reader_pass(&message, room, sizeof(room), attachment->root);
	if (sendmsg(reader->channel, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		return errno == EAGAIN ? -EAGAIN : -EPIPE;
	if (!reader->count)
		reader->since_ns = scope_now_ns();
	reader->sent[(reader->first + reader->count++) % SENT_MAX] = (struct sent){
		request->number, scope_now_ns(), request->tgid, request->tid, request->kind, mark_of(request),
	};
	return 0;
}

/* Waits until the answer has come, the reader is given up, or while_waiting() fails, whose value is returned. */
static int await(struct scope_proc_reader *reader, const struct scope_reader_wanted *wanted)
{
	for (;;) {
		struct pollfd set = { .fd = reader->channel, .events = POLLIN };
		uint64_t waited_ns, limit = limit_ns(reader);
		int left_ms = 1, err;

		check(reader);
		if (wanted->done || wanted->lost)
			return 0;
		waited_ns = scope_now_ns() - reader->since_ns;
		if (waited_ns < limit)
			left_ms += (int)((limit - waited_ns) / NS_PER_MS);
		if (poll(&set, 1, left_ms < (int)SLICE_MS ? left_ms : (int)SLICE_MS) || !reader->while_waiting ||
		    reader->depth > 1)
			continue;
		err = reader->while_waiting(reader->context);
		if (err)
			return err;
	}
}

/* If a request failed only because an earlier one blocked the reader, it is sent to the next reader. */
int scope_proc_reader_ask(struct scope_proc_reader *reader, struct scope_reader_request *request,
			  const struct scope_reader_attachment *attachment, struct scope_reader_wanted *wanted)
{
	int err;

	while (reader->depth < WANTED_MAX && !is_refused(reader, request)) {
		check(reader);
		err = reader->count == SENT_MAX ? -EAGAIN : send_request(reader, request, attachment);
		if (err == -EPIPE)
			give_up(reader);
		else if (err)
			break;
		if (err)
			continue;
		wanted->number = request->number;
		wanted->outer = reader->wanted;
		wanted->bytes = 0;
		wanted->fd = -1;
		wanted->code = 0;
		wanted->done = wanted->lost = false;
		reader->wanted = wanted;
		reader->depth++;
		err = await(reader, wanted);
		reader->depth--;
		reader->wanted = wanted->outer;
		if (err || wanted->done)
			return err ? err : wanted->code;
	}
	set_mark(&reader->unread, request->tgid, request->tid, mark_of(request));
	return -ETIMEDOUT;
}

void scope_proc_reader_touch(struct scope_proc_reader *reader, uint32_t tgid, uint32_t tid, uint64_t address,
			     uint32_t pages)
{
	struct scope_reader_request request = {
		.kind = SCOPE_READER_TOUCH,
		.tgid = tgid,
		.tid = tid,
		.address = address,
		.pages = pages,
	};

	if (!reader) {
		scope_proc_reader_touch_pages(tid, address, pages);
		return;
	}
	check(reader);
	/* The last places are kept for requests whose answer a caller waits for. */
	if (reader->count >= SENT_MAX - WANTED_MAX || is_refused(reader, &request))
		return;
	if (send_request(reader, &request, NULL) == -EPIPE)
		give_up(reader);
}

/* ---- the whole ---- */

int scope_proc_reader_create(const volatile sig_atomic_t *stop, struct scope_error *error,
			     struct scope_proc_reader **ret_reader)
{
	struct scope_proc_reader *reader = calloc(1, sizeof(*reader));
	int err;

	if (!reader)
		return scope_error_set(error, -ENOMEM, "no memory left to begin tracing");
	reader->stop = stop;
	reader->channel = -1;
	err = scope_proc_reader_keep(&reader->keeper, &reader->keeper_pid, &reader->reader_pid);
	if (err) {
		free(reader);
		return scope_error_set(error, err,
				       "no process can be started that reads the target: %s; see the limits "
				       "on processes (`ulimit -u`) and open files",
				       strerror(-err));
	}
	*ret_reader = reader;
	return 0;
}

void scope_proc_reader_destroy(struct scope_proc_reader *reader)
{
	if (!reader)
		return;
	if (reader->channel >= 0)
		close(reader->channel);
	/* Processes forked since may hold the socket, too. */
	shutdown(reader->keeper, SHUT_RDWR);
	close(reader->keeper);
	/* The keeper never reads a target, so it ends soon. */
	while (waitpid(reader->keeper_pid, NULL, 0) < 0 && errno == EINTR)
		;
	munmap(reader->reader_pid, sizeof(*reader->reader_pid));
	free(reader->refused.mark);
	free(reader->unread.mark);
	free(reader);
}

void scope_proc_reader_set_idle(struct scope_proc_reader *reader, int (*while_waiting)(void *context), void *context)
{
	reader->while_waiting = while_waiting;
	reader->context = context;
}

void scope_proc_reader_problem(const struct scope_proc_reader *reader, char *text, size_t size)
{
	static const struct {
		uint32_t mark;
		const char *one, *more; /* sentences for one thread and for several */
	} rows[] = {
		{ SCOPE_READER_MEMORY, "the memory of %zu thread", "the memory of %zu threads" },
		{ SCOPE_READER_SUPPLIED, "the runtime's memory of %zu process",
		  "the runtime's memory of %zu processes" },
		{ SCOPE_READER_KINDS + SCOPE_PROC_MAPS, "the maps of %zu process", "the maps of %zu processes" },
		{ SCOPE_READER_KINDS + SCOPE_PROC_CMDLINE, "the command line of %zu process",
		  "the command lines of %zu processes" },
		{ SCOPE_READER_KINDS + SCOPE_PROC_SYSCALL, "the system call of %zu thread",
		  "the system calls of %zu threads" },
		{ SCOPE_READER_KINDS + SCOPE_PROC_STACK, "the kernel stack of %zu thread",
		  "the kernel stacks of %zu threads" },
		{ SCOPE_READER_OPEN, "%zu file", "%zu files" },
	};
	size_t used = 0;

	*text = '\0';
	for (size_t i = 0; reader && i < sizeof(rows) / sizeof(rows[0]); i++) {
		const size_t count = count_marks(&reader->unread, rows[i].mark);

		if (count && used && used < size)
			used += (size_t)snprintf(text + used, size - used, ", ");
		if (count && used < size)
			used += (size_t)snprintf(text + used, size - used, count == 1 ? rows[i].one : rows[i].more,
						 count);
	}
	if (used && used < size)
		snprintf(text + used, size - used,
			 " could not be read within %u ms: a server that does not "
			 "answer holds a part of it (userfaultfd, FUSE, a network file system); see "
			 "/proc/PID/maps, and end or repair that server",
			 SCOPE_READER_WAIT_MS);
}
