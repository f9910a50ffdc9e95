// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stacks and names of one program, built in all the ways in which servers are built. Some are also compared with gdb.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unwind_process.h"

#define DEPTH_MAX 64

/* Symbols in a file of their own, or in a packed section. */
#define SPLIT                                                                                                          \
	"objcopy --only-keep-debug $1 $1.debug && strip $1 && "                                                        \
	"objcopy --add-gnu-debuglink=$1.debug $1"
#define MINI                                                                                                           \
	"objcopy --strip-debug $1 $1.mini && strip $1 && xz $1.mini && "                                               \
	"objcopy --add-section .gnu_debugdata=$1.mini.xz $1"

/* 32-bit, with the headers that Debian has for one machine only. */
#define SMALL "-m32 -I/usr/include/x86_64-linux-gnu "

static const struct build {
	const char *name;
	const char *compiler; /* NULL: the system's */
	const char *flags;
	const char *behind;  /* a command for the built program $1, or NULL */
	bool partly;	     /* the start of the thread is not come to: no tables there */
	bool gdb;	     /* shall say the same */
	const char *threads; /* of which stacks can be had; NULL: all */
} builds[] = {
	{ "o0", .flags = "-O0" },
	{ "o1", .flags = "-O1", .gdb = true },
	{ "o3", .flags = "-O3", .gdb = true },
	{ "prelinked", .flags = "-O2 -Wl,-Ttext-segment=0x3d00000000", .gdb = true },
	{ "os-frames", .flags = "-Os -fno-omit-frame-pointer" },
	{ "lto", .flags = "-O2 -flto", .gdb = true },
	{ "sections", .flags = "-O2 -ffunction-sections -Wl,--gc-sections" },
	{ "protected", .flags = "-O2 -fcf-protection=full -fstack-protector-strong" },
	{ "clash", .flags = "-O2 -fstack-clash-protection -D_FORTIFY_SOURCE=2" },
	{ "split", .flags = "-O2 -g", .behind = SPLIT, .gdb = true },
	{ "compressed", .flags = "-O2 -g -gz", .behind = SPLIT },
	{ "mini", .flags = "-O2", .behind = MINI },
	{ "clang", .compiler = "clang", .flags = "-O2" },
	{ "clang-lld", .compiler = "clang", .flags = "-O3 -fuse-ld=lld" },
	{ "musl", .compiler = "musl-gcc", .flags = "-O2", .partly = true },
	{ "musl-static", .compiler = "musl-gcc", .flags = "-O2 -static", .partly = true },
	{ "small-o0", .compiler = "cc", .flags = SMALL "-O0" },
	{ "small", .compiler = "cc", .flags = SMALL "-O2", .gdb = true },
	{ "small-static", .compiler = "cc", .flags = SMALL "-O2 -static" },
	{ "small-frames", .compiler = "cc", .flags = SMALL "-O2 -fno-omit-frame-pointer -no-pie" },
	/* Its locks use the frame pointer for something else, and the program's frames hang on it. */
	{ "musl-frames", .compiler = "musl-gcc", .flags = "-O2 -static -fno-omit-frame-pointer", .partly = true,
	  .threads = "sleep receive" },
};

struct stack {
	uint64_t ip[DEPTH_MAX];
	unsigned int count, flags;
	const struct scope_function *function[DEPTH_MAX];
};

static void stack_take(struct scope_symbols *symbols, const struct process *process, pid_t tid, struct stack *stack)
{
	struct snapshot snapshot;

	assert_int_equal(ptrace(PTRACE_SEIZE, tid, NULL, NULL), 0);
	assert_true(thread_halt(tid));
	assert_true(thread_snapshot(tid, 8192, &snapshot));
	assert_int_equal(ptrace(PTRACE_DETACH, tid, NULL, NULL), 0);
	assert_int_equal(scope_symbols_unwind(symbols, process->pid, snapshot.reg, SCOPE_REG_COUNT_X86_64,
					      snapshot.data, snapshot.bytes, stack->ip, DEPTH_MAX, &stack->count,
					      &stack->flags),
			 0);
	for (unsigned int i = 0; i < stack->count; i++)
		assert_int_equal(scope_symbols_lookup(symbols, process->pid, stack->ip[i], i > 0, &stack->function[i]),
				 0);
}

/* The program's own functions of a stack, innermost first, blanks between them. */
static void calls_of(const struct process *process, const struct stack *stack, char *text)
{
	size_t at = 0;

	text[0] = '\0';
	for (unsigned int i = 0; i < stack->count; i++) {
		const struct scope_function *function = stack->function[i];

		if (!strcmp(function->path, process->map[0].path) &&
		    (strstr(function->name, "_inner") || strstr(function->name, "_outer") ||
		     strstr(function->name, "_thread")) &&
		    !strstr(function->name, "pthread") && strcmp(function->name, "start_thread"))
			at += snprintf(text + at, 512 - at, "%s ", function->name);
	}
}

static void check_threads(const struct build *build, const struct process *process, struct scope_symbols *symbols)
{
	for (unsigned int i = 0; i < process->threads; i++) {
		const char *name = process->thread[i].name;
		char want[128], calls[512];
		struct stack stack;

		if (!strcmp(name, "main") || (build->threads && !strstr(build->threads, name)))
			continue;
		stack_take(symbols, process, process->thread[i].tid, &stack);
		snprintf(want, sizeof(want), "%s_inner %s_outer %s_thread ", name, name, name);
		calls_of(process, &stack, calls);
		if (strcmp(calls, want)) {
			for (unsigned int k = 0; k < stack.count; k++)
				print_message("  %lx %s\n", stack.ip[k], stack.function[k]->name);
			fail_msg("%s: the calls are %s, not %s (flags %x)", build->name, calls, want, stack.flags);
		}
		if (!build->partly)
			assert_int_equal(stack.flags, SCOPE_UNWIND_COMPLETE);
	}
}

/* "#2  0x0000555555555190 in sleep_outer (arg=0) at ..." or without an address: the name. */
static bool frame_name(const char *line, char name[128])
{
	const char *in = strstr(line, " in ");

	return line[0] == '#' && (sscanf(in ? in + 4 : line, in ? "%127[^ (]" : "#%*u %127[^ (]", name) == 1);
}

struct backtrace {
	char name[DEPTH_MAX][128];
	unsigned int count;
};

/* What gdb says of the threads, in the order of process->thread; how many it saw. */
static unsigned int gdb_ask(const struct process *process, struct backtrace *ret)
{
	struct backtrace other, *now = &other;
	unsigned int threads = 0;
	char command[256], line[4096];
	FILE *pipe;

	snprintf(command, sizeof(command),
		 "DEBUGINFOD_URLS= gdb -q -nx -batch -p %d "
		 "-ex 'thread apply all backtrace' 2>/dev/null",
		 process->pid);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	while (fgets(line, sizeof(line), pipe)) {
		const char *lwp = strstr(line, "(LWP ");

		if (!strncmp(line, "Thread ", 7) && lwp) {
			now = &other;
			for (unsigned int i = 0; i < process->threads; i++)
				if (process->thread[i].tid == atoi(lwp + 5))
					now = &ret[i];
			threads += now != &other;
			now->count = 0;
		} else if (now->count < DEPTH_MAX && frame_name(line, now->name[now->count])) {
			now->count++;
		}
	}
	pclose(pipe);
	return threads;
}

/* Of several names for one place either may be taken. */
static bool same_name(const char *a, const char *b)
{
	a += strspn(a, "_");
	b += strspn(b, "_");
	a += strncmp(a, "GI_", 3) ? 0 : 3 + strspn(a + 3, "_");
	return !strcmp(a, b) || strstr(a, b) || strstr(b, a);
}

/* All our frames are gdb's, in their order; gdb has those of inlined functions between. */
static void check_gdb(const struct build *build, const struct process *process, struct scope_symbols *symbols)
{
	static struct backtrace gdb[THREADS_MAX];
	unsigned int threads = gdb_ask(process, gdb);

	if (!threads) {
		print_message("left out: gdb does not look into processes here\n");
		return;
	}
	assert_int_equal(threads, process->threads);
	for (unsigned int i = 0; i < threads; i++) {
		struct stack stack;
		unsigned int at = 0, named = 0;

		if (!strcmp(process->thread[i].name, "main"))
			continue;
		stack_take(symbols, process, process->thread[i].tid, &stack);
		for (unsigned int k = 0; k < stack.count; k++) {
			const char *name = stack.function[k]->name;

			if (!stack.function[k]->known)
				continue;
			while (at < gdb[i].count && !same_name(gdb[i].name[at], name))
				at++;
			if (at++ == gdb[i].count)
				fail_msg("%s: frame %u of %s is %s, and not gdb's", build->name, k,
					 process->thread[i].name, name);
			named++;
		}
		if (named < 4) /* a library function, two of the program, the start of the thread */
			fail_msg("%s: %u frames of %s are named", build->name, named, process->thread[i].name);
	}
}

/* false if the build is not possible here. */
static bool build_make(const struct build *build, char *path, size_t bytes)
{
	char command[1024];

	setenv("CC", build->compiler ? build->compiler : "cc", 1);
	if (!process_build(build->name, build->flags, path, bytes))
		return false;
	if (!build->behind)
		return true;
	snprintf(command, sizeof(command), "cd %s && set -e -- %s && %s", directory, build->name, build->behind);
	return !system(command);
}

static void test_builds(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(builds) / sizeof(*builds); i++) {
		struct scope_symbols *symbols;
		struct process process;
		char path[128];

		if (!build_make(&builds[i], path, sizeof(path))) {
			if (!builds[i].compiler)
				fail_msg("%s does not build", builds[i].name);
			print_message("left out, not built here: %s\n", builds[i].name);
			continue;
		}
		assert_true(process_start(&process, path, "block", 5));
		assert_true(process_await_sleep(&process));
		assert_int_equal(scope_symbols_create(process.map, process.maps, NULL, 0, NULL, &symbols), 0);
		check_threads(&builds[i], &process, symbols);
		if (builds[i].gdb)
			check_gdb(&builds[i], &process, symbols);
		scope_symbols_destroy(symbols);
		process_stop(&process);
	}
	unsetenv("CC");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_builds),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	processes_remove();
	return failed;
}
