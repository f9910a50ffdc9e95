// SPDX-License-Identifier: GPL-2.0-only
/* Tasks that move to another control group: the filter may have to change. */
#include "cgroup_moves.h"
#include "probe_cgroup.h"
#include "select.h"

/* It is called with locks held and interrupts off, so the new members are found later. */
static void probe_move(SCOPE_COMPAT_CGROUP_MOVE_PROTO(data))
{
	scope_select_settle_soon(data);
}

void *const scope_cgroup_move_probe = SCOPE_CGROUP_MOVES_KNOWN ? probe_move : NULL;

static void __maybe_unused check_types(void)
{
	check_trace_callback_type_cgroup_attach_task(probe_move);
}
