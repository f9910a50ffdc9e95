/* SPDX-License-Identifier: GPL-2.0-only */
/* Atomic accesses to memory, and barriers, under the newest names. */
#ifndef SCOPE_COMPAT_ORDER_H
#define SCOPE_COMPAT_ORDER_H

#include <linux/compiler.h>
#include <asm/barrier.h>

/* 3.19; only scalars, like ACCESS_ONCE() */
#ifndef READ_ONCE
#define READ_ONCE(from) (*(const volatile __typeof__(from) *)&(from))
#endif
#ifndef WRITE_ONCE
#define WRITE_ONCE(to, value) (*(volatile __typeof__(to) *)&(to) = (value))
#endif

/* x86-64 keeps the order of loads and the order of stores, and reorders nothing with its atomic operations. */
#ifdef CONFIG_X86_64
#define scope_compat_order() barrier()
#else
#define scope_compat_order() smp_mb()
#endif

/* 3.14; until 3.19 only whole words */
#ifndef SCOPE_HAVE_ORDER_ANY_SIZE
#undef smp_load_acquire
#undef smp_store_release
#define smp_load_acquire(from)                                                                                         \
	({                                                                                                             \
		__typeof__(*(from)) scope_loaded = READ_ONCE(*(from));                                                 \
                                                                                                                       \
		scope_compat_order();                                                                                  \
		scope_loaded;                                                                                          \
	})
#define smp_store_release(to, value)                                                                                   \
	do {                                                                                                           \
		scope_compat_order();                                                                                  \
		WRITE_ONCE(*(to), value);                                                                              \
	} while (0)
#endif

/* 3.16; before, each kind of atomic operation had a separate one */
#ifndef smp_mb__before_atomic
#define smp_mb__before_atomic() scope_compat_order()
#endif
#ifndef smp_mb__after_atomic
#define smp_mb__after_atomic() scope_compat_order()
#endif

/* 3.14: the compiler has to assume that the variable changed, and does not move it */
#ifndef OPTIMIZER_HIDE_VAR
#define OPTIMIZER_HIDE_VAR(variable) __asm__("" : "=r"(variable) : "0"(variable))
#endif

#endif
