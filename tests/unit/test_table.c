// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unwind tables compiled from files: each rule is compared with libdw's, and each walk with that of the copying
 * unwinder.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dwarf.h>
#include <glob.h>
#include <time.h>

#include "table_walk.h"

#define SAMPLES 30000 /* addresses of one file that are compared */
#define FP 6
#define SP 7
#define RA 16

/* ---- rules ---- */

static bool is_base(const Dwarf_Op *op)
{
	return op->atom == DW_OP_breg0 + FP || op->atom == DW_OP_breg0 + SP;
}

/* What tables should have for libdw's rule; kind NONE: libdw has none there. */
static struct scope_table_rule expected_value(const struct scope_rule *rule, unsigned int reg, bool *ret_good)
{
	struct scope_table_rule out = { .fp = SCOPE_VALUE_SAME };

	if (rule->undefined >> reg & 1)
		out.fp = SCOPE_VALUE_LOST;
	for (unsigned int i = 0; i < rule->count; i++) {
		const struct scope_rule_value *value = &rule->value[i];
		const Dwarf_Op *op = rule->op ? rule->op + value->value : NULL;
		unsigned int ops = value->ops;

		if (value->reg != reg)
			continue;
		/* The expression begins with the CFA on its stack. */
		if (value->kind == SCOPE_RULE_AT_EXPRESSION && ops && op->atom == DW_OP_call_frame_cfa) {
			op++;
			ops--;
		}
		if (value->kind == SCOPE_RULE_AT_CFA) {
			out.fp = SCOPE_VALUE_AT_CFA;
			out.fp_offset = (int32_t)value->value;
		} else if (value->kind == SCOPE_RULE_AT_EXPRESSION && ops == 1 && is_base(op)) {
			out.fp = op->atom == DW_OP_breg0 + FP ? SCOPE_VALUE_AT_FP : SCOPE_VALUE_AT_SP;
			out.fp_offset = (int32_t)op->number;
		} else if (value->kind != SCOPE_RULE_REGISTER || value->from != reg || value->value) {
			*ret_good = false;
		}
	}
	return out;
}

static bool expected_cfa(const struct scope_rule *rule, struct scope_table_rule *out)
{
	const Dwarf_Op *op = rule->op ? rule->op + rule->cfa.value : NULL;

	if (rule->cfa.kind == SCOPE_RULE_REGISTER) {
		out->cfa = rule->cfa.from == SP ? SCOPE_CFA_SP : SCOPE_CFA_FP;
		out->cfa_offset = (int32_t)rule->cfa.value;
		return rule->cfa.from == SP || rule->cfa.from == FP;
	}
	if (rule->cfa.ops == 2 && is_base(op) && op[1].atom == DW_OP_deref) {
		out->cfa = op->atom == DW_OP_breg0 + SP ? SCOPE_CFA_AT_SP : SCOPE_CFA_AT_FP;
		out->cfa_offset = (int32_t)op->number;
		return true;
	}
	if (rule->cfa.ops == 9 && op[1].atom == DW_OP_breg0 + RA && op[4].atom >= DW_OP_lit9) {
		out->cfa = SCOPE_CFA_PLT;
		out->cfa_offset = (int32_t)op[0].number;
		out->fp_offset = op[4].atom - DW_OP_lit0;
		return true;
	}
	return false;
}

static struct scope_table_rule expected(const struct scope_rule *rule)
{
	struct scope_table_rule out = { 0 }, value;
	bool good = true;

	if (!rule->known)
		return out;
	if (rule->undefined >> rule->ra & 1)
		return (struct scope_table_rule){ .cfa = SCOPE_CFA_END };
	value = expected_value(rule, FP, &good);
	out.fp = value.fp;
	out.fp_offset = value.fp_offset;
	value = expected_value(rule, RA, &good);
	out.ra = value.fp;
	out.ra_offset = value.fp_offset;
	out.flags = rule->signal ? SCOPE_RULE_SIGNAL : 0;
	if (!expected_cfa(rule, &out) || !good)
		return (struct scope_table_rule){ .cfa = SCOPE_CFA_OTHER };
	return out;
}

static void compare_at(struct walk_file *file, uint64_t link, unsigned int *ret_others)
{
	const struct scope_table_rule none = { 0 }, *found = scope_unwind_rule(&file->table, link);
	struct scope_table_rule want;
	const struct scope_rule *rule;

	assert_int_equal(scope_symbol_image_rule(file->image, link, &rule), 0);
	want = expected(rule);
	if (!found)
		found = &none;
	*ret_others += found->cfa == SCOPE_CFA_OTHER;
	if (memcmp(found, &want, sizeof(want)))
		fail_msg(
			"%s at %lx: table cfa %u%+d fp %u%+d ra %u%+d flags %u, libdw cfa %u%+d fp %u%+d ra %u%+d flags %u",
			file->path, link, found->cfa, found->cfa_offset, found->fp, found->fp_offset, found->ra,
			found->ra_offset, found->flags, want.cfa, want.cfa_offset, want.fp, want.fp_offset, want.ra,
			want.ra_offset, want.flags);
}

static void compare_file(const char *path)
{
	struct walk_file file;
	struct timespec begin, end;
	unsigned int others = 0, compared = 0;
	const struct scope_table_header *header;
	uint64_t rows, step;
	double seconds;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
	walk_file_open(&file, path);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	if (!file.has_table)
		fail_msg("%s has no table", path);
	header = file.data;
	rows = header->rows;
	step = rows / SAMPLES + 1;
	seconds = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
	for (uint32_t page = 0; page < header->pages; page++)
		for (uint32_t i = file.table.first[page]; i < file.table.first[page + 1]; i++) {
			const uint64_t link =
				file.table.start + page * (uint64_t)SCOPE_TABLE_PAGE_BYTES + (file.table.row[i] >> 16);

			if (i % step)
				continue;
			/* The row's first address, and the one before it. */
			compare_at(&file, link, &others);
			if (link)
				compare_at(&file, link - 1, &others);
			compared += 2;
		}
	print_message("%s: %u rules, %lu rows, %zu bytes, %.3f s, %u addresses compared, %.2f %% not expressible\n",
		      path, header->rules, rows, file.bytes, seconds, compared, 100.0 * others / compared);
	assert_true(compared > 10);
	walk_file_close(&file);
}

static void test_rules_are_libdws(void **state)
{
	/* As a system has them; those that are not there are left out. */
	static const char *const patterns[] = {
		"/lib/x86_64-linux-gnu/libc.so.6",
		"/lib64/ld-linux-x86-64.so.2",
		"/usr/lib/x86_64-linux-gnu/libcrypto.so*",
		"/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
		"/usr/lib/x86_64-linux-gnu/libm.so.6",
		"/usr/bin/bash",
		"/usr/bin/python3.11",
		"/usr/sbin/nginx",
		"/usr/bin/redis-check-rdb",
		"/lib/ld-musl-x86_64.so.1",
	};
	static const char *const flags[] = { "-O2 -fomit-frame-pointer", "-O3 -static", "-O0", "-O2 -mstackrealign",
					     "-O2 -g -fno-asynchronous-unwind-tables -fno-unwind-tables" };
	unsigned int files = 0;
	char path[128];

	(void)state;
	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
		glob_t found;

		if (glob(patterns[i], 0, NULL, &found))
			continue;
		compare_file(found.gl_pathv[0]);
		files++;
		globfree(&found);
	}
	assert_true(files >= 3);
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		assert_true(process_build("table", flags[i], path, sizeof(path)));
		compare_file(path);
	}
}

/* ---- walks ---- */

struct tally {
	unsigned int stacks, equal, copies[SCOPE_COPY_REASONS];
};

static void compare_walk(struct scope_symbols *symbols, const struct walk_space *space, const struct process *process,
			 const struct snapshot *snapshot, struct tally *tally)
{
	uint64_t ip[128], by_copy[128];
	unsigned int count = 0, copied, flags;
	uint8_t ended = 0;
	int reason = walk_stack(space, snapshot, ip, 64, &count, &ended);

	assert_int_equal(scope_symbols_unwind(symbols, (uint32_t)process->pid, snapshot->reg, SCOPE_REG_COUNT_X86_64,
					      snapshot->data, snapshot->bytes, by_copy, 128, &copied, &flags),
			 0);
	tally->stacks++;
	if (reason) {
		tally->copies[reason]++;
		return;
	}
	if (count == copied && ended == flags && !memcmp(ip, by_copy, count * sizeof(*ip))) {
		tally->equal++;
		return;
	}
	for (unsigned int i = 0; i < count || i < copied; i++)
		print_message("  %2u %lx %lx\n", i, i < count ? ip[i] : 0, i < copied ? by_copy[i] : 0);
	print_message("  ended %x %x\n", ended, flags);
}

static unsigned int tally_print(const char *what, const struct tally *tally)
{
	unsigned int copies = 0;

	print_message("%s: %u stacks, %u equal; copied:", what, tally->stacks, tally->equal);
	for (unsigned int i = 1; i < SCOPE_COPY_REASONS; i++) {
		print_message(" %u", tally->copies[i]);
		copies += tally->copies[i];
	}
	print_message("\n");
	return copies;
}

/* Whatever the moment: prologues, epilogues, libc, the PLT, signal handlers, code without frame pointers. */
static void walk_program(const char *mode, const char *flags, unsigned int turns, unsigned int copies_percent)
{
	struct scope_symbols *symbols;
	struct walk_space space;
	struct process process;
	struct tally tally = { 0 };
	char path[128];
	unsigned int copies;

	assert_true(process_build("walked", flags, path, sizeof(path)));
	assert_true(process_start(&process, path, mode, 1));
	assert_int_equal(ptrace(PTRACE_SEIZE, process.pid, NULL, NULL), 0);
	assert_true(thread_halt(process.pid));
	process_maps(&process);
	assert_int_equal(scope_symbols_create(process.map, process.maps, NULL, 0, NULL, &symbols), 0);
	walk_space_open(&space, &process);
	for (unsigned int turn = 0; turn < turns; turn++) {
		struct snapshot snapshot;

		assert_int_equal(ptrace(PTRACE_CONT, process.pid, NULL, NULL), 0);
		usleep((useconds_t)(rand() % 300));
		assert_true(thread_halt(process.pid));
		assert_true(thread_snapshot(process.pid, SLICE_BYTES, &snapshot));
		compare_walk(symbols, &space, &process, &snapshot, &tally);
	}
	copies = tally_print(flags, &tally);
	/* Each walk that came to an end is that of the unwinder; the others are copied. */
	assert_int_equal(tally.equal + copies, tally.stacks);
	assert_true(copies * 100 <= tally.stacks * copies_percent);
	walk_space_close(&space);
	scope_symbols_destroy(symbols);
	process_stop(&process);
}

static void test_walks_are_the_unwinders(void **state)
{
	(void)state;
	srand(1);
	walk_program("run", "-O2 -fomit-frame-pointer", 400, 1);
	walk_program("signals", "-O2 -fomit-frame-pointer", 400, 1);
	walk_program("signals", "-O0", 200, 1);
	walk_program("run", "-O3 -fno-plt", 200, 1);
	walk_program("run", "-O2 -static -no-pie", 200, 1);
	walk_program("signals", "-O2 -static-pie", 200, 1);
	walk_program("run", "-O2 -mstackrealign", 200, 40);
	/* Code without any tables is for the unwinder alone. */
	walk_program("run", "-O2 -fno-asynchronous-unwind-tables -fno-unwind-tables", 100, 100);
}

static int remove_programs(void **state)
{
	(void)state;
	processes_remove();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules_are_libdws),
		cmocka_unit_test(test_walks_are_the_unwinders),
	};

	if (!tracing_permitted()) {
		printf("processes may not be traced here\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, remove_programs);
}
