/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of system calls, as in the headers that Scope was built with. */
#ifndef SCOPE_BASE_SYSCALL_NAME_H
#define SCOPE_BASE_SYSCALL_NAME_H

#include <stdint.h>

#include <scope/abi.h>

/* "epoll_wait": the call with that number in the native ABI of the machine Scope was built for. NULL: not known. Static. */
const char *scope_syscall_name(uint32_t nr);

#define SCOPE_SYSCALL_FOREIGN (SCOPE_SYSCALL_MAX - 1) /* a number that is no system call's */

/* See scope_syscall_native(). */
uint16_t scope_syscall_of_32bit(uint16_t nr);

/*
 * Returns the native number of the call that has number nr in that ABI (enum scope_abi), if the
 * native call does the same with the same first arguments; else SCOPE_SYSCALL_FOREIGN.
 * SCOPE_NR_NONE stays SCOPE_NR_NONE.
 */
static inline uint16_t scope_syscall_native(uint8_t abi, uint16_t nr)
{
	return abi == SCOPE_ABI_32 ? scope_syscall_of_32bit(nr) : nr;
}

/* 0, or -ENOENT. */
int scope_syscall_number(const char *name, uint16_t *ret_nr);

#endif
