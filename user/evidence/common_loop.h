/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compares a thread that sleeps with threads that started elsewhere, and run the same loop: a server's main thread and those that it made.
 *
 *   main ── run_loop ── do_one ── epoll_wait           a thread that takes work, and waits for it
 *   worker ── run_loop ── do_one ── handle ── ask      the thread in question: from the loop it entered handle
 */
#ifndef SCOPE_EVIDENCE_COMMON_LOOP_H
#define SCOPE_EVIDENCE_COMMON_LOOP_H

#include "evidence/evidence.h"

struct scope_common_loop {
	const struct scope_function *path[SCOPE_PATH_MAX]; /* of the thread in question, outermost first */
	unsigned length;
	unsigned loop,
		entered; /* places in it: the function that others have as well, and the one after those that are the same */
	bool found, idle; /* others run it; one of them waits for work where the thread sleeps */
};

/* node: where the thread sleeps. */
void scope_evidence_common_loop_begin(struct scope_common_loop *common, const struct scope_tree *tree, uint32_t node);
/* Another thread, which takes work and is at node; waits: for more of it. */
void scope_evidence_common_loop_add(struct scope_common_loop *common, const struct scope_tree *tree, uint32_t node,
				    bool waits);
/* True if the path to node goes through the loop; *ret_below if it also entered what the thread did. */
bool scope_evidence_common_loop_passes(const struct scope_common_loop *common, const struct scope_tree *tree,
				       uint32_t node, bool *ret_below);

#endif
