/* SPDX-License-Identifier: GPL-2.0-only */
/* What context this is, supplied by the test. */
#ifndef SCOPE_SHIM_PREEMPT_H
#define SCOPE_SHIM_PREEMPT_H

#include <stdbool.h>

bool in_interrupt(void);

#endif
