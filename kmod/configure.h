/* SPDX-License-Identifier: GPL-2.0-only */
/* From the attributes of a control message to a session's configuration. */
#ifndef SCOPE_KMOD_CONFIGURE_H
#define SCOPE_KMOD_CONFIGURE_H

#include "genetlink.h"
#include "session.h"

int scope_configure(struct scope_session *session, struct genl_info *info);
int scope_configure_change(struct scope_session *session, struct genl_info *info);
int scope_configure_stacks(struct scope_session *session, struct genl_info *info);
int scope_configure_threads(struct genl_info *info, struct nlattr *attribute, struct scope_threads **ret_threads);

#endif
