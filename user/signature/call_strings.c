// SPDX-License-Identifier: GPL-2.0-only
/* Collects from a trace with stacks the strings of calls under each of the program's functions. */
#include "signature/call_strings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "signature/episode.h"
#include "timeline/timeline.h"

#define PATH_FUNCTIONS 64

/* A string that is being made. */
struct run {
	uint32_t function;
	uint16_t nr[SCOPE_LEARN_STRING_MAX];
	uint8_t length;
	bool touched; /* by the present call */
};

struct track {
	uint16_t nr;			 /* of the call that has returned and waits for its stack; or SCOPE_NR_NONE */
	uint32_t sample[PATH_FUNCTIONS]; /* of the last one since that call, innermost first */
	unsigned samples;		 /* functions in it */
	uint64_t run_ns;		 /* run time of the account when that call returned, without stacks */
	uint16_t last;			 /* its number; SCOPE_NR_NONE: not known */
	struct run *run;
	size_t runs, capacity;
};

struct learner {
	struct scope_learned *learned;
	struct scope_timeline *timeline;
	struct scope_symbols *symbols;
	const char *arch;
	const struct scope_trace_map *map;
	size_t maps;
	uint32_t *index; /* by id of a function: its index + 1; 0 not met; UINT32_MAX: no build-id */
	size_t indices, index_capacity;
	struct track *track;
	size_t tracks, track_capacity;
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The build-id of the file that holds the function; "": not known. */
static const char *build_id_of(const struct learner *learner, const struct scope_function *function)
{
	bool by_path = strchr(function->path, '/');

	for (size_t i = 0; i < learner->maps; i++) {
		const char *path = learner->map[i].path;

		if (learner->map[i].build_id[0] && !strcmp(by_path ? path : base_name(path), function->path))
			return learner->map[i].build_id;
	}
	return "";
}

static int add_function(struct learner *learner, const struct scope_function *function)
{
	struct scope_learned *learned = learner->learned;
	const struct scope_signature_learned_build build = {
		.build_id = build_id_of(learner, function),
		.module = function->module,
		.arch = learner->arch ? learner->arch : "",
		.runs = 1,
	};
	struct scope_signature_learned_function added = { .name = function->name, .start = function->start };
	int err;

	if (!build.build_id[0]) {
		learner->index[function->id] = UINT32_MAX;
		if (function->path[0] != '[')
			learned->no_build_id = learned->no_build_id ? learned->no_build_id : function->module;
		else
			learned->no_file = true;
		return 0;
	}
	err = scope_signature_learned_build(learned, &build, &added.build);
	if (!err)
		err = scope_signature_learned_function(learned, &added);
	learner->index[function->id] = (uint32_t)learned->functions;
	return err;
}

/* Index + 1 of the function, created if it is new; UINT32_MAX: it cannot be learned. */
static int index_of(struct learner *learner, const struct scope_function *function, uint32_t *ret_index)
{
	int err = 0;

	if (scope_grow(&learner->index, &learner->index_capacity, function->id + 1u, sizeof(*learner->index)))
		return -ENOMEM;
	while (learner->indices <= function->id)
		learner->index[learner->indices++] = 0;
	if (!learner->index[function->id])
		err = add_function(learner, function);
	*ret_index = learner->index[function->id];
	return err;
}

static struct track *get_track(struct learner *learner, uint32_t thread)
{
	if (scope_grow(&learner->track, &learner->track_capacity, thread + 1, sizeof(*learner->track)))
		return NULL;
	while (learner->tracks <= thread)
		learner->track[learner->tracks++] = (struct track){ .nr = SCOPE_NR_NONE, .last = SCOPE_NR_NONE };
	return &learner->track[thread];
}

static int keep_run(struct learner *learner, const struct run *run)
{
	return scope_signature_learned_string(&learner->learned->function[run->function], run->nr, run->length, 1);
}

/* Ends the runs that the present call does not belong to. */
static int end_runs(struct learner *learner, struct track *track)
{
	size_t kept = 0;
	int err = 0;

	for (size_t i = 0; i < track->runs; i++) {
		struct run *run = &track->run[i];

		if (run->touched) {
			run->touched = false;
			track->run[kept++] = *run;
		} else if (!err) {
			err = keep_run(learner, run);
		}
	}
	track->runs = kept;
	return err;
}

static int append(struct learner *learner, struct track *track, uint32_t function, uint16_t nr)
{
	struct run *run = NULL;
	int err = 0;

	for (size_t i = 0; i < track->runs && !run; i++)
		if (track->run[i].function == function)
			run = &track->run[i];
	if (!run) {
		if (scope_grow(&track->run, &track->capacity, track->runs + 1, sizeof(*run)))
			return -ENOMEM;
		run = &track->run[track->runs++];
		*run = (struct run){ .function = function };
	}
	if (run->length == SCOPE_LEARN_STRING_MAX) {
		err = keep_run(learner, run);
		run->length = 0;
	}
	run->nr[run->length++] = nr;
	run->touched = true;
	learner->learned->function[function].calls++;
	return err;
}

/* The functions on the stack that can be learned, innermost first, each once. */
static int learnable(struct learner *learner, uint32_t tgid, const uint64_t *ip, unsigned ips, uint32_t *ret_function,
		     unsigned *ret_count)
{
	unsigned count = 0;

	for (unsigned i = 0; i < ips && count < PATH_FUNCTIONS; i++) {
		const struct scope_function *function;
		uint32_t index;
		bool again = false;
		int err = scope_symbols_lookup(learner->symbols, tgid, ip[i], i > 0, &function);

		if (err)
			return err;
		if (function->library || !function->path[0])
			continue;
		err = index_of(learner, function, &index);
		if (err)
			return err;
		for (unsigned j = 0; j < count; j++)
			again |= ret_function[j] == index - 1;
		if (index != UINT32_MAX && !again)
			ret_function[count++] = index - 1;
	}
	*ret_count = count;
	return 0;
}

/* The functions on a stack that can be learned, innermost first: up to PATH_FUNCTIONS. */
static int functions_of(struct learner *learner, uint32_t thread, const struct scope_event *event,
			uint32_t *ret_function, unsigned *ret_count)
{
	uint32_t tgid = scope_timeline_threads_at(learner->timeline->threads, thread)->tgid;
	uint64_t unwound[PATH_FUNCTIONS];
	const uint64_t *ip = event->stack.ip;
	unsigned ips = event->stack.ips, flags;
	int err = 0;

	if (event->stack.ended && ips > PATH_FUNCTIONS)
		ips = PATH_FUNCTIONS;
	if (!ips && event->stack.regs) {
		err = scope_symbols_unwind(learner->symbols, tgid, event->stack.reg, event->stack.regs,
					   event->stack.data, event->stack.bytes, unwound, PATH_FUNCTIONS, &ips,
					   &flags);
		if (err == -EINVAL)
			ips = 0;
		ip = unwound;
	}
	return err == -ENOMEM ? err : learnable(learner, tgid, ip, ips, ret_function, ret_count);
}

static int add_callers(struct learner *learner, const uint32_t *function, unsigned count)
{
	int err = 0;

	for (unsigned i = 0; !err && i + 1 < count; i++)
		err = scope_signature_learned_caller(&learner->learned->function[function[i]], function[i + 1], 1);
	return err;
}

static int take_stack(void *user, uint32_t thread, const struct scope_event *event)
{
	struct learner *learner = user;
	struct track *track = get_track(learner, thread);
	uint32_t function[PATH_FUNCTIONS];
	unsigned count;
	uint16_t nr;
	int err;

	if (!track)
		return -ENOMEM;
	if (event->stack.reason == SCOPE_STACK_SAMPLE) {
		if (scope_timeline_threads_at(learner->timeline->threads, thread)->open.nr != SCOPE_NR_NONE)
			return 0;
		return functions_of(learner, thread, event, track->sample, &track->samples);
	}
	nr = track->nr;
	if (nr == SCOPE_NR_NONE)
		return 0;
	track->nr = SCOPE_NR_NONE;
	err = functions_of(learner, thread, event, function, &count);
	if (err)
		return err;
	learner->learned->stacks++;
	learner->learned->nameless += !count;
	for (unsigned i = 0; !err && i < count; i++)
		err = append(learner, track, function[i], nr);
	if (!err)
		err = add_callers(learner, function, count);
	return err ? err : end_runs(learner, track);
}

/* A call has no stack: its strings are not known, so all strings end before it. */
static int drop_pending(struct learner *learner, struct track *track)
{
	if (track->nr == SCOPE_NR_NONE)
		return 0;
	track->nr = SCOPE_NR_NONE;
	return end_runs(learner, track);
}

static uint64_t run_ns(const struct scope_thread *thread)
{
	return thread->account.run_ns - thread->account.probe_ns;
}

/* Adds a separate string, with the calls on both sides, under all functions of the sample. */
static int add_busy(struct learner *learner, const struct track *track, uint16_t next)
{
	uint16_t nr[3];
	unsigned length = 0;
	int err = 0;

	if (track->last != SCOPE_NR_NONE)
		nr[length++] = track->last;
	nr[length++] = SCOPE_EPISODE_BUSY;
	nr[length++] = next;
	for (unsigned i = 0; !err && i < track->samples; i++)
		err = scope_signature_learned_string(&learner->learned->function[track->sample[i]], nr, length, 1);
	return err ? err : add_callers(learner, track->sample, track->samples);
}

/* Adds a busy string if the thread was long on a CPU since the last call, and a sample shows where. */
static int take_enter(void *user, const struct scope_thread *thread, const struct scope_open_call *call)
{
	struct learner *learner = user;
	struct track *track = get_track(learner, thread->index);
	int err = 0;

	if (!track)
		return -ENOMEM;
	if (scope_timeline_call_ignored(call->nr))
		return 0;
	if ((int64_t)(run_ns(thread) - track->run_ns) >= SCOPE_EPISODE_BUSY_NS)
		err = add_busy(learner, track, call->nr);
	track->samples = 0;
	return err;
}

static int take_exit(void *user, const struct scope_thread *thread, const struct scope_open_call *call, int64_t ret,
		     uint64_t exit_ns)
{
	struct learner *learner = user;
	struct track *track = get_track(learner, thread->index);
	int err;

	(void)ret;
	(void)exit_ns;
	if (!track)
		return -ENOMEM;
	err = drop_pending(learner, track);
	if (err || scope_timeline_call_ignored(call->nr))
		return err;
	learner->learned->calls++;
	track->nr = track->last = call->nr;
	track->run_ns = run_ns(thread);
	track->samples = 0;
	return 0;
}

/* The stack after it is that of a thread that does not run. */
static int take_state(void *user, uint32_t thread, const struct scope_event *event)
{
	struct track *track = get_track(user, thread);

	(void)event;
	return track ? drop_pending(user, track) : -ENOMEM;
}

static int take_end(void *user, uint32_t thread, uint64_t now_ns)
{
	struct learner *learner = user;
	struct track *track = get_track(learner, thread);

	(void)now_ns;
	if (!track)
		return -ENOMEM;
	track->nr = track->last = SCOPE_NR_NONE;
	track->samples = 0;
	return end_runs(learner, track);
}

static int run_through(struct learner *learner, struct scope_trace *trace)
{
	static const struct scope_timeline_ops ops = {
		.enter = take_enter,
		.exit = take_exit,
		.stack = take_stack,
		.state = take_state,
		.lost = take_end,
		.end = take_end,
	};
	int err = scope_timeline_create(trace, &learner->timeline);

	if (!err)
		err = scope_timeline_run(learner->timeline, trace, &ops, learner);
	for (size_t i = 0; !err && i < learner->tracks; i++)
		err = take_end(learner, (uint32_t)i, 0);
	scope_timeline_destroy(learner->timeline);
	return err;
}

int scope_signature_learn(struct scope_trace *trace, struct scope_symbols *symbols, struct scope_learned **ret_learned)
{
	struct learner learner = { .symbols = symbols };
	int err;

	learner.learned = calloc(1, sizeof(*learner.learned));
	if (!learner.learned)
		return -ENOMEM;
	learner.arch = scope_trace_meta(trace, SCOPE_META_ARCH);
	learner.map = scope_trace_maps(trace, &learner.maps);
	err = run_through(&learner, trace);
	for (size_t i = 0; i < learner.tracks; i++)
		free(learner.track[i].run);
	free(learner.track);
	free(learner.index);
	if (err) {
		scope_signature_learned_destroy(learner.learned);
		return err;
	}
	*ret_learned = learner.learned;
	return 0;
}
