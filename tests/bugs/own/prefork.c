// SPDX-License-Identifier: GPL-2.0-only
/* A server in the shape of processes forked beforehand, each with a connection at a time. */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

#define CHILDREN 24 /* as many connections as the loads open, and some */

STEP static void serve_clients(int listener)
{
	int fd;

	while ((fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
		struct conn *conn = conn_open(fd);

		while (read_request(conn) == GOT_REQUEST && serve_request(conn))
			;
		conn_close(conn);
	}
}

int main(int argc, char **argv)
{
	int listener = work_begin(argc, argv);

	for (int i = 0; i < CHILDREN; i++) {
		pid_t child = fork();

		if (child < 0)
			die("fork");
		if (!child) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			serve_clients(listener);
			_exit(1);
		}
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
