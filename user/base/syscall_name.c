// SPDX-License-Identifier: GPL-2.0-only
/* Names of system calls, from a table that the build makes of the compiler's headers. */
#include "base/syscall_name.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

static const char *const names[] = {
#include "syscall_table.h"
};

#define NAMES (sizeof(names) / sizeof(names[0]))

const char *scope_syscall_name(uint32_t nr)
{
	return nr < NAMES ? names[nr] : NULL;
}

int scope_syscall_number(const char *name, uint16_t *ret_nr)
{
	for (size_t i = 0; i < NAMES; i++)
		if (names[i] && !strcmp(names[i], name)) {
			*ret_nr = i;
			return 0;
		}
	return -ENOENT;
}
