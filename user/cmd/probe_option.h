/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses --probe. */
#ifndef SCOPE_CMD_PROBE_OPTION_H
#define SCOPE_CMD_PROBE_OPTION_H

#include "base/error.h"
#include "control/probe.h"

/*
 * KIND:PLACE[,args=N][,stack], where KIND:PLACE is k:SYMBOL[+OFFSET], kr:SYMBOL, u:PATH:FUNCTION or ur:PATH:FUNCTION;
 * FUNCTION may be an offset in the file, 0x and hexadecimal digits. A name is looked up in the file and in its debug
 * file. 0; or with error filled -EINVAL: another form; -ENOENT, -ENOEXEC: no such function or file.
 */
int scope_cmd_probe_parse(const char *text, struct scope_error *error, struct scope_probe *ret_probe);

#endif
