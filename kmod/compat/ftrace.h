/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions that ftrace calls at the entry of other functions, and that may redirect the thread.
 *
 * SCOPE_FTRACE_CALL_BYTES is the length of the instruction that calls ftrace.
 */
#ifndef SCOPE_COMPAT_FTRACE_H
#define SCOPE_COMPAT_FTRACE_H

#include <linux/errno.h>
#include <linux/ftrace.h>

/* The kprobes of these functions have to use ftrace, too. */
#if defined(CONFIG_DYNAMIC_FTRACE_WITH_REGS) && defined(CONFIG_KPROBES_ON_FTRACE)

#define SCOPE_FTRACE_CALL_BYTES MCOUNT_INSN_SIZE

/* 5.11 has a separate type for the registers */
#ifndef SCOPE_HAVE_FTRACE_OWN_REGS
#define ftrace_regs pt_regs
#define ftrace_get_regs(regs) (regs)
#endif

/* 5.11: a function has to ask for protection from recursion; before, it had to ask for none */
#ifndef SCOPE_HAVE_FTRACE_RECURSION
#define FTRACE_OPS_FL_RECURSION 0
#endif

/* 5.5: kernel.ftrace_enabled cannot switch it off */
#ifndef SCOPE_HAVE_FTRACE_PERMANENT
#define FTRACE_OPS_FL_PERMANENT 0
#endif

struct scope_compat_ftrace {
	struct ftrace_ops ops;
};

#define SCOPE_FTRACE_PROTO(ops, regs)                                                                                  \
	unsigned long ip, unsigned long parent, struct ftrace_ops *ops, struct ftrace_regs *regs
#define scope_compat_ftrace_regs(regs) ftrace_get_regs(regs)

static inline void scope_compat_ftrace_forget(struct scope_compat_ftrace *ftrace)
{
	ftrace_set_filter(&ftrace->ops, NULL, 0, 1);
}

/* ip: the address of the instruction that calls ftrace. */
static inline int scope_compat_ftrace_attach(struct scope_compat_ftrace *ftrace, ftrace_func_t function,
					     unsigned long ip)
{
	int err;

	ftrace->ops.func = function;
	ftrace->ops.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_RECURSION |
			    FTRACE_OPS_FL_PERMANENT;
	err = ftrace_set_filter_ip(&ftrace->ops, ip, 0, 1);
	if (!err)
		err = register_ftrace_function(&ftrace->ops);
	if (err)
		scope_compat_ftrace_forget(ftrace);
	return err;
}

static inline void scope_compat_ftrace_detach(struct scope_compat_ftrace *ftrace)
{
	unregister_ftrace_function(&ftrace->ops);
	scope_compat_ftrace_forget(ftrace);
}

#else

#define SCOPE_FTRACE_CALL_BYTES 0

struct scope_compat_ftrace {
	char ops; /* never registered */
};

#define SCOPE_FTRACE_PROTO(ops, regs) char *ops, struct pt_regs *regs
#define scope_compat_ftrace_regs(regs) (regs)

static inline int scope_compat_ftrace_attach(struct scope_compat_ftrace *ftrace,
					     void (*function)(SCOPE_FTRACE_PROTO(ops, regs)), unsigned long ip)
{
	return -EOPNOTSUPP;
}

static inline void scope_compat_ftrace_detach(struct scope_compat_ftrace *ftrace)
{
}

#endif
#endif
