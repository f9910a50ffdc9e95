/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by pictures: text, and the places of ticks on an axis. */
#ifndef SCOPE_REPORT_SVG_H
#define SCOPE_REPORT_SVG_H

#include <stdio.h>

/* Text between tags, or in an attribute in double quotes; control characters are blanks. */
void scope_report_svg_text(const char *text, FILE *out);

/* The least of 1, 2, 2.5 and 5 times a power of ten that splits a range, above 0, into no more than that many ticks. */
double scope_report_svg_tick(double range, unsigned ticks);

#endif
