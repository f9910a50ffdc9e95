/* SPDX-License-Identifier: GPL-2.0-only */
/* The threads and processes of a synthetic server: who accepts, who reads, and who is given work. */
#ifndef SCOPE_SYNTHETIC_SKELETON_H
#define SCOPE_SYNTHETIC_SKELETON_H

#include "steps.h"

/* Never returns, but with a message for a form that cannot be built. */
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
/* A worker has done all for this request but to answer it. */
void loop_return(struct loop *loop, const struct client *client);

/* Serves one request that has come, or waits for it; then gives work to other stages. taken: a datagram that was read. */
void skeleton_serve(const struct profile *profile, struct client *client, struct loop *loop, uint64_t since_ns,
		    bool taken);
int skeleton_accept(int listener, uint16_t *ret_port);

#endif
