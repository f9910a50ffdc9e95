// SPDX-License-Identifier: GPL-2.0-only
/* What the small servers of the bench do for each request, whatever their shape is. */
#include "work.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#ifdef WITH_COZ
#include <coz.h>
#else
#define COZ_PROGRESS_NAMED(name)
#endif

#include "more.h"
#include "parts.h"

static struct options options;
static unsigned long served[16];
static pthread_mutex_t served_lock = PTHREAD_MUTEX_INITIALIZER;

void die(const char *what)
{
	perror(what);
	exit(1);
}

struct conn *conn_open(int fd)
{
	struct conn *conn = calloc(1, sizeof(*conn));
	int on = 1;

	if (!conn)
		die("calloc");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	conn->fd = fd;
	return conn;
}

void conn_close(struct conn *conn)
{
	close(conn->fd);
	free(conn);
}

/* ---- the request ---- */

STEP static bool whole(const struct conn *conn)
{
	return conn->have >= 4 && memmem(conn->in, conn->have, "\r\n\r\n", 4);
}

STEP enum got read_request(struct conn *conn)
{
	while (!whole(conn)) {
		size_t room = sizeof(conn->in) - 1 - conn->have;
		ssize_t got;

#ifdef BUG_UNBUFFERED
		/* Short requests fit into the first look; the rest comes byte by byte. */
		room = conn->have ? 1 : 256;
#endif
		got = room ? recv(conn->fd, conn->in + conn->have, room, 0) : 0;
		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			return GOT_PART;
		if (got <= 0)
			return GOT_END;
		conn->have += (size_t)got;
	}
	conn->in[conn->have] = 0;
	return GOT_REQUEST;
}

STEP static bool parse_request(struct conn *conn)
{
	const char *begin = strchr(conn->in, ' '), *end;

	if (!begin || strncmp(conn->in, "GET", 3))
		return false;
	end = strchr(++begin, ' ');
	if (!end || (size_t)(end - begin) >= sizeof(conn->raw))
		return false;
	memcpy(conn->raw, begin, (size_t)(end - begin));
	conn->raw[end - begin] = 0;
	return true;
}

STEP static void parse_headers(struct conn *conn)
{
	const char *line = conn->in;

	conn->headers = 0;
	conn->keep = true;
	while ((line = strstr(line, "\r\n")) && line[2] != '\r') {
		line += 2;
		conn->headers++;
		if (!strncasecmp(line, "Connection: close", 17))
			conn->keep = false;
	}
}

STEP static int hex(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : (c | 32) - 'a' + 10;
}

STEP static void decode_path(struct conn *conn)
{
	const char *from = conn->raw;
	char *to = conn->path;

	while (*from) {
		if (*from == '%' && from[1] && from[2]) {
			*to++ = (char)(hex(from[1]) << 4 | hex(from[2]));
			from += 3;
		} else {
			*to++ = *from++;
		}
	}
	*to = 0;
}

/* No slash twice, no way out of the root. */
STEP static void normalise_path(struct conn *conn)
{
	char *to = conn->path;

	for (const char *from = conn->path; *from; from++) {
		if (*from == '/' && to > conn->path && to[-1] == '/')
			continue;
		if (*from == '.' && to > conn->path && to[-1] == '.')
			continue;
		*to++ = *from;
	}
	*to = 0;
}

STEP bool is_long(const char *path)
{
	return strlen(path) > 200;
}

STEP bool is_missing(const char *path)
{
	return !strncmp(path, "/missing/", 9);
}

/* ---- the answer ---- */

STEP static const char *find_type(const char *path)
{
	static const char *const type[][2] = {
		{ ".css", "text/css" },
		{ ".js", "text/javascript" },
		{ ".png", "image/png" },
		{ ".html", "text/html" },
	};
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot && i < sizeof(type) / sizeof(*type); i++)
		if (!strcmp(dot, type[i][0]))
			return type[i][1];
	return "text/plain";
}

STEP static void format_date(char *text, size_t room)
{
	time_t now = time(NULL);
	struct tm broken;

	strftime(text, room, "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&now, &broken));
}

STEP static size_t format_head(const struct conn *conn, const struct page *page, unsigned sum, char *head, size_t room)
{
	char date[64];

	format_date(date, sizeof(date));
	return (size_t)snprintf(head, room,
				"HTTP/1.1 %s\r\nServer: small\r\nDate: %s\r\nETag: \"%08x\"\r\n"
				"Content-Type: %s\r\nContent-Length: %zu\r\nConnection: %s\r\n\r\n",
				page->found ? "200 OK" : "404 Not Found", date, sum, find_type(conn->path), page->bytes,
				conn->keep ? "keep-alive" : "close");
}

STEP static bool send_all(int fd, const char *data, size_t bytes)
{
	while (bytes) {
		ssize_t sent = send(fd, data, bytes, MSG_NOSIGNAL);

		if (sent < 0 && errno == EAGAIN) {
			usleep(200);
			continue;
		}
		if (sent < 0)
			return false;
		data += sent;
		bytes -= (size_t)sent;
	}
	return true;
}

STEP static bool send_body(const struct conn *conn, const struct page *page)
{
#ifdef BUG_ONEBYTE
	for (size_t i = 0; !page->found && i < page->bytes; i++)
		if (send(conn->fd, page->body + i, 1, MSG_NOSIGNAL) != 1)
			return false;
	if (!page->found)
		return true;
#endif
	return send_all(conn->fd, page->body, page->bytes);
}

STEP static unsigned checksum_body(const struct conn *conn, const struct page *page)
{
	const size_t bytes = page->bytes < 4096 ? page->bytes : 4096;
	size_t rounds = 1;
	unsigned sum = 1;

	(void)conn;
#ifdef BUG_BUSY
	/* For each part of the name again. */
	if (is_long(conn->path))
		rounds = 40;
#endif
	while (rounds--)
		for (size_t i = 0; i < bytes; i++)
			sum = sum * 31 + (unsigned char)page->body[i];
	return sum;
}

STEP static void count_request(const struct conn *conn, const struct page *page)
{
	pthread_mutex_lock(&served_lock);
	served[page->found ? conn->headers % 15 : 15]++;
	pthread_mutex_unlock(&served_lock);
	COZ_PROGRESS_NAMED("request");
}

STEP bool serve_request(struct conn *conn)
{
	struct page page;
	char head[512];
	bool good;

	if (!parse_request(conn))
		return false;
	parse_headers(conn);
	decode_path(conn);
	normalise_path(conn);
	conn->have = 0;
	check_rate(conn->path);
	if (is_long(conn->path)) {
		append_history(conn->path);
		append_journal(conn->path);
		if (options.backend)
			ask_backend(conn->path);
	}
	if (!strncmp(conn->path, "/status", 7))
		wait_status();
	more_steps(conn);
	get_page(conn, &page);
	good = send_all(conn->fd, head, format_head(conn, &page, checksum_body(conn, &page), head, sizeof(head))) &&
	       send_body(conn, &page);
	log_access(conn, &page);
	count_request(conn, &page);
	free(page.body);
	return good && conn->keep;
}

/* ---- the beginning ---- */

static int listen_on(int port)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons((uint16_t)port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, 128))
		die("listen");
	return fd;
}

int work_begin(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "p:d:l:b:")) != -1)
		switch (option) {
		case 'p':
			options.port = atoi(optarg);
			break;
		case 'd':
			options.root = optarg;
			break;
		case 'l':
			options.log = optarg;
			break;
		case 'b':
			options.backend = atoi(optarg);
			break;
		default:
			exit(2);
		}
	signal(SIGPIPE, SIG_IGN);
	parts_begin(&options);
	return listen_on(options.port);
}
