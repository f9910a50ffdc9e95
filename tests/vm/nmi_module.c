// SPDX-License-Identifier: GPL-2.0-only
/* A module whose function is called by every NMI that nobody else claims: a place for a kprobe. */
#include <linux/atomic.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <asm/nmi.h>

static unsigned long handled;
module_param(handled, ulong, 0444);
MODULE_PARM_DESC(handled, "how many came");

/* The probe is set here. */
noinline void scope_test_nmi(unsigned long number);
noinline void scope_test_nmi(unsigned long number)
{
	WRITE_ONCE(handled, number);
}

static int on_nmi(unsigned int type, struct pt_regs *regs)
{
	scope_test_nmi(handled + 1);
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
