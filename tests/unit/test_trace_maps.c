// SPDX-License-Identifier: GPL-2.0-only
/* Many mappings of a process: they are restored exactly, take few bytes, and a cut list is reported as damage. */
#include <zlib.h>

#include "trace/format.h"
#include "trace_fixture.h"

#define MANY 60000u

/* As a program has them that maps pieces of one file again and again, each before a page that is not accessible. */
static struct scope_trace_map map_of(uint32_t i)
{
	return (struct scope_trace_map){
		.tgid = 100,
		.start = 0x7f0000000000 + i * 0x3000ull,
		.end = 0x7f0000002000 + i * 0x3000ull,
		.offset = i % 200 * 4096ull,
		.executable = true,
		.path = "/usr/bin/server",
		.build_id = "0123456789abcdef",
	};
}

static void expect_map(const struct scope_trace_map *map, const struct scope_trace_map *wanted)
{
	assert_int_equal(map->tgid, wanted->tgid);
	assert_int_equal(map->start, wanted->start);
	assert_int_equal(map->end, wanted->end);
	assert_int_equal(map->offset, wanted->offset);
	assert_int_equal(map->executable, wanted->executable);
	assert_int_equal(map->of_package, wanted->of_package);
	assert_int_equal(map->elf, wanted->elf);
	assert_string_equal(map->path, wanted->path);
	assert_string_equal(map->build_id, wanted->build_id);
}

static void test_many_maps_take_few_bytes(void **state)
{
	struct scope_trace_map *map = calloc(MANY, sizeof(*map));
	struct fixture fixture = fixture_begin();
	const struct scope_trace_map *back;
	struct scope_trace *trace;
	size_t count;

	(void)state;
	for (uint32_t i = 0; i < MANY; i++)
		map[i] = map_of(i);
	assert_int_equal(scope_trace_writer_maps(fixture.writer, map, MANY), 0);
	assert_true(scope_trace_writer_bytes(fixture.writer) < 2 * MANY);
	trace = fixture_open(&fixture);
	assert_string_equal(scope_trace_damage(trace), "");
	back = scope_trace_maps(trace, &count);
	assert_int_equal(count, MANY);
	for (uint32_t i = 0; i < MANY; i++)
		expect_map(&back[i], &map[i]);
	scope_trace_close(trace);
	free(map);
}

/* Not in the order of their addresses, at both ends of the address space; and a MAP row, as format 8 has. */
static void test_any_maps_come_back(void **state)
{
	const struct scope_trace_map map[] = {
		{ 100, UINT64_MAX - 4095, UINT64_MAX, 7, true, true, true, "/a b", "" },
		{ 100, 0, 4096, 0, false, false, false, "", "ab" },
		{ 100, 0x5000, 0x4000, UINT64_MAX, true, true, false, "[vdso]", "cd" }, /* ends before it begins */
	};
	struct fixture fixture = fixture_begin();
	const struct scope_trace_map *back;
	struct scope_trace *trace;
	size_t count;

	(void)state;
	assert_int_equal(scope_trace_writer_maps(fixture.writer, map, 3), 0);
	assert_int_equal(scope_trace_writer_map(fixture.writer, &map[0]), 0);
	assert_int_equal(scope_trace_writer_maps(fixture.writer, map, 0), 0);
	trace = fixture_open(&fixture);
	back = scope_trace_maps(trace, &count);
	assert_int_equal(count, 4);
	for (size_t i = 0; i < 4; i++)
		expect_map(&back[i], &map[i % 3]);
	scope_trace_close(trace);
}

/* A frame whose payload ends within a mapping: those before it are read, and the damage is reported. */
static void test_a_cut_mapping_is_damage(void **state)
{
	const struct scope_trace_map map[] = { map_of(0), map_of(1) };
	const size_t whole = sizeof(struct scope_frame_maps) +
			     2 * (sizeof(struct scope_frame_map_of) + strlen(map->path) + strlen(map->build_id) + 2);

	(void)state;
	for (size_t bytes = 0; bytes <= whole; bytes++) {
		struct fixture fixture = fixture_begin();
		struct scope_frame *frame;
		struct scope_trace *trace;
		size_t all, count;
		uint8_t *data;

		scope_trace_writer_set_level(fixture.writer, 0);
		assert_int_equal(scope_trace_writer_maps(fixture.writer, map, 2), 0);
		data = fixture_bytes(&fixture, &all);
		frame = (void *)(data + sizeof(struct scope_file_header));
		assert_int_equal(frame->raw_bytes, whole);
		frame->raw_bytes = frame->payload_bytes = (uint32_t)bytes;
		frame->payload_crc = crc32(0, (uint8_t *)(frame + 1), bytes);
		frame->head_crc = crc32(0, (uint8_t *)frame, offsetof(struct scope_frame, head_crc));
		assert_int_equal(trace_from(data, all, NULL, &trace), 0);
		scope_trace_maps(trace, &count);
		assert_int_equal(count,
				 bytes < (whole + sizeof(struct scope_frame_maps)) / 2 ? 0 : 1 + (bytes == whole));
		scope_trace_close(trace);
		free(data);
		close(fixture.fd);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many_maps_take_few_bytes),
		cmocka_unit_test(test_any_maps_come_back),
		cmocka_unit_test(test_a_cut_mapping_is_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
