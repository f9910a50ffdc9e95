/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's own type names beside those of its user headers. */
#ifndef SCOPE_SHIM_TYPES_H
#define SCOPE_SHIM_TYPES_H

#include_next <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s64 s64;
typedef __s32 s32;

#endif
