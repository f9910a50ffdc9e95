// SPDX-License-Identifier: GPL-2.0-only
/* Names of descriptors, by peer or file: all connections to one peer are one, such as those of a pool. */
#include "waits/fd_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/port_owner.h"

/* A row that has a peer or a path. */
struct named {
	const struct scope_trace_fd *row;
	struct scope_trace_peer peer; /* address "": it is a file */
};

struct scope_fd_names {
	const struct scope_fds *fds;
	const struct scope_trace_fd **row; /* by process and descriptor */
	size_t rows;
	struct named *named; /* by name, then by process and descriptor */
	size_t count;
	uint32_t *first; /* of each row: index into named of the first with its name; UINT32_MAX: it has none */
	struct scope_port_owners *owners;
};

static int by_descriptor(const void *left, const void *right)
{
	const struct scope_trace_fd *a = *(const struct scope_trace_fd *const *)left;
	const struct scope_trace_fd *b = *(const struct scope_trace_fd *const *)right;

	if (a->tgid != b->tgid)
		return a->tgid < b->tgid ? -1 : 1;
	if (a->fd != b->fd)
		return a->fd < b->fd ? -1 : 1;
	return a < b ? -1 : a > b; /* of several the last one counts */
}

static int compare_names(const struct named *a, const struct named *b)
{
	int order = strcmp(a->peer.address, b->peer.address);

	return order || a->peer.address[0] ? order : strcmp(a->row->name, b->row->name);
}

static int by_name(const void *left, const void *right)
{
	const struct named *a = left, *b = right;
	int order = compare_names(a, b);

	return order ? order : by_descriptor(&a->row, &b->row);
}

/* Index of the last row of that descriptor; SIZE_MAX: none, or a call of the trace opened it again. */
static size_t find(const struct scope_fd_names *names, uint32_t tgid, int32_t fd)
{
	size_t from = 0, to = names->rows;

	while (from < to) {
		const size_t middle = from + (to - from) / 2;
		const struct scope_trace_fd *row = names->row[middle];

		if (row->tgid < tgid || (row->tgid == tgid && row->fd <= fd))
			from = middle + 1;
		else
			to = middle;
	}
	if (!from || names->row[from - 1]->tgid != tgid || names->row[from - 1]->fd != fd)
		return SIZE_MAX;
	return scope_timeline_fds_renewed(names->fds, tgid, fd) ? SIZE_MAX : from - 1;
}

/* Lists the rows that have a name, sorts them by it, and notes for each row which of them is the first. */
static void list_names(struct scope_fd_names *names)
{
	for (size_t i = 0; i < names->rows; i++) {
		const struct scope_trace_fd *row = names->row[i];
		struct named named = { .row = row };

		names->first[i] = UINT32_MAX;
		if (find(names, row->tgid, row->fd) == i &&
		    (scope_trace_peer_of(row, &named.peer) || (row->kind == SCOPE_FD_FILE && row->name[0] == '/')))
			names->named[names->count++] = named;
	}
	if (names->count)
		qsort(names->named, names->count, sizeof(*names->named), by_name);
	for (size_t i = 0, first = 0; i < names->count; i++) {
		const struct scope_trace_fd *row = names->named[i].row;

		if (compare_names(&names->named[first], &names->named[i]))
			first = i;
		names->first[find(names, row->tgid, row->fd)] = (uint32_t)first;
	}
}

int scope_waits_fd_names_create(const struct scope_trace *trace, const struct scope_fds *fds,
				struct scope_fd_names **ret_names)
{
	struct scope_fd_names *names = calloc(1, sizeof(*names));
	const struct scope_trace_fd *row;
	size_t rows;

	if (!names)
		return -ENOMEM;
	row = scope_trace_fds(trace, &rows);
	names->rows = rows + fds->peers.count;
	names->fds = fds;
	names->row = calloc(names->rows + 1, sizeof(*names->row));
	names->named = calloc(names->rows + 1, sizeof(*names->named));
	names->first = calloc(names->rows + 1, sizeof(*names->first));
	if (!names->row || !names->named || !names->first || scope_trace_port_owners_create(trace, &names->owners)) {
		scope_waits_fd_names_destroy(names);
		return -ENOMEM;
	}
	for (size_t i = 0; i < names->rows; i++)
		names->row[i] = i < rows ? &row[i] : &fds->peers.row[i - rows];
	qsort(names->row, names->rows, sizeof(*names->row), by_descriptor);
	list_names(names);
	*ret_names = names;
	return 0;
}

void scope_waits_fd_names_destroy(struct scope_fd_names *names)
{
	if (!names)
		return;
	free(names->row);
	free(names->named);
	free(names->first);
	scope_trace_port_owners_destroy(names->owners);
	free(names);
}

const struct scope_trace_fd *scope_waits_fd_names_row(const struct scope_fd_names *names, uint32_t tgid, int32_t fd)
{
	const size_t at = find(names, tgid, fd);

	return at == SIZE_MAX ? NULL : names->row[at];
}

const struct scope_trace_fd *scope_waits_fd_names_first(const struct scope_fd_names *names, uint32_t tgid, int32_t fd)
{
	const size_t at = find(names, tgid, fd);

	return at == SIZE_MAX || names->first[at] == UINT32_MAX ? NULL : names->named[names->first[at]].row;
}

/* True if that is also the address of the row's own end. */
static bool is_own(const struct scope_trace_fd *row, const char *address)
{
	const char *own = strstr(row->name, SCOPE_TRACE_FD_OWN), *end = own ? strstr(own, SCOPE_TRACE_FD_PEER) : NULL;
	char text[SCOPE_TRACE_ADDRESS_TEXT];

	if (!end)
		return false;
	own += strlen(SCOPE_TRACE_FD_OWN);
	snprintf(text, sizeof(text), "%.*s", (int)(end - own), own);
	return scope_trace_address_is_same(text, address);
}

bool scope_waits_fd_names_peer(const struct scope_fd_names *names, const struct scope_trace_fd *row,
			       struct scope_trace_peer *ret_peer)
{
	const size_t at = find(names, row->tgid, row->fd);
	const uint32_t first = at == SIZE_MAX ? UINT32_MAX : names->first[at];
	bool own = false;

	if (first == UINT32_MAX || !names->named[first].peer.address[0])
		return false;
	*ret_peer = names->named[first].peer;
	for (size_t i = first; i < names->count && !compare_names(&names->named[first], &names->named[i]); i++) {
		if (names->named[i].peer.pid != ret_peer->pid)
			ret_peer->pid = 0;
		own |= is_own(names->named[i].row, ret_peer->address);
	}
	if (!ret_peer->pid)
		scope_trace_port_owner(names->owners, row->tgid, own, ret_peer);
	return true;
}
