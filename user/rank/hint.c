// SPDX-License-Identifier: GPL-2.0-only
/* Rules of thumb: what the calls of a finding suggest. */
#include "rank/hint.h"

#include <string.h>

#include "rank/rank.h"

#define OFTEN 4 /* times as often as usual, from which a wait's call is made as in a loop */
#define TIE 0.9 /* part of the score of the finding before it, from which on the two tie */

const char *const scope_rank_hint_name[SCOPE_HINTS] = {
	[SCOPE_HINT_CONSTANT_SLEEP] = "constant-sleep",
	[SCOPE_HINT_NAME_LOOK_UP] = "name-look-up",
	[SCOPE_HINT_LOCK_OVER_BLOCKING] = "lock-over-blocking-call",
	[SCOPE_HINT_IO_IN_A_LOOP] = "io-in-a-loop",
	[SCOPE_HINT_NO_TIME_OUT] = "no-time-out",
};

/* Functions of libraries that wait for a device, another process or a time. */
static const char *const blocking[] = {
	"accept",  "accept4",	  "clock_nanosleep", "close",	  "connect",  "creat",	 "epoll_wait",
	"fclose",  "fdatasync",	  "fflush",	     "flock",	  "fopen",    "fread",	 "fsync",
	"fwrite",  "getaddrinfo", "msync",	     "nanosleep", "open",     "open64",	 "openat",
	"poll",	   "ppoll",	  "pread",	     "pread64",	  "preadv",   "pwrite",	 "pwrite64",
	"pwritev", "read",	  "readv",	     "recv",	  "recvfrom", "recvmsg", "select",
	"send",	   "sendfile",	  "sendmsg",	     "sendto",	  "sleep",    "sync",	 "syncfs",
	"system",  "usleep",	  "waitpid",	     "write",	  "writev",
};

/* Functions of libc and libresolv that ask a name server begin so. */
static const char *const looking_up[] = { "getaddrinfo", "getnameinfo", "gethostby", "res_" };

const char *scope_rank_hint_plain_name(const char *name)
{
	static const char *const fronts[] = { "__GI_", "__libc_", "libc_", "_" };

	for (size_t i = 0; i < sizeof(fronts) / sizeof(*fronts);) {
		const size_t bytes = strlen(fronts[i]);

		if (strncmp(name, fronts[i], bytes) || !name[bytes]) {
			i++;
			continue;
		}
		name += bytes;
		i = 0;
	}
	return name;
}

static bool blocks(const struct scope_function *below)
{
	for (size_t i = 0; below && i < sizeof(blocking) / sizeof(*blocking); i++)
		if (!strcmp(scope_rank_hint_plain_name(below->name), blocking[i]))
			return true;
	return false;
}

static bool looks_up_names(const struct scope_function *below)
{
	for (size_t i = 0; below && i < sizeof(looking_up) / sizeof(*looking_up); i++)
		if (!strncmp(scope_rank_hint_plain_name(below->name), looking_up[i], strlen(looking_up[i])))
			return true;
	return false;
}

/* Calls that move bytes, or look for files, one at a time. */
static bool is_io(uint32_t nr)
{
	const enum scope_timeline_call_role role = scope_timeline_call_role(nr);

	return role == SCOPE_CALL_READ || role == SCOPE_CALL_WRITE || role == SCOPE_CALL_CONNECT ||
	       role == SCOPE_CALL_SYNC;
}

static bool sleeps(uint32_t nr, uint8_t class)
{
	return class == SCOPE_WAIT_TIMER && scope_timeline_call_role(nr) == SCOPE_CALL_SLEEP;
}

static bool waits_without_limit(const struct scope_timeline *timeline, const struct scope_finding *finding)
{
	const enum scope_timeline_call_role role = scope_timeline_call_role(finding->nr);
	enum scope_fd_kind kind;
	uint32_t tgid;

	if (finding->hang.lock || (role != SCOPE_CALL_READ && role != SCOPE_CALL_WRITE && role != SCOPE_CALL_CONNECT))
		return false;
	if (role == SCOPE_CALL_CONNECT)
		return true;
	tgid = scope_timeline_threads_at(timeline->threads, finding->hang.thread)->tgid;
	kind = scope_timeline_fds_kind(timeline->fds, tgid, (int32_t)finding->hang.object);
	return kind == SCOPE_FD_CONNECTED || kind == SCOPE_FD_DATAGRAM;
}

uint8_t scope_rank_hints(const struct scope_timeline *timeline, const struct scope_finding *finding,
			 const struct scope_function *below)
{
	switch (finding->kind) {
	case SCOPE_FINDING_WAIT:
		return (uint8_t)(sleeps(finding->nr, finding->wait.class) << SCOPE_HINT_CONSTANT_SLEEP |
				 looks_up_names(below) << SCOPE_HINT_NAME_LOOK_UP |
				 (is_io(finding->nr) && finding->calls_times >= OFTEN) << SCOPE_HINT_IO_IN_A_LOOP);
	case SCOPE_FINDING_LOCK:
		return (uint8_t)(blocks(below) << SCOPE_HINT_LOCK_OVER_BLOCKING);
	case SCOPE_FINDING_CALLS:
		return (uint8_t)(is_io(finding->nr) << SCOPE_HINT_IO_IN_A_LOOP);
	case SCOPE_FINDING_HANG:
		return (uint8_t)(waits_without_limit(timeline, finding) << SCOPE_HINT_NO_TIME_OUT);
	default:
		return 0;
	}
}

bool scope_rank_hint_of_item(const struct scope_item *item)
{
	if (item->kind == SCOPE_ITEM_RUN)
		return blocks(item->below);
	return item->kind == SCOPE_ITEM_WAIT &&
	       (is_io(item->nr) || sleeps(item->nr, item->class) || looks_up_names(item->below));
}

void scope_rank_hints_order(struct scope_finding *finding, size_t count, int (*class_of)(const struct scope_finding *))
{
	for (size_t i = 1; i < count; i++)
		for (size_t at = i; at; at--) {
			const struct scope_finding before = finding[at - 1], with = finding[at];

			if (!with.hints || before.hints || class_of(&with) != class_of(&before) ||
			    !(with.score >= TIE * before.score))
				break;
			finding[at - 1] = with;
			finding[at] = before;
		}
}
