// SPDX-License-Identifier: GPL-2.0-only
/* Finds once a second which clients wait to be accepted, or until the server reads what they sent. */
#include "proc/backlog.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/inet_diag.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/in.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/now.h"
#include "proc/sock_diag.h"
#include "trace/backlog_row.h"
#include "trace/writer.h"

#define NS_PER_S 1000000000ull
#define SOCKETS_MAX 64	  /* no rule: sockets of each kind with waiting connections or bytes */
#define ROWS_KEPT 1024	  /* no rule: number of keys of rows; then the oldest are used again */
#define STATE_CONNECTED 1 /* TCP_ESTABLISHED, also for unix sockets */
#define STATE_LISTEN 10	  /* TCP_LISTEN, also for unix sockets */
#define LONG_NS 2000000	  /* no rule: a look at all connections that takes longer is not done every second */
#define PORTS 65536
#define STATE_UNCONNECTED 7 /* TCP_CLOSE: datagram sockets that are not connected */
#define SERVERS_BELOW                                                                                                  \
	32768 /* no rule: ports from here on are given by the kernel to sockets that request none, such as those of clients */

struct waiting {
	struct scope_backlog_row row;
	bool seen; /* found at this look */
};

/* Sockets of one kind. */
struct waiting_set {
	struct waiting waiting[SOCKETS_MAX];
	size_t count;
};

struct scope_proc_backlog {
	struct nl_sock *socket;
	struct waiting_set listeners, connections;
	uint8_t listens[PORTS / 8]; /* a bit for each TCP port with a listener */
	uint64_t now_ns, next_ns, rows;
	uint64_t took_ns; /* duration of the last look at all connections */
};

static void note(struct scope_proc_backlog *backlog, struct waiting_set *set, uint64_t inode, uint32_t count,
		 uint32_t limit)
{
	struct waiting *at = set->waiting;

	if (!count)
		return;
	while (at < set->waiting + set->count && at->row.inode != inode)
		at++;
	if (at == set->waiting + SOCKETS_MAX)
		return;
	if (at == set->waiting + set->count) {
		set->count++;
		at->row.since_ns = backlog->now_ns;
	}
	at->row.inode = inode;
	at->row.time_ns = backlog->now_ns;
	at->row.count = count;
	at->row.limit = limit;
	at->seen = true;
}

static int take_inet(struct nl_msg *message, void *user)
{
	struct scope_proc_backlog *backlog = user;
	struct nlmsghdr *head = nlmsg_hdr(message);
	const struct inet_diag_msg *row;
	uint16_t port;

	if (head->nlmsg_type != SOCK_DIAG_BY_FAMILY || !nlmsg_valid_hdr(head, sizeof(*row)))
		return NL_SKIP;
	row = nlmsg_data(head);
	port = ntohs(row->id.idiag_sport);
	if (row->idiag_state == STATE_LISTEN) {
		backlog->listens[port / 8] |= (uint8_t)(1u << port % 8);
		note(backlog, &backlog->listeners, row->idiag_inode, row->idiag_rqueue, row->idiag_wqueue);
	} else if (backlog->listens[port / 8] >> port % 8 & 1) {
		note(backlog, &backlog->connections, row->idiag_inode, row->idiag_rqueue, 0);
	}
	return NL_OK;
}

static int take_datagrams(struct nl_msg *message, void *user)
{
	struct scope_proc_backlog *backlog = user;
	struct nlmsghdr *head = nlmsg_hdr(message);
	const struct inet_diag_msg *row;

	if (head->nlmsg_type != SOCK_DIAG_BY_FAMILY || !nlmsg_valid_hdr(head, sizeof(*row)))
		return NL_SKIP;
	row = nlmsg_data(head);
	if (ntohs(row->id.idiag_sport) < SERVERS_BELOW)
		note(backlog, &backlog->connections, row->idiag_inode, row->idiag_rqueue, 0);
	return NL_OK;
}

static int take_unix(struct nl_msg *message, void *user)
{
	struct scope_proc_backlog *backlog = user;
	struct nlmsghdr *head = nlmsg_hdr(message);
	const struct unix_diag_msg *row;
	struct unix_diag_rqlen queue;
	struct nlattr *length;

	if (head->nlmsg_type != SOCK_DIAG_BY_FAMILY || !nlmsg_valid_hdr(head, sizeof(*row)))
		return NL_SKIP;
	row = nlmsg_data(head);
	length = nlmsg_find_attr(head, sizeof(*row), UNIX_DIAG_RQLEN);
	if (!length || nla_len(length) < (int)sizeof(queue))
		return NL_OK;
	memcpy(&queue, nla_data(length), sizeof(queue));
	if (row->udiag_state == STATE_LISTEN)
		note(backlog, &backlog->listeners, row->udiag_ino, queue.udiag_rqueue, queue.udiag_wqueue);
	else
		note(backlog, &backlog->connections, row->udiag_ino, queue.udiag_rqueue, 0);
	return NL_OK;
}

static void look_at(struct scope_proc_backlog *backlog, uint32_t states)
{
	struct inet_diag_req_v2 inet = { .sdiag_protocol = IPPROTO_TCP, .idiag_states = states };
	struct unix_diag_req local = {
		.sdiag_family = AF_UNIX,
		.udiag_states = states,
		.udiag_show = UDIAG_SHOW_RQLEN,
	};
	static const uint8_t family[] = { AF_INET, AF_INET6 };

	for (size_t i = 0; i < sizeof(family); i++) {
		inet.sdiag_family = family[i];
		scope_proc_sock_diag_dump(backlog->socket, &inet, sizeof(inet), take_inet, backlog);
	}
	scope_proc_sock_diag_dump(backlog->socket, &local, sizeof(local), take_unix, backlog);
}

static void look_at_datagrams(struct scope_proc_backlog *backlog)
{
	struct inet_diag_req_v2 inet = { .sdiag_protocol = IPPROTO_UDP, .idiag_states = 1u << STATE_UNCONNECTED };
	static const uint8_t family[] = { AF_INET, AF_INET6 };

	for (size_t i = 0; i < sizeof(family); i++) {
		inet.sdiag_family = family[i];
		scope_proc_sock_diag_dump(backlog->socket, &inet, sizeof(inet), take_datagrams, backlog);
	}
}

static void forget_look(struct waiting_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		set->waiting[i].seen = false;
}

static void drop_unseen(struct waiting_set *set)
{
	size_t kept = 0;

	for (size_t i = 0; i < set->count; i++)
		if (set->waiting[i].seen)
			set->waiting[kept++] = set->waiting[i];
	set->count = kept;
}

static void look(struct scope_proc_backlog *backlog, bool connections)
{
	uint64_t begin_ns;

	forget_look(&backlog->listeners);
	memset(backlog->listens, 0, sizeof(backlog->listens));
	look_at(backlog, 1u << STATE_LISTEN);
	drop_unseen(&backlog->listeners);
	if (!connections)
		return;
	begin_ns = scope_now_ns();
	forget_look(&backlog->connections);
	look_at(backlog, 1u << STATE_CONNECTED);
	look_at_datagrams(backlog);
	drop_unseen(&backlog->connections);
	backlog->took_ns = scope_now_ns() - begin_ns;
}

int scope_proc_backlog_create(uint32_t tgid, struct scope_proc_backlog **ret_backlog)
{
	struct scope_proc_backlog *backlog = calloc(1, sizeof(*backlog));

	*ret_backlog = NULL;
	if (!backlog)
		return -ENOMEM;
	if (scope_proc_sock_diag_open(tgid, &backlog->socket)) {
		free(backlog);
		return 0;
	}
	*ret_backlog = backlog;
	return 0;
}

void scope_proc_backlog_destroy(struct scope_proc_backlog *backlog)
{
	if (!backlog)
		return;
	nl_socket_free(backlog->socket);
	free(backlog);
}

static int write_set(struct scope_proc_backlog *backlog, const struct waiting_set *set, const char *key,
		     struct scope_writer *writer)
{
	char numbered[48], text[SCOPE_BACKLOG_BYTES];
	int err = 0;

	for (size_t i = 0; !err && i < set->count; i++) {
		snprintf(numbered, sizeof(numbered), "%s%" PRIu64, key, backlog->rows++ % ROWS_KEPT);
		scope_trace_backlog_format(&set->waiting[i].row, text);
		err = scope_trace_writer_meta(writer, numbered, text);
	}
	return err;
}

int scope_proc_backlog_tick(struct scope_proc_backlog *backlog, uint64_t now_ns, bool now, struct scope_writer *writer)
{
	bool connections;
	int err;

	if (!backlog || (now_ns < backlog->next_ns && !now))
		return 0;
	connections = now || backlog->took_ns < LONG_NS;
	backlog->next_ns = now_ns + NS_PER_S;
	backlog->now_ns = now_ns;
	look(backlog, connections);
	err = write_set(backlog, &backlog->listeners, SCOPE_META_BACKLOG, writer);
	if (!err && connections)
		err = write_set(backlog, &backlog->connections, SCOPE_META_WAITING_BYTES, writer);
	return err;
}
