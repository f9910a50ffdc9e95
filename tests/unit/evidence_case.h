/* SPDX-License-Identifier: GPL-2.0-only */
/* A trace of text lines, and all from which evidence is collected: judged and kept units, and named functions. */
#ifndef SCOPE_TESTS_EVIDENCE_CASE_H
#define SCOPE_TESTS_EVIDENCE_CASE_H

#include <stdlib.h>

#include "evidence/evidence.h"
#include "trace_of.h"
#include "pickups_learned.h"

struct evidence_case {
	struct scope_trace *trace;
	struct scope_pickups *pickups;
	struct scope_groups *groups;
	struct scope_distributions *distributions;
	struct scope_detection *detection;
	struct scope_kept *kept;
	struct scope_symbols *symbols;
	struct scope_evidence *evidence; /* the test's */
};

/* The address of a case's program; its functions have these names. */
#define AT_PARSE "0x1010"
#define AT_WALK "0x2010"
#define AT_LIBRARY "0x3010"

/* A server of one thread that reads requests from 7 after its epoll on 5; 9 is a pipe. */
static const char case_head[] = "meta begin_ns 0\nmeta sample_ns 1000000\n"
				"fd 10 5 epoll -\nfd 10 7 accepted -\nfd 10 9 pipe -\n"
				"sym 0 0x1000 0x100 parse server program\nsym 0 0x2000 0x100 walk server program\n"
				"sym 0 0x3000 0x100 memcpy libc.so.6 library\n"
				"sym 0 0xffffffff81000000 0x100 perf_output_sample [kernel] library\n"
				"sym 0 0xffffffff82000000 0x100 copy_page [kernel] library\n"
				"sym 0 0xffffffff83000000 0x100 perf_probe [other] library\n"
				"sym 0 0xffffffffc0000000 0x100 scope_record [scope] library\n";

struct story {
	FILE *to;
	char *text;
	size_t size;
	uint64_t now_ns;
};

/* The text must not move, because the stream knows its address. */
static inline void story_begin(struct story *story, const char *head)
{
	story->now_ns = 10000;
	story->to = open_memstream(&story->text, &story->size);
	assert_non_null(story->to);
	fprintf(story->to, "%s%s0 0 switch 0 10 sleeping\n", case_head, head);
}

static inline void story_take(struct story *story)
{
	fprintf(story->to, "%ju 0 syscall 10 read enter=%ju ret=64 args=7\n", (uintmax_t)story->now_ns,
		(uintmax_t)story->now_ns - 500);
}

/* It returns to its loop, where the next request already waits. */
static inline void story_loop(struct story *story)
{
	fprintf(story->to, "%ju 0 syscall 10 epoll_wait enter=%ju ret=1 args=5\n", (uintmax_t)story->now_ns + 1000,
		(uintmax_t)story->now_ns);
	story->now_ns += 2000;
}

/* Writes `count` requests of 100 us, each with a sample at that place; NULL: without samples. */
static inline void story_usual(struct story *story, unsigned requests, const char *at)
{
	for (unsigned i = 0; i < requests; i++) {
		story_take(story);
		if (at)
			fprintf(story->to, "%ju 0 sample 10 %s\n", (uintmax_t)story->now_ns + 50000, at);
		story->now_ns += 100000;
		story_loop(story);
	}
}

static inline struct evidence_case case_of(struct story *story)
{
	struct evidence_case made = { 0 };
	const struct scope_trace_symbol *rows;
	size_t count;

	assert_int_equal(fclose(story->to), 0);
	made.trace = trace_of(story->text);
	free(story->text);
	assert_int_equal(pickups_learned(made.trace, &made.pickups), 0);
	assert_int_equal(scope_unit_groups_create(made.pickups, &made.groups), 0);
	assert_int_equal(scope_unit_distributions_run(made.trace, made.pickups, made.groups, NULL, &made.distributions),
			 0);
	assert_int_equal(
		scope_unit_groups_conclude(made.groups, made.pickups, made.distributions->run->timeline->threads), 0);
	assert_int_equal(scope_anomaly_detect_run(made.groups, made.distributions, &scope_anomaly_detect_defaults,
						  &made.detection),
			 0);
	assert_int_equal(scope_evidence_keep_run(made.distributions, made.groups, made.detection, SCOPE_KEEP_UNITS,
						 &made.kept),
			 0);
	rows = scope_trace_symbols(made.trace, &count);
	assert_int_equal(scope_symbols_create(NULL, 0, rows, count, NULL, &made.symbols), 0);
	return made;
}

static inline void case_end(struct evidence_case *made)
{
	scope_evidence_destroy(made->evidence);
	scope_symbols_destroy(made->symbols);
	scope_evidence_kept_destroy(made->kept);
	scope_anomaly_detection_destroy(made->detection);
	scope_unit_distributions_destroy(made->distributions);
	scope_unit_groups_destroy(made->groups);
	scope_unit_pickups_destroy(made->pickups);
	scope_trace_close(made->trace);
}

/* By stacks, without hangs. */
static inline const struct scope_evidence *case_collect(struct evidence_case *made)
{
	const struct scope_evidence_source source = {
		.trace = made->trace,
		.kept = made->kept,
		.symbols = made->symbols,
	};
	size_t hangs = 0;

	assert_int_equal(scope_evidence_collect(&source, NULL, made->detection, made->pickups, NULL, NULL, &hangs,
						&made->evidence),
			 0);
	return made->evidence;
}

static inline const char *case_function(const struct scope_evidence *evidence, const struct scope_item *item)
{
	const struct scope_function *function = evidence->tree.node[item->node].function;

	return function ? function->name : "";
}

#endif
