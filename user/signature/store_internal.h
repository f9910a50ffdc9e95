/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files that open, extend and read the database. */
#ifndef SCOPE_SIGNATURE_STORE_INTERNAL_H
#define SCOPE_SIGNATURE_STORE_INTERNAL_H

#include "base/libsqlite.h"
#include "signature/store.h"

struct scope_store {
	sqlite3 *handle;
	char *path;
};

/* Makes of SQLite's last error a sentence with a remedy. Returns a negative code. */
int scope_signature_store_failed(struct scope_store *store, struct scope_error *error);

int scope_signature_store_prepare(struct scope_store *store, const char *sql, struct scope_error *error,
				  sqlite3_stmt **ret_statement);

/* Statements that return no rows. */
int scope_signature_store_execute(struct scope_store *store, const char *sql, struct scope_error *error);

/* As bytes of a column: 2 * length of them in ret_bytes. */
void scope_signature_store_bytes(const uint16_t *nr, unsigned length, uint8_t *ret_bytes);

#endif
