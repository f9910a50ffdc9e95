// SPDX-License-Identifier: GPL-2.0-only
/* Test build SCOPE_FAULTS=1: decides which call fails, see faults.h. */
#include <linux/moduleparam.h>
#include <linux/printk.h>

static int fail_at;
module_param(fail_at, int, 0644);
MODULE_PARM_DESC(fail_at, "fail the Nth call that may fail from now on; back at 0 once it did");

/* Whoever sets fail_at makes one call of the module at a time. */
bool scope_fault_due(const char *what)
{
	int left = READ_ONCE(fail_at);

	if (left <= 0)
		return false;
	WRITE_ONCE(fail_at, left - 1);
	if (left > 1)
		return false;
	pr_info("scope: fault: %s fails as asked\n", what);
	return true;
}
