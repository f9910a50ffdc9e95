/* SPDX-License-Identifier: GPL-2.0-only */
/* Which thread the memory of a lock names as its owner. */
#ifndef SCOPE_TRACE_LOCK_WORD_H
#define SCOPE_TRACE_LOCK_WORD_H

#include <stdint.h>

/*
 * Returns the thread that owns a lock for which another thread sleeps; 0: the memory names no thread, or is no lock of
 * a known kind. memory: SCOPE_FUTEX_MEMORY_BYTES from the futex on. The caller checks that the process has that thread.
 *
 * glibc, pthread_mutex_t (sysdeps/nptl/bits/struct_mutex.h, nptl/pthread_mutex_lock.c); words of 32 bits:
 *
 *	word		0			1	2	3
 *	plain		2 (protected: and the	count	owner	users, 1 or more
 *			ceiling from bit 19)
 *	robust, PI	owner and flags		count	owner	users
 *
 * For a moment after the kernel gave a PI mutex to the next thread, word 2 is still 0. musl, pthread_mutex_t from its lock on
 * (src/internal/pthread_impl.h, src/thread/pthread_mutex_trylock.c):
 *
 *	normal		16 (EBUSY) and a flag	waiters	0	0
 *	others		owner and flags		waiters	0	0
 */
uint32_t scope_trace_lock_owner(const void *memory);

#endif
