/* SPDX-License-Identifier: GPL-2.0-only */
/* A server of some shape with a bug of some kind: what its requests run, and what each shape does with them. See shapes.c. */
#ifndef SCOPE_TESTS_SHAPES_H
#define SCOPE_TESTS_SHAPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Functions are what reports name: they must stay. */
#define FUNCTION __attribute__((noinline, noclone))

struct request {
	bool marked;	 /* meets a bug that not all meet */
	bool first;	 /* of its connection */
	int size;	 /* that its work grows with */
	uint32_t answer; /* bytes */
	int fd;		 /* of its client */
	unsigned int number;
};

/* What a client sends: the first bytes of its request. The answer begins with its length, 4 bytes. */
struct question {
	char mark, size;
	bool first;
	char none;
	uint32_t answer;
};

#define ANSWER 512
#define ANSWER_MAX 200000

enum shapes_whose {
	MARKED, /* requests that a client marks */
	ALL,
	ONE_IN_RARE,
	THE_LAST,
	THE_LAST_TWO,
};

/* What requests of a server do beside the rest: a bug, or not. */
struct shapes_kind {
	const char *name; /* NULL: the end of a table */
	void (*run)(struct request *request);
	enum shapes_whose whose;
	void (*begin)(void); /* NULL: it needs nothing */
};

extern const struct shapes_kind shapes_bugs[], shapes_more_bugs[], shapes_slow[], shapes_hangs[], shapes_healthy[];

/* Of the program. */
extern const char *bug;
extern unsigned int place; /* 0 to 3: in which function of a request the bug is */

bool has_bug(const char *name);
void begin_thread(void *(*run)(void *));
bool chance(double probability);

extern volatile uint64_t sink;

/* About 400 rounds are a microsecond. */
static inline __attribute__((always_inline)) void work(uint64_t rounds)
{
	uint64_t x = rounds | 1;

	for (uint64_t i = 0; i < rounds; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	sink += x;
}

/* Begins what a bug needs beside requests: a peer process' half, or a thread. Once in each process that serves. */
void begin_bug(void);

/* A whole request, or its two halves in two stages. */
void serve_request(struct request *request);
void stage_one(struct request *request);
void stage_two(struct request *request);

/* Serves until it is killed. Returns if there is no such shape. */
void serve(const char *shape, uint16_t port);

#endif
