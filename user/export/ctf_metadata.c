// SPDX-License-Identifier: GPL-2.0-only
/* Describes the streams of a CTF trace, in its own language (CTF 1.8.3, appendix C). */
#include <inttypes.h>

#include "base/syscall_name.h"
#include "export/ctf.h"

#define NSEC UINT64_C(1000000000)

static void put_integer(FILE *to, const char *name, unsigned bits, bool is_signed)
{
	fprintf(to, "\t\tinteger { size = %u; align = 8; signed = %d; byte_order = le; } %s;\n", bits, is_signed, name);
}

static void put_comm(FILE *to, const char *name)
{
	fprintf(to, "\t\tinteger { size = 8; align = 8; signed = 0; encoding = UTF8; } %s[%d];\n", name,
		SCOPE_COMM_BYTES);
}

static void begin_event(FILE *to, const char *prefix, const char *name, uint32_t id)
{
	fprintf(to,
		"event {\n\tname = \"%s%s\";\n\tid = %" PRIu32 ";\n\tstream_id = 0;\n"
		"\tfields := struct {\n",
		prefix, name, id);
}

static void end_event(FILE *to)
{
	fputs("\t};\n};\n\n", to);
}

static void put_sched_events(FILE *to)
{
	begin_event(to, "", "sched_switch", SCOPE_CTF_SWITCH);
	put_comm(to, "_prev_comm");
	put_integer(to, "_prev_tid", 32, true);
	put_integer(to, "_prev_prio", 32, true);
	put_integer(to, "_prev_state", 64, true);
	put_comm(to, "_next_comm");
	put_integer(to, "_next_tid", 32, true);
	put_integer(to, "_next_prio", 32, true);
	end_event(to);
	begin_event(to, "", "sched_waking", SCOPE_CTF_WAKING);
	put_comm(to, "_comm");
	put_integer(to, "_tid", 32, true);
	put_integer(to, "_prio", 32, true);
	put_integer(to, "_target_cpu", 32, true);
	end_event(to);
	begin_event(to, "", "sched_process_fork", SCOPE_CTF_FORK);
	put_comm(to, "_parent_comm");
	put_integer(to, "_parent_tid", 32, true);
	put_integer(to, "_parent_pid", 32, true);
	put_comm(to, "_child_comm");
	put_integer(to, "_child_tid", 32, true);
	put_integer(to, "_child_pid", 32, true);
	end_event(to);
	begin_event(to, "", "sched_process_exit", SCOPE_CTF_EXIT);
	put_comm(to, "_comm");
	put_integer(to, "_tid", 32, true);
	put_integer(to, "_prio", 32, true);
	end_event(to);
	begin_event(to, "", "sched_process_exec", SCOPE_CTF_EXEC);
	put_comm(to, "_filename");
	put_integer(to, "_tid", 32, true);
	put_integer(to, "_old_tid", 32, true);
	end_event(to);
}

/* A list of arguments of 64 bits each. */
static void put_args(FILE *to)
{
	put_integer(to, "_args_length", 8, false);
	fputs("\t\tinteger { size = 64; align = 8; signed = 0; base = 16; byte_order = le; } "
	      "_args[_args_length];\n",
	      to);
}

static void put_own_events(FILE *to)
{
	begin_event(to, "", "scope_probe", SCOPE_CTF_PROBE);
	put_integer(to, "_probe", 16, false);
	put_integer(to, "_return", 8, false);
	put_args(to);
	end_event(to);
	begin_event(to, "", "scope_delay", SCOPE_CTF_DELAY);
	put_integer(to, "_rule", 16, false);
	put_integer(to, "_at_return", 8, false);
	put_integer(to, "_asked_ns", 32, false);
	put_integer(to, "_served_ns", 32, false);
	end_event(to);
}

static void put_entry(FILE *to, const char *call, uint32_t nr, const char *const *names, unsigned args)
{
	begin_event(to, "syscall_entry_", call,
		    SCOPE_CTF_SYSCALLS + SCOPE_CTF_VARIANTS * nr + scope_export_ctf_variant(false, args));
	for (unsigned i = 0; names && i < args; i++)
		fprintf(to, "\t\tinteger { size = 64; align = 8; signed = 1; byte_order = le; } _%s;\n", names[i]);
	if (!names)
		put_args(to);
	end_event(to);
}

static void put_syscall_events(FILE *to, const uint8_t *nrs, uint32_t nr_count)
{
	for (uint32_t nr = 0; nr < nr_count; nr++) {
		const char *name = scope_syscall_name(nr);
		char number[16];

		snprintf(number, sizeof(number), "%" PRIu32, nr);
		if (!name)
			name = number;
		if (nrs[nr] & 1) {
			begin_event(to, "syscall_exit_", name, SCOPE_CTF_SYSCALLS + SCOPE_CTF_VARIANTS * nr);
			put_integer(to, "_ret", 64, true);
			end_event(to);
		}
		for (unsigned args = 0; args <= SCOPE_ARG_MAX; args++)
			if (nrs[nr] >> scope_export_ctf_variant(false, args) & 1)
				put_entry(to, name, nr, scope_export_ctf_names(nr), args);
	}
}

/* Writes a text between quotes. Metadata of a trace is not trusted. */
static void put_quoted(FILE *to, const char *name, const char *value)
{
	fprintf(to, "\t%s = \"", name);
	for (; value && *value; value++)
		if (*value == '"' || *value == '\\')
			fprintf(to, "\\%c", *value);
		else if ((unsigned char)*value >= ' ')
			fputc(*value, to);
	fputs("\";\n", to);
}

/* The offset converts times of the trace to times of day, if the trace has one. */
static void put_clock(FILE *to, const struct scope_trace *trace)
{
	const uint64_t wall_ns = scope_trace_meta_number(trace, SCOPE_META_WALL_CLOCK, 0);
	const uint64_t begin_ns = scope_trace_meta_number(trace, SCOPE_META_BEGIN, 0);
	const uint64_t offset_ns = wall_ns > begin_ns ? wall_ns - begin_ns : 0;

	fprintf(to,
		"clock {\n\tname = \"monotonic\";\n\tfreq = 1000000000;\n\toffset_s = %" PRIu64 ";\n\toffset = %" PRIu64
		";\n};\n\n",
		offset_ns / NSEC, offset_ns % NSEC);
}

void scope_export_ctf_metadata(FILE *to, const struct scope_trace *trace, const uint8_t *nrs, uint32_t nr_count)
{
	fputs("/* CTF 1.8 */\n\n"
	      "trace {\n\tmajor = 1;\n\tminor = 8;\n\tbyte_order = le;\n"
	      "\tpacket.header := struct {\n",
	      to);
	put_integer(to, "magic", 32, false);
	put_integer(to, "stream_id", 32, false);
	fputs("\t};\n};\n\nenv {\n", to);
	/* Viewers choose the way to read a kernel trace by the name of the tracer. */
	fputs("\tdomain = \"kernel\";\n\tsysname = \"Linux\";\n\ttracer_name = \"lttng-modules\";\n"
	      "\ttracer_major = 2;\n\ttracer_minor = 13;\n\ttracer_patchlevel = 0;\n",
	      to);
	put_quoted(to, "kernel_release", scope_trace_meta(trace, SCOPE_META_KERNEL));
	put_quoted(to, "trace_name", scope_trace_meta(trace, SCOPE_META_COMMAND));
	fputs("};\n\n", to);
	put_clock(to, trace);
	fputs("typealias integer { size = 64; align = 8; signed = 0; byte_order = le; "
	      "map = clock.monotonic.value; } := time_t;\n\n"
	      "stream {\n\tid = 0;\n\tpacket.context := struct {\n"
	      "\t\ttime_t timestamp_begin;\n\t\ttime_t timestamp_end;\n",
	      to);
	put_integer(to, "content_size", 64, false);
	put_integer(to, "packet_size", 64, false);
	put_integer(to, "events_discarded", 64, false);
	put_integer(to, "cpu_id", 32, false);
	fputs("\t};\n\tevent.header := struct {\n", to);
	put_integer(to, "id", 16, false);
	fputs("\t\ttime_t timestamp;\n\t};\n\tevent.context := struct {\n", to);
	put_integer(to, "_pid", 32, true);
	put_integer(to, "_tid", 32, true);
	fputs("\t};\n};\n\n", to);
	put_sched_events(to);
	put_own_events(to);
	put_syscall_events(to, nrs, nr_count);
}
