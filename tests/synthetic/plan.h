/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A profile of a server (scope model --profile), and the steps of each request that follow from it.
 *
 * Server and clients draw the same numbers, and exchange none: all that a request does follows from the profile, from
 * the port of its client and from its number on that connection. So a request needs no header, and has exactly the bytes that
 * the profile says. Numbers of one connection are drawn evenly (a Kronecker sequence of square roots of primes), so that
 * few requests have the distribution already.
 */
#ifndef SCOPE_SYNTHETIC_PLAN_H
#define SCOPE_SYNTHETIC_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NAME_BYTES 32
#define STEPS_MAX 48
#define STAGES_MAX 64

struct row {
	uint64_t low, high, count;
};

struct distribution {
	struct row *row;
	size_t rows;
	uint64_t n;
	double mean;
};

enum object { ON_NOTHING, ON_CLIENT, ON_FILE, ON_EVENT, ON_OTHER };

struct step {
	char call[NAME_BYTES];
	char error[NAME_BYTES]; /* "": none */
	enum object on;
	int made_by; /* place in the table of calls (steps.c); -1: it is not made */
	struct distribution times, bytes, slept_ns;
	double before_share; /* of the time outside of calls: before this step */
};

struct path {
	uint64_t units, requests;
	struct distribution program_ns;
	struct step step[STEPS_MAX];
	size_t steps;
	bool reads, writes, accepts; /* from and to clients */
};

struct stage {
	char name[NAME_BYTES], role[NAME_BYTES], idle_call[NAME_BYTES];
	unsigned threads, processes;
	int from; /* -1: none */
	double per_s;
	struct path *path;
	size_t paths;
	double units; /* of its paths that have steps */
};

struct profile {
	char skeleton[NAME_BYTES], model[NAME_BYTES];
	bool datagrams;
	double reqs_per_sec, per_connection;
	unsigned connections;
	bool reconnect;
	struct stage stage[STAGES_MAX];
	size_t stages;
	int network, accept; /* stages; accept -1: none of its own */
};

/* One unit of a stage for a request. */
struct unit {
	const struct path *path;
	uint64_t seed; /* of its numbers … */
	uint32_t at;   /* … which are the next ones … */
	uint32_t turn; /* … of that request on its connection */
};

/* Ends the program with a message if the file is no profile. */
struct profile *plan_read(const char *file);
/* The unit of that stage for request `turn` of the client at that port; the n-th one of it. path is NULL if the stage
   has none. */
struct unit plan_unit(const struct profile *profile, int stage, uint16_t port, uint32_t turn, unsigned n);
/* The unit in which a loop sends an answer that a worker has made. path is NULL if workers answer themselves. */
struct unit plan_return(const struct profile *profile, uint16_t port, uint32_t turn);
uint64_t plan_draw(struct unit *unit, const struct distribution *distribution);
/* The number of units of that stage, which takes work from `from`, that one unit of `from` leads to. */
unsigned plan_dispatch(const struct profile *profile, int stage, uint16_t port, uint32_t turn);
/* Bytes from and to the client. */
void plan_bytes(const struct profile *profile, uint16_t port, uint32_t turn, uint64_t *ret_asked,
		uint64_t *ret_answered);
/* The same without what plan_return() adds. */
void plan_bytes_of_workers(const struct profile *profile, uint16_t port, uint32_t turn, uint64_t *ret_asked,
			   uint64_t *ret_answered);
bool plan_is_worker(const struct profile *profile, int stage);

#endif
