// SPDX-License-Identifier: GPL-2.0-only
/* How many connections wait to be accepted, looked at once a second. */
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

#include "proc/sock_diag.h"
#include "trace/backlog_row.h"
#include "trace/writer.h"

#define NS_PER_S 1000000000ull
#define SOCKETS_MAX 64	/* no rule: with connections that wait */
#define ROWS_KEPT 1024	/* no rule: keys of rows, after which they begin again */
#define STATE_LISTEN 10 /* TCP_LISTEN, of unix sockets as well */

struct waiting {
	struct scope_backlog_row row;
	bool seen; /* this time */
};

struct scope_proc_backlog {
	struct nl_sock *socket;
	struct waiting waiting[SOCKETS_MAX];
	size_t count;
	uint64_t now_ns, next_ns, rows;
};

static void note(struct scope_proc_backlog *backlog, uint64_t inode, uint32_t count, uint32_t limit)
{
	struct waiting *at = backlog->waiting;

	if (!count)
		return;
	while (at < backlog->waiting + backlog->count && at->row.inode != inode)
		at++;
	if (at == backlog->waiting + SOCKETS_MAX)
		return;
	if (at == backlog->waiting + backlog->count) {
		backlog->count++;
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
	struct nlmsghdr *head = nlmsg_hdr(message);
	const struct inet_diag_msg *row;

	if (head->nlmsg_type != SOCK_DIAG_BY_FAMILY || !nlmsg_valid_hdr(head, sizeof(*row)))
		return NL_SKIP;
	row = nlmsg_data(head);
	if (row->idiag_state == STATE_LISTEN)
		note(user, row->idiag_inode, row->idiag_rqueue, row->idiag_wqueue);
	return NL_OK;
}

static int take_unix(struct nl_msg *message, void *user)
{
	struct nlmsghdr *head = nlmsg_hdr(message);
	const struct unix_diag_msg *row;
	struct unix_diag_rqlen queue;
	struct nlattr *length;

	if (head->nlmsg_type != SOCK_DIAG_BY_FAMILY || !nlmsg_valid_hdr(head, sizeof(*row)))
		return NL_SKIP;
	row = nlmsg_data(head);
	length = nlmsg_find_attr(head, sizeof(*row), UNIX_DIAG_RQLEN);
	if (row->udiag_state != STATE_LISTEN || !length || nla_len(length) < (int)sizeof(queue))
		return NL_OK;
	memcpy(&queue, nla_data(length), sizeof(queue));
	note(user, row->udiag_ino, queue.udiag_rqueue, queue.udiag_wqueue);
	return NL_OK;
}

static void look(struct scope_proc_backlog *backlog)
{
	struct inet_diag_req_v2 inet = { .sdiag_protocol = IPPROTO_TCP, .idiag_states = 1u << STATE_LISTEN };
	struct unix_diag_req local = {
		.sdiag_family = AF_UNIX,
		.udiag_states = 1u << STATE_LISTEN,
		.udiag_show = UDIAG_SHOW_RQLEN,
	};
	static const uint8_t family[] = { AF_INET, AF_INET6 };
	size_t kept = 0;

	for (size_t i = 0; i < backlog->count; i++)
		backlog->waiting[i].seen = false;
	for (size_t i = 0; i < sizeof(family); i++) {
		inet.sdiag_family = family[i];
		scope_proc_sock_diag_dump(backlog->socket, &inet, sizeof(inet), take_inet, backlog);
	}
	scope_proc_sock_diag_dump(backlog->socket, &local, sizeof(local), take_unix, backlog);
	for (size_t i = 0; i < backlog->count; i++)
		if (backlog->waiting[i].seen)
			backlog->waiting[kept++] = backlog->waiting[i];
	backlog->count = kept;
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

int scope_proc_backlog_tick(struct scope_proc_backlog *backlog, uint64_t now_ns, bool now, struct scope_writer *writer)
{
	char key[48], text[SCOPE_BACKLOG_BYTES];
	int err = 0;

	if (!backlog || (now_ns < backlog->next_ns && !now))
		return 0;
	backlog->next_ns = now_ns + NS_PER_S;
	backlog->now_ns = now_ns;
	look(backlog);
	for (size_t i = 0; !err && i < backlog->count; i++) {
		snprintf(key, sizeof(key), SCOPE_META_BACKLOG "%" PRIu64, backlog->rows++ % ROWS_KEPT);
		scope_trace_backlog_format(&backlog->waiting[i].row, text);
		err = scope_trace_writer_meta(writer, key, text);
	}
	return err;
}
