// SPDX-License-Identifier: GPL-2.0-only
/* The reader's side: does what is asked, however long that takes. */
#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "proc/reader.h"
#include "proc/reader_internal.h"

#define PAGES_MAX 64  /* in one call */
#define CPU_SECONDS 5 /* that one request may take */

/* Page by page: the call copies whole pieces only, and stops at the first it cannot have. */
ssize_t scope_reader_read_memory(uint32_t tid, uint64_t address, void *data, size_t bytes)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct iovec local = { .iov_base = data }, remote[PAGES_MAX];
	size_t count = 0, done = 0, piece;
	ssize_t got;

	while (done < bytes && count < PAGES_MAX) {
		piece = page - (address + done) % page;
		if (piece > bytes - done)
			piece = bytes - done;
		remote[count].iov_base = (void *)(uintptr_t)(address + done);
		remote[count++].iov_len = piece;
		done += piece;
	}
	local.iov_len = done;
	got = process_vm_readv((pid_t)tid, &local, 1, remote, count, 0);
	return got > 0 ? got : 0;
}

/* What comes back does not matter: that the pages are there does, up to the first that cannot be. */
void scope_reader_touch_pages(uint32_t tid, uint64_t address, uint32_t pages)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct iovec remote[PAGES_MAX], local;
	uint8_t byte[PAGES_MAX];

	if (pages > PAGES_MAX)
		pages = PAGES_MAX;
	for (uint32_t i = 0; i < pages; i++)
		remote[i] = (struct iovec){ (void *)(uintptr_t)(address + i * page), 1 };
	local = (struct iovec){ byte, pages };
	(void)!process_vm_readv((pid_t)tid, &local, 1, remote, pages, 0);
}

/* ---- answers ---- */

struct server {
	int fd;
	uint64_t number; /* of the request in work */
	uint8_t data[SCOPE_READER_BYTES];
};

static void answer(const struct server *server, int code, const void *data, size_t bytes)
{
	struct scope_reader_answer head = {
		.number = server->number, .code = code, .bytes = (uint32_t)bytes,
	};
	struct iovec piece[] = { { &head, sizeof(head) }, { (void *)data, bytes } };
	const struct msghdr message = { .msg_iov = piece, .msg_iovlen = bytes ? 2 : 1 };

	if (sendmsg(server->fd, &message, MSG_NOSIGNAL) < 0 && errno != EINTR)
		_exit(0);
}

static void serve_memory(struct server *server, const struct scope_reader_request *request)
{
	size_t bytes = request->bytes < sizeof(server->data) ? request->bytes : sizeof(server->data);
	const ssize_t got = scope_reader_read_memory(request->tid, request->address, server->data, bytes);

	answer(server, 0, server->data, (size_t)got);
}

static void serve_touch(struct server *server, const struct scope_reader_request *request)
{
	scope_reader_touch_pages(request->tid, request->address, request->pages);
	answer(server, 0, NULL, 0);
}

static void (*const serve[SCOPE_READER_KINDS])(struct server *server,
					       const struct scope_reader_request *request) = {
	[SCOPE_READER_MEMORY] = serve_memory,
	[SCOPE_READER_TOUCH] = serve_touch,
};

/* What was used so far does not count: a flight recorder runs for weeks. */
static void allow_cpu(void)
{
	struct rlimit limit;
	struct rusage used;

	if (getrusage(RUSAGE_SELF, &used) || getrlimit(RLIMIT_CPU, &limit))
		return;
	limit.rlim_cur = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + CPU_SECONDS;
	setrlimit(RLIMIT_CPU, &limit);
}

void scope_reader_serve(int fd)
{
	struct server *server = malloc(sizeof(*server));
	struct scope_reader_request request;
	ssize_t got;

	if (!server)
		return;
	server->fd = fd;
	for (;;) {
		allow_cpu();
		do
			got = recv(fd, &request, sizeof(request), 0);
		while (got < 0 && errno == EINTR);
		if (got != sizeof(request) || request.kind >= SCOPE_READER_KINDS)
			break;
		server->number = request.number;
		serve[request.kind](server, &request);
	}
	free(server);
}
