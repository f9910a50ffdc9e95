// SPDX-License-Identifier: GPL-2.0-only
/* Writes which processes of this host listen at which addresses. */
#include "proc/port_owners.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/inet_diag.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netlink/msg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proc/sock_diag.h"
#include "proc/socket_owner.h"
#include "trace/peer.h"
#include "trace/trace.h"
#include "trace/writer.h"

#define SPACES_MAX 32	   /* no rule: network namespaces of one target; further ones are ignored */
#define LISTENERS_MAX 1024 /* no rule: further sockets have no rows */
#define STATE_LISTEN 10	   /* TCP_LISTEN */

struct listener {
	uint64_t inode;
	uint32_t space, tgid; /* tgid 0: not known */
	char address[SCOPE_TRACE_ADDRESS_TEXT];
	char comm[SCOPE_COMM_BYTES];
};

struct space {
	char name[64];		/* "net:[4026531840]" */
	struct nl_sock *socket; /* NULL: the kernel cannot be asked */
};

struct scope_proc_port_owners {
	struct space space[SPACES_MAX];
	uint32_t spaces;
	struct listener listener[LISTENERS_MAX];
	size_t count; /* listeners that were found; the first `written` of them were handled by earlier calls */
	size_t written;
	uint32_t asked; /* the namespace whose sockets are being read */
};

int scope_proc_port_owners_create(struct scope_proc_port_owners **ret_owners)
{
	*ret_owners = calloc(1, sizeof(**ret_owners));
	return *ret_owners ? 0 : -ENOMEM;
}

void scope_proc_port_owners_destroy(struct scope_proc_port_owners *owners)
{
	if (!owners)
		return;
	for (uint32_t i = 0; i < owners->spaces; i++)
		if (owners->space[i].socket)
			nl_socket_free(owners->space[i].socket);
	free(owners);
}

/* The number of the process's namespace; SPACES_MAX: there are too many, or the process has ended. */
static uint32_t space_of(struct scope_proc_port_owners *owners, uint32_t tgid)
{
	struct space *space = owners->space;
	char path[64], name[sizeof(space->name)];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/ns/net", tgid);
	length = readlink(path, name, sizeof(name) - 1);
	if (length <= 0)
		return SPACES_MAX;
	name[length] = '\0';
	while (space < owners->space + owners->spaces && strcmp(space->name, name))
		space++;
	if (space == owners->space + SPACES_MAX)
		return SPACES_MAX;
	if (space == owners->space + owners->spaces) {
		strcpy(space->name, name);
		if (scope_proc_sock_diag_open(tgid, &space->socket))
			space->socket = NULL;
		owners->spaces++;
	}
	return (uint32_t)(space - owners->space);
}

/* Writes an address of struct inet_diag_sockid. */
static void write_address(const struct inet_diag_msg *row, char text[SCOPE_TRACE_ADDRESS_TEXT])
{
	uint64_t address[2] = { 0, 0xffff00000000u | ntohl(row->id.idiag_src[0]) };

	if (row->idiag_family == AF_INET6)
		for (int i = 0; i < 2; i++)
			address[i] = (uint64_t)ntohl(row->id.idiag_src[2 * i]) << 32 |
				     ntohl(row->id.idiag_src[2 * i + 1]);
	scope_trace_address_text(address, ntohs(row->id.idiag_sport), text);
}

static int take(struct nl_msg *message, void *user)
{
	struct nlmsghdr *head = nlmsg_hdr(message);
	struct scope_proc_port_owners *owners = user;
	const struct inet_diag_msg *row;
	struct listener *listener;

	if (head->nlmsg_type != SOCK_DIAG_BY_FAMILY || !nlmsg_valid_hdr(head, sizeof(*row)))
		return NL_SKIP;
	row = nlmsg_data(head);
	if (row->idiag_state != STATE_LISTEN || owners->count == LISTENERS_MAX)
		return NL_OK;
	for (size_t i = 0; i < owners->written; i++)
		if (owners->listener[i].inode == row->idiag_inode)
			return NL_OK;
	listener = &owners->listener[owners->count++];
	*listener = (struct listener){ .inode = row->idiag_inode, .space = owners->asked };
	write_address(row, listener->address);
	return NL_OK;
}

static void look(struct scope_proc_port_owners *owners)
{
	static const uint8_t family[] = { AF_INET, AF_INET6 };
	struct inet_diag_req_v2 request = { .sdiag_protocol = IPPROTO_TCP, .idiag_states = 1u << STATE_LISTEN };

	for (owners->asked = 0; owners->asked < owners->spaces; owners->asked++) {
		struct nl_sock *socket = owners->space[owners->asked].socket;

		for (size_t i = 0; socket && i < sizeof(family); i++) {
			request.sdiag_family = family[i];
			scope_proc_sock_diag_dump(socket, &request, sizeof(request), take, owners);
		}
	}
}

/* Sorts by address, then by process: several processes may share a port, and the first is used. */
static int by_address(const void *left, const void *right)
{
	const struct listener *a = left, *b = right;
	int order;

	if (a->space != b->space)
		return a->space < b->space ? -1 : 1;
	order = strcmp(a->address, b->address);
	if (order)
		return order;
	return a->tgid != b->tgid ? a->tgid - 1 < b->tgid - 1 ? -1 : 1 : 0;
}

static int write_new(struct scope_proc_port_owners *owners, struct scope_writer *writer)
{
	struct listener *new = owners->listener + owners->written;
	const size_t count = owners->count - owners->written;
	char key[sizeof(SCOPE_META_LISTENER) + 16 + sizeof(new->address)], value[SCOPE_COMM_BYTES + 16];
	struct scope_peers peers = { 0 };
	int err = 0;

	for (size_t i = 0; i < count; i++)
		new[i].tgid = scope_proc_peers_find(&peers, new[i].inode, new[i].comm);
	scope_proc_peers_free(&peers);
	qsort(new, count, sizeof(*new), by_address);
	for (size_t i = 0; i < count && !err; i++) {
		if (!new[i].tgid ||
		    (i && new[i].space == new[i - 1].space && !strcmp(new[i].address, new[i - 1].address)))
			continue;
		snprintf(key, sizeof(key), SCOPE_META_LISTENER "%" PRIu32 ".%s", new[i].space, new[i].address);
		snprintf(value, sizeof(value), "%" PRIu32 " %.*s", new[i].tgid, SCOPE_COMM_BYTES, new[i].comm);
		err = scope_trace_writer_meta(writer, key, value);
	}
	owners->written = owners->count;
	return err;
}

/* Writes the namespace of a process, if not all processes are in one namespace. */
static int write_space(uint32_t tgid, uint32_t space, struct scope_writer *writer)
{
	char key[sizeof(SCOPE_META_NETWORK) + 16], value[16];

	snprintf(key, sizeof(key), SCOPE_META_NETWORK "%" PRIu32, tgid);
	snprintf(value, sizeof(value), "%" PRIu32, space);
	return scope_trace_writer_meta(writer, key, value);
}

int scope_proc_port_owners_write(struct scope_proc_port_owners *owners, const uint32_t *tgids, size_t count,
				 struct scope_writer *writer)
{
	int err = 0;

	if (!owners)
		return 0;
	for (size_t i = 0; i < count; i++)
		space_of(owners, tgids[i]);
	for (size_t i = 0; i < count && !err && owners->spaces > 1; i++) {
		const uint32_t space = space_of(owners, tgids[i]);

		if (space < SPACES_MAX)
			err = write_space(tgids[i], space, writer);
	}
	if (err)
		return err;
	look(owners);
	return owners->count > owners->written ? write_new(owners, writer) : 0;
}
