// SPDX-License-Identifier: GPL-2.0-only
/* The metadata keys of a capture (trace/trace.h), as text. */
#include "source/meta.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "source/source.h"
#include "trace/writer.h"

__attribute__((format(printf, 3, 4))) static int put(struct scope_writer *writer, const char *key,
						      const char *format, ...)
{
	char value[256];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(value, sizeof(value), format, arguments);
	va_end(arguments);
	return scope_writer_meta(writer, key, value);
}

static const char *stack_mode_name(enum scope_stack_mode mode)
{
	switch (mode) {
	case SCOPE_STACK_COPY:
		return "copy";
	case SCOPE_STACK_CHAIN:
		return "chain";
	default:
		return "none";
	}
}

int scope_capture_first_meta(struct scope_writer *writer,
			     const struct scope_capture_options *options,
			     const struct scope_capture_stats *stats)
{
	struct utsname system;
	int code;

	uname(&system);
	code = put(writer, SCOPE_META_KERNEL, "%s", system.release);
	if (!code)
		code = put(writer, SCOPE_META_ARCH, "%s", system.machine);
	if (!code)
		code = put(writer, SCOPE_META_SOURCE, "%s", stats->source->name);
	if (!code && stats->source->lacks[0])
		code = put(writer, SCOPE_META_LACKS, "%s", stats->source->lacks);
	if (!code)
		code = put(writer, SCOPE_META_COMMAND, "%s", stats->target.comm);
	if (!code)
		code = put(writer, SCOPE_META_PID, "%u", stats->target.tgid);
	if (!code)
		code = put(writer, SCOPE_META_SAMPLE_NS, "%u", options->sample_period_ns);
	if (!code)
		code = put(writer, SCOPE_META_STACK_MIN_NS, "%u", options->stack_min_ns);
	if (!code)
		code = put(writer, SCOPE_META_STACKS, "%s",
			   stack_mode_name(options->stack_mode));
	if (!code)
		code = put(writer, SCOPE_META_CPUS, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	if (!code)
		code = put(writer, SCOPE_META_BEGIN, "%llu",
				(unsigned long long)stats->begin_ns);
	return code;
}

int scope_capture_last_meta(struct scope_writer *writer, const struct scope_capture_stats *stats)
{
	static const char *const reasons[] = {
		[SCOPE_CAPTURE_TIME] = "time",
		[SCOPE_CAPTURE_INTERRUPT] = "interrupt",
		[SCOPE_CAPTURE_TARGET_GONE] = "target-gone",
	};
	uint64_t lost = 0;
	int code, reason;

	for (reason = 0; reason < SCOPE_LOST_REASONS; reason++)
		lost += stats->counts.lost[reason];
	code = put(writer, SCOPE_META_END, "%llu", (unsigned long long)stats->end_ns);
	if (!code)
		code = put(writer, SCOPE_META_LOST, "%llu", (unsigned long long)lost);
	if (!code)
		code = put(writer, SCOPE_META_STACKS_SKIPPED, "%llu",
				(unsigned long long)stats->counts.stacks_skipped);
	if (!code)
		code = put(writer, SCOPE_META_END_REASON, "%s", reasons[stats->end]);
	return code;
}
