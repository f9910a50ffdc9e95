// SPDX-License-Identifier: GPL-2.0-only
/* The names of LTTng, and of viewers of its traces, for arguments of system calls. */
#include <string.h>

#include "base/syscall_name.h"
#include "export/ctf.h"

/* Calls that wait, or use a descriptor. The arguments of other calls are a list. */
static const struct {
	const char *call;
	const char *name[SCOPE_ARG_MAX];
} rows[] = {
	{ "accept", { "fd", "upeer_sockaddr", "upeer_addrlen", "arg3", "arg4", "arg5" } },
	{ "accept4", { "fd", "upeer_sockaddr", "upeer_addrlen", "flags", "arg4", "arg5" } },
	{ "clock_nanosleep", { "which_clock", "flags", "rqtp", "rmtp", "arg4", "arg5" } },
	{ "close", { "fd", "arg1", "arg2", "arg3", "arg4", "arg5" } },
	{ "connect", { "fd", "uservaddr", "addrlen", "arg3", "arg4", "arg5" } },
	{ "epoll_ctl", { "epfd", "op", "fd", "event", "arg4", "arg5" } },
	{ "epoll_pwait", { "epfd", "events", "maxevents", "timeout", "sigmask", "sigsetsize" } },
	{ "epoll_wait", { "epfd", "events", "maxevents", "timeout", "arg4", "arg5" } },
	{ "fdatasync", { "fd", "arg1", "arg2", "arg3", "arg4", "arg5" } },
	{ "fsync", { "fd", "arg1", "arg2", "arg3", "arg4", "arg5" } },
	{ "futex", { "uaddr", "op", "val", "utime", "uaddr2", "val3" } },
	{ "nanosleep", { "rqtp", "rmtp", "arg2", "arg3", "arg4", "arg5" } },
	{ "openat", { "dfd", "filename", "flags", "mode", "arg4", "arg5" } },
	{ "poll", { "ufds", "nfds", "timeout_msecs", "arg3", "arg4", "arg5" } },
	{ "pread64", { "fd", "buf", "count", "pos", "arg4", "arg5" } },
	{ "pwrite64", { "fd", "buf", "count", "pos", "arg4", "arg5" } },
	{ "read", { "fd", "buf", "count", "arg3", "arg4", "arg5" } },
	{ "readv", { "fd", "vec", "vlen", "arg3", "arg4", "arg5" } },
	{ "recvfrom", { "fd", "ubuf", "size", "flags", "addr", "addr_len" } },
	{ "recvmsg", { "fd", "msg", "flags", "arg3", "arg4", "arg5" } },
	{ "select", { "n", "inp", "outp", "exp", "tvp", "arg5" } },
	{ "sendfile", { "out_fd", "in_fd", "offset", "count", "arg4", "arg5" } },
	{ "sendmsg", { "fd", "msg", "flags", "arg3", "arg4", "arg5" } },
	{ "sendto", { "fd", "buff", "len", "flags", "addr", "addr_len" } },
	{ "wait4", { "upid", "stat_addr", "options", "ru", "arg4", "arg5" } },
	{ "write", { "fd", "buf", "count", "arg3", "arg4", "arg5" } },
	{ "writev", { "fd", "vec", "vlen", "arg3", "arg4", "arg5" } },
};

const char *const *scope_export_ctf_names(uint32_t nr)
{
	const char *call = scope_syscall_name(nr);

	for (size_t i = 0; call && i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(rows[i].call, call))
			return rows[i].name;
	return NULL;
}
