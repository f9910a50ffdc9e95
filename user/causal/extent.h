/* SPDX-License-Identifier: GPL-2.0-only */
/* The addresses of a function in the processes that run it. */
#ifndef SCOPE_CAUSAL_EXTENT_H
#define SCOPE_CAUSAL_EXTENT_H

#include <stddef.h>
#include <stdint.h>

#include <scope/control.h>

#include "base/error.h"

/*
 * text: see causal/locate.h, without offsets. Finds the ranges in all processes, of tgid and its descendants, in which
 * the function is mapped, including parts that the compiler split off (f.cold). The caller frees *ret_range. 0;
 * -ENOENT, -ESRCH, -E2BIG (more than SCOPE_DELAY_RANGES_MAX), -ENOMEM with error filled.
 */
int scope_causal_extents_find(uint32_t tgid, const char *text, struct scope_error *error,
			      struct scope_delay_range **ret_range, uint32_t *ret_count);

#endif
