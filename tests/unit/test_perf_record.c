// SPDX-License-Identifier: GPL-2.0-only
/* The readers of perf rings: formats of tracepoints, filters, rings and records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <errno.h>

#include "perf_bytes.h"
#include "perf/coverage.h"
#include "perf/events.h"
#include "perf/ring.h"

static void fields(void **state)
{
	struct scope_perf_field field = { 0 };

	(void)state;
	assert_int_equal(scope_perf_field_find(format_switch, "prev_pid", &field), 0);
	assert_int_equal(field.offset, 24);
	assert_int_equal(field.bytes, 4);
	assert_true(field.is_signed);
	assert_int_equal(scope_perf_field_find(format_enter, "args", &field), 0);
	assert_int_equal(field.offset, 16);
	assert_int_equal(field.bytes, 48);
	assert_int_equal(scope_perf_field_find(format_exec, "filename", &field), 0);
	assert_int_equal(field.offset, 8);
	/* A name that is the end of another one is another name. */
	assert_int_equal(scope_perf_field_find(format_switch, "pid", &field), -ENOENT);
	assert_int_equal(scope_perf_field_find(format_waking, "pid", &field), 0);
	assert_int_equal(field.offset, 24);
	assert_int_equal(scope_perf_field_find("field:int x; size:4;", "x", &field), -EBADMSG);
	assert_int_equal(scope_perf_field_find("field:int x;\toffset:0;\tsize:0;\tsigned:1;", "x", &field), -EBADMSG);
	assert_int_equal(scope_perf_field_find("", "x", &field), -ENOENT);
	assert_int_equal(field.offset, 24);
}

static void numbers(void **state)
{
	const uint8_t raw[12] = { 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4, 5, 6, 7, 8 };
	struct scope_perf_field field = { 0, 4, true };

	(void)state;
	assert_int_equal(scope_perf_field_get(&field, raw, sizeof(raw)), -1);
	field.is_signed = false;
	assert_int_equal(scope_perf_field_get(&field, raw, sizeof(raw)), 0xffffffff);
	field = (struct scope_perf_field){ 4, 1, true };
	assert_int_equal(scope_perf_field_get(&field, raw, sizeof(raw)), 1);
	field = (struct scope_perf_field){ 4, 8, true };
	assert_int_equal(scope_perf_field_get(&field, raw, sizeof(raw)), 0x0807060504030201);
	assert_int_equal(scope_perf_field_get(&field, raw, 11), 0);
	field = (struct scope_perf_field){ UINT32_MAX, 8, true };
	assert_int_equal(scope_perf_field_get(&field, raw, sizeof(raw)), 0);
	field = (struct scope_perf_field){ 0, 0, true };
	assert_int_equal(scope_perf_field_get(&field, raw, sizeof(raw)), 0);
}

static void states(void **state)
{
	/* Linux 4.9: raw bits, and preemption above them all. */
	static const char old[] =
		"print fmt: \"%s\", __print_flags(REC->prev_state & (2048-1), \"|\", { 1, \"S\"} , { 2, "
		"\"D\" }, { 4, \"T\" }, { 8, \"t\" }, { 16, \"Z\" }, { 32, \"X\" }, { 64, \"x\" }, { 128, "
		"\"K\" }, { 256, \"W\" }, { 512, \"P\" }, { 1024, \"N\" }) : \"R\"";
	struct scope_perf_states found;
	bool preempted;

	(void)state;
	assert_int_equal(scope_perf_states_find(format_switch, &found), 0);
	assert_int_equal(found.all, 0xff);
	assert_int_equal(scope_perf_state(&found, 0, &preempted), SCOPE_STATE_RUNNABLE);
	assert_false(preempted);
	assert_int_equal(scope_perf_state(&found, 0x100, &preempted), SCOPE_STATE_RUNNABLE);
	assert_true(preempted);
	assert_int_equal(scope_perf_state(&found, 1, &preempted), SCOPE_STATE_SLEEPING);
	assert_int_equal(scope_perf_state(&found, 2, &preempted), SCOPE_STATE_DISK);
	assert_int_equal(scope_perf_state(&found, 0x10, &preempted), SCOPE_STATE_DEAD);
	assert_int_equal(scope_perf_state(&found, 0x80, &preempted), SCOPE_STATE_IDLE);
	assert_int_equal(scope_perf_state(&found, -1, &preempted), SCOPE_STATE_SLEEPING);
	assert_int_equal(scope_perf_states_find(old, &found), 0);
	assert_int_equal(scope_perf_state(&found, 16, &preempted), SCOPE_STATE_DEAD);
	assert_int_equal(scope_perf_state(&found, 1026, &preempted), SCOPE_STATE_DISK);
	assert_int_equal(scope_perf_state(&found, 2049, &preempted), SCOPE_STATE_RUNNABLE);
	assert_true(preempted);
	assert_int_equal(scope_perf_states_find(format_enter, &found), -EBADMSG);
}

/* Whatever the threads are, all of them pass and the text stays below the kernel's limit. */
static void filters(void **state)
{
	static const char *const two[] = { "prev_pid", "next_pid" };
	char text[SCOPE_PERF_FILTER_BYTES];
	struct scope_perf_coverage cover;
	uint32_t few[] = { 4002, 4000, 4001, 9000 }, many[1000];

	(void)state;
	scope_perf_coverage_make(few, 4, 9100, &cover);
	scope_perf_coverage_text(&cover, SCOPE_PERF_KNOWN, two, 1, text);
	assert_string_equal(text, "((prev_pid>=4000&&prev_pid<=4002)||"
				  "(prev_pid>=9000&&prev_pid<=9000))");
	scope_perf_coverage_text(&cover, SCOPE_PERF_YOUNG, two, 2, text);
	assert_string_equal(text, "((prev_pid>9100||next_pid>9100)"
				  "&&(prev_pid<4000||(prev_pid>4002&&prev_pid<9000)||prev_pid>9000)"
				  "&&(next_pid<4000||(next_pid>4002&&next_pid<9000)||next_pid>9000))");
	assert_true(scope_perf_coverage_has(&cover, 4001));
	assert_true(scope_perf_coverage_has(&cover, 9101));
	assert_false(scope_perf_coverage_has(&cover, 3999));
	assert_false(scope_perf_coverage_has(&cover, 9100));
	assert_true(scope_perf_coverage_knows(&cover, 9000));
	assert_false(scope_perf_coverage_knows(&cover, 9101));
	for (uint32_t i = 0; i < 1000; i++)
		many[i] = 4194303 - i * (i % 7 ? 3 : 4000);
	scope_perf_coverage_make(many, 1000, 4194303, &cover);
	for (uint32_t i = 0; i < 1000; i++)
		assert_true(scope_perf_coverage_knows(&cover, many[i]));
	assert_true(cover.ranges <= SCOPE_PERF_RANGES_MAX);
	for (int age = 0; age < SCOPE_PERF_AGES; age++) {
		scope_perf_coverage_text(&cover, age, two, 2, text);
		assert_true(strlen(text) < SCOPE_PERF_FILTER_BYTES - 100);
		assert_int_equal(text[strlen(text) - 1], ')');
	}
	/* Numbers have begun again: the target's, above the newest, are known all the same. */
	scope_perf_coverage_make(few, 4, 300, &cover);
	assert_true(scope_perf_coverage_knows(&cover, 9000));
	assert_true(scope_perf_coverage_has(&cover, 301));
	scope_perf_coverage_make(NULL, 0, 7, &cover);
	scope_perf_coverage_text(&cover, SCOPE_PERF_KNOWN, two, 2, text);
	assert_string_equal(text, "(prev_pid>4194304||next_pid>4194304)");
	scope_perf_coverage_text(&cover, SCOPE_PERF_YOUNG, two, 2, text);
	assert_string_equal(text, "((prev_pid>7||next_pid>7))");
}

/* When events are opened again, nothing is reported twice: by the same ring, or by that of the known tasks. */
static void each_event_is_reported_once(void **state)
{
	struct scope_perf_cpu cpu[] = {
		{ .age = SCOPE_PERF_KNOWN, .events = 1 },
		{ .age = SCOPE_PERF_YOUNG, .events = 1 },
	};
	struct scope_perf_record new = { .kind = SCOPE_PERF_ENTER, .tid = 9000 };
	struct scope_perf_record old = { .kind = SCOPE_PERF_ENTER, .tid = 9001, .id_at = 1 };
	struct scope_perf_record other = { .kind = SCOPE_PERF_ENTER, .tid = 9500, .id_at = 1 };
	struct scope_perf_record waking = { .kind = SCOPE_PERF_WAKING, .value = { 9001 }, .id_at = 1 };
	struct scope_perf_coverage cover;
	uint32_t known[] = { 9000, 9001 };

	(void)state;
	scope_perf_coverage_make(known, 2, 9200, &cover);
	assert_false(scope_perf_events_is_duplicate(&cpu[1], &cover, &old));
	assert_false(scope_perf_events_is_duplicate(&cpu[0], &cover, &old));
	assert_false(scope_perf_events_is_duplicate(&cpu[0], &cover, &new));
	assert_true(scope_perf_events_is_duplicate(&cpu[0], &cover, &old));
	assert_true(scope_perf_events_is_duplicate(&cpu[1], &cover, &old));
	assert_false(scope_perf_events_is_duplicate(&cpu[1], &cover, &other));
	assert_false(scope_perf_events_is_duplicate(&cpu[1], &cover, &waking));
	assert_false(scope_perf_events_is_duplicate(&cpu[1], &cover, &new));
	assert_true(scope_perf_events_is_duplicate(&cpu[1], &cover, &other));
}

/* A page of control and a ring of 4096 bytes, without a kernel. */
struct ring_fixture {
	_Alignas(8) uint8_t data[4096];
	struct perf_event_mmap_page page;
	struct scope_perf_ring ring;
};

static void ring_init(struct ring_fixture *fixture)
{
	memset(fixture, 0, sizeof(*fixture));
	fixture->ring = (struct scope_perf_ring){ .page = &fixture->page,
						  .data = fixture->data,
						  .bytes = sizeof(fixture->data) };
}

static void ring_write(struct ring_fixture *fixture, const struct perf_bytes *record)
{
	for (size_t i = 0; i < record->bytes; i++)
		fixture->data[(fixture->page.data_head + i) % sizeof(fixture->data)] = record->data[i];
	fixture->page.data_head += record->bytes;
}

/* Records of 104 bytes in a ring of 4096: sooner or later one runs over the end. */
static void ring_wraps(void **state)
{
	const struct scope_perf_layout layout = layout_make(SCOPE_STACK_NONE);
	struct scope_perf_record record;
	struct ring_fixture fixture;
	struct perf_bytes bytes;
	const uint8_t *data;
	size_t size;

	(void)state;
	ring_init(&fixture);
	assert_int_equal(scope_perf_ring_peek(&fixture.ring, &data, &size), 0);
	for (uint64_t i = 1; i < 500; i++) {
		sample_enter(&bytes, 5, 6, i, (long)i, i);
		ring_write(&fixture, &bytes);
		/* What was not looked for is not there. */
		assert_int_equal(scope_perf_ring_peek(&fixture.ring, &data, &size), 0);
		scope_perf_ring_look(&fixture.ring);
		assert_int_equal(scope_perf_ring_peek(&fixture.ring, &data, &size), 1);
		assert_int_equal(size, bytes.bytes);
		assert_int_equal(scope_perf_record_time(data, size), i);
		assert_int_equal(scope_perf_record_parse(&layout, ids, SCOPE_PERF_KINDS, data, size, &record), 0);
		assert_int_equal(record.value[0], i);
		assert_memory_equal(record.raw + 16, &i, 8);
		scope_perf_ring_step(&fixture.ring, size);
		scope_perf_ring_release(&fixture.ring);
		assert_int_equal(fixture.page.data_tail, fixture.page.data_head);
	}
	assert_non_null(fixture.ring.joined);
	scope_perf_ring_destroy(&fixture.ring);
}

static void ring_refuses(void **state)
{
	static const uint16_t sizes[] = { 0, 4, 7, 12, 48, 65528 };
	struct perf_event_header *header;
	struct ring_fixture fixture;
	const uint8_t *data;
	size_t size;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		ring_init(&fixture);
		header = (struct perf_event_header *)fixture.data;
		header->size = sizes[i];
		fixture.page.data_head = 40;
		scope_perf_ring_look(&fixture.ring);
		assert_int_equal(scope_perf_ring_peek(&fixture.ring, &data, &size), -EBADMSG);
		scope_perf_ring_skip(&fixture.ring);
		assert_int_equal(scope_perf_ring_peek(&fixture.ring, &data, &size), 0);
	}
	/* A head further on than the ring is long. */
	fixture.page.data_head = 8192;
	scope_perf_ring_look(&fixture.ring);
	assert_int_equal(scope_perf_ring_peek(&fixture.ring, &data, &size), -EBADMSG);
}

static unsigned int registers(void)
{
	return (unsigned int)__builtin_popcountll(scope_perf_register_mask());
}

/* Every length short of the whole one is refused, and nothing outside is read. */
static void records_cut_short(void **state)
{
	const struct scope_perf_layout layout = layout_make(SCOPE_STACK_COPY);
	struct scope_perf_record record;
	struct perf_bytes bytes[5];

	(void)state;
	sample_block(&bytes[0], 5, 6, 7, registers(), 64, 40);
	bytes_task(&bytes[1], PERF_RECORD_FORK, 5, 6, 4, 7);
	bytes_comm(&bytes[2], 5, 6, "name\0\0\0", 0, 7);
	bytes_lost(&bytes[3], 17, 7);
	sample_enter(&bytes[4], 5, 6, 7, 1, 2);
	for (size_t i = 0; i < 5; i++) {
		const size_t whole = bytes[i].bytes;

		assert_int_equal(scope_perf_record_parse(&layout, ids, SCOPE_PERF_KINDS, bytes[i].data, whole, &record),
				 0);
		assert_int_equal(record.time_ns, 7);
		for (size_t cut = 0; cut < whole; cut += 8) {
			uint8_t *exact = malloc(cut + 1);

			memcpy(exact, bytes[i].data, cut);
			if (cut >= 8)
				((struct perf_event_header *)exact)->size = (uint16_t)cut;
			scope_perf_record_time(exact, cut);
			/* A record that is no sample keeps its trailer at its end, wherever that is. */
			if (scope_perf_record_parse(&layout, ids, SCOPE_PERF_KINDS, exact, cut, &record) == 0)
				assert_int_not_equal(((struct perf_event_header *)exact)->type, PERF_RECORD_SAMPLE);
			free(exact);
		}
	}
}

static void records_of_other_kinds(void **state)
{
	const struct scope_perf_layout layout = layout_make(SCOPE_STACK_NONE);
	struct scope_perf_record record;
	struct perf_bytes bytes;

	(void)state;
	for (uint32_t type = 0; type < 40; type++) {
		bytes_begin(&bytes, type, 0);
		bytes_u64(&bytes, 1);
		bytes_u64(&bytes, 0);
		bytes_u64(&bytes, 3);
		bytes_trailer(&bytes, 8);
		if (scope_perf_record_parse(&layout, ids, SCOPE_PERF_KINDS, bytes.data, bytes.bytes, &record))
			continue;
		if (type != PERF_RECORD_FORK && type != PERF_RECORD_EXIT && type != PERF_RECORD_COMM &&
		    type != PERF_RECORD_LOST)
			assert_int_equal(record.type, SCOPE_PERF_TYPE_OTHER);
	}
	sample_enter(&bytes, 5, 6, 7, 1, 2);
	assert_int_equal(scope_perf_record_parse(&layout, ids, 1, bytes.data, bytes.bytes, &record), 0);
	assert_int_equal(record.type, SCOPE_PERF_TYPE_OTHER);
}

static void stacks(void **state)
{
	struct scope_perf_layout layout = layout_make(SCOPE_STACK_COPY);
	struct scope_perf_record record;
	struct perf_bytes bytes;

	(void)state;
	sample_block(&bytes, 5, 6, 7, registers(), 64, 40);
	assert_int_equal(scope_perf_record_parse(&layout, ids, SCOPE_PERF_KINDS, bytes.data, bytes.bytes, &record), 0);
	assert_int_equal(record.regs, registers());
	assert_int_equal(record.stack_bytes, 40);
	assert_int_equal(record.stack_asked, 64);
#ifdef __x86_64__
	assert_int_equal(record.reg[7], 107);  /* rsp */
	assert_int_equal(record.reg[3], 101);  /* rbx */
	assert_int_equal(record.reg[16], 108); /* rip */
#endif
	/* More there than asked for. */
	sample_block(&bytes, 5, 6, 7, registers(), 64, 65);
	assert_int_equal(scope_perf_record_parse(&layout, ids, SCOPE_PERF_KINDS, bytes.data, bytes.bytes, &record),
			 -EBADMSG);
	/* A kernel thread has no registers. */
	sample_block(&bytes, 5, 6, 7, 0, 0, 0);
	assert_int_equal(scope_perf_record_parse(&layout, ids, SCOPE_PERF_KINDS, bytes.data, bytes.bytes, &record), 0);
	assert_int_equal(record.regs, 0);
	/* A sign of life has nothing else. */
	sample_begin(&bytes, SCOPE_PERF_LIFE, 5, 6, 7);
	bytes_end(&bytes);
	assert_int_equal(scope_perf_record_parse(&layout, ids, SCOPE_PERF_KINDS, bytes.data, bytes.bytes, &record), 0);
	assert_int_equal(record.kind, SCOPE_PERF_LIFE);
	layout = layout_make(SCOPE_STACK_CHAIN);
	sample_begin(&bytes, SCOPE_PERF_SAMPLE, 5, 6, 7);
	bytes_u64(&bytes, 3);
	bytes_u64(&bytes, PERF_CONTEXT_USER);
	bytes_u64(&bytes, 0x1000);
	bytes_u64(&bytes, 0x2000);
	bytes_end(&bytes);
	assert_int_equal(scope_perf_record_parse(&layout, ids, SCOPE_PERF_KINDS, bytes.data, bytes.bytes, &record), 0);
	assert_int_equal(record.chain_count, 2);
	assert_true(record.user);
}

/* A hit of a probe: the registers that the mask names, in the order of their bits. */
static void sample_hit(struct perf_bytes *record, uint64_t abi, uint64_t mask)
{
	bytes_begin(record, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	bytes_u64(record, 7000);
	bytes_u32(record, 5);
	bytes_u32(record, 6);
	bytes_u64(record, 7);
	bytes_u64(record, abi);
	for (uint64_t bit = 0; bit < 64 && abi; bit++)
		if (mask >> bit & 1)
			bytes_u64(record, 1000 + bit);
	bytes_end(record);
}

static void words_of_probes(void **state)
{
#ifdef __x86_64__
	static const uint64_t expected[SCOPE_ARG_MAX] = { 1005, 1004, 1003, 1002, 1016, 1017 };
#else
	static const uint64_t expected[SCOPE_ARG_MAX] = { 1000, 1001, 1002, 1003, 1004, 1005 };
#endif
	const struct scope_perf_layout layout = layout_make(SCOPE_STACK_NONE);
	struct scope_perf_record record;
	struct perf_bytes bytes;

	(void)state;
	for (uint8_t words = 0; words <= SCOPE_ARG_MAX; words++) {
		sample_hit(&bytes, PERF_SAMPLE_REGS_ABI_64, scope_perf_words_mask(words, false));
		assert_int_equal(
			scope_perf_record_parse(&layout, ids, SCOPE_PERF_KINDS, bytes.data, bytes.bytes, &record), 0);
		assert_int_equal(record.id, 7000);
		assert_int_equal(record.words, 0);
		scope_perf_record_words(&record, words, false);
		assert_int_equal(record.words, words);
		assert_memory_equal(record.word, expected, words * sizeof(*expected));
		/* One register less than the mask has is no sample of that event. */
		record.rest_bytes -= record.rest_bytes ? 8 : 0;
		scope_perf_record_words(&record, words, false);
		assert_int_equal(record.words, 0);
	}
	sample_hit(&bytes, PERF_SAMPLE_REGS_ABI_64, scope_perf_words_mask(1, true));
	assert_int_equal(scope_perf_record_parse(&layout, ids, SCOPE_PERF_KINDS, bytes.data, bytes.bytes, &record), 0);
	scope_perf_record_words(&record, 1, true);
	assert_int_equal(record.words, 1);
	assert_int_equal(record.word[0], 1000);
}

/* Arguments of a 32-bit program are on its stack; a thread without a user state has no registers. */
static void words_that_are_not_there(void **state)
{
	const struct scope_perf_layout layout = layout_make(SCOPE_STACK_NONE);
	struct scope_perf_record record;
	struct perf_bytes bytes;

	(void)state;
	sample_hit(&bytes, PERF_SAMPLE_REGS_ABI_32, scope_perf_words_mask(2, false));
	assert_int_equal(scope_perf_record_parse(&layout, ids, SCOPE_PERF_KINDS, bytes.data, bytes.bytes, &record), 0);
	scope_perf_record_words(&record, 2, false);
	assert_int_equal(record.words, 0);
	sample_hit(&bytes, PERF_SAMPLE_REGS_ABI_32, scope_perf_words_mask(1, true));
	assert_int_equal(scope_perf_record_parse(&layout, ids, SCOPE_PERF_KINDS, bytes.data, bytes.bytes, &record), 0);
	scope_perf_record_words(&record, 1, true);
	assert_int_equal(record.words, 1);
	sample_hit(&bytes, PERF_SAMPLE_REGS_ABI_NONE, scope_perf_words_mask(2, false));
	assert_int_equal(scope_perf_record_parse(&layout, ids, SCOPE_PERF_KINDS, bytes.data, bytes.bytes, &record), 0);
	scope_perf_record_words(&record, 2, false);
	assert_int_equal(record.words, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields),
		cmocka_unit_test(numbers),
		cmocka_unit_test(states),
		cmocka_unit_test(filters),
		cmocka_unit_test(each_event_is_reported_once),
		cmocka_unit_test(ring_wraps),
		cmocka_unit_test(ring_refuses),
		cmocka_unit_test(records_cut_short),
		cmocka_unit_test(records_of_other_kinds),
		cmocka_unit_test(stacks),
		cmocka_unit_test(words_of_probes),
		cmocka_unit_test(words_that_are_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
