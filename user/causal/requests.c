// SPDX-License-Identifier: GPL-2.0-only
/* Finds requests in a server's calls. */
#include "causal/requests.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "timeline/class.h"
#include "trace/event.h"

/* A row of the table: a thread, or a connection. */
struct row {
	uint64_t key; /* 0: empty */
	uint32_t tgid;
	int32_t fd;    /* thread: descriptor of the call that it is in */
	bool accepted; /* connection: it is an accepted one */
	bool waiting;  /* connection: bytes were received, and none sent since then */
};

struct scope_requests {
	struct row *row;
	size_t rows, used;
};

#define ROWS_FIRST 1024
#define THREAD_KEY (1ull << 63)

static uint64_t thread_key(uint32_t tid)
{
	return THREAD_KEY | tid;
}

static uint64_t connection_key(uint32_t tgid, int32_t fd)
{
	/* Adding 1 makes sure that the key is not 0. Numbers of processes are below 2^22. */
	return (uint64_t)(tgid + 1) << 32 | (uint32_t)fd;
}

static struct row *find(struct row *row, size_t rows, uint64_t key)
{
	size_t at = (size_t)(key * 0x9e3779b97f4a7c15u >> 32) & (rows - 1);

	while (row[at].key && row[at].key != key)
		at = (at + 1) & (rows - 1);
	return &row[at];
}

static int widen(struct scope_requests *requests)
{
	const size_t rows = requests->rows ? 2 * requests->rows : ROWS_FIRST;
	struct row *wider = calloc(rows, sizeof(*wider));

	if (!wider)
		return -ENOMEM;
	for (size_t i = 0; i < requests->rows; i++)
		if (requests->row[i].key)
			*find(wider, rows, requests->row[i].key) = requests->row[i];
	free(requests->row);
	requests->row = wider;
	requests->rows = rows;
	return 0;
}

/* The row, created if it is missing; NULL: no memory. It is valid until the next call. */
static struct row *get(struct scope_requests *requests, uint64_t key)
{
	struct row *row;

	if (requests->used * 2 >= requests->rows && widen(requests))
		return NULL;
	row = find(requests->row, requests->rows, key);
	if (!row->key) {
		*row = (struct row){ .key = key, .fd = -1 };
		requests->used++;
	}
	return row;
}

int scope_causal_requests_create(struct scope_requests **ret_requests)
{
	struct scope_requests *requests = calloc(1, sizeof(*requests));

	if (!requests)
		return -ENOMEM;
	if (widen(requests)) {
		free(requests);
		return -ENOMEM;
	}
	*ret_requests = requests;
	return 0;
}

void scope_causal_requests_destroy(struct scope_requests *requests)
{
	if (!requests)
		return;
	free(requests->row);
	free(requests);
}

int scope_causal_requests_know(struct scope_requests *requests, uint32_t tgid, int32_t fd)
{
	struct row *row = get(requests, connection_key(tgid, fd));

	if (!row)
		return -ENOMEM;
	row->accepted = true;
	row->waiting = false;
	return 0;
}

void scope_causal_requests_calls(uint8_t *bits)
{
	for (uint32_t nr = 0; nr < SCOPE_SYSCALL_MAX; nr++) {
		const enum scope_timeline_call_role role = scope_timeline_call_role(nr);

		if (role == SCOPE_CALL_READ || role == SCOPE_CALL_WRITE || role == SCOPE_CALL_ACCEPT ||
		    role == SCOPE_CALL_CLOSE)
			bits[nr / 8] |= (uint8_t)(1u << nr % 8);
	}
}

static enum scope_request_step take_io(struct row *row, enum scope_timeline_call_role role)
{
	if (!row->accepted)
		return SCOPE_REQUEST_NOTHING;
	switch (role) {
	case SCOPE_CALL_READ:
		if (row->waiting)
			return SCOPE_REQUEST_NOTHING;
		row->waiting = true;
		return SCOPE_REQUEST_BEGUN;
	case SCOPE_CALL_WRITE:
		if (!row->waiting)
			return SCOPE_REQUEST_NOTHING;
		row->waiting = false;
		return SCOPE_REQUEST_ENDED;
	default:
		return SCOPE_REQUEST_NOTHING;
	}
}

/* Takes the return of a call. */
static enum scope_request_step take_return(struct scope_requests *requests, uint32_t tgid, int32_t fd,
					   const struct scope_request_event *event)
{
	const enum scope_timeline_call_role role = scope_timeline_call_role(event->nr);
	const bool waited = fd >= 0 && find(requests->row, requests->rows, connection_key(tgid, fd))->waiting;
	struct row *row;

	switch (role) {
	case SCOPE_CALL_ACCEPT:
		if (event->ret >= 0)
			scope_causal_requests_know(requests, tgid, (int32_t)event->ret);
		return SCOPE_REQUEST_NOTHING;
	case SCOPE_CALL_CLOSE:
		row = find(requests->row, requests->rows, connection_key(tgid, fd));
		row->accepted = row->waiting = false;
		return waited ? SCOPE_REQUEST_GIVEN_UP : SCOPE_REQUEST_NOTHING;
	default:
		if (fd < 0 || event->ret <= 0)
			return SCOPE_REQUEST_NOTHING;
		return take_io(find(requests->row, requests->rows, connection_key(tgid, fd)), role);
	}
}

enum scope_request_step scope_causal_requests_take(struct scope_requests *requests,
						   const struct scope_request_event *event)
{
	struct row *thread = get(requests, thread_key(event->tid));

	if (!thread)
		return SCOPE_REQUEST_NOTHING;
	if (event->tgid)
		thread->tgid = event->tgid;
	switch (event->kind) {
	case SCOPE_EVENT_ENTER:
		thread->fd = event->fd;
		return SCOPE_REQUEST_NOTHING;
	case SCOPE_EVENT_SYSCALL:
		return take_return(requests, thread->tgid, event->fd, event);
	case SCOPE_EVENT_EXIT: {
		const int32_t fd = thread->fd;

		thread->fd = -1;
		return take_return(requests, thread->tgid, fd, event);
	}
	default:
		return SCOPE_REQUEST_NOTHING;
	}
}
