// SPDX-License-Identifier: GPL-2.0-only
/* A trace file returns what was written; a damaged file returns the undamaged part. */
#include <errno.h>
#include <stdio.h>
#include <zlib.h>

#include "trace/format.h"
#include "trace_fixture.h"

#define SUBBUFS 4
#define PER_SUBBUF 3

static const uint8_t memory_bytes[3000] = { 1, 2, 3, 0, 0, 4 };

static const struct scope_trace_symbol jitted[] = {
	{ .tgid = 100, .start = 0x7000, .size = 0x20, .name = "LazyCompile:~a", .module = "jit" },
	{ .tgid = 100, .start = 0x7020, .size = 0x40, .name = "b", .module = "jit" },
};

/* Metadata of each kind and a few sub-buffers of two CPUs; syscall numbers count up from 0. */
static struct fixture small_trace(void)
{
	struct fixture fixture = fixture_begin();
	struct scope_writer *writer = fixture.writer;

	assert_int_equal(scope_trace_writer_meta(writer, SCOPE_META_COMMAND, "demo"), 0);
	assert_int_equal(scope_trace_writer_meta(writer, SCOPE_META_BEGIN, "1"), 0);
	assert_int_equal(scope_trace_writer_map(writer, &(struct scope_trace_map){ .tgid = 100,
										   .start = 0x400000,
										   .end = 0x500000,
										   .offset = 0x1000,
										   .executable = true,
										   .path = "/usr/bin/demo",
										   .build_id = "abcd" }),
			 0);
	assert_int_equal(scope_trace_writer_symbol(writer, &(struct scope_trace_symbol){ .start = 0x1000,
											 .size = 0x100,
											 .name = "handle",
											 .module = "demo",
											 .library = true }),
			 0);
	assert_int_equal(scope_trace_writer_fd(writer, &(struct scope_trace_fd){ .tgid = 100,
										 .fd = 7,
										 .kind = SCOPE_FD_ACCEPTED,
										 .name = "socket:[1]" }),
			 0);
	assert_int_equal(scope_trace_writer_memory(writer,
						   &(struct scope_trace_memory){ .tid = 101,
										 .address = 0x7ffe0000,
										 .data = memory_bytes,
										 .bytes = sizeof(memory_bytes) }),
			 0);
	assert_int_equal(scope_trace_writer_thread(
				 writer, &(struct scope_trace_thread){ .tid = 101, .tgid = 100, .comm = "worker" }),
			 0);
	assert_int_equal(scope_trace_writer_symbols(writer, jitted, 2), 0);
	for (int i = 0; i < SUBBUFS; i++) {
		struct filled filled = filled_begin(i % 2, i / 2, 1000 * (i + 1), 100 + i % 2);

		for (int call = 0; call < PER_SUBBUF; call++)
			filled_syscall(&filled, 10, i * PER_SUBBUF + call);
		assert_int_equal(scope_trace_writer_subbuf(writer, &filled.head), 0);
	}
	assert_int_equal(scope_trace_writer_meta(writer, SCOPE_META_BEGIN, "1000"), 0);
	return fixture;
}

/* What is read of a damaged file is part of what was written. Returns events other than LOST. */
static int drain(struct scope_trace *trace)
{
	struct scope_event event;
	uint64_t last_ns = 0;
	int calls = 0, ret;

	while ((ret = scope_trace_next(trace, &event)) == 1) {
		assert_true(event.time_ns >= last_ns);
		last_ns = event.time_ns;
		if (event.kind == SCOPE_EVENT_LOST)
			continue;
		assert_int_equal(event.kind, SCOPE_EVENT_SYSCALL);
		assert_true(event.syscall.nr < SUBBUFS * PER_SUBBUF);
		assert_int_equal(event.tid, 100 + event.cpu);
		calls++;
	}
	assert_int_equal(ret, 0);
	assert_true(calls <= SUBBUFS * PER_SUBBUF);
	return calls;
}

/* The period of samples as it was changed, whichever row came first; rows without one are skipped. */
static void test_sample_period(void **state)
{
	static const char *const rows[][2] = {
		{ SCOPE_META_SAMPLE_NS_FROM "5000", "500" },  { SCOPE_META_SAMPLE_NS_FROM "2000", "1000" },
		{ SCOPE_META_SAMPLE_NS_FROM "3000", "none" }, { SCOPE_META_SAMPLE_NS, "2000" },
		{ SCOPE_META_SAMPLE_NS "x.1000", "7" },
	};
	struct fixture fixture = small_trace();
	struct scope_trace *trace;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_int_equal(scope_trace_writer_meta(fixture.writer, rows[i][0], rows[i][1]), 0);
	trace = fixture_open(&fixture);
	assert_int_equal(scope_trace_sample_ns(trace, 1999), 2000);
	assert_int_equal(scope_trace_sample_ns(trace, 2000), 1000);
	assert_int_equal(scope_trace_sample_ns(trace, 4999), 1000);
	assert_int_equal(scope_trace_sample_ns(trace, 5000), 500);
	scope_trace_close(trace);
}

/* Copies of a flight recorder say what threads were doing as of no CPU. Other numbers beyond Linux' are damage. */
static void test_numbers_of_cpus(void **state)
{
	static const uint32_t known[] = { 0, SCOPE_FRAME_CPU_MAX, SCOPE_FRAME_CPU_STATES };
	static const uint32_t unknown[] = { SCOPE_FRAME_CPU_MAX + 1, SCOPE_FRAME_CPU_STATES - 1 };
	struct fixture fixture = fixture_begin();
	struct scope_trace *trace;
	struct scope_event event;
	struct filled filled;
	int events = 0;

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		filled = filled_begin(i < 3 ? known[i] : unknown[i - 3], 0, 1000, 100);
		filled_syscall(&filled, 10, 1);
		assert_int_equal(scope_trace_writer_subbuf(fixture.writer, &filled.head), 0);
	}
	trace = fixture_open(&fixture);
	while (scope_trace_next(trace, &event) == 1)
		events += event.kind == SCOPE_EVENT_SYSCALL;
	assert_int_equal(events, 3);
	assert_non_null(strstr(scope_trace_damage(trace), "2 damaged frames were skipped"));
	scope_trace_close(trace);
}

static void test_round_trip(void **state)
{
	struct fixture fixture = small_trace();
	struct scope_trace *trace = fixture_open(&fixture);
	const struct scope_trace_memory *memory;
	const struct scope_trace_symbol *symbol;
	const struct scope_trace_thread *thread;
	const struct scope_trace_map *map;
	const struct scope_trace_fd *fd;
	size_t count;

	(void)state;
	assert_string_equal(scope_trace_damage(trace), "");
	assert_string_equal(scope_trace_meta(trace, SCOPE_META_COMMAND), "demo");
	assert_int_equal(scope_trace_meta_number(trace, SCOPE_META_BEGIN, 9), 1000);
	assert_int_equal(scope_trace_meta_number(trace, SCOPE_META_COMMAND, 9), 9);
	assert_int_equal(scope_trace_meta_number(trace, SCOPE_META_END, 9), 9);
	assert_null(scope_trace_meta(trace, SCOPE_META_END));
	map = scope_trace_maps(trace, &count);
	assert_int_equal(count, 1);
	assert_int_equal(map->tgid, 100);
	assert_int_equal(map->start, 0x400000);
	assert_int_equal(map->end, 0x500000);
	assert_int_equal(map->offset, 0x1000);
	assert_true(map->executable);
	assert_string_equal(map->path, "/usr/bin/demo");
	assert_string_equal(map->build_id, "abcd");
	symbol = scope_trace_symbols(trace, &count);
	assert_int_equal(count, 3);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(symbol[i + 1].tgid, 100);
		assert_int_equal(symbol[i + 1].start, jitted[i].start);
		assert_int_equal(symbol[i + 1].size, jitted[i].size);
		assert_string_equal(symbol[i + 1].name, jitted[i].name);
		assert_string_equal(symbol[i + 1].module, "jit");
	}
	thread = scope_trace_threads(trace, &count);
	assert_int_equal(count, 1);
	assert_int_equal(thread->tid, 101);
	assert_int_equal(thread->tgid, 100);
	assert_string_equal(thread->comm, "worker");
	assert_int_equal(symbol->start, 0x1000);
	assert_int_equal(symbol->size, 0x100);
	assert_true(symbol->library);
	assert_string_equal(symbol->name, "handle");
	assert_string_equal(symbol->module, "demo");
	fd = scope_trace_fds(trace, &count);
	assert_int_equal(count, 1);
	assert_int_equal(fd->fd, 7);
	assert_int_equal(fd->kind, SCOPE_FD_ACCEPTED);
	assert_string_equal(fd->name, "socket:[1]");
	memory = scope_trace_memories(trace, &count);
	assert_int_equal(count, 1);
	assert_int_equal(memory->tid, 101);
	assert_int_equal(memory->address, 0x7ffe0000);
	assert_int_equal(memory->bytes, sizeof(memory_bytes));
	assert_memory_equal(memory->data, memory_bytes, sizeof(memory_bytes));
	assert_int_equal(drain(trace), SUBBUFS * PER_SUBBUF);
	scope_trace_close(trace);
}

static void test_large_subbufs_are_compressed(void **state)
{
	struct fixture fixture = fixture_begin();
	struct filled filled = filled_begin(0, 0, 0, 1);
	struct scope_trace *trace;

	(void)state;
	for (int i = 0; i < 200; i++)
		filled_syscall(&filled, 10, 3);
	assert_int_equal(scope_trace_writer_subbuf(fixture.writer, &filled.head), 0);
	assert_true(scope_trace_writer_bytes(fixture.writer) < filled.head.used_bytes / 4);
	trace = fixture_open(&fixture);
	for (int i = 0; i < 200; i++)
		assert_int_equal(next_event(trace).time_ns, 10 * (i + 1));
	no_more_events(trace);
	scope_trace_close(trace);
}

static void test_cut_at_every_byte(void **state)
{
	struct fixture fixture = small_trace();
	size_t bytes;
	uint8_t *data = fixture_bytes(&fixture, &bytes);
	int best = 0;

	(void)state;
	for (size_t cut = 0; cut < bytes; cut++) {
		struct scope_error error = { "" };
		struct scope_trace *trace = NULL;
		int ret = trace_from(data, cut, &error, &trace), calls;

		if (cut < sizeof(struct scope_file_header)) {
			assert_int_equal(ret, -ENODATA);
			assert_null(trace);
			assert_non_null(strstr(error.text, "test"));
			continue;
		}
		assert_int_equal(ret, 0);
		assert_non_null(strstr(scope_trace_damage(trace), "cut off"));
		calls = drain(trace);
		assert_true(calls >= best); /* a longer file never gives less */
		best = calls;
		scope_trace_close(trace);
	}
	assert_int_equal(best, SUBBUFS * PER_SUBBUF);
	free(data);
}

static void test_every_bit_flipped(void **state)
{
	struct fixture fixture = small_trace();
	size_t bytes;
	uint8_t *data = fixture_bytes(&fixture, &bytes);

	(void)state;
	for (size_t bit = 0; bit < bytes * 8; bit++) {
		struct scope_trace *trace = NULL;
		struct scope_error error = { "" };

		data[bit / 8] ^= 1 << bit % 8;
		if (trace_from(data, bytes, &error, &trace)) {
			assert_true(bit / 8 < sizeof(struct scope_file_header));
			assert_true(error.text[0]);
		} else {
			/* At most the frame that was hit is gone. */
			assert_true(drain(trace) >= (SUBBUFS - 1) * PER_SUBBUF ||
				    bit / 8 < sizeof(struct scope_file_header));
			scope_trace_close(trace);
		}
		data[bit / 8] ^= 1 << bit % 8;
	}
	free(data);
}

static void test_bit_flip_in_a_frame_is_told(void **state)
{
	struct fixture fixture = small_trace();
	size_t bytes;
	uint8_t *data = fixture_bytes(&fixture, &bytes);
	struct scope_trace *trace;

	(void)state;
	data[sizeof(struct scope_file_header) + 6] ^= 1;
	assert_int_equal(trace_from(data, bytes, NULL, &trace), 0);
	assert_non_null(strstr(scope_trace_damage(trace), "1 damaged frame was skipped, the first "
							  "at byte 32"));
	assert_null(scope_trace_meta(trace, SCOPE_META_COMMAND));
	assert_int_equal(drain(trace), SUBBUFS * PER_SUBBUF);
	scope_trace_close(trace);
	free(data);
}

static void test_missing_frame_is_told(void **state)
{
	struct fixture fixture = small_trace();
	const size_t at = sizeof(struct scope_file_header);
	size_t bytes, length;
	uint8_t *data = fixture_bytes(&fixture, &bytes);
	struct scope_trace *trace;

	(void)state;
	length = sizeof(struct scope_frame) +
		 scope_trace_frame_padded(((struct scope_frame *)(data + at))->payload_bytes);
	memmove(data + at, data + at + length, bytes - at - length);
	assert_int_equal(trace_from(data, bytes - length, NULL, &trace), 0);
	assert_non_null(strstr(scope_trace_damage(trace), "1 frame that the END frame counts"));
	scope_trace_close(trace);
	free(data);
}

static void expect_refusal(const void *data, size_t bytes, int code, const char *words)
{
	struct scope_error error = { "" };
	struct scope_trace *trace;

	assert_int_equal(trace_from(data, bytes, &error, &trace), code);
	if (!strstr(error.text, words) || !strstr(error.text, "test"))
		fail_msg("\"%s\" does not say \"%s\"", error.text, words);
}

static void test_refusals(void **state)
{
	struct fixture fixture = small_trace();
	size_t bytes;
	uint8_t *data = fixture_bytes(&fixture, &bytes);
	struct scope_file_header *header = (void *)data;
	struct scope_trace *trace;

	(void)state;
	expect_refusal("", 0, -ENODATA, "is empty");
	expect_refusal("#!/bin/sh\necho this is another file\n", 36, -ENODATA, "is not a Scope trace");
	header->version = 10;
	header->oldest_reader = 10;
	expect_refusal(data, bytes, -EPROTO, "has format 10");
	expect_refusal(data, bytes, -EPROTO, "knows format 9: use a newer Scope");
	header->oldest_reader = 1; /* a newer file that says this program can read it */
	assert_int_equal(trace_from(data, bytes, NULL, &trace), 0);
	assert_int_equal(drain(trace), SUBBUFS * PER_SUBBUF);
	scope_trace_close(trace);
	header->byte_order = __builtin_bswap32(header->byte_order);
	expect_refusal(data, bytes, -EPROTO, "other byte order");
	header->byte_order = 5;
	expect_refusal(data, bytes, -ENODATA, "damaged header");
	free(data);
}

static void test_unknown_frames(void **state)
{
	struct fixture fixture = small_trace();
	size_t bytes;
	uint8_t *data = fixture_bytes(&fixture, &bytes);
	struct scope_frame *frame = (void *)(data + sizeof(struct scope_file_header));
	struct scope_trace *trace;

	(void)state;
	frame->type = 77;
	frame->head_crc = crc32(0, (uint8_t *)frame, offsetof(struct scope_frame, head_crc));
	assert_int_equal(trace_from(data, bytes, NULL, &trace), 0);
	assert_non_null(strstr(scope_trace_damage(trace), "1 damaged frame"));
	scope_trace_close(trace);
	((struct scope_file_header *)data)->version = 10; /* may have such frames */
	assert_int_equal(trace_from(data, bytes, NULL, &trace), 0);
	assert_string_equal(scope_trace_damage(trace), "");
	assert_int_equal(drain(trace), SUBBUFS * PER_SUBBUF);
	scope_trace_close(trace);
	free(data);
}

static void test_subbufs_that_make_no_sense_are_not_written(void **state)
{
	struct fixture fixture = fixture_begin();
	struct filled filled = filled_begin(0, 0, 0, 1);

	(void)state;
	filled.head.used_bytes = 8;
	assert_int_equal(scope_trace_writer_subbuf(fixture.writer, &filled.head), -EINVAL);
	filled = filled_begin(0, 0, 0, 1);
	filled.head.magic = 1;
	assert_int_equal(scope_trace_writer_subbuf(fixture.writer, &filled.head), -EINVAL);
	scope_trace_writer_destroy(fixture.writer);
	close(fixture.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sample_period),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_numbers_of_cpus),
		cmocka_unit_test(test_large_subbufs_are_compressed),
		cmocka_unit_test(test_cut_at_every_byte),
		cmocka_unit_test(test_every_bit_flipped),
		cmocka_unit_test(test_bit_flip_in_a_frame_is_told),
		cmocka_unit_test(test_missing_frame_is_told),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_unknown_frames),
		cmocka_unit_test(test_subbufs_that_make_no_sense_are_not_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
