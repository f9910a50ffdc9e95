/* SPDX-License-Identifier: GPL-2.0-only */
/* Mines the closed frequent episodes of a set of syscall strings. */
#ifndef SCOPE_SIGNATURE_MINE_H
#define SCOPE_SIGNATURE_MINE_H

#include "signature/episode.h"

/* Calls that a thread made one after another, and how often it did so. */
struct scope_string {
	const uint16_t *nr;
	size_t length;
	uint64_t count;
};

struct scope_mine_options {
	uint64_t support_min; /* windows that an episode must be seen in, at least 1 */
	size_t episodes_max;  /* the best supported ones are returned, longer ones first among equals */
};

#define SCOPE_MINE_SUPPORT_MIN 5
#define SCOPE_MINE_EPISODES_MAX 200

/*
 * All episodes with the least support that are closed: no longer mined one, in which the calls of
 * the shorter are in order, has the same support. An episode whose calls were next to each other in
 * every window that has them is contiguous. Runs are counted by their own rule (episode.h). Strings
 * with SCOPE_EPISODE_BUSY give episodes with it, others the rest. In the order of
 * scope_signature_episode_compare().
 *
 * Depth-first growth of prefixes over projected windows (Pei et al., PrefixSpan, ICDE 2001); closed
 * ones are sorted out afterwards. 0 with *ret_episodes malloc'd, freed by the caller; or -ENOMEM.
 */
int scope_signature_mine(const struct scope_string *string, size_t count, const struct scope_mine_options *options,
			 struct scope_episode **ret_episodes, size_t *ret_count);

#endif
