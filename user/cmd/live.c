// SPDX-License-Identifier: GPL-2.0-only
/* A report of the last part of a capture, drawn again every few seconds while the capture runs. */
#include "cmd/live.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/screen.h"
#include "proc/reader.h"
#include "report/json.h"
#include "report/text.h"

struct scope_cmd_live {
	uint64_t window_ns; /* 0: each report covers all so far */
	struct scope_report_style style;
	const struct scope_analysis_options *options;
	bool json;
	struct scope_cmd_screen *screen;
	struct scope_stream *stream; /* of the current tick, as is trace_fd */
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
	fprintf(to, "%s\n\n", scope_cmd_screen_terminal(live->screen) ? " · Ctrl-C: end" : "");
}

/* The same for JSON. */
static json_t *make_state(const struct scope_cmd_live *live, const struct scope_capture_progress *now)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I}", "elapsed_ns", (json_int_t)now->elapsed_ns, "duration_ns",
			 (json_int_t)now->duration_ns, "events", (json_int_t)now->records, "lost",
			 (json_int_t)now->lost, "window_ns",
			 is_windowed(live, now) ? (json_int_t)live->window_ns : (json_int_t)0);
}

/* -errno: there is nothing to report. */
static int make_report(const struct scope_cmd_live *live, const struct scope_capture_progress *now, FILE *to)
{
	struct scope_analysis_options options = *live->options;
	struct scope_report_style style = live->style;
	struct scope_analysis *analysis;
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
	/* This process needs a reader of its own: the answers of the capture's reader go to the capture. */
	err = scope_proc_reader_create(NULL, NULL, &options.symbols.reader);
	if (err)
		return err;
	err = scope_analysis_run(trace, &options, &analysis);
	if (err)
		return err;
	/* The size of the terminal may have changed. */
	style.columns = scope_cmd_columns(STDOUT_FILENO);
	return live->json ? scope_report_json_line(analysis, &style, make_state(live, now), to)
			  : scope_report_text(analysis, &style, to);
}

static int draw(void *context, const struct scope_capture_progress *now, FILE *to)
{
	const struct scope_cmd_live *live = context;

	if (!live->json)
		put_state(live, now, to);
	return make_report(live, now, to);
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
		period_ns, &(struct scope_cmd_drawing){ .draw = draw, .context = live, .lines = json }, &live->screen);
	if (err) {
		free(live);
		return err;
	}
	live->style.colour = !json && style->colour;
	*ret_live = live;
	return 0;
}

void scope_cmd_live_tick(struct scope_cmd_live *live, struct scope_stream *stream, int trace_fd,
			 const struct scope_capture_progress *now)
{
	live->stream = stream;
	live->trace_fd = trace_fd;
	scope_cmd_screen_tick(live->screen, now);
}

void scope_cmd_live_destroy(struct scope_cmd_live *live)
{
	if (!live)
		return;
	scope_cmd_screen_destroy(live->screen);
	free(live);
}
