/* SPDX-License-Identifier: GPL-2.0-only */
/* Split off linux/sched.h in 4.11; found here only by kernels that have no such header. */
#include <linux/sched.h>
