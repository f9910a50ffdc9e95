/* SPDX-License-Identifier: GPL-2.0-only */
/* The C library's memory functions take the place of the kernel's. */
#include <string.h>
