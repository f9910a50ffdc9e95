/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's atomic operations that the filter uses, by compiler builtins. */
#ifndef SCOPE_SHIM_ATOMIC_H
#define SCOPE_SHIM_ATOMIC_H

typedef struct {
	int counter;
} atomic_t;
typedef struct {
	long counter;
} atomic64_t;

#define atomic_inc(v) ((void)__atomic_add_fetch(&(v)->counter, 1, __ATOMIC_RELAXED))
#define atomic_dec(v) ((void)__atomic_sub_fetch(&(v)->counter, 1, __ATOMIC_RELAXED))
#define atomic64_inc(v) atomic_inc(v)
#define cmpxchg(pointer, old, new) __sync_val_compare_and_swap(pointer, old, new)

#endif
