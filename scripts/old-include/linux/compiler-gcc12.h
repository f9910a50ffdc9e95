/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernels up to 4.1 include a header of each compiler's own, and know none of 2022. Searched after their own folders,
 * for scripts/own-kernel.sh -s and scripts/check-old.sh: the newest that the kernel knows serves.
 */
#if __has_include(<linux/compiler-gcc5.h>)
#include <linux/compiler-gcc5.h>
#else
#include <linux/compiler-gcc4.h>
#endif
