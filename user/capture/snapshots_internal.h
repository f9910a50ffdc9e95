/* SPDX-License-Identifier: GPL-2.0-only */
/* The messages between the two sides of snapshots. */
#ifndef SCOPE_CAPTURE_SNAPSHOTS_INTERNAL_H
#define SCOPE_CAPTURE_SNAPSHOTS_INTERNAL_H

#include <stdint.h>

#include "interpreter/interpreter.h"

#define SCOPE_SNAPSHOTS_MESSAGE (48u << 10) /* bytes of a message, at most */

/* To the child: a process to read; 0: send the rest, and end. */
struct scope_snapshots_request {
	uint32_t tgid;
	uint32_t interpreted; /* it has the file of an interpreter; else it may be a Go program */
};

struct scope_snapshots_counts {
	uint64_t taken, torn, unreadable, lost;
	uint64_t cpu_ns; /* CPU time of the child */
};

/* From the child. Rows follow, up to the end of the message. */
struct scope_snapshots_head {
	uint64_t done_ns;   /* all snapshots from before this time were sent, with this message */
	uint64_t requests;  /* requests that the child has read so far */
	uint64_t processes; /* processes that are read; 0: the next message comes after another request */
	struct scope_snapshots_counts counts;
	/* The last unknown version, and its process; 0: none. */
	uint32_t language, version, tgid;
	uint32_t go; /* the last process that is a Go program whose goroutines cannot be read; 0: none */
};

enum scope_snapshots_row_kind { SCOPE_SNAPSHOTS_NAME, SCOPE_SNAPSHOTS_STACK, SCOPE_SNAPSHOTS_TASKS };

/*
 * NAME: the name of function `id`: `count` bytes of text, and a zero byte. STACK: a snapshot of thread tid: `count`
 * numbers of functions, innermost first. TASKS: goroutines of process tid that wait at one place: their number (u64),
 * and `count` addresses. The next row begins at a multiple of 8 bytes.
 */
struct scope_snapshots_row {
	uint8_t kind;
	uint8_t cut; /* STACK, TASKS: there are more frames */
	uint16_t count;
	uint32_t id_or_tid;
	uint64_t time_ns;
	uint64_t since_ns;
	uint64_t waited_s; /* TASKS: see struct scope_waiting_place */
};

/* The child's side: returns when the caller's socket is closed. */
void scope_capture_snapshots_serve(int fd);

#endif
