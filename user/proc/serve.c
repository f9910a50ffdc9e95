// SPDX-License-Identifier: GPL-2.0-only
/* The reader's side: carries out requests, however long they take. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "proc/reader.h"
#include "proc/reader_internal.h"

#define CPU_SECONDS 5 /* CPU time that one request may use */

/* ---- descriptors that go with a packet ---- */

void scope_proc_reader_pass(struct msghdr *message, void *room, size_t bytes, int fd)
{
	struct cmsghdr *head;

	message->msg_control = room;
	message->msg_controllen = bytes;
	head = CMSG_FIRSTHDR(message);
	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(head), &fd, sizeof(fd));
}

int scope_proc_reader_passed(struct msghdr *message)
{
	const struct cmsghdr *head = CMSG_FIRSTHDR(message);
	int fd = -1;

	if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(head), sizeof(fd));
	return fd;
}

/* ---- answers ---- */

struct server {
	int fd;
	int root;	 /* descriptor that came with the current request; -1: none */
	uint64_t number; /* number of that request */
	char path[PATH_MAX];
	uint8_t data[SCOPE_READER_BYTES];
};

/* Sends a packet of the answer. passed: a descriptor to send with it; -1: none. */
static void put(const struct server *server, struct scope_reader_answer head, const void *data, int passed)
{
	char room[CMSG_SPACE(sizeof(passed))] = { 0 };
	struct iovec piece[] = { { &head, sizeof(head) }, { (void *)data, head.bytes } };
	struct msghdr message = { .msg_iov = piece, .msg_iovlen = head.bytes ? 2 : 1 };

	head.number = server->number;
	if (passed >= 0)
		scope_proc_reader_pass(&message, room, sizeof(room), passed);
	if (sendmsg(server->fd, &message, MSG_NOSIGNAL) < 0 && errno != EINTR)
		_exit(0);
}

static void answer(const struct server *server, int err, const void *data, size_t bytes)
{
	put(server, (struct scope_reader_answer){ .code = err, .bytes = (uint32_t)bytes }, data, -1);
}

static void serve_memory(struct server *server, const struct scope_reader_request *request)
{
	size_t bytes = request->bytes < sizeof(server->data) ? request->bytes : sizeof(server->data);
	const ssize_t got = scope_proc_reader_read_memory(request->tid, request->address, server->data, bytes);

	answer(server, 0, server->data, (size_t)got);
}

static void serve_supplied(struct server *server, const struct scope_reader_request *request)
{
	size_t bytes = request->bytes < sizeof(server->data) ? request->bytes : sizeof(server->data);
	const ssize_t got = scope_proc_reader_read_supplied(request->tgid, request->address, server->data, bytes);

	answer(server, 0, server->data, (size_t)got);
}

static void serve_touch(struct server *server, const struct scope_reader_request *request)
{
	scope_proc_reader_touch_pages(request->tid, request->address, request->pages);
	answer(server, 0, NULL, 0);
}

static void serve_text(struct server *server, const struct scope_reader_request *request)
{
	char *text = NULL;
	size_t bytes = 0, done = 0, part;
	const int err = scope_proc_reader_get_text(request->what, request->tgid, request->tid, &text, &bytes);

	do {
		part = bytes - done < SCOPE_READER_BYTES ? bytes - done : SCOPE_READER_BYTES;
		put(server,
		    (struct scope_reader_answer){
			    .code = err,
			    .bytes = (uint32_t)part,
			    .more = done + part < bytes,
		    },
		    text + done, -1);
		done += part;
	} while (done < bytes);
	free(text);
}

static void serve_look(struct server *server, const struct scope_reader_request *request)
{
	struct scope_proc_look look = { 0 };
	const int err = scope_proc_reader_get_look(request, server->root, server->path, &look);

	answer(server, err, &look, sizeof(look));
}

static void say_alive(void *context)
{
	put(context, (struct scope_reader_answer){ .more = 1 }, NULL, -1);
}

static void serve_open(struct server *server, const struct scope_reader_request *request)
{
	struct scope_proc_found found = { 0 };
	const int fd = scope_proc_reader_get_file(request, server->root, server->path, say_alive, server, &found);

	put(server, (struct scope_reader_answer){ .code = fd < 0 ? fd : 0, .bytes = sizeof(found) }, &found, fd);
	if (fd >= 0)
		close(fd);
}

static void (*const serve[SCOPE_READER_KINDS])(struct server *server, const struct scope_reader_request *request) = {
	[SCOPE_READER_MEMORY] = serve_memory, [SCOPE_READER_SUPPLIED] = serve_supplied,
	[SCOPE_READER_TOUCH] = serve_touch,   [SCOPE_READER_TEXT] = serve_text,
	[SCOPE_READER_LOOK] = serve_look,     [SCOPE_READER_OPEN] = serve_open,
};

/* CPU time used so far does not count, because a flight recorder runs for weeks. */
static void allow_cpu(void)
{
	struct rlimit limit;
	struct rusage used;

	if (getrusage(RUSAGE_SELF, &used) || getrlimit(RLIMIT_CPU, &limit))
		return;
	limit.rlim_cur = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + CPU_SECONDS;
	setrlimit(RLIMIT_CPU, &limit);
}

/* Receives a request. Returns false if the other end is closed, or sent an invalid request. */
static bool next_request(struct server *server, struct scope_reader_request *request)
{
	char room[CMSG_SPACE(sizeof(int))];
	struct iovec piece[] = { { request, sizeof(*request) }, { server->path, sizeof(server->path) - 1 } };
	struct msghdr message = {
		.msg_iov = piece, .msg_iovlen = 2, .msg_control = room, .msg_controllen = sizeof(room)
	};
	ssize_t got;

	do
		got = recvmsg(server->fd, &message, MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	if (got < (ssize_t)sizeof(*request) || request->kind >= SCOPE_READER_KINDS)
		return false;
	server->path[(size_t)got - sizeof(*request)] = '\0';
	server->root = scope_proc_reader_passed(&message);
	server->number = request->number;
	return true;
}

void scope_proc_reader_serve(int fd)
{
	struct server *server = malloc(sizeof(*server));
	struct scope_reader_request request;

	if (!server)
		return;
	server->fd = fd;
	while (next_request(server, &request)) {
		allow_cpu();
		serve[request.kind](server, &request);
		if (server->root >= 0)
			close(server->root);
	}
	free(server);
}
