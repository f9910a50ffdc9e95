/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Serial episodes: calls that follow one another in a thread, with or without others between them.
 *
 * An episode occurs in a window of calls. Each call opens one: it holds that call and those after
 * it, SCOPE_EPISODE_SPAN in all, and ends before the next call of the same number. So windows of one
 * first call never overlap, and counting windows counts non-overlapped occurrences (serial episodes:
 * Mannila, Toivonen and Verkamo, Data Mining and Knowledge Discovery 1(3), 1997; for signatures of
 * functions: PerfScope, Dean et al., SoCC 2014). The first call of an episode is in it once.
 *
 * A run is the exception: two calls or more of one number, next to each other. It needs no window,
 * and its support is how many of its length were seen side by side. So a function that repeats a
 * call is distinguished from one that makes it once.
 */
#ifndef SCOPE_SIGNATURE_EPISODE_H
#define SCOPE_SIGNATURE_EPISODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Represents a long time on a CPU between two calls. A function that computes for long, also during
 * learning, is recognised by episodes with it and the calls on both sides.
 */
#define SCOPE_EPISODE_BUSY 0xfffe
#define SCOPE_EPISODE_BUSY_NS 64000 /* shortest such time */

#define SCOPE_EPISODE_MAX 6  /* calls in an episode */
#define SCOPE_EPISODE_SPAN 8 /* calls in a window */

struct scope_episode {
	uint16_t nr[SCOPE_EPISODE_MAX]; /* syscall numbers; 0 after the last one */
	uint8_t length;			/* 1 to SCOPE_EPISODE_MAX */
	bool contiguous;		/* no other call is between its calls */
	uint64_t support;		/* windows it was seen in */
};

/* True if the episode is valid: its first call is in it once, or it is a run. */
bool scope_signature_episode_valid(const struct scope_episode *episode);

bool scope_signature_episode_is_busy(const struct scope_episode *episode); /* has SCOPE_EPISODE_BUSY */

/* The name of a call, and the call of a name. NULL: not known. Static. 0, or -ENOENT. */
const char *scope_signature_episode_call_name(uint16_t nr);
int scope_signature_episode_call_number(const char *name, uint16_t *ret_nr);

/* By calls, then shorter ones first, contiguous ones first: a total order, support left out. */
int scope_signature_episode_compare(const struct scope_episode *a, const struct scope_episode *b);

#endif
