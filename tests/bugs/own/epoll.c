// SPDX-License-Identifier: GPL-2.0-only
/* A server in the shape of one event loop on one thread. */
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "work.h"

STEP static void take_clients(int loop, int listener)
{
	int fd;

	while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		struct epoll_event event = { .events = EPOLLIN, .data.ptr = conn_open(fd) };

		if (epoll_ctl(loop, EPOLL_CTL_ADD, fd, &event))
			die("epoll_ctl");
	}
}

STEP static void handle_event(struct conn *conn)
{
	enum got got = read_request(conn);

	if (got == GOT_END || (got == GOT_REQUEST && !serve_request(conn)))
		conn_close(conn);
}

int main(int argc, char **argv)
{
	int listener = work_begin(argc, argv), loop = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event event = { .events = EPOLLIN };

	fcntl(listener, F_SETFL, O_NONBLOCK);
	if (epoll_ctl(loop, EPOLL_CTL_ADD, listener, &event))
		die("epoll_ctl");
	for (;;) {
		struct epoll_event ready[16];
		int count = epoll_wait(loop, ready, 16, -1);

		for (int i = 0; i < count; i++) {
			if (ready[i].data.ptr)
				handle_event(ready[i].data.ptr);
			else
				take_clients(loop, listener);
		}
	}
}
