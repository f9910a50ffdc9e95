// SPDX-License-Identifier: GPL-2.0-only
/* A module whose functions run at every NMI that no other handler claims: places for kprobes. */
#include <linux/atomic.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <asm/nmi.h>

static unsigned long handled;
module_param(handled, ulong, 0444);
MODULE_PARM_DESC(handled, "how many came");

/* Probes are set here: ftrace calls what is on the entry of the first, the second's is a breakpoint. */
noinline void scope_test_nmi(unsigned long number);
noinline void scope_test_nmi(unsigned long number)
{
	*(volatile unsigned long *)&handled = number;
}

noinline notrace void scope_test_nmi_untraced(unsigned long number);
noinline notrace void scope_test_nmi_untraced(unsigned long number)
{
	*(volatile unsigned long *)&handled = number;
}

static int on_nmi(unsigned int type, struct pt_regs *regs)
{
	const unsigned long number = handled + 1;

	scope_test_nmi(number);
	scope_test_nmi_untraced(number);
	return NMI_HANDLED;
}

static int __init nmi_init(void)
{
	return register_nmi_handler(NMI_UNKNOWN, on_nmi, 0, "scope-test");
}

static void __exit nmi_exit(void)
{
	unregister_nmi_handler(NMI_UNKNOWN, "scope-test");
}

module_init(nmi_init);
module_exit(nmi_exit);
MODULE_DESCRIPTION("NMIs for the tests of scope");
MODULE_LICENSE("GPL");
