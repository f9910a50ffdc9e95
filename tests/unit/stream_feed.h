/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes a finished trace again, in small parts, while a stream of the analysis follows the file. */
#ifndef SCOPE_TESTS_STREAM_FEED_H
#define SCOPE_TESTS_STREAM_FEED_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analysis/stream.h"
#include "trace/packer.h"
#include "trace/writer.h"

#define FEED_STEP_NS 200000000ull

struct feed {
	FILE *file;
	struct scope_writer *writer;
	struct scope_packer *packer;
	struct scope_stream *stream;
	int failed;
	uint64_t lag_ns;			 /* of the second reader; 0: the usual one */
	uint64_t window_ns;			 /* that may be asked for; 0: all */
	const struct scope_listeners *listeners; /* of the stream; NULL: none */
	uint64_t step_events;			 /* that a step may analyse at most */
	bool late;				 /* what CPU 1 wrote comes after everything else is in the file */
	struct scope_packer *late_packer;
	uint64_t events;
	double stream_s;				  /* CPU time of the stream before the end */
	int (*after)(struct feed *feed, uint64_t now_ns); /* called after each step; NULL: nothing is */
	void *user;
};

static void feed_rows(struct feed *feed, const struct scope_trace *trace)
{
	static const char *const keys[] = {
		SCOPE_META_KERNEL, SCOPE_META_ARCH,	 SCOPE_META_SOURCE, SCOPE_META_LACKS,	   SCOPE_META_COMMAND,
		SCOPE_META_PID,	   SCOPE_META_SAMPLE_NS, SCOPE_META_BEGIN,  SCOPE_META_WALL_CLOCK,
	};
	struct scope_writer *writer = feed->writer;
	size_t count;
	const struct scope_trace_fd *fd = scope_trace_fds(trace, &count);
	const struct scope_trace_thread *thread;
	const struct scope_trace_symbol *symbol;
	const struct scope_trace_map *map;

	for (size_t i = 0; i < count; i++)
		feed->failed |= scope_trace_writer_fd(writer, &fd[i]);
	thread = scope_trace_threads(trace, &count);
	for (size_t i = 0; i < count; i++)
		feed->failed |= scope_trace_writer_thread(writer, &thread[i]);
	map = scope_trace_maps(trace, &count);
	for (size_t i = 0; i < count; i++)
		feed->failed |= scope_trace_writer_map(writer, &map[i]);
	symbol = scope_trace_symbols(trace, &count);
	for (size_t i = 0; i < count; i++)
		feed->failed |= scope_trace_writer_symbol(writer, &symbol[i]);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (scope_trace_meta(trace, keys[i]))
			feed->failed |= scope_trace_writer_meta(writer, keys[i], scope_trace_meta(trace, keys[i]));
}

static void feed_end(struct feed *feed, const struct scope_trace *trace)
{
	static const char *const keys[] = {
		SCOPE_META_END,
		SCOPE_META_LOST,
		SCOPE_META_END_REASON,
		SCOPE_META_STACKS_SKIPPED,
	};
	const struct scope_trace_memory *memory;
	struct scope_error error = { "" };
	size_t count;

	memory = scope_trace_memories(trace, &count);
	for (size_t i = 0; i < count; i++)
		feed->failed |= scope_trace_writer_memory(feed->writer, &memory[i]);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (scope_trace_meta(trace, keys[i]))
			feed->failed |=
				scope_trace_writer_meta(feed->writer, keys[i], scope_trace_meta(trace, keys[i]));
	feed->failed |= scope_trace_packer_flush(feed->packer, &error);
	feed->failed |= scope_trace_packer_flush(feed->late_packer, &error);
	feed->failed |= scope_trace_writer_finish(feed->writer, &error);
}

static double feed_cpu_s(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* All events before now_ns were packed. */
static void feed_step(struct feed *feed, uint64_t now_ns)
{
	struct scope_error error = { "" };
	double begin_s;

	feed->failed |= scope_trace_packer_flush(feed->packer, &error);
	feed->failed |= scope_trace_writer_flush(feed->writer);
	begin_s = feed_cpu_s();
	feed->failed |= scope_analysis_stream_advance(feed->stream, now_ns, feed->step_events);
	feed->stream_s += feed_cpu_s() - begin_s;
	if (feed->after)
		feed->failed |= feed->after(feed, now_ns);
}

/* 0: feed->file holds the whole trace, and the stream has seen all but its end. */
static int feed_run(struct feed *feed, struct scope_trace *trace)
{
	struct scope_error error = { "" };
	struct scope_event event;
	uint64_t next_ns = 0;
	int more = 0;

	feed->file = tmpfile();
	if (!feed->file || scope_trace_writer_create_fd(fileno(feed->file), "the feed", &error, &feed->writer) ||
	    scope_trace_packer_create(feed->writer, 0, &feed->packer) ||
	    scope_trace_packer_create(feed->writer, 0, &feed->late_packer) ||
	    scope_analysis_stream_create(fileno(feed->file), "the feed", &feed->stream))
		return 1;
	if (feed->lag_ns)
		scope_analysis_stream_set_lag(feed->stream, feed->lag_ns);
	scope_analysis_stream_set_window(feed->stream, feed->window_ns);
	scope_analysis_stream_listen(feed->stream, feed->listeners);
	feed_rows(feed, trace);
	feed->failed |= scope_trace_rewind(trace);
	while (!feed->failed && (more = scope_trace_next(trace, &event)) > 0) {
		if (event.time_ns >= next_ns) {
			feed_step(feed, event.time_ns);
			next_ns = event.time_ns + FEED_STEP_NS;
		}
		feed->failed |= scope_trace_packer_event(
			feed->late && event.cpu == 1 ? feed->late_packer : feed->packer, &event, &error);
		feed->events++;
	}
	feed_end(feed, trace);
	if (feed->failed || more)
		fprintf(stderr, "the feed failed: %s\n", error.text);
	return feed->failed || more;
}

static void feed_free(struct feed *feed)
{
	scope_trace_packer_destroy(feed->packer);
	scope_trace_packer_destroy(feed->late_packer);
	scope_trace_writer_destroy(feed->writer);
	scope_analysis_stream_destroy(feed->stream);
	if (feed->file)
		fclose(feed->file);
}

#endif
