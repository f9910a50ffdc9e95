/* SPDX-License-Identifier: GPL-2.0-only */
/* The C library's memory functions stand for the kernel's. */
#include <string.h>
