// SPDX-License-Identifier: GPL-2.0-only
/* Asks debuginfod servers through libdebuginfod, which is loaded at the first use. Waits have a limit. */
#include "symbol/server.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/shared_library.h"
#include "base/now.h"

#define WAIT_S 20
#define LIBRARY "libdebuginfod.so.1"
#define PACKAGE "libdebuginfod1"

struct debuginfod_client;

typedef int find_fn(struct debuginfod_client *client, const unsigned char *id, int id_bytes, char **path);

struct scope_server {
	struct debuginfod_client *client;
	find_fn *find_debuginfo, *find_executable;
	void (*end)(struct debuginfod_client *client);
	void (*say)(void *context, const char *sentence);
	void *context;
	uint64_t wait_ns, since_ns; /* for how long no byte has come, and since when */
	long got;
	bool late, given_up;
};

/* The server of a client, because keep_on() gets only the client. */
static void *(*user_of_client)(struct debuginfod_client *client);

/*
 * If this returns another value than 0, the query ends. If the total of bytes (`all`) is known, `got` counts bytes,
 * else it counts calls of this function.
 */
static int keep_on(struct debuginfod_client *client, long got, long all)
{
	struct scope_server *server = user_of_client(client);

	if (all > 0 && got != server->got) {
		server->got = got;
		server->since_ns = scope_now_ns();
	}
	server->late = scope_now_ns() - server->since_ns >= server->wait_ns;
	return server->late;
}

static bool load(struct scope_server *server)
{
	struct debuginfod_client *(*begin)(void);
	void (*set_progress)(struct debuginfod_client * client,
			     int (*progress)(struct debuginfod_client * client, long got, long all));
	void (*set_user)(struct debuginfod_client * client, void *user);
	const struct scope_library_function functions[] = {
		{ "debuginfod_begin", &begin, NULL },
		{ "debuginfod_set_progressfn", &set_progress, NULL },
		{ "debuginfod_set_user_data", &set_user, NULL },
		{ "debuginfod_get_user_data", &user_of_client, NULL },
		{ "debuginfod_end", &server->end, NULL },
		{ "debuginfod_find_debuginfo", &server->find_debuginfo, NULL },
		{ "debuginfod_find_executable", &server->find_executable, NULL },
	};

	if (scope_library_load(LIBRARY, PACKAGE, functions, sizeof(functions) / sizeof(*functions), NULL))
		return false;
	server->client = begin();
	if (!server->client)
		return false;
	set_user(server->client, server);
	set_progress(server->client, keep_on);
	return true;
}

const char *scope_symbol_server_missing(void)
{
	return scope_library_load(LIBRARY, PACKAGE, NULL, 0, NULL)
		       ? "libdebuginfod is not here: install the package " PACKAGE
		       : NULL;
}

struct scope_server *scope_symbol_server_create(void (*say)(void *context, const char *sentence), void *context)
{
	struct scope_server *server = calloc(1, sizeof(*server));
	const char *wait = getenv("DEBUGINFOD_TIMEOUT");
	long seconds = wait ? strtol(wait, NULL, 10) : 0;

	if (!server)
		return NULL;
	server->say = say;
	server->context = context;
	server->wait_ns = (uint64_t)(seconds > 0 && seconds < 86400 ? seconds : WAIT_S) * 1000000000;
	if (load(server))
		return server;
	scope_symbol_server_destroy(server);
	return NULL;
}

void scope_symbol_server_destroy(struct scope_server *server)
{
	if (!server)
		return;
	if (server->client)
		server->end(server->client);
	free(server);
}

/* Sends no further requests, because each would wait for the same time again. */
static void give_up(struct scope_server *server, int err)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	const unsigned long long wait_s = server->wait_ns / 1000000000;
	char text[512], why[192];

	/* A query that keep_on() ended is remembered in its cache as one for a file that is not there. */
	if (server->late)
		snprintf(why, sizeof(why),
			 "no answer within %llu s; DEBUGINFOD_TIMEOUT sets how "
			 "long to wait, and the same file is asked for again after 10 minutes "
			 "(cache_miss_s in its cache)",
			 wait_s);
	else if (err == ETIME || err == ETIMEDOUT)
		snprintf(why, sizeof(why),
			 "no answer within %llu s; DEBUGINFOD_TIMEOUT sets how "
			 "long to wait",
			 wait_s);
	else
		snprintf(why, sizeof(why), "%s; see that it can be reached from here", strerror(err));
	snprintf(text, sizeof(text),
		 "debuginfod at %.200s: %s; files that only it may have were "
		 "not asked for",
		 urls ? urls : "", why);
	server->given_up = true;
	server->say(server->context, text);
}

int scope_symbol_server_find(struct scope_server *server, const unsigned char *id, int id_bytes, bool program,
			     char **ret_path)
{
	char *path = NULL;
	int fd;

	if (!server || server->given_up || id_bytes <= 0)
		return -1;
	server->since_ns = scope_now_ns();
	server->got = -1;
	server->late = false;
	fd = (program ? server->find_executable : server->find_debuginfo)(server->client, id, id_bytes, &path);
	if (fd >= 0 && ret_path) {
		*ret_path = path;
		return fd;
	}
	free(path);
	/* A query that keep_on() ended looks like one for a file that is not there. */
	if (fd < 0 && (fd != -ENOENT || server->late))
		give_up(server, -fd);
	return fd < 0 ? -1 : fd;
}
