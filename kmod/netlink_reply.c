// SPDX-License-Identifier: GPL-2.0-only
/* Answers to requests. */
#include <linux/errno.h>
#include <linux/module.h>
#include <scope/control.h>
#include "netlink_reply.h"

/* netlink.c adds the commands as it registers the family. */
struct genl_family scope_netlink_family = {
	.name = SCOPE_GENL_NAME,
	.version = SCOPE_GENL_VERSION,
	.module = THIS_MODULE,
	.netnsok = true,
	.parallel_ops = true, /* sessions have locks of their own */
	.maxattr = SCOPE_GENL_FAMILY_MAXATTR(SCOPE_ATTR_MAX),
};

int scope_netlink_reply(struct genl_info *info, u8 command, size_t bytes, int (*fill)(struct sk_buff *, const void *),
			const void *data)
{
	struct sk_buff *reply = genlmsg_new(bytes, GFP_KERNEL);
	void *header;

	if (!reply)
		return -ENOMEM;
	header = genlmsg_put_reply(reply, info, &scope_netlink_family, 0, command);
	if (!header || fill(reply, data)) {
		nlmsg_free(reply);
		return -EMSGSIZE;
	}
	genlmsg_end(reply, header);
	return genlmsg_reply(reply, info);
}

int scope_netlink_explain(struct genl_info *info, const struct scope_netlink_reason *reasons, size_t count, bool user,
			  int err)
{
	const char *text;
	size_t i;

	/* ENOTSUPP is unknown in user space: an instruction cannot be stepped over. */
	if (err == -ENOTSUPP)
		err = -EOPNOTSUPP;
	for (i = 0; i < count; i++) {
		if (reasons[i].err != err)
			continue;
		text = user && reasons[i].user ? reasons[i].user : reasons[i].text;
		if (text)
			scope_compat_genl_say(info, text);
		break;
	}
	return err;
}
