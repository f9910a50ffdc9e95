// SPDX-License-Identifier: GPL-2.0-only
/* Test build SCOPE_FAULTS=1: decides which call fails, see faults.h. */
#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>

static int fail_at;
module_param(fail_at, int, 0644);
MODULE_PARM_DESC(fail_at, "fail the Nth call that may fail from now on; back at 0 once it did");

/* The test that sets fail_at makes only one call of the module at a time. */
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

static atomic_t probes;

static int get_probes(char *buffer, const struct kernel_param *unused)
{
	return scnprintf(buffer, PAGE_SIZE, "%d\n", atomic_read(&probes));
}

static const struct kernel_param_ops probes_ops = {
	.get = get_probes,
};
module_param_cb(probes, &probes_ops, NULL, 0444);
MODULE_PARM_DESC(probes, "how many probes of the module are attached to tracepoints");

/* Returns err. */
int scope_fault_attached(int err)
{
	if (!err)
		atomic_inc(&probes);
	return err;
}

/* The same. */
int scope_fault_detached(int err)
{
	if (!err)
		atomic_dec(&probes);
	return err;
}
