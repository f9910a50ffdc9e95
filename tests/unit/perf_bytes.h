/* SPDX-License-Identifier: GPL-2.0-only */
/* Records of perf rings, built for tests: as perf_event_open(2) lays them out. */
#ifndef SCOPE_TESTS_PERF_BYTES_H
#define SCOPE_TESTS_PERF_BYTES_H

#include <linux/perf_event.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "perf/parse.h"

#define COMMON                                                                                                         \
	"name: x\nID: 1\nformat:\n"                                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                                         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                                         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"                                 \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

/* Of Linux 6.18. */
static const char format_switch[] = COMMON
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"prev_comm=%s\", REC->prev_comm, (REC->prev_state & ((((0x00000000 | 0x00000001 "
	"| 0x00000080) + 1) << 1) - 1)) ? __print_flags(REC->prev_state, \"|\", { 0x00000001, \"S\" "
	"}, { 0x00000002, \"D\" }, { 0x00000004, \"T\" }, { 0x00000008, \"t\" }, { 0x00000010, \"X\" "
	"}, { 0x00000020, \"Z\" }, { 0x00000040, \"P\" }, { 0x00000080, \"I\" }) : \"R\"\n";
static const char format_enter[] = COMMON "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
					  "\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n";
static const char format_exit[] = COMMON "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
					 "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n";
static const char format_waking[] = COMMON "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
					   "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
					   "\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"
					   "\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n";
static const char format_exec[] = COMMON "\tfield:__data_loc char[] filename;\toffset:8;\tsize:4;\tsigned:0;\n"
					 "\tfield:pid_t pid;\toffset:12;\tsize:4;\tsigned:1;\n"
					 "\tfield:pid_t old_pid;\toffset:16;\tsize:4;\tsigned:1;\n";
static const char format_peer[] = COMMON "\tfield:int newstate;\toffset:20;\tsize:4;\tsigned:1;\n"
					 "\tfield:__u16 dport;\toffset:26;\tsize:2;\tsigned:0;\n"
					 "\tfield:__u8 daddr[4];\toffset:36;\tsize:4;\tsigned:0;\n"
					 "\tfield:__u8 saddr_v6[16];\toffset:40;\tsize:16;\tsigned:0;\n"
					 "\tfield:__u8 daddr_v6[16];\toffset:56;\tsize:16;\tsigned:0;\n";

/* Identifiers: a kind's number and 10. */
static struct scope_perf_id ids[SCOPE_PERF_KINDS];

static inline struct scope_perf_layout layout_make(enum scope_stack_mode mode)
{
	static const struct {
		const char *format, *field[SCOPE_PERF_FIELDS_MAX];
	} rows[SCOPE_PERF_KINDS] = {
		[SCOPE_PERF_SWITCH] = { format_switch, { "prev_pid", "prev_state", "next_pid" } },
		[SCOPE_PERF_ENTER] = { format_enter, { "id", "args" } },
		[SCOPE_PERF_EXIT] = { format_exit, { "id", "ret" } },
		[SCOPE_PERF_WAKING] = { format_waking, { "pid", "common_flags" } },
		[SCOPE_PERF_EXEC] = { format_exec, { "pid", "old_pid" } },
		[SCOPE_PERF_PEER] = { format_peer, { "dport", "daddr_v6", "saddr_v6" } },
		[SCOPE_PERF_BLOCK] = { format_switch, { "prev_pid" } },
	};
	struct scope_perf_layout layout = { .stack[SCOPE_PERF_BLOCK] = mode, .stack[SCOPE_PERF_SAMPLE] = mode };

	for (int kind = 0; kind < SCOPE_PERF_KINDS; kind++) {
		ids[kind] = (struct scope_perf_id){ (uint64_t)kind + 10, kind };
		for (int i = 0; i < SCOPE_PERF_FIELDS_MAX && rows[kind].field[i]; i++)
			if (scope_perf_field_find(rows[kind].format, rows[kind].field[i], &layout.field[kind][i]))
				abort();
	}
	if (scope_perf_states_find(format_switch, &layout.states))
		abort();
	return layout;
}

/* One record that grows. */
struct perf_bytes {
	_Alignas(8) uint8_t data[40000];
	size_t bytes;
};

static inline void bytes_add(struct perf_bytes *record, const void *data, size_t bytes)
{
	memcpy(record->data + record->bytes, data, bytes);
	record->bytes += bytes;
}

static inline void bytes_u32(struct perf_bytes *record, uint32_t value)
{
	bytes_add(record, &value, sizeof(value));
}

static inline void bytes_u64(struct perf_bytes *record, uint64_t value)
{
	bytes_add(record, &value, sizeof(value));
}

static inline void bytes_begin(struct perf_bytes *record, uint32_t type, uint16_t misc)
{
	struct perf_event_header header = { .type = type, .misc = misc };

	memset(record, 0, sizeof(*record));
	bytes_add(record, &header, sizeof(header));
}

static inline void bytes_end(struct perf_bytes *record)
{
	((struct perf_event_header *)record->data)->size = (uint16_t)record->bytes;
}

static inline void sample_begin(struct perf_bytes *record, enum scope_perf_kind kind, uint32_t tgid, uint32_t tid,
				uint64_t time_ns)
{
	bytes_begin(record, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	bytes_u64(record, (uint64_t)kind + 10);
	bytes_u32(record, tgid);
	bytes_u32(record, tid);
	bytes_u64(record, time_ns);
}

/* The size and the data together are a multiple of 8 bytes. */
static inline void sample_raw(struct perf_bytes *record, const void *raw, size_t bytes)
{
	const size_t padded = (bytes + 4 + 7) / 8 * 8 - 4;

	bytes_u32(record, (uint32_t)padded);
	memcpy(record->data + record->bytes, raw, bytes);
	record->bytes += padded;
}

static inline void sample_enter(struct perf_bytes *record, uint32_t tgid, uint32_t tid, uint64_t time_ns, long nr,
				uint64_t arg)
{
	uint64_t raw[8] = { 0, (uint64_t)nr, arg };

	sample_begin(record, SCOPE_PERF_ENTER, tgid, tid, time_ns);
	sample_raw(record, raw, sizeof(raw));
	bytes_end(record);
}

static inline void sample_exit(struct perf_bytes *record, uint32_t tgid, uint32_t tid, uint64_t time_ns, long nr,
			       long ret)
{
	uint64_t raw[3] = { 0, (uint64_t)nr, (uint64_t)ret };

	sample_begin(record, SCOPE_PERF_EXIT, tgid, tid, time_ns);
	sample_raw(record, raw, sizeof(raw));
	bytes_end(record);
}

/* From 10.0.0.1 to 10.0.0.LAST. */
static inline void sample_peer(struct perf_bytes *record, uint32_t tgid, uint32_t tid, uint64_t time_ns, uint8_t last,
			       uint16_t port)
{
	uint8_t raw[72] = {
		[50] = 0xff, [51] = 0xff, [52] = 10, [55] = 1, [66] = 0xff, [67] = 0xff, [68] = 10, [71] = last
	};

	memcpy(raw + 26, &port, sizeof(port));
	sample_begin(record, SCOPE_PERF_PEER, tgid, tid, time_ns);
	sample_raw(record, raw, sizeof(raw));
	bytes_end(record);
}

static inline void sample_switch(struct perf_bytes *record, uint32_t tgid, uint32_t prev, uint32_t next, int64_t state,
				 uint64_t time_ns)
{
	uint8_t raw[64] = { 0 };

	memcpy(raw + 24, &prev, 4);
	memcpy(raw + 32, &state, 8);
	memcpy(raw + 56, &next, 4);
	sample_begin(record, SCOPE_PERF_SWITCH, tgid, prev, time_ns);
	sample_raw(record, raw, sizeof(raw));
	bytes_end(record);
}

static inline void sample_waking(struct perf_bytes *record, uint32_t tgid, uint32_t waker, uint32_t woken,
				 uint8_t flags, uint64_t time_ns)
{
	uint8_t raw[36] = { 0 };

	raw[2] = flags;
	memcpy(raw + 24, &woken, 4);
	sample_begin(record, SCOPE_PERF_WAKING, tgid, waker, time_ns);
	sample_raw(record, raw, sizeof(raw));
	bytes_end(record);
}

static inline void sample_stack(struct perf_bytes *record, size_t registers, size_t bytes, size_t there)
{
	bytes_u64(record, registers ? PERF_SAMPLE_REGS_ABI_64 : 0);
	for (size_t i = 0; i < registers; i++)
		bytes_u64(record, 100 + i);
	bytes_u64(record, bytes);
	if (!bytes)
		return;
	memset(record->data + record->bytes, 0xab, bytes);
	record->bytes += bytes;
	bytes_u64(record, there);
}

static inline void sample_block(struct perf_bytes *record, uint32_t tgid, uint32_t tid, uint64_t time_ns,
				size_t registers, size_t bytes, size_t there)
{
	uint8_t raw[64] = { 0 };

	memcpy(raw + 24, &tid, 4);
	sample_begin(record, SCOPE_PERF_BLOCK, tgid, tid, time_ns);
	sample_raw(record, raw, sizeof(raw));
	sample_stack(record, registers, bytes, there);
	bytes_end(record);
}

/* A sample whose stack is a chain of one address. */
static inline void sample_running(struct perf_bytes *record, uint32_t tgid, uint32_t tid, uint64_t time_ns,
				  uint64_t address)
{
	sample_begin(record, SCOPE_PERF_SAMPLE, tgid, tid, time_ns);
	bytes_u64(record, 2);
	bytes_u64(record, PERF_CONTEXT_USER);
	bytes_u64(record, address);
	bytes_end(record);
}

static inline void sample_exec(struct perf_bytes *record, uint32_t tgid, uint32_t tid, uint32_t old_tid,
			       uint64_t time_ns)
{
	uint32_t raw[5] = { 0, 0, 0, tid, old_tid };

	sample_begin(record, SCOPE_PERF_EXEC, tgid, tid, time_ns);
	sample_raw(record, raw, sizeof(raw));
	bytes_end(record);
}

/* Follows the fields of a record that is no sample. */
static inline void bytes_trailer(struct perf_bytes *record, uint64_t time_ns)
{
	bytes_u64(record, 0);
	bytes_u64(record, time_ns);
	bytes_u64(record, 99);
	bytes_end(record);
}

/* type: PERF_RECORD_FORK or PERF_RECORD_EXIT. */
static inline void bytes_task(struct perf_bytes *record, uint32_t type, uint32_t tgid, uint32_t tid,
			      uint32_t parent_tid, uint64_t time_ns)
{
	bytes_begin(record, type, 0);
	bytes_u32(record, tgid);
	bytes_u32(record, parent_tid);
	bytes_u32(record, tid);
	bytes_u32(record, parent_tid);
	bytes_u64(record, time_ns);
	bytes_trailer(record, time_ns);
}

static inline void bytes_comm(struct perf_bytes *record, uint32_t tgid, uint32_t tid, const char comm[8], uint16_t misc,
			      uint64_t time_ns)
{
	bytes_begin(record, PERF_RECORD_COMM, misc);
	bytes_u32(record, tgid);
	bytes_u32(record, tid);
	bytes_add(record, comm, 8);
	bytes_trailer(record, time_ns);
}

static inline void bytes_lost(struct perf_bytes *record, uint64_t count, uint64_t time_ns)
{
	bytes_begin(record, PERF_RECORD_LOST, 0);
	bytes_u64(record, 99);
	bytes_u64(record, count);
	bytes_trailer(record, time_ns);
}

#endif
