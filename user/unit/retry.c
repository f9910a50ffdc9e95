// SPDX-License-Identifier: GPL-2.0-only
/* Which calls end a wait that is made of sleeps. */
#include "unit/retry.h"

#include <errno.h>

void scope_unit_retry_close(struct scope_retry *retry, enum scope_timeline_call_role role, int64_t ret)
{
	if ((role == SCOPE_CALL_POLL && !ret) || (role == SCOPE_CALL_FUTEX && ret == -ETIMEDOUT)) {
		scope_unit_retry_count(retry, retry->open_ns);
		retry->object = retry->open_object;
	} else {
		retry->sleeps = 0;
	}
	retry->open_ns = 0;
}

bool scope_unit_retry_ends(struct scope_fds *fds, uint32_t tgid, enum scope_timeline_call_role role, bool args,
			   uint64_t fd, int64_t ret)
{
	const enum scope_fd_kind kind = args ? scope_timeline_fds_kind(fds, tgid, (int32_t)fd) : SCOPE_FD_UNKNOWN;

	switch (role) {
	case SCOPE_CALL_POLL:
		return !args || fd; /* without descriptors it is a sleep */
	case SCOPE_CALL_ACCEPT:
	case SCOPE_CALL_CHILD:
		return true;
	case SCOPE_CALL_READ:
		return kind != SCOPE_FD_FILE;
	case SCOPE_CALL_WRITE:
		return ret > 0 && kind != SCOPE_FD_FILE && kind != SCOPE_FD_TTY;
	case SCOPE_CALL_CONNECT:
		return ret >= 0;
	default:
		return false;
	}
}
