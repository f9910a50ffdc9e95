// SPDX-License-Identifier: GPL-2.0-only
/* Names of system calls, from a table that the build generates from the compiler's headers. */
#include "base/syscall_name.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include <scope/event.h>

static const char *const names[] = {
#include "syscall_table.h"
};

/* Native numbers + 1, indexed by the number in 32-bit programs; 0: there is no native call. */
static const uint16_t natives[] = {
#include "syscall_compat.h"
};

#define NATIVES (sizeof(natives) / sizeof(natives[0]))
#define NAMES (sizeof(names) / sizeof(names[0]))

const char *scope_syscall_name(uint32_t nr)
{
	return nr < NAMES ? names[nr] : NULL;
}

uint16_t scope_syscall_of_32bit(uint16_t nr)
{
	if (nr == SCOPE_NR_NONE)
		return nr;
	return nr < NATIVES && natives[nr] ? natives[nr] - 1 : SCOPE_SYSCALL_FOREIGN;
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
