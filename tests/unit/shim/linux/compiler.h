/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's compiler macros, so that ring and filter compile in user space. */
#ifndef SCOPE_SHIM_COMPILER_H
#define SCOPE_SHIM_COMPILER_H

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#ifndef __always_inline /* the C library has it too */
#define __always_inline inline __attribute__((always_inline))
#endif
#define __aligned(bytes) __attribute__((aligned(bytes)))
#ifndef barrier /* a test may have something happen there */
#define barrier() __asm__ __volatile__("" : : : "memory")
#endif
#define READ_ONCE(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, value) __atomic_store_n(&(x), value, __ATOMIC_RELAXED)

#endif
