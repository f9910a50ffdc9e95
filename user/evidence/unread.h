/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decides by their stacks which of several threads keeps clients waiting.
 *
 * Clients of a process wait, and none of its threads has served any (anomaly/unserved.h). All of them sleep, and calls do not show which one
 * should serve: the thread of a library may wait in a poll, and one that does something now and then sleeps by a clock all the while.
 */
#ifndef SCOPE_EVIDENCE_UNREAD_H
#define SCOPE_EVIDENCE_UNREAD_H

#include "evidence/evidence.h"

enum scope_unread {
	SCOPE_UNREAD_UNKNOWN, /* stacks say nothing else than calls */
	SCOPE_UNREAD_THIS,
	SCOPE_UNREAD_OTHER, /* another one is, or none */
};

/* If the hang of that number, which has the member unread, is the one. */
enum scope_unread scope_evidence_unread_choose(const struct scope_evidence *evidence, const struct scope_units *units,
					       const struct scope_hang *hangs, size_t count, size_t number);

#endif
