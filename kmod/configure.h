/* SPDX-License-Identifier: GPL-2.0-only */
/* From the attributes of a control message to a session's configuration. */
#ifndef SCOPE_KMOD_CONFIGURE_H
#define SCOPE_KMOD_CONFIGURE_H

#include <net/genetlink.h>
#include "session.h"

/* What is wrong with an attribute, for the extended acknowledgement; its value is code. */
#define REFUSE(info, attribute, code, text)                                                        \
	({                                                                                         \
		NL_SET_ERR_MSG_ATTR((info)->extack, attribute, text);                              \
		code;                                                                              \
	})

int scope_configure(struct scope_session *session, struct genl_info *info);

#endif
