// SPDX-License-Identifier: GPL-2.0-only
/* Tracks the kind of each descriptor of a process, as calls open and close them. */
#include "timeline/fds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "base/grow.h"
#include "trace/peer.h"

#define OTHERS_BELOW 1024 /* no rule: further descriptors of a connection are not looked for */

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
		of->first = recent->first;
		of->held = recent->held;
	}
	*recent = *slot;
}

static struct scope_fd_slot *slot_of(const struct scope_fds *fds, uint32_t tgid, int64_t fd)
{
	return find_slot(fds->slot, fds->slots, scope_timeline_fd_key(tgid, fd));
}

/* Data about a connection are up to date in its slot, and not in copies. */
static void settle(struct scope_fds *fds, int64_t fd)
{
	struct scope_fd_slot *recent = &fds->recent[fd % SCOPE_FDS_RECENT];

	if (recent->turned) {
		struct scope_fd_slot *of = find_slot(fds->slot, fds->slots, recent->key);

		of->turn = recent->turn;
		of->asked = recent->asked;
	}
	*recent = (struct scope_fd_slot){ 0 };
}

/*
 * The descriptor, closed or used for something else, was one of several of a connection. If it had the state of the others, the first
 * of them has it now: those that a program keeps are mostly the standard ones.
 */
static void part(struct scope_fds *fds, uint32_t tgid, int64_t fd, struct scope_fd_slot *slot)
{
	struct scope_fd_slot *heir = NULL, *other;

	if (slot->of)
		slot_of(fds, tgid, (int64_t)slot->of - 1)->others--;
	slot->of = 0;
	if (!slot->others)
		return;
	settle(fds, fd);
	for (int64_t at = 0; at < OTHERS_BELOW && slot->others; at++) {
		other = slot_of(fds, tgid, at);
		if (!other->key || other->of != (uint32_t)fd + 1)
			continue;
		slot->others--;
		settle(fds, at);
		if (heir) {
			other->of = (uint32_t)heir->key;
			heir->others++;
			continue;
		}
		heir = other;
		heir->of = 0;
		heir->turn = slot->turn;
		heir->asked = slot->asked;
		heir->first = slot->first;
		heir->connection = slot->connection;
	}
	slot->others = 0;
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
	if (slot->of || slot->others)
		part(fds, tgid, fd, slot);
	slot->kind = (uint8_t)kind;
	slot->turn = SCOPE_FD_ANSWERED;
	slot->asked = SCOPE_FD_NOBODY;
	slot->first = false;
	slot->held = 0;
	slot->since_ns = since_ns;
	slot->connection = connection;
	slot->named = 0;
	slot->renewed |= since_ns != 0;
	remember(fds, fd, slot);
	return 0;
}

int scope_timeline_fds_change(struct scope_fds *fds, uint32_t tgid, int64_t fd, enum scope_fd_kind kind,
			      uint64_t since_ns)
{
	return change(fds, tgid, fd, kind, since_ns, kind == SCOPE_FD_ACCEPTED && since_ns ? ++fds->connections : 0);
}

int64_t scope_timeline_fds_first(const struct scope_fds *fds, uint32_t tgid, int64_t fd)
{
	const struct scope_fd_slot *slot;

	if (fd < 0)
		return fd;
	slot = slot_of(fds, tgid, fd);
	return slot->key && slot->of ? (int64_t)slot->of - 1 : fd;
}

/* The second descriptor is a copy of the first: since_ns as in struct scope_fd_slot. 0 or -ENOMEM. */
static int copy(struct scope_fds *fds, uint32_t tgid, int64_t from, int64_t to, uint64_t since_ns)
{
	const enum scope_fd_kind kind = scope_timeline_fds_kind(fds, tgid, from);
	struct scope_fd_slot *slot;
	int32_t named;
	int err;

	if (from == to || (kind == SCOPE_FD_UNKNOWN && scope_timeline_fds_kind(fds, tgid, to) == SCOPE_FD_UNKNOWN))
		return 0;
	from = scope_timeline_fds_first(fds, tgid, from);
	if (from == to)
		return 0;
	named = slot_of(fds, tgid, from)->named;
	err = change(fds, tgid, to, kind, since_ns, slot_of(fds, tgid, from)->connection);
	if (err || to < 0 || to > INT32_MAX)
		return err;
	slot = slot_of(fds, tgid, to);
	slot->named = named;
	if (kind != SCOPE_FD_ACCEPTED)
		return 0;
	slot->of = (uint32_t)from + 1;
	slot_of(fds, tgid, from)->others++;
	fds->doubled = true;
	return 0;
}

int scope_timeline_fds_copied(struct scope_fds *fds, uint32_t tgid, uint32_t nr, const uint64_t *arg, unsigned args,
			      int64_t ret, uint64_t exit_ns)
{
	if (!args || scope_timeline_fds_known(fds, tgid, nr, arg, args, ret))
		return 0;
	return copy(fds, tgid, (int32_t)arg[0], ret, exit_ns);
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

int scope_timeline_fds_peer(struct scope_fds *fds, uint32_t tgid, const struct scope_event *event)
{
	struct scope_fd_slot *slot;
	int32_t named;
	int err;

	/* There are many clients, and waits for one of them are not reported by its name. */
	if (scope_timeline_fds_kind(fds, tgid, event->peer.fd) != SCOPE_FD_CONNECTED)
		return 0;
	err = scope_timeline_fd_peers_add(&fds->peers, tgid, event, &named);
	if (err || !named)
		return err;
	slot = slot_of(fds, tgid, event->peer.fd);
	slot->named = named;
	slot->renewed = true;
	return 0;
}

int scope_timeline_fds_find_listeners(struct scope_fds *fds, const struct scope_trace *trace)
{
	return scope_timeline_fd_peers_find(&fds->peers, trace);
}

int32_t scope_timeline_fds_named(const struct scope_fds *fds, uint32_t tgid, int32_t fd)
{
	const struct scope_fd_slot *slot;

	if (!fds->peers.count || fd < 0)
		return fd;
	slot = slot_of(fds, tgid, fd);
	return slot->key && slot->named ? slot->named : fd;
}

const struct scope_trace_fd *scope_timeline_fds_peer_row(const struct scope_fds *fds, int32_t named)
{
	const size_t at = (size_t)named - SCOPE_FD_PEERS_FIRST;

	return named >= SCOPE_FD_PEERS_FIRST && at < fds->peers.count ? &fds->peers.row[at] : NULL;
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
	for (size_t i = 0; more && i < fds->slots; i++) {
		const struct scope_fd_slot parent = fds->slot[i];
		struct scope_fd_slot *slot;

		if (parent.key >> 32 != parent_tgid || parent.kind == SCOPE_FD_UNKNOWN)
			continue;
		if (change(fds, tgid, (int64_t)(uint32_t)parent.key - 1, (enum scope_fd_kind)parent.kind, 0,
			   parent.connection))
			return -ENOMEM;
		slot = find_slot(fds->slot, fds->slots, (uint64_t)tgid << 32 | (uint32_t)parent.key);
		slot->of = parent.of;
		slot->others = parent.others;
		slot->named = parent.named;
	}
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
					  .held = slot->held,
					  .first = slot->first,
					  .since_ns = slot->since_ns,
					  .connection = slot->connection });
	return (enum scope_fd_kind)slot->kind;
}

static int by_connection(const void *one, const void *other)
{
	const struct scope_trace_fd *a = *(const struct scope_trace_fd *const *)one;
	const struct scope_trace_fd *b = *(const struct scope_trace_fd *const *)other;
	const int order = strcmp(a->name, b->name);

	if (a->tgid != b->tgid)
		return a->tgid < b->tgid ? -1 : 1;
	return order ? order : (a->fd > b->fd) - (a->fd < b->fd);
}

/* Links name a socket by its number, so two with one name are one connection. 0 or -ENOMEM. */
static int find_doubles(struct scope_fds *fds, const struct scope_trace_fd *row, size_t count)
{
	const struct scope_trace_fd **of;
	size_t clients = 0;
	int err = 0;

	of = calloc(count + 1, sizeof(*of));
	if (!of)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		if (row[i].kind == SCOPE_FD_ACCEPTED && row[i].fd >= 0 && !strncmp(row[i].name, "socket:[", 8))
			of[clients++] = &row[i];
	qsort(of, clients, sizeof(*of), by_connection);
	for (size_t i = 1; !err && i < clients; i++)
		if (of[i]->tgid == of[i - 1]->tgid && of[i]->fd != of[i - 1]->fd &&
		    !strcmp(of[i]->name, of[i - 1]->name))
			err = copy(fds, of[i]->tgid, of[i - 1]->fd, of[i]->fd, 0);
	free(of);
	return err;
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
	if (!err)
		err = find_doubles(fds, row, count);
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
	scope_timeline_fd_peers_free(&fds->peers);
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
	[SYS_dup] = { .of = SCOPE_FD_CHANGE_COPY },
#ifdef SYS_dup2
	[SYS_dup2] = { .of = SCOPE_FD_CHANGE_COPY },
#endif
	[SYS_dup3] = { .of = SCOPE_FD_CHANGE_COPY },
	[SYS_fcntl] = { .of = SCOPE_FD_CHANGE_COPY },
	[SYS_openat] = OF_RESULT(FILE),
	[SYS_pread64] = OF_ARGUMENT(FILE),
	[SYS_pwrite64] = OF_ARGUMENT(FILE),
	[SYS_fsync] = OF_ARGUMENT(FILE),
	[SYS_fdatasync] = OF_ARGUMENT(FILE),
};
