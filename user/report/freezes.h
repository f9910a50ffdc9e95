/* SPDX-License-Identifier: GPL-2.0-only */
/* Long stalls in words: how many, how long, when. */
#ifndef SCOPE_REPORT_FREEZES_H
#define SCOPE_REPORT_FREEZES_H

#include "analysis/analysis.h"

struct scope_freezes_text {
	char text[400];
};

/* "2 stalls: 5.0 s at 30.1 s, 4.9 s at 61.0 s; about 310 requests waited." Of many only the first ones. */
const char *scope_report_freezes_name(struct scope_freezes_text *buffer, const struct scope_analysis *analysis);

#endif
