/* SPDX-License-Identifier: GPL-2.0-only */
/* What the two sides of snapshots send each other. */
#ifndef SCOPE_CAPTURE_SNAPSHOTS_INTERNAL_H
#define SCOPE_CAPTURE_SNAPSHOTS_INTERNAL_H

#include <stdint.h>

#include "interpreter/interpreter.h"

#define SCOPE_SNAPSHOTS_MESSAGE (48u << 10) /* bytes of a message, at most */
#define SCOPE_SNAPSHOTS_NAMES_MAX 200000u   /* functions with different names of one capture */

/* To the child: a process to read; 0: send what is left, and end. */
struct scope_snapshots_request {
	uint32_t tgid;
};

struct scope_snapshots_counts {
	uint64_t taken, torn, unreadable, lost;
	uint64_t cpu_ns; /* of the child */
};

/* From the child. Rows follow, up to the end of the message. */
struct scope_snapshots_head {
	uint64_t done_ns; /* all snapshots from before this time were sent, with this message */
	struct scope_snapshots_counts counts;
	/* The last version that is not known, and of which process; 0: none. */
	uint32_t language, version, tgid;
	uint32_t zero;
};

enum scope_snapshots_row_kind { SCOPE_SNAPSHOTS_NAME, SCOPE_SNAPSHOTS_STACK };

/*
 * NAME: the function of number id is named by `count` bytes of text, and a zero byte. STACK: a snapshot of thread tid, of
 * count numbers of functions, innermost first. The next row begins at a multiple of 8 bytes.
 */
struct scope_snapshots_row {
	uint8_t kind;
	uint8_t cut; /* STACK: there are more frames */
	uint16_t count;
	uint32_t id_or_tid;
	uint64_t time_ns;
	uint64_t since_ns;
};

/* The child's side: does not return before the caller's socket is closed. */
void scope_capture_snapshots_serve(int fd);

#endif
