/* SPDX-License-Identifier: GPL-2.0-only */
/* Alignment to a cache line. */
#ifndef SCOPE_SHIM_CACHE_H
#define SCOPE_SHIM_CACHE_H

#define ____cacheline_aligned __attribute__((aligned(64)))

#endif
