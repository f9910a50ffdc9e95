/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs the steps of one analysis, from units to a ranking. */
#ifndef SCOPE_ANALYSIS_STEPS_H
#define SCOPE_ANALYSIS_STEPS_H

#include "analysis/analysis.h"

/*
 * analysis is zeroed, but for its trace, and for its units and their baseline if an earlier analysis of the trace has made them.
 * Fills in the rest. 0 or -errno; the caller destroys it in any case.
 */
int scope_analysis_steps_run(struct scope_analysis *analysis, const struct scope_analysis_options *options);

#endif
