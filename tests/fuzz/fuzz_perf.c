// SPDX-License-Identifier: GPL-2.0-only
/*
 * Damaged perf rings and formats of tracepoints.
 *
 * One input is a format file up to the first zero byte, then the contents of a ring. In addition to the checks of the
 * sanitizers, the output must be an undamaged trace whose events are in order of time.
 */
#include <errno.h>
#include <inttypes.h>
#include <sys/syscall.h>

#include "../unit/perf_bytes.h"
#include "fuzz.h"
#include "capture/capture.h"
#include "perf/pack.h"
#include "perf/ring.h"

#define RING_BYTES 16384
#define STACK_BYTES 64

static int to_file(const struct scope_subbuf *subbuf, void *context)
{
	return scope_trace_writer_subbuf(context, subbuf);
}

/* The fields that the format names, at the places of those of sched_switch. */
static void use_format(const char *format, struct scope_perf_layout *layout)
{
	static const char *const names[] = { "prev_pid", "prev_state", "next_pid" };
	struct scope_perf_states states;

	for (int i = 0; i < 3; i++)
		scope_perf_field_find(format, names[i], &layout->field[SCOPE_PERF_SWITCH][i]);
	if (!scope_perf_states_find(format, &states))
		layout->states = states;
}

static void pack_ring(const struct scope_perf_layout *layout, struct scope_perf_ring *ring,
		      struct scope_perf_pack *pack)
{
	struct scope_perf_record record;
	const uint8_t *data;
	uint32_t cpu = 0;
	size_t bytes;
	int code;

	while ((code = scope_perf_ring_peek(ring, &data, &bytes))) {
		if (code < 0) {
			scope_perf_ring_skip(ring);
			break;
		}
		scope_perf_record_time(data, bytes);
		if (scope_perf_record_parse(layout, ids, SCOPE_PERF_KINDS, data, bytes, &record))
			code = scope_perf_pack_lost(pack, cpu, 0, 1);
		else
			code = scope_perf_pack_record(pack, cpu, &record);
		/* A time that no clock can have is refused. */
		if (code < 0 && code != -EINVAL)
			fuzz_die("a record cannot be packed");
		scope_perf_ring_step(ring, bytes);
		cpu = (uint32_t)(ring->tail / 512) % 3;
	}
	scope_perf_pack_flush(pack, 0);
}

static void check_trace(int fd)
{
	struct scope_trace *trace = fuzz_read(fd);

	if (!trace)
		fuzz_die("what was packed is no trace");
	if (*scope_trace_damage(trace))
		fuzz_die(scope_trace_damage(trace));
	scope_trace_close(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	const uint8_t *end = memchr(data, 0, bytes);
	const enum scope_stack_mode mode = bytes % 2 ? SCOPE_STACK_COPY : SCOPE_STACK_CHAIN;
	struct scope_perf_layout layout = layout_make(mode);
	struct perf_event_mmap_page page = { .data_tail = 0 };
	static _Alignas(8) uint8_t contents[RING_BYTES];
	struct scope_perf_ring ring = { .page = &page, .data = contents, .bytes = RING_BYTES };
	struct scope_capture_options options;
	struct scope_perf_tasks *tasks;
	struct scope_perf_pack *pack;
	struct scope_writer *writer;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (!end || fd < 0)
		return end ? -1 : (close(fd), 0);
	use_format((const char *)data, &layout);
	layout.kernel_ips = mode != SCOPE_STACK_NONE;
	bytes -= (size_t)(end + 1 - data);
	bytes = bytes < RING_BYTES ? bytes : RING_BYTES;
	/* So that records wrap around the end of the ring. */
	ring.tail = RING_BYTES - 512;
	page.data_head = ring.tail + bytes / 8 * 8;
	for (size_t i = 0; i < bytes; i++)
		contents[(ring.tail + i) % RING_BYTES] = end[1 + i];
	scope_capture_options_init(&options, 100);
	options.stack_mode = mode;
	options.stack_bytes = STACK_BYTES;
	options.subbuf_bytes = SCOPE_SUBBUF_BYTES_MIN;
	if (scope_trace_writer_create_fd(fd, "fuzz", NULL, &writer) || scope_perf_tasks_create(&tasks) ||
	    !scope_perf_tasks_add(tasks, 100, 100) || !scope_perf_tasks_add(tasks, 100, 101) ||
	    scope_perf_pack_create(&options, &layout, tasks, to_file, writer, &pack))
		fuzz_die("no memory");
	scope_perf_ring_look(&ring);
	pack_ring(&layout, &ring, pack);
	if (scope_trace_writer_finish(writer, NULL))
		fuzz_die("cannot finish");
	scope_trace_writer_destroy(writer);
	check_trace(fd);
	close(fd);
	scope_perf_pack_destroy(pack);
	scope_perf_tasks_destroy(tasks);
	scope_perf_ring_destroy(&ring);
	return 0;
}

static uint64_t random_state;

/* xorshift64*, Vigna 2016. */
static uint32_t draw(uint32_t below)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return (uint32_t)((random_state * 2685821657736338717ull >> 32) % below);
}

static void draw_record(struct perf_bytes *record, uint64_t time_ns)
{
	static const long numbers[] = { SYS_read, SYS_futex, SYS_getppid, SYS_execve, -1, 70000 };
	const uint32_t tid = 99 + draw(5), tgid = draw(4) ? 100 : 99 + draw(3);
	const long nr = numbers[draw(6)];
	const size_t registers = (size_t)__builtin_popcountll(scope_perf_register_mask());

	switch (draw(10)) {
	case 0:
		sample_switch(record, tgid, tid, 99 + draw(5), draw(0x200), time_ns);
		break;
	case 1:
		sample_waking(record, tgid, tid, 99 + draw(5), (uint8_t)draw(256), time_ns);
		break;
	case 2:
		sample_block(record, tgid, tid, time_ns, draw(2) ? registers : 0, STACK_BYTES, 8 * draw(9));
		break;
	case 3:
		sample_exec(record, tgid, tid, 99 + draw(5), time_ns);
		break;
	case 4:
		bytes_task(record, draw(2) ? PERF_RECORD_FORK : PERF_RECORD_EXIT, tgid, tid, 99 + draw(5), time_ns);
		break;
	case 5:
		bytes_comm(record, tgid, tid, "name\0\0\0", draw(2) ? PERF_RECORD_MISC_COMM_EXEC : 0, time_ns);
		break;
	case 6:
		bytes_lost(record, draw(1000), time_ns);
		break;
	case 7:
	case 8:
		sample_exit(record, tgid, tid, time_ns, nr, (int)draw(100) - 50);
		break;
	default:
		sample_enter(record, tgid, tid, time_ns, nr, draw(1000));
	}
}

/* Half of the inputs are valid except for their order; the other half is damaged. */
static size_t draw_input(uint8_t *data)
{
	size_t bytes = sizeof(format_switch), room = bytes + 200 + draw(RING_BYTES);
	uint64_t time_ns = 1000000;
	struct perf_bytes record;

	memcpy(data, format_switch, bytes);
	while (bytes < room) {
		time_ns += draw(2) ? draw(100000) : draw(2000000000);
		draw_record(&record, draw(20) ? time_ns : time_ns - draw(1000000));
		memcpy(data + bytes, record.data, record.bytes);
		bytes += record.bytes;
	}
	for (uint32_t count = draw(2) ? 0 : draw(8) + 1; count; count--) {
		const size_t at = draw((uint32_t)bytes);

		data[at] = draw(2) ? (uint8_t)(data[at] ^ 1u << draw(8)) : (uint8_t)draw(256);
	}
	return bytes;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t room, unsigned int seed)
{
	static uint8_t drawn[sizeof(format_switch) + 2 * RING_BYTES + sizeof(struct perf_bytes)];

	if (bytes && seed % 4 == 0)
		return LLVMFuzzerMutate(data, bytes, room);
	random_state = 2ull * seed + 1;
	bytes = draw_input(drawn);
	bytes = bytes < room ? bytes : room;
	memcpy(data, drawn, bytes);
	return bytes;
}
