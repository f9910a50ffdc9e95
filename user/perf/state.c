// SPDX-License-Identifier: GPL-2.0-only
/* Reads the state of threads from /proc. */
#include "perf/state.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/machine.h"
#include "base/now.h"
#include "perf/tracepoint.h"
#include "proc/file.h"
#include "proc/task.h"
#include "proc/reader.h"

#define CPUS_MAX 65536

#if defined(__x86_64__)
static const uint8_t arg_register[SCOPE_ARG_MAX] = { 5, 4, 1, 10, 8, 9 }; /* in DWARF order */
#else
static const uint8_t arg_register[SCOPE_ARG_MAX] = { 0, 1, 2, 3, 4, 5 };
#endif

/* Reads "se.exec_start : 12894531.487836": when the thread was last on its CPU, in ms of the run queue's clock. */
static uint64_t parse_exec_start(const char *text)
{
	const char *at = strstr(text, "se.exec_start");
	unsigned long long ms, fraction;

	at = at ? strchr(at, ':') : NULL;
	if (!at || sscanf(at + 1, " %llu.%6llu", &ms, &fraction) != 2)
		return 0;
	return ms * 1000000ull + fraction;
}

/* 0 if the kernel does not say. */
static uint64_t read_exec_start(const char *path)
{
	uint64_t start = 0;
	char *text;

	if (!scope_proc_file_read(&text, "%s", path)) {
		start = parse_exec_start(text);
		free(text);
	}
	return start;
}

int scope_perf_clock_read(const uint32_t *cpus, size_t count, struct scope_perf_clock *ret_clock)
{
	const size_t bytes = CPU_ALLOC_SIZE(CPUS_MAX);
	cpu_set_t *before = CPU_ALLOC(CPUS_MAX), *one = CPU_ALLOC(CPUS_MAX);
	struct scope_perf_clock clock = { .row = calloc(count + 1, sizeof(*clock.row)) };
	uint64_t start, now;
	size_t i;

	if (!before || !one || !clock.row || sched_getaffinity(0, bytes, before)) {
		CPU_FREE(before);
		CPU_FREE(one);
		free(clock.row);
		return -ENOMEM;
	}
	for (i = 0; i < count; i++) {
		CPU_ZERO_S(bytes, one);
		CPU_SET_S(cpus[i], bytes, one);
		if (sched_setaffinity(0, bytes, one))
			continue;
		sched_yield(); /* makes the kernel update exec_start of this thread */
		now = scope_now_ns();
		start = read_exec_start("/proc/thread-self/sched");
		if (start)
			clock.row[clock.count++] = (struct scope_perf_clock_row){
				cpus[i],
				(int64_t)(now - start),
			};
	}
	sched_setaffinity(0, bytes, before);
	CPU_FREE(before);
	CPU_FREE(one);
	*ret_clock = clock;
	return 0;
}

void scope_perf_clock_destroy(struct scope_perf_clock *clock)
{
	free(clock->row);
	*clock = (struct scope_perf_clock){ .count = 0 };
}

static uint64_t since_of(const struct scope_perf_clock *clock, uint32_t cpu, uint64_t exec_start)
{
	size_t i;

	if (!exec_start || !clock->count)
		return 0;
	for (i = 0; i < clock->count - 1; i++)
		if (clock->row[i].cpu == cpu)
			break;
	return exec_start + (uint64_t)clock->row[i].ahead_ns;
}

/* "tid (comm) S ...": the last bracket ends the name. Field 39 is the CPU. */
static int parse_stat(const char *text, struct scope_record_state *state, uint32_t *ret_cpu)
{
	const char *open = strchr(text, '('), *end = strrchr(text, ')');
	size_t length, field;

	if (!open || !end || end < open || end[1] != ' ' || !end[2])
		return -EBADMSG;
	length = (size_t)(end - open - 1);
	if (length > SCOPE_COMM_BYTES - 1)
		length = SCOPE_COMM_BYTES - 1;
	memcpy(state->comm, open + 1, length);
	state->state = scope_perf_state_of_letter(end[2]);
	*ret_cpu = 0;
	for (field = 3, end += 2; field < 39 && end; field++)
		end = strchr(end + 1, ' ');
	if (end)
		*ret_cpu = (uint32_t)strtoul(end, NULL, 10);
	return 0;
}

/* "202 0x7f.. 0x80 .. (six arguments) sp pc"; "-1 sp pc" outside a call; "running". */
static void parse_syscall(const char *text, struct scope_record_state *state, uint64_t *reg)
{
	uint64_t value[SCOPE_ARG_MAX + 2] = { 0 };
	size_t count, i;
	char *at;
	long nr;

	nr = strtol(text, &at, 10);
	if (at == text)
		return;
	for (count = 0; count < SCOPE_ARG_MAX + 2 && *at == ' '; count++)
		value[count] = strtoull(at + 1, &at, 16);
	if (count != SCOPE_ARG_MAX + 2 && count != 2)
		return;
	memset(reg, 0, SCOPE_MACHINE_REG_COUNT * sizeof(*reg));
	reg[SCOPE_MACHINE_REG_SP] = value[count - 2];
	reg[SCOPE_MACHINE_REG_COUNT - 1] = value[count - 1];
	state->regs = SCOPE_MACHINE_REG_COUNT;
	if (nr < 0 || nr >= SCOPE_NR_NONE || count == 2)
		return;
	state->nr = (uint16_t)nr;
	for (i = 0; i < SCOPE_ARG_MAX; i++) {
		state->arg[i] = value[i];
		reg[arg_register[i]] = value[i];
	}
}

bool scope_perf_state_lives(uint32_t tgid, uint32_t tid)
{
	struct scope_record_state state;
	uint32_t cpu;
	char *text;
	bool lives;

	if (scope_proc_file_read(&text, "/proc/%u/task/%u/stat", tgid, tid))
		return false;
	lives = !parse_stat(text, &state, &cpu) && state.state != SCOPE_STATE_DEAD;
	free(text);
	return lives;
}

int scope_perf_state_read(struct scope_proc_reader *reader, const struct scope_perf_clock *clock, uint32_t tgid,
			  uint32_t tid, struct scope_record_state *ret_state, uint64_t reg[SCOPE_REG_MAX])
{
	struct scope_record_state state = { .tid = tid, .tgid = tgid, .nr = SCOPE_NR_NONE };
	char path[64], *text;
	uint64_t run_ns = 0;
	uint32_t cpu;
	size_t bytes;
	int err;

	err = scope_proc_file_read(&text, "/proc/%u/task/%u/stat", tgid, tid);
	if (err)
		return err;
	err = parse_stat(text, &state, &cpu);
	free(text);
	if (err || state.state == SCOPE_STATE_DEAD)
		return err ? err : -ESRCH;
	scope_proc_task_run_ns(tgid, tid, &run_ns);
	state.run_ns = run_ns;
	if (state.state != SCOPE_STATE_RUNNABLE) {
		if (!scope_proc_reader_text(reader, SCOPE_PROC_SYSCALL, tgid, tid, &text, &bytes)) {
			parse_syscall(text, &state, reg);
			free(text);
		}
		snprintf(path, sizeof(path), "/proc/%u/task/%u/sched", tgid, tid);
		state.since_ns = since_of(clock, cpu, read_exec_start(path));
	}
	*ret_state = state;
	return 0;
}

uint8_t scope_perf_program_abi(struct scope_proc_reader *reader, uint32_t tgid)
{
	struct scope_proc_look look;

	if (!scope_proc_reader_look_program(reader, tgid, &look) && !memcmp(look.ident, ELFMAG, SELFMAG) &&
	    look.ident[EI_CLASS] == ELFCLASS32)
		return SCOPE_ABI_32;
	return SCOPE_ABI_NATIVE;
}
