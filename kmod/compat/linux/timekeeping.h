/* SPDX-License-Identifier: GPL-2.0-only */
/* Split off linux/time.h and linux/hrtimer.h in 3.17; found here only by kernels that have no such header. */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/time.h>
