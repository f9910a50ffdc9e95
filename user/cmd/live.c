// SPDX-License-Identifier: GPL-2.0-only
/* The report of what was traced last, drawn again every few seconds while a capture runs. */
#include "cmd/live.h"

#include <errno.h>
#include <inttypes.h>
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
#include "proc/reader.h"
#include "report/json.h"
#include "report/text.h"

#define SCREEN_BEGIN "\033[?1049h\033[?25l\033[H\033[2J" /* the alternate one, without a cursor */
#define SCREEN_END "\033[?25h\033[?1049l"
#define CHILD_NICE 10
#define CHILD_LEAVES SIGVTALRM /* ends it, for nobody handles it; waits while it writes */

struct scope_cmd_live {
	uint64_t period_ns, next_ns; /* next_ns: since the capture began */
	uint64_t window_ns;	     /* 0: reports are of all so far */
	struct scope_report_style style;
	const struct scope_analysis_options *options;
	bool screen, json;
	pid_t child; /* 0: none */
};

/* From here on to the end of this process: what it begins to write comes whole. */
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

int scope_cmd_live_create(uint64_t period_ns, uint64_t window_ns, const struct scope_report_style *style, bool json,
			  const struct scope_analysis_options *options, struct scope_cmd_live **ret_live)
{
	struct scope_cmd_live *live = calloc(1, sizeof(*live));

	if (!live)
		return -ENOMEM;
	live->period_ns = period_ns;
	live->next_ns = period_ns;
	live->window_ns = window_ns;
	live->json = json;
	live->style = *style;
	live->options = options;
	live->screen = !json && isatty(STDOUT_FILENO);
	live->style.colour = live->screen && scope_cmd_colour(STDOUT_FILENO);
	if (live->screen) {
		static const char waiting[] = "live: the first report comes in a moment (Ctrl-C: end)";

		put_all(SCREEN_BEGIN, strlen(SCREEN_BEGIN));
		put_all(waiting, strlen(waiting));
	}
	*ret_live = live;
	return 0;
}

void scope_cmd_live_destroy(struct scope_cmd_live *live)
{
	if (!live)
		return;
	if (live->child > 0) {
		kill(live->child, CHILD_LEAVES);
		waitpid(live->child, NULL, 0);
	}
	if (live->screen)
		put_all(SCREEN_END, strlen(SCREEN_END));
	free(live);
}

/* How long a character is, and whether it takes a column: escape sequences take none. */
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

/* One line of the report, cut where the screen ends. */
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

/* Over what stands there, line by line, so that nothing flickers. */
static void put_screen(FILE *to, const char *text)
{
	struct winsize size = { 0 };

	/* A terminal that does not know its size has the usual one. */
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row || !size.ws_col)
		size = (struct winsize){ .ws_row = 24, .ws_col = 80 };
	fputs("\033[H", to);
	for (unsigned row = 0; *text && row < size.ws_row; row++) {
		size_t bytes = strcspn(text, "\n");

		if (row)
			fputc('\n', to);
		/* One in the last column may go where the rest of the line is cleared. */
		put_line(to, text, bytes, size.ws_col - 1u);
		text += bytes + (text[bytes] == '\n');
	}
	fputs("\033[J", to);
}

/* Has it gone on for longer than what reports are of? */
static bool is_windowed(const struct scope_cmd_live *live, const struct scope_capture_progress *now)
{
	return live->window_ns && now->elapsed_ns > live->window_ns && now->settled_ns > live->window_ns;
}

/* What the capture has come to, above each report. */
static void put_state(const struct scope_cmd_live *live, const struct scope_capture_progress *now, FILE *to)
{
	fprintf(to, "live · %.0f s", (double)now->elapsed_ns / 1e9);
	if (now->duration_ns)
		fprintf(to, " of %.0f s", (double)now->duration_ns / 1e9);
	fprintf(to, " · %" PRIu64 " events, %" PRIu64 " lost", now->records, now->lost);
	if (is_windowed(live, now))
		fprintf(to, " · the last %.0f s", (double)live->window_ns / 1e9);
	fprintf(to, "%s\n\n", live->screen ? " · Ctrl-C: end" : "");
}

/* The same for JSON. */
static json_t *make_state(const struct scope_cmd_live *live, const struct scope_capture_progress *now)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I}", "elapsed_ns", (json_int_t)now->elapsed_ns, "duration_ns",
			 (json_int_t)now->duration_ns, "events", (json_int_t)now->records, "lost",
			 (json_int_t)now->lost, "window_ns",
			 is_windowed(live, now) ? (json_int_t)live->window_ns : (json_int_t)0);
}

/* -errno: nothing can be said. */
static int make_report(const struct scope_cmd_live *live, struct scope_stream *stream, int trace_fd,
		       const struct scope_capture_progress *now, FILE *to)
{
	struct scope_analysis_options options = *live->options;
	struct scope_report_style style = live->style;
	struct scope_analysis *analysis;
	struct scope_trace *trace;
	int err = scope_trace_open_growing(trace_fd, "the trace", NULL, &trace);

	if (!err)
		err = scope_trace_grow(trace, now->settled_ns);
	if (err)
		return err;
	options.stream = stream;
	options.settled_ns = now->settled_ns;
	if (is_windowed(live, now))
		options.from_ns = now->settled_ns - live->window_ns;
	/* One of its own: the capture's answers to the capture. */
	err = scope_proc_reader_create(NULL, NULL, &options.symbols.reader);
	if (err)
		return err;
	err = scope_analysis_run(trace, &options, &analysis);
	if (err)
		return err;
	/* The terminal may have another size by now. */
	style.columns = scope_cmd_columns(STDOUT_FILENO);
	return live->json ? scope_report_json_line(analysis, &style, make_state(live, now), to)
			  : scope_report_text(analysis, &style, to);
}

/* The child's whole life; its memory goes with it. */
static void draw(const struct scope_cmd_live *live, struct scope_stream *stream, int trace_fd,
		 const struct scope_capture_progress *now)
{
	char *text = NULL, *screen = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size), *put;
	int err;

	if (!to)
		return;
	put = live->json ? to : scope_cmd_text_begin(to);
	if (!live->json)
		put_state(live, now, put);
	err = make_report(live, stream, trace_fd, now, put);
	if (err && !live->json)
		fprintf(put, "  No report of it can be made yet: %s.\n", strerror(-err));
	scope_cmd_text_end(put, to);
	if (fclose(to) || (err && live->json))
		return;
	if (!live->screen) {
		hold_leaving();
		put_all(text, size);
		put_all("\n", live->json ? 0 : 1);
		return;
	}
	to = open_memstream(&screen, &size);
	if (!to)
		return;
	put_screen(to, text);
	if (fclose(to))
		return;
	hold_leaving();
	put_all(screen, size);
}

void scope_cmd_live_tick(struct scope_cmd_live *live, struct scope_stream *stream, int trace_fd,
			 const struct scope_capture_progress *now)
{
	const pid_t parent = getpid();

	if (live->child > 0 && !waitpid(live->child, NULL, WNOHANG))
		return;
	live->child = 0;
	if (now->elapsed_ns < live->next_ns)
		return;
	live->next_ns = now->elapsed_ns + live->period_ns;
	live->child = fork();
	if (live->child)
		return;
	/* It must not outlive the capture, nor take the target's CPU. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	setpriority(PRIO_PROCESS, 0, CHILD_NICE);
	draw(live, stream, trace_fd, now);
	_exit(0);
}
