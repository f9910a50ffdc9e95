/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracks the kind of each descriptor of a process, as calls open and close them. */
#ifndef SCOPE_TIMELINE_FDS_H
#define SCOPE_TIMELINE_FDS_H

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "timeline/fd_peers.h"
#include "trace/trace.h"

#ifndef F_DUPFD_CLOEXEC
#define F_DUPFD_CLOEXEC 1030 /* no rule: Linux's number */
#endif

#define SCOPE_FDS_RECENT 256 /* no rule: a power of two */

/* The state of a connection with respect to its peer's requests. */
enum scope_fd_turn {
	SCOPE_FD_ANSWERED, /* or no request came yet: the next bytes are a request */
	SCOPE_FD_ASKED,	   /* bytes came and no answer was sent yet: more bytes belong to the same request */
	SCOPE_FD_SHUT,	   /* no answer can be sent any more: received bytes are discarded */
};

#define SCOPE_FD_NOBODY UINT32_MAX

struct scope_fd_slot {
	uint64_t key;	   /* see scope_timeline_fd_key(); 0: empty */
	uint8_t kind;	   /* enum scope_fd_kind */
	uint8_t turn;	   /* enum scope_fd_turn */
	bool turned;	   /* of a copy: its turn is newer than that of its slot */
	uint32_t peer;	   /* not in copies: the process at the other end, if the capture found it; 0: not known */
	bool renewed;	   /* not in copies: a call of the trace opened it, so the capture found an earlier one */
	uint32_t asked;	   /* index of the thread that took the last request, or SCOPE_FD_NOBODY */
	uint64_t since_ns; /* return of the call that opened it; 0: none was seen */
	uint32_t held; /* number of the last request where its thread left it without an answer, from 1 on; 0: it did not */
	bool first;	     /* the last request is the first of that connection */
	uint32_t connection; /* number of the accept that it is from, from 1 on; 0: none was seen */
	uint32_t of;	 /* not in copies: descriptor of the same connection that has its state, plus 1; 0: itself */
	uint32_t others; /* not in copies: descriptors of which this one has the state */
	int32_t named;	 /* not in copies: of its peer in struct scope_fd_peers; 0: not known */
};

/* A process that has a connection, and the process of this host that is its peer. */
struct scope_fd_pair {
	uint32_t tgid, peer;
};

#define SCOPE_FDS_PAIRS 1024 /* no rule: further pairs of processes are not known */

/* To be read through the functions below. */
struct scope_fds {
	struct scope_fd_slot *slot; /* open addressing by key, a power of two, half full at most */
	size_t slots, used;
	uint32_t connections;	    /* accepted so far */
	bool doubled;		    /* a connection has, or had, several descriptors */
	struct scope_fd_pair *pair; /* as the capture found them, none twice */
	size_t pairs, pair_capacity;
	struct scope_fd_peers peers;
	struct scope_fd_slot recent[SCOPE_FDS_RECENT]; /* copies, by the last bits of the number */
};

static inline uint64_t scope_timeline_fd_key(uint32_t tgid, int64_t fd)
{
	return (uint64_t)tgid << 32 | (uint32_t)(fd + 1);
}

/* Starts with what the capture found open. */
int scope_timeline_fds_create(const struct scope_trace *trace, struct scope_fds **ret_fds);
void scope_timeline_fds_destroy(struct scope_fds *fds);

enum scope_fd_kind scope_timeline_fds_find(struct scope_fds *fds, uint32_t tgid, int64_t fd);

static inline enum scope_fd_kind scope_timeline_fds_kind(struct scope_fds *fds, uint32_t tgid, int64_t fd)
{
	const struct scope_fd_slot *recent = &fds->recent[(uint64_t)fd % SCOPE_FDS_RECENT];

	return recent->key == scope_timeline_fd_key(tgid, fd) ? (enum scope_fd_kind)recent->kind
							      : scope_timeline_fds_find(fds, tgid, fd);
}

/* For a descriptor whose kind was looked up just before. */
static inline enum scope_fd_turn scope_timeline_fds_turn(const struct scope_fds *fds, int64_t fd)
{
	return (enum scope_fd_turn)fds->recent[(uint64_t)fd % SCOPE_FDS_RECENT].turn;
}

/* The same. The thread that took the connection's last request; SCOPE_FD_NOBODY: none was taken. */
static inline uint32_t scope_timeline_fds_asked(const struct scope_fds *fds, int64_t fd)
{
	return fds->recent[(uint64_t)fd % SCOPE_FDS_RECENT].asked;
}

/* The same. The number of a client's connection, see struct scope_fd_slot. */
static inline uint32_t scope_timeline_fds_connection(const struct scope_fds *fds, int64_t fd)
{
	return fds->recent[(uint64_t)fd % SCOPE_FDS_RECENT].connection;
}

/* The same. */
static inline void scope_timeline_fds_turn_to(struct scope_fds *fds, int64_t fd, enum scope_fd_turn turn)
{
	struct scope_fd_slot *recent = &fds->recent[(uint64_t)fd % SCOPE_FDS_RECENT];

	recent->turn = (uint8_t)turn;
	recent->turned = true;
}

/* The same: a thread took a request of it. */
static inline void scope_timeline_fds_ask(struct scope_fds *fds, int64_t fd, uint32_t thread)
{
	struct scope_fd_slot *recent = &fds->recent[(uint64_t)fd % SCOPE_FDS_RECENT];

	scope_timeline_fds_turn_to(fds, fd, SCOPE_FD_ASKED);
	recent->first = recent->connection && recent->asked == SCOPE_FD_NOBODY;
	recent->asked = thread;
	recent->held = 0;
}

/* The same. The last request is the first of its connection, which was accepted in the window. */
static inline bool scope_timeline_fds_first_request(const struct scope_fds *fds, int64_t fd)
{
	return fds->recent[(uint64_t)fd % SCOPE_FDS_RECENT].first;
}

/* The same: that thread works for others since then, and the caller holds the request by that number; 0: it is taken up again. */
static inline void scope_timeline_fds_hold(struct scope_fds *fds, int64_t fd, uint32_t held)
{
	fds->recent[(uint64_t)fd % SCOPE_FDS_RECENT].held = held;
	fds->recent[(uint64_t)fd % SCOPE_FDS_RECENT].turned = true;
}

static inline uint32_t scope_timeline_fds_held(const struct scope_fds *fds, int64_t fd)
{
	return fds->recent[(uint64_t)fd % SCOPE_FDS_RECENT].held;
}

/* Called when something is written. Returns true if that is an answer, on a client's connection. */
static inline bool scope_timeline_fds_answer(struct scope_fds *fds, uint32_t tgid, int64_t fd)
{
	if (scope_timeline_fds_kind(fds, tgid, fd) != SCOPE_FD_ACCEPTED)
		return false;
	if (scope_timeline_fds_turn(fds, fd) == SCOPE_FD_ASKED)
		scope_timeline_fds_turn_to(fds, fd, SCOPE_FD_ANSWERED);
	return true;
}

/* The descriptor that has the state of this one's connection: itself, or the one that it was copied from. */
int64_t scope_timeline_fds_first(const struct scope_fds *fds, uint32_t tgid, int64_t fd);

/*
 * A client's connection may have several descriptors: a program that is run for each connection reads from 0 and writes to 1. A request
 * that is read from one of them is answered by a write to another.
 */
static inline uint64_t scope_timeline_fds_same(const struct scope_fds *fds, uint32_t tgid, uint64_t fd)
{
	return __builtin_expect(fds->doubled, 0) ? (uint64_t)scope_timeline_fds_first(fds, tgid, (int32_t)fd) : fd;
}

/* The descriptor is of that kind; since_ns as in struct scope_fd_slot. 0 or -ENOMEM. */
int scope_timeline_fds_change(struct scope_fds *fds, uint32_t tgid, int64_t fd, enum scope_fd_kind kind,
			      uint64_t since_ns);
/* True if a call of the trace opened the descriptor, once or more: its row of the trace may describe an earlier one. */
bool scope_timeline_fds_renewed(const struct scope_fds *fds, uint32_t tgid, int64_t fd);
/* A PEER event of a thread of that process. 0 or -ENOMEM. */
int scope_timeline_fds_peer(struct scope_fds *fds, uint32_t tgid, const struct scope_event *event);
/* At the end of the trace: finds the processes of this host that listen where connections of its calls lead. 0 or -ENOMEM. */
int scope_timeline_fds_find_listeners(struct scope_fds *fds, const struct scope_trace *trace);
/*
 * The number by which waits at the descriptor are to be named: that of its peer, if a call of the trace opened the connection
 * and its peer is known, else its own.
 */
int32_t scope_timeline_fds_named(const struct scope_fds *fds, uint32_t tgid, int32_t fd);
/* The row of such a number; NULL: it is a descriptor. */
const struct scope_trace_fd *scope_timeline_fds_peer_row(const struct scope_fds *fds, int32_t named);
/*
 * True if packets of process `from` may end a wait of process tgid at that descriptor (-1: a poll, of any), because
 * the two have a connection over the loopback. The other end is known exactly for connections that tgid opened.
 */
bool scope_timeline_fds_loops(const struct scope_fds *fds, uint32_t tgid, int64_t fd, uint32_t from);
/*
 * Called when a close that was entered at enter_ns returned. The kernel gives the number to others from the begin of
 * that call on; so one that was opened again since stays open. 0 or -ENOMEM.
 */
int scope_timeline_fds_close(struct scope_fds *fds, uint32_t tgid, int64_t fd, uint64_t enter_ns);
/* A new process has the descriptors of the one that made it. 0 or -ENOMEM. */
int scope_timeline_fds_fork(struct scope_fds *fds, uint32_t parent_tgid, uint32_t tgid);

static inline int scope_timeline_fds_set(struct scope_fds *fds, uint32_t tgid, int64_t fd, enum scope_fd_kind kind)
{
	const struct scope_fd_slot *recent = &fds->recent[(uint64_t)fd % SCOPE_FDS_RECENT];

	if (recent->key == scope_timeline_fd_key(tgid, fd) && recent->kind == kind && recent->turn == SCOPE_FD_ANSWERED)
		return 0;
	return scope_timeline_fds_change(fds, tgid, fd, kind, 0);
}

/* What a returning call shows about a descriptor. */
enum scope_fd_change {
	SCOPE_FD_CHANGE_NONE,
	SCOPE_FD_CHANGE_RESULT,
	SCOPE_FD_CHANGE_ARGUMENT,
	SCOPE_FD_CHANGE_CLOSED,
	SCOPE_FD_CHANGE_SHUT, /* that no answer will be sent on the first argument */
	SCOPE_FD_CHANGE_COPY, /* that the result is a copy of the first argument */
};

struct scope_call_effect {
	uint8_t of;   /* enum scope_fd_change */
	uint8_t kind; /* enum scope_fd_kind */
};

extern const struct scope_call_effect scope_timeline_call_effects[SCOPE_SYSCALL_MAX];

/* True if scope_timeline_fds_learn() would change nothing. */
static inline bool scope_timeline_fds_known(struct scope_fds *fds, uint32_t tgid, uint32_t nr, const uint64_t *arg,
					    unsigned args, int64_t ret)
{
	const struct scope_call_effect *stats = &scope_timeline_call_effects[nr];

	if (stats->of == SCOPE_FD_CHANGE_NONE)
		return true;
	if (stats->of == SCOPE_FD_CHANGE_SHUT)
		return false;
	if (stats->of == SCOPE_FD_CHANGE_CLOSED)
		return !args || scope_timeline_fds_kind(fds, tgid, (int32_t)arg[0]) == SCOPE_FD_UNKNOWN;
	if (stats->of == SCOPE_FD_CHANGE_ARGUMENT)
		return !args || (scope_timeline_fds_kind(fds, tgid, (int32_t)arg[0]) == stats->kind &&
				 scope_timeline_fds_turn(fds, (int32_t)arg[0]) == SCOPE_FD_ANSWERED);
	if (nr == SYS_fcntl)
		return ret < 0 || args < 2 || (arg[1] != F_DUPFD && arg[1] != F_DUPFD_CLOEXEC);
	return ret < 0;
}

/* Called when a direction of a connection was shut down. Returns 0. */
int scope_timeline_fds_shut(struct scope_fds *fds, uint32_t tgid, const uint64_t *arg, unsigned args, int64_t ret);

/* Called when dup, dup2, dup3 or fcntl returned. 0 or -ENOMEM. */
int scope_timeline_fds_copied(struct scope_fds *fds, uint32_t tgid, uint32_t nr, const uint64_t *arg, unsigned args,
			      int64_t ret, uint64_t exit_ns);

/* The call was entered at enter_ns and returned at exit_ns. 0 or -ENOMEM. */
static inline int scope_timeline_fds_learn(struct scope_fds *fds, uint32_t tgid, uint32_t nr, const uint64_t *arg,
					   unsigned args, int64_t ret, uint64_t enter_ns, uint64_t exit_ns)
{
	const struct scope_call_effect *stats;

	if (nr >= SCOPE_SYSCALL_MAX || scope_timeline_call_effects[nr].of == SCOPE_FD_CHANGE_NONE)
		return 0;
	stats = &scope_timeline_call_effects[nr];
	if (stats->of == SCOPE_FD_CHANGE_RESULT)
		return scope_timeline_fds_change(fds, tgid, ret, stats->kind, exit_ns);
	if (stats->of == SCOPE_FD_CHANGE_SHUT)
		return scope_timeline_fds_shut(fds, tgid, arg, args, ret);
	if (stats->of == SCOPE_FD_CHANGE_COPY)
		return scope_timeline_fds_copied(fds, tgid, nr, arg, args, ret, exit_ns);
	if (stats->of == SCOPE_FD_CHANGE_CLOSED)
		return args ? scope_timeline_fds_close(fds, tgid, (int32_t)arg[0], enter_ns) : 0;
	return args ? scope_timeline_fds_set(fds, tgid, (int32_t)arg[0], stats->kind) : 0;
}

#endif
