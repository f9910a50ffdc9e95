// SPDX-License-Identifier: GPL-2.0-only
/* scope model --sweep: runs a load command at several loads, and fits how the server's figures depend on the load. */
#include "cmd/sweep.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/newfile.h"
#include "capture/capture.h"
#include "capture/launch.h"
#include "cmd/captured.h"
#include "proc/reader.h"
#include "trace/writer.h"

#define LOAD_BYTES 8192 /* no rule: bytes of a load command after its numbers were filled in */

/* The present point. */
struct point_now {
	const struct scope_cmd_report *request;
	const volatile sig_atomic_t *stop;
	struct scope_launch *launch;
	struct scope_error failed;
	double conns, rate;
	unsigned number, planned;
	int status; /* exit status of the load command; -1: it still runs */
	bool started;
};

static int take_list(const char *command, const char *name, const char *list, double *value, unsigned *count)
{
	for (*count = 0;; (*count)++) {
		char *end;

		if (*count == SCOPE_SWEEP_VALUES)
			return scope_cmd_misuse(command, "--sweep: %s has more than %d numbers", name,
						SCOPE_SWEEP_VALUES);
		value[*count] = strtod(list, &end);
		if (end == list || (*end && *end != ',') || !(value[*count] > 0) || value[*count] > 1e9 ||
		    (*name == 'c' && value[*count] != (double)(uint32_t)value[*count]))
			return scope_cmd_misuse(command, "--sweep wants %s with commas, not '%.60s'",
						*name == 'c' ? "numbers of connections" : "requests a second", list);
		if (!*end)
			break;
		list = end + 1;
	}
	(*count)++;
	return 0;
}

int scope_cmd_sweep_take(const char *command, const char *value, struct scope_sweep *sweep)
{
	char *copy = strdup(value), *left = copy, *word;
	int status = copy ? 0 : SCOPE_EXIT_ERROR;

	while (!status && (word = strsep(&left, " \t")) != NULL) {
		if (!*word)
			continue;
		if (!strncmp(word, "conns=", 6) && !sweep->conns_count)
			status = take_list(command, "conns", word + 6, sweep->conns, &sweep->conns_count);
		else if (!strncmp(word, "rate=", 5) && !sweep->rate_count)
			status = take_list(command, "rate", word + 5, sweep->rate, &sweep->rate_count);
		else
			status = scope_cmd_misuse(command,
						  "--sweep wants conns=1,2,4 or rate=100,200, each of them once, not "
						  "'%.60s'",
						  word);
	}
	free(copy);
	return status;
}

static bool varies(const char *load, const char *braces, const char *variable)
{
	return strstr(load, braces) || strstr(load, variable);
}

int scope_cmd_sweep_check(const char *command, const struct scope_sweep *sweep, const char *load)
{
	if (!sweep->conns_count && !sweep->rate_count)
		return scope_cmd_misuse(command, "--load goes with --sweep, which says at which loads it runs");
	if (!load || !*load)
		return scope_cmd_misuse(command,
					"--sweep needs a command that makes the load: --load 'CMD -c {conns}'");
	if (sweep->conns_count && !varies(load, "{conns}", "SCOPE_CONNS"))
		return scope_cmd_misuse(command, "the load command has no {conns}, so all numbers of connections would "
						 "be the same load");
	if (sweep->rate_count && !varies(load, "{rate}", "SCOPE_RATE"))
		return scope_cmd_misuse(command, "the load command has no {rate}, so all rates would be the same load");
	return strlen(load) > LOAD_BYTES / 2 ? scope_cmd_misuse(command, "the load command is too long") : 0;
}

/* Makes the command with its numbers. Its output is not the result, so it goes to standard error. */
static void make_load(const struct point_now *now, const char *load, char text[LOAD_BYTES])
{
	size_t length = (size_t)snprintf(text, LOAD_BYTES,
					 "SCOPE_CONNS=%.0f SCOPE_RATE=%g; export SCOPE_CONNS SCOPE_RATE; "
					 "exec >&2\n",
					 now->conns, now->rate);

	while (*load && length + 32 < LOAD_BYTES) {
		if (!strncmp(load, "{conns}", 7)) {
			length += (size_t)snprintf(text + length, 32, "%.0f", now->conns);
			load += 7;
		} else if (!strncmp(load, "{rate}", 6)) {
			length += (size_t)snprintf(text + length, 32, "%g", now->rate);
			load += 6;
		} else {
			text[length++] = *load++;
		}
	}
	text[length] = '\0';
}

static void begun(void *context, const struct scope_target *target)
{
	struct point_now *now = context;

	(void)target;
	now->started = !scope_capture_launch_go(now->launch, &now->failed);
}

static void progress(void *context, const struct scope_capture_progress *done)
{
	const struct point_now *now = context;

	scope_cmd_warn_lossy("model", done->lost);
	scope_cmd_progress("point %u of %u: conns %.0f, rate %g, %.0f s (Ctrl-C: report what is measured)", now->number,
			   now->planned, now->conns, now->rate, (double)done->elapsed_ns / 1e9);
}

/* The point ends when its load command ends. */
static enum scope_capture_want want(void *context)
{
	struct point_now *now = context;

	if (now->started)
		now->status = scope_capture_launch_status(now->launch);
	return !now->started || now->status >= 0 ? SCOPE_WANT_END : SCOPE_WANT_NOTHING;
}

static int no_cut(void *context, struct scope_capture_run *run, struct scope_error *error)
{
	(void)context, (void)run, (void)error;
	return 0;
}

/* Its children belong to its session, which setsid created. */
static void end_load(struct point_now *now)
{
	const pid_t pid = (pid_t)scope_capture_launch_pid(now->launch);

	if (now->started && now->status < 0 && pid > 1 && scope_capture_launch_status(now->launch) < 0) {
		kill(-pid, SIGTERM);
		kill(pid, SIGTERM);
	}
}

/* 0; 1: it was interrupted; or -errno. */
static int capture(struct point_now *now, struct scope_cmd_captured *captured, struct scope_error *error)
{
	const struct scope_capture_watch watch = {
		.begun = begun, .progress = progress, .want = want, .cut = no_cut, .context = now
	};
	struct scope_capture_options options = now->request->capture;
	struct scope_capture_stats stats;
	int err;

	if (!now->request->duration)
		options.duration_ns = 0;
	options.stack_mode = SCOPE_STACK_NONE;
	options.sample_period_ns = 0;
	err = scope_capture(now->request->from, &options, captured->writer, now->stop, &watch, error, &stats);
	scope_cmd_progress_end();
	if (!err)
		err = scope_trace_writer_finish(captured->writer, error);
	if (err)
		return err;
	if (!now->started) {
		*error = now->failed;
		return -ENOENT;
	}
	if (*now->stop)
		return 1;
	if (stats.end == SCOPE_CAPTURE_TARGET_GONE)
		return scope_error_set(error, -ESRCH, "the process ended at conns %.0f, rate %g", now->conns,
				       now->rate);
	if (now->status > 0)
		return scope_error_set(error, -ECHILD,
				       "the load command ended with status %d at conns %.0f, rate %g: try it alone",
				       now->status, now->conns, now->rate);
	return 0;
}

static struct scope_sweep_point sum_up(const struct point_now *now, const struct scope_analysis *analysis)
{
	const struct scope_server *server = analysis->server;
	const struct scope_distributions *all = analysis->found.distributions;
	const struct scope_stage *network = scope_server_find(server, SCOPE_ROLE_NETWORK);
	struct scope_sweep_point point = { .conns = now->conns,
					   .rate = now->rate,
					   .threads = (uint32_t)server->threads };
	double run_ns = 0, queue_ns = 0, wait_ns = 0;

	for (size_t i = 0; i < server->stages; i++) {
		point.requests += server->stage[i].requests;
		wait_ns += server->stage[i].waits_known ? server->stage[i].wait_ns * (double)server->stage[i].units : 0;
	}
	for (size_t i = 0; i < server->threads; i++) {
		const struct scope_account *account =
			&scope_timeline_threads_at(all->run->timeline->threads, i)->account;

		run_ns += (double)(account->run_ns - account->probe_ns);
	}
	for (size_t g = 0; g < all->groups; g++)
		queue_ns += (double)all->group[g].queue_ns;
	if (point.requests) {
		point.cpu_ns = run_ns / (double)point.requests;
		point.wait_ns = (queue_ns + wait_ns) / (double)point.requests;
		point.per_s = (double)point.requests / server->window_ns * 1e9;
	}
	if (network) {
		const struct scope_sketch *wall = &all->group[network->group].request_wall;

		point.busy = network->busy;
		point.p50_ns = scope_sketch_quantile(wall, 0.5);
		point.p99_ns = scope_sketch_quantile(wall, 0.99);
	}
	return point;
}

static int analyse(struct point_now *now, struct scope_cmd_captured *captured, struct scope_sweep_point *ret_point,
		   struct scope_error *error)
{
	struct scope_analysis_options options;
	struct scope_analysis *analysis;
	struct scope_trace *trace;
	int err = scope_cmd_captured_open("model", captured, error, &trace);

	if (err)
		return err;
	scope_analysis_options_init(&options);
	options.no_stacks = true;
	err = scope_proc_reader_create(now->stop, error, &options.symbols.reader);
	if (!err) {
		err = scope_analysis_run(trace, &options, &analysis);
		if (err)
			scope_error_set(error, err, "the trace of a point cannot be analysed: %s", strerror(-err));
	}
	if (!err) {
		*ret_point = sum_up(now, analysis);
		scope_analysis_destroy(analysis);
		if (!ret_point->requests)
			err = scope_error_set(error, -ENODATA,
					      "no thread took a request of a client at conns %.0f, rate %g: does the "
					      "load command reach this process?",
					      now->conns, now->rate);
	}
	scope_proc_reader_destroy(options.symbols.reader);
	scope_trace_close(trace);
	return err;
}

/* 0; 1: it was interrupted; or -errno. */
static int run_point(struct point_now *now, const char *load, struct scope_sweep_point *ret_point,
		     struct scope_error *error)
{
	struct scope_cmd_captured captured = { .fd = -1 };
	char text[LOAD_BYTES];
	char *const argv[] = { "setsid", "sh", "-c", text, NULL };
	int err;

	make_load(now, load, text);
	err = scope_cmd_captured_create(NULL, error, &captured);
	if (!err)
		err = scope_capture_launch_hold(argv, error, &now->launch);
	if (!err) {
		err = capture(now, &captured, error);
		end_load(now);
		scope_capture_launch_destroy(now->launch);
	}
	if (!err)
		err = analyse(now, &captured, ret_point, error);
	scope_cmd_captured_free(&captured);
	return err;
}

static int run_points(const struct scope_cmd_report *request, struct scope_swept *swept, struct scope_error *error)
{
	const struct scope_sweep *sweep = &swept->sweep;
	const volatile sig_atomic_t *stop = scope_cmd_catch_signals();
	const unsigned rates = sweep->rate_count ? sweep->rate_count : 1;
	int err = 0;

	for (unsigned i = 0; !err && i < swept->planned && !*stop; i++) {
		struct point_now now = {
			.request = request,
			.stop = stop,
			.conns = sweep->conns_count ? sweep->conns[i / rates] : 0,
			.rate = sweep->rate_count ? sweep->rate[i % rates] : 0,
			.number = i + 1,
			.planned = swept->planned,
			.status = -1,
		};

		err = run_point(&now, swept->load, &swept->point[i], error);
		swept->points += !err;
	}
	return err < 0 ? err : 0;
}

static int print(const struct scope_cmd_report *request, struct scope_swept *swept, struct scope_newfile *file,
		 struct scope_error *error)
{
	FILE *out = scope_newfile_stream(file), *text = out;
	int err = out ? 0 : -ENOMEM;

	scope_report_swept_fit(swept);
	if (out && !request->json)
		text = scope_cmd_text_begin(out);
	if (!err)
		err = request->json ? scope_report_swept_json(swept, out) : scope_report_swept_text(swept, text);
	scope_cmd_text_end(text, out);
	if (err)
		return scope_error_set(error, err, "%s cannot be written: %s; name another place with -o",
				       request->output ? request->output : "the result", strerror(-err));
	err = scope_newfile_finish(file, error);
	scope_cmd_note("model", scope_newfile_note(file));
	return err;
}

int scope_cmd_sweep_run(const struct scope_cmd_report *request, struct scope_error *error)
{
	const struct scope_sweep *sweep = &request->sweep;
	struct scope_swept swept = {
		.sweep = *sweep,
		.load = request->load,
		.planned = (sweep->conns_count ? sweep->conns_count : 1) * (sweep->rate_count ? sweep->rate_count : 1),
	};
	struct scope_newfile *file = NULL;
	struct scope_error why = { "" };
	int err, printed = 0;

	swept.point = calloc(swept.planned, sizeof(*swept.point));
	err = swept.point ? scope_newfile_create(request->output, 0666, error, &file)
			  : scope_error_set(error, -ENOMEM, "no memory for the points");
	if (!err)
		err = run_points(request, &swept, error);
	/* The points measured so far are printed, whatever ended the sweep. */
	if (swept.points)
		printed = print(request, &swept, file, &why);
	if (!err && printed) {
		err = printed;
		*error = why;
	}
	if (!err && !swept.points)
		err = scope_error_set(error, -EINTR, "interrupted before the first point was measured");
	scope_newfile_destroy(file);
	free(swept.point);
	return err;
}
