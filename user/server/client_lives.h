/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts connections of clients, and for how long each was in use: from its accept, or its first read or write, to the
 * last one. The close of a connection may not be recorded: a process that ends closes its connections without a call.
 */
#ifndef SCOPE_SERVER_CLIENT_LIVES_H
#define SCOPE_SERVER_CLIENT_LIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCOPE_CLIENT_LIVES_MAX (1u << 20) /* no rule: a bound of memory, 32 MB; further ones are not counted */

struct scope_client_life {
	uint64_t key; /* 0: an empty slot */
	uint64_t first_ns, last_ns;
	bool asked; /* a request was read, and no answer was begun since */
};

/* A zeroed struct has none. */
struct scope_client_lives {
	struct scope_client_life *slot; /* open addressing, a power of two, half full at most */
	size_t slots, count;
};

/*
 * Notes a call on a client's connection. *ret_life: valid until the next call; NULL if the connection is not counted.
 * connection: the number of its accept (timeline/fds.h), or 0: then process and descriptor identify it. 0 or -ENOMEM.
 */
int scope_server_client_lives_note(struct scope_client_lives *lives, uint32_t connection, uint32_t tgid, int32_t fd,
				   uint64_t now_ns, struct scope_client_life **ret_life);
/*
 * How many connections were in use at one time: the mean from the first use of any to the last use of any, and the
 * maximum. 0 or -ENOMEM.
 */
int scope_server_client_lives_open(const struct scope_client_lives *lives, double *ret_mean, uint32_t *ret_most);
void scope_server_client_lives_free(struct scope_client_lives *lives);

#endif
