/* SPDX-License-Identifier: GPL-2.0-only */
/* What the capture found about a descriptor: its file, or the peer of a socket. */
#ifndef SCOPE_TRACE_PEER_H
#define SCOPE_TRACE_PEER_H

#include <stdbool.h>

#include "trace/trace.h"

struct scope_trace_peer {
	char address[72]; /* "10.0.0.5:5432" */
	uint32_t pid;	  /* of the process, if it was found on this host; else 0 */
	char name[64];	  /* of that process, plain */
};

#define SCOPE_TRACE_ADDRESS_TEXT 64

/* "10.0.0.5:5432", "[fd00::1]:80": address as in struct scope_record_peer. */
void scope_trace_address_text(const uint64_t address[2], uint32_t port, char ret_text[SCOPE_TRACE_ADDRESS_TEXT]);

/* Returns false if the descriptor is no socket with a peer. */
bool scope_trace_peer_of(const struct scope_trace_fd *row, struct scope_trace_peer *ret_peer);

/*
 * True if the processes of the trace have opened connections, and all of these lead to one of the same processes: a
 * thread that waits there waits for the program itself.
 */
bool scope_trace_peers_within(const struct scope_trace *trace);

#endif
