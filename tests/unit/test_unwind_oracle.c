// SPDX-License-Identifier: GPL-2.0-only
/* Frames by tables and by the copying unwinder are the same as libunwind's, for the same registers and stack bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#if __has_include(<libunwind-ptrace.h>)
#include <libunwind-ptrace.h>

#include "base/now.h"
#include "table_walk.h"
#include "walk_program.h"

#define FRAMES 128

/* What is compared with libunwind. */
enum unwinder { TABLES, COPIES, UNWINDERS };

static const char *const names[UNWINDERS] = { "tables", "copies" };

struct tally {
	uint64_t theirs_ns, copies_ns; /* that unwinding took */
	unsigned int stacks, copied, equal[UNWINDERS], other[UNWINDERS];
};

/* Not the kernel's page, which is no file, so libunwind guesses there. It finds no rules without the sorted index (.eh_frame_hdr). */
static const struct walk_program programs[] = {
	{ "-O2", NULL, "-O2 -fomit-frame-pointer", "run", 12, 100, 10, NULL },
	{ "-O3, .cold parts", NULL, "-O3 -fomit-frame-pointer", "partly", 12, 100, 10, NULL },
	{ "PLT, lazy", NULL, "-O2 -fomit-frame-pointer -fplt -Wl,-z,lazy", "run", 12, 100, 10, NULL },
	{ "signal handlers", NULL, "-O2 -fomit-frame-pointer", "signals", 12, 100, 10, NULL },
	{ "static", NULL, "-O2 -fomit-frame-pointer -static -Wl,--eh-frame-hdr", "run", 12, 100, 10, NULL },
	{ "static-pie, signal handlers", NULL, "-O2 -fomit-frame-pointer -static-pie", "signals", 12, 100, 10, NULL },
	{ "clang -O2", "clang", "-O2 -fomit-frame-pointer", "run", 12, 100, 10, NULL },
};

/* Registers and stack are the copy's; what else it reads, such as the code of signal trampolines, is the process's. */
static const struct snapshot *seen;

static int read_memory(unw_addr_space_t space, unw_word_t address, unw_word_t *value, int write, void *context)
{
	const uint64_t at = address - seen->reg[SCOPE_REG_SP_X86_64];

	if (write)
		return -UNW_EINVAL;
	if (at > seen->bytes || seen->bytes - at < sizeof(*value))
		return _UPT_access_mem(space, address, value, 0, context);
	memcpy(value, seen->data + at, sizeof(*value));
	return 0;
}

static int read_register(unw_addr_space_t space, unw_regnum_t number, unw_word_t *value, int write, void *context)
{
	(void)space, (void)context;
	/* Both count them as DWARF does. */
	if (write || number < 0 || number >= SCOPE_REG_COUNT_X86_64)
		return -UNW_EBADREG;
	*value = seen->reg[number];
	return 0;
}

static unsigned int oracle(unw_addr_space_t space, void *process, uint64_t *ret_ip)
{
	unsigned int count = 0;
	unw_cursor_t cursor;
	unw_word_t ip;

	assert_int_equal(unw_init_remote(&cursor, space, process), 0);
	do {
		if (unw_get_reg(&cursor, UNW_REG_IP, &ip) || !ip)
			break;
		/* An address that a signal interrupted is one more, but for the first. */
		ret_ip[count] = ip + (count && unw_is_signal_frame(&cursor) > 0);
		count++;
	} while (count < FRAMES && unw_step(&cursor) > 0);
	return count;
}

static void compare(const uint64_t *ip, unsigned int count, const uint64_t *expected, unsigned int expected_count,
		    enum unwinder unwinder, struct tally *tally)
{
	if (count == expected_count && !memcmp(ip, expected, count * sizeof(*ip))) {
		tally->equal[unwinder]++;
		return;
	}
	if (tally->other[unwinder]++)
		return;
	for (unsigned int i = 0; i < count || i < expected_count; i++)
		print_message("  %2u %s %lx, libunwind %lx\n", i, names[unwinder], i < count ? ip[i] : 0,
			      i < expected_count ? expected[i] : 0);
}

static void compare_all(struct scope_symbols *symbols, const struct walk_space *space, const struct walk_run *run,
			unw_addr_space_t theirs, void *context, struct tally *tally)
{
	uint64_t expected[FRAMES], ip[FRAMES];
	unsigned int expected_count, count, flags;
	struct snapshot snapshot;
	uint64_t begin_ns;
	uint8_t ended;

	assert_true(thread_snapshot(run->process.pid, SLICE_BYTES, &snapshot));
	seen = &snapshot;
	begin_ns = scope_now_ns();
	expected_count = oracle(theirs, context, expected);
	tally->theirs_ns += scope_now_ns() - begin_ns;
	tally->stacks++;
	if (walk_stack(space, &snapshot, ip, 64, &count, &ended))
		tally->copied++;
	else
		compare(ip, count, expected, expected_count, TABLES, tally);
	begin_ns = scope_now_ns();
	assert_int_equal(scope_symbols_unwind(symbols, (uint32_t)run->process.pid, snapshot.reg, SCOPE_REG_COUNT_X86_64,
					      snapshot.data, snapshot.bytes, ip, FRAMES, &count, &flags),
			 0);
	tally->copies_ns += scope_now_ns() - begin_ns;
	compare(ip, count, expected, expected_count, COPIES, tally);
}

static void walk_program(const struct walk_program *program, unw_addr_space_t theirs, struct tally *sum)
{
	static struct walk_run run;
	struct scope_symbols *symbols;
	struct tally tally = { 0 };
	struct walk_space space;
	void *context;

	if (!walk_start(program, &run)) {
		assert_non_null(program->compiler);
		print_message("not here, left out: %s\n", program->name);
		return;
	}
	context = _UPT_create(run.process.pid);
	assert_non_null(context);
	assert_int_equal(scope_symbols_create(run.process.map, run.process.maps, NULL, 0, NULL, &symbols), 0);
	walk_space_open(&space, &run.process);
	for (unsigned int burst = 0; burst < program->bursts; burst++) {
		assert_true(walk_on(&run, 300));
		for (unsigned int step = 0; step < program->steps; step++) {
			compare_all(symbols, &space, &run, theirs, context, &tally);
			assert_true(walk_step(&run));
		}
	}
	print_message("%s: %u stacks, as libunwind: %u by tables (%u other, %u copied), %u by copies (%u other)\n",
		      program->name, tally.stacks, tally.equal[TABLES], tally.other[TABLES], tally.copied,
		      tally.equal[COPIES], tally.other[COPIES]);
	for (unsigned int i = 0; i < UNWINDERS; i++) {
		sum->equal[i] += tally.equal[i];
		sum->other[i] += tally.other[i];
	}
	sum->stacks += tally.stacks;
	sum->theirs_ns += tally.theirs_ns;
	sum->copies_ns += tally.copies_ns;
	unw_flush_cache(theirs, 0, 0);
	_UPT_destroy(context);
	walk_space_close(&space);
	scope_symbols_destroy(symbols);
	walk_stop(&run);
}

static void test_frames(void **state)
{
	unw_accessors_t accessors = {
		.find_proc_info = _UPT_find_proc_info,
		.put_unwind_info = _UPT_put_unwind_info,
		.get_dyn_info_list_addr = _UPT_get_dyn_info_list_addr,
		.access_mem = read_memory,
		.access_reg = read_register,
		.access_fpreg = _UPT_access_fpreg,
		.get_proc_name = _UPT_get_proc_name,
	};
	unw_addr_space_t theirs = unw_create_addr_space(&accessors, 0);
	struct tally sum = { 0 };

	(void)state;
	assert_non_null(theirs);
	srand(1);
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		walk_program(&programs[i], theirs, &sum);
	unw_destroy_addr_space(theirs);
	print_message("a stack takes libunwind %.0f us, the copying unwinder %.1f us\n",
		      (double)sum.theirs_ns / sum.stacks / 1000, (double)sum.copies_ns / sum.stacks / 1000);
	for (unsigned int i = 0; i < UNWINDERS; i++) {
		assert_true(sum.equal[i] > 1000);
		assert_true(sum.other[i] * 200 <= sum.equal[i]);
	}
}

static int remove_programs(void **state)
{
	(void)state;
	processes_remove();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_frames) };

	if (!tracing_permitted()) {
		printf("processes may not be traced here\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, remove_programs);
}

#else

int main(void)
{
	printf("built without libunwind-ptrace\n");
	return 77;
}

#endif
