/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's clock, supplied by the test. */
#ifndef SCOPE_SHIM_TIMEKEEPING_H
#define SCOPE_SHIM_TIMEKEEPING_H

#include <linux/types.h>

u64 ktime_get_mono_fast_ns(void);

#endif
