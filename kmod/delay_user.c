// SPDX-License-Identifier: GPL-2.0-only
/* Delays at an instruction of a program: the handler of a uprobe may sleep. */
#include <linux/errno.h>

#include "delay_rule.h"
#include "probe_dynamic.h"
#include "trap_cost.h"

static struct scope_delay_rule *rule_of(struct uprobe_consumer *consumer)
{
	return container_of(consumer, struct scope_delay_rule, uprobe.consumer);
}

/* The removal of the probe waits for this handler. */
static int hit(SCOPE_UPROBE_PROTO(consumer, regs))
{
	struct scope_delay_rule *rule = rule_of(consumer);
	u8 flags = 0;
	u64 asked_ns;

	scope_trap_charge(rule->session, scope_trap_user_ns());
	asked_ns = scope_delay_due(rule, &flags);
	scope_delay_serve(rule, asked_ns, flags);
	return 0;
}

static bool wanted(SCOPE_UPROBE_FILTER_PROTO(consumer, mm))
{
	return scope_probe_dynamic_wants(rule_of(consumer)->session, mm);
}

int scope_delay_user_attach(struct scope_delay_rule *rule)
{
	struct inode *inode;
	int err = scope_probe_dynamic_file(rule->name, rule->offset, &rule->path, &inode);

	if (err)
		return err;
	rule->uprobe.consumer.filter = wanted;
	rule->uprobe.consumer.handler = hit;
	err = scope_compat_uprobe_register(&rule->uprobe, inode, rule->offset);
	if (err)
		path_put(&rule->path);
	return err;
}

void scope_delay_user_detach(struct scope_delay_rule *rule)
{
	scope_compat_uprobe_unregister(&rule->uprobe);
	scope_compat_uprobe_sync();
	path_put(&rule->path);
}
