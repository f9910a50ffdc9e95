// SPDX-License-Identifier: GPL-2.0-only
/* Replaces server.c in a program that cannot load libraries: the one of `make static`. */
#include <stddef.h>

#include "symbol/server.h"

const char *scope_symbol_server_missing(void)
{
	return "this scope is the static one, which loads no library: report on the saved trace with a scope "
	       "that has libdebuginfod, or name a folder of debug files with --debug-dir";
}

struct scope_server *scope_symbol_server_create(void (*say)(void *context, const char *sentence), void *context)
{
	(void)say;
	(void)context;
	return NULL;
}

void scope_symbol_server_destroy(struct scope_server *server)
{
	(void)server;
}

int scope_symbol_server_find(struct scope_server *server, const unsigned char *id, int id_bytes, bool program,
			     char **ret_path)
{
	(void)server;
	(void)id;
	(void)id_bytes;
	(void)program;
	(void)ret_path;
	return -1;
}
