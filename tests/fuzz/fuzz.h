/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions of a fuzz program: one that takes bytes, as libFuzzer calls it, and perhaps one that makes new bytes
 * from earlier ones. tests/fuzz/main.c calls them if there is no libFuzzer.
 */
#ifndef SCOPE_TESTS_FUZZ_H
#define SCOPE_TESTS_FUZZ_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "../unit/strict_text.h"
#include "trace/trace.h"
#include "trace/writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t room, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t bytes, size_t room);

static inline _Noreturn void fuzz_die(const char *what)
{
	fprintf(stderr, "fuzz: %s\n", what);
	abort();
}

static inline int fuzz_memory(void)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0)
		fuzz_die("no memory");
	return fd;
}

/* Makes a trace in memory from text, at that level of compression. Returns -errno if the text is no trace. */
static inline int fuzz_trace_of_text(const char *text, size_t bytes, int level, int *ret_fd)
{
	struct scope_writer *writer = NULL;
	struct scope_error error;
	int ret, fd = fuzz_memory();
	FILE *stream = fmemopen((void *)text, bytes, "r");

	if (!stream || scope_trace_writer_create_fd(fd, "fuzz", NULL, &writer))
		fuzz_die("no memory");
	scope_trace_writer_set_level(writer, level);
	ret = strict_text_read(stream, writer, &error);
	if (!ret && scope_trace_writer_finish(writer, NULL))
		fuzz_die("cannot finish");
	scope_trace_writer_destroy(writer);
	fclose(stream);
	if (ret)
		close(fd);
	else
		*ret_fd = fd;
	return ret;
}

/* Reads all events, which must be in order of time. Returns NULL if the file is no trace. */
static inline struct scope_trace *fuzz_read(int fd)
{
	struct scope_trace *trace;
	struct scope_error error;
	struct scope_event event;
	uint64_t last_ns = 0;

	if (scope_trace_open_fd(fd, "fuzz", &error, &trace))
		return NULL;
	while (scope_trace_next(trace, &event) == 1) {
		if (event.time_ns < last_ns)
			fuzz_die("an event goes back in time");
		last_ns = event.time_ns;
	}
	return trace;
}

/*
 * Checks that an importer wrote a whole trace to fd, or refused with a message: err is what it returned. Takes over
 * writer and fd.
 */
static inline void fuzz_check_import(int err, const struct scope_error *error, struct scope_writer *writer, int fd)
{
	struct scope_trace *trace;

	if (err && !error->text[0])
		fuzz_die("refused without a word");
	if (!err && scope_trace_writer_finish(writer, NULL))
		fuzz_die("cannot finish");
	scope_trace_writer_destroy(writer);
	if (!err) {
		trace = fuzz_read(fd);
		if (!trace || *scope_trace_damage(trace))
			fuzz_die("what was imported is no whole trace");
		scope_trace_close(trace);
	}
	close(fd);
}

/* NULL: no trace. */
static inline char *fuzz_text_of_trace(int fd, size_t *ret_bytes)
{
	struct scope_trace *trace = fuzz_read(fd);
	struct scope_error error;
	char *text = NULL;
	FILE *stream;

	if (!trace)
		return NULL;
	stream = open_memstream(&text, ret_bytes);
	if (!stream || scope_trace_text_write_span(trace, 0, UINT64_MAX, stream, &error))
		fuzz_die("cannot write text");
	fclose(stream);
	scope_trace_close(trace);
	return text;
}

/* A text that was made from a trace must give the same trace. Takes over fd. */
static inline void fuzz_check_trace(int fd)
{
	size_t bytes, again_bytes;
	char *text = fuzz_text_of_trace(fd, &bytes), *again;
	int again_fd;

	close(fd);
	if (!text)
		return;
	if (bytes && !fuzz_trace_of_text(text, bytes, 0, &again_fd)) {
		again = fuzz_text_of_trace(again_fd, &again_bytes);
		close(again_fd);
		if (!again || again_bytes != bytes || memcmp(text, again, bytes)) {
			fprintf(stderr, "--- first\n%s--- again\n%s", text, again ? again : "");
			fuzz_die("text changed on its way through a trace");
		}
		free(again);
	}
	free(text);
}

#endif
