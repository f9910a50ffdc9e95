// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measure how fast units of work are found and judged, from events that are decoded already.
 *
 * Usage: units TRACE      units_per_s: all that learning, finding units and their distributions take of the
 *                         events (stacks left out), as in scope_analysis_single_pass_run(), detection and the choice
 *                         of what is kept, CPU time of one processor; fetched_events_per_s: the same
 *                         events only looked at, which is what memory takes of that time at most
 *        units -d COUNT   distinct_units_seconds: COUNT units with 5,000 distinct vectors, from
 *                         the units to what is kept: distributions, clustering, detection, log
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "analysis/single_pass.h"
#include "base/grow.h"
#include "evidence/keep.h"
#include "unit/distributor.h"
#include "../unit/strict_text.h"
#include "../unit/pickups_learned.h"

#define DISTINCT 5000

static double cpu_s(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Events whose pointers lead into words of their own. */
struct input {
	struct scope_event *event;
	size_t events, capacity;
	uint64_t *word;
	size_t words, word_capacity;
};

static int take(struct input *input, const struct scope_event *event)
{
	const bool call = event->kind == SCOPE_EVENT_SYSCALL || event->kind == SCOPE_EVENT_ENTER;
	const size_t words = event->kind == SCOPE_EVENT_STATE ? (sizeof(*event->state.record) + 7) / 8
			     : call			      ? event->syscall.args
							      : 0;
	const void *from = event->kind == SCOPE_EVENT_STATE ? (const void *)event->state.record : event->syscall.arg;

	if (event->kind > SCOPE_EVENT_WAKING && event->kind != SCOPE_EVENT_STATE)
		return 0;
	if (scope_grow(&input->event, &input->capacity, input->events + 1, sizeof(*event)) ||
	    scope_grow(&input->word, &input->word_capacity, input->words + words, 8))
		return -ENOMEM;
	input->event[input->events] = *event;
	/* An index until all are read: the array may move. */
	if (words) {
		memcpy(&input->word[input->words], from, words * 8);
		input->event[input->events].syscall.arg = (const uint64_t *)(input->words * 8);
		if (!call)
			input->event[input->events].state.record = (const void *)(input->words * 8);
	}
	input->words += words;
	input->events++;
	return 0;
}

static int read_all(struct scope_trace *trace, struct input *input)
{
	struct scope_event event;
	int more;

	while ((more = scope_trace_next(trace, &event)) > 0)
		if (take(input, &event))
			return -ENOMEM;
	for (size_t i = 0; i < input->events; i++) {
		struct scope_event *at = &input->event[i];

		if (at->kind == SCOPE_EVENT_STATE)
			at->state.record = (const void *)((const uint8_t *)input->word + (uintptr_t)at->state.record);
		else if (at->kind == SCOPE_EVENT_SYSCALL || at->kind == SCOPE_EVENT_ENTER)
			at->syscall.arg = (const uint64_t *)((const uint8_t *)input->word + (uintptr_t)at->syscall.arg);
	}
	return more;
}

/* From the distributions to what is kept. */
static int judge(struct scope_groups *groups, const struct scope_distributions *distributions)
{
	struct scope_detection *detection;
	struct scope_kept *kept;
	int err = scope_anomaly_detect_run(groups, distributions, &scope_anomaly_detect_defaults, &detection);

	if (err)
		return err;
	err = scope_evidence_keep_run(distributions, groups, detection, SCOPE_KEEP_UNITS, &kept);
	if (!err) {
		fprintf(stderr, "%" PRIu64 " units, %zu populations, %zu kept\n", distributions->units,
			detection->populations, kept->units->count);
		scope_evidence_kept_destroy(kept);
	}
	scope_anomaly_detection_destroy(detection);
	return err;
}

/* As scope_trace_take(), which has done more by then: what it takes is kept small. */
static size_t list(const struct input *input, size_t from, const struct scope_event **ret_event)
{
	size_t count = scope_trace_some(input->events - from);

#pragma GCC unroll 8
	for (size_t i = 0; i < count; i++)
		ret_event[i] = &input->event[from + i];
	return count;
}

/* What the start teaches. */
static int learn(const struct scope_trace *trace, const struct input *input, struct scope_pickups **ret_pickups)
{
	const struct scope_event *event[SCOPE_TRACE_TAKE];
	struct scope_learner *learner;
	int err = scope_unit_learner_create(trace, &learner);

	for (size_t i = 0; !err && i < input->events && i < SCOPE_SINGLE_PASS_EVENTS; i += SCOPE_TRACE_TAKE)
		err = scope_unit_learner_feed(learner, event, list(input, i, event));
	if (!err)
		err = scope_unit_pickups_create(ret_pickups);
	if (!err)
		err = scope_unit_pickups_decide(*ret_pickups, learner, scope_unit_learner_threads(learner));
	if (!err)
		scope_unit_learner_destroy(learner);
	return err;
}

/* A function of its own, for callgrind's --toggle-collect. */
static __attribute__((noinline)) int analyse(const struct scope_trace *trace, const struct input *input,
					     uint64_t *ret_units)
{
	const struct scope_event *event[SCOPE_TRACE_TAKE];
	struct scope_pickups *pickups;
	struct scope_learner *learner;
	struct scope_groups *groups;
	struct scope_distributions *distributions;
	int err = learn(trace, input, &pickups);

	if (!err)
		err = scope_unit_groups_create(pickups, &groups);
	if (!err)
		err = scope_unit_distributions_begin(trace, NULL, pickups, groups, NULL, &distributions);
	if (!err)
		err = scope_unit_distributions_learn(distributions, &learner);
	for (size_t i = 0; !err && i < input->events; i += SCOPE_TRACE_TAKE)
		err = scope_unit_distributions_feed(distributions, event, list(input, i, event));
	if (!err)
		err = scope_unit_distributions_end(distributions);
	/* Else the units would have to be cut once more, and that belongs to what is measured. */
	if (!err && !scope_unit_pickups_unchanged(pickups, learner, scope_unit_pickups_threads(pickups)))
		err = -EAGAIN;
	if (!err)
		err = judge(groups, distributions);
	if (err)
		return err;
	*ret_units = distributions->units;
	scope_unit_learner_destroy(learner);
	scope_unit_distributions_destroy(distributions);
	scope_unit_groups_destroy(groups);
	scope_unit_pickups_destroy(pickups);
	return 0;
}

/* Each event's line, and the words that it leads to. */
static uint64_t fetch(const struct input *input)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < input->events; i++) {
		const struct scope_event *event = &input->event[i];

		sum += event->time_ns;
		if (event->kind == SCOPE_EVENT_SYSCALL && event->syscall.args)
			sum += event->syscall.arg[0];
	}
	return sum;
}

static double fetch_s(const struct input *input)
{
	const double begin_s = cpu_s();
	volatile uint64_t sum = fetch(input);

	(void)sum;
	return cpu_s() - begin_s;
}

static int bench_trace(const char *path)
{
	struct scope_error error = { "" };
	struct scope_trace *trace;
	struct input input = { 0 };
	double best_s = 0, least_s = 0, once_s;
	uint64_t units;

	if (scope_trace_open(path, &error, &trace) || read_all(trace, &input)) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	for (int round = 0; round < 5; round++) {
		double begin_s = cpu_s();

		if (analyse(trace, &input, &units))
			return 1;
		begin_s = cpu_s() - begin_s;
		best_s = !round || begin_s < best_s ? begin_s : best_s;
		once_s = fetch_s(&input);
		least_s = !round || once_s < least_s ? once_s : least_s;
	}
	printf("units_per_s %.0f units/s\n", (double)units / best_s);
	printf("unit_events %.2f events\n", (double)input.events / (double)units);
	printf("analysed_events_per_s %.0f events/s\n", (double)input.events / best_s);
	printf("fetched_events_per_s %.0f events/s\n", (double)input.events / least_s);
	return 0;
}

/* ---- units handed over as such ---- */

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 2685821657736338717ull;
}

struct kind {
	struct scope_unit_call call[4 + 13];
	uint16_t calls;
};

/* Four calls that all kinds make, and some of twenty others. */
static void make_kinds(struct kind *kind)
{
	for (uint32_t i = 0; i < DISTINCT; i++) {
		memset(&kind[i], 0, sizeof(kind[i]));
		for (uint16_t nr = 0; nr < 4 + 13; nr++) {
			if (nr >= 4 && !(i >> (nr - 4) & 1))
				continue;
			kind[i].call[kind[i].calls++] = (struct scope_unit_call){ (uint16_t)(nr * 7), 1 };
		}
	}
}

/* One thread that waits for work in epoll. */
static int open_server(struct scope_trace **ret_trace)
{
	static const char text[] = "meta begin_ns 1\nmeta end_ns 100000000000000\nfd 10 5 epoll -\n"
				   "1 0 switch 0 10 sleeping\n"
				   "3 0 syscall 10 epoll_wait enter=2 ret=1 args=5\n";
	FILE *file = tmpfile(), *from = fmemopen((void *)text, sizeof(text) - 1, "r");
	struct scope_error error = { "" };
	struct scope_writer *writer;

	return !file || !from || scope_trace_writer_create_fd(fileno(file), "bench", &error, &writer) ||
	       strict_text_read(from, writer, &error) || scope_trace_writer_finish(writer, &error) ||
	       scope_trace_open_fd(fileno(file), "bench", &error, ret_trace);
}

static int hand_over(struct scope_distributions *distributions, const struct kind *kinds, uint64_t count)
{
	uint64_t random = 88172645463325252ull;
	int err = 0;

	for (uint64_t i = 0; !err && i < count; i++) {
		uint64_t draw = next_random(&random);
		const struct kind *kind = &kinds[draw % DISTINCT];
		uint64_t wall_ns = 20000 + (draw >> 40) % 4000 + (i % 1000 ? 0 : 200000);
		struct scope_unit unit = {
			.begin_ns = i * 100000,
			.end_ns = i * 100000 + wall_ns,
			.run_ns = wall_ns,
			.calls = kind->calls,
			.granularity = SCOPE_UNIT_REQUEST,
			.histogram = SCOPE_HISTOGRAM_NONE,
		};

		err = scope_unit_distributions_take(distributions, &unit, kind->call);
	}
	return err;
}

static int bench_distinct(uint64_t count)
{
	static struct kind kinds[DISTINCT];
	struct scope_pickups *pickups;
	struct scope_groups *groups;
	struct scope_distributions *distributions;
	struct scope_trace *trace;
	struct rusage usage;
	double begin_s;

	make_kinds(kinds);
	if (open_server(&trace) || pickups_learned(trace, &pickups) || scope_unit_groups_create(pickups, &groups) ||
	    scope_unit_distributions_begin(trace, NULL, pickups, groups, NULL, &distributions))
		return 1;
	begin_s = cpu_s();
	if (hand_over(distributions, kinds, count) || scope_unit_distributions_end(distributions) ||
	    judge(groups, distributions))
		return 1;
	getrusage(RUSAGE_SELF, &usage);
	printf("distinct_units_seconds %.2f s\n", cpu_s() - begin_s);
	printf("distinct_units_peak_kb %ld KB\n", usage.ru_maxrss);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "-d"))
		return bench_distinct(strtoull(argv[2], NULL, 10));
	if (argc == 2)
		return bench_trace(argv[1]);
	fputs("usage: units TRACE | units -d COUNT\n", stderr);
	return 2;
}
