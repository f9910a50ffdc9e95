/* SPDX-License-Identifier: GPL-2.0-only */
/* Judges a unit of a replay by what is usual in the analysis. */
#ifndef SCOPE_ANALYSIS_UNIT_MARK_H
#define SCOPE_ANALYSIS_UNIT_MARK_H

#include "analysis/analysis.h"

/*
 * enum scope_unit_mark bits of a unit as scope_unit_distributions_replay() gives it with its calls, by the rule for
 * kept units (evidence/keep.c). SCOPE_UNIT_USUAL for units that are not reported.
 */
uint8_t scope_analysis_unit_mark(const struct scope_analysis *analysis, const struct scope_unit *unit,
				 const struct scope_unit_call *call);

#endif
