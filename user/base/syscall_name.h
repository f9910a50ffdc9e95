/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of system calls, as the headers that Scope was built with know them. */
#ifndef SCOPE_BASE_SYSCALL_NAME_H
#define SCOPE_BASE_SYSCALL_NAME_H

#include <stdint.h>

/* Of the machine Scope was built for, native ABI: "epoll_wait". NULL: not known. Static. */
const char *scope_syscall_name(uint32_t nr);

/* 0, or -ENOENT. */
int scope_syscall_number(const char *name, uint16_t *ret_nr);

#endif
