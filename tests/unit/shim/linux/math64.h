/* SPDX-License-Identifier: GPL-2.0-only */
/* Division, as the kernel has it. */
#ifndef SCOPE_SHIM_MATH64_H
#define SCOPE_SHIM_MATH64_H

#include <linux/types.h>

static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}

#endif
