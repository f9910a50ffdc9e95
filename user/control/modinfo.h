/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the information that a kernel module's file has about itself. */
#ifndef SCOPE_CONTROL_MODINFO_H
#define SCOPE_CONTROL_MODINFO_H

#include <stddef.h>

#include "base/error.h"

/*
 * Copies the value of a key of the section .modinfo ("vermagic", "version"), at most size bytes
 * with the final zero. 0; -errno (the file cannot be read), -ENOEXEC (no kernel module), -ENODATA
 * (no such key), error filled.
 */
int scope_control_modinfo_read(const char *path, const char *key, struct scope_error *error, char *ret_value,
			       size_t size);

#endif
