/* SPDX-License-Identifier: GPL-2.0-only */
/* Which threads and calls to trace: converts words of the command line to what the module takes. */
#ifndef SCOPE_SOURCE_SELECTION_H
#define SCOPE_SOURCE_SELECTION_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "control/control.h"
#include "proc/target.h"

/* A zeroed struct: no target named yet, all calls. */
struct scope_selection {
	struct scope_control_target target[SCOPE_TARGET_MAX];
	uint32_t count;
	uint32_t pid; /* the process that the user named first, or the first one that is selected now; 0: none */
	struct scope_target process; /* the state of that process when a name or group selected it (it may end later) */
	bool plain;		     /* only that one process is selected: any source can trace it */
	bool lasting; /* a name or a group is selected: new threads may begin after all present ones have ended */
	bool some_calls;
	uint8_t calls[SCOPE_SYSCALL_MAX / 8];  /* if some_calls: the calls whose bit is set */
	const char *group[SCOPE_CGROUP_RULES]; /* control groups, as strings that belong to the caller */
	uint32_t groups;
};

/*
 * Each function adds what one option names. 0; -EINVAL with error filled if the words are not valid; or another -errno
 * with error filled, which says what does not exist and what to do.
 *
 * process, thread: a number. comm: a name, or with `*` at its end the beginning of names. cgroup: the
 * directory of a group, or its path below /sys/fs/cgroup. syscalls: names and numbers with commas.
 */
int scope_source_selection_process(struct scope_selection *selection, const char *text, struct scope_error *error);
int scope_source_selection_thread(struct scope_selection *selection, const char *text, struct scope_error *error);
int scope_source_selection_comm(struct scope_selection *selection, const char *text, struct scope_error *error);
int scope_source_selection_cgroup(struct scope_selection *selection, const char *text, struct scope_error *error);
int scope_source_selection_syscalls(struct scope_selection *selection, const char *text, struct scope_error *error);

/* The directory of a control group that the user named. */
void scope_source_selection_group_path(const char *text, char path[PATH_MAX]);

/* True if the call with this number is recorded. */
static inline bool scope_source_selection_has_call(const struct scope_selection *selection, uint16_t nr)
{
	return !selection || !selection->some_calls ||
	       (nr < SCOPE_SYSCALL_MAX && selection->calls[nr / 8] >> nr % 8 & 1);
}

#endif
