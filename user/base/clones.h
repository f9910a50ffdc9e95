/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A function that is compiled for several processors; the program selects the best version as it
 * starts.
 *
 * The versions use only extensions that do not change rounding. Multiply-add in one step is left out, because with it
 * the same input would give different output on different machines.
 */
#ifndef SCOPE_BASE_CLONES_H
#define SCOPE_BASE_CLONES_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__) &&                        \
	!defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SCOPE_CLONES __attribute__((target_clones("avx2", "popcnt", "default")))
#else
#define SCOPE_CLONES
#endif

#endif
