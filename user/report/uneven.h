/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads that differ from their group: a sentence for each, a section, and JSON. */
#ifndef SCOPE_REPORT_UNEVEN_H
#define SCOPE_REPORT_UNEVEN_H

#include <stdio.h>

#include "analysis/analysis.h"

struct scope_uneven_text {
	char text[320];
};

/* "Thread pool-17 (tid 217) is slower than the other 199 of its group: it runs 3.0 ms in each request, others 1.0 ms." */
const char *scope_report_uneven(struct scope_uneven_text *buffer, const struct scope_analysis *analysis,
				const struct scope_uneven_thread *one);
/* "pool-17 (tid 217) is slower: runs 3.0 ms in each request, others 1.0 ms" */
const char *scope_report_uneven_short(struct scope_uneven_text *buffer, const struct scope_analysis *analysis,
				      const struct scope_uneven_thread *one);
/* The thread that is the answer, if nothing else is found and it costs its clients time; else NULL. */
const struct scope_uneven_thread *scope_report_uneven_answer(const struct scope_analysis *analysis);
/* The first of them if the answer is something else; NULL: none. */
const struct scope_uneven_thread *scope_report_uneven_beside(const struct scope_analysis *analysis);
/* The array of them; the caller's. NULL: no memory. */
struct json_t *scope_report_uneven_json(const struct scope_analysis *analysis);

#endif
