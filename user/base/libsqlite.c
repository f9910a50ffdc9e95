// SPDX-License-Identifier: GPL-2.0-only
/* Loads SQLite. */
#include "base/libsqlite.h"

struct scope_sqlite scope_sqlite;

#define FUNCTION(name) SCOPE_LIBRARY_FUNCTION(scope_sqlite, sqlite3_, name)

int scope_sqlite_load(struct scope_error *error)
{
	static const struct scope_library_function functions[] = { SCOPE_SQLITE_FUNCTIONS(FUNCTION) };

	return scope_library_load("libsqlite3.so.0", "libsqlite3-0", functions, sizeof(functions) / sizeof(*functions),
				  error);
}
