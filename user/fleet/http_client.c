// SPDX-License-Identifier: GPL-2.0-only
/* Queries over HTTP to ClickHouse. */
#include "fleet/http_client.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/libcurl.h"
#include "base/grow.h"

#define CONNECT_S 5l		  /* no rule */
#define TIMEOUT_S 60l		  /* no rule */
#define ANSWER_MAX (256ull << 20) /* no rule: bytes */

struct scope_fleet_client {
	CURL *curl;
	char *url;
	char user[128], password[256], database[128], ca[1024];
	char *answer;
	size_t bytes, capacity;
};

static size_t take_answer(char *data, size_t size, size_t count, void *context)
{
	struct scope_fleet_client *client = context;

	if (client->bytes + size * count > ANSWER_MAX ||
	    scope_grow(&client->answer, &client->capacity, client->bytes + size * count + 1, 1))
		return 0;
	memcpy(client->answer + client->bytes, data, size * count);
	client->bytes += size * count;
	client->answer[client->bytes] = '\0';
	return size * count;
}

static char *trimmed(char *text)
{
	char *end = text + strlen(text);

	while (end > text && isspace((unsigned char)end[-1]))
		*--end = '\0';
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

static int take_line(struct scope_fleet_client *client, const char *path, char *line, struct scope_error *error)
{
	const struct {
		const char *key;
		char *to;
		size_t room;
	} known[] = {
		{ "user", client->user, sizeof(client->user) },
		{ "password", client->password, sizeof(client->password) },
		{ "database", client->database, sizeof(client->database) },
		{ "ca", client->ca, sizeof(client->ca) },
	};
	char *value = strchr(line, '='), *key = trimmed(line);

	if (!*key || *key == '#')
		return 0;
	if (!value)
		return scope_error_set(error, -EINVAL, "%s: a line is not KEY = VALUE: '%s'", path, key);
	*value++ = '\0';
	key = trimmed(key);
	value = trimmed(value);
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (strcmp(known[i].key, key))
			continue;
		if (strlen(value) >= known[i].room)
			return scope_error_set(error, -EINVAL, "%s: the value of %s is too long", path, key);
		strcpy(known[i].to, value);
		return 0;
	}
	return scope_error_set(error, -EINVAL, "%s: '%s' is not known: user, password, database and ca are", path, key);
}

static int read_settings(struct scope_fleet_client *client, const char *path, struct scope_error *error)
{
	FILE *file = fopen(path, "re");
	struct stat status;
	char *line = NULL;
	size_t room = 0;
	int err = 0;

	if (!file || fstat(fileno(file), &status)) {
		err = scope_error_set(error, -errno, "%s cannot be read: %s", path, strerror(errno));
		if (file)
			fclose(file);
		return err;
	}
	while (!err && getline(&line, &room, file) > 0)
		err = take_line(client, path, line, error);
	free(line);
	fclose(file);
	if (!err && client->password[0] && status.st_mode & (S_IRGRP | S_IROTH))
		err = scope_error_set(error, -EPERM, "%s has a password that others may read: chmod 600 %s", path,
				      path);
	return err;
}

int scope_fleet_client_create(const char *url, const char *settings, struct scope_error *error,
			      struct scope_fleet_client **ret_client)
{
	struct scope_fleet_client *client;
	int err;

	if (strncasecmp(url, "http://", 7) && strncasecmp(url, "https://", 8))
		return scope_error_set(error, -EINVAL,
				       "--clickhouse wants a URL that begins with http:// or https://, not '%s'", url);
	err = scope_curl_load(error);
	if (err)
		return err;
	client = calloc(1, sizeof(*client));
	if (client) {
		strcpy(client->database, "default");
		client->url = strdup(url);
		client->curl = scope_curl.easy_init();
	}
	if (!client || !client->url || !client->curl)
		err = scope_error_set(error, -ENOMEM, "no memory to ask %s", url);
	if (!err && settings)
		err = read_settings(client, settings, error);
	if (err)
		scope_fleet_client_destroy(client);
	else
		*ret_client = client;
	return err;
}

void scope_fleet_client_destroy(struct scope_fleet_client *client)
{
	if (!client)
		return;
	scope_curl.easy_cleanup(client->curl);
	free(client->url);
	free(client->answer);
	explicit_bzero(client->password, sizeof(client->password));
	free(client);
}

/* "URL/?database=…&query=…", to be freed; NULL: no memory. */
static char *address(const struct scope_fleet_client *client, const char *query)
{
	char *escaped = scope_curl.easy_escape(client->curl, query, 0),
	     *base = scope_curl.easy_escape(client->curl, client->database, 0);
	const size_t length = strlen(client->url);
	char *text = NULL;

	if (escaped && base &&
	    asprintf(&text, "%s%s?database=%s&query=%s", client->url,
		     length && client->url[length - 1] == '/' ? "" : "/", base, escaped) < 0)
		text = NULL;
	scope_curl.free(escaped);
	scope_curl.free(base);
	return text;
}

static CURLcode post(struct scope_fleet_client *client, const char *url, const char *rows, size_t bytes,
		     long *ret_status)
{
	CURL *curl = client->curl;
	CURLcode code;

	client->bytes = 0;
	if (client->answer)
		client->answer[0] = '\0';
	scope_curl.easy_reset(curl);
	scope_curl.easy_setopt(curl, CURLOPT_URL, url);
	scope_curl.easy_setopt(curl, CURLOPT_NOSIGNAL, 1l);
	scope_curl.easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, CONNECT_S);
	scope_curl.easy_setopt(curl, CURLOPT_TIMEOUT, TIMEOUT_S);
	scope_curl.easy_setopt(curl, CURLOPT_POSTFIELDS, rows ? rows : "");
	scope_curl.easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)(rows ? bytes : 0));
	scope_curl.easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_answer);
	scope_curl.easy_setopt(curl, CURLOPT_WRITEDATA, client);
	if (client->user[0]) {
		scope_curl.easy_setopt(curl, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
		scope_curl.easy_setopt(curl, CURLOPT_USERNAME, client->user);
		scope_curl.easy_setopt(curl, CURLOPT_PASSWORD, client->password);
	}
	if (client->ca[0])
		scope_curl.easy_setopt(curl, CURLOPT_CAINFO, client->ca);
	code = scope_curl.easy_perform(curl);
	scope_curl.easy_getinfo(curl, CURLINFO_RESPONSE_CODE, ret_status);
	return code;
}

/* A later try may succeed: nobody answered, or the server is busy. A wrong certificate stays wrong. */
static bool may_change(CURLcode code, long status)
{
	return code ? code == CURLE_COULDNT_CONNECT || code == CURLE_OPERATION_TIMEDOUT || code == CURLE_GOT_NOTHING ||
			       code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR ||
			       code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_PARTIAL_FILE
		    : status == 429 || status == 502 || status == 503 || status == 504;
}

int scope_fleet_client_query(struct scope_fleet_client *client, const char *query, const char *rows, size_t bytes,
			     struct scope_error *error, char **ret_answer)
{
	char *url = address(client, query);
	CURLcode code = CURLE_OK;
	long status = 0;

	if (!url)
		return scope_error_set(error, -ENOMEM, "no memory to ask %s", client->url);
	for (unsigned i = 0; i < SCOPE_FLEET_TRIES; i++) {
		if (i)
			sleep(1u << (i - 1));
		code = post(client, url, rows, bytes, &status);
		if (!may_change(code, status))
			break;
	}
	free(url);
	if (code)
		return scope_error_set(error, -EIO, "%s does not answer: %s", client->url,
				       scope_curl.easy_strerror(code));
	if (status < 200 || status > 299)
		return scope_error_set(error, -EIO, "%s answered with status %ld: %.300s", client->url, status,
				       client->answer ? client->answer : "");
	*ret_answer = client->answer ? client->answer : strdup("");
	client->answer = NULL;
	client->bytes = client->capacity = 0;
	return *ret_answer ? 0 : scope_error_set(error, -ENOMEM, "no memory for the answer of %s", client->url);
}
