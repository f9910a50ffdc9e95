/* SPDX-License-Identifier: GPL-2.0-only */
/* What would give names to functions of a trace that have none, where debug symbols would not. */
#ifndef SCOPE_ANALYSIS_NAMES_NEED_H
#define SCOPE_ANALYSIS_NAMES_NEED_H

#include <stddef.h>

#include "trace/trace.h"

/*
 * "it runs Node: start it with ...", into text; NULL: debug symbols, as far as is known. compiles (NULL: not wanted):
 * its runtime compiles functions while it runs, and can name them.
 */
const char *scope_analysis_names_need(const struct scope_trace *trace, char *text, size_t size, bool *compiles);

#endif
