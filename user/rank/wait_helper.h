/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A function of a library that does nothing but sleep for a time, as i_sleep_usecs(), sleeps for its caller: that one decides when, and
 * for how long.
 */
#ifndef SCOPE_RANK_WAIT_HELPER_H
#define SCOPE_RANK_WAIT_HELPER_H

#include "evidence/evidence.h"

/*
 * If the node's function is in a library with a version in its name (libx.so.1), which is made for several callers, and if on all
 * paths it only sleeps for a set time and calls no other function of the program: the node of its nearest caller that has a
 * name, `from` or below it. Else, and if there is none, the node itself. asleep: it was seen asleep, as a hang is, even if the
 * evidence has no time of it.
 */
uint32_t scope_rank_wait_helper_caller(const struct scope_evidence *evidence, uint32_t from, uint32_t node,
				       bool asleep);

#endif
