// SPDX-License-Identifier: GPL-2.0-only
/* Describes what a call waits for: a lock and its owner, a descriptor and its object. */
#include "report/object.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

static const char *const kinds[SCOPE_FD_KINDS] = {
	[SCOPE_FD_FILE] = "a file",
	[SCOPE_FD_LISTEN] = "a listening socket",
	[SCOPE_FD_ACCEPTED] = "a client's connection",
	[SCOPE_FD_CONNECTED] = "a connection it opened",
	[SCOPE_FD_DATAGRAM] = "a datagram socket",
	[SCOPE_FD_PIPE] = "a pipe",
	[SCOPE_FD_EPOLL] = "epoll",
	[SCOPE_FD_EVENT] = "an event descriptor",
	[SCOPE_FD_TTY] = "a terminal",
};

const char *scope_report_object_kind(unsigned kind)
{
	static const char *const word[SCOPE_FD_KINDS] = {
		[SCOPE_FD_FILE] = "file",	  [SCOPE_FD_LISTEN] = "listen",	    [SCOPE_FD_ACCEPTED] = "client",
		[SCOPE_FD_CONNECTED] = "backend", [SCOPE_FD_DATAGRAM] = "datagram", [SCOPE_FD_PIPE] = "pipe",
		[SCOPE_FD_EPOLL] = "epoll",	  [SCOPE_FD_EVENT] = "event",	    [SCOPE_FD_TTY] = "tty",
	};

	return kind < SCOPE_FD_KINDS ? word[kind] : NULL;
}

/* True if its first argument is a descriptor. */
static bool takes_fd(uint16_t nr)
{
	switch (scope_timeline_call_role(nr)) {
	case SCOPE_CALL_READ:
	case SCOPE_CALL_WRITE:
	case SCOPE_CALL_ACCEPT:
	case SCOPE_CALL_CONNECT:
	case SCOPE_CALL_CLOSE:
		return true;
	case SCOPE_CALL_POLL:
		return scope_timeline_call_is_epoll(nr);
	case SCOPE_CALL_LOCK:
		return nr == SYS_flock || nr == SYS_fcntl;
	case SCOPE_CALL_SYNC:
		return nr != SYS_sync && nr != SYS_msync;
	default:
		return false;
	}
}

/* Finds the last of several rows. */
static const struct scope_trace_fd *find_row(const struct scope_trace *trace, uint32_t tgid, int32_t number)
{
	size_t count;
	const struct scope_trace_fd *row = scope_trace_fds(trace, &count);

	while (count--)
		if (row[count].tgid == tgid && row[count].fd == number)
			return &row[count];
	return NULL;
}

/*
 * Removes the kernel's number of a socket, which does not help a reader, and leaves its addresses. NULL: nothing is
 * left.
 */
static const char *without_number(const char *name)
{
	const char *end = strncmp(name, "socket:[", 8) ? NULL : strchr(name, ']');

	if (end)
		name = end + 1 + strspn(end + 1, " ");
	return *name ? name : NULL;
}

const char *scope_report_object_name(struct scope_object_text *buffer, const struct scope_analysis *analysis,
				     uint32_t tgid, uint16_t nr, uint64_t object)
{
	struct scope_fds *fds = analysis->units->timeline->fds;
	const struct scope_trace_fd *row;
	enum scope_fd_kind kind;
	const char *name = NULL;

	if (nr == SYS_wait4 && (int32_t)object) {
		snprintf(buffer->text, sizeof(buffer->text), (int32_t)object > 0 ? "process %d" : "any child",
			 (int32_t)object);
		return buffer->text;
	}
	if (!takes_fd(nr)) {
		if (object && (int32_t)object != AT_FDCWD)
			snprintf(buffer->text, sizeof(buffer->text), "0x%" PRIx64, object);
		else
			buffer->text[0] = '\0';
		return buffer->text;
	}
	kind = scope_timeline_fds_kind(fds, tgid, (int32_t)object);
	row = scope_timeline_fds_peer_row(fds, scope_timeline_fds_named(fds, tgid, (int32_t)object));
	if (!row)
		row = find_row(analysis->trace, tgid, (int32_t)object);
	if (row && row->kind == kind && row->name[0] && strcmp(row->name, "-"))
		name = without_number(row->name);
	if (kind == SCOPE_FD_UNKNOWN)
		snprintf(buffer->text, sizeof(buffer->text), "%d", (int32_t)object);
	else if (name && kind == SCOPE_FD_PIPE)
		snprintf(buffer->text, sizeof(buffer->text), "%d, %.100s", (int32_t)object, name);
	else
		snprintf(buffer->text, sizeof(buffer->text), "%d, %s%s%.100s", (int32_t)object, kinds[kind],
			 name ? " " : "", name ? name : "");
	return buffer->text;
}
