/* SPDX-License-Identifier: GPL-2.0-only */
/* An unnamed file for data that is needed only while the program runs. */
#ifndef SCOPE_BASE_TEMPORARY_H
#define SCOPE_BASE_TEMPORARY_H

#include "base/error.h"

/*
 * Creates the file in TMPDIR; if that is not set in /var/tmp, or in /tmp if there is no /var/tmp.
 * The file disappears however the program ends. 0 with *ret_fd, which the caller closes; -errno
 * with error filled (NULL is fine).
 */
int scope_temporary_open(struct scope_error *error, int *ret_fd);

#endif
