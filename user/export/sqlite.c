// SPDX-License-Identifier: GPL-2.0-only
/* Writes a trace as an SQLite database: threads, calls, waits and stacks, for queries in SQL. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/libsqlite.h"
#include "base/syscall_name.h"
#include "export/formats.h"
#include "export/unit_findings.h"
#include "export/threads.h"

#define ROOM 128

/* After a failure the database is deleted, so it needs no journal on disk. */
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
	"CREATE TABLE finding (rank INTEGER PRIMARY KEY, function TEXT, module TEXT, kind TEXT, confidence TEXT,"
	" share REAL, excess_ns REAL, units INTEGER, usual_ns REAL, p50_ns REAL, p99_ns REAL, nr INTEGER,"
	" samples INTEGER, sleeps INTEGER, thread INTEGER REFERENCES thread, object INTEGER,"
	" first_ns INTEGER, last_ns INTEGER);"
	/* earlier_ns: for a held request (unit/held_request.h) the time from its begin to begin_ns; else 0. */
	"CREATE TABLE unit (thread INTEGER REFERENCES thread, begin_ns INTEGER, end_ns INTEGER, run_ns INTEGER,"
	" queue_ns INTEGER, blocked_ns INTEGER, bytes INTEGER, is_request INTEGER, slow INTEGER, frequent INTEGER,"
	" earlier_ns INTEGER, finding INTEGER REFERENCES finding);"
	/* Times since 1970 if the trace has them, else NULL. */
	"CREATE VIEW clock AS SELECT"
	" (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'wall_clock_ns') -"
	" (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'begin_ns') AS to_wall_ns;"
	"CREATE VIEW request AS SELECT u.rowid AS unit, t.tid, t.comm, u.begin_ns,"
	" datetime((u.begin_ns + c.to_wall_ns) / 1000000000, 'unixepoch') AS begin_utc,"
	" (u.end_ns - u.begin_ns + u.earlier_ns) / 1e6 AS wall_ms, u.run_ns / 1e6 AS run_ms, u.blocked_ns / 1e6 AS blocked_ms,"
	" u.queue_ns / 1e6 AS queue_ms, u.slow OR u.frequent AS abnormal, f.function AS because, u.thread"
	" FROM unit u JOIN thread t ON t.id = u.thread JOIN clock c LEFT JOIN finding f ON f.rank = u.finding"
	" WHERE u.is_request;"
	"CREATE VIEW slow_request AS SELECT * FROM request WHERE abnormal ORDER BY wall_ms DESC;"
	"CREATE VIEW request_wait AS SELECT u.rowid AS unit, u.finding, w.*, (w.end_ns - w.begin_ns) / 1e6 AS wait_ms,"
	" k.comm AS waker FROM unit u JOIN wait w ON w.thread = u.thread AND w.begin_ns >= u.begin_ns"
	" AND w.end_ns <= u.end_ns LEFT JOIN thread k ON k.id = (SELECT max(id) FROM thread WHERE tid = w.waker_tid);"
	"CREATE VIEW waited_for AS SELECT t.comm AS who, k.comm AS waker, w.class, count(*) AS times,"
	" sum(w.wake_ns - w.begin_ns) / 1e6 AS ms FROM wait w JOIN thread t ON t.id = w.thread"
	" LEFT JOIN thread k ON k.id = (SELECT max(id) FROM thread WHERE tid = w.waker_tid)"
	" GROUP BY 1, 2, 3 ORDER BY ms DESC;"
	"BEGIN";

enum statement {
	INSERT_META,
	INSERT_THREAD,
	INSERT_CALL,
	INSERT_WAIT,
	INSERT_STACK,
	INSERT_PROBE,
	INSERT_DELAY,
	INSERT_FINDING,
	INSERT_UNIT,
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
	[INSERT_FINDING] = "INSERT INTO finding VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[INSERT_UNIT] = "INSERT INTO unit VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
};

struct database {
	sqlite3 *handle;
	sqlite3_stmt *insert[STATEMENTS];
	struct scope_timeline *timeline;
	struct scope_symbols *symbols;
};

/* Adds the values bound so far as a row. */
static int step(struct database *database, enum statement which)
{
	sqlite3_stmt *statement = database->insert[which];
	int err = scope_sqlite.step(statement);

	scope_sqlite.reset(statement);
	scope_sqlite.clear_bindings(statement);
	return err == SQLITE_DONE ? 0 : -EIO;
}

static void bind_numbers(sqlite3_stmt *statement, int first, const int64_t *number, int count)
{
	for (int i = 0; i < count; i++)
		scope_sqlite.bind_int64(statement, first + i, number[i]);
}

static int add_exit(void *user, const struct scope_thread *thread, const struct scope_open_call *call, int64_t ret,
		    uint64_t exit_ns)
{
	struct database *database = user;
	sqlite3_stmt *statement = database->insert[INSERT_CALL];
	const char *name = scope_syscall_name(call->nr);

	bind_numbers(statement, 1, (const int64_t[]){ thread->index, call->nr }, 2);
	scope_sqlite.bind_text(statement, 3, name, -1, SQLITE_STATIC);
	bind_numbers(statement, 4, (const int64_t[]){ call->enter_ns, exit_ns, ret }, 3);
	return step(database, INSERT_CALL);
}

static int add_wait(void *user, const struct scope_wait *wait)
{
	struct database *database = user;
	sqlite3_stmt *statement = database->insert[INSERT_WAIT];

	bind_numbers(statement, 1, (const int64_t[]){ wait->thread }, 1);
	scope_sqlite.bind_text(statement, 2, scope_timeline_wait_class_name(wait->class), -1, SQLITE_STATIC);
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
	int err = scope_export_threads_stack(database->symbols, thread, event, function, NULL, ROOM, &count, NULL);

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
	scope_sqlite.bind_text(statement, 4, text, -1, free);
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
		scope_sqlite.bind_text(statement, 4, thread->comm, -1, SQLITE_STATIC);
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
		SCOPE_META_KERNEL, SCOPE_META_SOURCE, SCOPE_META_COMMAND,    SCOPE_META_PID,
		SCOPE_META_BEGIN,  SCOPE_META_END,    SCOPE_META_ARCH,	     SCOPE_META_CPUS,
		SCOPE_META_LOST,   SCOPE_META_HOST,   SCOPE_META_WALL_CLOCK, SCOPE_META_COMMAND_LINE,
	};
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(keys) / sizeof(*keys); i++) {
		sqlite3_stmt *statement = database->insert[INSERT_META];

		scope_sqlite.bind_text(statement, 1, keys[i], -1, SQLITE_STATIC);
		scope_sqlite.bind_text(statement, 2, scope_trace_meta(trace, keys[i]), -1, SQLITE_STATIC);
		err = step(database, INSERT_META);
	}
	return err;
}

/* Writes arguments in hexadecimal, with a blank between. */
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
	scope_sqlite.bind_text(statement, 4, scope_export_threads_place(trace, event->probe.id), -1, SQLITE_STATIC);
	scope_sqlite.bind_int64(statement, 5, !!(event->flags & SCOPE_PROBE_RETURN));
	scope_sqlite.bind_text(statement, 6, args, -1, SQLITE_TRANSIENT);
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

/* Adds events that the timeline ignores. A thread without other events is not among its threads. */
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

static int add_verdict(struct database *database, const struct scope_ranking *ranking)
{
	sqlite3_stmt *statement = database->insert[INSERT_META];

	scope_sqlite.bind_text(statement, 1, "verdict", -1, SQLITE_STATIC);
	scope_sqlite.bind_text(statement, 2, scope_rank_verdict_name[ranking->verdict], -1, SQLITE_STATIC);
	return step(database, INSERT_META);
}

/* Binds the thread that hangs, spins, or for which others wait, and what they wait for; NULL for other kinds. */
static void bind_thread(sqlite3_stmt *statement, int first, const struct scope_finding *finding)
{
	if (scope_rank_finding_stuck(finding))
		bind_numbers(statement, first, (const int64_t[]){ finding->hang.thread, (int64_t)finding->hang.object },
			     2);
	else if (finding->kind == SCOPE_FINDING_LOCK || finding->kind == SCOPE_FINDING_LATE)
		bind_numbers(statement, first,
			     (const int64_t[]){ finding->holder.thread, (int64_t)finding->holder.object }, 2);
}

static int add_finding(struct database *database, const struct scope_analysis *analysis, size_t number)
{
	const struct scope_finding *finding = &analysis->ranking->finding[number];
	const struct scope_function *function = finding->function;
	sqlite3_stmt *statement = database->insert[INSERT_FINDING];
	const double figure[] = { finding->usual_ns, finding->p50_ns, finding->p99_ns };

	scope_sqlite.bind_int64(statement, 1, (sqlite3_int64)number + 1);
	if (function) {
		scope_sqlite.bind_text(statement, 2, scope_signatures_name(analysis->signatures, function), -1,
				       SQLITE_STATIC);
		scope_sqlite.bind_text(statement, 3, function->module, -1, SQLITE_STATIC);
	}
	scope_sqlite.bind_text(statement, 4, scope_rank_kind_name[finding->kind], -1, SQLITE_STATIC);
	scope_sqlite.bind_text(statement, 5, scope_rank_confidence_name[finding->confidence], -1, SQLITE_STATIC);
	scope_sqlite.bind_double(statement, 6, finding->share);
	scope_sqlite.bind_double(statement, 7, finding->excess_ns);
	scope_sqlite.bind_int64(statement, 8, finding->units);
	for (int i = 0; i < 3 && !scope_rank_finding_stuck(finding); i++)
		scope_sqlite.bind_double(statement, 9 + i, figure[i]);
	if (finding->kind != SCOPE_FINDING_TIME && finding->kind != SCOPE_FINDING_SPIN && finding->nr != SCOPE_NR_NONE)
		scope_sqlite.bind_int64(statement, 12, finding->nr);
	bind_numbers(statement, 13, (const int64_t[]){ finding->samples, finding->sleeps }, 2);
	bind_thread(statement, 15, finding);
	bind_numbers(statement, 17, (const int64_t[]){ (int64_t)finding->first_ns, (int64_t)finding->last_ns }, 2);
	return step(database, INSERT_FINDING);
}

static int add_unit(void *user, const struct scope_export_request *request)
{
	const struct scope_unit *unit = request->unit;
	const uint64_t earlier_ns = scope_unit_wall(unit) - (unit->end_ns - unit->begin_ns);
	struct database *database = user;
	sqlite3_stmt *statement = database->insert[INSERT_UNIT];

	bind_numbers(statement, 1,
		     (const int64_t[]){ unit->thread, (int64_t)unit->begin_ns, (int64_t)unit->end_ns,
					(int64_t)unit->run_ns, (int64_t)unit->queue_ns, (int64_t)unit->blocked_ns,
					(int64_t)unit->bytes, request->request, request->slow, request->frequent,
					(int64_t)earlier_ns },
		     11);
	if (request->finding != SCOPE_EXPORT_NO_FINDING)
		scope_sqlite.bind_int64(statement, 12, (sqlite3_int64)request->finding + 1);
	return step(database, INSERT_UNIT);
}

/* Threads have the same numbers as in the analysis, which reads them in the same order. */
static int add_diagnosis(struct database *database, const struct scope_analysis *analysis)
{
	int err = add_verdict(database, analysis->ranking);

	for (size_t i = 0; i < analysis->ranking->findings && !err; i++)
		err = add_finding(database, analysis, i);
	return err ? err : scope_export_requests_each(analysis, add_unit, database);
}

static int fill(struct database *database, const struct scope_export_from *from)
{
	struct scope_trace *trace = from->trace;
	static const struct scope_timeline_ops ops = {
		.exit = add_exit,
		.wait = add_wait,
		.stack = add_stack,
	};
	int err;

	if (scope_sqlite.exec(database->handle, schema, NULL, NULL, NULL) != SQLITE_OK)
		return -EIO;
	for (int i = 0; i < STATEMENTS; i++)
		if (scope_sqlite.prepare_v2(database->handle, inserts[i], -1, &database->insert[i], NULL) != SQLITE_OK)
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
	if (!err)
		err = add_diagnosis(database, from->analysis);
	if (!err && scope_sqlite.exec(database->handle,
				      "COMMIT; CREATE INDEX call_thread ON call (thread, enter_ns);"
				      "CREATE INDEX wait_thread ON wait (thread, begin_ns);"
				      "CREATE INDEX unit_thread ON unit (thread, begin_ns)",
				      NULL, NULL, NULL) != SQLITE_OK)
		err = -EIO;
	return err;
}

int scope_export_sqlite(const struct scope_export_from *from, const struct scope_export_to *to,
			struct scope_error *error)
{
	struct database database = { .symbols = from->symbols };
	int err = scope_sqlite_load(error);

	if (err)
		return err;
	err = -EIO;
	if (scope_sqlite.open(to->path, &database.handle) == SQLITE_OK)
		err = fill(&database, from);
	if (err)
		scope_error_set(error, err,
				"%s cannot be written: %s; free some room, or name "
				"another place with -o",
				to->name,
				database.handle && err == -EIO ? scope_sqlite.errmsg(database.handle) : strerror(-err));
	for (int i = 0; i < STATEMENTS; i++)
		scope_sqlite.finalize(database.insert[i]);
	scope_sqlite.close(database.handle);
	scope_timeline_destroy(database.timeline);
	return err;
}
