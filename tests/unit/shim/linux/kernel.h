/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's limits and minimum. */
#ifndef SCOPE_SHIM_KERNEL_H
#define SCOPE_SHIM_KERNEL_H

#include <stdint.h>

#define U32_MAX UINT32_MAX
#define U64_MAX UINT64_MAX
#define min_t(type, a, b) ((type)(a) < (type)(b) ? (type)(a) : (type)(b))

#endif
