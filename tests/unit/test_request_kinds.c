// SPDX-License-Identifier: GPL-2.0-only
/*
 * Received bytes are replaced by kinds of requests: no byte reaches the file, times stay, and the number of kinds is
 * limited.
 */
#include <stdio.h>

#include "capture/request_kinds.h"
#include "capture/request_text.h"
#include "source/request.h"
#include "trace/walk.h"
#include "trace_fixture.h"

#define NS 1000

static const struct scope_capture_options http = { .requests = SCOPE_REQUEST_HTTP };

struct made {
	struct scope_subbuf head;
	uint8_t data[1 << 16];
};

static void add(struct made *made, const void *record, size_t bytes)
{
	memcpy((uint8_t *)made + made->head.used_bytes, record, bytes);
	made->head.used_bytes += (uint32_t)bytes;
}

static void add_received(struct made *made, const char *text)
{
	struct {
		struct scope_record_received record;
		char data[SCOPE_RECEIVED_BYTES];
	} one = { { .word = scope_record_word(SCOPE_RECORD_RECEIVED, NS), .bytes = (uint16_t)strlen(text) }, "" };

	memcpy(one.data, text, strlen(text));
	add(made, &one, sizeof(one.record) + (strlen(text) + 7) / 8 * 8);
}

static void add_call(struct made *made)
{
	const struct scope_record_syscall call = { .word = scope_record_word(SCOPE_RECORD_SYSCALL, NS), .ret = 10 };

	add(made, &call, sizeof(call));
}

static struct made *begin(void)
{
	struct made *made = calloc(1, sizeof(*made));

	assert_non_null(made);
	made->head = (struct scope_subbuf){ .magic = SCOPE_SUBBUF_MAGIC, .used_bytes = sizeof(made->head), .tid = 7 };
	return made;
}

/* The kinds of its REQUEST records, in their order; returns their number. */
static size_t kinds_of(const struct scope_subbuf *subbuf, uint32_t *kind)
{
	uint32_t offset = 0;
	size_t count = 0;
	const void *record;

	assert_null(scope_trace_walk_next(subbuf, SCOPE_WALK(RECEIVED), &offset));
	offset = 0;
	while ((record = scope_trace_walk_next(subbuf, SCOPE_WALK(REQUEST), &offset)))
		kind[count++] = ((const struct scope_record_request *)record)->kind;
	return count;
}

static void test_replaced(void **state)
{
	struct fixture fixture = fixture_begin();
	struct made *made = begin();
	struct scope_request_kinds *kinds;
	const struct scope_subbuf *out;
	struct scope_trace *trace;
	struct scope_event event;
	uint32_t kind[8];
	uint64_t last_ns = 0;

	(void)state;
	assert_int_equal(scope_capture_request_kinds_create(&http, &kinds), 0);
	add_call(made);
	assert_int_equal(scope_capture_request_kinds_replace(kinds, &made->head, fixture.writer, &out), 0);
	assert_ptr_equal(out, &made->head);
	add_received(made, "GET /search?secret HTTP/1.1\r\n");
	add_received(made, "secret body");
	add_call(made);
	add_received(made, "GET /secret42 HTTP/1.1\r\n");
	add_received(made, "GET /search?secret2 HTTP/1.1\r\n");
	add_call(made);
	made->head.records = 7;
	assert_int_equal(scope_capture_request_kinds_replace(kinds, &made->head, fixture.writer, &out), 0);
	assert_int_equal(kinds_of(out, kind), 4);
	assert_int_equal(kind[0], 1);
	assert_int_equal(kind[1], 0);
	assert_int_equal(kind[2], 2);
	assert_int_equal(kind[3], 1);
	assert_null(memmem(out, out->used_bytes, "secret", 6));
	assert_int_equal(scope_trace_writer_subbuf(fixture.writer, out), 0);
	trace = fixture_open(&fixture);
	assert_string_equal(scope_trace_meta(trace, SCOPE_META_REQUEST "1"), "GET /search");
	assert_string_equal(scope_trace_meta(trace, SCOPE_META_REQUEST "2"), "GET /*");
	for (int i = 0; i < 7; i++) {
		assert_int_equal(scope_trace_next(trace, &event), 1);
		assert_int_equal(event.tid, 7);
		last_ns = event.time_ns;
	}
	assert_int_equal(last_ns, 7 * NS);
	assert_int_equal(scope_trace_next(trace, &event), 0);
	scope_trace_close(trace);
	scope_capture_request_kinds_destroy(kinds);
	free(made);
}

static void test_bounded(void **state)
{
	struct fixture fixture = fixture_begin();
	struct made *made = begin();
	struct scope_request_kinds *kinds;
	const struct scope_subbuf *out;
	struct scope_trace *trace;
	uint32_t kind[512];
	char key[32];

	(void)state;
	assert_int_equal(scope_capture_request_kinds_create(&http, &kinds), 0);
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 200; i++) {
			char text[64];

			snprintf(text, sizeof(text), "GET /%c%c HTTP/1.1\r\n", 'a' + i / 20, 'a' + i % 20);
			add_received(made, text);
		}
	assert_int_equal(scope_capture_request_kinds_replace(kinds, &made->head, fixture.writer, &out), 0);
	assert_int_equal(kinds_of(out, kind), 400);
	for (uint32_t i = 0; i < 400; i++)
		assert_int_equal(kind[i],
				 i % 200 < SCOPE_REQUEST_KINDS_MAX - 1 ? i % 200 + 1 : SCOPE_REQUEST_KINDS_MAX);
	assert_int_equal(scope_trace_writer_subbuf(fixture.writer, out), 0);
	trace = fixture_open(&fixture);
	snprintf(key, sizeof(key), SCOPE_META_REQUEST "%u", SCOPE_REQUEST_KINDS_MAX);
	assert_string_equal(scope_trace_meta(trace, key), "(other requests)");
	snprintf(key, sizeof(key), SCOPE_META_REQUEST "%u", SCOPE_REQUEST_KINDS_MAX + 1);
	assert_null(scope_trace_meta(trace, key));
	scope_trace_close(trace);
	scope_capture_request_kinds_destroy(kinds);
	free(made);
}

static void add_hit(struct made *made, uint16_t id, uint64_t first, uint64_t second)
{
	const struct {
		struct scope_record_probe record;
		uint64_t arg[2];
	} hit = { { .word = scope_record_word(SCOPE_RECORD_PROBE, NS), .id = id, .args = 2 }, { first, second } };

	add(made, &hit, sizeof(hit));
}

/* Hits of the probe are replaced by the value of its last word. Other probes, and what was received, stay as they are. */
static void test_of_probe(void **state)
{
	struct scope_capture_options options = { .requests = SCOPE_REQUEST_PROBE,
						 .kind_text = "u:/usr/bin/work:own::serve:arg1" };
	struct fixture fixture = fixture_begin();
	struct made *made = begin();
	struct scope_request_kinds *kinds;
	const struct scope_subbuf *out;
	struct scope_trace *trace;
	uint32_t kind[8], offset = 0;

	(void)state;
	options.kind_probe.id = 65535;
	assert_int_equal(scope_capture_request_kinds_create(&options, &kinds), 0);
	add_hit(made, 65535, 1, 7);
	add_hit(made, 1, 5, 9);
	add_call(made);
	add_hit(made, 65535, 2, 0xffff800000001000);
	add_hit(made, 65535, 3, 7);
	made->head.records = 5;
	assert_int_equal(scope_capture_request_kinds_replace(kinds, &made->head, fixture.writer, &out), 0);
	assert_int_equal(kinds_of(out, kind), 3);
	assert_int_equal(kind[0], 1);
	assert_int_equal(kind[1], 2);
	assert_int_equal(kind[2], 1);
	assert_non_null(scope_trace_walk_next(out, SCOPE_WALK(PROBE), &offset));
	assert_null(scope_trace_walk_next(out, SCOPE_WALK(PROBE), &offset));
	assert_int_equal(scope_trace_writer_subbuf(fixture.writer, out), 0);
	trace = fixture_open(&fixture);
	assert_string_equal(scope_trace_meta(trace, SCOPE_META_REQUEST "1"), "serve arg1=7");
	assert_string_equal(scope_trace_meta(trace, SCOPE_META_REQUEST "2"), "serve arg1=0xffff800000001000");
	scope_trace_close(trace);
	scope_capture_request_kinds_destroy(kinds);
	free(made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_replaced),
		cmocka_unit_test(test_bounded),
		cmocka_unit_test(test_of_probe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
