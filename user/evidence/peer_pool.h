/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds threads that hang in work which a request in another thread gave them and waits for. Their pool may have no
 * other thread.
 */
#ifndef SCOPE_EVIDENCE_PEER_POOL_H
#define SCOPE_EVIDENCE_PEER_POOL_H

#include "evidence/peer_work.h"

/*
 * A request that hangs in a condition waits for another thread of its process. A thread that fell asleep below a
 * function of the program right after it, and has slept since, does its work: its answer becomes yes, and the threads
 * that wait for it are marked. Threads without work slept before that.
 */
void scope_evidence_peer_pool(const struct scope_peers *peers, enum scope_peer_answer *answers,
			      struct scope_hang *hangs, size_t count);

#endif
