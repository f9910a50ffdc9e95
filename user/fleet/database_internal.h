/* SPDX-License-Identifier: GPL-2.0-only */
/* The internals of the database of summaries, only for database.c and database_facts.c. */
#ifndef SCOPE_FLEET_DATABASE_INTERNAL_H
#define SCOPE_FLEET_DATABASE_INTERNAL_H

#include "base/libsqlite.h"
#include "fleet/database.h"

enum scope_fleet_statement {
	SCOPE_FLEET_HAS,
	SCOPE_FLEET_OVERLAPS,
	SCOPE_FLEET_SUMMARY,
	SCOPE_FLEET_LABEL,
	SCOPE_FLEET_SECOND,
	SCOPE_FLEET_EXCESS,
	SCOPE_FLEET_FINDING,
	SCOPE_FLEET_LINK,
	SCOPE_FLEET_EXCHANGE,
	SCOPE_FLEET_STATEMENTS,
};

struct scope_fleet_store {
	sqlite3 *handle;
	sqlite3_stmt *statement[SCOPE_FLEET_STATEMENTS];
	const char *name;
};

/* Fills error with SQLite's last message; returns -errno. */
int scope_fleet_store_fail(const struct scope_fleet_store *store, struct scope_error *error);

#endif
