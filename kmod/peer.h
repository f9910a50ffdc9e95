/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SCOPE_KMOD_PEER_H
#define SCOPE_KMOD_PEER_H

#include "record.h"

struct pt_regs;

/* True for a native call that opens a connection. */
bool scope_peer_by(u32 nr);

/*
 * Interrupts off. The current task returns from a call that scope_peer_by() is true for. Writes a PEER if it opened a
 * connection of the internet.
 */
void scope_peer_put(struct scope_ring *ring, struct pt_regs *regs, u32 nr, long ret, u64 now);

/*
 * Interrupts off, from the switch that ends the current thread, which is in that call, with the number of a connect. Writes a
 * PEER with the address that it waits for, if that is one of the internet.
 */
void scope_peer_sleep(struct scope_ring *ring, struct scope_call call, u64 now);

#endif
