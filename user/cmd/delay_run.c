// SPDX-License-Identifier: GPL-2.0-only
/* Runs delay experiments for a command, and writes the result. */
#include "cmd/delay.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/newfile.h"
#include "causal/coz.h"
#include "cmd/cmd.h"
#include "report/delay_report.h"
#include "source/module.h"

#define COOL_OFF_NS 50000000ull /* for queues to fill or drain */
#define REPEATS 8
#define DRAWS_PER_REPEAT 5 /* randomly chosen speedups for each repeat: 40 for a site by default */

void scope_cmd_delay_request_init(struct scope_delay_request *request)
{
	*request = (struct scope_delay_request){
		.command = "delay",
		.follow = true,
		.repeats = REPEATS,
		.length_ns = SCOPE_PLAN_LENGTH_NS,
		.cool_off_ns = COOL_OFF_NS,
	};
	if (getrandom(&request->seed, sizeof(request->seed), GRND_NONBLOCK) < 0)
		request->seed = (uint64_t)getpid();
	/* It is short, so that a user can type it again. */
	request->seed %= 1000000;
}

/* Calls write() for the file. path NULL: standard output. */
static int write_file(const char *path, int (*write)(const struct scope_causal_result *result, bool flag, FILE *out),
		      const struct scope_causal_result *result, bool flag, struct scope_error *error)
{
	struct scope_newfile *file;
	FILE *out;
	int err = scope_newfile_create(path, 0666, error, &file);

	if (err)
		return err;
	out = scope_newfile_stream(file);
	err = out ? write(result, flag, out) : -ENOMEM;
	if (err)
		scope_error_set(error, err, "cannot write %.200s: %s", path ? path : "standard output", strerror(-err));
	return scope_cmd_newfile_end("delay", file, err, error);
}

static int write_json(const struct scope_causal_result *result, bool flag, FILE *out)
{
	(void)flag;
	return scope_report_delay_json(result, out);
}

static int write_svg(const struct scope_causal_result *result, bool flag, FILE *out)
{
	(void)flag;
	return scope_report_delay_svg(result, out);
}

static int write_coz(const struct scope_causal_result *result, bool json, FILE *out)
{
	return scope_causal_coz_write(result, json, out);
}

static bool ends_in(const char *text, const char *end)
{
	const size_t length = strlen(text), tail = strlen(end);

	return length >= tail && !strcmp(text + length - tail, end);
}

int scope_cmd_delay_give(const struct scope_delay_request *request, const struct scope_causal_result *result,
			 struct scope_error *error)
{
	const bool printed = !request->output || !strcmp(request->output, "-");
	const bool colour = printed && scope_cmd_colour(SCOPE_COLOUR_AUTO, STDOUT_FILENO);
	int err;

	scope_cmd_progress_end();
	if (printed && !request->json)
		scope_cmd_text_stdout();
	err = write_file(request->output, request->json ? write_json : scope_report_delay_text, result, colour, error);
	if (!err && request->svg)
		err = write_file(request->svg, write_svg, result, false, error);
	if (!err && request->coz)
		err = write_file(request->coz, write_coz, result, ends_in(request->coz, ".jsonl"), error);
	return err;
}

/* Data made from the process and the command line. */
struct setup {
	struct scope_site site[SCOPE_DELAY_SITES_MAX];
	struct scope_point point;
	struct scope_plan plan;
};

int scope_cmd_delay_check(struct scope_error *error)
{
	struct scope_error why = { "" };
	const int err = scope_source_module.check(&why);

	return err ? scope_error_set(error, err,
				     "only the module can hold threads up, perf events cannot; "
				     "%.380s",
				     why.text)
		   : 0;
}

/* The default values are delays that most programs notice and survive. */
static int make_plan(const struct scope_delay_request *request, struct scope_plan *ret_plan)
{
	static const double delays[] = { 0, 50e3, 200e3, 1e6 };
	static const double shares[] = { 0, 0.3, 1 };

	if (request->relative)
		return scope_causal_plan_delays(shares, sizeof(shares) / sizeof(shares[0]), request->sites,
						request->repeats, request->seed, ret_plan);
	if (request->values)
		return scope_causal_plan_delays(request->value, request->values, request->sites, request->repeats,
						request->seed, ret_plan);
	if (request->kind == SCOPE_CAUSAL_SPEEDUP)
		return scope_causal_plan_speedups(request->sites, request->repeats * DRAWS_PER_REPEAT, request->seed,
						  ret_plan);
	return scope_causal_plan_delays(delays, sizeof(delays) / sizeof(delays[0]), request->sites, request->repeats,
					request->seed, ret_plan);
}

static int make_setup(const struct scope_delay_request *request, struct scope_target *target, struct scope_error *error,
		      struct setup *setup)
{
	int (*const parse)(uint32_t tgid, const char *text, struct scope_error *why, struct scope_site *ret_site) =
		request->kind == SCOPE_CAUSAL_SPEEDUP ? scope_causal_site_parse_speedup : scope_causal_site_parse;
	int err = scope_cmd_delay_check(error);

	if (!err)
		err = scope_proc_target_find(request->pid, error, target);
	if (!err)
		err = scope_causal_point_parse(target->tgid, request->progress ? request->progress : "request", error,
					       &setup->point);
	for (uint32_t i = 0; i < request->sites && !err; i++)
		err = parse(target->tgid, request->site[i], error, &setup->site[i]);
	if (err)
		return err;
	err = make_plan(request, &setup->plan);
	return err ? scope_error_set(error, err, "no memory for the plan of the experiments") : 0;
}

static void on_progress(void *context, size_t index, const struct scope_plan_step *step, double left_s)
{
	const struct scope_delay_request *request = context;

	if (request->kind == SCOPE_CAUSAL_SPEEDUP)
		scope_cmd_progress("experiment %zu: %s faster by %.0f %%, %.0f s left", index + 1,
				   request->site[step->site], step->value * 100, left_s);
	else
		scope_cmd_progress("experiment %zu: %s by %.0f us, %.0f s left", index + 1, request->site[step->site],
				   step->value / 1e3, left_s);
}

static void say_what_comes(const struct scope_delay_request *request, const struct scope_target *target, size_t count)
{
	if (target->note[0])
		scope_cmd_say(request->command, "%s", target->note);
	scope_cmd_say(request->command,
		      "%zu experiments of %.3g s, %.3g s in all; --seed %" PRIu64 " repeats their order", count,
		      (double)request->length_ns / 1e9,
		      (double)(request->length_ns + request->cool_off_ns) * (double)count / 1e9, request->seed);
}

static const char *ended_by(const struct scope_series_result *series)
{
	switch (series->end) {
	case SCOPE_SERIES_DONE:
		return "";
	case SCOPE_SERIES_INTERRUPTED:
		return "interrupted";
	default:
		return series->why.text;
	}
}

static int run_series(const struct scope_delay_request *request, const struct setup *setup, struct scope_error *error,
		      struct scope_delay_outcome *outcome)
{
	const struct scope_series_options options = {
		.inject = {
			.sample_period_ns = request->kind == SCOPE_CAUSAL_SPEEDUP ? SCOPE_PLAN_PERIOD_NS : 0,
			.tgid = outcome->target.tgid, .follow = request->follow, .site = setup->site,
			.sites = request->sites, .point = &setup->point,
			.second_max_ns = request->second_max_ns,
		},
		.plan = &setup->plan, .relative = request->relative, .length_ns = request->length_ns,
		.cool_off_ns = request->cool_off_ns,
	};
	const struct scope_series_watch watch = { .progress = on_progress, .context = (void *)request };

	say_what_comes(request, &outcome->target, setup->plan.count);
	return scope_causal_series_run(&options, scope_cmd_catch_signals(), &watch, error, &outcome->series);
}

static int compute(const struct scope_delay_request *request, size_t planned, struct scope_error *error,
		   struct scope_delay_outcome *outcome)
{
	const struct scope_series_result *series = &outcome->series;
	int err;

	uname(&outcome->system);
	scope_plain_comm(outcome->program, outcome->target.comm);
	outcome->result = (struct scope_causal_result){
		.kind = request->kind,
		.program = outcome->program,
		.pid = outcome->target.tgid,
		.kernel = outcome->system.release,
		.seed = request->seed,
		.progress = request->progress ? request->progress : "request",
		.site = request->site,
		.sites = request->sites,
		.experiment = series->experiment,
		.count = series->count,
		.planned = planned,
		.ended = ended_by(series),
		.delays = series->delays,
		.late_p50_ns = series->late_p50_ns,
		.late_p99_ns = series->late_p99_ns,
	};
	if (series->end == SCOPE_SERIES_FAILED || series->end == SCOPE_SERIES_NO_PROGRESS) {
		outcome->why = series->why;
		outcome->err = -ENODATA;
	}
	err = scope_causal_result_compute(&outcome->result);
	return err ? scope_error_set(error, err, "no memory for %zu experiments", series->count) : 0;
}

int scope_cmd_delay_measure(const struct scope_delay_request *request, struct scope_error *error,
			    struct scope_delay_outcome *ret_outcome)
{
	struct setup *setup = calloc(1, sizeof(*setup));
	int err;

	*ret_outcome = (struct scope_delay_outcome){ 0 };
	if (!setup)
		return scope_error_set(error, -ENOMEM, "no memory left to begin");
	err = make_setup(request, &ret_outcome->target, error, setup);
	if (!err)
		err = run_series(request, setup, error, ret_outcome);
	if (!err)
		err = compute(request, setup->plan.count, error, ret_outcome);
	scope_cmd_progress_end();
	for (uint32_t i = 0; i < request->sites; i++)
		scope_causal_site_free(&setup->site[i]);
	scope_causal_plan_free(&setup->plan);
	free(setup);
	if (err)
		scope_cmd_delay_outcome_free(ret_outcome);
	return err;
}

void scope_cmd_delay_outcome_free(struct scope_delay_outcome *outcome)
{
	scope_causal_result_free(&outcome->result);
	scope_causal_series_free(&outcome->series);
}

int scope_cmd_delay_run(const struct scope_delay_request *request, struct scope_error *error)
{
	struct scope_delay_outcome outcome;
	int err = scope_cmd_delay_measure(request, error, &outcome);

	if (err)
		return err;
	err = scope_cmd_delay_give(request, &outcome.result, error);
	/* A partial result was printed; the exit status says that it is not the requested one. */
	if (!err && outcome.err) {
		*error = outcome.why;
		err = outcome.err;
	}
	scope_cmd_delay_outcome_free(&outcome);
	return err;
}
