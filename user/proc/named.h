/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the process that the user named. */
#ifndef SCOPE_PROC_NAMED_H
#define SCOPE_PROC_NAMED_H

#include <stdint.h>

#include "base/error.h"

/*
 * The process of that name, by /proc/PID/comm. If all processes of that name are one process and
 * its descendants, that process, because its descendants are traced with it. 0; -ESRCH: there is
 * none; -ENOTUNIQ: there are several, which error lists.
 */
int scope_proc_target_named(const char *name, struct scope_error *error, uint32_t *ret_tgid);

#endif
