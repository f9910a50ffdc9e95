/* SPDX-License-Identifier: GPL-2.0-only */
/* The report as one page of HTML: no other file, no network, and its text without JavaScript. */
#ifndef SCOPE_REPORT_PAGE_H
#define SCOPE_REPORT_PAGE_H

#include <stdio.h>

#include "analysis/analysis.h"
#include "report/text.h"

/*
 * The page has the report as JSON in it (report/json.h), and its scripts take every figure from
 * there. Text from the target is escaped, and the page's policy allows only its own script. style:
 * of the text. 0, -ENOMEM, or -EIO: writing to out failed.
 */
int scope_report_page(const struct scope_analysis *analysis, const struct scope_report_style *style, FILE *out);

#endif
