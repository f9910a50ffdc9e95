// SPDX-License-Identifier: GPL-2.0-only
/* Loads and unloads the module: a list of inits, and the same list in reverse. */
#include <linux/module.h>
#include <linux/printk.h>
#include "chardev.h"
#include "lifetime.h"
#include "listen.h"
#include "netlink.h"
#include "probe.h"
#include "probe_sample.h"
#include "region.h"
#include "selftest.h"
#include "table.h"

static int __init scope_init(void)
{
	int err;

	scope_compat_fast_clock_start();
	err = scope_probe_init();
	if (err)
		goto clock;
	err = scope_selftest_load();
	if (err)
		goto clock;
	err = scope_sample_init();
	if (err)
		goto clock;
	err = scope_region_init();
	if (err)
		goto sample;
	err = scope_listen_init();
	if (err)
		goto region;
	err = scope_netlink_init();
	if (err)
		goto listen;
	/* This is last: from here on users can open it. */
	err = scope_chardev_init();
	if (err)
		goto netlink;
	pr_info("scope: version %s, protocols %d to %d\n", SCOPE_VERSION, SCOPE_PROTOCOL_MIN, SCOPE_PROTOCOL);
	return 0;

netlink:
	scope_netlink_exit();
listen:
	scope_listen_exit();
region:
	scope_region_exit();
sample:
	scope_sample_exit();
clock:
	scope_compat_fast_clock_stop();
	return err;
}

static void __exit scope_exit(void)
{
	scope_chardev_exit();
	scope_netlink_exit();
	scope_listen_exit();
	scope_region_exit();
	scope_sample_exit();
	scope_session_exit();
	scope_table_exit();
	scope_compat_fast_clock_stop();
}

module_init(scope_init);
module_exit(scope_exit);

MODULE_LICENSE("GPL");
MODULE_VERSION(SCOPE_VERSION);
MODULE_DESCRIPTION("Records system calls, scheduling and user stacks of chosen processes");
