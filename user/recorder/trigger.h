/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Conditions on a running target at which a flight recorder writes its file.
 *
 *   rate:SYSCALL<N%   in the last 3 s it returned less than N % as often as usual: the median over
 *                     the seconds of the last minute, of which 10 are needed
 *   unit>TIME         a thread's work between two waits for work (epoll, poll, select, accept) took,
 *                     or takes, longer
 *   pN>TIME           of such work that ended in the last 10 s, the Nth percentile (above 0, below 100) is longer;
 *                     at least 20 ended
 *   hang>TIME         a thread waits or spins without an end (recorder/activity.h)
 *   runqueue>N%       of the time in which threads ran or were runnable in the last 10 s they waited
 *                     for a CPU; only if that time was a second or more
 *   unusual           anything departs from the last minute (recorder/unusual.h): a reason to look closer, and no more
 */
#ifndef SCOPE_RECORDER_TRIGGER_H
#define SCOPE_RECORDER_TRIGGER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

#define SCOPE_TRIGGERS_MAX 16

struct scope_subbuf;
struct scope_triggers;

int scope_recorder_triggers_create(struct scope_triggers **ret_triggers);
void scope_recorder_triggers_destroy(struct scope_triggers *triggers); /* NULL is fine */

/* Adds a condition. -EINVAL with error filled: the text is wrong; -E2BIG: there are SCOPE_TRIGGERS_MAX already. */
int scope_recorder_triggers_add(struct scope_triggers *triggers, const char *text, struct scope_error *error);

void scope_recorder_triggers_take(struct scope_triggers *triggers, const struct scope_subbuf *subbuf);

/*
 * Call it some times a second, after a flush; now_ns: CLOCK_MONOTONIC. Returns true if a trigger fires: `why` (128
 * bytes) names it and the observed value.
 */
bool scope_recorder_triggers_fired(struct scope_triggers *triggers, uint64_t now_ns, char *ret_why);

#endif
