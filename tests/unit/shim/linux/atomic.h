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

#define atomic_read(v) __atomic_load_n(&(v)->counter, __ATOMIC_RELAXED)
/* They are ordered as on x86, so no fence is needed, which the thread sanitizer would not know. */
#define atomic_add(n, v) ((void)__atomic_add_fetch(&(v)->counter, n, __ATOMIC_SEQ_CST))
#define atomic_sub(n, v) ((void)__atomic_sub_fetch(&(v)->counter, n, __ATOMIC_SEQ_CST))
#define smp_mb__after_atomic() __asm__ __volatile__("" : : : "memory")
#define atomic_inc(v) atomic_add(1, v)
#define atomic_dec(v) atomic_sub(1, v)
#define atomic64_inc(v) atomic_inc(v)
#define cmpxchg(pointer, old, new) __sync_val_compare_and_swap(pointer, old, new)

#endif
