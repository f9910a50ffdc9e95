/* SPDX-License-Identifier: GPL-2.0-only */
/* The text of a trace, written call by call. Thread 10 + N runs on CPU N. */
#ifndef SCOPE_TESTS_MADE_TRACE_H
#define SCOPE_TESTS_MADE_TRACE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "units_of.h"

#define US 1000ull
#define MS 1000000ull
#define END_NS (2000 * MS)

static struct {
	FILE *to;
	char *text;
	size_t bytes;
	uint64_t now_ns;
} made;

/* A trace of 2 s, with these rows of descriptors and threads at its begin. */
static void made_begin(const char *rows)
{
	memset(&made, 0, sizeof(made));
	made.to = open_memstream(&made.text, &made.bytes);
	assert_non_null(made.to);
	fprintf(made.to, "meta begin_ns 0\nmeta end_ns %llu\n%s", END_NS, rows);
}

/* Its units. */
static struct run made_run(void)
{
	struct run run;

	assert_int_equal(fclose(made.to), 0);
	run = run_of(made.text);
	free(made.text);
	return run;
}

/* One that does not sleep, 10 us after what was before. */
static void call(unsigned tid, const char *name, unsigned fd, int ret)
{
	made.now_ns += 10 * US;
	fprintf(made.to, "%llu %u syscall %u %s enter=%llu ret=%d args=%u\n", (unsigned long long)made.now_ns, tid - 10,
		tid, name, (unsigned long long)(made.now_ns - 5 * US), ret, fd);
}

/* One that sleeps that long. waker: a thread, or 0 for an interrupt. */
static void sleeps(unsigned tid, const char *name, unsigned fd, uint64_t ns, int ret, unsigned waker)
{
	const unsigned long long enter = made.now_ns + 10 * US, wake = enter + ns;

	fprintf(made.to, "%llu %u enter %u %s enter=%llu args=%u\n%llu %u switch %u 0 sleeping\n", enter, tid - 10, tid,
		name, enter, fd, enter, tid - 10, tid);
	if (waker)
		fprintf(made.to, "%llu %u waking %u from %u task\n", wake - 1, waker - 10, tid, waker);
	else
		fprintf(made.to, "%llu %u waking %u from - softirq\n", wake, tid - 10, tid);
	fprintf(made.to, "%llu %u switch 0 %u sleeping\n%llu %u exit %u %s ret=%d\n", wake, tid - 10, tid, wake,
		tid - 10, tid, name, ret);
	made.now_ns = wake;
}

static uint64_t requests(const struct run *run)
{
	uint64_t requests = 0;

	for (size_t i = 0; i < run->units->count; i++)
		requests += run->units->unit[i].asked;
	return requests;
}

#endif
