// SPDX-License-Identifier: GPL-2.0-only
/* Tracks the kind of each descriptor of a process, as calls open and close them. */
#include "timeline/fds.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "base/grow.h"
#include "trace/peer.h"

static struct scope_fd_slot *find_slot(const struct scope_fd_slot *table, size_t slots, uint64_t key)
{
	size_t at = (key * 0x9e3779b97f4a7c15u >> 20) & (slots - 1);

	while (table[at].key && table[at].key != key)
		at = (at + 1) & (slots - 1);
	return (struct scope_fd_slot *)&table[at];
}

static int widen(struct scope_fds *fds)
{
	size_t slots = fds->slots * 2;
	struct scope_fd_slot *table = calloc(slots, sizeof(*table));

	if (!table)
		return -ENOMEM;
	for (size_t i = 0; i < fds->slots; i++)
		if (fds->slot[i].key)
			*find_slot(table, slots, fds->slot[i].key) = fds->slot[i];
	free(fds->slot);
	fds->slot = table;
	fds->slots = slots;
	return 0;
}

/* The copy that is replaced may be newer than its slot. */
static void remember(struct scope_fds *fds, int64_t fd, const struct scope_fd_slot *slot)
{
	struct scope_fd_slot *recent = &fds->recent[fd % SCOPE_FDS_RECENT];

	if (recent->turned && recent->key != slot->key) {
		struct scope_fd_slot *of = find_slot(fds->slot, fds->slots, recent->key);

		of->turn = recent->turn;
		of->asked = recent->asked;
		of->left_ns = recent->left_ns;
	}
	*recent = *slot;
}

static int change(struct scope_fds *fds, uint32_t tgid, int64_t fd, enum scope_fd_kind kind, uint64_t since_ns,
		  uint32_t connection)
{
	const uint64_t key = scope_timeline_fd_key(tgid, fd);
	struct scope_fd_slot *slot;

	if (fd < 0 || fd > INT32_MAX)
		return 0;
	if (fds->used * 2 >= fds->slots && widen(fds))
		return -ENOMEM;
	slot = find_slot(fds->slot, fds->slots, key);
	if (!slot->key) {
		slot->key = key;
		fds->used++;
	}
	slot->kind = (uint8_t)kind;
	slot->turn = SCOPE_FD_ANSWERED;
	slot->asked = SCOPE_FD_NOBODY;
	slot->left_ns = 0;
	slot->since_ns = since_ns;
	slot->connection = connection;
	slot->renewed |= since_ns != 0;
	remember(fds, fd, slot);
	return 0;
}

int scope_timeline_fds_change(struct scope_fds *fds, uint32_t tgid, int64_t fd, enum scope_fd_kind kind,
			      uint64_t since_ns)
{
	return change(fds, tgid, fd, kind, since_ns, kind == SCOPE_FD_ACCEPTED && since_ns ? ++fds->connections : 0);
}

static bool is_pair(const struct scope_fds *fds, uint32_t tgid, uint32_t peer)
{
	for (size_t i = 0; i < fds->pairs; i++)
		if (fds->pair[i].tgid == tgid && fds->pair[i].peer == peer)
			return true;
	return false;
}

/* The row is one that the capture found. 0 or -ENOMEM. */
static int know_peer(struct scope_fds *fds, const struct scope_trace_fd *row)
{
	struct scope_trace_peer peer;

	if (!scope_trace_peer_of(row, &peer) || !peer.pid)
		return 0;
	find_slot(fds->slot, fds->slots, scope_timeline_fd_key(row->tgid, row->fd))->peer = peer.pid;
	if (fds->pairs == SCOPE_FDS_PAIRS || is_pair(fds, row->tgid, peer.pid))
		return 0;
	if (scope_grow(&fds->pair, &fds->pair_capacity, fds->pairs + 1, sizeof(*fds->pair)))
		return -ENOMEM;
	fds->pair[fds->pairs++] = (struct scope_fd_pair){ row->tgid, peer.pid };
	return 0;
}

bool scope_timeline_fds_loops(const struct scope_fds *fds, uint32_t tgid, int64_t fd, uint32_t from)
{
	const struct scope_fd_slot *slot;

	if (!fds->pairs)
		return false;
	slot = fd < 0 ? NULL : find_slot(fds->slot, fds->slots, scope_timeline_fd_key(tgid, fd));
	if (slot && slot->peer && !slot->renewed)
		return slot->peer == from;
	if (slot && slot->kind == SCOPE_FD_CONNECTED)
		return false;
	return is_pair(fds, from, tgid) || (!slot && is_pair(fds, tgid, from));
}

bool scope_timeline_fds_renewed(const struct scope_fds *fds, uint32_t tgid, int64_t fd)
{
	return find_slot(fds->slot, fds->slots, scope_timeline_fd_key(tgid, fd))->renewed;
}

int scope_timeline_fds_close(struct scope_fds *fds, uint32_t tgid, int64_t fd, uint64_t enter_ns)
{
	if (scope_timeline_fds_kind(fds, tgid, fd) == SCOPE_FD_UNKNOWN ||
	    fds->recent[(uint64_t)fd % SCOPE_FDS_RECENT].since_ns > enter_ns)
		return 0;
	return scope_timeline_fds_change(fds, tgid, fd, SCOPE_FD_UNKNOWN, 0);
}

int scope_timeline_fds_fork(struct scope_fds *fds, uint32_t parent_tgid, uint32_t tgid)
{
	size_t more = 0;

	for (size_t i = 0; i < fds->slots; i++)
		more += fds->slot[i].key >> 32 == parent_tgid;
	while ((fds->used + more) * 2 >= fds->slots)
		if (widen(fds))
			return -ENOMEM;
	/* Descriptors added in this loop are not the parent's. */
	for (size_t i = 0; more && i < fds->slots; i++)
		if (fds->slot[i].key >> 32 == parent_tgid && fds->slot[i].kind != SCOPE_FD_UNKNOWN &&
		    change(fds, tgid, (int64_t)(uint32_t)fds->slot[i].key - 1, (enum scope_fd_kind)fds->slot[i].kind, 0,
			   fds->slot[i].connection))
			return -ENOMEM;
	return 0;
}

enum scope_fd_kind scope_timeline_fds_find(struct scope_fds *fds, uint32_t tgid, int64_t fd)
{
	const uint64_t key = scope_timeline_fd_key(tgid, fd);
	const struct scope_fd_slot *slot;

	if (fd < 0 || fd > INT32_MAX)
		return SCOPE_FD_UNKNOWN;
	slot = find_slot(fds->slot, fds->slots, key);
	remember(fds, fd,
		 &(struct scope_fd_slot){ .key = key,
					  .kind = slot->kind,
					  .turn = slot->turn,
					  .asked = slot->key ? slot->asked : SCOPE_FD_NOBODY,
					  .since_ns = slot->since_ns,
					  .connection = slot->connection });
	return (enum scope_fd_kind)slot->kind;
}

int scope_timeline_fds_create(const struct scope_trace *trace, struct scope_fds **ret_fds)
{
	struct scope_fds *fds = calloc(1, sizeof(*fds));
	size_t count = 0;
	const struct scope_trace_fd *row;
	int err = 0;

	if (!fds)
		return -ENOMEM;
	fds->slots = 1024;
	fds->slot = calloc(fds->slots, sizeof(*fds->slot));
	if (!fds->slot)
		err = -ENOMEM;
	row = scope_trace_fds(trace, &count);
	/* A descriptor may have two rows. The later row is the newer one, if its kind is known. */
	for (size_t i = 0; !err && i < count; i++)
		if (row[i].kind != SCOPE_FD_UNKNOWN ||
		    scope_timeline_fds_kind(fds, row[i].tgid, row[i].fd) == SCOPE_FD_UNKNOWN)
			err = scope_timeline_fds_set(fds, row[i].tgid, row[i].fd, row[i].kind);
	for (size_t i = 0; !err && i < count; i++)
		err = know_peer(fds, &row[i]);
	if (err) {
		scope_timeline_fds_destroy(fds);
		return err;
	}
	*ret_fds = fds;
	return 0;
}

void scope_timeline_fds_destroy(struct scope_fds *fds)
{
	if (!fds)
		return;
	free(fds->slot);
	free(fds->pair);
	free(fds);
}

int scope_timeline_fds_shut(struct scope_fds *fds, uint32_t tgid, const uint64_t *arg, unsigned args, int64_t ret)
{
	/* Most captures record one argument of it; few programs shut down only reading. */
	if (args && (args < 2 || arg[1] != SHUT_RD) && !ret &&
	    scope_timeline_fds_kind(fds, tgid, (int32_t)arg[0]) == SCOPE_FD_ACCEPTED)
		scope_timeline_fds_turn_to(fds, (int32_t)arg[0], SCOPE_FD_SHUT);
	return 0;
}

#define OF_RESULT(kind)                                                                                                \
	{                                                                                                              \
		SCOPE_FD_CHANGE_RESULT, SCOPE_FD_##kind                                                                \
	}
#define OF_ARGUMENT(kind)                                                                                              \
	{                                                                                                              \
		SCOPE_FD_CHANGE_ARGUMENT, SCOPE_FD_##kind                                                              \
	}

const struct scope_call_effect scope_timeline_call_effects[SCOPE_SYSCALL_MAX] = {
	[SYS_accept] = OF_RESULT(ACCEPTED),
	[SYS_accept4] = OF_RESULT(ACCEPTED),
	[SYS_connect] = OF_ARGUMENT(CONNECTED),
	[SYS_socket] = OF_RESULT(DATAGRAM),
	[SYS_shutdown] = { .of = SCOPE_FD_CHANGE_SHUT },
	[SYS_close] = { .of = SCOPE_FD_CHANGE_CLOSED },
	[SYS_openat] = OF_RESULT(FILE),
	[SYS_pread64] = OF_ARGUMENT(FILE),
	[SYS_pwrite64] = OF_ARGUMENT(FILE),
	[SYS_fsync] = OF_ARGUMENT(FILE),
	[SYS_fdatasync] = OF_ARGUMENT(FILE),
};
