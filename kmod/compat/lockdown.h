/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether the kernel is locked down (5.4). Before, only patched kernels have lockdown, and modules cannot query it. */
#ifndef SCOPE_COMPAT_LOCKDOWN_H
#define SCOPE_COMPAT_LOCKDOWN_H

#ifdef SCOPE_HAVE_LOCKED_DOWN
#include <linux/security.h>
#else
#define LOCKDOWN_TRACEFS 0
static inline int security_locked_down(int what)
{
	return 0;
}
#endif

#endif
