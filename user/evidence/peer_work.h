/* SPDX-License-Identifier: GPL-2.0-only */
/* Decides by the stacks of similar threads if a thread that sleeps does so in the middle of its work. */
#ifndef SCOPE_EVIDENCE_PEER_WORK_H
#define SCOPE_EVIDENCE_PEER_WORK_H

#include "anomaly/hang.h"
#include "evidence/evidence.h"

#define SCOPE_PEERS_WORK_SHARE 0.05 /* share of stacks taken at work: a function with less is not work */

/* AMONG_IDLE: no hang either, but that says nothing about others. */
enum scope_peer_answer {
	SCOPE_PEERS_UNKNOWN,
	SCOPE_PEERS_NO,
	SCOPE_PEERS_YES,
	SCOPE_PEERS_UNSURE,
	SCOPE_PEERS_AMONG_IDLE,
};

struct scope_peers {
	const struct scope_evidence *evidence;
	const struct scope_units *units;
	const struct scope_pickups *pickups;
	const bool *stands; /* by thread: it may hang itself, and says nothing about others */
	uint8_t *known; /* enum scope_peer_answer, by node of the tree, four times: by where one sleeps, and if it is quiet */
};

/* If the thread runs at the end, its stack may be from the begin of the window. */
bool scope_evidence_peers_stand_still(const struct scope_peers *peers, size_t thread);
/* If other threads work below the functions in which it sleeps; those of one place have one answer. */
enum scope_peer_answer scope_evidence_peer_work(const struct scope_peers *peers, const struct scope_hang *hang);

#endif
