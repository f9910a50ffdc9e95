// SPDX-License-Identifier: GPL-2.0-only
/* Probes that do nothing: they give the cost of tracepoints alone, to compare with the cost of scope.ko. */
#include <linux/module.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

/* The kernel passes more arguments than these take, which is harmless in this calling convention. */
static void probe_nothing(void *data)
{
}

static struct row {
	const char *name;
	struct tracepoint *tracepoint;
	bool attached;
} rows[] = {
	{ "sys_enter" },
	{ "sys_exit" },
	{ "sched_switch" },
	{ "sched_waking" },
};

static void find(struct tracepoint *tracepoint, void *unused)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(tracepoint->name, rows[i].name))
			rows[i].tracepoint = tracepoint;
}

static void empty_exit(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].attached)
			tracepoint_probe_unregister(rows[i].tracepoint, probe_nothing, NULL);
	tracepoint_synchronize_unregister();
}

static int __init empty_init(void)
{
	size_t i;
	int err;

	for_each_kernel_tracepoint(find, NULL);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		err = rows[i].tracepoint ? tracepoint_probe_register(rows[i].tracepoint, probe_nothing, NULL) : -ENODEV;
		if (err) {
			empty_exit();
			return err;
		}
		rows[i].attached = true;
	}
	return 0;
}

module_init(empty_init);
module_exit(empty_exit);
MODULE_DESCRIPTION("Empty probes on the tracepoints that Scope uses most");
MODULE_LICENSE("GPL");
