/* SPDX-License-Identifier: GPL-2.0-only */
/* Decides by the stacks of requests if a thread that runs without end should serve clients. */
#ifndef SCOPE_EVIDENCE_PEER_SPIN_H
#define SCOPE_EVIDENCE_PEER_SPIN_H

#include "evidence/peer_work.h"

/* number: of the spin among hangs, as its items have it. True if it runs where requests do, or is of a pool that serves. */
bool scope_evidence_peer_spin(const struct scope_peers *peers, size_t number, uint32_t thread);

#endif
