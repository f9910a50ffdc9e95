/* SPDX-License-Identifier: GPL-2.0-only */
/* The trigger that made a flight recorder write the trace, and the unit of work that it saw. */
#ifndef SCOPE_REPORT_TRIGGERED_H
#define SCOPE_REPORT_TRIGGERED_H

#include "report/section.h"

/* The trigger and what it saw, in the recorder's words; NULL: no trigger wrote this trace. */
const char *scope_report_triggered(const struct scope_trace *trace);

/*
 * If nothing is found, prints the calls of the longest unit of the thread that the trigger names: it may be the only
 * slow unit. Prints nothing for other traces. 0 or -errno.
 */
int scope_report_section_triggered(const struct report *report);

#endif
