/* SPDX-License-Identifier: GPL-2.0-only */
/* The option --args of scope record: which arguments of system calls a trace has. */
#ifndef SCOPE_CMD_ARGS_OPTION_H
#define SCOPE_CMD_ARGS_OPTION_H

#include "base/error.h"
#include "source/request.h"

/*
 * value: "all", "CALL=NAME,NAME…" with the names of its arguments, or "CALL=N" for the first N. Raises counts, never lowers
 * them. 0, or -EINVAL with error filled, which says what the call has.
 */
int scope_cmd_args_parse(const char *value, uint8_t counts[SCOPE_SYSCALL_MAX], struct scope_error *error);

#endif
