// SPDX-License-Identifier: GPL-2.0-only
/* The copy of an event has all data that the event pointed to, after that data was freed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trace/event_copy.h"

/* The copy, of an event whose things are overwritten then. */
static struct scope_event own(struct scope_event event, void *thing, size_t thing_bytes, void **ret_room)
{
	const size_t bytes = scope_trace_event_payload_bytes(&event);

	/* Of just that size, so that a sanitizer sees one byte too many. */
	*ret_room = malloc(bytes + !bytes);
	assert_non_null(*ret_room);
	scope_trace_event_own(&event, *ret_room);
	memset(thing, 0xa5, thing_bytes);
	return event;
}

static void a_stack_of_registers_and_bytes(void **state)
{
	struct {
		uint64_t reg[3];
		uint8_t data[5];
	} thing = { { 1, 2, 3 }, { 4, 5, 6, 7, 8 } };
	const struct scope_event event = { .kind = SCOPE_EVENT_STACK,
					   .stack = {
						   .regs = 3,
						   .reg = thing.reg,
						   .bytes = 5,
						   .data = thing.data,
					   } };
	void *room;
	struct scope_event copy = own(event, &thing, sizeof(thing), &room);

	(void)state;
	assert_int_equal(scope_trace_event_payload_bytes(&copy), 3 * 8 + 8);
	assert_null(copy.stack.ip);
	assert_int_equal(copy.stack.reg[2], 3);
	assert_memory_equal(copy.stack.data, ((uint8_t[]){ 4, 5, 6, 7, 8 }), 5);
	free(room);
}

static void a_chain(void **state)
{
	uint64_t ip[] = { 0x10, 0x20 };
	const struct scope_event event = { .kind = SCOPE_EVENT_STACK, .stack = { .ips = 2, .ip = ip } };
	void *room;
	struct scope_event copy = own(event, ip, sizeof(ip), &room);

	(void)state;
	assert_int_equal(copy.stack.ip[0], 0x10);
	assert_int_equal(copy.stack.ip[1], 0x20);
	assert_null(copy.stack.reg);
	free(room);
}

static void a_state_with_registers(void **state)
{
	struct {
		struct scope_record_state record;
		uint64_t reg[2];
	} thing = {
		.record = { .tid = 7, .regs = 2 },
		.reg = { 8, 9 },
	};
	const struct scope_event event = { .kind = SCOPE_EVENT_STATE,
					   .state = {
						   .record = &thing.record,
						   .reg = thing.reg,
					   } };
	void *room;
	struct scope_event copy = own(event, &thing, sizeof(thing), &room);

	(void)state;
	assert_int_equal(copy.state.record->tid, 7);
	assert_int_equal(copy.state.record->regs, 2);
	assert_int_equal(copy.state.reg[1], 9);
	free(room);
}

static void arguments_of_calls_and_probes(void **state)
{
	uint64_t arg[] = { 11, 12, 13 };
	const struct scope_event call = { .kind = SCOPE_EVENT_SYSCALL, .syscall = { .args = 3, .arg = arg } };
	const struct scope_event probe = { .kind = SCOPE_EVENT_PROBE, .probe = { .args = 2, .arg = arg } };
	const struct scope_event none = { .kind = SCOPE_EVENT_EXIT };
	void *of_probe, *of_call, *of_none;
	struct scope_event copy = own(probe, arg, 0, &of_probe);

	(void)state;
	assert_int_equal(copy.probe.arg[1], 12);
	copy = own(call, arg, sizeof(arg), &of_call);
	assert_int_equal(copy.syscall.arg[2], 13);
	assert_int_equal(scope_trace_event_payload_bytes(&none), 0);
	copy = own(none, arg, 0, &of_none);
	assert_null(copy.syscall.arg);
	free(of_probe);
	free(of_call);
	free(of_none);
}

/* One that fills its field has no end there; its copy has. */
static void names(void **state)
{
	static const uint8_t kinds[] = { SCOPE_EVENT_FORK, SCOPE_EVENT_EXEC, SCOPE_EVENT_COMM };

	(void)state;
	for (size_t i = 0; i < sizeof(kinds); i++) {
		char full[SCOPE_COMM_BYTES], brief[SCOPE_COMM_BYTES] = "nginx";
		struct scope_event event = { .kind = kinds[i] };
		const char **comm = kinds[i] == SCOPE_EVENT_FORK   ? &event.fork.comm
				    : kinds[i] == SCOPE_EVENT_EXEC ? &event.exec.comm
								   : &event.comm.comm;
		struct scope_event copy;
		void *room;

		memset(full, 'x', sizeof(full));
		*comm = full;
		copy = own(event, full, sizeof(full), &room);
		assert_string_equal(kinds[i] == SCOPE_EVENT_FORK   ? copy.fork.comm
				    : kinds[i] == SCOPE_EVENT_EXEC ? copy.exec.comm
								   : copy.comm.comm,
				    "xxxxxxxxxxxxxxxx");
		free(room);
		*comm = brief;
		copy = own(event, brief, sizeof(brief), &room);
		assert_string_equal(kinds[i] == SCOPE_EVENT_FORK   ? copy.fork.comm
				    : kinds[i] == SCOPE_EVENT_EXEC ? copy.exec.comm
								   : copy.comm.comm,
				    "nginx");
		free(room);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stack_of_registers_and_bytes),
		cmocka_unit_test(a_chain),
		cmocka_unit_test(a_state_with_registers),
		cmocka_unit_test(arguments_of_calls_and_probes),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
