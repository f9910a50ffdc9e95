/* SPDX-License-Identifier: GPL-2.0-only */
/* An unnamed file for what is needed as long as the program runs. */
#ifndef SCOPE_BASE_TEMPORARY_H
#define SCOPE_BASE_TEMPORARY_H

#include "base/error.h"

/*
 * In TMPDIR; where that is not set in /var/tmp, or in /tmp where there is no such folder. Nothing is left behind however the program ends.
 * 0 with *ret_fd, which the caller closes; -errno with error filled (NULL is fine).
 */
int scope_temporary_open(struct scope_error *error, int *ret_fd);

#endif
