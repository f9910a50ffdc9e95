// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sockets that receive notices.
 *
 * Before Linux 6.7 a multicast group is open to every process, and the capabilities that a group can ask for since
 * then do not include CAP_PERFMON. So notices are sent to the sockets that asked for them by a message, which needs
 * the capability as every other message does. A socket's place is freed when the kernel reports that it is closed.
 */
#include <linux/errno.h>
#include <linux/netlink.h>
#include <linux/notifier.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include <net/genetlink.h>
#include <net/netlink.h>
#include <scope/control.h>
#include "listen.h"

struct listener {
	struct net *net; /* alive as long as the socket is */
	u32 portid;	 /* 0: free */
};

/* Bottom halves are off while it is held, so that netlink allocates without sleeping. */
static DEFINE_SPINLOCK(listeners_lock);
static struct listener listeners[SCOPE_LISTENERS_MAX];

/* 0, also if it listens already; -ENOSPC. */
int scope_listen_add(struct net *net, u32 portid)
{
	struct listener *free = NULL;
	int i, err = 0;

	spin_lock_bh(&listeners_lock);
	for (i = 0; i < SCOPE_LISTENERS_MAX; i++) {
		struct listener *listener = &listeners[i];

		if (listener->portid == portid && listener->net == net)
			goto out;
		if (!listener->portid && !free)
			free = listener;
	}
	if (free)
		*free = (struct listener){ net, portid };
	else
		err = -ENOSPC;
out:
	spin_unlock_bh(&listeners_lock);
	return err;
}

static int on_event(struct notifier_block *block, unsigned long event, void *data)
{
	const struct netlink_notify *notify = data;
	int i;

	if (event != NETLINK_URELEASE || notify->protocol != NETLINK_GENERIC)
		return NOTIFY_DONE;
	spin_lock_bh(&listeners_lock);
	for (i = 0; i < SCOPE_LISTENERS_MAX; i++)
		if (listeners[i].portid == notify->portid && listeners[i].net == notify->net)
			listeners[i].portid = 0;
	spin_unlock_bh(&listeners_lock);
	return NOTIFY_DONE;
}

/* Sends a copy to each, and takes over message. A listener whose buffer is full misses it. */
void scope_listen_send(struct sk_buff *message)
{
	struct sk_buff *copy;
	int i;

	spin_lock_bh(&listeners_lock);
	for (i = 0; i < SCOPE_LISTENERS_MAX; i++) {
		if (!listeners[i].portid)
			continue;
		copy = skb_copy(message, GFP_ATOMIC);
		if (copy)
			genlmsg_unicast(listeners[i].net, copy, listeners[i].portid);
	}
	spin_unlock_bh(&listeners_lock);
	nlmsg_free(message);
}

static struct notifier_block block = { .notifier_call = on_event };

int scope_listen_init(void)
{
	return netlink_register_notifier(&block);
}

void scope_listen_exit(void)
{
	netlink_unregister_notifier(&block);
}
