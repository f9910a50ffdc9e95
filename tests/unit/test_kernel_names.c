// SPDX-License-Identifier: GPL-2.0-only
/* Names of the kernel's functions: hidden and missing names, modules, and only the functions that samples hit. */
#include <errno.h>
#include <stdio.h>

#include "proc/kernel_names.h"
#include "trace/text_form.h"
#include "trace/walk.h"
#include "trace_fixture.h"

/* Where the kernel was put this time, and how far that is from where traces count. */
#define MOVED 0x23000000ull

static const char kallsyms[] = "0000000000000000 A fixed_percpu_data\n"
			       "ffffffffa4000000 T startup_64\n"
			       "ffffffffa4000000 T _text\n"
			       "ffffffffa4001000 T first\n"
			       "ffffffffa4001000 t first_alias\n"
			       "ffffffffa4001100 t second\n"
			       "ffffffffa4001180 d no_function\n"
			       "ffffffffa4001200 W third\n"
			       "ffffffffa4002000 t far\n"
			       "broken\n"
			       "ffffffffc0201000 t of_module\t[ext4]\n"
			       "ffffffffc0201400 t next_of_module\t[ext4]\n"
			       "ffffffffc0101000 t earlier\t[bpf]\n";

static FILE *text_open(const char *text)
{
	return fmemopen((void *)text, strlen(text), "r");
}

static void test_base(void **state)
{
	static const struct {
		const char *text;
		int code;
		uint64_t base;
	} rows[] = {
		{ kallsyms, 0, MOVED },
		{ "ffff800008000000 T _text\n", 0, 0xffff800008000000 - SCOPE_KERNEL_TEXT },
		{ "0000000000000000 T startup_64\n0000000000000000 T _text\n", -EACCES, 7 },
		{ "ffffffffa4000000 T other\n", -ENOENT, 7 },
		{ "\n", -ENOENT, 7 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		FILE *file = text_open(rows[i].text);
		struct scope_error error = { "" };
		uint64_t base = 7;

		assert_int_equal(scope_proc_kernel_base(file, &error, &base), rows[i].code);
		assert_int_equal(base, rows[i].base);
		assert_int_equal(!error.text[0], !rows[i].code);
		fclose(file);
	}
}

static int take(const struct scope_subbuf *subbuf, void *names)
{
	const void *record;
	uint32_t offset = 0;
	int err = 0;

	while (!err && (record = scope_trace_walk_next(subbuf, SCOPE_KERNEL_NAMES_TYPES, &offset)))
		err = scope_proc_kernel_names_note(names, record);
	return err;
}

/* Hands over samples that hit there, each many times in one way: as copies, as chains, or as the module walks them. */
static void hit(struct scope_kernel_names *names, const uint64_t *address, size_t count, unsigned int way)
{
	static const uint64_t reg[2] = { 1, 2 };
	struct scope_error error = { "" };
	struct scope_packer *packer;

	assert_int_equal(scope_trace_packer_create_for(take, names, 65536, &packer), 0);
	for (size_t i = 0; i < 300 * count; i++) {
		struct scope_event event = {
			.kind = SCOPE_EVENT_STACK,
			.tid = 1,
			.time_ns = i,
			.flags = SCOPE_STACK_IN_KERNEL | SCOPE_STACK_KERNEL_IP,
			.stack = { .reason = SCOPE_STACK_SAMPLE, .kernel_ip = address[i % count] - MOVED },
		};

		if (way == 1) {
			event.stack.reg = reg;
			event.stack.regs = 2;
			event.stack.bytes = 8;
			event.stack.data = (const uint8_t *)reg;
		} else {
			event.stack.ip = reg;
			event.stack.ips = 2;
			event.stack.ended = way ? SCOPE_FRAMES_COMPLETE : 0;
		}
		assert_int_equal(scope_trace_packer_event(packer, &event, &error), 0);
		/* One that says nothing of the kernel, with words that look as if it did. */
		event.flags = SCOPE_STACK_IN_KERNEL;
		event.stack.kernel_ip = 0xffffffffa4001100 - MOVED;
		assert_int_equal(scope_trace_packer_event(packer, &event, &error), 0);
	}
	assert_int_equal(scope_trace_packer_flush(packer, &error), 0);
	scope_trace_packer_destroy(packer);
}

/* What is in the trace after samples hit those addresses, each write by itself. */
static void check_way(const uint64_t *address, size_t count, unsigned int way, const char *want)
{
	struct fixture fixture = fixture_begin();
	struct scope_kernel_names *names;
	struct scope_trace *trace;
	FILE *file = text_open(kallsyms);
	char *text = NULL;
	size_t bytes;

	assert_int_equal(scope_proc_kernel_names_create(MOVED, &names), 0);
	if (count)
		hit(names, address, count, way);
	assert_int_equal(scope_proc_kernel_names_write(names, file, NULL, NULL, fixture.writer), 0);
	/* What was written is not written again, though samples hit it again. */
	rewind(file);
	if (count)
		hit(names, address, count, way);
	assert_int_equal(scope_proc_kernel_names_write(names, file, NULL, NULL, fixture.writer), 0);
	fclose(file);
	scope_proc_kernel_names_destroy(names);
	trace = fixture_open(&fixture);
	file = open_memstream(&text, &bytes);
	assert_int_equal(scope_trace_text_write_span(trace, 0, UINT64_MAX, file, NULL), 0);
	fclose(file);
	assert_string_equal(text, want);
	free(text);
	scope_trace_close(trace);
}

static void check(const uint64_t *address, size_t count, const char *want)
{
	for (unsigned int way = 0; way < 3; way++)
		check_way(address, count, way, want);
}

static void test_names(void **state)
{
	(void)state;
	check(NULL, 0, "");
	check((uint64_t[]){ 0xffffffffa4001000 }, 1, "sym 0 0xffffffff81001000 0x100 first [kernel] library\n");
	check((uint64_t[]){ 0xffffffffa40010ff, 0xffffffffa4001010, 0xffffffffa4001201 }, 3,
	      "sym 0 0xffffffff81001200 0xe00 third [kernel] library\n"
	      "sym 0 0xffffffff81001000 0x100 first [kernel] library\n");
	check((uint64_t[]){ 0xffffffffc0201003, 0xffffffffc0101000, 0xffffffffa4003000 }, 3,
	      "sym 0 0xffffffff9d201000 0x400 of_module [ext4] library\n"
	      "sym 0 0xffffffff9d101000 0x100000 earlier [bpf] library\n"
	      "sym 0 0xffffffff81002000 0x1c0ff000 far [kernel] library\n");
	/* Below all that has a name. */
	check((uint64_t[]){ 0xffffffff90000000 }, 1, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
