/* SPDX-License-Identifier: GPL-2.0-only */
/* The answer, in a sentence or two, and commands to type next. */
#ifndef SCOPE_REPORT_ANSWER_H
#define SCOPE_REPORT_ANSWER_H

#include "report/model.h"

#define SCOPE_NEXT_MAX 3

struct scope_report_next {
	char command[SCOPE_NEXT_MAX][160]; /* as a shell takes it */
	const char *why[SCOPE_NEXT_MAX];   /* what it is for */
	unsigned int count;
};

/* Whether the answer is the first finding. */
bool scope_report_names_first(const struct scope_ranking *ranking);

/* What is wrong, since when, and what limits what can be said at all. 0 or -ENOMEM; the caller frees *ret_text. */
int scope_report_answer(const struct scope_model *model, char **ret_text);

/*
 * Commands that work as they are. file: name of the trace, NULL where it has none. whole: all the evidence is
 * printed already.
 */
void scope_report_next(const struct scope_model *model, const char *file, bool whole,
		       struct scope_report_next *ret_next);

#endif
