/* SPDX-License-Identifier: GPL-2.0-only */
/* Records the memory of a futex as a thread goes to sleep on it. */
#ifndef SCOPE_KMOD_FUTEX_H
#define SCOPE_KMOD_FUTEX_H

#include "record.h"

/* Interrupts off, from the switch that ends the current thread, which is in that call. */
void scope_futex_sleep(struct scope_ring *ring, struct scope_call call, u64 now);

#endif
