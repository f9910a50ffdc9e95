// SPDX-License-Identifier: GPL-2.0-only
/* A web server that forks a process for each request. */
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kinds.h"

static void serve_request(int fd)
{
	char request[1024], answer[ANSWER_MAX];
	const ssize_t bytes = read(fd, request, sizeof(request));

	if (bytes <= 0 || write(fd, answer, kinds_answer(request, (size_t)bytes, answer)) < 0)
		_exit(1);
	_exit(0);
}

static void on_child(int number)
{
	(void)number;
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

int main(int argc, char **argv)
{
	const int listener = kinds_listen(kinds_begin(argc, argv));
	const struct sigaction action = { .sa_handler = on_child, .sa_flags = SA_RESTART };

	sigaction(SIGCHLD, &action, NULL);
	for (;;) {
		const int fd = accept(listener, NULL, NULL);

		if (fd < 0)
			continue;
		if (!fork()) {
			signal(SIGCHLD, SIG_DFL);
			close(listener);
			serve_request(fd);
		}
		close(fd);
	}
}
