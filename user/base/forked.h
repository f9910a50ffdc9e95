/* SPDX-License-Identifier: GPL-2.0-only */
/* A child process that works on a copy of this one's memory, beside it and after its own work. */
#ifndef SCOPE_BASE_FORKED_H
#define SCOPE_BASE_FORKED_H

#include <sys/types.h>

/*
 * As fork(). The child is killed when this process ends, and has a lower priority. It must end with _exit().
 */
pid_t scope_forked(void);

#endif
