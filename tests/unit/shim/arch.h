/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs between architectures, supplied by the test. */
#ifndef SCOPE_SHIM_ARCH_H
#define SCOPE_SHIM_ARCH_H

#include <stdbool.h>

bool scope_arch_counter_steady(void);

#endif
