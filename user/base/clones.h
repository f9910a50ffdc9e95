/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A function compiled for several processors, the best of which is taken as the program starts.
 *
 * Only extensions that leave rounding as it is: none that multiplies and adds in one step, or the
 * same input would not give the same output everywhere.
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
