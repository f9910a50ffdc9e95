// SPDX-License-Identifier: GPL-2.0-only
/* The control messages that set, remove and list probes at run time. */
#include <linux/errno.h>
#include <linux/netlink.h>
#include <linux/slab.h>
#include <net/netlink.h>
#include "configure.h"
#include "dynamic.h"
#include "netlink_probe.h"
#include "netlink_reply.h"
#include "parse.h"

const struct nla_policy scope_netlink_probe_policy[SCOPE_ATTR_PROBE_FLAGS + 1] = {
	[SCOPE_ATTR_SESSION] = { .type = NLA_U32 },
	[SCOPE_ATTR_PROBE_ID] = { .type = NLA_U32 },
	[SCOPE_ATTR_PROBE_KIND] = { .type = NLA_U8 },
	[SCOPE_ATTR_PROBE_SYMBOL] = { .type = NLA_NUL_STRING, .len = SCOPE_PROBE_SYMBOL_BYTES - 1 },
	[SCOPE_ATTR_PROBE_PATH] = { .type = NLA_NUL_STRING, .len = SCOPE_PROBE_NAME_BYTES - 1 },
	[SCOPE_ATTR_PROBE_OFFSET] = { .type = NLA_U64 },
	[SCOPE_ATTR_PROBE_ARGS] = { .type = NLA_U8 },
	[SCOPE_ATTR_PROBE_FLAGS] = { .type = NLA_U32 },
};

const struct nla_policy scope_netlink_probe_id_policy[SCOPE_ATTR_PROBE_ID + 1] = {
	[SCOPE_ATTR_SESSION] = { .type = NLA_U32 },
	[SCOPE_ATTR_PROBE_ID] = { .type = NLA_U32 },
};

static bool is_user(u8 kind)
{
	return kind == SCOPE_PROBE_UPROBE || kind == SCOPE_PROBE_URETPROBE;
}

static bool is_return(u8 kind)
{
	return kind == SCOPE_PROBE_KRETPROBE || kind == SCOPE_PROBE_URETPROBE;
}

static int parse_id(struct genl_info *info, u16 *ret_id)
{
	struct nlattr *id = info->attrs[SCOPE_ATTR_PROBE_ID];

	if (!id) {
		NL_SET_ERR_MSG(info->extack, "PROBE_ID is missing");
		return -EINVAL;
	}
	if (nla_get_u32(id) > U16_MAX)
		return REFUSE(info, id, -EINVAL, "PROBE_ID is at most 65535");
	*ret_id = nla_get_u32(id);
	return 0;
}

static int parse_words(struct genl_info *info, struct scope_dynamic_request *request)
{
	struct nlattr *args = info->attrs[SCOPE_ATTR_PROBE_ARGS];
	struct nlattr *flags = info->attrs[SCOPE_ATTR_PROBE_FLAGS];

	if (args)
		request->args = nla_get_u8(args);
	if (request->args > (is_return(request->kind) ? 1 : SCOPE_ARG_MAX))
		return REFUSE(info, args, -EINVAL, "PROBE_ARGS is at most 6, of a return at most 1");
	if (flags)
		request->flags = nla_get_u32(flags);
	if (request->flags & ~SCOPE_PROBE_WITH_ALL)
		return REFUSE(info, flags, -EINVAL, "PROBE_FLAGS has a bit this module does not know");
	return 0;
}

static int parse_place(struct genl_info *info, struct scope_dynamic_request *request)
{
	struct nlattr *symbol = info->attrs[SCOPE_ATTR_PROBE_SYMBOL];
	struct nlattr *path = info->attrs[SCOPE_ATTR_PROBE_PATH];
	struct nlattr *offset = info->attrs[SCOPE_ATTR_PROBE_OFFSET];
	struct nlattr *name = is_user(request->kind) ? path : symbol;

	if (!name || (symbol && path)) {
		NL_SET_ERR_MSG(info->extack, "a kernel probe wants PROBE_SYMBOL, a user probe "
					     "PROBE_PATH, and not the other");
		return -EINVAL;
	}
	request->name = nla_data(name);
	if (!*request->name)
		return REFUSE(info, name, -EINVAL, "the name is empty");
	if (offset)
		request->offset = nla_get_u64(offset);
	if (is_user(request->kind))
		return 0;
	if (request->offset && (is_return(request->kind) || request->offset > SCOPE_PROBE_SYMBOL_OFFSET_MAX))
		return REFUSE(info, offset, -EINVAL, "PROBE_OFFSET is at most 65536 from a symbol, and 0 for a return");
	return 0;
}

static int parse_request(struct sk_buff *skb, struct genl_info *info, struct scope_dynamic_request *request)
{
	struct nlattr *kind = info->attrs[SCOPE_ATTR_PROBE_KIND];
	int err = parse_id(info, &request->id);

	if (err)
		return err;
	if (!kind) {
		NL_SET_ERR_MSG(info->extack, "PROBE_KIND is missing");
		return -EINVAL;
	}
	request->kind = nla_get_u8(kind);
	if (request->kind > SCOPE_PROBE_URETPROBE)
		return REFUSE(info, kind, -EINVAL,
			      "PROBE_KIND is 0 (kprobe), 1 (kretprobe), 2 (uprobe) "
			      "or 3 (uretprobe)");
	err = parse_place(info, request);
	if (!err)
		err = parse_words(info, request);
	/* They usually are addresses, or show some. */
	if (!err && request->args && !is_user(request->kind) && !netlink_capable(skb, CAP_SYSLOG))
		err = REFUSE(info, info->attrs[SCOPE_ATTR_PROBE_ARGS], -EPERM,
			     "PROBE_ARGS: words of the kernel need CAP_SYSLOG");
	return err;
}

/* The meaning of the kernel's errors, for a place in the kernel and for one in a program. */
static int explain(struct genl_info *info, u8 kind, int err)
{
	static const struct scope_netlink_reason reasons[] = {
		{ -ENODATA, "the session is not configured yet", NULL },
		{ -EPROTO, "PROBE_ADD needs a session of PROTOCOL 2", NULL },
		{ -ESHUTDOWN, "the session was stopped: open a new one", NULL },
		{ -EEXIST, "PROBE_ID is that of another probe of this session", NULL },
		{ -ENOSPC, "the session has 256 probes: remove some", NULL },
		{ -ENOENT, "the kernel has no such function, or its module is not loaded", "there is no such file" },
		{ -EILSEQ, "no instruction begins there", NULL },
		{ -EINVAL, "the kernel allows no probe there", NULL },
		{ -ERANGE, NULL, "PROBE_OFFSET lies outside the file" },
		{ -EISDIR, NULL, "that is no regular file" },
		{ -EIO, NULL,
		  "files of this kind cannot be probed: processes do not map them, or "
		  "the kernel is one of 3.10 and they are on a tmpfs" },
		{ -EOPNOTSUPP, "this kernel has no kprobes, or cannot probe this instruction",
		  "this kernel has no uprobes, or cannot probe this instruction" },
	};

	return scope_netlink_explain(info, reasons, ARRAY_SIZE(reasons), is_user(kind), err);
}

int scope_netlink_probe_add(struct sk_buff *skb, struct genl_info *info)
{
	struct scope_dynamic_request request = { 0 };
	int err = parse_request(skb, info, &request);

	if (err)
		return err;
	return explain(info, request.kind, scope_dynamic_add(scope_netlink_session(info), &request));
}

int scope_netlink_probe_remove(struct sk_buff *skb, struct genl_info *info)
{
	u16 id;
	int err = parse_id(info, &id);

	if (err)
		return err;
	err = scope_dynamic_remove(scope_netlink_session(info), id);
	if (err)
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[SCOPE_ATTR_PROBE_ID],
				    "PROBE_ID: the session has no such probe");
	return err;
}

static int put_probe(struct sk_buff *reply, const void *data)
{
	const struct scope_dynamic_info *probe = data;

	if (nla_put_u32(reply, SCOPE_ATTR_PROBE_ID, probe->id) ||
	    nla_put_u8(reply, SCOPE_ATTR_PROBE_KIND, probe->kind) ||
	    nla_put_string(reply, is_user(probe->kind) ? SCOPE_ATTR_PROBE_PATH : SCOPE_ATTR_PROBE_SYMBOL,
			   probe->name) ||
	    nla_put_u64_64bit(reply, SCOPE_ATTR_PROBE_OFFSET, probe->offset, SCOPE_ATTR_PAD) ||
	    nla_put_u8(reply, SCOPE_ATTR_PROBE_ARGS, probe->args) ||
	    nla_put_u32(reply, SCOPE_ATTR_PROBE_FLAGS, probe->flags) ||
	    nla_put_u64_64bit(reply, SCOPE_ATTR_PROBE_HITS, probe->hits, SCOPE_ATTR_PAD) ||
	    nla_put_u64_64bit(reply, SCOPE_ATTR_PROBE_MISSED, probe->missed, SCOPE_ATTR_PAD))
		return -EMSGSIZE;
	return 0;
}

int scope_netlink_probe_next(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *id = info->attrs[SCOPE_ATTR_PROBE_ID];
	struct scope_dynamic_info *probe = kmalloc(sizeof(*probe), GFP_KERNEL);
	int err;

	if (!probe)
		return -ENOMEM;
	err = scope_dynamic_next(scope_netlink_session(info), id ? nla_get_u32(id) : 0, probe);
	if (err)
		NL_SET_ERR_MSG(info->extack, "the session has no more probes");
	else
		err = scope_netlink_reply(info, SCOPE_CMD_PROBE_NEXT, sizeof(*probe) + 128, put_probe, probe);
	kfree(probe);
	return err;
}
