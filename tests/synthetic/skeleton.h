/* SPDX-License-Identifier: GPL-2.0-only */
/* The threads and processes of a synthetic server: which of them accept, read, or get work from others. */
#ifndef SCOPE_SYNTHETIC_SKELETON_H
#define SCOPE_SYNTHETIC_SKELETON_H

#include "steps.h"

/* Never returns. Ends the program with a message if the form cannot be built. */
void skeleton_run(const struct profile *profile, int listener);

/* ---- for loop.c ---- */

struct item {
	struct client client;
	unsigned n; /* of the units of its stage for this request */
};

/* Waits for events on its connections: epoll, poll or select. */
struct loop;
struct loop *loop_create(const struct profile *profile, int listener);
void loop_run(struct loop *loop);
/* Gives it a connection that another thread has accepted. */
void loop_add(struct loop *loop, int fd, uint16_t port);
/* Reports that a worker has done everything for this request except the answer. */
void loop_return(struct loop *loop, const struct client *client);

/* Serves one request that has come, or waits for it; then gives work to other stages. taken: a datagram that was read. */
void skeleton_serve(const struct profile *profile, struct client *client, struct loop *loop, uint64_t since_ns,
		    bool taken);
int skeleton_accept(int listener, uint16_t *ret_port);

#endif
