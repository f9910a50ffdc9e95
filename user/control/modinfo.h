/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the information about a kernel module from its file. */
#ifndef SCOPE_CONTROL_MODINFO_H
#define SCOPE_CONTROL_MODINFO_H

#include <stddef.h>

#include "base/error.h"

/*
 * Copies the value of a key of the section .modinfo ("vermagic", "version"), at most size bytes with the final zero. 0;
 * or with error filled -errno (the file cannot be read), -ENOEXEC (no kernel module) or -ENODATA (no such key).
 */
int scope_control_modinfo_read(const char *path, const char *key, struct scope_error *error, char *ret_value,
			       size_t size);

#endif
