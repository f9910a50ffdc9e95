// SPDX-License-Identifier: GPL-2.0-only
/* A trace with memory of its target loses this memory, and keeps the frames to which its stacks unwind. */
#include "trace_fixture.h"
#include "unwind_process.h"

#include "interpreter/interpreter.h"
#include "symbol/scrub_trace.h"
#include "symbol/stacks.h"
#include "trace/lock_word.h"

#define CANARY 0x5945524e41434321ull /* text, as a password is */
#define TID 100u		     /* of process.pid, in the trace */

static struct process process;
static struct snapshot snapshot;

static int begin(void **state)
{
	char path[128];

	(void)state;
	assert_true(process_build("plain", "-O2 -g", path, sizeof(path)));
	assert_true(process_start(&process, path, "block", 5));
	assert_true(process_await_sleep(&process));
	assert_int_equal(ptrace(PTRACE_SEIZE, process.thread[1].tid, NULL, NULL), 0);
	assert_true(thread_halt(process.thread[1].tid));
	assert_true(thread_snapshot(process.thread[1].tid, 4096, &snapshot));
	/* Below the return addresses nothing of the program reads these; a register that is not kept is free. */
	snapshot.reg[0] = CANARY;
	memcpy(snapshot.data + snapshot.bytes - 64, (uint64_t[]){ CANARY, CANARY }, 16);
	return 0;
}

static int end(void **state)
{
	(void)state;
	process_stop(&process);
	processes_remove();
	return 0;
}

static struct scope_record_state state_of(uint16_t nr)
{
	return (struct scope_record_state){
		.word = scope_record_word(SCOPE_RECORD_STATE, 0),
		.tid = TID,
		.tgid = (uint32_t)process.pid,
		.nr = nr,
		.state = SCOPE_STATE_SLEEPING,
		.arg = { 7, CANARY, CANARY, CANARY, CANARY, CANARY },
		.comm = "work",
		.regs = SCOPE_REG_COUNT_X86_64,
	};
}

static void add_stack(struct scope_packer *packer, uint64_t time_ns, uint8_t flags, uint32_t bytes)
{
	const struct scope_event event = {
		.kind = SCOPE_EVENT_STACK, .time_ns = time_ns, .tid = TID, .flags = flags,
		.stack = {
			.reason = SCOPE_STACK_SAMPLE, .regs = SCOPE_REG_COUNT_X86_64, .bytes = bytes,
			.cost_ns = 77, .kernel_ip = 0xffffffff81000010, .reg = snapshot.reg,
			.data = snapshot.data,
		},
	};

	assert_int_equal(scope_trace_packer_event(packer, &event, NULL), 0);
}

/* A whole slice, one that is cut, one without bytes, and one that hit the kernel. */
static struct scope_trace *raw_trace(void)
{
	struct fixture fixture = fixture_begin();
	const struct scope_record_state record = state_of(0 /* read */);
	const struct scope_event state = {
		.kind = SCOPE_EVENT_STATE,
		.time_ns = 1000,
		.tid = TID,
		.state = { &record, snapshot.reg },
	};
	const struct scope_trace_memory stack = {
		TID,
		snapshot.reg[SCOPE_REG_SP_X86_64],
		snapshot.data,
		(uint32_t)snapshot.bytes,
	};
	const struct scope_trace_memory lock = {
		TID,
		0x5000,
		(const uint8_t *)(uint32_t[]){ 2, 1, TID, 0x4321 },
		SCOPE_FUTEX_MEMORY_BYTES,
	};
	const struct scope_trace_memory other = {
		TID,
		0x6000,
		(const uint8_t *)(uint64_t[]){ CANARY, CANARY },
		SCOPE_FUTEX_MEMORY_BYTES,
	};
	struct scope_packer *packer;

	for (size_t i = 0; i < process.maps; i++)
		assert_int_equal(scope_trace_writer_map(fixture.writer, &process.map[i]), 0);
	assert_int_equal(scope_trace_writer_memory(fixture.writer, &stack), 0);
	assert_int_equal(scope_trace_writer_memory(fixture.writer, &lock), 0);
	assert_int_equal(scope_trace_writer_memory(fixture.writer, &other), 0);
	assert_int_equal(scope_trace_packer_create(fixture.writer, 0, &packer), 0);
	assert_int_equal(scope_trace_packer_event(packer, &state, NULL), 0);
	add_stack(packer, 2000, 0, (uint32_t)snapshot.bytes);
	add_stack(packer, 3000, SCOPE_STACK_CUT, 64);
	add_stack(packer, 4000, 0, 0);
	add_stack(packer, 900000000, SCOPE_STACK_IN_KERNEL | SCOPE_STACK_KERNEL_IP, (uint32_t)(snapshot.bytes & ~7ul));
	assert_int_equal(scope_trace_packer_flush(packer, NULL), 0);
	scope_trace_packer_destroy(packer);
	return fixture_open(&fixture);
}

/* With recorded: of the files that the trace says were mapped. */
static struct scope_symbols *symbols_of(const struct scope_trace *trace, bool recorded)
{
	struct scope_symbols *symbols;
	size_t count;
	const struct scope_trace_map *maps = scope_trace_maps(trace, &count);

	assert_int_equal(scope_symbols_create(maps, count, NULL, 0, NULL, &symbols), 0);
	if (recorded)
		assert_int_equal(scope_symbols_add_recorded(symbols, trace), 0);
	return symbols;
}

static struct fixture scrubbed(struct scope_trace *trace, struct scope_scrub_counts *ret_counts)
{
	struct fixture fixture = fixture_begin();
	struct scope_symbols *symbols = symbols_of(trace, true);

	/* As they are, for what is looked for. */
	scope_trace_writer_set_level(fixture.writer, 0);
	assert_int_equal(scope_symbol_scrub(trace, symbols, fixture.writer, ret_counts), 0);
	scope_symbols_destroy(symbols);
	return fixture;
}

static void expect_frames(const struct scope_event *event, struct scope_symbols *symbols, uint32_t bytes)
{
	uint64_t ip[SCOPE_FRAMES_MAX];
	unsigned int count, flags;

	assert_int_equal(event->kind, SCOPE_EVENT_STACK);
	assert_int_equal(event->tid, TID);
	assert_null(event->stack.reg);
	assert_int_equal(event->stack.cost_ns, 77);
	assert_int_equal(scope_symbols_unwind(symbols, (uint32_t)process.pid, snapshot.reg, SCOPE_REG_COUNT_X86_64,
					      snapshot.data, bytes, ip, SCOPE_FRAMES_MAX, &count, &flags),
			 0);
	assert_int_equal(event->stack.ips, count);
	assert_memory_equal(event->stack.ip, ip, count * sizeof(*ip));
	assert_int_equal(event->stack.ended, flags & ~SCOPE_UNWIND_UNMAPPED);
}

static void test_same_frames(void **state)
{
	struct scope_trace *raw = raw_trace(), *trace;
	struct scope_scrub_counts counts;
	struct fixture fixture = scrubbed(raw, &counts);
	const struct scope_trace_stopped_stack *stopped_stack;
	const struct scope_trace_lock *lock;
	struct scope_symbols *symbols;
	struct scope_event event;
	size_t rows;

	(void)state;
	assert_int_equal(counts.stacks, 4);
	trace = fixture_open(&fixture);
	symbols = symbols_of(trace, false);
	event = next_event(trace);
	assert_int_equal(event.kind, SCOPE_EVENT_STATE);
	assert_int_equal(event.state.record->regs, SCOPE_REG_COUNT_X86_64);
	assert_int_equal(event.state.record->arg[0], 7);
	for (unsigned int i = 1; i < SCOPE_ARG_MAX; i++)
		assert_int_equal(event.state.record->arg[i], 0);
	for (unsigned int i = 0; i < SCOPE_REG_COUNT_X86_64; i++)
		assert_int_equal(event.state.reg[i], i == SCOPE_REG_SP_X86_64 || i == 16 ? snapshot.reg[i] : 0);
	event = next_event(trace);
	expect_frames(&event, symbols, (uint32_t)snapshot.bytes);
	assert_true(event.stack.ips > 3);
	assert_int_equal(event.stack.ended, SCOPE_FRAMES_COMPLETE);
	event = next_event(trace);
	expect_frames(&event, symbols, 64);
	assert_int_equal(event.flags, SCOPE_STACK_CUT);
	assert_int_equal(event.stack.ended & SCOPE_FRAMES_CUT, SCOPE_FRAMES_CUT);
	event = next_event(trace);
	expect_frames(&event, symbols, 0);
	event = next_event(trace);
	expect_frames(&event, symbols, (uint32_t)(snapshot.bytes & ~7ul));
	assert_int_equal(event.time_ns, 900000000);
	assert_int_equal(event.stack.kernel_ip, 0xffffffff81000010);
	no_more_events(trace);
	stopped_stack = scope_trace_stopped_stacks(trace, &rows);
	assert_int_equal(rows, 1);
	assert_int_equal(stopped_stack->tid, TID);
	assert_int_equal(stopped_stack->address, snapshot.reg[SCOPE_REG_SP_X86_64]);
	assert_true(stopped_stack->count > 3);
	lock = scope_trace_locks(trace, &rows);
	assert_int_equal(rows, 2);
	assert_int_equal(lock[0].owner, TID);
	assert_int_equal(lock[1].owner, 0);
	scope_trace_memories(trace, &rows);
	assert_int_equal(rows, 0);
	scope_symbols_destroy(symbols);
	scope_trace_close(trace);
	scope_trace_close(raw);
}

/* Where no file of it is: a host that has none of these programs. */
static struct scope_symbols *symbols_elsewhere(const struct scope_trace *trace)
{
	const struct scope_symbol_options options = { .root = "/nowhere" };
	struct scope_symbols *symbols;
	size_t count;
	const struct scope_trace_map *maps = scope_trace_maps(trace, &count);

	assert_int_equal(scope_symbols_create(maps, count, NULL, 0, &options, &symbols), 0);
	assert_int_equal(scope_symbols_add_recorded(symbols, trace), 0);
	return symbols;
}

static void same_function(struct scope_symbols *here, struct scope_symbols *there, uint64_t ip, bool first)
{
	const struct scope_function *a, *b;
	struct scope_source_line line[2][4];
	unsigned int lines[2];

	assert_int_equal(scope_symbols_lookup(here, (uint32_t)process.pid, ip, !first, &a), 0);
	assert_int_equal(scope_symbols_lookup(there, (uint32_t)process.pid, ip, !first, &b), 0);
	assert_string_equal(a->name, b->name);
	assert_string_equal(a->symbol, b->symbol);
	assert_string_equal(a->module, b->module);
	assert_string_equal(a->path, b->path);
	assert_int_equal(a->start, b->start);
	assert_int_equal(a->size, b->size);
	assert_int_equal(a->library, b->library);
	assert_int_equal(a->known, b->known);
	assert_int_equal(scope_symbols_lines(here, (uint32_t)process.pid, ip - !first, line[0], 4, &lines[0]), 0);
	assert_int_equal(scope_symbols_lines(there, (uint32_t)process.pid, ip - !first, line[1], 4, &lines[1]), 0);
	if (a->library)
		return;
	assert_int_equal(lines[0], lines[1]);
	assert_true(lines[0] > 0);
	for (unsigned int i = 0; i < lines[0]; i++) {
		assert_string_equal(line[0][i].function, line[1][i].function);
		assert_string_equal(line[0][i].file, line[1][i].file);
		assert_int_equal(line[0][i].line, line[1][i].line);
	}
}

static void test_names_without_files(void **state)
{
	struct scope_trace *raw = raw_trace(), *trace;
	struct scope_symbols *here, *there;
	struct scope_scrub_counts counts;
	struct fixture fixture = scrubbed(raw, &counts);
	struct scope_event event;
	size_t problems, files;

	(void)state;
	trace = fixture_open(&fixture);
	here = symbols_of(trace, false);
	there = symbols_elsewhere(trace);
	while (scope_trace_next(trace, &event) == 1)
		for (unsigned int i = 0; event.kind == SCOPE_EVENT_STACK && i < event.stack.ips; i++)
			same_function(here, there, event.stack.ip[i], !i);
	assert_true(scope_symbols_functions(there) > 3);
	assert_int_equal(scope_symbols_program_functions(here, 0), scope_symbols_program_functions(there, 0));
	assert_true(scope_symbols_program_functions(there, 0) > 0);
	scope_symbols_problems(there, &problems);
	assert_int_equal(problems, 0);
	scope_symbols_destroy(here);
	scope_symbols_destroy(there);
	/* Once more: nothing is added to what is complete. */
	fixture = scrubbed(trace, &counts);
	scope_trace_files(trace, &files);
	scope_trace_close(trace);
	trace = fixture_open(&fixture);
	scope_trace_files(trace, &problems);
	assert_int_equal(files, problems);
	scope_trace_close(trace);
	scope_trace_close(raw);
}

static size_t canaries(const uint8_t *data, size_t bytes)
{
	const uint64_t canary = CANARY;
	size_t count = 0;

	for (size_t i = 0; i + sizeof(canary) <= bytes; i++)
		count += !memcmp(data + i, &canary, sizeof(canary));
	return count;
}

static void test_no_memory(void **state)
{
	struct scope_trace *raw = raw_trace();
	struct scope_scrub_counts counts;
	struct fixture fixture = scrubbed(raw, &counts);
	size_t bytes;
	uint8_t *data = fixture_bytes(&fixture, &bytes);

	(void)state;
	assert_int_equal(canaries(data, bytes), 0);
	/* The search itself: what went in has them. */
	assert_int_equal(canaries(snapshot.data, snapshot.bytes), 2);
	free(data);
	scope_trace_close(raw);
}

/* The addresses are those of the stack's first two frames, then what a frame pointer of other use led to. */
static void add_chain(struct scope_packer *packer, uint64_t time_ns, const uint64_t *ip, uint16_t ips, uint8_t flags)
{
	const struct scope_event event = {
		.kind = SCOPE_EVENT_STACK,
		.time_ns = time_ns,
		.tid = TID,
		.flags = flags,
		.stack = { .reason = SCOPE_STACK_SAMPLE, .ips = ips, .cost_ns = 77, .kernel_ip = 0x10, .ip = ip },
	};

	assert_int_equal(scope_trace_packer_event(packer, &event, NULL), 0);
}

static const uint64_t interpreted[] = { SCOPE_INTERPRETED_BASE + 16, SCOPE_INTERPRETED_BASE + 49 };

/* Where 5 tasks wait, the first of them for 7 s. */
static void add_tasks(struct scope_packer *packer, uint64_t time_ns, const uint64_t *ip, uint16_t ips)
{
	const struct scope_event event = {
		.kind = SCOPE_EVENT_STACK,
		.time_ns = time_ns,
		.tid = TID,
		.stack = { .reason = SCOPE_STACK_TASKS,
			   .ended = SCOPE_FRAMES_COMPLETE,
			   .ips = ips,
			   .tasks = 5,
			   .waited_s = 7,
			   .since_ns = 300000,
			   .ip = ip },
	};

	assert_int_equal(scope_trace_packer_event(packer, &event, NULL), 0);
}

static void add_futex(struct scope_packer *packer, uint64_t time_ns, uint32_t word, uint32_t owner, uint32_t beside)
{
	const uint32_t memory[] = { word, beside, owner, 1 };
	struct scope_event event = { .kind = SCOPE_EVENT_FUTEX, .time_ns = time_ns, .tid = TID };

	event.futex.bytes = sizeof(memory);
	memcpy(event.futex.memory, memory, sizeof(memory));
	assert_int_equal(scope_trace_packer_event(packer, &event, NULL), 0);
}

static struct scope_trace *chained_trace(const uint64_t *ip)
{
	struct fixture fixture = fixture_begin();
	const struct scope_record_state record = state_of(0 /* read */);
	const struct scope_event state = { .kind = SCOPE_EVENT_STATE, .tid = TID, .state = { &record, snapshot.reg } };
	struct scope_packer *packer;

	for (size_t i = 0; i < process.maps; i++)
		assert_int_equal(scope_trace_writer_map(fixture.writer, &process.map[i]), 0);
	assert_int_equal(scope_trace_packer_create(fixture.writer, 0, &packer), 0);
	assert_int_equal(scope_trace_packer_event(packer, &state, NULL), 0);
	add_chain(packer, 1000, ip, 2, 0);
	add_chain(packer, 2000, ip, 4, SCOPE_STACK_CUT);
	add_chain(packer, 3000, ip, 3, SCOPE_STACK_IN_KERNEL | SCOPE_STACK_KERNEL_IP);
	add_futex(packer, 4000, 2, TID, (uint32_t)CANARY);
	add_futex(packer, 5000, (uint32_t)CANARY, (uint32_t)(CANARY >> 32), (uint32_t)CANARY);
	add_futex(packer, 6000, 0x80000000 | TID, TID, (uint32_t)CANARY);
	add_futex(packer, 7000, 0x80000000 | (uint32_t)CANARY, 0, 0);
	add_futex(packer, 8000, 2, TID + 1, 0);
	add_tasks(packer, 9000, ip, 2);
	add_tasks(packer, 10000, ip, 4);
	add_tasks(packer, 11000, interpreted, 2);
	assert_int_equal(scope_trace_packer_flush(packer, NULL), 0);
	scope_trace_packer_destroy(packer);
	return fixture_open(&fixture);
}

static void expect_chain(struct scope_trace *trace, uint16_t ips, uint8_t ended, const uint64_t *ip)
{
	const struct scope_event event = next_event(trace);

	assert_int_equal(event.kind, SCOPE_EVENT_STACK);
	assert_int_equal(event.stack.ended, ended);
	assert_int_equal(event.stack.ips, ips);
	assert_memory_equal(event.stack.ip, ip, ips * sizeof(*ip));
	assert_int_equal(event.stack.cost_ns, 77);
	assert_int_equal(event.flags & SCOPE_STACK_CUT, 0);
	if (event.flags & SCOPE_STACK_KERNEL_IP)
		assert_int_equal(event.stack.kernel_ip, 0x10);
}

static void expect_tasks(struct scope_trace *trace, uint16_t ips, uint8_t ended, const uint64_t *ip)
{
	const struct scope_event event = next_event(trace);

	assert_int_equal(event.kind, SCOPE_EVENT_STACK);
	assert_int_equal(event.stack.reason, SCOPE_STACK_TASKS);
	assert_int_equal(event.stack.ended, ended);
	assert_int_equal(event.stack.ips, ips);
	assert_memory_equal(event.stack.ip, ip, ips * sizeof(*ip));
	assert_int_equal(event.stack.tasks, 5);
	assert_int_equal(event.stack.waited_s, 7);
	assert_int_equal(event.stack.since_ns, 300000);
}

static void expect_owner(struct scope_trace *trace, uint32_t owner)
{
	const struct scope_event event = next_event(trace);

	assert_int_equal(event.kind, SCOPE_EVENT_FUTEX);
	assert_int_equal(scope_trace_lock_owner(event.futex.memory), owner);
	for (size_t i = 0; i < SCOPE_FUTEX_BYTES / 4; i++)
		assert_true(!event.futex.memory[i] || (event.futex.memory[i] & 0x3fffffff) == owner);
}

static void test_chains_tasks_and_futexes(void **state)
{
	const uint8_t broken = SCOPE_FRAMES_BROKEN | SCOPE_FRAMES_GUESSED;
	struct scope_scrub_counts counts;
	struct scope_trace *raw, *trace;
	struct fixture fixture;
	uint64_t ip[SCOPE_FRAMES_MAX];
	unsigned int count, flags;
	struct scope_symbols *symbols;

	(void)state;
	raw = raw_trace();
	symbols = symbols_of(raw, false);
	assert_int_equal(scope_symbols_unwind(symbols, (uint32_t)process.pid, snapshot.reg, SCOPE_REG_COUNT_X86_64,
					      snapshot.data, snapshot.bytes, ip, SCOPE_FRAMES_MAX, &count, &flags),
			 0);
	scope_symbols_destroy(symbols);
	scope_trace_close(raw);
	assert_true(count > 2);
	ip[2] = CANARY;
	ip[3] = ip[1];
	raw = chained_trace(ip);
	fixture = scrubbed(raw, &counts);
	trace = fixture_open(&fixture);
	assert_int_equal(next_event(trace).kind, SCOPE_EVENT_STATE);
	expect_chain(trace, 2, 0, ip);
	expect_chain(trace, 2, broken, ip);
	expect_chain(trace, 2, broken, ip);
	expect_owner(trace, TID);
	expect_owner(trace, 0);
	expect_owner(trace, TID);
	expect_owner(trace, 0);
	expect_owner(trace, 0);
	expect_tasks(trace, 2, SCOPE_FRAMES_COMPLETE, ip);
	expect_tasks(trace, 2, broken, ip);
	expect_tasks(trace, 2, SCOPE_FRAMES_COMPLETE, interpreted);
	no_more_events(trace);
	scope_trace_close(trace);
	scope_trace_close(raw);
}

static uint32_t nobody(void *context, const struct scope_event *event)
{
	(void)context;
	(void)event;
	return 0;
}

/* With nothing to unwind by, the program counter is all that stays. */
static void test_given_up(void **state)
{
	struct filled filled = filled_begin(0, 0, 100, TID), out = { 0 };
	const struct scope_stacks stacks = { NULL, nobody, NULL };
	const struct scope_record_stack stack = {
		.word = scope_record_word(SCOPE_RECORD_STACK, 5),
		.regs = SCOPE_REG_COUNT_X86_64,
		.bytes = 16,
	};
	const struct scope_record_frames *frames = (const void *)out.word;
	struct scope_stacks_found found;

	(void)state;
	filled_add(&filled, &stack, sizeof(stack));
	filled_add(&filled, snapshot.reg, sizeof(snapshot.reg));
	filled_add(&filled, snapshot.data, 16);
	filled_syscall(&filled, 1, 17);
	assert_int_equal(scope_symbol_stacks_replace(&stacks, &filled.head, &out.head, &found), 0);
	assert_int_equal(found.stacks, 1);
	assert_int_equal(out.head.used_bytes,
			 sizeof(out.head) + sizeof(*frames) + 8 + sizeof(struct scope_record_syscall));
	assert_int_equal(frames->word, scope_record_word(SCOPE_RECORD_FRAMES, 5));
	assert_int_equal(frames->count, 1);
	assert_int_equal(frames->ended, SCOPE_FRAMES_BROKEN);
	assert_int_equal(*(const uint64_t *)(frames + 1), snapshot.reg[16]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_frames), cmocka_unit_test(test_names_without_files),
		cmocka_unit_test(test_no_memory),   cmocka_unit_test(test_chains_tasks_and_futexes),
		cmocka_unit_test(test_given_up),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
