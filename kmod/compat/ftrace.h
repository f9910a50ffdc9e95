/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs in the functions that ftrace calls at the entry of others. */
#ifndef SCOPE_COMPAT_FTRACE_H
#define SCOPE_COMPAT_FTRACE_H

#include <linux/ftrace.h>

/* Can it say where the function goes on, and do kprobes there use it as well? */
#if defined(CONFIG_DYNAMIC_FTRACE_WITH_REGS) && defined(CONFIG_KPROBES_ON_FTRACE)
#define SCOPE_FTRACE_DIVERTS 1
#endif

/* 5.11 hands registers over in a type of its own */
#ifndef SCOPE_HAVE_FTRACE_OWN_REGS
#define ftrace_regs pt_regs
#define ftrace_get_regs(regs) (regs)
#endif

/* 5.11: what is called asks to be kept from recursion; before that is so unless it says no */
#ifndef SCOPE_HAVE_FTRACE_RECURSION
#define FTRACE_OPS_FL_RECURSION 0
#endif

/* 5.5: kernel.ftrace_enabled cannot take it out */
#ifndef SCOPE_HAVE_FTRACE_PERMANENT
#define FTRACE_OPS_FL_PERMANENT 0
#endif

#endif
