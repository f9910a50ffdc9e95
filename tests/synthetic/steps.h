/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes the system calls of a unit, and uses the CPU in between, as its path says. */
#ifndef SCOPE_SYNTHETIC_STEPS_H
#define SCOPE_SYNTHETIC_STEPS_H

#include <netinet/in.h>

#include "plan.h"

/* A client's connection; of datagrams the server's socket, and the client's address. */
struct client {
	int fd;
	uint16_t port;
	uint32_t turn; /* number of its next request */
	struct sockaddr_in address;
	bool gone;
};

/* Call it once, before any thread begins. Ends the program with a message if it fails. */
void steps_prepare(void);
/* The place of its call in the table; -1: it cannot be made here. */
int steps_find(const struct step *step);
/* True if it moves bytes from, or to, the client. */
bool steps_reads(const struct step *step);
bool steps_writes(const struct step *step);
/* Draw from the unit, in the order in which steps_make() does. */
uint64_t steps_times(const struct step *step, struct unit *unit);
uint64_t steps_bytes(const struct step *step, struct unit *unit);
/*
 * Does all of the unit. since_ns: when the thread came back from the call that picked it up (steps_now_ns()). taken: bytes
 * of the first step that were read already, by that call. Sets client->gone if the client has closed its connection.
 */
void steps_make(struct unit unit, struct client *client, uint64_t since_ns, bool taken);
uint64_t steps_now_ns(void);
/* Prints each call of the profile that is not made, and how many units of which stage make it. */
void steps_print_missing(const struct profile *profile);

#endif
