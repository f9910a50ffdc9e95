/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the small servers of the bench do for each request, whatever their shape is.
 *
 * Pages of a directory by HTTP/1.1, rendered and kept in a cache. Every function is one of its own in
 * the program (STEP), so that a report has many to choose from. A bug is a macro: BUG_BUSY and so on,
 * see bugs.tsv; without any the server is healthy.
 */
#ifndef WORK_H
#define WORK_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define STEP __attribute__((noipa))

#define REQUEST_MAX 8192
#define PATH_MAX_BYTES 2048

enum got {
	GOT_END = -1, /* the other side closed, or the request makes no sense */
	GOT_PART,     /* more must come, and would block now */
	GOT_REQUEST,
};

struct conn {
	int fd;
	size_t have;
	char in[REQUEST_MAX];
	char raw[PATH_MAX_BYTES], path[PATH_MAX_BYTES]; /* as sent; decoded */
	unsigned headers;
	bool keep;
	struct conn *next; /* for the shape's own lists */
};

struct options {
	int port, backend; /* backend: a port for UDP, 0: none */
	const char *root, *log;
};

/* Reads the options -p PORT -d ROOT -l LOG [-b BACKEND], prepares everything; returns the listener. */
int work_begin(int argc, char **argv);

/* What is there to read of a request. */
enum got read_request(struct conn *conn);

/* Answers a whole request; false: close the connection. */
bool serve_request(struct conn *conn);

struct conn *conn_open(int fd);
void conn_close(struct conn *conn);
void die(const char *what) __attribute__((noreturn));

#endif
