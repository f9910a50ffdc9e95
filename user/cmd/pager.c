// SPDX-License-Identifier: GPL-2.0-only
/* Shows a text that is longer than the terminal with the user's pager. */
#include "cmd/pager.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *command_of_user(void)
{
	const char *command = getenv("SCOPE_PAGER");

	if (!command)
		command = getenv("PAGER");
	if (!command)
		command = "less";
	return *command && strcmp(command, "cat") ? command : NULL;
}

/* The rows of the terminal; 0: fd is no terminal on which a pager can be used. */
static unsigned rows_of(int fd)
{
	const char *terminal = getenv("TERM");
	struct winsize size;

	if (!terminal || !*terminal || !strcmp(terminal, "dumb") || !isatty(fd) || ioctl(fd, TIOCGWINSZ, &size))
		return 0;
	return size.ws_row;
}

FILE *scope_cmd_pager_begin(struct scope_cmd_pager *pager, FILE *to, int fd)
{
	*pager = (struct scope_cmd_pager){ .to = to, .rows = to && command_of_user() ? rows_of(fd) : 0 };
	if (pager->rows)
		pager->text = open_memstream(&pager->bytes, &pager->size);
	return pager->text ? pager->text : to;
}

static void write_all(int fd, const char *bytes, size_t size)
{
	while (size) {
		const ssize_t put = write(fd, bytes, size);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return; /* the user has left the pager */
		bytes += put;
		size -= (size_t)put;
	}
}

static void execute(const char *command, const int ends[2])
{
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	close(ends[1]);
	setenv("LESS", "R", 0); /* show colours */
	if (!geteuid())
		setenv("LESSSECURE", "1", 1); /* no shell and no editor with root's rights */
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/* Returns true if the pager showed the text. */
static bool show(const struct scope_cmd_pager *pager)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction interrupt, broken;
	const char *command = command_of_user();
	int ends[2], status = 0;
	pid_t child;

	if (pipe(ends))
		return false;
	child = fork();
	if (!child)
		execute(command, ends);
	close(ends[0]);
	/* Ctrl-C is for the pager, and a pager that the user leaves early must not end this process. */
	sigaction(SIGINT, &ignore, &interrupt);
	sigaction(SIGPIPE, &ignore, &broken);
	if (child > 0)
		write_all(ends[1], pager->bytes, pager->size);
	close(ends[1]);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &interrupt, NULL);
	sigaction(SIGPIPE, &broken, NULL);
	return child > 0 && !(WIFEXITED(status) && (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127));
}

void scope_cmd_pager_end(struct scope_cmd_pager *pager)
{
	unsigned lines = 0;

	if (!pager->text)
		return;
	fclose(pager->text);
	for (size_t i = 0; i < pager->size; i++)
		lines += pager->bytes[i] == '\n';
	if (lines < pager->rows || !show(pager))
		fwrite(pager->bytes, 1, pager->size, pager->to);
	free(pager->bytes);
	pager->text = NULL;
}
