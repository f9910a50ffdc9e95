/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions of SQLite that Scope uses: see base/shared_library.h. */
#ifndef SCOPE_BASE_LIBSQLITE_H
#define SCOPE_BASE_LIBSQLITE_H

#include <sqlite3.h>

#include "base/shared_library.h"

#define SCOPE_SQLITE_FUNCTIONS(F)                                                                                      \
	F(aggregate_context)                                                                                           \
	F(bind_blob)                                                                                                   \
	F(bind_double)                                                                                                 \
	F(bind_int64)                                                                                                  \
	F(bind_parameter_count)                                                                                        \
	F(bind_text)                                                                                                   \
	F(busy_timeout)                                                                                                \
	F(clear_bindings)                                                                                              \
	F(close)                                                                                                       \
	F(column_blob)                                                                                                 \
	F(column_bytes)                                                                                                \
	F(column_int)                                                                                                  \
	F(column_int64)                                                                                                \
	F(column_text)                                                                                                 \
	F(create_function)                                                                                             \
	F(errcode)                                                                                                     \
	F(errmsg)                                                                                                      \
	F(exec)                                                                                                        \
	F(finalize)                                                                                                    \
	F(last_insert_rowid)                                                                                           \
	F(open)                                                                                                        \
	F(open_v2)                                                                                                     \
	F(prepare_v2)                                                                                                  \
	F(reset)                                                                                                       \
	F(result_blob)                                                                                                 \
	F(result_blob64)                                                                                               \
	F(result_error_nomem)                                                                                          \
	F(step)                                                                                                        \
	F(value_blob)                                                                                                  \
	F(value_bytes)

#define SCOPE_SQLITE_MEMBER(name) SCOPE_LIBRARY_MEMBER(sqlite3_, name)

/* Filled by scope_sqlite_load(), which therefore comes first. */
extern struct scope_sqlite {
	SCOPE_SQLITE_FUNCTIONS(SCOPE_SQLITE_MEMBER)
} scope_sqlite;

/* 0, or -ENOTSUP with error (NULL is fine). */
int scope_sqlite_load(struct scope_error *error);

#endif
