// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads what `perf script` prints.
 *
 *   memcached  4242/4243  [001]  1234.567890123:          1 raw_syscalls:sys_enter: NR 0 (5, …)
 *   comm       pid/tid or tid    seconds         (period)   event:                  fields
 *       7f0012345678 handle+0x12 (/usr/bin/memcached)        frames, innermost first
 *                                                            an empty line ends them
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "base/plain.h"
#include "import/import.h"

#define LINE_MAX_BYTES (1u << 20)
#define TEXT_BYTES 64 /* of a name of a thread, with what is escaped in it */
#define BAD_ENTRY 1   /* noted, and to be skipped */

/* One line with its frames. */
struct entry {
	char comm[SCOPE_COMM_BYTES];
	uint32_t tid, tgid, cpu; /* tgid 0: the line does not say */
	uint64_t time_ns;
	char event[64];
	char *fields; /* in text, to its end */
	char *text;
	struct scope_import_frame frame[SCOPE_IMPORT_FRAMES];
	char *frame_text[SCOPE_IMPORT_FRAMES];
	unsigned frames;
};

struct reader {
	struct scope_lines *lines;
	struct scope_import *import;
	uint64_t entry; /* line that the entry begins in */
	bool again;	/* the line was read and not used */
	uint64_t left_out;
};

/* 1 and a line without blanks at its end, 0 at the end of the file, -errno. */
static int next_line(struct reader *reader)
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

/* Notes what is wrong with an entry, which is not taken then. */
static int fail_at(const struct reader *reader, uint64_t number, const char *what)
{
	scope_lines_skip(reader->lines, number,
			 reader->lines->cut ? "the text was cut off here: print it again" : what);
	return BAD_ENTRY;
}

static int fail(const struct reader *reader, const char *what)
{
	return fail_at(reader, reader->entry, what);
}

/* "1234.567890" in ns; digits behind the ninth are dropped. */
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
static void take_name(const char *text, size_t bytes, char comm[SCOPE_COMM_BYTES])
{
	char name[TEXT_BYTES];

	if (bytes >= sizeof(name))
		bytes = sizeof(name) - 1;
	memcpy(name, text, bytes);
	name[bytes] = '\0';
	scope_plain_undo(name);
	memset(comm, 0, SCOPE_COMM_BYTES);
	memcpy(comm, name, strnlen(name, SCOPE_COMM_BYTES - 1));
}

/* Name, "pid/tid" or "tid" before the CPU in brackets; the name may hold blanks. */
static bool parse_who(const char *line, const char *bracket, struct entry *entry)
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
	take_name(line, name_end - line, entry->comm);
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

/* The time in "[001] d..2. 1234.567890:"; flags tell of interrupts, preemption: of no use here. */
static bool time_behind(const char *bracket, char **ret_end, uint64_t *ret_ns)
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

	return bracket && time_behind(bracket, &end, &time_ns);
}

/* The CPU of an entry: a name may hold what looks like one, without a thread before and a time behind it. */
static const char *find_place(const char *line, struct entry *entry, char **ret_behind, const char **ret_lacks)
{
	const char *bracket = find_cpu(line);

	*ret_lacks = bracket ? "no thread number stands before the [CPU]"
			     : "there is no [CPU]: print it with perf script -F +cpu,+pid,+tid,+time";
	for (; bracket; bracket = find_cpu(bracket + 1)) {
		if (!parse_who(line, bracket, entry))
			continue;
		if (time_behind(bracket, ret_behind, &entry->time_ns))
			return bracket;
		*ret_lacks = "no time stands behind the [CPU]: print it with -F +time --ns";
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

static int parse_entry(struct reader *reader, struct entry *entry)
{
	const char *line = reader->lines->text, *bracket, *lacks;
	unsigned long cpu;
	size_t length;
	char *at;

	reader->entry = reader->lines->number;
	if (reader->lines->too_long)
		return fail(reader, "it is longer than a line of perf script");
	bracket = find_place(line, entry, &at, &lacks);
	if (!bracket)
		return fail(reader, lacks);
	cpu = strtoul(bracket + 1, NULL, 10);
	if (cpu > SCOPE_IMPORT_CPU_MAX)
		return fail(reader, "there is no such CPU");
	entry->cpu = (uint32_t)cpu;
	at++;
	at += strspn(at, " \t");
	length = strspn(at, "0123456789");
	if (length && isspace((unsigned char)at[length]))
		at += length + strspn(at + length, " \t");
	/* The name ends at the last colon before a blank: "sched:sched_switch:". */
	length = strcspn(at, " \t");
	if (!length || at[length - 1] != ':')
		return fail(reader, "no event stands behind the time");
	snprintf(entry->event, sizeof(entry->event), "%.*s", (int)(length - 1), at);
	free(entry->text);
	entry->text = strdup(at + length);
	if (!entry->text)
		return -ENOMEM;
	entry->fields = entry->text + strspn(entry->text, " \t");
	return 0;
}

/* "    7f0012345678 handle+0x12 (/usr/bin/memcached)" */
static int parse_frame(struct reader *reader, struct entry *entry)
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

/*
 * 1 and an event with its frames, 0 at the end, -errno. *ret_bad: it cannot be read, and is noted. A frame that
 * cannot be read spoils its entry; the frames behind it are read past.
 */
static int next_entry(struct reader *reader, struct entry *entry, bool *ret_bad)
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
	*ret_bad = err == BAD_ENTRY;
	return 1;
}

/* The text behind "key=" up to the next " key=": names may hold blanks. */
static bool find_text(const char *fields, const char *key, const char *next, char *to, size_t room)
{
	char wanted[32];
	const char *at, *end;

	snprintf(wanted, sizeof(wanted), "%s=", key);
	for (at = strstr(fields, wanted); at && at != fields && at[-1] != ' ';)
		at = strstr(at + 1, wanted);
	if (!at)
		return false;
	at += strlen(wanted);
	end = next ? strstr(at, next) : NULL;
	if (!end)
		end = at + strlen(at);
	snprintf(to, room, "%.*s", (int)(end - at), at);
	return true;
}

static bool find_number(const char *fields, const char *key, uint32_t *ret_number)
{
	char text[16], *end;
	unsigned long number;

	if (!find_text(fields, key, " ", text, sizeof(text)))
		return false;
	number = strtoul(text, &end, 10);
	*ret_number = (uint32_t)number;
	return end != text && number <= SCOPE_TID_MASK;
}

static int take_enter(struct reader *reader, const struct entry *entry)
{
	uint64_t arg[SCOPE_ARG_MAX] = { 0 };
	uint8_t args = 0;
	char *at, *end;
	long nr;

	if (strncmp(entry->fields, "NR ", 3))
		return fail(reader, "'NR' is missing");
	nr = strtol(entry->fields + 3, &at, 10);
	at = strchr(at, '(');
	while (at && args < SCOPE_ARG_MAX) {
		arg[args] = strtoull(at + 1, &end, 16);
		if (end == at + 1)
			break;
		args++;
		at = strchr(end, ',');
	}
	return scope_import_enter(reader->import, entry->time_ns, entry->cpu, entry->tid,
				  nr >= 0 && nr < SCOPE_NR_NONE ? nr : SCOPE_NR_NONE, arg, args);
}

static int take_exit(struct reader *reader, const struct entry *entry)
{
	char *at;
	long nr;

	if (strncmp(entry->fields, "NR ", 3))
		return fail(reader, "'NR' is missing");
	nr = strtol(entry->fields + 3, &at, 10);
	at = strchr(at, '=');
	if (!at)
		return fail(reader, "what the call returned is missing");
	return scope_import_exit(reader->import, entry->time_ns, entry->cpu, entry->tid,
				 nr >= 0 && nr < SCOPE_NR_NONE ? nr : SCOPE_NR_NONE, strtoll(at + 1, NULL, 0));
}

static int take_switch(struct reader *reader, const struct entry *entry)
{
	char text[TEXT_BYTES], comm[SCOPE_COMM_BYTES], state[16];
	uint32_t prev, next;
	bool preempted;
	uint8_t is;
	int err;

	if (!find_number(entry->fields, "prev_pid", &prev) || !find_number(entry->fields, "next_pid", &next) ||
	    !find_text(entry->fields, "prev_state", " ", state, sizeof(state)))
		return fail(reader, "prev_pid=, prev_state= or next_pid= is missing");
	is = scope_import_state(state, &preempted);
	if (find_text(entry->fields, "next_comm", " next_pid=", text, sizeof(text))) {
		take_name(text, strlen(text), comm);
		err = scope_import_thread(reader->import, next, 0, comm);
		if (err)
			return err;
	}
	return scope_import_switch(reader->import, entry->time_ns, entry->cpu, prev, next, is, preempted);
}

static int take_waking(struct reader *reader, const struct entry *entry)
{
	uint32_t tid;

	if (!find_number(entry->fields, "pid", &tid))
		return fail(reader, "pid= is missing");
	return scope_import_waking(reader->import, entry->time_ns, entry->cpu, entry->tid, tid);
}

static int take_fork(struct reader *reader, const struct entry *entry)
{
	char text[TEXT_BYTES] = "", comm[SCOPE_COMM_BYTES];
	uint32_t child;

	if (!find_number(entry->fields, "child_pid", &child))
		return fail(reader, "child_pid= is missing");
	find_text(entry->fields, "child_comm", " child_pid=", text, sizeof(text));
	take_name(text, strlen(text), comm);
	return scope_import_fork(reader->import, entry->time_ns, entry->cpu, entry->tid, child, 0, comm);
}

static int take_thread_exit(struct reader *reader, const struct entry *entry)
{
	return scope_import_thread_exit(reader->import, entry->time_ns, entry->cpu, entry->tid);
}

static int take_nothing(struct reader *reader, const struct entry *entry)
{
	(void)reader;
	(void)entry;
	return 0;
}

static const struct row {
	const char *event;
	int (*take)(struct reader *reader, const struct entry *entry);
	bool sample; /* its frames are those of a running thread */
} rows[] = {
	{ "raw_syscalls:sys_enter", take_enter, false },
	{ "raw_syscalls:sys_exit", take_exit, false },
	{ "sched:sched_switch", take_switch, false },
	{ "sched:sched_waking", take_waking, false },
	{ "sched:sched_wakeup", take_waking, false }, /* where there is no sched_waking: before 4.3 */
	{ "sched:sched_process_fork", take_fork, false },
	{ "sched:sched_process_exit", take_thread_exit, false },
	{ "scope:stack", take_nothing, false },
	{ "cpu-clock", take_nothing, true },
	{ "task-clock", take_nothing, true },
	{ "cycles", take_nothing, true },
	{ "instructions", take_nothing, true },
};

/* "cycles:u", "cpu_core/cycles/", "cpu-clock:ppp": modifiers do not matter. */
static const struct row *find_row(const char *event)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		size_t length = strlen(rows[i].event);

		if (!strncmp(event, rows[i].event, length) &&
		    (!event[length] || event[length] == ':' || event[length] == '/'))
			return &rows[i];
	}
	return NULL;
}

static int take(struct reader *reader, const struct entry *entry)
{
	const struct row *row = find_row(entry->event);
	int err;

	if (!row) {
		reader->left_out++;
		return 0;
	}
	err = scope_import_thread(reader->import, entry->tid, entry->tgid, entry->comm);
	if (!err)
		err = row->take(reader, entry);
	if (!err && entry->frames)
		err = scope_import_stack(reader->import, entry->time_ns, entry->cpu, entry->tid, row->sample,
					 entry->frame, entry->frames);
	return err;
}

static int read_entries(struct reader *reader, struct entry *entry)
{
	bool bad = false;
	int more, err = 0;

	while (!err && (more = next_entry(reader, entry, &bad))) {
		err = more < 0 ? more : bad ? BAD_ENTRY : take(reader, entry);
		reader->lines->good += !err;
		if (err == BAD_ENTRY)
			err = 0;
	}
	return err;
}

int scope_import_script(FILE *stream, const char *name, const struct scope_import_choice *choice,
			struct scope_writer *writer, struct scope_error *error, struct scope_import_result *ret_result)
{
	struct scope_lines lines;
	struct reader reader = { .lines = &lines };
	struct entry *entry = calloc(1, sizeof(*entry));
	int err = entry ? 0 : -ENOMEM;

	scope_lines_init(&lines, stream, LINE_MAX_BYTES);
	if (!err)
		err = scope_import_create(choice, writer, error, &reader.import);
	if (!err)
		err = read_entries(&reader, entry);
	if (err == -EIO && ferror(stream))
		scope_error_set(error, err, "%s cannot be read: %s", name, strerror(errno));
	if (!err)
		err = scope_lines_check(&lines, name, "the output of perf script", error);
	if (!err)
		err = scope_import_finish(reader.import, "perf script", NULL);
	for (unsigned i = 0; entry && i < SCOPE_IMPORT_FRAMES; i++)
		free(entry->frame_text[i]);
	if (entry)
		free(entry->text);
	free(entry);
	scope_lines_free(&lines);
	scope_import_destroy(reader.import);
	if (err)
		return err;
	*ret_result = (struct scope_import_result){
		.left_out = reader.left_out,
		.entries = lines.good + lines.bad,
		.skipped = lines.bad,
	};
	strcpy(ret_result->first_skipped, lines.first_bad);
	return 0;
}
