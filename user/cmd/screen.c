// SPDX-License-Identifier: GPL-2.0-only
/* Draws the results of a running capture repeatedly. */
#include "cmd/screen.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/cmd.h"

#define SCREEN_BEGIN "\033[?1049h\033[?25l\033[H\033[2J" /* the alternate screen, without a cursor */
#define SCREEN_END "\033[?25h\033[?1049l"
#define CHILD_NICE 10
#define CHILD_LEAVES SIGVTALRM /* ends the child, which does not handle it, but blocks it while it writes */

struct scope_cmd_screen {
	struct scope_cmd_drawing drawing;
	uint64_t period_ns, next_ns; /* next_ns: since the capture began */
	bool terminal;
	pid_t child; /* 0: none */
};

/* Blocks the signal that ends this child, so that what it begins to write is complete. */
static void hold_leaving(void)
{
	sigset_t leaves;

	sigemptyset(&leaves);
	sigaddset(&leaves, CHILD_LEAVES);
	sigprocmask(SIG_BLOCK, &leaves, NULL);
}

static void put_all(const char *text, size_t bytes)
{
	while (bytes) {
		ssize_t done = write(STDOUT_FILENO, text, bytes);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return;
		text += done;
		bytes -= (size_t)done;
	}
}

int scope_cmd_screen_create(uint64_t period_ns, const struct scope_cmd_drawing *drawing,
			    struct scope_cmd_screen **ret_screen)
{
	const char *terminal = getenv("TERM");
	struct scope_cmd_screen *screen = calloc(1, sizeof(*screen));

	if (!screen)
		return -ENOMEM;
	screen->drawing = *drawing;
	screen->period_ns = period_ns;
	screen->next_ns = period_ns;
	screen->terminal = !drawing->lines && isatty(STDOUT_FILENO) && !(terminal && !strcmp(terminal, "dumb"));
	if (screen->terminal) {
		static const char waiting[] = "live: the first report comes in a moment (Ctrl-C: end)";

		put_all(SCREEN_BEGIN, strlen(SCREEN_BEGIN));
		put_all(waiting, strlen(waiting));
	}
	*ret_screen = screen;
	return 0;
}

void scope_cmd_screen_destroy(struct scope_cmd_screen *screen)
{
	if (!screen)
		return;
	if (screen->child > 0) {
		kill(screen->child, CHILD_LEAVES);
		waitpid(screen->child, NULL, 0);
	}
	if (screen->terminal)
		put_all(SCREEN_END, strlen(SCREEN_END));
	free(screen);
}

bool scope_cmd_screen_terminal(const struct scope_cmd_screen *screen)
{
	return screen->terminal;
}

/* The length of a character in bytes, and if it takes a column: escape sequences take none. */
static size_t next_character(const char *text, bool *ret_column)
{
	size_t length = 1;

	*ret_column = *text != '\033';
	if (*ret_column) {
		while ((text[length] & 0xc0) == 0x80)
			length++;
	} else {
		while (text[length] && text[length - 1] != 'm')
			length++;
	}
	return length;
}

/* Prints one line, cut at the edge of the screen. */
static void put_line(FILE *to, const char *line, size_t bytes, unsigned columns)
{
	size_t at = 0;

	for (unsigned used = 0; at < bytes;) {
		bool column;
		size_t length = next_character(line + at, &column);

		if (used + column > columns)
			break;
		fwrite(line + at, 1, length, to);
		used += column;
		at += length;
	}
	fputs("\033[0m\033[K", to);
}

/* Overwrites the screen line by line, so that it does not flicker. */
static void put_screen(FILE *to, const char *text)
{
	struct winsize size = { 0 };

	/* The usual size, for a terminal that does not know its own. */
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row || !size.ws_col)
		size = (struct winsize){ .ws_row = 24, .ws_col = 80 };
	fputs("\033[H", to);
	for (unsigned row = 0; *text && row < size.ws_row; row++) {
		size_t bytes = strcspn(text, "\n");

		if (row)
			fputc('\n', to);
		/* A character in the last column could be erased with the rest of the line. */
		put_line(to, text, bytes, size.ws_col - 1u);
		text += bytes + (text[bytes] == '\n');
	}
	fputs("\033[J", to);
}

/* All that the child does. It frees nothing, because it ends. */
static void draw(const struct scope_cmd_screen *screen, const struct scope_capture_progress *now)
{
	const bool lines = screen->drawing.lines;
	char *text = NULL, *drawn = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size), *put;
	int err;

	if (!to)
		return;
	put = lines ? to : scope_cmd_text_begin(to);
	err = screen->drawing.draw(screen->drawing.context, now, put);
	if (err && !lines)
		fprintf(put, "  No report of it can be made yet: %s.\n", strerror(-err));
	scope_cmd_text_end(put, to);
	if (fclose(to) || (err && lines))
		return;
	if (!screen->terminal) {
		hold_leaving();
		put_all(text, size);
		put_all("\n", lines ? 0 : 1);
		return;
	}
	to = open_memstream(&drawn, &size);
	if (!to)
		return;
	put_screen(to, text);
	if (fclose(to))
		return;
	hold_leaving();
	put_all(drawn, size);
}

void scope_cmd_screen_soon(struct scope_cmd_screen *screen)
{
	screen->next_ns = 0;
}

pid_t scope_cmd_screen_fork(void)
{
	const pid_t parent = getpid(), child = fork();

	if (child)
		return child;
	/* It must not outlive the capture, nor take the target's CPU. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	setpriority(PRIO_PROCESS, 0, CHILD_NICE);
	return 0;
}

void scope_cmd_screen_tick(struct scope_cmd_screen *screen, const struct scope_capture_progress *now)
{
	if (screen->child > 0 && !waitpid(screen->child, NULL, WNOHANG))
		return;
	screen->child = 0;
	if (now->elapsed_ns < screen->next_ns)
		return;
	screen->next_ns = now->elapsed_ns + screen->period_ns;
	screen->child = scope_cmd_screen_fork();
	if (screen->child)
		return;
	draw(screen, now);
	_exit(0);
}
