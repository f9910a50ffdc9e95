/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SCOPE_KMOD_RECEIVED_H
#define SCOPE_KMOD_RECEIVED_H

#include "record.h"

struct pt_regs;

/* True for a native call that takes bytes from a descriptor into memory, which can be a socket. */
bool scope_received_by(u32 nr);

/*
 * Interrupts off. The current task returns from a call that scope_received_by() is true for. Writes a RECEIVED if it
 * took bytes from a socket and the first of them is in memory.
 */
void scope_received_put(struct scope_ring *ring, struct pt_regs *regs, u32 nr, long ret, u64 now);

#endif
