// SPDX-License-Identifier: GPL-2.0-only
/* Sends a text to a URL. */
#include "watch/webhook.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/libcurl.h"

#define TRIES 3
#define WAIT_S 2 /* after the first; twice that after the next */
#define TIMEOUT_S 10l

int scope_watch_webhook_check(const char *url, struct scope_error *error)
{
	const size_t scheme = !strncasecmp(url, "http://", 7) ? 7 : !strncasecmp(url, "https://", 8) ? 8 : 0;

	if (!scheme || !url[scheme] || strchr("/:?#", url[scheme]))
		return scope_error_set(error, -EINVAL,
				       "--webhook wants a URL that begins with http:// or https:// and a host");
	return scope_curl_load(error);
}

static size_t leave(char *data, size_t size, size_t count, void *context)
{
	(void)data, (void)context;
	return size * count;
}

static CURLcode post(CURL *curl, const char *url, const char *json, const struct curl_slist *headers)
{
	scope_curl.easy_setopt(curl, CURLOPT_URL, url);
	scope_curl.easy_setopt(curl, CURLOPT_FAILONERROR, 1l);
	scope_curl.easy_setopt(curl, CURLOPT_NOSIGNAL, 1l);
	scope_curl.easy_setopt(curl, CURLOPT_TIMEOUT, TIMEOUT_S);
	scope_curl.easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	scope_curl.easy_setopt(curl, CURLOPT_POSTFIELDS, json);
	scope_curl.easy_setopt(curl, CURLOPT_WRITEFUNCTION, leave);
	return scope_curl.easy_perform(curl);
}

int scope_watch_webhook_post(const char *url, const char *json, struct scope_error *error)
{
	struct curl_slist *headers = scope_curl.slist_append(NULL, "Content-Type: application/json");
	CURL *curl = scope_curl.easy_init();
	CURLcode code = CURLE_FAILED_INIT;
	long status = 0;

	for (unsigned i = 0; curl && headers && i < TRIES && code; i++) {
		if (i)
			sleep(WAIT_S * i);
		code = post(curl, url, json, headers);
	}
	if (curl)
		scope_curl.easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	if (!code && (status < 200 || status > 299))
		scope_error_set(error, -EIO, "the webhook answered with status %ld", status);
	else if (code)
		scope_error_set(error, -EIO, "the webhook did not take the incident: %s",
				scope_curl.easy_strerror(code));
	scope_curl.slist_free_all(headers);
	scope_curl.easy_cleanup(curl);
	return code || status < 200 || status > 299 ? -EIO : 0;
}
