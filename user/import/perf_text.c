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
#include "import/perf_entry.h"

#define LINE_MAX_BYTES (1u << 20)

/* The text after "key=" up to the next " key=", because names may hold blanks. */
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

static int take_enter(struct scope_perf_text *reader, const struct scope_perf_entry *entry)
{
	uint64_t arg[SCOPE_ARG_MAX] = { 0 };
	uint8_t args = 0;
	char *at, *end;
	long nr;

	if (strncmp(entry->fields, "NR ", 3))
		return scope_import_perf_fail(reader, "'NR' is missing");
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

static int take_exit(struct scope_perf_text *reader, const struct scope_perf_entry *entry)
{
	char *at;
	long nr;

	if (strncmp(entry->fields, "NR ", 3))
		return scope_import_perf_fail(reader, "'NR' is missing");
	nr = strtol(entry->fields + 3, &at, 10);
	at = strchr(at, '=');
	if (!at)
		return scope_import_perf_fail(reader, "what the call returned is missing");
	return scope_import_exit(reader->import, entry->time_ns, entry->cpu, entry->tid,
				 nr >= 0 && nr < SCOPE_NR_NONE ? nr : SCOPE_NR_NONE, strtoll(at + 1, NULL, 0));
}

static int take_switch(struct scope_perf_text *reader, const struct scope_perf_entry *entry)
{
	char text[SCOPE_PERF_TEXT_NAME], comm[SCOPE_COMM_BYTES], state[16];
	uint32_t prev, next;
	bool preempted;
	uint8_t is;
	int err;

	if (!find_number(entry->fields, "prev_pid", &prev) || !find_number(entry->fields, "next_pid", &next) ||
	    !find_text(entry->fields, "prev_state", " ", state, sizeof(state)))
		return scope_import_perf_fail(reader, "prev_pid=, prev_state= or next_pid= is missing");
	is = scope_import_state(state, &preempted);
	if (find_text(entry->fields, "next_comm", " next_pid=", text, sizeof(text))) {
		scope_import_perf_name(text, strlen(text), comm);
		err = scope_import_thread(reader->import, next, 0, comm);
		if (err)
			return err;
	}
	return scope_import_switch(reader->import, entry->time_ns, entry->cpu, prev, next, is, preempted);
}

static int take_waking(struct scope_perf_text *reader, const struct scope_perf_entry *entry)
{
	uint32_t tid;

	if (!find_number(entry->fields, "pid", &tid))
		return scope_import_perf_fail(reader, "pid= is missing");
	return scope_import_waking(reader->import, entry->time_ns, entry->cpu, entry->tid, tid);
}

static int take_fork(struct scope_perf_text *reader, const struct scope_perf_entry *entry)
{
	char text[SCOPE_PERF_TEXT_NAME] = "", comm[SCOPE_COMM_BYTES];
	uint32_t child;

	if (!find_number(entry->fields, "child_pid", &child))
		return scope_import_perf_fail(reader, "child_pid= is missing");
	find_text(entry->fields, "child_comm", " child_pid=", text, sizeof(text));
	scope_import_perf_name(text, strlen(text), comm);
	return scope_import_fork(reader->import, entry->time_ns, entry->cpu, entry->tid, child, 0, comm);
}

static int take_thread_exit(struct scope_perf_text *reader, const struct scope_perf_entry *entry)
{
	return scope_import_thread_exit(reader->import, entry->time_ns, entry->cpu, entry->tid);
}

/* "PERF_RECORD_LOST lost 54": the buffer was full until then. */
static int take_lost(struct scope_perf_text *reader, const struct scope_perf_entry *entry)
{
	char *end;
	uint64_t count;

	if (strncmp(entry->fields, "lost ", 5))
		return scope_import_perf_fail(reader, "'lost' is missing");
	count = strtoull(entry->fields + 5, &end, 10);
	if (end == entry->fields + 5)
		return scope_import_perf_fail(reader, "how many were lost is missing");
	return scope_import_lost(reader->import, entry->time_ns, entry->cpu, count);
}

static int take_nothing(struct scope_perf_text *reader, const struct scope_perf_entry *entry)
{
	(void)reader;
	(void)entry;
	return 0;
}

static const struct row {
	const char *event;
	int (*take)(struct scope_perf_text *reader, const struct scope_perf_entry *entry);
	bool sample; /* its frames are those of a running thread */
} rows[] = {
	{ "raw_syscalls:sys_enter", take_enter, false },
	{ "raw_syscalls:sys_exit", take_exit, false },
	{ "sched:sched_switch", take_switch, false },
	{ "sched:sched_waking", take_waking, false },
	{ "sched:sched_wakeup", take_waking, false }, /* where there is no sched_waking: before 4.3 */
	{ "sched:sched_process_fork", take_fork, false },
	{ "sched:sched_process_exit", take_thread_exit, false },
	{ "PERF_RECORD_LOST", take_lost, false },
	{ "scope:stack", take_nothing, false },
	{ "scope:snapshot", take_nothing, false },
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

static int take(struct scope_perf_text *reader, const struct scope_perf_entry *entry)
{
	const struct row *row = find_row(entry->event);
	int err = 0;

	if (!row) {
		reader->left_out++;
		return 0;
	}
	/* Records of perf itself are not of the thread, of which perf may have no name yet. */
	if (row->take != take_lost)
		err = scope_import_thread(reader->import, entry->tid, entry->tgid, entry->comm);
	if (!err)
		err = row->take(reader, entry);
	if (!err && entry->frames)
		err = scope_import_stack(reader->import, entry->time_ns, entry->cpu, entry->tid, row->sample,
					 entry->frame, entry->frames);
	return err;
}

static int read_entries(struct scope_perf_text *reader, struct scope_perf_entry *entry)
{
	bool bad = false;
	int more, err = 0;

	while (!err && (more = scope_import_perf_next(reader, entry, &bad))) {
		err = more < 0 ? more : bad ? SCOPE_PERF_TEXT_BAD : take(reader, entry);
		reader->lines->good += !err;
		if (err == SCOPE_PERF_TEXT_BAD)
			err = 0;
	}
	return err;
}

int scope_import_script(FILE *stream, const char *name, const struct scope_import_choice *choice,
			struct scope_writer *writer, struct scope_error *error, struct scope_import_result *ret_result)
{
	struct scope_lines lines;
	struct scope_perf_text reader = { .lines = &lines };
	struct scope_perf_entry *entry = calloc(1, sizeof(*entry));
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
