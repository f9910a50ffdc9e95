/* SPDX-License-Identifier: GPL-2.0-only */
/* Files by build-id from debuginfod servers, which get so much time and no more. */
#ifndef SCOPE_SYMBOL_SERVER_H
#define SCOPE_SYMBOL_SERVER_H

#include <stdbool.h>

struct scope_server;

/* NULL where servers can be asked, else why not, with the remedy: half a sentence, never freed. */
const char *scope_symbol_server_missing(void);

/*
 * say: told once, in a sentence, why nothing more is asked for; a server that does not have a file is
 * no reason. NULL where there is no memory, or no libdebuginfod.so.1: nothing is asked for then. Free
 * with scope_symbol_server_destroy(), which takes NULL.
 */
struct scope_server *scope_symbol_server_create(void (*say)(void *context, const char *sentence), void *context);
void scope_symbol_server_destroy(struct scope_server *server);

/*
 * The program of that build-id, or its debug file, from whichever of DEBUGINFOD_URLS has it; they are
 * kept where libdebuginfod keeps them. An answer that has not begun, or grown, for 20 s, or for
 * DEBUGINFOD_TIMEOUT seconds, is none, and the last that is asked for. server: NULL is fine. A
 * descriptor, or -1; *ret_path (NULL is fine) is the caller's to free.
 */
int scope_symbol_server_find(struct scope_server *server, const unsigned char *id, int id_bytes, bool program,
			     char **ret_path);

#endif
