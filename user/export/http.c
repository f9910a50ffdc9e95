// SPDX-License-Identifier: GPL-2.0-only
/* Serves one text over HTTP, for a collector that requests it repeatedly. */
#include "export/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/shared_library.h"

#define ROUNDS 4 /* rounds of a run: a connection is accepted in one round, and read and answered in others */
#define TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"

#define FUNCTIONS(F)                                                                                                   \
	F(add_response_header)                                                                                         \
	F(create_response_from_buffer)                                                                                 \
	F(destroy_response)                                                                                            \
	F(get_daemon_info)                                                                                             \
	F(queue_response)                                                                                              \
	F(run)                                                                                                         \
	F(start_daemon)                                                                                                \
	F(stop_daemon)

#define MEMBER(name) SCOPE_LIBRARY_MEMBER(MHD_, name)
#define FUNCTION(name) SCOPE_LIBRARY_FUNCTION(mhd, MHD_, name)

/* The functions of libmicrohttpd, which the first server loads: see base/shared_library.h. */
static struct {
	FUNCTIONS(MEMBER)
} mhd;

struct scope_http {
	struct MHD_Daemon *daemon;
	char *text; /* NULL: none yet */
	size_t bytes;
};

union address {
	struct sockaddr any;
	struct sockaddr_in four;
	struct sockaddr_in6 six;
};

static enum MHD_Result reply(struct MHD_Connection *connection, unsigned status, const char *text, size_t bytes,
			     const char *type)
{
	struct MHD_Response *response =
		mhd.create_response_from_buffer(bytes, (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY);
	enum MHD_Result done;

	if (!response)
		return MHD_NO;
	mhd.add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		mhd.add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	done = mhd.queue_response(connection, status, response);
	mhd.destroy_response(response);
	return done;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned status, const char *why)
{
	return reply(connection, status, why, strlen(why), "text/plain");
}

static enum MHD_Result answer(void *user, struct MHD_Connection *connection, const char *url, const char *method,
			      const char *version, const char *upload, size_t *upload_bytes, void **request)
{
	const struct scope_http *http = user;

	(void)version, (void)upload, (void)upload_bytes, (void)request;
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
		return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "GET /metrics\n");
	if (strcmp(url, "/metrics"))
		return refuse(connection, MHD_HTTP_NOT_FOUND, "GET /metrics\n");
	if (!http->text)
		return refuse(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "the first step is not over yet\n");
	return reply(connection, MHD_HTTP_OK, http->text, http->bytes, TYPE);
}

static int parse_port(const char *text, in_port_t *ret_port)
{
	char *end;
	unsigned long port = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || port > UINT16_MAX)
		return -EINVAL;
	*ret_port = htons((uint16_t)port);
	return 0;
}

static int parse(const char *text, union address *ret_address)
{
	const char *colon = strrchr(text, ':');
	union address address = { .four = { .sin_family = AF_INET } };
	char host[64] = "127.0.0.1";
	size_t length = colon ? (size_t)(colon - text) : 0;
	int err;

	if (colon && (!length || length >= sizeof(host)))
		return -EINVAL;
	if (colon)
		snprintf(host, sizeof(host), "%.*s", (int)length, text);
	if (host[0] == '[' && host[length - 1] == ']') {
		host[length - 1] = 0;
		address.six = (struct sockaddr_in6){ .sin6_family = AF_INET6 };
		if (inet_pton(AF_INET6, host + 1, &address.six.sin6_addr) != 1)
			return -EINVAL;
		err = parse_port(colon + 1, &address.six.sin6_port);
	} else {
		if (inet_pton(AF_INET, host, &address.four.sin_addr) != 1)
			return -EINVAL;
		err = parse_port(colon ? colon + 1 : text, &address.four.sin_port);
	}
	if (!err)
		*ret_address = address;
	return err;
}

static int load(struct scope_error *error)
{
	static const struct scope_library_function functions[] = { FUNCTIONS(FUNCTION) };

	return scope_library_load("libmicrohttpd.so.12", "libmicrohttpd12", functions,
				  sizeof(functions) / sizeof(*functions), error);
}

int scope_export_http_create(const char *text, struct scope_error *error, struct scope_http **ret_http)
{
	struct scope_http *http;
	union address address;
	unsigned flags = MHD_USE_EPOLL; /* a capture may have more descriptors than select() takes */
	int err;

	if (parse(text, &address))
		return scope_error_set(error, -EINVAL, "--listen wants a port, or ADDRESS:PORT in numbers, not '%.64s'",
				       text);
	if (address.any.sa_family == AF_INET6)
		flags |= MHD_USE_IPv6;
	err = load(error);
	if (err)
		return err;
	http = calloc(1, sizeof(*http));
	if (!http)
		return scope_error_set(error, -ENOMEM, "no memory to listen");
	errno = 0;
	http->daemon = mhd.start_daemon(flags, 0, NULL, NULL, answer, http, MHD_OPTION_SOCK_ADDR, &address.any,
					MHD_OPTION_CONNECTION_LIMIT, (unsigned)SCOPE_HTTP_CONNECTIONS,
					MHD_OPTION_CONNECTION_TIMEOUT, 10u, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
					(size_t)32768, MHD_OPTION_END);
	if (!http->daemon) {
		err = errno ? -errno : -EIO;
		free(http);
		return scope_error_set(error, err, "--listen %.64s: %s; name another address or port", text,
				       strerror(-err));
	}
	*ret_http = http;
	return 0;
}

uint16_t scope_export_http_port(const struct scope_http *http)
{
	const union MHD_DaemonInfo *info = mhd.get_daemon_info(http->daemon, MHD_DAEMON_INFO_BIND_PORT);

	return info ? info->port : 0;
}

int scope_export_http_set(struct scope_http *http, const char *text, size_t bytes)
{
	char *copy = malloc(bytes + 1);

	if (!copy)
		return -ENOMEM;
	memcpy(copy, text, bytes);
	free(http->text);
	http->text = copy;
	http->bytes = bytes;
	return 0;
}

void scope_export_http_run(struct scope_http *http)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		mhd.run(http->daemon);
}

void scope_export_http_destroy(struct scope_http *http)
{
	if (!http)
		return;
	mhd.stop_daemon(http->daemon);
	free(http->text);
	free(http);
}
