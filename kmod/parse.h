/* SPDX-License-Identifier: GPL-2.0-only */
/* The form of control messages, the targets in them, and how they are refused. */
#ifndef SCOPE_KMOD_PARSE_H
#define SCOPE_KMOD_PARSE_H

#include "genetlink.h"
#include "target.h"

/* What is wrong with an attribute, for the extended acknowledgement; its value is code. */
#define REFUSE(info, attribute, code, text)                                                                            \
	({                                                                                                             \
		NL_SET_ERR_MSG_ATTR((info)->extack, attribute, text);                                                  \
		code;                                                                                                  \
	})

/* What is wrong with the message as a whole. */
#define REFUSE_ALL(info, code, text)                                                                                   \
	({                                                                                                             \
		NL_SET_ERR_MSG((info)->extack, text);                                                                  \
		code;                                                                                                  \
	})

#define SCOPE_NO_ROOM                                                                                                  \
	"this is one too many: 65536 processes and threads, 8 command names and 8 control groups "                     \
	"can be selected at once"

/* The attribute of target number index, those of REMOVE before those of TARGETS. */
#define scope_parse_refuse_nth(info, index, text)                                                                      \
	NL_SET_ERR_MSG_ATTR((info)->extack, scope_parse_nth(info, index), text)

int scope_parse_check(struct genl_info *info, const struct nla_policy *policy, int max);
int scope_parse_targets(struct genl_info *info, enum scope_attr name, struct scope_target **ret_targets,
			u32 *ret_count);
struct nlattr *scope_parse_nth(struct genl_info *info, u32 index);

#endif
