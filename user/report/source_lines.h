/* SPDX-License-Identifier: GPL-2.0-only */
/* The lines of source of a finding: their share of its stacks, their text, and what to look at there. */
#ifndef SCOPE_REPORT_SOURCE_LINES_H
#define SCOPE_REPORT_SOURCE_LINES_H

#include "report/model.h"

/* From the places of a finding. Fills one->line, lines, lines_why. 0 or -ENOMEM. */
int scope_report_source_lines_make(const struct scope_analysis *analysis, struct scope_model_finding *one);
void scope_report_source_lines_free(struct scope_model_finding *one);

/* The rules of thumb that apply to it (rank/hint.h), with its line. Fills one->hint, hints. */
void scope_report_hints_make(struct scope_model_finding *one);

#endif
