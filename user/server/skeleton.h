/* SPDX-License-Identifier: GPL-2.0-only */
/* How a server divides its work among threads, in terms by which a program of the same form can be built. */
#ifndef SCOPE_SERVER_SKELETON_H
#define SCOPE_SERVER_SKELETON_H

#include "server/profile.h"

enum scope_skeleton_form {
	SCOPE_SKELETON_NONE,	     /* no thread takes requests of clients */
	SCOPE_SKELETON_EVENT_LOOP,   /* threads wait for all of their clients at once */
	SCOPE_SKELETON_THREAD_EACH,  /* a thread for each connection */
	SCOPE_SKELETON_PROCESS_EACH, /* a process for each connection */
	SCOPE_SKELETON_QUEUE,	  /* a pool of threads takes connections from the one that accepts, one after another */
	SCOPE_SKELETON_PREFORK,	  /* processes that accept, and serve one connection after another */
	SCOPE_SKELETON_PRETHREAD, /* threads that do the same */
	SCOPE_SKELETON_DATAGRAMS, /* threads that wait in a read for the datagrams of all clients */
	SCOPE_SKELETON_FORMS,
};

struct scope_skeleton {
	enum scope_skeleton_form form;
	const struct scope_stage *network, *accept; /* NULL: there is none */
	bool datagrams;				    /* clients' requests are datagrams */
	/* As Ditto's profiler has them (Liang et al., ASPLOS 2023): */
	bool accept_dispatch;  /* the thread that accepts is not the first one of its process */
	bool network_dispatch; /* threads that read are others than those that accept */
	bool work_dispatch;    /* not there: threads that read hand work to others */
};

const char *scope_server_skeleton_name(enum scope_skeleton_form form);
/* "epoll", "poll", "select", "io_uring", "blocking", or "nonblocking": reads without waiting. */
const char *scope_server_skeleton_model(const struct scope_skeleton *skeleton);

/* threads: those of the server's distributions. */
struct scope_skeleton scope_server_skeleton_of(const struct scope_server *server, const struct scope_profile *profile,
					       struct scope_threads *threads);

#endif
