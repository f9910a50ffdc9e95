/* SPDX-License-Identifier: GPL-2.0-only */
/* A process that perf traces: records are put in, and the text of the trace is compared. */
#ifndef SCOPE_TESTS_PERF_SESSION_H
#define SCOPE_TESTS_PERF_SESSION_H

#include "trace_fixture.h"

#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>

#include "perf_bytes.h"
#include "capture/capture.h"
#include "capture/defaults.h"
#include "perf/pack.h"
#include "perf/select.h"
#include "source/selection.h"
#include "trace/text_form.h"

struct session {
	struct scope_capture_options options;
	struct scope_perf_layout layout;
	struct scope_perf_tasks *tasks;
	struct scope_perf_pack *pack;
	struct fixture file;
	struct perf_bytes bytes; /* the next record */
};

static inline int to_file(const struct scope_subbuf *subbuf, void *context)
{
	struct session *session = context;

	return scope_trace_writer_subbuf(session->file.writer, subbuf);
}

static inline void add_thread(struct session *session, uint32_t tid, const char *comm)
{
	struct scope_perf_thread *thread = scope_perf_tasks_add(session->tasks, 100, tid);

	thread->by = SCOPE_PERF_BY_PROCESS;
	strcpy(thread->comm, comm);
}

/* Process 100 with the threads 100 and 101 is traced, and followed. */
static inline struct session *begin(enum scope_stack_mode mode)
{
	struct session *session = calloc(1, sizeof(*session));

	assert_non_null(session);
	scope_capture_options_init(&session->options, 100);
	session->options.stack_mode = mode;
	session->options.stack_bytes = 64;
	session->layout = layout_make(mode);
	session->file = fixture_begin();
	assert_int_equal(scope_perf_tasks_create(&session->tasks), 0);
	add_thread(session, 100, "first");
	add_thread(session, 101, "second");
	assert_int_equal(scope_perf_pack_create(&session->options, &session->layout, session->tasks, to_file, session,
						&session->pack),
			 0);
	return session;
}

static inline void put(struct session *session, uint32_t cpu)
{
	struct scope_perf_record record;

	assert_int_equal(scope_perf_record_parse(&session->layout, ids, SCOPE_PERF_KINDS, session->bytes.data,
						 session->bytes.bytes, &record),
			 0);
	assert_int_equal(scope_perf_pack_record(session->pack, cpu, &record), 0);
}

#define PUT(cpu, make, ...)                                                                                            \
	do {                                                                                                           \
		make(&session->bytes, __VA_ARGS__);                                                                    \
		put(session, cpu);                                                                                     \
	} while (0)

/* Flushes at time_ns, and ends the session. The text begins with what that wrote; malloc'd. */
static inline char *trace_text(struct session *session, uint64_t time_ns, const char *begin)
{
	struct scope_trace *trace;
	struct scope_error error;
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_int_equal(scope_perf_pack_flush(session->pack, time_ns), 0);
	trace = fixture_open(&session->file);
	assert_int_equal(scope_trace_text_write_span(trace, 0, UINT64_MAX, out, &error), 0);
	fclose(out);
	assert_string_equal(scope_trace_damage(trace), "");
	scope_trace_close(trace);
	assert_memory_equal(text, begin, strlen(begin));
	scope_perf_pack_destroy(session->pack);
	scope_perf_tasks_destroy(session->tasks);
	free(session);
	return text;
}

static inline void expect(struct session *session, uint64_t time_ns, const char *expected)
{
	char *text = trace_text(session, time_ns, "");

	assert_string_equal(text, expected);
	free(text);
}

#endif
