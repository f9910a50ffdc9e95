/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Describes the commands of a generic netlink family, and reports why a command was refused.
 *
 * Only files that use netlink include it, after the kernel's headers.
 */
#ifndef SCOPE_COMPAT_GENETLINK_H
#define SCOPE_COMPAT_GENETLINK_H

#include <linux/kernel.h>
#include <linux/capability.h>
#include <linux/printk.h>
#include <net/genetlink.h>
#include <net/netlink.h>

/* One command. If the kernel cannot check its attributes, scope_parse_check() does. */
struct scope_op {
	u8 cmd;
	int (*doit)(struct sk_buff *skb, struct genl_info *info);
	const struct nla_policy *policy;
	u32 maxattr;
};

/*
 * 5.10: each command has a policy and its length. 5.2 to 5.9 had one policy for the family. Before, all commands had
 * one array length; there the family has to accept every attribute, and checks none.
 */
static inline struct genl_ops scope_compat_genl_op(const struct scope_op *op)
{
	struct genl_ops result = { .cmd = op->cmd, .doit = op->doit };

#ifdef SCOPE_HAVE_GENL_OP_MAXATTR
	result.policy = op->policy;
	result.maxattr = op->maxattr;
#endif
	return result;
}

#ifdef SCOPE_HAVE_GENL_OP_MAXATTR
#define SCOPE_GENL_FAMILY_MAXATTR(max) 0
#else
#define SCOPE_GENL_FAMILY_MAXATTR(max) (max)
#endif

/*
 * The type of the command that pre_doit and post_doit get. 6.2 has a row for each use of a command, 3.13 made the row
 * constant.
 */
#if defined(SCOPE_HAVE_GENL_SPLIT_OPS)
typedef const struct genl_split_ops scope_compat_genl_row;
#elif defined(SCOPE_HAVE_GENL_CONST_OPS)
typedef const struct genl_ops scope_compat_genl_row;
#else
typedef struct genl_ops scope_compat_genl_row;
#endif

/* 3.13: the family names its commands; before, they are registered with it */
static inline int scope_compat_genl_register(struct genl_family *family, struct genl_ops *list, size_t count)
{
#ifdef SCOPE_HAVE_GENL_FAMILY_OPS
	family->ops = list;
	family->n_ops = count;
	return genl_register_family(family);
#else
	return genl_register_family_with_ops(family, list, count);
#endif
}

/* 3.15 with later corrections; before, the sender's rights count, even if another process opened the socket */
#ifndef SCOPE_HAVE_NETLINK_CAPABLE
#define netlink_capable(skb, capability) capable(capability)
#endif

/* 5.1. No kernel has this type. These kernels do not read the policy. */
#ifndef NLA_POLICY_EXACT_LEN
#define SCOPE_COMPAT_NLA_EXACT 200
#define NLA_POLICY_EXACT_LEN(length)                                                                                   \
	{                                                                                                              \
		.type = SCOPE_COMPAT_NLA_EXACT, .len = length                                                          \
	}
#endif

/* Bytes that the attribute has to have, or -1 if they may vary or the kernel has checked them. */
static inline int scope_compat_exact_bytes(const struct nla_policy *policy)
{
#if defined(SCOPE_COMPAT_NLA_EXACT)
	if (policy->type == SCOPE_COMPAT_NLA_EXACT)
		return policy->len;
#elif defined(SCOPE_HAVE_NLA_EXACT_LEN) /* 5.1 to 5.8 had a type for it */
	if (policy->type == NLA_EXACT_LEN)
		return policy->len;
#endif
	return -1;
}

/* 4.12: before, an answer cannot contain a text. The text goes to the log, because only root can cause it. */
#ifndef SCOPE_HAVE_EXTACK
#undef NL_SET_ERR_MSG
#undef NL_SET_ERR_MSG_ATTR
#define NL_SET_ERR_MSG(extack, text) pr_notice_ratelimited("scope: refused: %s\n", text)
#define NL_SET_ERR_MSG_ATTR(extack, attribute, text)                                                                   \
	do {                                                                                                           \
		(void)(attribute);                                                                                     \
		NL_SET_ERR_MSG(extack, text);                                                                          \
	} while (0)
#define NL_SET_BAD_ATTR(extack, attribute)                                                                             \
	do {                                                                                                           \
	} while (0)
#endif

/* Like NL_SET_ERR_MSG(), for a text that is not a constant but stays valid forever. */
static inline void scope_compat_genl_say(struct genl_info *info, const char *text)
{
#ifdef SCOPE_HAVE_EXTACK
	if (info->extack)
		info->extack->_msg = text;
#else
	NL_SET_ERR_MSG(NULL, text);
#endif
}

/* 4.7: the attribute that is used as padding, on machines that need aligned 64-bit values. */
#ifndef SCOPE_HAVE_NLA_PUT_U64_64BIT
static inline int nla_put_u64_64bit(struct sk_buff *skb, int type, u64 value, int pad)
{
	return nla_put(skb, type, sizeof(value), &value);
}
#endif

#endif
