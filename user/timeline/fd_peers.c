// SPDX-License-Identifier: GPL-2.0-only
/* The peers of connections that the traced processes opened during the trace. */
#include "timeline/fd_peers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "trace/peer.h"
#include "trace/port_owner.h"

#define BUCKETS (2u * SCOPE_FD_PEERS_MAX)
/* Its own port, and so its socket, differ from connection to connection. */
#define NAME "socket:[?]" SCOPE_TRACE_FD_PEER
#define NAME_BYTES (sizeof(struct scope_trace_peer) + sizeof(NAME) + 32)

void scope_timeline_fd_peers_free(struct scope_fd_peers *peers)
{
	for (size_t i = 0; i < peers->count; i++)
		free((char *)peers->row[i].name);
	free(peers->row);
	free(peers->own);
	free(peers->bucket);
	*peers = (struct scope_fd_peers){ 0 };
}

/* True if the row is of that peer. After the address its name may have a process. */
static bool is_of(const struct scope_trace_fd *row, uint32_t tgid, const char *address)
{
	const char *named = row->name + strlen(NAME);
	const size_t length = strlen(address);

	return row->tgid == tgid && !strncmp(named, address, length) && (!named[length] || named[length] == ' ');
}

/* The bucket of a peer, or the empty one that it would have. */
static uint32_t *find(const struct scope_fd_peers *peers, uint32_t tgid, const char *address)
{
	uint32_t at = scope_hash_text(tgid, address) % BUCKETS;

	for (; peers->bucket[at]; at = (at + 1) % BUCKETS) {
		if (is_of(&peers->row[peers->bucket[at] - 1], tgid, address))
			break;
	}
	return &peers->bucket[at];
}

static int add(struct scope_fd_peers *peers, uint32_t tgid, const char *address, uint32_t *bucket)
{
	char name[NAME_BYTES], *copy;

	snprintf(name, sizeof(name), NAME "%s", address);
	copy = strdup(name);
	if (!copy || scope_grow(&peers->row, &peers->capacity, peers->count + 1, sizeof(*peers->row)) ||
	    scope_grow(&peers->own, &peers->own_capacity, peers->count + 1, sizeof(*peers->own))) {
		free(copy);
		return -ENOMEM;
	}
	peers->own[peers->count] = false;
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
	char address[SCOPE_TRACE_ADDRESS_TEXT];
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
	bucket = find(peers, tgid, address);
	if (!*bucket) {
		if (peers->count == SCOPE_FD_PEERS_MAX)
			return 0;
		err = add(peers, tgid, address, bucket);
		if (err)
			return err;
	}
	peers->own[*bucket - 1] |= !memcmp(event->peer.own, event->peer.peer, sizeof(event->peer.own));
	*ret_number = peers->row[*bucket - 1].fd;
	return 0;
}

/* 0 or -ENOMEM. */
static int add_process(struct scope_trace_fd *row, bool is_own, const struct scope_port_owners *owners)
{
	struct scope_trace_peer peer;
	char name[NAME_BYTES], *copy;

	if (!scope_trace_peer_of(row, &peer) || !scope_trace_port_owner(owners, row->tgid, is_own, &peer))
		return 0;
	snprintf(name, sizeof(name), NAME "%s" SCOPE_TRACE_FD_PROCESS "%" PRIu32 " %s)", peer.address, peer.pid,
		 peer.name);
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	free((char *)row->name);
	row->name = copy;
	return 0;
}

int scope_timeline_fd_peers_find(struct scope_fd_peers *peers, const struct scope_trace *trace)
{
	struct scope_port_owners *owners;
	int err = peers->count ? scope_trace_port_owners_create(trace, &owners) : 0;

	if (err || !peers->count)
		return err;
	for (size_t i = 0; i < peers->count && !err; i++)
		err = add_process(&peers->row[i], peers->own[i], owners);
	scope_trace_port_owners_destroy(owners);
	return err;
}
