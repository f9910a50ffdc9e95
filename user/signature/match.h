/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds all episodes of a set in one pass over the calls of threads.
 *
 * Contiguous ones by an automaton of all their strings (Aho and Corasick, CACM 18(6), 1975) whose
 * transitions are a dense table over the calls that are in episodes. Those with gaps bit-parallel:
 * one bit for each call of each episode, one block of words for each first call, and at most
 * SCOPE_EPISODE_SPAN windows under way at a time (Baeza-Yates and Gonnet, CACM 35(10), 1992; a bit
 * stays set as long as its window lasts, so that other calls may be between).
 */
#ifndef SCOPE_SIGNATURE_MATCH_H
#define SCOPE_SIGNATURE_MATCH_H

#include "signature/episode.h"

struct scope_matcher;
struct scope_match; /* state of one thread; for one matcher */

/*
 * An episode was found, once for each window that has it, as soon as its last call was fed. first
 * and last are numbers of calls since the last reset, from 0.
 */
typedef void (*scope_match_hit)(void *user, uint32_t episode, uint64_t first, uint64_t last);

/*
 * Episodes are identified by their index; they need not outlive the call, and must be valid. 0,
 * -EINVAL, -E2BIG (more than 16 million calls in all), -ENOMEM.
 */
int scope_signature_matcher_create(const struct scope_episode *episode, size_t count,
				   struct scope_matcher **ret_matcher);
void scope_signature_matcher_destroy(struct scope_matcher *matcher); /* NULL is fine */

int scope_signature_match_create(const struct scope_matcher *matcher, struct scope_match **ret_match);
void scope_signature_match_destroy(struct scope_match *match); /* NULL is fine */

/* Separates the calls fed before from those fed next. */
void scope_signature_match_reset(struct scope_match *match);

/* The next calls of the thread, syscall numbers. */
void scope_signature_match_feed(const struct scope_matcher *matcher, struct scope_match *match, const uint16_t *nr,
				size_t count, scope_match_hit hit, void *user);

#endif
