/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Queries over HTTP to ClickHouse, with the settings of a file.
 *
 * The file has lines KEY = VALUE, and comments from # on: user, password, database (default: default), ca (a file of
 * certificates by which that of the server is checked). Only its owner may read a file with a password.
 */
#ifndef SCOPE_FLEET_HTTP_CLIENT_H
#define SCOPE_FLEET_HTTP_CLIENT_H

#include <stddef.h>

#include "base/error.h"

#define SCOPE_FLEET_TRIES 5 /* no rule: tries of a query if nobody answers, or the server is busy: 15 s in all */

struct scope_fleet_client;

/* url: "http://HOST:PORT" or https. settings: a file as above, or NULL. 0, or -errno with error; -ENOTSUP: built without libcurl. */
int scope_fleet_client_create(const char *url, const char *settings, struct scope_error *error,
			      struct scope_fleet_client **ret_client);
void scope_fleet_client_destroy(struct scope_fleet_client *client); /* NULL is fine */

/*
 * Posts a query and, after it, rows (NULL: none). *ret_answer is malloc'd, with a zero byte at its end. It is
 * repeated if nobody answers or the server says that it is busy, so rows must be such that a second copy does no
 * harm. 0; -EIO: nobody answered in time, or the server refused, with its words in error; -ENOMEM.
 */
int scope_fleet_client_query(struct scope_fleet_client *client, const char *query, const char *rows, size_t bytes,
			     struct scope_error *error, char **ret_answer);

#endif
