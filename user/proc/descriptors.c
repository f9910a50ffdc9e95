// SPDX-License-Identifier: GPL-2.0-only
/* Reads /proc/PID/fd and finds the kind of each descriptor. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"
#include "proc/file.h"
#include "proc/proc.h"

struct reading {
	uint32_t tgid;
	const struct scope_socket_table *sockets;
	struct scope_peers *peers;
	struct scope_proc_fds fds;
	size_t room, name_room;
};

static const struct {
	const char *prefix;
	enum scope_fd_kind kind;
} by_name[] = {
	{ "pipe:", SCOPE_FD_PIPE },
	{ "anon_inode:[eventpoll]", SCOPE_FD_EPOLL },
	{ "anon_inode:[eventfd]", SCOPE_FD_EVENT },
	{ "anon_inode:[signalfd]", SCOPE_FD_EVENT },
	{ "anon_inode:[timerfd]", SCOPE_FD_EVENT },
	{ "anon_inode:inotify", SCOPE_FD_EVENT },
	{ "anon_inode:[fanotify]", SCOPE_FD_EVENT },
	{ "/dev/pts/", SCOPE_FD_TTY },
	{ "/dev/tty", SCOPE_FD_TTY },
	{ "/dev/console", SCOPE_FD_TTY },
	{ "/dev/ptmx", SCOPE_FD_TTY },
};

/* The path may be that of a named pipe. This stat does not wait for a file server, which may be dead. */
static enum scope_fd_kind kind_of_path(const char *link)
{
	struct statx status;

	if (!statx(AT_FDCWD, link, AT_STATX_DONT_SYNC, STATX_TYPE, &status) && S_ISFIFO(status.stx_mode))
		return SCOPE_FD_PIPE;
	return SCOPE_FD_FILE;
}

static enum scope_fd_kind kind_of(const char *link, const char *name, const struct scope_socket_table *sockets)
{
	uint64_t inode;
	size_t i;

	if (sscanf(name, "socket:[%" SCNu64 "]", &inode) == 1)
		return scope_proc_socket_kind(sockets, inode);
	for (i = 0; i < sizeof(by_name) / sizeof(by_name[0]); i++)
		if (!strncmp(name, by_name[i].prefix, strlen(by_name[i].prefix)))
			return by_name[i].kind;
	return name[0] == '/' ? kind_of_path(link) : SCOPE_FD_UNKNOWN;
}

/*
 * Adds to the name of a socket its peer; for a stream also its own address; for a connection that this process opened
 * also the peer's process, if it is on this host: "socket:[123] from 10.0.0.1:4000 to 10.0.0.5:5432", "... to
 * 127.0.0.1:6379 (pid 4711 redis-server)", "socket:[123] to socket:[124] (pid 4712 vsftpd)".
 */
static void add_ends(const struct reading *reading, enum scope_fd_kind kind, char *name, size_t room)
{
	const bool stream = kind == SCOPE_FD_CONNECTED || kind == SCOPE_FD_ACCEPTED;
	char peer[SCOPE_PROC_ADDRESS_MAX], own[SCOPE_PROC_ADDRESS_MAX], comm[SCOPE_COMM_BYTES];
	size_t length = strlen(name);
	uint64_t inode, other;
	uint32_t tgid;

	if ((!stream && kind != SCOPE_FD_DATAGRAM) || sscanf(name, "socket:[%" SCNu64 "]", &inode) != 1 ||
	    !scope_proc_socket_ends(reading->sockets, inode, peer, own))
		return;
	if (stream && *own)
		length += (size_t)snprintf(name + length, room - length, SCOPE_TRACE_FD_OWN "%s", own);
	length += (size_t)snprintf(name + length, room - length, SCOPE_TRACE_FD_PEER "%s", peer);
	other = reading->peers && kind != SCOPE_FD_ACCEPTED ? scope_proc_socket_other_end(reading->sockets, inode) : 0;
	tgid = other ? scope_proc_peers_find(reading->peers, other, comm) : 0;
	if (tgid)
		snprintf(name + length, room - length, SCOPE_TRACE_FD_PROCESS "%u %.*s)", tgid, SCOPE_COMM_BYTES, comm);
}

static int grow(struct reading *reading)
{
	struct scope_proc_fds *fds = &reading->fds;

	if (scope_grow(&fds->fd, &reading->room, fds->count + 1, sizeof(*fds->fd)))
		return -ENOMEM;
	return scope_grow(&fds->name, &reading->name_room, fds->count + 1, sizeof(*fds->name));
}

static int read_fd(uint32_t number, void *context)
{
	struct reading *reading = context;
	struct scope_trace_fd *row;
	char link[64], name[PATH_MAX];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/%u/fd/%u", reading->tgid, number);
	length = readlink(link, name, sizeof(name) - 1);
	if (length < 0) /* closed in between */
		return 0;
	name[length] = '\0';
	if (grow(reading))
		return -ENOMEM;
	row = &reading->fds.fd[reading->fds.count];
	row->tgid = reading->tgid;
	row->fd = (int32_t)number;
	row->kind = kind_of(link, name, reading->sockets);
	add_ends(reading, row->kind, name, sizeof(name));
	row->name = strdup(name);
	if (!row->name)
		return -ENOMEM;
	reading->fds.name[reading->fds.count++] = (char *)row->name;
	return 0;
}

int scope_proc_fds_read(uint32_t tgid, const struct scope_socket_table *sockets, struct scope_peers *peers,
			struct scope_proc_fds *ret_fds)
{
	struct reading reading = { .tgid = tgid, .sockets = sockets, .peers = peers };
	char path[64];
	int err;

	snprintf(path, sizeof(path), "/proc/%u/fd", tgid);
	err = scope_proc_file_numbers(path, read_fd, &reading);
	if (err) {
		scope_proc_fds_destroy(&reading.fds);
		return err;
	}
	*ret_fds = reading.fds;
	return 0;
}

void scope_proc_fds_destroy(struct scope_proc_fds *fds)
{
	size_t i;

	if (!fds)
		return;
	for (i = 0; i < fds->count; i++)
		free(fds->name[i]);
	free(fds->name);
	free(fds->fd);
	*fds = (struct scope_proc_fds){ 0 };
}
