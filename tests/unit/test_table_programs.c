// SPDX-License-Identifier: GPL-2.0-only
/* Walks by tables give the same frames as the copying unwinder, for programs of many kinds and at any instruction. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "table_walk.h"
#include "walk_program.h"

#define FRAMES 128
#define EQUAL_PER_MILLE 995

/* What became of a stack. */
enum outcome { EQUAL, COPIED, LONGER, FLAGS, FRAMES_DIFFER, OUTCOMES };

static const char *const outcome_names[OUTCOMES] = {
	[EQUAL] = "equal",
	[COPIED] = "copied",
	[LONGER] = "whole by tables alone",
	[FLAGS] = "same frames, said to end differently",
	[FRAMES_DIFFER] = "other frames",
};

struct tally {
	unsigned int stacks, outcome[OUTCOMES], copies[SCOPE_COPY_REASONS];
};

static const struct walk_program programs[] = {
	{ "-O2", NULL, "-O2 -fomit-frame-pointer", "run", 25, 200, 10, NULL },
	{ "-O3, .cold parts", NULL, "-O3 -fomit-frame-pointer", "partly", 25, 200, 10, NULL },
	{ "PLT, lazy", NULL, "-O2 -fomit-frame-pointer -fplt -Wl,-z,lazy", "run", 25, 200, 10, NULL },
	{ "no PLT", NULL, "-O2 -fomit-frame-pointer -fno-plt", "run", 15, 200, 10, NULL },
	{ "signal handlers", NULL, "-O2 -fomit-frame-pointer", "signals", 25, 200, 10, NULL },
	{ "vdso", NULL, "-O2 -fomit-frame-pointer", "clocks", 25, 200, 10, NULL },
	{ "static", NULL, "-O2 -fomit-frame-pointer -static", "run", 25, 200, 10, NULL },
	{ "static-pie, signal handlers", NULL, "-O2 -fomit-frame-pointer -static-pie", "signals", 25, 200, 10, NULL },
	{ "musl", "musl-gcc", "-O2 -fomit-frame-pointer", "run", 15, 200, 100, NULL },
	{ "musl, static", "musl-gcc", "-O2 -fomit-frame-pointer -static", "run", 15, 200, 100, NULL },
	{ "clang -O2", "clang", "-O2 -fomit-frame-pointer", "run", 15, 200, 10, NULL },
	{ "realigned stacks", NULL, "-O2 -fomit-frame-pointer -mstackrealign", "run", 15, 200, 10, NULL },
	{ "frame pointers", NULL, "-O2 -fno-omit-frame-pointer", "signals", 15, 200, 10, NULL },
};

#define GO                                                                                                             \
	"package main\nimport (\"fmt\"; \"sort\")\n"                                                                   \
	"func tree(n int) int {\n\tif n < 2 { return len(fmt.Sprint(n)) }\n"                                           \
	"\tx := []int{n, 3, 1}; sort.Slice(x, func(i, j int) bool { return x[i] < x[j] })\n"                           \
	"\treturn tree(n-1) + tree(n-2) }\nfunc main() { for { tree(15) } }\n"
#define JAVA                                                                                                               \
	"public class Walked { static int f(int n) { return n < 2 ? String.valueOf(n).length() : f(n - 1) + f(n - 2); }\n" \
	"public static void main(String[] a) { for (;;) f(20); } }\n"

/* Servers and runtimes, where they are installed. */
static const struct walk_program installed[] = {
	{ "Node", NULL, NULL,
	  "node -e \"function f(n){return n<2?JSON.stringify({n}).length:f(n-1)+f(n-2)} for(;;)f(20)\"", 250, 1, 100,
	  NULL },
	{ "Go", NULL, NULL, "\"$WALK_DIRECTORY\"/walked-go", 250, 1, 100,
	  "cd \"$WALK_DIRECTORY\" && echo '" GO "' >walked.go && go build -o walked-go walked.go 2>/dev/null" },
	{ "JVM with frame pointers", NULL, NULL, "java -XX:+PreserveFramePointer \"$WALK_DIRECTORY\"/Walked.java", 250,
	  1, 100, "cd \"$WALK_DIRECTORY\" && echo '" JAVA "' >Walked.java && java -version 2>/dev/null" },
	{ "Python", NULL, NULL,
	  "/usr/bin/python3 -c \"import re\nwhile 1: [re.sub('a+', str, 'baab') for x in range(99)]\"", 250, 1, 1,
	  NULL },
	{ "Perl", NULL, NULL, "perl -e 'while(1){ my %h = map { $_ => 1 } 1..99; join(\",\", sort keys %h) =~ /9,1/ }'",
	  250, 1, 1, NULL },
	{ "SQLite", NULL, NULL,
	  "sqlite3 :memory: \"with recursive c(x) as (values(1) union all select x+1 from c) "
	  "select count(distinct printf('%d', x % 999)) from c\"",
	  250, 1, 1, NULL },
	{ "bash", NULL, NULL, "bash -c 'while :; do x=${x/a/b}$RANDOM; x=${x:0:20}; done'", 250, 1, 1, NULL },
};

static enum outcome compare(struct scope_symbols *symbols, const struct walk_space *space, const struct walk_run *run,
			    const struct snapshot *snapshot, struct tally *tally)
{
	uint64_t ip[FRAMES], by_copy[FRAMES];
	unsigned int count = 0, copied, flags;
	uint8_t ended = 0;
	const int reason = walk_stack(space, snapshot, ip, 64, &count, &ended);
	enum outcome outcome;

	assert_int_equal(scope_symbols_unwind(symbols, (uint32_t)run->process.map[0].tgid, snapshot->reg,
					      SCOPE_REG_COUNT_X86_64, snapshot->data, snapshot->bytes, by_copy, FRAMES,
					      &copied, &flags),
			 0);
	tally->stacks++;
	if (reason) {
		tally->copies[reason]++;
		return COPIED;
	}
	if (count == copied && !memcmp(ip, by_copy, count * sizeof(*ip)))
		return ended == flags ? EQUAL : FLAGS;
	outcome = copied < count && !(flags & SCOPE_UNWIND_COMPLETE) && !memcmp(ip, by_copy, copied * sizeof(*ip))
			  ? LONGER
			  : FRAMES_DIFFER;
	if (outcome == FRAMES_DIFFER && tally->outcome[FRAMES_DIFFER] < 2)
		for (unsigned int i = 0; i < count || i < copied; i++)
			print_message("  %2u %lx %lx\n", i, i < count ? ip[i] : 0, i < copied ? by_copy[i] : 0);
	return outcome;
}

static void look(struct scope_symbols **symbols, struct walk_space *space, struct walk_run *run, bool system,
		 struct tally *tally)
{
	struct snapshot snapshot;

	if (system && walk_maps_changed(run)) {
		scope_symbols_destroy(*symbols);
		process_maps(&run->process);
		walk_space_map(space, &run->process);
		assert_int_equal(scope_symbols_create(run->process.map, run->process.maps, NULL, 0, NULL, symbols), 0);
	}
	assert_true(thread_snapshot(run->process.pid, SLICE_BYTES, &snapshot));
	tally->outcome[compare(*symbols, space, run, &snapshot, tally)]++;
}

static void report(const struct walk_program *program, const struct tally *tally)
{
	static const char *const reasons[SCOPE_COPY_REASONS] = { "",	       "no-maps", "unmapped", "no-table",
								 "other-rule", "memory",  "deep",     "broken" };

	print_message("%s: %u stacks", program->name, tally->stacks);
	for (unsigned int i = 0; i < OUTCOMES; i++)
		if (tally->outcome[i])
			print_message(", %u %s", tally->outcome[i], outcome_names[i]);
	for (unsigned int i = 1; i < SCOPE_COPY_REASONS; i++)
		if (tally->copies[i])
			print_message(" (%s %u)", reasons[i], tally->copies[i]);
	print_message("\n");
}

/* What is copied is the copying unwinder's, so it is equal. */
static void walk_program(const struct walk_program *program, struct tally *sum)
{
	static struct walk_run run;
	struct scope_symbols *symbols;
	struct tally tally = { 0 };
	struct walk_space space;

	if (!walk_start(program, &run)) {
		assert_true(program->compiler || !program->flags);
		print_message("not here, left out: %s\n", program->name);
		return;
	}
	assert_int_equal(scope_symbols_create(run.process.map, run.process.maps, NULL, 0, NULL, &symbols), 0);
	walk_space_open(&space, &run.process);
	for (unsigned int burst = 0; burst < program->bursts; burst++) {
		assert_true(walk_on(&run, program->flags ? 300 : 3000));
		for (unsigned int step = 0; step < program->steps; step++) {
			look(&symbols, &space, &run, !program->flags, &tally);
			assert_true(walk_step(&run));
		}
	}
	report(program, &tally);
	assert_true(tally.outcome[COPIED] * 100 <= program->copied * tally.stacks);
	assert_true((tally.outcome[EQUAL] + tally.outcome[COPIED]) * 1000 >= EQUAL_PER_MILLE * tally.stacks);
	sum->stacks += tally.stacks;
	for (unsigned int i = 0; i < OUTCOMES; i++)
		sum->outcome[i] += tally.outcome[i];
	for (unsigned int i = 0; i < SCOPE_COPY_REASONS; i++)
		sum->copies[i] += tally.copies[i];
	walk_space_close(&space);
	scope_symbols_destroy(symbols);
	walk_stop(&run);
}

static void test_built(void **state)
{
	const struct walk_program all = { .name = "all that were built" };
	struct tally sum = { 0 };

	(void)state;
	srand(1);
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		walk_program(&programs[i], &sum);
	report(&all, &sum);
}

static void test_installed(void **state)
{
	const struct walk_program all = { .name = "all that are installed" };
	struct tally sum = { 0 };

	(void)state;
	srand(1);
	assert_true(process_directory());
	setenv("WALK_DIRECTORY", directory, 1);
	for (size_t i = 0; i < sizeof(installed) / sizeof(*installed); i++)
		walk_program(&installed[i], &sum);
	report(&all, &sum);
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
		cmocka_unit_test(test_built),
		cmocka_unit_test(test_installed),
	};

	if (!tracing_permitted()) {
		printf("processes may not be traced here\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, remove_programs);
}
