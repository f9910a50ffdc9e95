// SPDX-License-Identifier: GPL-2.0-only
/* The metadata keys of a capture (trace/trace.h), as text. */
#include "capture/meta.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <scope/table.h>

#include "capture/probing.h"
#include "capture/request_text.h"
#include "control/probe.h"
#include "proc/reader.h"
#include "proc/task.h"
#include "source/source.h"
#include "trace/writer.h"

#define COMMAND_LINE_BYTES 4096

__attribute__((format(printf, 3, 4))) static int put(struct scope_writer *writer, const char *key, const char *format,
						     ...)
{
	char value[256];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(value, sizeof(value), format, arguments);
	va_end(arguments);
	return scope_trace_writer_meta(writer, key, value);
}

static const char *stack_mode_name(enum scope_stack_mode mode)
{
	switch ((int)mode) {
	case SCOPE_STACK_COPY:
	case SCOPE_STACK_TABLES: /* or it was walked, with the same result */
		return "copy";
	case SCOPE_STACK_CHAIN:
		return "chain";
	default:
		return "none";
	}
}

static int put_clock(struct scope_writer *writer, uint64_t begin_ns)
{
	struct timespec wall, here;
	int err;

	clock_gettime(CLOCK_REALTIME, &wall);
	clock_gettime(CLOCK_MONOTONIC, &here);
	err = put(writer, SCOPE_META_CLOCK, "monotonic");
	return err ? err
		   : put(writer, SCOPE_META_WALL_CLOCK, "%llu",
			 wall.tv_sec * 1000000000ull + wall.tv_nsec -
				 (here.tv_sec * 1000000000ull + here.tv_nsec - begin_ns));
}

/* The kernel ends each word with a zero byte. Writes nothing if the process has no command line, or has ended. */
static int put_command_line(struct scope_writer *writer, struct scope_proc_reader *reader, uint32_t tgid)
{
	char *line;
	size_t bytes;
	int err = 0;

	if (scope_proc_reader_text(reader, SCOPE_PROC_CMDLINE, tgid, tgid, &line, &bytes))
		return 0;
	if (bytes > COMMAND_LINE_BYTES - 1)
		bytes = COMMAND_LINE_BYTES - 1;
	while (bytes && !line[bytes - 1])
		bytes--;
	line[bytes] = '\0';
	for (size_t i = 0; i < bytes; i++)
		if (!line[i])
			line[i] = ' ';
	if (bytes)
		err = scope_trace_writer_meta(writer, SCOPE_META_COMMAND_LINE, line);
	free(line);
	return err;
}

/* Writes nothing if the process is in the top group, or has ended. */
static int put_group(struct scope_writer *writer, uint32_t tgid)
{
	struct scope_proc_task task;

	if (scope_proc_task_read(tgid, &task) || !task.group[0])
		return 0;
	return scope_trace_writer_meta(writer, SCOPE_META_GROUP, task.group);
}

/* Writes probes in the form of --probe, with names of functions resolved. */
static int put_probes(struct scope_writer *writer, const struct scope_capture_options *options)
{
	static const char *const kinds[] = { "k", "kr", "u", "ur" };
	int err = 0;

	for (uint32_t i = 0; i < options->probe_count && !err; i++) {
		const struct scope_probe *probe = &options->probes[i];
		bool user = probe->kind >= SCOPE_PROBE_UPROBE;
		char key[32], value[SCOPE_PROBE_NAME_BYTES + 64];

		snprintf(key, sizeof(key), SCOPE_META_PROBE "%u", probe->id);
		snprintf(value, sizeof(value), user || probe->offset ? "%s:%s%s0x%llx" : "%s:%s", kinds[probe->kind],
			 probe->name, user ? ":" : "+", (unsigned long long)probe->offset);
		err = scope_trace_writer_meta(writer, key, value);
	}
	for (size_t i = 0; options->probing && i < options->probing->count && !err; i++) {
		const struct scope_probing_one *one = &options->probing->one[i];
		char key[32];

		snprintf(key, sizeof(key), SCOPE_META_PROBE "%u", one->probe.id);
		err = scope_trace_writer_meta(writer, key, one->name ? one->name : one->probe.name);
	}
	return err;
}

int scope_capture_first_meta(struct scope_writer *writer, const struct scope_capture_options *options,
			     const struct scope_capture_stats *stats)
{
	struct utsname system;
	int err;

	uname(&system);
	err = put(writer, SCOPE_META_KERNEL, "%s", system.release);
	if (!err)
		err = put(writer, SCOPE_META_ARCH, "%s", system.machine);
	if (!err)
		err = put(writer, SCOPE_META_HOST, "%s", system.nodename);
	if (!err)
		err = put(writer, SCOPE_META_SOURCE, "%s", stats->source->name);
	if (!err && stats->source->lacks[0])
		err = scope_trace_writer_meta(writer, SCOPE_META_LACKS, stats->source->lacks);
	if (!err)
		err = put(writer, SCOPE_META_COMMAND, "%s", stats->target.comm);
	if (!err)
		err = put(writer, SCOPE_META_PID, "%u", stats->target.tgid);
	if (!err)
		err = put(writer, SCOPE_META_SAMPLE_NS, "%u", options->sample_period_ns);
	if (!err)
		err = put(writer, SCOPE_META_STACK_MIN_NS, "%u", options->stack_min_ns);
	if (!err)
		err = put(writer, SCOPE_META_STACKS, "%s", stack_mode_name(options->stack_mode));
	if (!err && options->requests)
		err = put(writer, SCOPE_META_REQUESTS, "%s",
			  options->requests == SCOPE_REQUEST_PROBE
				  ? options->kind_text
				  : scope_capture_request_protocol_name[options->requests]);
	if (!err)
		err = put(writer, SCOPE_META_CPUS, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	if (!err)
		err = put(writer, SCOPE_META_BEGIN, "%llu", (unsigned long long)stats->begin_ns);
	if (!err)
		err = put_clock(writer, stats->begin_ns);
	if (!err)
		err = put_command_line(writer, options->reader, stats->target.tgid);
	if (!err)
		err = put_group(writer, stats->target.tgid);
	return err ? err : put_probes(writer, options);
}

int scope_capture_last_meta(struct scope_writer *writer, const struct scope_capture_stats *stats)
{
	static const char *const reasons[] = {
		[SCOPE_CAPTURE_TIME] = "time",
		[SCOPE_CAPTURE_INTERRUPT] = "interrupt",
		[SCOPE_CAPTURE_TARGET_GONE] = "target-gone",
		[SCOPE_CAPTURE_SIZE] = "size",
		[SCOPE_CAPTURE_GUARD] = "guard",
	};
	struct rusage own = { 0 };
	uint64_t lost = 0;
	int err, reason;

	for (reason = 0; reason < SCOPE_LOST_REASONS; reason++)
		lost += stats->counts.lost[reason];
	err = put(writer, SCOPE_META_END, "%llu", (unsigned long long)stats->end_ns);
	if (!err)
		err = put(writer, SCOPE_META_LOST, "%llu", (unsigned long long)lost);
	if (!err)
		err = put(writer, SCOPE_META_STACKS_SKIPPED, "%llu", (unsigned long long)stats->counts.stacks_skipped);
	if (!err && stats->stack_highest_ns)
		err = put(writer, SCOPE_META_STACK_HIGHEST_NS, "%u", stats->stack_highest_ns);
	if (!err && stats->counts.stacks_absent)
		err = put(writer, SCOPE_META_STACKS_ABSENT, "%llu", (unsigned long long)stats->counts.stacks_absent);
	if (!err && stats->counts.stacks_lost)
		err = put(writer, SCOPE_META_STACKS_LOST, "%llu", (unsigned long long)stats->counts.stacks_lost);
	if (!err && stats->stacks_given_up)
		err = put(writer, SCOPE_META_STACKS_GIVEN_UP, "%llu", (unsigned long long)stats->stacks_given_up);
	if (!err && stats->counts.late)
		err = put(writer, SCOPE_META_LATE, "%llu", (unsigned long long)stats->counts.late);
	getrusage(RUSAGE_SELF, &own);
	if (!err)
		err = put(writer, SCOPE_META_OWN_CPU, "%llu",
			  stats->unwinder_cpu_ns + (own.ru_utime.tv_sec + own.ru_stime.tv_sec) * 1000000000ull +
				  (own.ru_utime.tv_usec + own.ru_stime.tv_usec) * 1000ull);
	if (!err)
		err = put(writer, SCOPE_META_OWN_MEMORY, "%llu", own.ru_maxrss * 1024ull);
	if (!err)
		err = put(writer, SCOPE_META_END_REASON, "%s", reasons[stats->end]);
	if (!err && stats->end == SCOPE_CAPTURE_GUARD)
		err = put(writer, SCOPE_META_GUARD, "probes took %u.%u %% of CPU %u", stats->counts.guard_share / 10,
			  stats->counts.guard_share % 10, stats->counts.guard_cpu);
	if (!err && stats->counts.events)
		err = put(writer, SCOPE_META_EVENTS, "%u", stats->counts.events);
	if (!err && stats->counts.probe_ns)
		err = put(writer, SCOPE_META_PROBE_NS, "%llu", (unsigned long long)stats->counts.probe_ns);
	return err;
}
