/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds named causes outside the program: a CPU limit, processes that took the CPU, a hypervisor,
 * interrupts, a slow block device, a lack of memory, a slow peer.
 *
 * Uses the trace's metadata, the times in which threads waited for a CPU for long, the block requests, and the descriptors at
 * which requests waited. Each cause
 * has a share of its own base, and a remedy. A share too small to slow the program is not a cause.
 */
#ifndef SCOPE_RANK_OUTSIDE_H
#define SCOPE_RANK_OUTSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rank/named_wait.h"
#include "trace/trace.h"
#include "waits/waits.h"

#define SCOPE_OUTSIDE_SAID 448	 /* no rule: bytes for a sentence */
#define SCOPE_OUTSIDE_TAKERS 256 /* no rule: threads whose names are examined */

enum scope_outside_kind {
	SCOPE_OUTSIDE_THROTTLED,  /* by the limit of a control group */
	SCOPE_OUTSIDE_TAKEN,	  /* another process had the CPU */
	SCOPE_OUTSIDE_STOLEN,	  /* a hypervisor ran something else */
	SCOPE_OUTSIDE_INTERRUPTS, /* hard and soft ones */
	SCOPE_OUTSIDE_DEVICE,	  /* a block device takes long for each request */
	SCOPE_OUTSIDE_MEMORY,	  /* threads make room in memory, or wait for pages that were evicted */
	SCOPE_OUTSIDE_PEER,	  /* slow requests wait longer than others for what one peer sends or takes */
	SCOPE_OUTSIDE_KINDS,
};

/*
 * A cause, with its share. THROTTLED, TAKEN: share of the time waited for a CPU (1: all of it, or more). STOLEN: of the
 * time that CPUs were wanted. INTERRUPTS: of the time that CPUs were busy. DEVICE: of the time that threads had work to
 * do, asleep for a disk. MEMORY: of the same time, or of the window, in memory stalls. PEER: of the time of slow
 * requests.
 */
struct scope_outside_cause {
	enum scope_outside_kind kind;
	double share, ns;
	/* THROTTLED; the window of the counts, which may be longer than the trace's */
	uint64_t window_ns, periods, throttled, quota_us, period_us;
	struct scope_device device; /* DEVICE */
	const char *device_name; /* "sdb1, /srv": the kernel's name, and where it is mounted; borrowed. NULL: not known */
	struct scope_named_wait at; /* DEVICE: file NULL: none has half of the time; PEER */
	/* MEMORY: the kind that took most (timeline/thread.h), and its part; SCOPE_STALL_KINDS: by the group's pressure */
	uint8_t stall;
	double stall_most;
	/* TAKEN: the process that took most, and its part of taken_ns */
	uint32_t tgid; /* 0: it had ended before its name was read */
	double most;
	const char *name;  /* of the process, or NULL; borrowed from the trace, as group is */
	const char *group; /* THROTTLED, TAKEN: path of the control group, or NULL */
};

struct scope_outside {
	struct scope_outside_cause cause[SCOPE_OUTSIDE_KINDS]; /* in the order of the kinds */
	size_t count;
	/* The peer that slow requests waited for longest, though others may have waited as long; ns 0: none. */
	struct scope_outside_cause peer;
};

/* What the causes are found by. */
struct scope_outside_source {
	const struct scope_trace *trace;
	const struct scope_waits *waits;
	const struct scope_fd_times *times;
};

/* 0 or -ENOMEM. */
int scope_rank_outside_find(const struct scope_outside_source *source, struct scope_outside *ret_outside);

/* The peer is a cause for another reason: functions wait longer for it than in normal requests, or in a baseline. */
void scope_rank_outside_add_peer(struct scope_outside *outside);

/* NULL: no such cause. */
const struct scope_outside_cause *scope_rank_outside_of(const struct scope_outside *outside,
							enum scope_outside_kind kind);

/* "sdb1, mounted at /srv": the name of a block device; NULL: not known. Borrowed from the trace. */
const char *scope_rank_outside_device(const struct scope_trace *trace, uint32_t dev);

/* The process of an untraced thread, as the capture found it, and its name, which is borrowed. 0: not known. */
uint32_t scope_rank_outside_process(const struct scope_trace *trace, uint32_t tid, const char **ret_name);

/* A sentence with what was measured, and one with what to do. */
void scope_rank_outside_say(const struct scope_outside_cause *cause, char *text, size_t room);
void scope_rank_outside_remedy(const struct scope_outside_cause *cause, char *text, size_t room);

#endif
