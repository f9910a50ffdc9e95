/* SPDX-License-Identifier: GPL-2.0-only */
/* What made a flight recorder write the trace: a trigger, and the unit of work that it saw. */
#ifndef SCOPE_REPORT_TRIGGERED_H
#define SCOPE_REPORT_TRIGGERED_H

#include "report/section.h"

/* The trigger and what it saw, as the recorder wrote it down; NULL: no trigger wrote this trace. */
const char *scope_report_triggered(const struct scope_trace *trace);

/*
 * The calls of the longest unit of the thread that the trigger names, where nothing is found: it may be the only slow
 * one. Nothing for other traces. 0 or -errno.
 */
int scope_report_section_triggered(const struct report *report);

#endif
