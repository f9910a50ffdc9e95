/* SPDX-License-Identifier: GPL-2.0-only */
/* Files by build-id from debuginfod servers, with a limit on the time of waiting. */
#ifndef SCOPE_SYMBOL_SERVER_H
#define SCOPE_SYMBOL_SERVER_H

#include <stdbool.h>

struct scope_server;

/* NULL if servers can be asked, else the reason and the remedy, as a part of a sentence; never freed. */
const char *scope_symbol_server_missing(void);

/*
 * say: called at most once, with a sentence that says why no more files are requested. (That a server does not have a
 * file is no such reason.) Returns NULL without memory or libdebuginfod.so.1; then no file is requested. Free with
 * scope_symbol_server_destroy(), which takes NULL.
 */
struct scope_server *scope_symbol_server_create(void (*say)(void *context, const char *sentence), void *context);
void scope_symbol_server_destroy(struct scope_server *server);

/*
 * The program with that build-id, or its debug file, from the server of DEBUGINFOD_URLS that has it. The file is kept
 * in libdebuginfod's cache. If no byte has come for 20 s, or for DEBUGINFOD_TIMEOUT seconds, the query fails, and no
 * further queries are sent. server: NULL is fine. A descriptor, or -1; *ret_path (NULL is fine) is freed by the caller.
 */
int scope_symbol_server_find(struct scope_server *server, const unsigned char *id, int id_bytes, bool program,
			     char **ret_path);

#endif
