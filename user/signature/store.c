// SPDX-License-Identifier: GPL-2.0-only
/* Opens the database of signatures and reads its rows. */
#include "signature/store_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/plain.h"

#define APPLICATION_ID 0x73636f70 /* "scop" */
#define BUSY_MS 10000		  /* no rule */
#define VERSION(number) "PRAGMA user_version = " #number ";"
#define SET_VERSION(number) VERSION(number)

static const char schema[] =
	"BEGIN;"
	"PRAGMA application_id = 1935896432;" SET_VERSION(
		SCOPE_STORE_VERSION) "CREATE TABLE build (id INTEGER PRIMARY KEY, build_id TEXT NOT NULL UNIQUE,"
				     " module TEXT NOT NULL, arch TEXT NOT NULL, runs INTEGER NOT NULL);"
				     "CREATE TABLE function (id INTEGER PRIMARY KEY, build INTEGER NOT NULL REFERENCES build,"
				     " name TEXT NOT NULL, start INTEGER NOT NULL, calls INTEGER NOT NULL,"
				     " left_out INTEGER NOT NULL, UNIQUE (build, name, start));"
				     "CREATE TABLE caller (function INTEGER NOT NULL REFERENCES function,"
				     " caller INTEGER NOT NULL REFERENCES function, calls INTEGER NOT NULL,"
				     " PRIMARY KEY (function, caller)) WITHOUT ROWID;"
				     "CREATE TABLE string (function INTEGER NOT NULL REFERENCES function, nr BLOB NOT NULL,"
				     " count INTEGER NOT NULL, PRIMARY KEY (function, nr)) WITHOUT ROWID;"
				     "CREATE TABLE episode (function INTEGER NOT NULL REFERENCES function, nr BLOB NOT NULL,"
				     " contiguous INTEGER NOT NULL, support INTEGER NOT NULL,"
				     " PRIMARY KEY (function, nr)) WITHOUT ROWID;"
				     "COMMIT;";

int scope_signature_store_default_path(char *ret_path, size_t room)
{
	const char *home = getenv("HOME"), *data = getenv("XDG_DATA_HOME");
	int length;

	if (!geteuid())
		length = snprintf(ret_path, room, "%s", SCOPE_STORE_SYSTEM_PATH);
	else if (data && data[0] == '/')
		length = snprintf(ret_path, room, "%s/scope/signatures.db", data);
	else if (home && home[0] == '/')
		length = snprintf(ret_path, room, "%s/.local/share/scope/signatures.db", home);
	else
		return -ENOENT;
	return length < 0 || (size_t)length >= room ? -ENAMETOOLONG : 0;
}

int scope_signature_store_failed(struct scope_store *store, struct scope_error *error)
{
	switch (scope_sqlite.errcode(store->handle)) {
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	case SQLITE_MISMATCH:
	case SQLITE_ERROR: /* tables are missing */
		return scope_error_set(error, -EBADMSG,
				       "%.200s is damaged, or no database of signatures (%.100s): move it "
				       "away and learn again, or import what was exported from it",
				       store->path, scope_sqlite.errmsg(store->handle));
	case SQLITE_NOMEM:
		return scope_error_set(error, -ENOMEM, "no memory left to read %.200s", store->path);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return scope_error_set(error, -EBUSY,
				       "%.200s is being written by another program: try "
				       "again when that has ended",
				       store->path);
	case SQLITE_FULL:
		return scope_error_set(error, -ENOSPC,
				       "%.200s cannot grow, the disk is full: free some "
				       "room, or name another file with --db",
				       store->path);
	default:
		return scope_error_set(error, -EIO,
				       "%.200s: %.150s; is it on a file system that takes "
				       "locks, and may it be written? --db names another file",
				       store->path, scope_sqlite.errmsg(store->handle));
	}
}

int scope_signature_store_prepare(struct scope_store *store, const char *sql, struct scope_error *error,
				  sqlite3_stmt **ret_statement)
{
	return scope_sqlite.prepare_v2(store->handle, sql, -1, ret_statement, NULL) == SQLITE_OK
		       ? 0
		       : scope_signature_store_failed(store, error);
}

int scope_signature_store_execute(struct scope_store *store, const char *sql, struct scope_error *error)
{
	return scope_sqlite.exec(store->handle, sql, NULL, NULL, NULL) == SQLITE_OK
		       ? 0
		       : scope_signature_store_failed(store, error);
}

static int make_directories(const char *path, struct scope_error *error)
{
	char part[PATH_MAX];

	if (strlen(path) >= sizeof(part))
		return scope_error_set(error, -ENAMETOOLONG, "%.200s…: that name is too long", path);
	strcpy(part, path);
	for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(part, 0755) && errno != EEXIST)
			return scope_error_set(error, -errno,
					       "%.200s cannot be made: %s; name another "
					       "file with --db",
					       part, strerror(errno));
		*slash = '/';
	}
	return 0;
}

static int get_pragma(struct scope_store *store, const char *sql, struct scope_error *error, int64_t *ret_value)
{
	sqlite3_stmt *statement;
	int err = scope_signature_store_prepare(store, sql, error, &statement);

	if (err)
		return err;
	if (scope_sqlite.step(statement) == SQLITE_ROW)
		*ret_value = scope_sqlite.column_int64(statement, 0);
	else
		err = scope_signature_store_failed(store, error);
	scope_sqlite.finalize(statement);
	return err;
}

/* Checks that the file is a database of signatures with a version that can be read. An empty file becomes one. */
static int check(struct scope_store *store, enum scope_store_mode mode, struct scope_error *error)
{
	int64_t application = 0, version = 0, tables = 0;
	int err = get_pragma(store, "PRAGMA application_id", error, &application);

	if (!err)
		err = get_pragma(store, "PRAGMA user_version", error, &version);
	if (!err)
		err = get_pragma(store, "SELECT count(*) FROM sqlite_master", error, &tables);
	if (err)
		return err;
	if (!application && !tables && mode == SCOPE_STORE_WRITE)
		return scope_signature_store_execute(store, schema, error);
	if (application != APPLICATION_ID)
		return scope_error_set(error, -EBADMSG,
				       "%.200s is no database of signatures: name one "
				       "with --db, or learn with `scope learn`",
				       store->path);
	if (version > SCOPE_STORE_VERSION)
		return scope_error_set(error, -EPROTO,
				       "%.200s is of version %" PRId64 ", this program knows versions up to "
				       "%d: use a newer scope, or one database for each with --db",
				       store->path, version, SCOPE_STORE_VERSION);
	if (version < SCOPE_STORE_VERSION && mode == SCOPE_STORE_WRITE)
		return scope_signature_store_execute(store, SET_VERSION(SCOPE_STORE_VERSION), error);
	return 0;
}

int scope_signature_store_open(const char *path, enum scope_store_mode mode, struct scope_error *error,
			       struct scope_store **ret_store)
{
	int flags = mode == SCOPE_STORE_READ ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
	struct scope_store *store;
	int err = 0;

	if (mode == SCOPE_STORE_READ && access(path, R_OK))
		return scope_error_set(error, -errno,
				       "%.200s: %s; learn signatures with `scope learn`, or "
				       "name the database with --db",
				       path, strerror(errno));
	err = scope_sqlite_load(error);
	if (!err && mode == SCOPE_STORE_WRITE)
		err = make_directories(path, error);
	store = err ? NULL : calloc(1, sizeof(*store));
	if (!store)
		return err ? err : scope_error_set(error, -ENOMEM, "no memory left");
	store->path = strdup(path);
	if (!store->path) {
		err = scope_error_set(error, -ENOMEM, "no memory left");
	} else if (scope_sqlite.open_v2(path, &store->handle, flags, NULL) != SQLITE_OK) {
		err = scope_signature_store_failed(store, error);
	} else {
		scope_sqlite.busy_timeout(store->handle, BUSY_MS);
		err = check(store, mode, error);
	}
	if (err) {
		scope_signature_store_close(store);
		return err;
	}
	*ret_store = store;
	return 0;
}

void scope_signature_store_close(struct scope_store *store)
{
	if (!store)
		return;
	scope_sqlite.close(store->handle);
	free(store->path);
	free(store);
}

void scope_signature_store_bytes(const uint16_t *nr, unsigned length, uint8_t *ret_bytes)
{
	for (unsigned i = 0; i < length; i++) {
		ret_bytes[2 * i] = (uint8_t)nr[i];
		ret_bytes[2 * i + 1] = (uint8_t)(nr[i] >> 8);
	}
}

/* A column of calls as numbers: at most room of them. Their count; -EBADMSG if it holds none. */
static int calls_of(sqlite3_stmt *statement, int column, uint16_t *ret_nr, unsigned room)
{
	const uint8_t *bytes = scope_sqlite.column_blob(statement, column);
	int count = scope_sqlite.column_bytes(statement, column);

	if (!bytes || count % 2 || count < 2 || (unsigned)count > 2 * room)
		return -EBADMSG;
	for (int i = 0; i < count / 2; i++)
		ret_nr[i] = (uint16_t)(bytes[2 * i] | bytes[2 * i + 1] << 8);
	return count / 2;
}

/* One query: each row is converted for the caller's function and passed to it. */
struct query {
	const char *sql;
	int64_t key; /* bound to ?1 */
	int (*hand_on)(const struct query *query, sqlite3_stmt *row);
	union {
		int (*build)(void *user, const struct scope_store_build *build);
		int (*function)(void *user, const struct scope_store_function *function);
		int (*caller)(void *user, const struct scope_store_caller *caller);
		int (*string)(void *user, const struct scope_string *string);
		int (*episode)(void *user, const struct scope_episode *episode);
	} take;
	void *user;
};

static int each(struct scope_store *store, const struct query *query, struct scope_error *error)
{
	sqlite3_stmt *statement;
	int step, err = scope_signature_store_prepare(store, query->sql, error, &statement);

	if (err)
		return err;
	scope_sqlite.bind_int64(statement, 1, query->key);
	while ((step = scope_sqlite.step(statement)) == SQLITE_ROW) {
		err = query->hand_on(query, statement);
		if (err == -EBADMSG)
			scope_error_set(error, err,
					"%.200s holds what no learning run wrote: move it "
					"away and learn again, or import what was exported from it",
					store->path);
		if (err)
			break;
	}
	if (!err && step != SQLITE_DONE)
		err = scope_signature_store_failed(store, error);
	scope_sqlite.finalize(statement);
	return err;
}

static const char *text(sqlite3_stmt *row, int column)
{
	const char *value = (const char *)scope_sqlite.column_text(row, column);

	/* Names of traces are plain already; a file of another program may have any bytes. */
	if (value && !scope_plain_is(value, SCOPE_PLAIN_SENTENCE))
		return "[unprintable]";
	return value ? value : "";
}

static int hand_build(const struct query *query, sqlite3_stmt *row)
{
	const struct scope_store_build build = {
		.id = scope_sqlite.column_int64(row, 0),
		.build_id = text(row, 1),
		.module = text(row, 2),
		.arch = text(row, 3),
		.runs = (uint64_t)scope_sqlite.column_int64(row, 4),
		.functions = (uint64_t)scope_sqlite.column_int64(row, 5),
		.episodes = (uint64_t)scope_sqlite.column_int64(row, 6),
	};

	return query->take.build(query->user, &build);
}

bool scope_signature_store_build_matches(const struct scope_store_build *build, const char *word)
{
	const size_t digits = word ? strlen(word) : 0;

	return !word || !strcmp(word, build->module) ||
	       (digits >= SCOPE_BUILD_ID_PART && !strncmp(word, build->build_id, digits));
}

int scope_signature_store_each_build(struct scope_store *store, struct scope_error *error,
				     int (*take)(void *user, const struct scope_store_build *build), void *user)
{
	const struct query query = {
		"SELECT id, build_id, module, arch, runs,"
		" (SELECT count(*) FROM function WHERE build = b.id),"
		" (SELECT count(*) FROM function f JOIN episode ON function = f.id WHERE build = b.id)"
		" FROM build b ORDER BY module, build_id",
		0,
		hand_build,
		{ .build = take },
		user,
	};

	return each(store, &query, error);
}

static int hand_function(const struct query *query, sqlite3_stmt *row)
{
	const struct scope_store_function function = {
		.id = scope_sqlite.column_int64(row, 0),
		.name = text(row, 1),
		.start = (uint64_t)scope_sqlite.column_int64(row, 2),
		.calls = (uint64_t)scope_sqlite.column_int64(row, 3),
		.left_out = (uint64_t)scope_sqlite.column_int64(row, 4),
		.strings = (uint64_t)scope_sqlite.column_int64(row, 5),
		.episodes = (uint64_t)scope_sqlite.column_int64(row, 6),
	};

	return query->take.function(query->user, &function);
}

int scope_signature_store_each_function(struct scope_store *store, int64_t build, struct scope_error *error,
					int (*take)(void *user, const struct scope_store_function *function),
					void *user)
{
	const struct query query = {
		"SELECT id, name, start, calls, left_out,"
		" (SELECT count(*) FROM string WHERE function = f.id),"
		" (SELECT count(*) FROM episode WHERE function = f.id)"
		" FROM function f WHERE build = ?1 ORDER BY name, start",
		build,
		hand_function,
		{ .function = take },
		user,
	};

	return each(store, &query, error);
}

static int hand_caller(const struct query *query, sqlite3_stmt *row)
{
	const struct scope_store_caller caller = {
		.function = scope_sqlite.column_int64(row, 0),
		.calls = (uint64_t)scope_sqlite.column_int64(row, 1),
	};

	return query->take.caller(query->user, &caller);
}

int scope_signature_store_each_caller(struct scope_store *store, int64_t function, struct scope_error *error,
				      int (*take)(void *user, const struct scope_store_caller *caller), void *user)
{
	const struct query query = {
		"SELECT caller, c.calls FROM caller c JOIN function f ON f.id = caller"
		" JOIN build b ON b.id = f.build WHERE function = ?1"
		" ORDER BY c.calls DESC, f.name, f.start, build_id",
		function,
		hand_caller,
		{ .caller = take },
		user,
	};

	return each(store, &query, error);
}

static int hand_string(const struct query *query, sqlite3_stmt *row)
{
	uint16_t nr[SCOPE_LEARN_STRING_MAX];
	int length = calls_of(row, 0, nr, SCOPE_LEARN_STRING_MAX);
	const struct scope_string string = {
		nr,
		length > 0 ? (size_t)length : 0,
		(uint64_t)scope_sqlite.column_int64(row, 1),
	};

	if (length < 0)
		return length;
	return query->take.string(query->user, &string);
}

int scope_signature_store_each_string(struct scope_store *store, int64_t function, struct scope_error *error,
				      int (*take)(void *user, const struct scope_string *string), void *user)
{
	const struct query query = {
		"SELECT nr, count FROM string WHERE function = ?1 ORDER BY nr",
		function,
		hand_string,
		{ .string = take },
		user,
	};

	return each(store, &query, error);
}

static int hand_episode(const struct query *query, sqlite3_stmt *row)
{
	struct scope_episode episode = {
		.contiguous = scope_sqlite.column_int(row, 1),
		.support = (uint64_t)scope_sqlite.column_int64(row, 2),
	};
	int length = calls_of(row, 0, episode.nr, SCOPE_EPISODE_MAX);

	episode.length = length > 0 ? (uint8_t)length : 0;
	if (!scope_signature_episode_valid(&episode))
		return -EBADMSG;
	return query->take.episode(query->user, &episode);
}

int scope_signature_store_each_episode(struct scope_store *store, int64_t function, struct scope_error *error,
				       int (*take)(void *user, const struct scope_episode *episode), void *user)
{
	const struct query query = {
		"SELECT nr, contiguous, support FROM episode WHERE function = ?1"
		" ORDER BY support DESC, nr",
		function,
		hand_episode,
		{ .episode = take },
		user,
	};

	return each(store, &query, error);
}
