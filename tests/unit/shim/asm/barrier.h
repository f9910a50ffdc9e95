/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's acquire and release, by compiler builtins. */
#ifndef SCOPE_SHIM_BARRIER_H
#define SCOPE_SHIM_BARRIER_H

#define smp_load_acquire(pointer) __atomic_load_n(pointer, __ATOMIC_ACQUIRE)
#define smp_store_release(pointer, value) __atomic_store_n(pointer, value, __ATOMIC_RELEASE)

#endif
