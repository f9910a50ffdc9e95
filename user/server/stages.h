/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the structure of a traced server: groups of threads by their purpose, how clients are accepted and read from,
 * which stage gives work to which, and how busy each stage is.
 */
#ifndef SCOPE_SERVER_STAGES_H
#define SCOPE_SERVER_STAGES_H

#include "unit/distribution.h"

/* The purpose of threads. */
enum scope_server_role {
	SCOPE_ROLE_ACCEPT,  /* takes connections, and reads from none */
	SCOPE_ROLE_NETWORK, /* reads clients' requests */
	SCOPE_ROLE_WORKER,  /* takes work from other threads */
	SCOPE_ROLE_DISK,    /* waits for a disk for most of its time with work to do */
	SCOPE_ROLE_TIMER,   /* does some work from time to time */
	SCOPE_ROLE_MASTER,  /* waits for children or signals */
	SCOPE_ROLE_OTHER,
	SCOPE_ROLES,
};

/* How threads wait for work: the call in which they sleep longest without work. */
enum scope_server_idle {
	SCOPE_IDLE_NONE, /* they never sleep without work */
	SCOPE_IDLE_EPOLL,
	SCOPE_IDLE_POLL,
	SCOPE_IDLE_SELECT,
	SCOPE_IDLE_READ, /* of a socket, which blocks */
	SCOPE_IDLE_ACCEPT,
	SCOPE_IDLE_FUTEX, /* a queue in memory */
	SCOPE_IDLE_QUEUE, /* a pipe, an eventfd, a message queue */
	SCOPE_IDLE_URING,
	SCOPE_IDLE_TIMER,
	SCOPE_IDLE_CHILD,
	SCOPE_IDLE_SIGNAL,
	SCOPE_IDLES,
};

#define SCOPE_STAGE_NONE UINT32_MAX

/* Threads of one name and role. Times in ns. */
struct scope_stage {
	uint32_t group; /* of the groups: its name */
	uint8_t role, idle_in;
	bool accepts;	    /* takes connections, too */
	bool jobs;	    /* its work is no requests of clients; it comes by connections that the process made */
	uint64_t accepted;  /* calls that accept, and sleeps in them */
	uint32_t threads;   /* all that were there */
	uint32_t processes; /* of different ids */
	uint64_t units, requests; /* of its threads, and those that took a client's */
	double busy;		  /* threads with work to do, on average over the window */
	uint32_t most_busy;	  /* at one time */
	double all_busy;	  /* share of the window in which all that ever worked had work to do */
	double late_ns;		  /* from the waking for work to a CPU, on average; 0: never seen */
	uint32_t from;		  /* the stage whose threads end most of its sleeps without work, or SCOPE_STAGE_NONE */
	double from_share;	  /* of these sleeps, but for those that its own threads end */
	bool waits_known;	  /* units of the stage before and its own are one to one */
	double wait_ns;		  /* then: from the end of the one before to the begin of its own, on average */
};

struct scope_server {
	double window_ns;
	struct scope_stage *stage; /* in the order of their first threads */
	size_t stages;
	uint32_t *of_thread; /* its stage */
	size_t threads;
	uint32_t processes;
	uint32_t listeners; /* sockets that the program listens on, as tracing began */
	bool sampled;	    /* too many units: busy threads and waits are of the first part of the window … */
	double part_ns;	    /* … of this length; else the window */
};

const char *scope_server_role_name(enum scope_server_role role);
/* "epoll", "read", "futex" … */
const char *scope_server_idle_name(enum scope_server_idle idle_in);

/* Uses distributions after the end of the pass, and their trace. 0 or -errno; the caller destroys. */
int scope_server_create(const struct scope_distributions *distributions, const struct scope_groups *groups,
			const struct scope_pickups *pickups, const struct scope_trace *trace,
			struct scope_server **ret_server);
void scope_server_destroy(struct scope_server *server); /* NULL is fine */

/* The stage with that role that takes most requests, or has most units; NULL: there is none. */
const struct scope_stage *scope_server_find(const struct scope_server *server, enum scope_server_role role);

#endif
