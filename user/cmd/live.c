// SPDX-License-Identifier: GPL-2.0-only
/* A report of the last part of a capture, drawn again every few seconds while the capture runs. */
#include "cmd/live.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/terminal_keys.h"
#include "cmd/screen.h"
#include "proc/reader.h"
#include "report/json.h"
#include "report/pages.h"
#include "report/text.h"

struct scope_cmd_live {
	uint64_t window_ns; /* 0: each report covers the whole capture so far */
	struct scope_report_style style;
	const struct scope_analysis_options *options;
	bool json;
	struct scope_cmd_screen *screen;
	struct scope_cmd_keys keys;
	unsigned order, page; /* order of the list; the page that is shown, by its number in report/pages.h */
	bool paused;
	struct scope_stream *stream; /* stream and trace_fd: values of the present tick */
	int trace_fd;
};

/* True if the capture is longer than the window of a report. */
static bool is_windowed(const struct scope_cmd_live *live, const struct scope_capture_progress *now)
{
	return live->window_ns && now->elapsed_ns > live->window_ns && now->settled_ns > live->window_ns;
}

/* Prints the state of the capture, above each report. */
static void put_state(const struct scope_cmd_live *live, const struct scope_capture_progress *now, FILE *to)
{
	fprintf(to, "live · %.0f s", (double)now->elapsed_ns / 1e9);
	if (now->duration_ns)
		fprintf(to, " of %.0f s", (double)now->duration_ns / 1e9);
	fprintf(to, " · %" PRIu64 " events, %" PRIu64 " lost", now->records, now->lost);
	if (is_windowed(live, now))
		fprintf(to, " · the last %.0f s", (double)live->window_ns / 1e9);
	fprintf(to, "%s\n\n", scope_cmd_screen_terminal(live->screen) && !live->keys.taken ? " · Ctrl-C: end" : "");
}

/* The same for JSON. */
static json_t *make_state(const struct scope_cmd_live *live, const struct scope_capture_progress *now)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I}", "elapsed_ns", (json_int_t)now->elapsed_ns, "duration_ns",
			 (json_int_t)now->duration_ns, "events", (json_int_t)now->records, "lost",
			 (json_int_t)now->lost, "window_ns",
			 is_windowed(live, now) ? (json_int_t)live->window_ns : (json_int_t)0);
}

/* Analyses the capture so far, or its last part. -errno: there is nothing to report. */
static int analyse(const struct scope_cmd_live *live, const struct scope_capture_progress *now,
		   struct scope_analysis **ret_analysis)
{
	struct scope_analysis_options options = *live->options;
	struct scope_trace *trace;
	int err = scope_trace_open_growing(live->trace_fd, "the trace", NULL, &trace);

	if (!err)
		err = scope_trace_grow(trace, now->settled_ns);
	if (err)
		return err;
	options.stream = live->stream;
	options.settled_ns = now->settled_ns;
	if (is_windowed(live, now))
		options.from_ns = now->settled_ns - live->window_ns;
	/* This process needs a reader of its own, because answers of the capture's reader go to the capture. */
	err = scope_proc_reader_create(NULL, NULL, &options.symbols.reader);
	if (err)
		return err;
	return scope_analysis_run(trace, &options, ret_analysis);
}

/* The size of the terminal may have changed. */
static struct scope_report_style style_now(const struct scope_cmd_live *live)
{
	struct scope_report_style style = live->style;

	style.columns = scope_cmd_columns(STDOUT_FILENO);
	return style;
}

static int draw(void *context, const struct scope_capture_progress *now, FILE *to)
{
	const struct scope_cmd_live *live = context;
	const struct scope_report_style style = style_now(live);
	struct scope_analysis *analysis;
	int err;

	if (!live->json)
		put_state(live, now, to);
	err = analyse(live, now, &analysis);
	if (err)
		return err;
	return live->json ? scope_report_json_line(analysis, &style, make_state(live, now), to)
			  : scope_report_text(analysis, &style, to);
}

static int draw_pages(void *context, const struct scope_capture_progress *now, FILE *to)
{
	const struct scope_cmd_live *live = context;
	const struct scope_report_style style = style_now(live);
	struct scope_analysis *analysis;
	char *head = NULL;
	size_t size;
	FILE *state = open_memstream(&head, &size);
	int err;

	if (!state)
		return -ENOMEM;
	put_state(live, now, state);
	if (fclose(state))
		return -ENOMEM;
	err = analyse(live, now, &analysis);
	if (err)
		fputs(head, to);
	return err ? err : scope_report_pages(analysis, &style, head, to);
}

/* The keys that choose the order of the list. */
static const struct {
	char key;
	const char *text;
} orders[SCOPE_ORDERS] = {
	[SCOPE_ORDER_EXTRA] = { 'e', "extra" },
	[SCOPE_ORDER_P99] = { 't', "time" },
	[SCOPE_ORDER_UNITS] = { 'u', "units" },
	[SCOPE_ORDER_NAME] = { 'n', "name" },
};

/*
 * Shows the chosen page, and the keys in the last line, in at most 79 columns. Without keys the page has that line,
 * too.
 */
static void turn(const struct scope_cmd_live *live, unsigned line)
{
	char status[200], order[100] = "0 back";
	size_t used = 0;

	if (live->page < SCOPE_ORDERS) {
		for (unsigned i = 0; i < SCOPE_ORDERS; i++)
			used += (size_t)snprintf(order + used, sizeof(order) - used,
						 i == live->order ? "%s[%c %s]" : "%s%c %s", i ? " " : "",
						 orders[i].key, orders[i].text);
	}
	snprintf(status, sizeof(status), "%s  q end  1-9 open  j k scroll  %s",
		 live->paused ? "PAUSED, p: go on" : "p pause", order);
	scope_cmd_screen_turn(live->screen, live->page, line, live->keys.taken ? status : "");
}

static void take_key(struct scope_cmd_live *live, char key)
{
	unsigned line = scope_cmd_screen_line(live->screen);
	const unsigned before = live->page;

	if (key == 'q')
		raise(SIGINT);
	else if (key == 'p')
		live->paused = !live->paused;
	else if (key >= '1' && key <= '9' &&
		 SCOPE_ORDERS + (unsigned)(key - '1') < scope_cmd_screen_pages(live->screen))
		live->page = SCOPE_ORDERS + (unsigned)(key - '1');
	else if (key == '0')
		live->page = live->order;
	else if (key == 'j')
		line++;
	else if (key == 'k' && line)
		line--;
	for (unsigned i = 0; i < SCOPE_ORDERS; i++)
		if (orders[i].key == key)
			live->page = live->order = i;
	scope_cmd_screen_hold(live->screen, live->paused);
	turn(live, live->page == before ? line : 0);
}

int scope_cmd_live_create(uint64_t period_ns, uint64_t window_ns, const struct scope_report_style *style, bool json,
			  const struct scope_analysis_options *options, struct scope_cmd_live **ret_live)
{
	struct scope_cmd_live *live = calloc(1, sizeof(*live));
	int err;

	if (!live)
		return -ENOMEM;
	live->window_ns = window_ns;
	live->json = json;
	live->style = *style;
	live->options = options;
	err = scope_cmd_screen_create(
		period_ns,
		&(struct scope_cmd_drawing){ .draw = draw, .draw_pages = draw_pages, .context = live, .lines = json },
		&live->screen);
	if (err) {
		free(live);
		return err;
	}
	live->style.colour = !json && style->colour;
	if (scope_cmd_screen_terminal(live->screen))
		scope_cmd_terminal_keys_take(&live->keys);
	turn(live, 0);
	*ret_live = live;
	return 0;
}

void scope_cmd_live_tick(struct scope_cmd_live *live, struct scope_stream *stream, int trace_fd,
			 const struct scope_capture_progress *now)
{
	char key;

	live->stream = stream;
	live->trace_fd = trace_fd;
	while ((key = scope_cmd_terminal_keys_next(&live->keys)))
		take_key(live, key);
	scope_cmd_screen_tick(live->screen, now);
}

void scope_cmd_live_destroy(struct scope_cmd_live *live)
{
	if (!live)
		return;
	scope_cmd_terminal_keys_release(&live->keys);
	scope_cmd_screen_destroy(live->screen);
	free(live);
}
