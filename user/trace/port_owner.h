/* SPDX-License-Identifier: GPL-2.0-only */
/* Which process of the traced host listens at an address, by the rows that the capture wrote. */
#ifndef SCOPE_TRACE_PORT_OWNER_H
#define SCOPE_TRACE_PORT_OWNER_H

#include <stdbool.h>

#include "trace/peer.h"

struct scope_port_owners;

/* The rows borrow from the trace, which must outlive them. The caller destroys. 0 or -ENOMEM. */
int scope_trace_port_owners_create(const struct scope_trace *trace, struct scope_port_owners **ret_owners);
void scope_trace_port_owners_destroy(struct scope_port_owners *owners); /* NULL is fine */

/*
 * Fills in pid and name of the process to which a connection of process tgid to ret_peer->address leads. is_own: that
 * is also the address of tgid's end. A listener at all addresses counts only for such a peer, or one at a loopback
 * address: other addresses may be those of other hosts. Returns false, and changes nothing, if no such process is
 * known.
 */
bool scope_trace_port_owner(const struct scope_port_owners *owners, uint32_t tgid, bool is_own,
			    struct scope_trace_peer *ret_peer);

/* True if both texts ("10.0.0.5:5432", "[fd00::1]:80") have the same address, whatever the port. */
bool scope_trace_address_is_same(const char *one, const char *other);

#endif
