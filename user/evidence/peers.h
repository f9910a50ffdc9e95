/* SPDX-License-Identifier: GPL-2.0-only */
/* Decides by the stacks of similar threads if a thread that does not run hangs. */
#ifndef SCOPE_EVIDENCE_PEERS_H
#define SCOPE_EVIDENCE_PEERS_H

#include "evidence/evidence.h"

/*
 * Removes the hangs that need peers (anomaly/hang.h) but have no peer that serves, and spins of which signals made the only calls
 * but that are not where requests are, and renumbers SPIN items. second: NULL, or the evidence of signatures, used for threads whose place no stack
 * shows. all_idle: no unit had any work, so peers decide nothing. Such hangs stay and are marked
 * uncertain; those that sleep in a futex where two others of their name idle are removed, too. Uncertain are also hangs whose peers have too few
 * stacks at work. Quiet ones (anomaly/hang.h) are removed instead, unless all are idle and it sleeps apart from those like it. 0 or -ENOMEM.
 */
int scope_evidence_peers_drop(struct scope_evidence *evidence, const struct scope_evidence *second,
			      const struct scope_units *units, const struct scope_pickups *pickups, bool all_idle,
			      struct scope_hang *hangs, size_t *hang_count);

#endif
