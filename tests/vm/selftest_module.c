// SPDX-License-Identifier: GPL-2.0-only
/* A module that loads and unloads, or warns on request. The tests of the harness itself use it. */
#include <linux/bug.h>
#include <linux/module.h>

static bool warn;
module_param(warn, bool, 0444);
MODULE_PARM_DESC(warn, "run into a WARN() while loading");

static int __init selftest_init(void)
{
	WARN(warn, "selftest: asked to warn");
	pr_info("selftest: loaded\n");
	return 0;
}

static void __exit selftest_exit(void)
{
	pr_info("selftest: unloaded\n");
}

module_init(selftest_init);
module_exit(selftest_exit);
MODULE_DESCRIPTION("Test of the VM harness");
MODULE_LICENSE("GPL");
