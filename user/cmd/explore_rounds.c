// SPDX-License-Identifier: GPL-2.0-only
/*
 * Explores a running process in rounds. Each round is a capture, an analysis, and the choice of what the next round
 * adds.
 */
#include "cmd/explore_rounds.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/newfile.h"
#include "capture/capture.h"
#include "cmd/captured.h"
#include "explore/kernel_paths.h"
#include "proc/reader.h"
#include "proc/root.h"
#include "report/explored.h"
#include "trace/writer.h"

#define SAMPLE_NS 1000000u

struct rounds {
	const struct scope_cmd_report *request;
	const volatile sig_atomic_t *stop;
	struct scope_proc_reader *reader; /* reads the target between captures */
	struct scope_proc_root root;
	struct scope_explore explore;
	struct scope_explored explored;
	uint32_t tgid;
	/* The first round, from which the output is made. */
	struct scope_trace *first_trace;
	struct scope_analysis *first;
	bool ended;
};

/* The present round. */
struct round_now {
	struct rounds *rounds;
	struct scope_explore_plan plan;
	struct scope_probing probing;
	struct scope_probing_one one[SCOPE_PLACES_MAX + SCOPE_UNIT_KEYS];
	struct scope_capture_options options;
	struct scope_capture_stats stats;
	struct scope_call_paths kernel;
	char what[160];
};

static void begun(void *context, const struct scope_target *target)
{
	struct round_now *now = context;

	now->rounds->tgid = target->tgid;
	scope_proc_root_hold(&now->rounds->root, target->tgid);
}

static void progress(void *context, const struct scope_capture_progress *done)
{
	struct round_now *now = context;
	const double left = done->duration_ns > done->elapsed_ns ? (double)(done->duration_ns - done->elapsed_ns) / 1e9
								 : 0;

	if (now->plan.kernel_stacks)
		scope_explore_kernel_look(now->rounds->tgid, now->plan.nr, now->rounds->reader, &now->kernel);
	scope_cmd_warn_lossy("explore", done->lost);
	scope_cmd_progress("round %u, %s: %.0f s left, %" PRIu64 " events, %" PRIu64 " lost (Ctrl-C: report now)",
			   now->rounds->explore.rounds + 1, now->what, left, done->records, done->lost);
}

static void describe(struct round_now *now)
{
	const struct scope_explore_plan *plan = &now->plan;
	const struct scope_explore_tree *tree = plan->tree < 0 ? NULL : &now->rounds->explore.tree[plan->tree];

	if (!tree)
		snprintf(now->what, sizeof(now->what), "the skeleton");
	else if (plan->stacks)
		snprintf(now->what, sizeof(now->what), "%.40s: stacks", tree->group);
	else
		snprintf(now->what, sizeof(now->what), "%.40s: + %.100s", tree->group,
			 tree->paths.function[plan->function].name);
}

/* Switches off all that the plan does not need, except what every round needs: calls, switches, wakings. */
static void set_options(struct round_now *now)
{
	const struct scope_cmd_report *request = now->rounds->request;
	struct scope_capture_options *options = &now->options;
	const struct scope_explore_plan *plan = &now->plan;

	*options = request->capture;
	options->duration_ns = request->duration ? request->capture.duration_ns : SCOPE_EXPLORE_ROUND_NS;
	options->stack_budget = 0;
	memset(options->stack_syscalls, 0, sizeof(options->stack_syscalls));
	if (!plan->stacks || request->no_stacks) {
		options->stack_mode = SCOPE_STACK_NONE;
		options->sample_period_ns = 0;
	} else {
		if (plan->nr != SCOPE_NR_NONE && plan->nr < SCOPE_SYSCALL_MAX)
			options->stack_syscalls[plan->nr / 8] |= (uint8_t)(1u << plan->nr % 8);
		options->sample_period_ns = plan->samples ? SAMPLE_NS : 0;
		options->sample_period_min_ns = options->sample_period_ns;
	}
	now->probing = (struct scope_probing){ .one = now->one, .budget = request->budget };
	memcpy(now->one, plan->probe, plan->probes * sizeof(*now->one));
	now->probing.count = plan->probes;
	for (size_t i = 0; i < request->keys; i++) {
		const struct scope_unit_key *source = &request->key[i].source;

		if (plan->tree >= 0 && !scope_explore_splits_by(&now->rounds->explore, i))
			continue;
		if (!source->probe) {
			if (options->arg_counts[source->number] <= source->arg)
				options->arg_counts[source->number] = (uint8_t)(source->arg + 1);
			continue;
		}
		now->one[now->probing.count++] = (struct scope_probing_one){ .probe = request->key_probe[i],
									     .set = request->key_probe[i].id,
									     .name = request->key[i].name };
	}
	options->probing = &now->probing;
}

static int capture(struct round_now *now, struct scope_cmd_captured *captured, struct scope_error *error,
		   struct scope_trace **ret_trace)
{
	const struct scope_capture_watch watch = { .begun = begun, .progress = progress, .context = now };
	int err;

	set_options(now);
	err = scope_capture(now->rounds->request->from, &now->options, captured->writer, now->rounds->stop, &watch,
			    error, &now->stats);
	if (!err)
		err = scope_trace_writer_finish(captured->writer, error);
	scope_cmd_progress_end();
	return err ? err : scope_cmd_captured_open("explore", captured, error, ret_trace);
}

static int sum_round(const struct round_now *now, struct scope_trace *trace, const struct scope_analysis *analysis,
		     const struct scope_edge_wanted *extras, struct scope_round **ret_round)
{
	const struct scope_explore *explore = &now->rounds->explore;
	const struct scope_variance_request *why = analysis->variance ? analysis->variance->request : NULL;
	const struct scope_round_wanted wanted = {
		.extras = extras,
		.split = explore->split,
		.splits = explore->splits,
		.from_ns = now->probing.set_ns,
		.asked.thread = why ? why->thread : 0,
		.asked.begin_ns = why ? why->begin_ns : 0,
	};

	return scope_explore_round_create(trace, analysis->found.distributions, analysis->found.groups,
					  analysis->found.pickups, &wanted, ret_round);
}

/* Makes the sums of the round by an analysis of its trace. */
static int take(struct round_now *now, struct scope_trace *trace, const struct scope_analysis *analysis)
{
	struct rounds *rounds = now->rounds;
	struct scope_unit_key key[SCOPE_UNIT_KEYS];
	struct scope_edge_wanted extras = {
		.probe = now->plan.span,
		.probes = now->plan.probes,
		.key = key,
		.keys = now->plan.tree < 0 || rounds->explore.splits ? rounds->request->keys : 0,
	};
	struct scope_round *round;
	int err;

	for (size_t i = 0; i < extras.keys; i++)
		key[i] = rounds->request->key[i].source;
	err = sum_round(now, trace, analysis, &extras, &round);
	if (!err && now->plan.tree < 0) {
		err = scope_explore_relate(&rounds->explore, round);
		if (err || rounds->explore.splits)
			scope_explore_round_destroy(round);
		if (!err && rounds->explore.splits)
			err = sum_round(now, trace, analysis, &extras, &round);
	}
	if (err)
		return err;
	if (now->plan.tree < 0)
		rounds->explored.why_hash = round->asked_hash;
	scope_explore_call_paths_end(&now->kernel);
	err = scope_explore_take(&rounds->explore, &now->plan, &now->probing, round, trace, analysis->symbols,
				 &now->kernel);
	scope_explore_round_destroy(round);
	/* This reads the program's files, so it is done only once. */
	if (!err && now->plan.stacks && !rounds->explore.functions_seen)
		rounds->explore.functions_seen = (uint32_t)scope_symbols_program_functions(analysis->symbols, 0);
	return err;
}

static int analyse(struct round_now *now, struct scope_trace *trace, bool *ret_kept, struct scope_error *error)
{
	struct rounds *rounds = now->rounds;
	struct scope_analysis_options options;
	struct scope_analysis *analysis;
	int err;

	scope_analysis_options_init(&options);
	options.symbols = rounds->request->symbols.options;
	options.symbols.reader = rounds->reader;
	if (rounds->root.path[0])
		options.symbols.root = rounds->root.path;
	options.variance = !rounds->first;
	options.slowest = options.variance ? rounds->request->slowest : 0;
	options.why = options.variance ? rounds->request->why : 0;
	scope_cmd_progress("analysing");
	err = scope_analysis_run(trace, &options, &analysis);
	if (!err)
		err = take(now, trace, analysis);
	scope_cmd_progress_end();
	if (err)
		return scope_error_set(error, err, "the trace of a round cannot be analysed: %s", strerror(-err));
	if (rounds->first) {
		scope_analysis_destroy(analysis);
		return 0;
	}
	rounds->first = analysis;
	rounds->first_trace = trace;
	*ret_kept = true;
	return 0;
}

static void say(const struct round_now *now)
{
	const struct scope_explore *explore = &now->rounds->explore;
	char text[400];

	scope_report_explored_round(explore, &now->plan, text, sizeof(text));
	scope_cmd_say("explore", "round %u: %s", explore->rounds, text);
}

static void sum_up(struct round_now *now)
{
	struct scope_explored *explored = &now->rounds->explored;

	explored->pauses += now->probing.pauses;
	if (now->probing.share_most > explored->share_most)
		explored->share_most = now->probing.share_most;
	if (now->probing.looks_apart_ns > explored->looks_apart_ns)
		explored->looks_apart_ns = now->probing.looks_apart_ns;
	for (size_t i = 0; i < SCOPE_LOST_REASONS; i++)
		explored->lost += now->stats.counts.lost[i];
	if (now->probing.over || now->stats.end == SCOPE_CAPTURE_GUARD)
		explored->over = true;
}

/* Makes a round. 0; 1: this was the last round; or -errno. */
static int run_round(struct rounds *rounds, const struct scope_explore_plan *plan, struct scope_error *error)
{
	struct round_now *now = calloc(1, sizeof(*now));
	struct scope_cmd_captured captured = { .fd = -1 };
	struct scope_trace *trace = NULL;
	bool kept = false;
	int err;

	if (!now)
		return scope_error_set(error, -ENOMEM, "no memory for a round");
	now->rounds = rounds;
	now->plan = *plan;
	describe(now);
	err = scope_cmd_captured_create(rounds->first ? NULL : rounds->request->save, error, &captured);
	if (!err)
		err = capture(now, &captured, error, &trace);
	if (!err)
		err = analyse(now, trace, &kept, error);
	if (!err) {
		sum_up(now);
		say(now);
		if (now->stats.end == SCOPE_CAPTURE_TARGET_GONE)
			rounds->ended = true;
		if (now->stats.end != SCOPE_CAPTURE_TIME || rounds->explored.over)
			err = 1;
	}
	if (!kept)
		scope_trace_close(trace);
	scope_cmd_captured_free(&captured);
	scope_explore_call_paths_free(&now->kernel);
	free(now);
	return err;
}

static int run_rounds(struct rounds *rounds, struct scope_error *error)
{
	const struct scope_cmd_report *request = rounds->request;
	struct scope_explore_plan plan;
	int err = 0;

	while (!err && rounds->explore.rounds < request->rounds && !*rounds->stop &&
	       scope_explore_next(&rounds->explore, rounds->reader, &plan)) {
		if (plan.stacks && request->no_stacks)
			break;
		err = run_round(rounds, &plan, error);
	}
	scope_explore_stop(&rounds->explore, rounds->explored.over ? SCOPE_EXPLORE_BUDGET : SCOPE_EXPLORE_OPEN);
	rounds->explored.interrupted = *rounds->stop;
	return err < 0 ? err : 0;
}

static int print(const struct rounds *rounds, struct scope_newfile *file, struct scope_error *error)
{
	const struct scope_cmd_report *request = rounds->request;
	const struct scope_report_style style = {
		.verbose = request->verbose,
		.columns = scope_cmd_columns(scope_newfile_fd(file)),
	};
	FILE *out = scope_newfile_stream(file), *text = out;
	int err = out ? 0 : -ENOMEM;

	if (out && !request->json)
		text = scope_cmd_text_begin(out);
	if (!err)
		err = request->json
			      ? scope_report_explored_json(&rounds->explored, rounds->first, &request->limits, out)
			      : scope_report_explored_text(&rounds->explored, rounds->first, &style, &request->limits,
							   text);
	scope_cmd_text_end(text, out);
	if (err)
		return scope_error_set(error, err, "%s cannot be written: %s; name another place with -o",
				       request->output ? request->output : "the result", strerror(-err));
	err = scope_newfile_finish(file, error);
	scope_cmd_note("explore", scope_newfile_note(file));
	return err;
}

int scope_cmd_explore_rounds(const struct scope_cmd_report *request, struct scope_error *error)
{
	struct rounds *rounds = calloc(1, sizeof(*rounds));
	struct scope_newfile *file = NULL;
	struct scope_error why = { "" };
	int err, printed;

	if (!rounds)
		return scope_error_set(error, -ENOMEM, "no memory to explore");
	*rounds = (struct rounds){
		.request = request,
		.stop = scope_cmd_catch_signals(),
		.root = SCOPE_PROC_ROOT_NONE,
	};
	scope_explore_init(&rounds->explore,
			   &(struct scope_explore_options){
				   .limits = request->limits,
				   .mode = request->search,
				   .key = request->key,
				   .keys = request->keys,
				   .kernel = request->kernel_probes && scope_capture_probing_kernel(request->from),
			   });
	rounds->explored.explore = &rounds->explore;
	rounds->explored.source = request->from->name;
	rounds->explored.round_ns = request->duration ? request->capture.duration_ns : SCOPE_EXPLORE_ROUND_NS;
	rounds->explored.budget = request->budget;
	err = scope_newfile_create(request->output, 0666, error, &file);
	if (!err && !scope_capture_probing_can(request->from))
		err = scope_error_set(error, -EOPNOTSUPP, "the source %s sets no probes while it runs",
				      request->from->name);
	if (!err)
		err = scope_proc_reader_create(rounds->stop, error, &rounds->reader);
	if (!err)
		err = run_rounds(rounds, error);
	/* The results so far are printed, whatever ended the rounds. */
	if (rounds->first) {
		printed = print(rounds, file, &why);
		if (!err && printed) {
			err = printed;
			*error = why;
		}
	}
	if (!err && rounds->ended)
		err = scope_error_set(error, -ESRCH, "process %u ended; what was found until then is printed",
				      rounds->tgid);
	if (!err && rounds->explored.over)
		err = scope_error_set(
			error, -EOVERFLOW,
			"tracing alone, without any added probe, took more of a CPU than --budget allows; what was "
			"found until then is printed: allow more");
	scope_analysis_destroy(rounds->first);
	scope_trace_close(rounds->first_trace);
	scope_explore_free(&rounds->explore);
	scope_proc_reader_destroy(rounds->reader);
	scope_proc_root_release(&rounds->root);
	scope_newfile_destroy(file);
	free(rounds);
	return err;
}
