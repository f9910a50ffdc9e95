/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the places at which calls of a function begin and end.
 *
 * A call begins at the function's first instruction, and ends at a return address, which is known from stacks. A return
 * address is used only if a call instruction ends just before it, so that no probe is set into the middle of an
 * instruction. Both places are in the file that the process has mapped, which is checked by its build-id.
 */
#ifndef SCOPE_EXPLORE_PROBE_PLACE_H
#define SCOPE_EXPLORE_PROBE_PLACE_H

#include "base/error.h"
#include "control/probe.h"
#include "explore/call_paths.h"

#define SCOPE_PLACES_MAX (1 + SCOPE_CALL_PATH_SITES)

struct scope_proc_reader;

/*
 * Fills in the probes of a function, without their ids: the first one at the begin of calls, the others at their ends.
 * 0; or -errno with the reason in why: the process has ended, its file was replaced, or no return address is known.
 */
int scope_explore_places(const struct scope_call_function *function, struct scope_proc_reader *reader,
			 struct scope_error *why, struct scope_probe ret_probe[SCOPE_PLACES_MAX], unsigned *ret_count);

#endif
