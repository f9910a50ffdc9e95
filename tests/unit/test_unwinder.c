// SPDX-License-Identifier: GPL-2.0-only
/* Sub-buffers leave the unwinder in order and with addresses, whatever happens to its child process. */
#include "trace_fixture.h"
#include "unwind_process.h"

#include <sys/prctl.h>

#include "capture/unwinder_internal.h"
#include "trace/decode.h"
#include "trace/format.h"
#include "trace/owner.h"
#include "../../kmod/unwind.h"

#define TID 100u /* of process.pid, in the records */

static struct process process;
static struct snapshot snapshot;

/* What came out. */
struct sink {
	struct scope_unwinder *unwinder;
	uint64_t number[64];
	unsigned int frames[64]; /* of its last stack; 0: none */
	uint8_t ended[64];
	size_t count;
	unsigned int asked; /* for maps */
	unsigned int names;
	bool maps_come;
	unsigned int tables; /* given so far */
	struct {
		void *data;
		struct scope_unwind_table view;
	} table[64];
	struct scope_unwind_maps *maps; /* of the process, as it was given last */
	int refuse;			/* of tables */
	int refuse_maps;
};

static int write_subbuf(void *context, const struct scope_subbuf *subbuf)
{
	struct sink *sink = context;
	struct scope_decoder decoder = { 0 };
	struct scope_event event;

	sink->number[sink->count] = subbuf->number;
	assert_int_equal(scope_trace_decoder_begin(&decoder, subbuf, subbuf->used_bytes), 0);
	while (scope_trace_decoder_peek(&decoder)) {
		assert_int_equal(scope_trace_decoder_take(&decoder, &event), 0);
		if (event.kind != SCOPE_EVENT_STACK)
			continue;
		assert_null(event.stack.reg);
		sink->frames[sink->count] = event.stack.ips;
		sink->ended[sink->count] = event.stack.ended;
	}
	sink->count++;
	return 0;
}

static int write_names(void *context, uint16_t type, const void *payload, size_t bytes)
{
	struct sink *sink = context;

	(void)payload;
	assert_true(type == SCOPE_FRAME_FILE || type == SCOPE_FRAME_PLACES || type == SCOPE_FRAME_META);
	assert_true(bytes > 0);
	sink->names += type == SCOPE_FRAME_PLACES;
	return 0;
}

static int ask_maps(void *context, const uint32_t *tgids, size_t count)
{
	struct sink *sink = context;

	assert_int_equal(count, 1);
	assert_int_equal(tgids[0], process.pid);
	sink->asked++;
	for (size_t i = 0; sink->maps_come && i < process.maps; i++)
		scope_capture_unwinder_map(sink->unwinder, &process.map[i]);
	return 0;
}

/* As the module does: copies and checks it. */
static int take_table(void *context, const void *table, uint32_t bytes)
{
	struct sink *sink = context;
	void *data = malloc(bytes);

	if (sink->refuse) {
		free(data);
		return sink->refuse;
	}
	memcpy(data, table, bytes);
	sink->table[sink->tables].data = data;
	assert_int_equal(scope_unwind_table_open(data, bytes, NULL, &sink->table[sink->tables].view), 0);
	return (int)++sink->tables;
}

static int take_process(void *context, uint32_t tgid, const struct scope_table_map *map, uint32_t count)
{
	struct sink *sink = context;

	assert_int_equal(tgid, process.pid);
	if (sink->refuse_maps)
		return sink->refuse_maps;
	free(sink->maps);
	sink->maps = calloc(1, sizeof(*sink->maps) + count * sizeof(struct scope_unwind_map));
	sink->maps->count = count;
	for (uint32_t i = 0; i < count; i++) {
		const bool known = map[i].table != SCOPE_MAP_NO_TABLE && map[i].table != SCOPE_MAP_FRAME_POINTERS;

		assert_true(map[i].start < map[i].end && (!i || map[i].start >= map[i - 1].end) && !map[i].zero);
		assert_true(!known || map[i].table <= sink->tables);
		sink->maps->map[i] = (struct scope_unwind_map){
			.start = map[i].start,
			.end = map[i].end,
			.link = map[i].link,
			.table = known ? &sink->table[map[i].table - 1].view : NULL,
			.frame_pointers = map[i].table == SCOPE_MAP_FRAME_POINTERS,
		};
	}
	return 0;
}

static void sink_begin(struct sink *sink)
{
	const struct scope_unwinder_host host = {
		.write = write_subbuf, .names = write_names, .maps = ask_maps, .context = sink
	};

	*sink = (struct sink){ .maps_come = true };
	assert_int_equal(scope_capture_unwinder_create(&host, (uint32_t)process.pid, 0, NULL, &sink->unwinder), 0);
}

static void settle(struct sink *sink)
{
	for (int i = 0; i < 1000 && !scope_capture_unwinder_idle(sink->unwinder); i++)
		assert_int_equal(scope_capture_unwinder_pump(sink->unwinder, 20), 0);
	assert_true(scope_capture_unwinder_idle(sink->unwinder));
}

/* Says whose thread it is, and has a stack perhaps. */
static struct scope_subbuf *make_of(uint64_t number, bool named, bool stack)
{
	static struct {
		struct filled filled;
		uint8_t more[SLICE_BYTES];
	} made;
	const struct scope_record_comm comm = {
		.word = scope_record_word(SCOPE_RECORD_COMM, 1),
		.tid = TID,
		.tgid = (uint32_t)process.pid,
	};
	const struct scope_record_stack record = {
		.word = scope_record_word(SCOPE_RECORD_STACK, 1),
		.reason = SCOPE_STACK_SAMPLE,
		.regs = SCOPE_REG_COUNT_X86_64,
		.bytes = 4096,
	};

	made.filled = filled_begin(0, number, 1000 * number, TID);
	if (named)
		filled_add(&made.filled, &comm, sizeof(comm));
	filled_syscall(&made.filled, 1, 17);
	if (stack) {
		filled_add(&made.filled, &record, sizeof(record));
		filled_add(&made.filled, snapshot.reg, sizeof(snapshot.reg));
		filled_add(&made.filled, snapshot.data, 4096);
	}
	return &made.filled.head;
}

static struct scope_subbuf *make(uint64_t number, bool stack)
{
	return make_of(number, true, stack);
}

static int take(struct scope_unwinder *unwinder, const struct scope_subbuf *subbuf)
{
	const void *record;
	uint32_t offset = 0;

	while ((record = scope_trace_walk_next(subbuf, SCOPE_OWNERS_TYPES, &offset)))
		scope_capture_unwinder_note(unwinder, record);
	return scope_capture_unwinder_take(unwinder, subbuf);
}

static void test_order(void **state)
{
	struct scope_unwinder_counts counts;
	struct sink sink;

	(void)state;
	sink_begin(&sink);
	for (size_t i = 0; i < process.maps; i++)
		scope_capture_unwinder_map(sink.unwinder, &process.map[i]);
	/* One without stacks is written at once, unless another waits. */
	assert_int_equal(take(sink.unwinder, make(0, false)), 0);
	assert_int_equal(sink.count, 1);
	for (uint64_t i = 1; i < 20; i++)
		assert_int_equal(take(sink.unwinder, make(i, i % 3)), 0);
	assert_int_equal(sink.count, 1);
	settle(&sink);
	assert_int_equal(sink.count, 20);
	for (uint64_t i = 0; i < 20; i++) {
		assert_int_equal(sink.number[i], i);
		assert_int_equal(sink.frames[i] > 3, i % 3 != 0);
		if (i % 3)
			assert_int_equal(sink.ended[i], SCOPE_FRAMES_COMPLETE);
	}
	assert_int_equal(sink.names, 0);
	scope_capture_unwinder_want_names(sink.unwinder, true);
	assert_false(scope_capture_unwinder_idle(sink.unwinder));
	settle(&sink);
	assert_true(sink.names >= 2); /* of the program and of libc */
	scope_capture_unwinder_count(sink.unwinder, &counts);
	assert_int_equal(counts.given_up, 0);
	assert_true(counts.cpu_ns > 0);
	assert_int_equal(sink.asked, 0);
	scope_capture_unwinder_destroy(sink.unwinder);
}

/* The process of places where tasks wait is in the record: they are named, though no other record names a thread of it. */
static void test_tasks(void **state)
{
	struct filled filled = filled_begin(SCOPE_FRAME_CPU_SNAPSHOTS, 0, 1000, (uint32_t)process.pid);
	const struct scope_record_frames tasks = {
		.word = scope_record_word(SCOPE_RECORD_FRAMES, 1),
		.reason = SCOPE_STACK_TASKS,
		.count = 2,
		.cost_ns = 1,
		.ended = SCOPE_FRAMES_COMPLETE,
	};
	const uint64_t ip[] = { snapshot.reg[16], 1 };
	struct sink sink;

	(void)state;
	filled_add(&filled, &tasks, sizeof(tasks));
	filled_add(&filled, ip, sizeof(ip));
	sink_begin(&sink);
	sink.maps_come = false;
	for (size_t i = 0; i < process.maps; i++)
		scope_capture_unwinder_map(sink.unwinder, &process.map[i]);
	assert_int_equal(take(sink.unwinder, &filled.head), 0);
	settle(&sink);
	assert_int_equal(sink.count, 1);
	/* The second address is no code: it may be memory of the program, or a mapping that is not known yet. */
	assert_int_equal(sink.frames[0], 1);
	assert_int_equal(sink.ended[0], SCOPE_FRAMES_BROKEN | SCOPE_FRAMES_GUESSED);
	assert_int_equal(sink.asked, 1);
	scope_capture_unwinder_want_names(sink.unwinder, false);
	settle(&sink);
	assert_int_equal(sink.names, 1);
	scope_capture_unwinder_destroy(sink.unwinder);
}

static bool read_word(u64 *to, u64 from)
{
	const u64 at = from - snapshot.reg[SCOPE_REG_SP_X86_64];

	if (at > snapshot.bytes || snapshot.bytes - at < sizeof(*to))
		return false;
	memcpy(to, snapshot.data + at, sizeof(*to));
	return true;
}

static u64 plain_address(u64 word)
{
	return word;
}

/* The stack that was copied, walked by what the capture was given: 0 and the number of frames, or why not. */
static int walk(const struct sink *sink, u32 *ret_count)
{
	const struct scope_unwind_machine machine = { read_word, plain_address, true };
	struct scope_unwind_frame frame = {
		.pc = snapshot.reg[16],
		.sp = snapshot.reg[SCOPE_REG_SP_X86_64],
		.fp = snapshot.reg[6],
		.exact = true,
		.has_fp = true,
	};
	u64 ip[64];
	u8 ended;

	return scope_unwind_walk(&machine, sink->maps, &frame, ip, 64, ret_count, &ended);
}

/* After the first copy the module has all that it needs to walk the same stack; a table that it refuses is left out. */
static void tables_for(int refuse)
{
	struct scope_unwinder_host host = { .write = write_subbuf,
					    .names = write_names,
					    .maps = ask_maps,
					    .table = take_table,
					    .process = take_process };
	struct scope_unwinder_counts counts;
	struct sink sink = { .maps_come = true, .refuse = refuse };
	u32 count = 0;
	int ret;

	host.context = &sink;
	assert_int_equal(scope_capture_unwinder_create(&host, (uint32_t)process.pid, 0, NULL, &sink.unwinder), 0);
	for (size_t i = 0; i < process.maps; i++)
		scope_capture_unwinder_map(sink.unwinder, &process.map[i]);
	for (uint64_t i = 1; i < 4; i++)
		assert_int_equal(take(sink.unwinder, make(i, true)), 0);
	settle(&sink);
	for (int i = 0; i < 100 && (sink.unwinder->tables || sink.unwinder->processes || sink.unwinder->busy); i++)
		assert_int_equal(scope_capture_unwinder_pump(sink.unwinder, 20), 0);
	scope_capture_unwinder_count(sink.unwinder, &counts);
	assert_int_equal(counts.given_up, 0);
	assert_int_equal(counts.tables, sink.tables);
	assert_int_equal(counts.copies[SCOPE_COPY_WANTED], 3);
	/* Mappings may come before the first table. */
	assert_non_null(sink.maps);
	ret = walk(&sink, &count);
	if (!refuse) {
		assert_int_equal(ret, 0);
		assert_int_equal(count, sink.frames[1]);
		assert_true(sink.tables >= 2); /* of the program and of libc */
	} else {
		assert_int_equal(ret, SCOPE_COPY_NO_TABLE);
		assert_int_equal(counts.tables_refused >= 2, refuse == -ENOSPC);
		assert_int_equal(!sink.unwinder->host.table, refuse == -EPROTO);
	}
	scope_capture_unwinder_destroy(sink.unwinder);
	for (unsigned int i = 0; i < sink.tables; i++)
		free(sink.table[i].data);
	free(sink.maps);
}

static void test_tables(void **state)
{
	(void)state;
	tables_for(0);
	tables_for(-ENOSPC);
	tables_for(-EPROTO);
}

/* A process with that many more mappings of code. Returns whether the module can walk its stack. */
static bool walks_with(uint32_t more, int refuse, uint32_t *ret_refused)
{
	struct scope_unwinder_host host = { .write = write_subbuf,
					    .names = write_names,
					    .maps = ask_maps,
					    .table = take_table,
					    .process = take_process };
	struct scope_unwinder_counts counts;
	struct sink sink = { .maps_come = true, .refuse_maps = refuse };
	u32 count = 0;
	bool walks;

	host.context = &sink;
	assert_int_equal(scope_capture_unwinder_create(&host, (uint32_t)process.pid, 0, NULL, &sink.unwinder), 0);
	for (uint64_t i = 0; i < more; i++)
		scope_capture_unwinder_map(sink.unwinder,
					   &(struct scope_trace_map){ (uint32_t)process.pid, 4096 + 8192 * i,
								      8192 + 8192 * i, 0, true, false, false, "", "" });
	for (size_t i = 0; i < process.maps; i++)
		scope_capture_unwinder_map(sink.unwinder, &process.map[i]);
	assert_int_equal(take(sink.unwinder, make(1, true)), 0);
	settle(&sink);
	for (int i = 0; i < 500 && !scope_capture_unwinder_settled(sink.unwinder); i++)
		assert_int_equal(scope_capture_unwinder_pump(sink.unwinder, 20), 0);
	assert_true(scope_capture_unwinder_settled(sink.unwinder));
	scope_capture_unwinder_count(sink.unwinder, &counts);
	assert_int_equal(counts.given_up, 0);
	assert_int_equal(sink.ended[0], SCOPE_FRAMES_COMPLETE);
	*ret_refused = counts.maps_refused;
	walks = sink.maps && sink.maps->count && !walk(&sink, &count);
	assert_true(!walks || count == sink.frames[0]);
	scope_capture_unwinder_destroy(sink.unwinder);
	for (unsigned int i = 0; i < sink.tables; i++)
		free(sink.table[i].data);
	free(sink.maps);
	return walks;
}

/* As many mappings as a process can have, more than the module takes, and a module without room: copies go on. */
static void test_many_maps(void **state)
{
	uint32_t refused;

	(void)state;
	assert_true(walks_with(60000, 0, &refused));
	assert_int_equal(refused, 0);
	assert_false(walks_with(SCOPE_TABLE_MAPS_MAX, 0, &refused));
	assert_true(refused > 0);
	assert_false(walks_with(10, -ENOSPC, &refused));
	assert_true(refused > 0);
	/* The session has ended, and so has the process: that is no lack of room. */
	assert_false(walks_with(10, -ESHUTDOWN, &refused));
	assert_int_equal(refused, 0);
	assert_false(walks_with(10, -ESRCH, &refused));
	assert_int_equal(refused, 0);
}

/* What is mapped while a capture runs: it is asked for once, and the stack is whole. */
static void test_maps_are_asked_for(void **state)
{
	struct sink sink;

	(void)state;
	sink_begin(&sink);
	assert_int_equal(take(sink.unwinder, make(0, true)), 0);
	assert_int_equal(take(sink.unwinder, make(1, true)), 0);
	settle(&sink);
	assert_int_equal(sink.asked, 1);
	assert_int_equal(sink.count, 2);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(sink.ended[i], SCOPE_FRAMES_COMPLETE);
	scope_capture_unwinder_destroy(sink.unwinder);
}

/* An address that stays without a mapping asks for maps a few times, not for each stack. */
static void test_maps_that_never_come(void **state)
{
	struct sink sink;

	(void)state;
	sink_begin(&sink);
	sink.maps_come = false;
	for (uint64_t i = 0; i < 40; i++)
		assert_int_equal(take(sink.unwinder, make(i, true)), 0);
	settle(&sink);
	assert_int_equal(sink.count, 40);
	assert_in_range(sink.asked, 1, 4);
	for (size_t i = 0; i < 40; i++)
		assert_int_equal(sink.ended[i] & SCOPE_FRAMES_BROKEN, SCOPE_FRAMES_BROKEN);
	scope_capture_unwinder_destroy(sink.unwinder);
}

/* Then the stack has one frame; it is named as soon as its mapping is known. */
static void test_maps_that_come_late(void **state)
{
	struct sink sink;

	(void)state;
	sink_begin(&sink);
	sink.maps_come = false;
	assert_int_equal(take(sink.unwinder, make(0, true)), 0);
	scope_capture_unwinder_want_names(sink.unwinder, false);
	settle(&sink);
	assert_int_equal(sink.frames[0], 1);
	assert_int_equal(sink.names, 0);
	for (size_t i = 0; i < process.maps; i++)
		scope_capture_unwinder_map(sink.unwinder, &process.map[i]);
	scope_capture_unwinder_want_names(sink.unwinder, false);
	settle(&sink);
	assert_int_equal(sink.names, 1);
	scope_capture_unwinder_want_names(sink.unwinder, false);
	settle(&sink);
	assert_int_equal(sink.names, 1);
	scope_capture_unwinder_destroy(sink.unwinder);
}

/* A thread that was made on another CPU, whose sub-buffer comes later: by then its process is known. */
static void test_thread_that_is_named_late(void **state)
{
	struct sink sink;

	(void)state;
	sink_begin(&sink);
	for (size_t i = 0; i < process.maps; i++)
		scope_capture_unwinder_map(sink.unwinder, &process.map[i]);
	assert_int_equal(take(sink.unwinder, make_of(0, false, true)), 0);
	assert_int_equal(take(sink.unwinder, make_of(1, true, false)), 0);
	settle(&sink);
	assert_int_equal(sink.count, 2);
	assert_true(sink.frames[0] > 3);
	assert_int_equal(sink.ended[0], SCOPE_FRAMES_COMPLETE);
	scope_capture_unwinder_destroy(sink.unwinder);
}

/* Of a process that was forked, and executes a program at once: its stack before that is by the mappings of its ancestor. */
static void test_stack_before_exec(void **state)
{
	const uint32_t child = TID + 1;
	const struct scope_record_fork fork = {
		.word = scope_record_word(SCOPE_RECORD_FORK, 1),
		.parent_tid = TID,
		.child_tid = child,
		.child_tgid = child,
	};
	const struct scope_record_thread thread = { scope_record_word(SCOPE_RECORD_THREAD, 0), child };
	const struct scope_record_stack stack = {
		.word = scope_record_word(SCOPE_RECORD_STACK, 1),
		.reason = SCOPE_STACK_SAMPLE,
		.regs = SCOPE_REG_COUNT_X86_64,
		.bytes = 2048,
	};
	const struct scope_record_exec exec = {
		.word = scope_record_word(SCOPE_RECORD_EXEC, 1),
		.tid = child,
		.old_tid = child,
		.tgid = child,
	};
	struct filled filled = filled_begin(0, 1, 2000, TID);
	struct sink sink;

	(void)state;
	filled_add(&filled, &fork, sizeof(fork));
	filled_add(&filled, &thread, sizeof(thread));
	filled_add(&filled, &stack, sizeof(stack));
	filled_add(&filled, snapshot.reg, sizeof(snapshot.reg));
	filled_add(&filled, snapshot.data, 2048);
	filled_add(&filled, &exec, sizeof(exec));
	sink_begin(&sink);
	for (size_t i = 0; i < process.maps; i++)
		scope_capture_unwinder_map(sink.unwinder, &process.map[i]);
	assert_int_equal(take(sink.unwinder, make(0, true)), 0);
	assert_int_equal(take(sink.unwinder, &filled.head), 0);
	settle(&sink);
	assert_true(sink.frames[1] > 3);
	assert_int_equal(scope_trace_owners_ancestor(sink.unwinder->owners, child), child);
	scope_capture_unwinder_destroy(sink.unwinder);
}

static void test_child_ends(void **state)
{
	struct scope_unwinder_counts counts;
	struct sink sink;

	(void)state;
	sink_begin(&sink);
	kill(sink.unwinder->child, SIGKILL);
	for (uint64_t i = 0; i < 5; i++)
		assert_int_equal(take(sink.unwinder, make(i, i != 2)), 0);
	settle(&sink);
	assert_int_equal(sink.count, 5);
	for (uint64_t i = 0; i < 5; i++) {
		assert_int_equal(sink.number[i], i);
		assert_int_equal(sink.frames[i], i != 2);
	}
	scope_capture_unwinder_count(sink.unwinder, &counts);
	assert_int_equal(counts.given_up, 4);
	scope_capture_unwinder_destroy(sink.unwinder);
}

/* More than the queue may hold: the rest keeps its program counters, and its place. */
static void test_queue_is_bounded(void **state)
{
	struct scope_unwinder_counts counts;
	struct sink sink;
	const size_t many = SCOPE_UNWINDER_QUEUE_BYTES / 4096;

	(void)state;
	sink_begin(&sink);
	kill(sink.unwinder->child, SIGSTOP);
	for (uint64_t i = 0; i < many + 8; i++) {
		assert_int_equal(take(sink.unwinder, make(i, true)), 0);
		assert_true(sink.unwinder->queue_bytes <= 2 * SCOPE_UNWINDER_QUEUE_BYTES);
	}
	scope_capture_unwinder_count(sink.unwinder, &counts);
	assert_true(counts.given_up > 0);
	assert_int_equal(sink.count, 0);
	assert_true(sink.unwinder->child);
	/* Without end: the child goes, and all that waited is written. */
	for (uint64_t i = 0; sink.unwinder->child && i < 64 * many; i++) {
		sink.count = 0;
		assert_int_equal(take(sink.unwinder, make(i, false)), 0);
	}
	assert_int_equal(sink.unwinder->child, 0);
	scope_capture_unwinder_destroy(sink.unwinder);
}

static int nothing(void *context)
{
	(void)context;
	return 0;
}

static void test_standing(void **state)
{
	const struct scope_trace_memory memory = {
		.tid = TID,
		.address = snapshot.reg[SCOPE_REG_SP_X86_64],
		.data = snapshot.data,
		.bytes = 4096,
	};
	struct scope_trace_stopped_stack stopped_stack;
	struct sink sink;

	(void)state;
	sink_begin(&sink);
	assert_int_equal(take(sink.unwinder, make(0, true)), 0);
	assert_int_equal(scope_capture_unwinder_stopped_stack(sink.unwinder, (uint32_t)process.pid, snapshot.reg,
							      SCOPE_REG_COUNT_X86_64, &memory, nothing, NULL,
							      &stopped_stack),
			 0);
	assert_int_equal(stopped_stack.tid, TID);
	assert_int_equal(stopped_stack.address, memory.address);
	assert_true(stopped_stack.count > 3);
	assert_int_equal(stopped_stack.ended, SCOPE_FRAMES_COMPLETE);
	kill(sink.unwinder->child, SIGKILL);
	assert_int_equal(scope_capture_unwinder_stopped_stack(sink.unwinder, (uint32_t)process.pid, snapshot.reg,
							      SCOPE_REG_COUNT_X86_64, &memory, nothing, NULL,
							      &stopped_stack),
			 0);
	assert_int_equal(stopped_stack.count, 1);
	assert_int_equal(stopped_stack.ended, SCOPE_FRAMES_BROKEN);
	scope_capture_unwinder_destroy(sink.unwinder);
}

static int begin(void **state)
{
	char path[128];

	(void)state;
	assert_true(process_build("plain", "-O2", path, sizeof(path)));
	assert_true(process_start(&process, path, "block", 5));
	assert_true(process_await_sleep(&process));
	assert_int_equal(ptrace(PTRACE_SEIZE, process.thread[1].tid, NULL, NULL), 0);
	assert_true(thread_halt(process.thread[1].tid));
	assert_true(thread_snapshot(process.thread[1].tid, 4096, &snapshot));
	return 0;
}

static int end(void **state)
{
	(void)state;
	process_stop(&process);
	processes_remove();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_tasks),
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_many_maps),
		cmocka_unit_test(test_maps_are_asked_for),
		cmocka_unit_test(test_maps_that_never_come),
		cmocka_unit_test(test_maps_that_come_late),
		cmocka_unit_test(test_thread_that_is_named_late),
		cmocka_unit_test(test_stack_before_exec),
		cmocka_unit_test(test_child_ends),
		cmocka_unit_test(test_queue_is_bounded),
		cmocka_unit_test(test_standing),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
