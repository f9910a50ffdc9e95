/* SPDX-License-Identifier: GPL-2.0-only */
/* Cuts units once more, by the roles of threads, if stacks show other roles than their names. */
#ifndef SCOPE_ANALYSIS_REGROUP_H
#define SCOPE_ANALYSIS_REGROUP_H

#include "analysis/single_pass.h"
#include "symbol/symbol.h"

/*
 * found is of that trace. listeners: NULL, or those of the pass, which begin again if there is another one. 0 or -errno; then found
 * is empty, or as it was.
 */
int scope_analysis_regroup(struct scope_trace *trace, struct scope_symbols *symbols,
			   const struct scope_listeners *listeners, struct scope_found_units *found);

#endif
