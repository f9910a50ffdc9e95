// SPDX-License-Identifier: GPL-2.0-only
/* Replaces http_client.c if libcurl is not available. */
#include <errno.h>

#include "fleet/http_client.h"

int scope_fleet_client_create(const char *url, const char *settings, struct scope_error *error,
			      struct scope_fleet_client **ret_client)
{
	(void)url, (void)settings, (void)ret_client;
	return scope_error_set(error, -ENOTSUP,
			       "this scope was built without libcurl: report over files, or build it with libcurl");
}

void scope_fleet_client_destroy(struct scope_fleet_client *client)
{
	(void)client;
}

int scope_fleet_client_query(struct scope_fleet_client *client, const char *query, const char *rows, size_t bytes,
			     struct scope_error *error, char **ret_answer)
{
	(void)client, (void)query, (void)rows, (void)bytes, (void)ret_answer;
	return scope_error_set(error, -ENOTSUP, "this scope was built without libcurl");
}
