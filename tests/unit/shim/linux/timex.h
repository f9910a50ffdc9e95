/* SPDX-License-Identifier: GPL-2.0-only */
/* The cycle counter, supplied by the test. */
#ifndef SCOPE_SHIM_TIMEX_H
#define SCOPE_SHIM_TIMEX_H

#include <linux/types.h>

u64 get_cycles(void);

#endif
