// SPDX-License-Identifier: GPL-2.0-only
/* Splits the lines of `perf script` into entries; perf_text.c has their form. */
#include "import/perf_entry.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"

/* 1 and a line without blanks at its end, 0 at the end of the file, -errno. */
static int next_line(struct scope_perf_text *reader)
{
	char *text;
	size_t length;
	int more;

	if (reader->again) {
		reader->again = false;
		return 1;
	}
	more = scope_lines_next(reader->lines);
	if (more <= 0)
		return more;
	text = reader->lines->text;
	for (length = strlen(text); length && isspace((unsigned char)text[length - 1]);)
		text[--length] = '\0';
	return 1;
}

/* Notes an error in an entry, which is then skipped. */
static int fail_at(const struct scope_perf_text *reader, uint64_t number, const char *what)
{
	scope_lines_skip(reader->lines, number,
			 reader->lines->cut ? "the text was cut off here: print it again" : what);
	return SCOPE_PERF_TEXT_BAD;
}

int scope_import_perf_fail(const struct scope_perf_text *reader, const char *what)
{
	return fail_at(reader, reader->entry, what);
}

/* "1234.567890" in ns; digits after the ninth are dropped. */
static bool parse_time(const char *text, char **end, uint64_t *ret_ns)
{
	uint64_t s = strtoull(text, end, 10), ns = s * 1000000000, unit = 100000000;

	if (*end == text || **end != '.' || s >= SCOPE_IMPORT_TIME_MAX / 1000000000)
		return false;
	for (text = *end + 1; isdigit((unsigned char)*text); text++) {
		ns += (*text - '0') * unit;
		unit /= 10;
	}
	*end = (char *)text;
	*ret_ns = ns;
	return true;
}

/* A thread's name, as `scope export script` escapes it (base/plain.h); perf escapes nothing. */
void scope_import_perf_name(const char *text, size_t bytes, char comm[SCOPE_COMM_BYTES])
{
	char name[SCOPE_PERF_TEXT_NAME];

	if (bytes >= sizeof(name))
		bytes = sizeof(name) - 1;
	memcpy(name, text, bytes);
	name[bytes] = '\0';
	scope_plain_undo(name);
	memset(comm, 0, SCOPE_COMM_BYTES);
	memcpy(comm, name, strnlen(name, SCOPE_COMM_BYTES - 1));
}

/* Name, "pid/tid" or "tid" before the CPU in brackets; the name may hold blanks. */
static bool parse_who(const char *line, const char *bracket, struct scope_perf_entry *entry)
{
	const char *end = bracket, *number, *name_end;
	unsigned long tid, tgid = 0;
	char *after;

	while (end > line && isspace((unsigned char)end[-1]))
		end--;
	for (number = end; number > line && (isdigit((unsigned char)number[-1]) || number[-1] == '/');)
		number--;
	/* The idle task is "-1" in some versions. */
	if (number == end)
		return false;
	tid = strtoul(number, &after, 10);
	if (*after == '/') {
		tgid = tid;
		tid = strtoul(after + 1, &after, 10);
	}
	if (after != end || tid > SCOPE_TID_MASK || tgid > SCOPE_TID_MASK)
		return false;
	entry->tid = (uint32_t)tid;
	entry->tgid = (uint32_t)tgid;
	for (name_end = number; name_end > line && isspace((unsigned char)name_end[-1]);)
		name_end--;
	while (line < name_end && isspace((unsigned char)*line))
		line++;
	scope_import_perf_name(line, name_end - line, entry->comm);
	return true;
}

/* The first "[001]" from there on. */
static const char *find_cpu(const char *line)
{
	const char *at;

	for (at = strchr(line, '['); at; at = strchr(at + 1, '[')) {
		size_t digits = strspn(at + 1, "0123456789");

		if (digits && at[1 + digits] == ']')
			return at;
	}
	return NULL;
}

/* The time in "[001] d..2. 1234.567890:"; flags describe interrupts and preemption, and are not needed here. */
static bool time_after(const char *bracket, char **ret_end, uint64_t *ret_ns)
{
	char *at = strchr(bracket, ']') + 1;

	at += strspn(at, " \t");
	if (!isdigit((unsigned char)*at))
		at += strcspn(at, " \t");
	return parse_time(at, ret_end, ret_ns) && **ret_end == ':';
}

/* No stack frame has a CPU and a time. */
static bool has_time(const char *line)
{
	const char *bracket = find_cpu(line);
	uint64_t time_ns;
	char *end;

	return bracket && time_after(bracket, &end, &time_ns);
}

/* The CPU of an entry: a name may contain text like one, without a thread before and a time after it. */
static const char *find_place(const char *line, struct scope_perf_entry *entry, char **ret_after,
			      const char **ret_lacks)
{
	const char *bracket = find_cpu(line);

	*ret_lacks = bracket ? "no thread number stands before the [CPU]"
			     : "there is no [CPU]: print it with perf script -F +cpu,+pid,+tid,+time";
	for (; bracket; bracket = find_cpu(bracket + 1)) {
		if (!parse_who(line, bracket, entry))
			continue;
		if (time_after(bracket, ret_after, &entry->time_ns))
			return bracket;
		*ret_lacks = "no time follows the [CPU]: print it with -F +time --ns";
	}
	return NULL;
}

/* A blank, an address and a blank; programs may have names, as dd, that look like an address. */
static bool is_frame(const char *line)
{
	const char *at = line;
	size_t digits = 0;

	if (!isspace((unsigned char)*at))
		return false;
	while (isspace((unsigned char)*at))
		at++;
	while (isxdigit((unsigned char)at[digits]))
		digits++;
	return digits && at[digits] == ' ' && !has_time(line);
}

static int parse_entry(struct scope_perf_text *reader, struct scope_perf_entry *entry)
{
	const char *line = reader->lines->text, *bracket, *lacks;
	unsigned long cpu;
	size_t length;
	bool record;
	char *at;

	reader->entry = reader->lines->number;
	if (reader->lines->too_long)
		return scope_import_perf_fail(reader, "it is longer than a line of perf script");
	bracket = find_place(line, entry, &at, &lacks);
	if (!bracket)
		return scope_import_perf_fail(reader, lacks);
	cpu = strtoul(bracket + 1, NULL, 10);
	if (cpu > SCOPE_IMPORT_CPU_MAX)
		return scope_import_perf_fail(reader, "there is no such CPU");
	entry->cpu = (uint32_t)cpu;
	at++;
	at += strspn(at, " \t");
	length = strspn(at, "0123456789");
	if (length && isspace((unsigned char)at[length]))
		at += length + strspn(at + length, " \t");
	/* The name ends at the last colon before a blank: "sched:sched_switch:". That of perf's own records has none. */
	length = strcspn(at, " \t");
	record = !strncmp(at, "PERF_RECORD_", strlen("PERF_RECORD_"));
	if (!length || (at[length - 1] != ':' && !record))
		return scope_import_perf_fail(reader, "no event follows the time");
	snprintf(entry->event, sizeof(entry->event), "%.*s", (int)(length - !record), at);
	free(entry->text);
	entry->text = strdup(at + length);
	if (!entry->text)
		return -ENOMEM;
	entry->fields = entry->text + strspn(entry->text, " \t");
	return 0;
}

/* "    7f0012345678 handle+0x12 (/usr/bin/memcached)" */
static int parse_frame(struct scope_perf_text *reader, struct scope_perf_entry *entry)
{
	struct scope_import_frame *frame = &entry->frame[entry->frames];
	char *text = strdup(reader->lines->text), *name, *module, *offset, *end;

	if (!text)
		return -ENOMEM;
	free(entry->frame_text[entry->frames]);
	entry->frame_text[entry->frames] = text;
	name = text + strspn(text, " \t");
	name += strcspn(name, " ");
	name += strspn(name, " ");
	module = strrchr(name, '(');
	end = strrchr(name, ')');
	if (!module || module == name || !end || end < module)
		return fail_at(reader, reader->lines->number, "a frame without (module): print it with -F +sym,+dso");
	*end = '\0';
	for (offset = module; offset > name && offset[-1] == ' ';)
		offset--;
	*offset = '\0';
	offset = strrchr(name, '+');
	if (offset && !strncmp(offset, "+0x", 3))
		*offset = '\0';
	frame->name = strcmp(name, "[unknown]") ? name : NULL;
	frame->module = module + 1;
	scope_plain_undo(name);
	scope_plain_undo(module + 1);
	entry->frames++;
	return 0;
}

int scope_import_perf_next(struct scope_perf_text *reader, struct scope_perf_entry *entry, bool *ret_bad)
{
	const char *line;
	int more, err;

	do {
		more = next_line(reader);
		if (more <= 0)
			return more;
		line = reader->lines->text;
	} while (!line[0] || line[0] == '#');
	err = parse_entry(reader, entry);
	entry->frames = 0;
	while (err >= 0 && (more = next_line(reader)) > 0) {
		if (!is_frame(reader->lines->text)) {
			reader->again = reader->lines->text[0] != '\0';
			break;
		}
		if (!err && entry->frames < SCOPE_IMPORT_FRAMES)
			err = parse_frame(reader, entry);
	}
	if (err < 0 || more < 0)
		return err < 0 ? err : more;
	*ret_bad = err == SCOPE_PERF_TEXT_BAD;
	return 1;
}
