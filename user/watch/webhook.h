/* SPDX-License-Identifier: GPL-2.0-only */
/* Sends a text to a URL. */
#ifndef SCOPE_WATCH_WEBHOOK_H
#define SCOPE_WATCH_WEBHOOK_H

#include "base/error.h"

/* 0; -EINVAL it is no http or https URL, -ENOTSUP this program was built without libcurl; with error filled. */
int scope_watch_webhook_check(const char *url, struct scope_error *error);

/*
 * Posts JSON, three times at most, each within 10 s; follows no redirection. 0: the server answered with a status from
 * 200 to 299; -EIO with error filled.
 */
int scope_watch_webhook_post(const char *url, const char *json, struct scope_error *error);

#endif
