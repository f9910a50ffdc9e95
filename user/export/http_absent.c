// SPDX-License-Identifier: GPL-2.0-only
/* Replaces http.c if libmicrohttpd is not available or cannot be linked. */
#include "export/http.h"

#include <errno.h>

int scope_export_http_create(const char *address, struct scope_error *error, struct scope_http **ret_http)
{
	(void)address, (void)ret_http;
	return scope_error_set(
		error, -ENOTSUP,
		"--listen: this program was built without libmicrohttpd; print with --format openmetrics");
}

uint16_t scope_export_http_port(const struct scope_http *http)
{
	(void)http;
	return 0;
}

int scope_export_http_set(struct scope_http *http, const char *text, size_t bytes)
{
	(void)http, (void)text, (void)bytes;
	return 0;
}

void scope_export_http_run(struct scope_http *http)
{
	(void)http;
}

void scope_export_http_destroy(struct scope_http *http)
{
	(void)http;
}
