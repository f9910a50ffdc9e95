/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds requests in a server's calls: bytes are received on an accepted connection, and the first bytes that are sent
 * on it afterwards are the answer. Different threads may read and write.
 */
#ifndef SCOPE_CAUSAL_REQUESTS_H
#define SCOPE_CAUSAL_REQUESTS_H

#include <stdint.h>

struct scope_event;
struct scope_requests;

enum scope_request_step {
	SCOPE_REQUEST_NOTHING,
	SCOPE_REQUEST_BEGUN,
	SCOPE_REQUEST_ENDED,
	SCOPE_REQUEST_GIVEN_UP, /* its connection was closed before an answer */
};

/* The data of an event that take() needs: a copy that outlives the sub-buffer. */
struct scope_request_event {
	uint32_t tid;
	uint32_t tgid; /* the thread's process, if the event has it; else 0 */
	uint16_t nr;
	uint8_t kind; /* enum scope_event_kind */
	int32_t fd;   /* -1: the event has none */
	int64_t ret;
};

int scope_causal_requests_create(struct scope_requests **ret_requests); /* 0 or -ENOMEM */
void scope_causal_requests_destroy(struct scope_requests *requests);	/* NULL is fine */

/* Notes that this descriptor is an accepted connection. 0 or -ENOMEM. */
int scope_causal_requests_know(struct scope_requests *requests, uint32_t tgid, int32_t fd);

/* Sets the bits of the calls whose events are needed, with their first argument. bits: SCOPE_SYSCALL_MAX bits. */
void scope_causal_requests_calls(uint8_t *bits);

/* Takes events in order of time. Without memory a connection or thread is ignored. */
enum scope_request_step scope_causal_requests_take(struct scope_requests *requests,
						   const struct scope_request_event *event);

#endif
