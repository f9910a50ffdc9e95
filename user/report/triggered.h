/* SPDX-License-Identifier: GPL-2.0-only */
/* The trigger that made a flight recorder write the trace, and the unit of work that it saw. */
#ifndef SCOPE_REPORT_TRIGGERED_H
#define SCOPE_REPORT_TRIGGERED_H

#include "report/section.h"

/* For the model; leaves it unchanged if no trigger wrote the trace. 0 or -errno; free path.call in both cases. */
int scope_report_triggered_find(const struct scope_analysis *analysis, struct scope_model_triggered *ret_triggered);

/* Prints the calls of its unit, if it has one. 0 or -errno. */
int scope_report_section_triggered(const struct report *report);

#endif
