/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decides if a target behaves differently than in the last minute: a cheap reason to analyse a flight recorder's data.
 *
 * It compares the last seconds with the median second, and threads with their own past. It should miss little. A change
 * of load is unusual, too, so the analysis has to decide.
 */
#ifndef SCOPE_RECORDER_UNUSUAL_H
#define SCOPE_RECORDER_UNUSUAL_H

#include "recorder/activity.h"

struct scope_recorder_unusual;

/* 0 or -ENOMEM. */
int scope_recorder_unusual_create(struct scope_recorder_unusual **ret_unusual);
void scope_recorder_unusual_destroy(struct scope_recorder_unusual *unusual); /* NULL is fine */

/* A second is over; units: the times of the units that ended in it, ns. */
void scope_recorder_unusual_second(struct scope_recorder_unusual *unusual,
				   const struct scope_recorder_activity_period *period,
				   const struct scope_sketch *units);

/* If there are several reasons, the first in this order is named. */
enum scope_unusual_reason {
	SCOPE_UNUSUAL_SILENT, /* a thread makes no call */
	SCOPE_UNUSUAL_MEDIAN,
	SCOPE_UNUSUAL_CALLS,
	SCOPE_UNUSUAL_RUN,
	SCOPE_UNUSUAL_P99,
	SCOPE_UNUSUAL_REASONS,
};

/* Returns true if something is unusual: why (128 bytes) begins with "unusual: " and has the reason and the factor. */
bool scope_recorder_unusual_find(const struct scope_recorder_unusual *unusual,
				 const struct scope_recorder_activity *live, uint64_t now_ns, char *ret_why);

/* Reads such a text. Returns false for another text. */
bool scope_recorder_unusual_read(const char *why, enum scope_unusual_reason *ret_reason, double *ret_times);

#endif
