// SPDX-License-Identifier: GPL-2.0-only
/* The peers of connections that the traced processes opened during the trace. */
#include "timeline/fd_peers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "trace/peer.h"

#define BUCKETS (2u * SCOPE_FD_PEERS_MAX)

void scope_timeline_fd_peers_free(struct scope_fd_peers *peers)
{
	for (size_t i = 0; i < peers->count; i++)
		free((char *)peers->row[i].name);
	free(peers->row);
	free(peers->bucket);
	*peers = (struct scope_fd_peers){ 0 };
}

/* The bucket of a peer, or the empty one that it would have. */
static uint32_t *find(const struct scope_fd_peers *peers, uint32_t tgid, const char *name)
{
	uint32_t at = scope_hash_text(tgid, name) % BUCKETS;

	for (; peers->bucket[at]; at = (at + 1) % BUCKETS) {
		const struct scope_trace_fd *row = &peers->row[peers->bucket[at] - 1];

		if (row->tgid == tgid && !strcmp(row->name, name))
			break;
	}
	return &peers->bucket[at];
}

static int add(struct scope_fd_peers *peers, uint32_t tgid, const char *name, uint32_t *bucket)
{
	char *copy = strdup(name);

	if (!copy || scope_grow(&peers->row, &peers->capacity, peers->count + 1, sizeof(*peers->row))) {
		free(copy);
		return -ENOMEM;
	}
	peers->row[peers->count] = (struct scope_trace_fd){
		.tgid = tgid,
		.fd = SCOPE_FD_PEERS_FIRST + (int32_t)peers->count,
		.kind = SCOPE_FD_CONNECTED,
		.name = copy,
	};
	*bucket = (uint32_t)++peers->count;
	return 0;
}

int scope_timeline_fd_peers_add(struct scope_fd_peers *peers, uint32_t tgid, const struct scope_event *event,
				int32_t *ret_number)
{
	char address[SCOPE_TRACE_ADDRESS_TEXT], name[SCOPE_TRACE_ADDRESS_TEXT + 32];
	uint32_t *bucket;
	int err;

	*ret_number = 0;
	if (!event->peer.peer_port)
		return 0;
	if (!peers->bucket)
		peers->bucket = calloc(BUCKETS, sizeof(*peers->bucket));
	if (!peers->bucket)
		return -ENOMEM;
	scope_trace_address_text(event->peer.peer, event->peer.peer_port, address);
	/* Its own port, and so its socket, differ from connection to connection. */
	snprintf(name, sizeof(name), "socket:[?]" SCOPE_TRACE_FD_PEER "%s", address);
	bucket = find(peers, tgid, name);
	if (!*bucket) {
		if (peers->count == SCOPE_FD_PEERS_MAX)
			return 0;
		err = add(peers, tgid, name, bucket);
		if (err)
			return err;
	}
	*ret_number = peers->row[*bucket - 1].fd;
	return 0;
}
