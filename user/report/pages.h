/* SPDX-License-Identifier: GPL-2.0-only */
/* The report as pages of a live screen. */
#ifndef SCOPE_REPORT_PAGES_H
#define SCOPE_REPORT_PAGES_H

#include "report/text.h"

#define SCOPE_PAGES_FINDINGS 9 /* that have a page: as many as there are digits to open one */

/* The orders of the list of findings; the live screen has a page for each. */
enum scope_report_order {
	SCOPE_ORDER_EXTRA, /* extra time, as the report has them */
	SCOPE_ORDER_P99,
	SCOPE_ORDER_UNITS, /* how many were slow */
	SCOPE_ORDER_NAME,
	SCOPE_ORDERS,
};

/*
 * Prints all pages: for each order the first screen of the report with the list of findings, then a page for each of the
 * first SCOPE_PAGES_FINDINGS findings. Each page begins with head; a form feed is between two pages. 0 or -errno.
 */
int scope_report_pages(const struct scope_analysis *analysis, const struct scope_report_style *style, const char *head,
		       FILE *out);

#endif
