// SPDX-License-Identifier: GPL-2.0-only
/* Draws the results of a running capture repeatedly. */
#include "cmd/screen.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/forked.h"
#include "cmd/cmd.h"

#define SCREEN_BEGIN "\033[?1049h\033[?25l\033[H\033[2J" /* the alternate screen, without a cursor */
#define SCREEN_END "\033[?25h\033[?1049l"
#define CHILD_LEAVES SIGVTALRM /* ends the child, which blocks this signal while it writes */

#define PAGES_BYTES_MAX (4u << 20) /* bytes of the pages of a drawing: many times the size of a report */

/* Pages on a terminal: a child makes them, and another child shows the chosen page. */
struct pages {
	int fd;	    /* memory in which the child writes the pages; -1: none */
	char *text; /* text of the last drawing, with a form feed between pages; NULL: none yet */
	unsigned page, line;
	bool held, stale; /* held: drawings are left out; stale: the screen does not show the chosen page */
	char status[200];
	pid_t shower; /* 0: none */
};

struct scope_cmd_screen {
	struct scope_cmd_drawing drawing;
	uint64_t period_ns, next_ns; /* next_ns: since the capture began */
	bool terminal;
	pid_t child; /* 0: none */
	struct pages pages;
};

/* Blocks the signal that ends this child, so that it completes the text that it writes. */
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
	screen->pages.fd = -1;
	if (screen->terminal && drawing->draw_pages)
		screen->pages.fd = memfd_create("pages", MFD_CLOEXEC);
	if (screen->terminal) {
		static const char waiting[] = "live: the first report comes in a moment (Ctrl-C: end)";

		put_all(SCREEN_BEGIN, strlen(SCREEN_BEGIN));
		put_all(waiting, strlen(waiting));
	}
	*ret_screen = screen;
	return 0;
}

static void end_child(pid_t child)
{
	if (child <= 0)
		return;
	kill(child, CHILD_LEAVES);
	waitpid(child, NULL, 0);
}

void scope_cmd_screen_destroy(struct scope_cmd_screen *screen)
{
	if (!screen)
		return;
	end_child(screen->child);
	end_child(screen->pages.shower);
	if (screen->terminal)
		put_all(SCREEN_END, strlen(SCREEN_END));
	if (screen->pages.fd >= 0)
		close(screen->pages.fd);
	free(screen->pages.text);
	free(screen);
}

bool scope_cmd_screen_terminal(const struct scope_cmd_screen *screen)
{
	return screen->terminal;
}

/* The length of a character in bytes. *ret_column: it takes a column; escape sequences take none. */
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
	unsigned used = 0;
	size_t at = 0;

	while (at < bytes) {
		bool column;
		size_t length = next_character(line + at, &column);

		if (used + column > columns)
			break;
		fwrite(line + at, 1, length, to);
		used += column;
		at += length;
	}
	/* After a character in the last column the cursor is still on it, so erasing would erase this character. */
	fputs(used < columns ? "\033[0m\033[K" : "\033[0m", to);
}

/* The size of the terminal, or the usual size if it does not know its own. */
static struct winsize size_of_terminal(void)
{
	struct winsize size = { 0 };

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row || !size.ws_col)
		size = (struct winsize){ .ws_row = 24, .ws_col = 80 };
	return size;
}

/* Overwrites the screen line by line, so that it does not flicker. status: the last line of the screen; "": none. */
static void put_screen(FILE *to, const char *text, const char *status)
{
	const struct winsize size = size_of_terminal();
	const unsigned rows = size.ws_row - (*status ? 1u : 0u);
	unsigned row;

	fputs("\033[H", to);
	for (row = 0; *text && *text != '\f' && row < rows; row++) {
		size_t bytes = strcspn(text, "\n\f");

		if (row)
			fputc('\n', to);
		put_line(to, text, bytes, size.ws_col);
		text += bytes + (text[bytes] == '\n');
	}
	if (row < rows)
		fputs(row ? "\n\033[J" : "\033[J", to);
	if (*status) {
		fprintf(to, "\033[%u;1H", size.ws_row);
		put_line(to, status, strlen(status), size.ws_col);
	}
}

/* Writes all of a text to the terminal, in one piece. */
static void put_whole(const char *text, const char *status)
{
	char *drawn = NULL;
	size_t size;
	FILE *to = open_memstream(&drawn, &size);

	if (!to)
		return;
	put_screen(to, text, status);
	if (fclose(to))
		return;
	hold_leaving();
	put_all(drawn, size);
}

/* Leaves the pages for the parent, which uses them only if this process ends with success. */
static void leave_pages(int fd, const char *text, size_t bytes)
{
	if (bytes > PAGES_BYTES_MAX || ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET))
		_exit(1);
	while (bytes) {
		const ssize_t done = write(fd, text, bytes);

		if (done <= 0)
			_exit(1);
		text += done;
		bytes -= (size_t)done;
	}
}

/* The work of the child. It frees nothing, because it ends. */
static void draw(const struct scope_cmd_screen *screen, const struct scope_capture_progress *now)
{
	const bool lines = screen->drawing.lines;
	const bool pages = screen->pages.fd >= 0;
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size), *put;
	int err;

	if (!to)
		return;
	put = lines ? to : scope_cmd_text_begin(to);
	err = (pages ? screen->drawing.draw_pages : screen->drawing.draw)(screen->drawing.context, now, put);
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
	if (pages)
		leave_pages(screen->pages.fd, text, size);
	else
		put_whole(text, "");
}

/* Takes the pages of a finished drawing. If there are none, those of the last drawing stay. */
static void take_pages(struct pages *pages)
{
	const off_t bytes = lseek(pages->fd, 0, SEEK_END);
	char *text = bytes > 0 ? malloc((size_t)bytes + 1) : NULL;

	if (!text || pread(pages->fd, text, (size_t)bytes, 0) != bytes) {
		free(text);
		return;
	}
	text[bytes] = '\0';
	free(pages->text);
	pages->text = text;
	pages->stale = true;
}

/*
 * The text of the chosen page from the chosen line on; the first page, or the last line, if the chosen one does not
 * exist.
 */
static const char *chosen(struct pages *pages)
{
	const char *text = pages->text;

	for (unsigned i = 0; i < pages->page; i++) {
		text = strchr(text, '\f');
		if (!text)
			return pages->text;
		text++;
	}
	for (unsigned i = 0; i < pages->line; i++) {
		const size_t bytes = strcspn(text, "\n\f");

		if (text[bytes] != '\n' || !text[bytes + 1] || text[bytes + 1] == '\f') {
			pages->line = i;
			break;
		}
		text += bytes + 1;
	}
	return text;
}

/* A terminal that takes no bytes, such as that of a stalled connection, delays only the child. */
static void show(struct pages *pages)
{
	const char *text;

	if (pages->shower > 0 && !waitpid(pages->shower, NULL, WNOHANG))
		return;
	pages->shower = 0;
	if (!pages->stale || !pages->text)
		return;
	text = chosen(pages);
	pages->stale = false;
	pages->shower = scope_forked();
	if (pages->shower)
		return;
	put_whole(text, pages->status);
	_exit(0);
}

void scope_cmd_screen_turn(struct scope_cmd_screen *screen, unsigned page, unsigned line, const char *status)
{
	struct pages *pages = &screen->pages;

	pages->page = page;
	pages->line = line;
	snprintf(pages->status, sizeof(pages->status), "%s", status);
	pages->stale = true;
}

unsigned scope_cmd_screen_line(const struct scope_cmd_screen *screen)
{
	return screen->pages.line;
}

unsigned scope_cmd_screen_pages(const struct scope_cmd_screen *screen)
{
	const char *text = screen->pages.text;
	unsigned count = 0;

	for (; text; text = strchr(text, '\f')) {
		count++;
		text++;
	}
	return count;
}

void scope_cmd_screen_hold(struct scope_cmd_screen *screen, bool held)
{
	screen->pages.held = held;
}

void scope_cmd_screen_soon(struct scope_cmd_screen *screen)
{
	screen->next_ns = 0;
}

void scope_cmd_screen_tick(struct scope_cmd_screen *screen, const struct scope_capture_progress *now)
{
	int status = -1;
	const bool drawing = screen->child > 0 && !waitpid(screen->child, &status, WNOHANG);

	if (screen->pages.fd >= 0) {
		if (screen->child > 0 && !drawing && !status && !screen->pages.held)
			take_pages(&screen->pages);
		show(&screen->pages);
	}
	if (drawing)
		return;
	screen->child = 0;
	if (now->elapsed_ns < screen->next_ns || screen->pages.held)
		return;
	screen->next_ns = now->elapsed_ns + screen->period_ns;
	screen->child = scope_forked();
	if (screen->child)
		return;
	draw(screen, now);
	_exit(0);
}
