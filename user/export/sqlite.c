// SPDX-License-Identifier: GPL-2.0-only
/* A trace as an SQLite database: threads, calls, waits and stacks, for questions in SQL. */
#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/syscall_name.h"
#include "export/formats.h"
#include "export/threads.h"

#define ROOM 128

/* A database that fails is thrown away: it needs no journal on disk. */
static const char schema[] =
	"PRAGMA journal_mode = MEMORY;"
	"CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT);"
	"CREATE TABLE thread (id INTEGER PRIMARY KEY, tid INTEGER, tgid INTEGER, comm TEXT,"
	" run_ns INTEGER, queue_ns INTEGER, blocked_ns INTEGER);"
	"CREATE TABLE call (thread INTEGER REFERENCES thread, nr INTEGER, name TEXT,"
	" enter_ns INTEGER, exit_ns INTEGER, ret INTEGER);"
	"CREATE TABLE wait (thread INTEGER REFERENCES thread, class TEXT, nr INTEGER, object INTEGER,"
	" begin_ns INTEGER, wake_ns INTEGER, end_ns INTEGER, waker_tid INTEGER);"
	"CREATE TABLE stack (thread INTEGER REFERENCES thread, time_ns INTEGER, sample INTEGER,"
	" functions TEXT);"
	"CREATE TABLE probe (thread INTEGER REFERENCES thread, time_ns INTEGER, id INTEGER,"
	" place TEXT, is_return INTEGER, args TEXT);"
	"CREATE TABLE delay (thread INTEGER REFERENCES thread, begin_ns INTEGER, end_ns INTEGER,"
	" rule INTEGER, asked_ns INTEGER, at_return INTEGER);"
	"BEGIN";

enum statement {
	INSERT_META,
	INSERT_THREAD,
	INSERT_CALL,
	INSERT_WAIT,
	INSERT_STACK,
	INSERT_PROBE,
	INSERT_DELAY,
	STATEMENTS,
};

static const char *const inserts[STATEMENTS] = {
	[INSERT_META] = "INSERT OR REPLACE INTO meta VALUES (?, ?)",
	[INSERT_THREAD] = "INSERT INTO thread VALUES (?, ?, ?, ?, ?, ?, ?)",
	[INSERT_CALL] = "INSERT INTO call VALUES (?, ?, ?, ?, ?, ?)",
	[INSERT_WAIT] = "INSERT INTO wait VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
	[INSERT_STACK] = "INSERT INTO stack VALUES (?, ?, ?, ?)",
	[INSERT_PROBE] = "INSERT INTO probe VALUES (?, ?, ?, ?, ?, ?)",
	[INSERT_DELAY] = "INSERT INTO delay VALUES (?, ?, ?, ?, ?, ?)",
};

struct database {
	sqlite3 *handle;
	sqlite3_stmt *insert[STATEMENTS];
	struct scope_timeline *timeline;
	struct scope_symbols *symbols;
};

/* Takes the values bound so far as a row. */
static int step(struct database *database, enum statement which)
{
	sqlite3_stmt *statement = database->insert[which];
	int err = sqlite3_step(statement);

	sqlite3_reset(statement);
	sqlite3_clear_bindings(statement);
	return err == SQLITE_DONE ? 0 : -EIO;
}

static void bind_numbers(sqlite3_stmt *statement, int first, const int64_t *number, int count)
{
	for (int i = 0; i < count; i++)
		sqlite3_bind_int64(statement, first + i, number[i]);
}

static int add_exit(void *user, const struct scope_thread *thread, const struct scope_open_call *call, int64_t ret,
		    uint64_t exit_ns)
{
	struct database *database = user;
	sqlite3_stmt *statement = database->insert[INSERT_CALL];
	const char *name = scope_syscall_name(call->nr);

	bind_numbers(statement, 1, (const int64_t[]){ thread->index, call->nr }, 2);
	sqlite3_bind_text(statement, 3, name, -1, SQLITE_STATIC);
	bind_numbers(statement, 4, (const int64_t[]){ call->enter_ns, exit_ns, ret }, 3);
	return step(database, INSERT_CALL);
}

static int add_wait(void *user, const struct scope_wait *wait)
{
	struct database *database = user;
	sqlite3_stmt *statement = database->insert[INSERT_WAIT];

	bind_numbers(statement, 1, (const int64_t[]){ wait->thread }, 1);
	sqlite3_bind_text(statement, 2, scope_timeline_wait_class_name(wait->class), -1, SQLITE_STATIC);
	/* NULL outside calls */
	if (wait->nr != SCOPE_NR_NONE)
		bind_numbers(statement, 3, (const int64_t[]){ wait->nr, (int64_t)wait->object }, 2);
	bind_numbers(statement, 5, (const int64_t[]){ wait->begin_ns, wait->wake_ns, wait->end_ns, wait->waker_tid },
		     4);
	return step(database, INSERT_WAIT);
}

static int add_stack(void *user, uint32_t index, const struct scope_event *event)
{
	struct database *database = user;
	sqlite3_stmt *statement = database->insert[INSERT_STACK];
	const struct scope_thread *thread = scope_timeline_threads_at(database->timeline->threads, index);
	const struct scope_function *function[ROOM];
	unsigned count;
	size_t size;
	char *text;
	FILE *to;
	int err =
		scope_export_threads_stack(database->symbols, thread->tgid, event, function, NULL, ROOM, &count, NULL);

	if (err)
		return err;
	to = open_memstream(&text, &size);
	if (!to)
		return -ENOMEM;
	for (unsigned i = 0; i < count; i++)
		fprintf(to, "%s%s", i ? ";" : "", function[i]->name);
	if (fclose(to)) {
		free(text);
		return -ENOMEM;
	}
	bind_numbers(statement, 1,
		     (const int64_t[]){ index, event->time_ns, event->stack.reason == SCOPE_STACK_SAMPLE }, 3);
	sqlite3_bind_text(statement, 4, text, -1, free);
	return step(database, INSERT_STACK);
}

static int add_threads(struct database *database)
{
	struct scope_threads *threads = database->timeline->threads;
	int err = 0;

	for (size_t i = 0; !err && i < scope_timeline_threads_count(threads); i++) {
		const struct scope_thread *thread = scope_timeline_threads_at(threads, i);
		sqlite3_stmt *statement = database->insert[INSERT_THREAD];

		bind_numbers(statement, 1, (const int64_t[]){ i, thread->tid, thread->tgid }, 3);
		sqlite3_bind_text(statement, 4, thread->comm, -1, SQLITE_STATIC);
		bind_numbers(statement, 5,
			     (const int64_t[]){ thread->account.run_ns, thread->account.queue_ns,
						thread->account.asleep_ns },
			     3);
		err = step(database, INSERT_THREAD);
	}
	return err;
}

static int add_meta(struct database *database, const struct scope_trace *trace)
{
	static const char *const keys[] = {
		SCOPE_META_KERNEL, SCOPE_META_SOURCE, SCOPE_META_COMMAND, SCOPE_META_PID,  SCOPE_META_BEGIN,
		SCOPE_META_END,	   SCOPE_META_ARCH,   SCOPE_META_CPUS,	  SCOPE_META_LOST,
	};
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(keys) / sizeof(*keys); i++) {
		sqlite3_stmt *statement = database->insert[INSERT_META];

		sqlite3_bind_text(statement, 1, keys[i], -1, SQLITE_STATIC);
		sqlite3_bind_text(statement, 2, scope_trace_meta(trace, keys[i]), -1, SQLITE_STATIC);
		err = step(database, INSERT_META);
	}
	return err;
}

/* Arguments in hexadecimal, a blank between. */
static int add_probe(struct database *database, const struct scope_trace *trace, int64_t thread,
		     const struct scope_event *event)
{
	sqlite3_stmt *statement = database->insert[INSERT_PROBE];
	char args[SCOPE_ARG_MAX * 20] = "";
	size_t used = 0;

	for (unsigned i = 0; i < event->probe.args; i++)
		used += (size_t)snprintf(args + used, sizeof(args) - used, "%s0x%llx", i ? " " : "",
					 (unsigned long long)event->probe.arg[i]);
	bind_numbers(statement, 1, (const int64_t[]){ thread, event->time_ns, event->probe.id }, 3);
	sqlite3_bind_text(statement, 4, scope_export_threads_place(trace, event->probe.id), -1, SQLITE_STATIC);
	sqlite3_bind_int64(statement, 5, !!(event->flags & SCOPE_PROBE_RETURN));
	sqlite3_bind_text(statement, 6, args, -1, SQLITE_TRANSIENT);
	return step(database, INSERT_PROBE);
}

static int add_delay(struct database *database, int64_t thread, const struct scope_event *event)
{
	bind_numbers(database->insert[INSERT_DELAY], 1,
		     (const int64_t[]){ thread, event->time_ns - event->delay.served_ns, event->time_ns,
					event->delay.id, event->delay.asked_ns,
					!!(event->flags & SCOPE_DELAYED_AT_RETURN) },
		     6);
	return step(database, INSERT_DELAY);
}

/* Events that the timeline ignores. A thread without other events is not among its threads. */
static int add_marks(struct database *database, struct scope_trace *trace)
{
	struct scope_event event;
	int more = 0, err = scope_trace_rewind(trace);

	while (!err && (more = scope_trace_next(trace, &event)) == 1) {
		const long thread = scope_timeline_threads_find(database->timeline->threads, event.tid);

		if (event.kind == SCOPE_EVENT_PROBE)
			err = add_probe(database, trace, thread, &event);
		else if (event.kind == SCOPE_EVENT_DELAY)
			err = add_delay(database, thread, &event);
	}
	return err ? err : more;
}

static int fill(struct database *database, struct scope_trace *trace)
{
	static const struct scope_timeline_ops ops = {
		.exit = add_exit,
		.wait = add_wait,
		.stack = add_stack,
	};
	int err;

	if (sqlite3_exec(database->handle, schema, NULL, NULL, NULL) != SQLITE_OK)
		return -EIO;
	for (int i = 0; i < STATEMENTS; i++)
		if (sqlite3_prepare_v2(database->handle, inserts[i], -1, &database->insert[i], NULL) != SQLITE_OK)
			return -EIO;
	err = scope_timeline_create(trace, &database->timeline);
	if (!err)
		err = add_meta(database, trace);
	if (!err)
		err = scope_timeline_run(database->timeline, trace, &ops, database);
	if (!err)
		err = add_threads(database);
	if (!err)
		err = add_marks(database, trace);
	if (!err && sqlite3_exec(database->handle,
				 "COMMIT; CREATE INDEX call_thread ON call (thread, enter_ns);"
				 "CREATE INDEX wait_thread ON wait (thread, begin_ns)",
				 NULL, NULL, NULL) != SQLITE_OK)
		err = -EIO;
	return err;
}

int scope_export_sqlite(struct scope_trace *trace, struct scope_symbols *symbols, const struct scope_export_to *to,
			struct scope_error *error)
{
	struct database database = { .symbols = symbols };
	int err = -EIO;

	if (sqlite3_open(to->path, &database.handle) == SQLITE_OK)
		err = fill(&database, trace);
	if (err)
		scope_error_set(error, err,
				"%s cannot be written: %s; free some room, or name "
				"another place with -o",
				to->name,
				database.handle && err == -EIO ? sqlite3_errmsg(database.handle) : strerror(-err));
	for (int i = 0; i < STATEMENTS; i++)
		sqlite3_finalize(database.insert[i]);
	sqlite3_close(database.handle);
	scope_timeline_destroy(database.timeline);
	return err;
}
