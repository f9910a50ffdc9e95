// SPDX-License-Identifier: GPL-2.0-only
/* Adds a learning run to the database of signatures. */
#include "signature/store_internal.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"

enum statement {
	BUILD,
	FUNCTION,
	CALLER,
	STRING,
	FORGET,
	EPISODE,
	STATEMENTS,
};

static const char *const sql[STATEMENTS] = {
	[BUILD] = "INSERT INTO build (build_id, module, arch, runs) VALUES (?, ?, ?, ?)"
		  " ON CONFLICT DO UPDATE SET runs = runs + excluded.runs RETURNING id",
	[FUNCTION] = "INSERT INTO function (build, name, start, calls, left_out)"
		     " VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET calls = calls + excluded.calls,"
		     " left_out = left_out + excluded.left_out RETURNING id",
	[CALLER] = "INSERT INTO caller VALUES (?, ?, ?)"
		   " ON CONFLICT DO UPDATE SET calls = calls + excluded.calls",
	[STRING] = "INSERT INTO string VALUES (?, ?, ?)"
		   " ON CONFLICT DO UPDATE SET count = count + excluded.count",
	[FORGET] = "DELETE FROM episode WHERE function = ?",
	[EPISODE] = "INSERT INTO episode VALUES (?, ?, ?, ?)",
};

struct adder {
	struct scope_store *store;
	const struct scope_learned *learned;
	struct scope_error *error;
	sqlite3_stmt *statement[STATEMENTS];
	int64_t *build, *function; /* ids of rows, by index in learned */
};

/* Runs it with the values bound to it so far; *ret_id, where not NULL, is what it returns. */
static int step(struct adder *adder, enum statement which, int64_t *ret_id)
{
	sqlite3_stmt *statement = adder->statement[which];
	int result = scope_sqlite.step(statement), err = 0;

	if (result == SQLITE_ROW && ret_id)
		*ret_id = scope_sqlite.column_int64(statement, 0);
	else if (result != SQLITE_DONE)
		err = scope_signature_store_failed(adder->store, adder->error);
	scope_sqlite.reset(statement);
	scope_sqlite.clear_bindings(statement);
	return err;
}

static int add_builds(struct adder *adder)
{
	sqlite3_stmt *statement = adder->statement[BUILD];
	int err = 0;

	for (size_t i = 0; !err && i < adder->learned->builds; i++) {
		const struct scope_signature_learned_build *build = &adder->learned->build[i];

		scope_sqlite.bind_text(statement, 1, build->build_id, -1, SQLITE_STATIC);
		scope_sqlite.bind_text(statement, 2, build->module, -1, SQLITE_STATIC);
		scope_sqlite.bind_text(statement, 3, build->arch, -1, SQLITE_STATIC);
		scope_sqlite.bind_int64(statement, 4, (int64_t)build->runs);
		err = step(adder, BUILD, &adder->build[i]);
	}
	return err;
}

static int add_strings(struct adder *adder, const struct scope_signature_learned_function *function, int64_t id)
{
	sqlite3_stmt *statement = adder->statement[STRING];
	int err = 0;

	for (size_t i = 0; !err && i < function->strings; i++) {
		const struct scope_signature_learned_string *string = &function->string[i];
		uint8_t bytes[2 * SCOPE_LEARN_STRING_MAX];

		scope_signature_store_bytes(string->nr, string->length, bytes);
		scope_sqlite.bind_int64(statement, 1, id);
		scope_sqlite.bind_blob(statement, 2, bytes, 2 * string->length, SQLITE_TRANSIENT);
		scope_sqlite.bind_int64(statement, 3, (int64_t)string->count);
		err = step(adder, STRING, NULL);
	}
	return err;
}

static int add_functions(struct adder *adder)
{
	sqlite3_stmt *statement = adder->statement[FUNCTION];
	int err = 0;

	for (size_t i = 0; !err && i < adder->learned->functions; i++) {
		const struct scope_signature_learned_function *function = &adder->learned->function[i];

		scope_sqlite.bind_int64(statement, 1, adder->build[function->build]);
		scope_sqlite.bind_text(statement, 2, function->name, -1, SQLITE_STATIC);
		scope_sqlite.bind_int64(statement, 3, (int64_t)function->start);
		scope_sqlite.bind_int64(statement, 4, (int64_t)function->calls);
		scope_sqlite.bind_int64(statement, 5, (int64_t)function->left_out);
		err = step(adder, FUNCTION, &adder->function[i]);
		if (!err)
			err = add_strings(adder, function, adder->function[i]);
	}
	return err;
}

static int add_callers(struct adder *adder)
{
	sqlite3_stmt *statement = adder->statement[CALLER];
	int err = 0;

	for (size_t i = 0; i < adder->learned->functions; i++) {
		const struct scope_signature_learned_function *function = &adder->learned->function[i];

		for (size_t j = 0; !err && j < function->callers; j++) {
			scope_sqlite.bind_int64(statement, 1, adder->function[i]);
			scope_sqlite.bind_int64(statement, 2, adder->function[function->caller[j].function]);
			scope_sqlite.bind_int64(statement, 3, (int64_t)function->caller[j].calls);
			err = step(adder, CALLER, NULL);
		}
	}
	return err;
}

/* The strings of one function as they are in the database: the calls one after another. */
struct strings {
	struct scope_string *string;
	size_t count, capacity;
	uint16_t *nr;
	size_t calls, call_capacity;
};

static int take_string(void *user, const struct scope_string *string)
{
	struct strings *strings = user;

	if (scope_grow(&strings->string, &strings->capacity, strings->count + 1, sizeof(*strings->string)) ||
	    scope_grow(&strings->nr, &strings->call_capacity, strings->calls + string->length, sizeof(*strings->nr)))
		return -ENOMEM;
	strings->string[strings->count++] = *string;
	for (size_t i = 0; i < string->length; i++)
		strings->nr[strings->calls++] = string->nr[i];
	return 0;
}

static int store_episodes(struct adder *adder, int64_t function, const struct scope_episode *episode, size_t count)
{
	sqlite3_stmt *statement = adder->statement[EPISODE];
	int err = 0;

	for (size_t i = 0; !err && i < count; i++) {
		uint8_t bytes[2 * SCOPE_EPISODE_MAX];

		scope_signature_store_bytes(episode[i].nr, episode[i].length, bytes);
		scope_sqlite.bind_int64(statement, 1, function);
		scope_sqlite.bind_blob(statement, 2, bytes, 2 * episode[i].length, SQLITE_TRANSIENT);
		scope_sqlite.bind_int64(statement, 3, episode[i].contiguous);
		scope_sqlite.bind_int64(statement, 4, (int64_t)episode[i].support);
		err = step(adder, EPISODE, NULL);
	}
	return err;
}

static int mine(struct adder *adder, int64_t function, const struct scope_mine_options *options, size_t *ret_count)
{
	struct strings strings = { 0 };
	struct scope_episode *episode = NULL;
	size_t count = 0, at = 0;
	int err = scope_signature_store_each_string(adder->store, function, adder->error, take_string, &strings);

	for (size_t i = 0; !err && i < strings.count; i++) {
		strings.string[i].nr = strings.nr + at;
		at += strings.string[i].length;
	}
	if (!err)
		err = scope_signature_mine(strings.string, strings.count, options, &episode, &count);
	free(strings.string);
	free(strings.nr);
	if (!err) {
		scope_sqlite.bind_int64(adder->statement[FORGET], 1, function);
		err = step(adder, FORGET, NULL);
	}
	if (!err)
		err = store_episodes(adder, function, episode, count);
	free(episode);
	*ret_count = count;
	return err;
}

static int add(struct adder *adder, const struct scope_mine_options *options, size_t *ret_episodes)
{
	int err = 0;

	*ret_episodes = 0;
	for (int i = 0; !err && i < STATEMENTS; i++)
		err = scope_signature_store_prepare(adder->store, sql[i], adder->error, &adder->statement[i]);
	if (!err)
		err = add_builds(adder);
	if (!err)
		err = add_functions(adder);
	if (!err)
		err = add_callers(adder);
	for (size_t i = 0; !err && i < adder->learned->functions; i++) {
		size_t count;

		err = mine(adder, adder->function[i], options, &count);
		*ret_episodes += err ? 0 : count;
	}
	for (int i = 0; i < STATEMENTS; i++)
		scope_sqlite.finalize(adder->statement[i]);
	return err;
}

int scope_signature_store_add(struct scope_store *store, const struct scope_learned *learned,
			      const struct scope_mine_options *options, struct scope_error *error, size_t *ret_episodes)
{
	struct adder adder = {
		.store = store,
		.learned = learned,
		.error = error,
		.build = calloc(learned->builds + 1, sizeof(*adder.build)),
		.function = calloc(learned->functions + 1, sizeof(*adder.function)),
	};
	size_t episodes = 0;
	int err = adder.build && adder.function ? scope_signature_store_execute(store, "BEGIN IMMEDIATE", error)
						: -ENOMEM;

	if (!err) {
		err = add(&adder, options, &episodes);
		if (!err)
			err = scope_signature_store_execute(store, "COMMIT", error);
		if (err)
			scope_sqlite.exec(store->handle, "ROLLBACK", NULL, NULL, NULL);
	}
	if (err == -ENOMEM)
		scope_error_set(error, err, "no memory left to add to the signatures");
	free(adder.build);
	free(adder.function);
	if (!err)
		*ret_episodes = episodes;
	return err;
}
