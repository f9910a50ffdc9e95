/* SPDX-License-Identifier: GPL-2.0-only */
/* Traces made in memory, for the tests of the trace folder. */
#ifndef TRACE_FIXTURE_H
#define TRACE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "trace/packer.h"
#include "strict_text.h"
#include "trace/trace.h"
#include "trace/writer.h"

/* A file in memory with a writer on it. */
struct fixture {
	int fd;
	struct scope_writer *writer;
};

static inline struct fixture fixture_begin(void)
{
	struct fixture fixture = { .fd = memfd_create("trace", MFD_CLOEXEC) };

	assert_true(fixture.fd >= 0);
	assert_int_equal(scope_trace_writer_create_fd(fixture.fd, "test", NULL, &fixture.writer), 0);
	return fixture;
}

static inline void fixture_finish(struct fixture *fixture)
{
	assert_int_equal(scope_trace_writer_finish(fixture->writer, NULL), 0);
	scope_trace_writer_destroy(fixture->writer);
}

/* Gives the sub-buffers of a trace in the text form to what takes them. The text is freed. */
static inline void fixture_feed(char *text, size_t bytes, scope_writer_tap *tap, void *context)
{
	struct fixture fixture = fixture_begin();
	struct scope_error error = { "" };
	FILE *stream = fmemopen(text, bytes, "r");

	scope_trace_writer_set_tap(fixture.writer, tap, context);
	if (strict_text_read(stream, fixture.writer, &error))
		fail_msg("%s", error.text);
	fclose(stream);
	free(text);
	fixture_finish(&fixture);
	close(fixture.fd);
}

static inline struct scope_trace *fixture_open(struct fixture *fixture)
{
	struct scope_error error = { "" };
	struct scope_trace *trace = NULL;

	fixture_finish(fixture);
	if (scope_trace_open_fd(fixture->fd, "test", &error, &trace))
		fail_msg("%s", error.text);
	close(fixture->fd);
	return trace;
}

/* The bytes of the finished file, to be freed. */
static inline uint8_t *fixture_bytes(struct fixture *fixture, size_t *ret_bytes)
{
	off_t bytes;
	uint8_t *data;

	fixture_finish(fixture);
	bytes = lseek(fixture->fd, 0, SEEK_END);
	data = malloc(bytes);
	assert_non_null(data);
	assert_int_equal(pread(fixture->fd, data, bytes, 0), bytes);
	close(fixture->fd);
	*ret_bytes = bytes;
	return data;
}

static inline int trace_from(const void *data, size_t bytes, struct scope_error *error, struct scope_trace **ret_trace)
{
	int fd = memfd_create("trace", MFD_CLOEXEC);
	int ret;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, bytes), bytes);
	ret = scope_trace_open_fd(fd, "test", error, ret_trace);
	close(fd);
	return ret;
}

/* A sub-buffer with room for records. */
struct filled {
	struct scope_subbuf head;
	uint64_t word[512];
};

static inline struct filled filled_begin(uint16_t cpu, uint64_t number, uint64_t begin_ns, uint32_t tid)
{
	return (struct filled){ .head = {
					.magic = SCOPE_SUBBUF_MAGIC,
					.used_bytes = sizeof(struct scope_subbuf),
					.cpu = cpu,
					.tid = tid,
					.number = number,
					.begin_ns = begin_ns,
					.end_ns = begin_ns,
				} };
}

static inline void filled_add(struct filled *filled, const void *record, size_t bytes)
{
	memcpy((uint8_t *)filled + filled->head.used_bytes, record, bytes);
	filled->head.used_bytes += bytes;
}

static inline void filled_syscall(struct filled *filled, uint32_t delta_ns, uint16_t nr)
{
	struct scope_record_syscall record = {
		.word = scope_record_word(SCOPE_RECORD_SYSCALL, delta_ns),
		.nr = nr,
		.duration_ns = 10,
	};

	filled_add(filled, &record, sizeof(record));
}

static inline struct scope_event next_event(struct scope_trace *trace)
{
	struct scope_event event;

	assert_int_equal(scope_trace_next(trace, &event), 1);
	return event;
}

static inline void no_more_events(struct scope_trace *trace)
{
	struct scope_event event;

	assert_int_equal(scope_trace_next(trace, &event), 0);
	assert_int_equal(scope_trace_next(trace, &event), 0);
}

#endif
