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

#include "import/import.h"

/* One line with its frames. */
struct entry {
	char comm[SCOPE_COMM_BYTES];
	uint32_t tid, tgid, cpu; /* tgid 0: the line does not tell */
	uint64_t time_ns;
	char event[64];
	char *fields; /* in text, to its end */
	char *text;
	struct scope_import_frame frame[SCOPE_IMPORT_FRAMES];
	char *frame_text[SCOPE_IMPORT_FRAMES];
	unsigned frames;
};

struct reader {
	FILE *stream;
	const char *name;
	struct scope_import *import;
	struct scope_error *error;
	char *line;
	size_t room;
	uint64_t number; /* of the line */
	bool again;	 /* the line was read and not used */
	bool cut;	 /* the text ended before the line did */
	uint64_t left_out;
};

/* 1 and a line without its end, 0 at the end of the file. */
static int next_line(struct reader *reader)
{
	ssize_t length;

	if (reader->again) {
		reader->again = false;
		return 1;
	}
	length = getline(&reader->line, &reader->room, reader->stream);
	if (length < 0)
		return 0;
	reader->number++;
	reader->cut = reader->line[length - 1] != '\n';
	while (length && isspace((unsigned char)reader->line[length - 1]))
		reader->line[--length] = '\0';
	return 1;
}

static int fail(const struct reader *reader, const char *what)
{
	return scope_error_set(reader->error, -EINVAL, "%s, line %" PRIu64 ": %s", reader->name,
			       reader->number,
			       reader->cut ? "the text was cut off here: print it anew, or leave this "
					     "line out" : what);
}

/* "1234.567890" in ns; digits behind the ninth are dropped. */
static bool parse_time(const char *text, char **end, uint64_t *ret_ns)
{
	uint64_t ns = strtoull(text, end, 10) * 1000000000, unit = 100000000;

	if (*end == text || **end != '.')
		return false;
	for (text = *end + 1; isdigit((unsigned char)*text); text++) {
		ns += (*text - '0') * unit;
		unit /= 10;
	}
	*end = (char *)text;
	*ret_ns = ns;
	return true;
}

/* Name, "pid/tid" or "tid" before the CPU in brackets; the name may hold blanks. */
static bool parse_who(const char *line, const char *bracket, struct entry *entry)
{
	const char *end = bracket, *number, *name_end;
	char *after;

	while (end > line && isspace((unsigned char)end[-1]))
		end--;
	for (number = end; number > line && (isdigit((unsigned char)number[-1]) || number[-1] == '/');)
		number--;
	/* The idle task is "-1" in some versions. */
	if (number == end)
		return false;
	entry->tid = strtoul(number, &after, 10);
	entry->tgid = 0;
	if (*after == '/') {
		entry->tgid = entry->tid;
		entry->tid = strtoul(after + 1, &after, 10);
	}
	if (after != end)
		return false;
	for (name_end = number; name_end > line && isspace((unsigned char)name_end[-1]);)
		name_end--;
	while (line < name_end && isspace((unsigned char)*line))
		line++;
	snprintf(entry->comm, sizeof(entry->comm), "%.*s",
		 (int)(name_end - line < SCOPE_COMM_BYTES ? name_end - line : SCOPE_COMM_BYTES - 1),
		 line);
	return true;
}

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
	const char *bracket = find_cpu(reader->line);
	char *at;
	size_t length;

	if (!bracket)
		return fail(reader, "there is no [CPU]: print it with perf script -F +cpu,+pid,+tid,+time");
	if (!parse_who(reader->line, bracket, entry))
		return fail(reader, "no thread number stands before the [CPU]");
	entry->cpu = strtoul(bracket + 1, NULL, 10);
	if (!time_behind(bracket, &at, &entry->time_ns))
		return fail(reader, "no time stands behind the [CPU]: print it with -F +time --ns");
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
	char *text = strdup(reader->line), *name, *module, *offset, *end;

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
		return fail(reader, "a frame without (module): print it with -F +sym,+dso");
	*end = '\0';
	for (offset = module; offset > name && offset[-1] == ' ';)
		offset--;
	*offset = '\0';
	offset = strrchr(name, '+');
	if (offset && !strncmp(offset, "+0x", 3))
		*offset = '\0';
	frame->name = strcmp(name, "[unknown]") ? name : NULL;
	frame->module = module + 1;
	entry->frames++;
	return 0;
}

/* 1 and an event with its frames, 0 at the end. */
static int next_entry(struct reader *reader, struct entry *entry)
{
	int more, err;

	do {
		more = next_line(reader);
		if (!more)
			return 0;
	} while (!reader->line[0] || reader->line[0] == '#');
	err = parse_entry(reader, entry);
	entry->frames = 0;
	while (!err && (more = next_line(reader))) {
		if (!is_frame(reader->line)) {
			reader->again = reader->line[0] != '\0';
			break;
		}
		if (entry->frames < SCOPE_IMPORT_FRAMES)
			err = parse_frame(reader, entry);
	}
	return err ? err : 1;
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

	if (!find_text(fields, key, " ", text, sizeof(text)))
		return false;
	*ret_number = strtoul(text, &end, 10);
	return end != text;
}

static int take_enter(struct reader *reader, const struct entry *entry)
{
	uint64_t arg[SCOPE_ARG_MAX] = {0};
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
				 nr >= 0 && nr < SCOPE_NR_NONE ? nr : SCOPE_NR_NONE,
				 strtoll(at + 1, NULL, 0));
}

static int take_switch(struct reader *reader, const struct entry *entry)
{
	char comm[64], state[16];
	uint32_t prev, next;
	bool preempted;
	uint8_t is;
	int err;

	if (!find_number(entry->fields, "prev_pid", &prev) ||
	    !find_number(entry->fields, "next_pid", &next) ||
	    !find_text(entry->fields, "prev_state", " ", state, sizeof(state)))
		return fail(reader, "prev_pid=, prev_state= or next_pid= is missing");
	is = scope_import_state(state, &preempted);
	if (find_text(entry->fields, "next_comm", " next_pid=", comm, sizeof(comm))) {
		err = scope_import_thread(reader->import, next, 0, comm);
		if (err)
			return err;
	}
	return scope_import_switch(reader->import, entry->time_ns, entry->cpu, prev, next, is,
				   preempted);
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
	char comm[64] = "";
	uint32_t child;

	if (!find_number(entry->fields, "child_pid", &child))
		return fail(reader, "child_pid= is missing");
	find_text(entry->fields, "child_comm", " child_pid=", comm, sizeof(comm));
	return scope_import_fork(reader->import, entry->time_ns, entry->cpu, entry->tid, child, 0,
				 comm);
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
		err = scope_import_stack(reader->import, entry->time_ns, entry->cpu, entry->tid,
					 row->sample, entry->frame, entry->frames);
	return err;
}

int scope_import_script(FILE *stream, const char *name, const struct scope_import_choice *choice,
			struct scope_writer *writer, struct scope_error *error,
			uint64_t *ret_left_out)
{
	struct reader reader = {.stream = stream, .name = name, .error = error};
	struct entry *entry = calloc(1, sizeof(*entry));
	int more = 0, err = entry ? 0 : -ENOMEM;

	if (!err)
		err = scope_import_create(choice, writer, error, &reader.import);
	while (!err && (more = next_entry(&reader, entry)))
		err = more < 0 ? more : take(&reader, entry);
	if (!err && ferror(stream))
		err = scope_error_set(error, -EIO, "%s cannot be read: %s", name, strerror(errno));
	if (!err)
		err = scope_import_finish(reader.import, "perf script", NULL);
	for (unsigned i = 0; entry && i < SCOPE_IMPORT_FRAMES; i++)
		free(entry->frame_text[i]);
	if (entry)
		free(entry->text);
	free(entry);
	free(reader.line);
	scope_import_destroy(reader.import);
	if (!err)
		*ret_left_out = reader.left_out;
	return err;
}
