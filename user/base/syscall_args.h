/* SPDX-License-Identifier: GPL-2.0-only */
/* Which arguments of system calls are sizes, offsets and flags. */
#ifndef SCOPE_BASE_SYSCALL_ARGS_H
#define SCOPE_BASE_SYSCALL_ARGS_H

#include <stdint.h>

#include <scope/abi.h>

/* The arguments of one call. Places count from 1; 0: there is no such argument. */
struct scope_syscall_args {
	uint16_t nr;
	uint8_t size, offset, flags;
	const char *unit;  /* of the size: "bytes", "pieces" (of memory, of readv), "events" */
	const char *names; /* names of the arguments, in order: "fd,buf,count" */
};

/* NULL: nothing is known of its arguments. Static. */
const struct scope_syscall_args *scope_syscall_args_of(uint16_t nr);

/* How many leading arguments have the size, the offset and the flags. */
uint8_t scope_syscall_args_count(const struct scope_syscall_args *args);

/* The place of the argument with that name (length letters, no zero byte needed), from 1; 0: there is none. */
uint8_t scope_syscall_args_place(const struct scope_syscall_args *args, const char *name, unsigned length);

#endif
