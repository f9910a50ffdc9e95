// SPDX-License-Identifier: GPL-2.0-only
/* Call stacks from registers and stack bytes, for programs built in many ways, compared with the known stacks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <elfutils/libdwfl.h>
#include <time.h>

#include "unwind_process.h"

#define DEPTH_MAX 128

struct stack {
	uint64_t ip[DEPTH_MAX];
	unsigned int count, flags;
	const struct scope_function *function[DEPTH_MAX];
};

static void stack_take(struct scope_symbols *symbols, const struct process *process, const struct snapshot *snapshot,
		       struct stack *stack)
{
	assert_int_equal(scope_symbols_unwind(symbols, process->pid, snapshot->reg, SCOPE_REG_COUNT_X86_64,
					      snapshot->data, snapshot->bytes, stack->ip, DEPTH_MAX, &stack->count,
					      &stack->flags),
			 0);
	assert_true(stack->count > 0);
	for (unsigned int i = 0; i < stack->count; i++)
		assert_int_equal(scope_symbols_lookup(symbols, process->pid, stack->ip[i], i > 0, &stack->function[i]),
				 0);
}

static void stack_print(const struct stack *stack)
{
	for (unsigned int i = 0; i < stack->count; i++)
		print_message("  %lx %s\n", stack->ip[i], stack->function[i]->name);
	print_message("  flags %x\n", stack->flags);
}

static int in_program(const struct process *process, const struct scope_function *function)
{
	return !strcmp(function->path, process->map[0].path);
}

/* The named functions must be in the stack in this order, with nothing of the program between. */
static void expect_calls(const struct process *process, const struct stack *stack, const char *const *name)
{
	unsigned int at = 0, found = 0;

	for (; name[found]; found++, at++) {
		while (at < stack->count && strcmp(stack->function[at]->name, name[found]) &&
		       (!found || !in_program(process, stack->function[at])))
			at++;
		if (at == stack->count || strcmp(stack->function[at]->name, name[found])) {
			stack_print(stack);
			fail_msg("%s is not where it should be", name[found]);
		}
	}
}

struct build {
	const char *name, *flags;
	bool optional;	      /* where the system lacks what it takes */
	unsigned int flagged; /* flags that must be set */
};

static const struct build builds[] = {
	{ "optimized", "-O2 -fomit-frame-pointer", false, SCOPE_UNWIND_COMPLETE },
	{ "plain", "-O0", false, SCOPE_UNWIND_COMPLETE },
	{ "frames", "-O2 -fno-omit-frame-pointer", false, SCOPE_UNWIND_COMPLETE },
	{ "fixed", "-O2 -no-pie -fno-pie", false, SCOPE_UNWIND_COMPLETE },
	{ "static", "-O2 -static", true, SCOPE_UNWIND_COMPLETE },
	{ "staticpie", "-O2 -static-pie", true, SCOPE_UNWIND_COMPLETE },
	{ "debugframe", "-O2 -g -fno-asynchronous-unwind-tables -fno-unwind-tables", false, SCOPE_UNWIND_COMPLETE },
	{ "notables",
	  "-O2 -fno-omit-frame-pointer -fno-asynchronous-unwind-tables "
	  "-fno-unwind-tables",
	  false, SCOPE_UNWIND_GUESSED | SCOPE_UNWIND_COMPLETE },
};

/* The registers that /proc shows of a thread that sleeps. */
static void keep_pc_and_sp(struct snapshot *snapshot)
{
	for (unsigned int i = 0; i < SCOPE_REG_COUNT_X86_64; i++)
		if (i != SCOPE_REG_SP_X86_64 && i != SCOPE_REG_COUNT_X86_64 - 1)
			snapshot->reg[i] = 0;
}

static void check_blocked(const struct process *process, struct scope_symbols *symbols, const struct build *build,
			  bool all_registers)
{
	for (unsigned int i = 0; i < process->threads; i++) {
		const char *name = process->thread[i].name;
		pid_t tid = process->thread[i].tid;
		struct snapshot snapshot;
		struct stack stack;

		assert_int_equal(ptrace(PTRACE_SEIZE, tid, NULL, NULL), 0);
		assert_true(thread_halt(tid));
		assert_true(thread_snapshot(tid, 8192, &snapshot));
		if (!all_registers)
			keep_pc_and_sp(&snapshot);
		stack_take(symbols, process, &snapshot, &stack);
		if (!strcmp(name, "main")) {
			expect_calls(process, &stack, (const char *[]){ "main", NULL });
		} else {
			char inner[32], outer[32], start[32];

			snprintf(inner, sizeof(inner), "%s_inner", name);
			snprintf(outer, sizeof(outer), "%s_outer", name);
			snprintf(start, sizeof(start), "%s_thread", name);
			expect_calls(process, &stack, (const char *[]){ inner, outer, start, NULL });
			assert_int_equal(ptrace(PTRACE_DETACH, tid, NULL, NULL), 0);
			if ((stack.flags & build->flagged) != build->flagged)
				stack_print(&stack);
			assert_int_equal(stack.flags & build->flagged, build->flagged);
		}
		assert_int_equal(stack.flags & SCOPE_UNWIND_BROKEN, 0);
	}
}

/* Frames of threads that block in libc, which has no frame pointers itself. */
static void test_blocked(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(builds) / sizeof(*builds); i++) {
		struct scope_symbols *symbols;
		struct process process;
		char path[128];

		if (!process_build(builds[i].name, builds[i].flags, path, sizeof(path))) {
			if (!builds[i].optional)
				fail_msg("%s does not build", builds[i].name);
			print_message("not built here, left out: %s\n", builds[i].name);
			continue;
		}
		assert_true(process_start(&process, path, "block", 5));
		assert_true(process_await_sleep(&process));
		assert_int_equal(scope_symbols_create(process.map, process.maps, NULL, 0, NULL, &symbols), 0);
		check_blocked(&process, symbols, &builds[i], true);
		scope_symbols_destroy(symbols);
		process_stop(&process);
	}
}

/* Threads of each program that has tables, which sleep as `what` says. */
static void check_tabled(const char *what, unsigned int threads, unsigned int flagged, bool all_registers)
{
	for (size_t i = 0; i < sizeof(builds) / sizeof(*builds); i++) {
		const struct build build = { builds[i].name, NULL, false, flagged };
		struct scope_symbols *symbols;
		struct process process;
		char path[128];

		if (builds[i].flagged & SCOPE_UNWIND_GUESSED ||
		    !process_build(builds[i].name, builds[i].flags, path, sizeof(path)))
			continue;
		assert_true(process_start(&process, path, what, threads));
		assert_true(process_await_sleep(&process));
		assert_int_equal(scope_symbols_create(process.map, process.maps, NULL, 0, NULL, &symbols), 0);
		check_blocked(&process, symbols, &build, all_registers);
		scope_symbols_destroy(symbols);
		process_stop(&process);
	}
}

/* A frame that counts from the frame pointer is found without its register. */
static void test_without_registers(void **state)
{
	(void)state;
	check_tabled("block", 5, SCOPE_UNWIND_COMPLETE, false);
}

/* Code made at run time that keeps no frame pointer is in the middle of the stack; its caller is found all the same. */
static void test_made_code(void **state)
{
	(void)state;
	check_tabled("made", 2, SCOPE_UNWIND_GUESSED | SCOPE_UNWIND_COMPLETE, true);
}

/* Without names the functions are still different, each by where it begins. */
static void test_stripped(void **state)
{
	struct scope_symbols *symbols;
	struct process process;
	struct snapshot snapshot;
	struct stack stack;
	char path[128];
	const char *const *problem;
	unsigned int program = 0;
	size_t problems;

	(void)state;
	assert_true(process_build("stripped", "-O2 -s", path, sizeof(path)));
	assert_true(process_start(&process, path, "block", 5));
	assert_true(process_await_sleep(&process));
	assert_int_equal(scope_symbols_create(process.map, process.maps, NULL, 0, NULL, &symbols), 0);
	assert_int_equal(ptrace(PTRACE_SEIZE, process.thread[1].tid, NULL, NULL), 0);
	assert_true(thread_halt(process.thread[1].tid));
	assert_true(thread_snapshot(process.thread[1].tid, 8192, &snapshot));
	stack_take(symbols, &process, &snapshot, &stack);
	for (unsigned int i = 0; i < stack.count; i++) {
		const struct scope_function *function = stack.function[i];
		char name[64];

		if (!in_program(&process, function))
			continue;
		program++;
		snprintf(name, sizeof(name), "stripped+0x%lx", function->start);
		assert_string_equal(function->name, name);
		assert_false(function->known);
		assert_false(function->library);
		assert_true(function->size > 0);
	}
	assert_int_equal(program, 3); /* inner, outer, thread */
	assert_int_equal(stack.flags, SCOPE_UNWIND_COMPLETE);
	assert_true(scope_symbols_program_functions(symbols, process.pid) > 15);
	problem = scope_symbols_problems(symbols, &problems);
	assert_int_equal(problems, 1);
	assert_non_null(strstr(problem[0], "stripped"));
	scope_symbols_destroy(symbols);
	process_stop(&process);
}

/* The program's functions of a stack, outermost first, without what comes before main. */
static unsigned int program_calls(const struct process *process, const struct stack *stack,
				  const struct scope_function **ret)
{
	unsigned int count = 0;

	for (unsigned int i = stack->count; i-- > 0;) {
		const struct scope_function *function = stack->function[i];

		if (in_program(process, function) && strcmp(function->name, "_start") &&
		    strncmp(function->name, "__cyg", 5) && strcmp(function->name, "chance"))
			ret[count++] = function;
	}
	return count;
}

/*
 * The truth is what the program noted as it entered and left functions. Where it was interrupted,
 * by us or by a signal, it may have entered one and not noted it yet, or noted the end of one and
 * not left it yet: one call more there.
 */
static void compare_shadow(struct scope_symbols *symbols, const struct process *process, const struct stack *stack)
{
	const struct scope_function *calls[DEPTH_MAX], *truth;
	unsigned int count = program_calls(process, stack, calls), noted = 0;
	uint64_t shadow[257];

	assert_int_equal(process_read(process->pid, process->shadow, shadow, sizeof(shadow)), sizeof(shadow));
	for (unsigned int i = 0; i < count; i++) {
		truth = NULL;
		if (noted < shadow[0])
			assert_int_equal(scope_symbols_lookup(symbols, process->pid, shadow[1 + noted], false, &truth),
					 0);
		if (truth == calls[i]) {
			noted++;
		} else if (i + 1 < count && strcmp(calls[i + 1]->name, "on_signal")) {
			stack_print(stack);
			fail_msg("call %u is %s, not %s", i, calls[i]->name, truth ? truth->name : "the end");
		}
	}
	if (noted != shadow[0])
		stack_print(stack);
	assert_int_equal(noted, shadow[0]);
}

/* Whatever the moment (prologues, epilogues, libc, the PLT, signal handlers), the calls are found. */
static void test_interrupted(void **state)
{
	static const char *const flags[] = { "-O2 -fomit-frame-pointer -finstrument-functions",
					     "-O0 -finstrument-functions",
					     "-O2 -no-pie -fno-pie -finstrument-functions" };
	(void)state;
	srand(1);
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		struct scope_symbols *symbols;
		struct process process;
		unsigned int in_signal = 0;
		char path[128];

		assert_true(process_build("shadow", flags[i], path, sizeof(path)));
		assert_true(process_start(&process, path, "signals", 1));
		assert_int_equal(scope_symbols_create(process.map, process.maps, NULL, 0, NULL, &symbols), 0);
		assert_int_equal(ptrace(PTRACE_SEIZE, process.pid, NULL, NULL), 0);
		for (unsigned int turn = 0; turn < 400; turn++) {
			struct snapshot snapshot;
			struct stack stack;

			usleep(rand() % 300);
			assert_true(thread_halt(process.pid));
			assert_true(thread_snapshot(process.pid, SLICE_BYTES, &snapshot));
			stack_take(symbols, &process, &snapshot, &stack);
			if (stack.flags != SCOPE_UNWIND_COMPLETE)
				stack_print(&stack);
			assert_int_equal(stack.flags, SCOPE_UNWIND_COMPLETE);
			for (unsigned int k = 0; k < stack.count; k++)
				in_signal += !strcmp(stack.function[k]->name, "on_signal");
			compare_shadow(symbols, &process, &stack);
			assert_int_equal(ptrace(PTRACE_CONT, process.pid, NULL, NULL), 0);
		}
		assert_true(in_signal > 0);
		scope_symbols_destroy(symbols);
		process_stop(&process);
	}
}

static const Dwfl_Callbacks dwfl_callbacks = {
	.find_elf = dwfl_linux_proc_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
};

static int frame_add(Dwfl_Frame *frame, void *arg)
{
	struct stack *stack = arg;
	Dwarf_Addr pc;

	if (!dwfl_frame_pc(frame, &pc, NULL) || stack->count == DEPTH_MAX)
		return DWARF_CB_ABORT;
	stack->ip[stack->count++] = pc;
	return DWARF_CB_OK;
}

/* One stack, address by address, against libdwfl's unwinder on the live process. */
static void compare_dwfl(struct scope_symbols *symbols, const struct process *process, Dwfl *dwfl)
{
	struct stack ours, theirs = { 0 };
	struct snapshot snapshot;

	assert_true(thread_snapshot(process->pid, SLICE_BYTES, &snapshot));
	stack_take(symbols, process, &snapshot, &ours);
	dwfl_getthread_frames(dwfl, process->pid, frame_add, &theirs);
	/*
	 * libdwfl 0.188 takes rbx for lost, so that it stops at _dl_runtime_resolve, and goes astray
	 * in the jumps of a static program, which have no tables.
	 */
	if (!ours.function[0]->known)
		theirs.count = 0;
	assert_true(ours.count >= theirs.count);
	for (unsigned int i = 0; i < theirs.count; i++) {
		/* Ours is one more where a signal struck: just above the signal's frame. */
		bool struck = i > 1 && !strcmp(ours.function[i - 2]->name, "on_signal");

		assert_int_equal(ours.ip[i], theirs.ip[i] + struck);
	}
	if (ours.flags != SCOPE_UNWIND_COMPLETE)
		stack_print(&ours);
	assert_int_equal(ours.flags, SCOPE_UNWIND_COMPLETE);
}

/* One instruction; a signal that came is handed on, so that its handler is stepped through. */
static void instruction_step(pid_t pid)
{
	int status, number = 0;

	do {
		assert_int_equal(ptrace(PTRACE_SINGLESTEP, pid, NULL, (void *)(long)number), 0);
		assert_int_equal(waitpid(pid, &status, __WALL), pid);
		assert_true(WIFSTOPPED(status));
		number = WSTOPSIG(status);
	} while (number != SIGTRAP);
}

static void step_through(const char *mode, const char *flags, unsigned int rounds)
{
	struct scope_symbols *symbols;
	struct process process;
	char path[128];
	Dwfl *dwfl = dwfl_begin(&dwfl_callbacks);

	assert_true(process_build("steps", flags, path, sizeof(path)));
	assert_true(process_start(&process, path, mode, 1));
	assert_int_equal(ptrace(PTRACE_SEIZE, process.pid, NULL, NULL), 0);
	assert_true(thread_halt(process.pid));
	process_maps(&process);
	assert_int_equal(dwfl_linux_proc_report(dwfl, process.pid), 0);
	assert_int_equal(dwfl_report_end(dwfl, NULL, NULL), 0);
	assert_int_equal(dwfl_linux_proc_attach(dwfl, process.pid, true), 0);
	assert_int_equal(scope_symbols_create(process.map, process.maps, NULL, 0, NULL, &symbols), 0);
	for (unsigned int round = 0; round < rounds; round++) {
		assert_int_equal(ptrace(PTRACE_CONT, process.pid, NULL, NULL), 0);
		usleep(rand() % 1000);
		assert_true(thread_halt(process.pid));
		for (unsigned int turn = 0; turn < 100; turn++) {
			compare_dwfl(symbols, &process, dwfl);
			instruction_step(process.pid);
		}
	}
	/* It was not in one loop all the time. */
	assert_true(scope_symbols_functions(symbols) >= 8);
	scope_symbols_destroy(symbols);
	dwfl_end(dwfl);
	process_stop(&process);
}

/* Instruction by instruction, in the program and in libc, under signals and without. */
static void test_steps(void **state)
{
	(void)state;
	srand(3);
	step_through("run", "-O2 -fomit-frame-pointer", 40);
	step_through("signals", "-O2 -fomit-frame-pointer", 20);
	step_through("run", "-O0", 20);
	step_through("run", "-O2 -static -no-pie", 20);
}

static void step_unwind(struct scope_symbols *symbols, const struct process *process, const struct snapshot *snapshot,
			unsigned int bytes, unsigned int max, struct stack *stack)
{
	assert_int_equal(scope_symbols_unwind(symbols, process->pid, snapshot->reg, SCOPE_REG_COUNT_X86_64,
					      snapshot->data, bytes, stack->ip, max, &stack->count, &stack->flags),
			 0);
	assert_in_range(stack->count, 1, max);
}

/* A stack that ends too early says so, and is the beginning of the whole one. */
static void test_cut(void **state)
{
	struct scope_symbols *symbols;
	struct process process;
	struct snapshot snapshot;
	struct stack whole, part;
	char path[128];

	(void)state;
	assert_true(process_build("cut", "-O2", path, sizeof(path)));
	assert_true(process_start(&process, path, "block", 5));
	assert_true(process_await_sleep(&process));
	assert_int_equal(scope_symbols_create(process.map, process.maps, NULL, 0, NULL, &symbols), 0);
	assert_int_equal(ptrace(PTRACE_SEIZE, process.thread[2].tid, NULL, NULL), 0);
	assert_true(thread_halt(process.thread[2].tid));
	assert_true(thread_snapshot(process.thread[2].tid, 8192, &snapshot));
	step_unwind(symbols, &process, &snapshot, snapshot.bytes, DEPTH_MAX, &whole);
	assert_int_equal(whole.flags, SCOPE_UNWIND_COMPLETE);
	for (unsigned int bytes = 0; bytes < 512; bytes += 4) {
		step_unwind(symbols, &process, &snapshot, bytes, DEPTH_MAX, &part);
		assert_memory_equal(part.ip, whole.ip, part.count * sizeof(*part.ip));
		assert_int_equal(part.flags, part.count == whole.count ? SCOPE_UNWIND_COMPLETE : SCOPE_UNWIND_CUT);
	}
	step_unwind(symbols, &process, &snapshot, snapshot.bytes, 2, &part);
	assert_int_equal(part.count, 2);
	assert_int_equal(part.flags, SCOPE_UNWIND_CUT);
	/* A call through a null pointer: its caller is found all the same. */
	snapshot.reg[7] -= 8;
	memmove(snapshot.data + 8, snapshot.data, sizeof(snapshot.data) - 8);
	memcpy(snapshot.data, &snapshot.reg[16], 8);
	snapshot.reg[16] = 0;
	step_unwind(symbols, &process, &snapshot, snapshot.bytes, DEPTH_MAX, &part);
	assert_int_equal(part.count, whole.count + 1);
	assert_memory_equal(part.ip + 1, whole.ip, whole.count * sizeof(*part.ip));
	scope_symbols_destroy(symbols);
	process_stop(&process);
}

/* A word for a register or the stack that leads somewhere as often as not. */
static uint64_t nasty_word(const struct process *process, uint64_t sp)
{
	const struct scope_trace_map *map = &process->map[rand() % process->maps];

	switch (rand() % 6) {
	case 0:
		return map->start + rand() % (map->end - map->start);
	case 1:
		return sp + rand() % 4096;
	case 2:
		return sp - rand() % 64 * 8;
	case 3:
		return (uint64_t)rand() << 33 ^ rand();
	case 4:
		return 0;
	default:
		return ~0ull - rand() % 64;
	}
}

/* Nonsense gives a stack of some kind, never a crash or an endless walk. */
static void test_nonsense(void **state)
{
	struct scope_symbols *symbols;
	struct process process;
	struct snapshot good, bad;
	struct stack stack;
	char path[128];

	(void)state;
	srand(2);
	assert_true(process_build("nonsense", "-O2", path, sizeof(path)));
	assert_true(process_start(&process, path, "block", 5));
	assert_true(process_await_sleep(&process));
	assert_int_equal(scope_symbols_create(process.map, process.maps, NULL, 0, NULL, &symbols), 0);
	assert_int_equal(ptrace(PTRACE_SEIZE, process.thread[3].tid, NULL, NULL), 0);
	assert_true(thread_halt(process.thread[3].tid));
	assert_true(thread_snapshot(process.thread[3].tid, 4096, &good));
	for (unsigned int turn = 0; turn < 20000; turn++) {
		bad = good;
		for (int i = rand() % 6; i > 0; i--)
			bad.reg[rand() % 17] = nasty_word(&process, good.reg[7]);
		for (int i = rand() % 40; i > 0; i--) {
			uint64_t word = nasty_word(&process, bad.reg[7]);

			memcpy(bad.data + rand() % (good.bytes / 8) * 8, &word, 8);
		}
		step_unwind(symbols, &process, &bad, rand() % (good.bytes + 1), DEPTH_MAX, &stack);
		for (unsigned int i = 0; i < stack.count; i++)
			assert_int_equal(
				scope_symbols_lookup(symbols, process.pid, stack.ip[i], i > 0, &stack.function[i]), 0);
	}
	scope_symbols_destroy(symbols);
	process_stop(&process);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocked),	    cmocka_unit_test(test_without_registers),
		cmocka_unit_test(test_made_code),   cmocka_unit_test(test_stripped),
		cmocka_unit_test(test_interrupted), cmocka_unit_test(test_steps),
		cmocka_unit_test(test_cut),	    cmocka_unit_test(test_nonsense),
	};
	char path[128];
	int failed;

#ifndef __x86_64__
	puts("skip: reads the registers of x86-64");
	return 77;
#endif
	if (!tracing_permitted()) {
		puts("skip: ptrace is not permitted here");
		return 77;
	}
	if (!process_build("probe", "-O0", path, sizeof(path))) {
		puts("skip: cannot build the traced programs (run from the top folder; CC names the "
		     "compiler)");
		processes_remove();
		return 77;
	}
	unsetenv("DEBUGINFOD_URLS");
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	processes_remove();
	return failed;
}
