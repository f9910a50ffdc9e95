// SPDX-License-Identifier: GPL-2.0-only
/* Replaces webhook.c if libcurl is not available or cannot be linked. */
#include "watch/webhook.h"

#include <errno.h>

int scope_watch_webhook_check(const char *url, struct scope_error *error)
{
	(void)url;
	return scope_error_set(error, -ENOTSUP, "--webhook: this program was built without libcurl; use --exec");
}

int scope_watch_webhook_post(const char *url, const char *json, struct scope_error *error)
{
	(void)json;
	return scope_watch_webhook_check(url, error);
}
