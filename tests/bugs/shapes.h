/* SPDX-License-Identifier: GPL-2.0-only */
/* A server of some shape with a bug of some kind: what its requests run, and what each shape does with them. See shapes.c. */
#ifndef SCOPE_TESTS_SHAPES_H
#define SCOPE_TESTS_SHAPES_H

#include <stdbool.h>
#include <stdint.h>

/* Functions are what reports name: they must stay. */
#define FUNCTION __attribute__((noinline, noclone))

struct request {
	bool marked; /* meets a bug that not all meet */
	int size;    /* bytes that its work grows with */
	int fd;	     /* of its client */
	unsigned int number;
};

/* Of the program. */
extern const char *bug;
extern unsigned int place; /* 0 to 3: in which function of a request the bug is */

bool has_bug(const char *name);

/* Begins what a bug needs beside requests: a peer process' half, or a thread. Once in each process that serves. */
void begin_bug(void);

/* A whole request, or its two halves in two stages. */
void serve_request(struct request *request);
void stage_one(struct request *request);
void stage_two(struct request *request);

/* Serves until it is killed. Returns if there is no such shape. */
void serve(const char *shape, uint16_t port);

#endif
