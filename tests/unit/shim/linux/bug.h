/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's assertion at compile time. */
#ifndef SCOPE_SHIM_BUG_H
#define SCOPE_SHIM_BUG_H

#define BUILD_BUG_ON(condition) _Static_assert(!(condition), #condition)

#endif
