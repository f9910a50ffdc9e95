/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Serves one text over HTTP, for a collector that requests it repeatedly.
 *
 * Answers GET /metrics with the text that was set last, and 503 before there is one. It has no thread: requests are
 * answered inside scope_export_http_run(). There are at most SCOPE_HTTP_CONNECTIONS connections at a time, each with 32
 * KiB of memory and for 10 s.
 */
#ifndef SCOPE_EXPORT_HTTP_H
#define SCOPE_EXPORT_HTTP_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define SCOPE_HTTP_CONNECTIONS 16 /* no rule */

struct scope_http;

/*
 * address: "ADDRESS:PORT", "[ADDRESS]:PORT", or "PORT" for 127.0.0.1; port 0: any free port. 0, or -errno with error.
 * -EINVAL: the address is invalid; -ENOTSUP: this program was built without libmicrohttpd.
 */
int scope_export_http_create(const char *address, struct scope_error *error, struct scope_http **ret_http);
uint16_t scope_export_http_port(const struct scope_http *http);
/* Copies the text. 0 or -ENOMEM. */
int scope_export_http_set(struct scope_http *http, const char *text, size_t bytes);
/* Answers requests that have come, without waiting for more. */
void scope_export_http_run(struct scope_http *http);
void scope_export_http_destroy(struct scope_http *http); /* NULL is fine */

#endif
