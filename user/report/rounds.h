/* SPDX-License-Identifier: GPL-2.0-only */
/* Describes a spin that makes calls: which calls, their results, and their rate. */
#ifndef SCOPE_REPORT_ROUNDS_H
#define SCOPE_REPORT_ROUNDS_H

#include "analysis/analysis.h"

struct scope_rounds_text {
	char text[320];
};

double scope_report_rounds_per_s(const struct scope_spin *spin);
double scope_report_rounds_cpu_share(const struct scope_spin *spin);
/* "epoll_wait, accept4(3, a listening socket) fails: Too many open files; 11,000 rounds a second, 98 % of a CPU" */
const char *scope_report_rounds_name(struct scope_rounds_text *buffer, const struct scope_analysis *analysis,
				     const struct scope_finding *finding);

#endif
