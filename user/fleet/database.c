// SPDX-License-Identifier: GPL-2.0-only
/* The summaries of hosts in an SQLite database. */
#include "fleet/database.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/database_internal.h"

#define APPLICATION_ID 0x53634c74 /* no rule */
#define VERSION 2		  /* no rule: of the tables; 2 added link and exchange */

static const char tables[] =
	"PRAGMA journal_mode = MEMORY;"
	"CREATE TABLE IF NOT EXISTS summary (id INTEGER PRIMARY KEY, capture1 INTEGER, capture2 INTEGER,"
	" number INTEGER, host TEXT, program TEXT, build_id TEXT, pid INTEGER, version TEXT, kernel TEXT,"
	" source TEXT, verdict TEXT, reason TEXT, from_us INTEGER, to_us INTEGER, step_s INTEGER,"
	" lost INTEGER, requests INTEGER, slow INTEGER, UNIQUE (capture1, capture2, number));"
	"CREATE INDEX IF NOT EXISTS summary_time ON summary (host, program, pid, from_us);"
	"CREATE TABLE IF NOT EXISTS label (summary INTEGER REFERENCES summary, key TEXT, value TEXT);"
	"CREATE INDEX IF NOT EXISTS label_summary ON label (summary);"
	"CREATE TABLE IF NOT EXISTS second (summary INTEGER REFERENCES summary, grp TEXT, calls TEXT,"
	" is_request INTEGER, at_s INTEGER, units INTEGER, slow INTEGER, excess_us INTEGER, states BLOB,"
	" wall BLOB);"
	"CREATE TABLE IF NOT EXISTS excess (summary INTEGER REFERENCES summary, grp TEXT, function TEXT, module TEXT,"
	" build_id TEXT, outside INTEGER, at_s INTEGER, excess_us INTEGER);"
	"CREATE TABLE IF NOT EXISTS finding (summary INTEGER REFERENCES summary, function TEXT, module TEXT,"
	" build_id TEXT, outside INTEGER, kind TEXT, confidence TEXT, grp TEXT, stuck INTEGER, threads INTEGER,"
	" from_begin INTEGER, share REAL, units INTEGER, excess_us INTEGER, usual_us INTEGER, p50_us INTEGER,"
	" p99_us INTEGER, since_us INTEGER, last_us INTEGER);"
	"CREATE TABLE IF NOT EXISTS link (summary INTEGER REFERENCES summary, answers INTEGER, client TEXT, server TEXT,"
	" connections INTEGER, exchanges INTEGER, mixed INTEGER, wall BLOB);"
	"CREATE TABLE IF NOT EXISTS exchange (summary INTEGER REFERENCES summary, answers INTEGER, client TEXT,"
	" server TEXT, port INTEGER, at_us INTEGER, took_us INTEGER);";

static const char *const statements[SCOPE_FLEET_STATEMENTS] = {
	[SCOPE_FLEET_HAS] = "SELECT 1 FROM summary WHERE capture1 = ? AND capture2 = ? AND number = ?",
	[SCOPE_FLEET_OVERLAPS] = "SELECT 1 FROM summary WHERE host = ? AND program = ? AND pid = ? AND from_us < ?"
				 " AND to_us > ?",
	[SCOPE_FLEET_SUMMARY] = "INSERT INTO summary VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
				" ?)",
	[SCOPE_FLEET_LABEL] = "INSERT INTO label VALUES (?, ?, ?)",
	[SCOPE_FLEET_SECOND] = "INSERT INTO second VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[SCOPE_FLEET_EXCESS] = "INSERT INTO excess VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
	[SCOPE_FLEET_LINK] = "INSERT INTO link VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
	[SCOPE_FLEET_EXCHANGE] = "INSERT INTO exchange VALUES (?, ?, ?, ?, ?, ?, ?)",
	[SCOPE_FLEET_FINDING] = "INSERT INTO finding VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
};

int scope_fleet_store_fail(const struct scope_fleet_store *store, struct scope_error *error)
{
	const int code = scope_sqlite.errcode(store->handle);

	if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT)
		return scope_error_set(error, -EBADMSG, "%s is damaged, or no database of summaries: name another file",
				       store->name);
	if (code == SQLITE_NOMEM)
		return scope_error_set(error, -ENOMEM, "no memory for the summaries");
	return scope_error_set(error, -EIO, "%s: %s; free some room, or name another place", store->name,
			       scope_sqlite.errmsg(store->handle));
}

/* Another program's database must not get tables. */
static int check_owner(struct scope_fleet_store *store, struct scope_error *error)
{
	sqlite3_stmt *statement = NULL;
	sqlite3_int64 owner = 0, version = 0, count = 0;
	char set[96];

	if (scope_sqlite.prepare_v2(
		    store->handle,
		    "SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM"
		    " pragma_user_version), (SELECT count(*) FROM sqlite_master)",
		    -1, &statement, NULL) != SQLITE_OK ||
	    scope_sqlite.step(statement) != SQLITE_ROW) {
		scope_sqlite.finalize(statement);
		return scope_fleet_store_fail(store, error);
	}
	owner = scope_sqlite.column_int64(statement, 0);
	version = scope_sqlite.column_int64(statement, 1);
	count = scope_sqlite.column_int64(statement, 2);
	scope_sqlite.finalize(statement);
	if (count && owner != APPLICATION_ID)
		return scope_error_set(error, -EBADMSG, "%s is a database of another program: name another file",
				       store->name);
	if (version > VERSION)
		return scope_error_set(error, -EPROTO, "%s is of version %lld, this program knows %d: use a newer one",
				       store->name, (long long)version, VERSION);
	snprintf(set, sizeof(set), "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION_ID, VERSION);
	return scope_sqlite.exec(store->handle, set, NULL, NULL, NULL) == SQLITE_OK
		       ? 0
		       : scope_fleet_store_fail(store, error);
}

static int prepare(struct scope_fleet_store *store, struct scope_error *error)
{
	int err = check_owner(store, error);

	if (err)
		return err;
	if (scope_sqlite.exec(store->handle, tables, NULL, NULL, NULL) != SQLITE_OK)
		return scope_fleet_store_fail(store, error);
	for (int i = 0; i < SCOPE_FLEET_STATEMENTS; i++)
		if (scope_sqlite.prepare_v2(store->handle, statements[i], -1, &store->statement[i], NULL) != SQLITE_OK)
			return scope_fleet_store_fail(store, error);
	return scope_sqlite.exec(store->handle, "BEGIN", NULL, NULL, NULL) == SQLITE_OK
		       ? 0
		       : scope_fleet_store_fail(store, error);
}

int scope_fleet_store_open(const char *path, struct scope_error *error, struct scope_fleet_store **ret_store)
{
	struct scope_fleet_store *store;
	int err = scope_sqlite_load(error);

	if (err)
		return err;
	store = calloc(1, sizeof(*store));
	if (!store)
		return scope_error_set(error, -ENOMEM, "no memory for the summaries");
	store->name = path ? path : "the summaries";
	if (scope_sqlite.open(path ? path : ":memory:", &store->handle) != SQLITE_OK)
		err = scope_fleet_store_fail(store, error);
	else
		err = prepare(store, error);
	if (err) {
		scope_fleet_store_close(store);
		return err;
	}
	*ret_store = store;
	return 0;
}

void scope_fleet_store_close(struct scope_fleet_store *store)
{
	if (!store)
		return;
	for (int i = 0; i < SCOPE_FLEET_STATEMENTS; i++)
		scope_sqlite.finalize(store->statement[i]);
	scope_sqlite.close(store->handle);
	free(store);
}

int scope_fleet_store_finish(struct scope_fleet_store *store, struct scope_error *error)
{
	return scope_sqlite.exec(store->handle, "COMMIT; BEGIN", NULL, NULL, NULL) == SQLITE_OK
		       ? 0
		       : scope_fleet_store_fail(store, error);
}

/* The values of one row, in the order of its columns. */
struct row {
	sqlite3_stmt *statement;
	int column;
};

static struct row begin(const struct scope_fleet_store *store, enum scope_fleet_statement which)
{
	return (struct row){ .statement = store->statement[which] };
}

static void text(struct row *row, const char *value)
{
	scope_sqlite.bind_text(row->statement, ++row->column, value, -1, SQLITE_TRANSIENT);
}

static void number(struct row *row, uint64_t value)
{
	scope_sqlite.bind_int64(row->statement, ++row->column, (sqlite3_int64)value);
}

static void numbers(struct row *row, const uint64_t *value, size_t count)
{
	for (size_t i = 0; i < count; i++)
		number(row, value[i]);
}

static void bytes(struct row *row, const void *data, size_t count)
{
	scope_sqlite.bind_blob(row->statement, ++row->column, data, (int)count, SQLITE_TRANSIENT);
}

/* SQLITE_DONE, SQLITE_ROW, or an error. */
static int end(struct row *row)
{
	const int code = scope_sqlite.step(row->statement);

	scope_sqlite.reset(row->statement);
	return code;
}

static bool has(const struct scope_fleet_store *store, const struct scope_fleet_summary *summary)
{
	struct row row = begin(store, SCOPE_FLEET_HAS);

	numbers(&row, (const uint64_t[]){ summary->capture[0], summary->capture[1], summary->number }, 3);
	return end(&row) == SQLITE_ROW;
}

static bool overlaps(const struct scope_fleet_store *store, const struct scope_fleet_summary *summary)
{
	struct row row = begin(store, SCOPE_FLEET_OVERLAPS);

	text(&row, scope_fleet_text(summary, summary->host));
	text(&row, scope_fleet_text(summary, summary->program));
	numbers(&row, (const uint64_t[]){ summary->pid, summary->to_us, summary->from_us }, 3);
	return end(&row) == SQLITE_ROW;
}

static int add_summary(const struct scope_fleet_store *store, const struct scope_fleet_summary *summary)
{
	struct row row = begin(store, SCOPE_FLEET_SUMMARY);
	const uint32_t first[] = { summary->host, summary->program, summary->build_id };
	const uint32_t then[] = { summary->version, summary->kernel, summary->source, summary->verdict,
				  summary->reason };

	numbers(&row, (const uint64_t[]){ summary->capture[0], summary->capture[1], summary->number }, 3);
	for (size_t i = 0; i < 3; i++)
		text(&row, scope_fleet_text(summary, first[i]));
	number(&row, summary->pid);
	for (size_t i = 0; i < 5; i++)
		text(&row, scope_fleet_text(summary, then[i]));
	numbers(&row,
		(const uint64_t[]){ summary->from_us, summary->to_us, summary->step_s, summary->lost, summary->requests,
				    summary->slow },
		6);
	return end(&row);
}

static int add_second(const struct scope_fleet_store *store, const struct scope_fleet_summary *summary, uint64_t id,
		      const struct scope_fleet_second *second, uint8_t *room)
{
	const struct scope_fleet_kind *kind = &summary->kind[second->kind];
	struct row row = begin(store, SCOPE_FLEET_SECOND);

	number(&row, id);
	text(&row, scope_fleet_text(summary, kind->group));
	text(&row, scope_fleet_text(summary, kind->calls));
	numbers(&row, (const uint64_t[]){ kind->request, second->at_s, second->units, second->slow, second->excess_us },
		5);
	bytes(&row, second->state_us, sizeof(second->state_us));
	bytes(&row, room, scope_fleet_coarse_put(&second->wall, room));
	return end(&row);
}

static int add_excess(const struct scope_fleet_store *store, const struct scope_fleet_summary *summary, uint64_t id,
		      const struct scope_fleet_excess *excess)
{
	const struct scope_fleet_function *function = &summary->function[excess->function];
	struct row row = begin(store, SCOPE_FLEET_EXCESS);

	number(&row, id);
	text(&row, scope_fleet_text(summary, summary->kind[excess->kind].group));
	text(&row, scope_fleet_text(summary, function->name));
	text(&row, scope_fleet_text(summary, function->module));
	text(&row, scope_fleet_text(summary, function->build_id));
	numbers(&row, (const uint64_t[]){ function->outside, excess->at_s, excess->excess_us }, 3);
	return end(&row);
}

static int add_finding(const struct scope_fleet_store *store, const struct scope_fleet_summary *summary, uint64_t id,
		       const struct scope_fleet_finding *finding)
{
	static const struct scope_fleet_function none;
	const struct scope_fleet_function *function =
		finding->function == SCOPE_FLEET_NO_FUNCTION ? &none : &summary->function[finding->function];
	struct row row = begin(store, SCOPE_FLEET_FINDING);

	number(&row, id);
	text(&row, scope_fleet_text(summary, function->name));
	text(&row, scope_fleet_text(summary, function->module));
	text(&row, scope_fleet_text(summary, function->build_id));
	number(&row, function->outside);
	text(&row, scope_fleet_text(summary, finding->kind));
	text(&row, scope_fleet_text(summary, finding->confidence));
	text(&row, scope_fleet_text(summary, finding->group));
	numbers(&row, (const uint64_t[]){ finding->stuck, finding->threads, finding->from_begin }, 3);
	scope_sqlite.bind_double(row.statement, ++row.column, (double)finding->share_ppm / 1e6);
	numbers(&row,
		(const uint64_t[]){ finding->units, finding->excess_us, finding->usual_us, finding->p50_us,
				    finding->p99_us, finding->since_us, finding->last_us },
		7);
	return end(&row);
}

static int add_link(const struct scope_fleet_store *store, const struct scope_fleet_summary *summary, uint64_t id,
		    const struct scope_fleet_link *link, uint8_t *room)
{
	struct row row = begin(store, SCOPE_FLEET_LINK);

	numbers(&row, (const uint64_t[]){ id, link->answers }, 2);
	text(&row, scope_fleet_text(summary, link->client));
	text(&row, scope_fleet_text(summary, link->server));
	numbers(&row, (const uint64_t[]){ link->connections, link->exchanges, link->mixed }, 3);
	bytes(&row, room, scope_fleet_coarse_put(&link->wall, room));
	return end(&row);
}

static int add_exchange(const struct scope_fleet_store *store, const struct scope_fleet_summary *summary, uint64_t id,
			const struct scope_fleet_exchange *exchange)
{
	const struct scope_fleet_link *link = &summary->link[exchange->link];
	struct row row = begin(store, SCOPE_FLEET_EXCHANGE);

	numbers(&row, (const uint64_t[]){ id, link->answers }, 2);
	text(&row, scope_fleet_text(summary, link->client));
	text(&row, scope_fleet_text(summary, link->server));
	numbers(&row, (const uint64_t[]){ exchange->port, exchange->at_us, exchange->took_us }, 3);
	return end(&row);
}

/* SQLITE_DONE, or the first other result. */
static int add_rows(const struct scope_fleet_store *store, const struct scope_fleet_summary *summary, uint64_t id)
{
	uint8_t *room = malloc(SCOPE_FLEET_COARSE_BYTES(SCOPE_FLEET_BUCKETS));
	int code = room ? SQLITE_DONE : SQLITE_NOMEM;

	for (size_t i = 0; code == SQLITE_DONE && i < summary->labels; i++) {
		struct row row = begin(store, SCOPE_FLEET_LABEL);

		number(&row, id);
		text(&row, scope_fleet_text(summary, summary->label[i].key));
		text(&row, scope_fleet_text(summary, summary->label[i].value));
		code = end(&row);
	}
	for (size_t i = 0; code == SQLITE_DONE && i < summary->seconds; i++)
		code = add_second(store, summary, id, &summary->second[i], room);
	for (size_t i = 0; code == SQLITE_DONE && i < summary->excesses; i++)
		code = add_excess(store, summary, id, &summary->excess[i]);
	for (size_t i = 0; code == SQLITE_DONE && i < summary->findings; i++)
		code = add_finding(store, summary, id, &summary->finding[i]);
	for (size_t i = 0; code == SQLITE_DONE && i < summary->links; i++)
		code = add_link(store, summary, id, &summary->link[i], room);
	for (size_t i = 0; code == SQLITE_DONE && i < summary->exchanges; i++)
		code = add_exchange(store, summary, id, &summary->exchange[i]);
	free(room);
	return code;
}

int scope_fleet_store_add(struct scope_fleet_store *store, const struct scope_fleet_summary *summary,
			  struct scope_error *error, enum scope_fleet_added *ret_added)
{
	int code;

	if (has(store, summary)) {
		*ret_added = SCOPE_FLEET_TWICE;
		return 0;
	}
	if (overlaps(store, summary)) {
		*ret_added = SCOPE_FLEET_OVERLAP;
		return 0;
	}
	code = add_summary(store, summary);
	if (code == SQLITE_DONE)
		code = add_rows(store, summary, (uint64_t)scope_sqlite.last_insert_rowid(store->handle));
	if (code != SQLITE_DONE)
		return scope_fleet_store_fail(store, error);
	*ret_added = SCOPE_FLEET_ADDED;
	return 0;
}
