/* SPDX-License-Identifier: GPL-2.0-only */
/* The process that a name from the user means. */
#ifndef SCOPE_PROC_NAMED_H
#define SCOPE_PROC_NAMED_H

#include <stdint.h>

#include "base/error.h"

/*
 * The process of that name, as /proc/PID/comm has it. Of processes that descend from one of them that one, because its
 * descendants are traced with it. 0; -ESRCH: there is none; -ENOTUNIQ: there are several, which error lists.
 */
int scope_proc_target_named(const char *name, struct scope_error *error, uint32_t *ret_tgid);

#endif
