// SPDX-License-Identifier: GPL-2.0-only
/* Tasks that go to another control group: the filter may care. */
#include <linux/cgroup.h>
#include <linux/sched.h>
#include "probe_cgroup.h"
#include "select.h"

#ifdef SCOPE_HAVE_CGROUP_ATTACH /* 4.13 */

#include <trace/events/cgroup.h>

/* With locks held and interrupts off: who is where now is found out later. */
#ifdef SCOPE_HAVE_CGROUP_ATTACH_PATH /* 4.19 */
static void probe_move(void *data, struct cgroup *to, const char *path, struct task_struct *task,
		       bool all_threads)
#else
static void probe_move(void *data, struct cgroup *to, struct task_struct *task, bool all_threads)
#endif
{
	scope_select_settle_soon(data);
}

void *const scope_cgroup_move_probe = probe_move;

static void __maybe_unused check_types(void)
{
	check_trace_callback_type_cgroup_attach_task(probe_move);
}

#else

void *const scope_cgroup_move_probe;

#endif
