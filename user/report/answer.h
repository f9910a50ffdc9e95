/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes the answer in a sentence or two, and the commands to type next. */
#ifndef SCOPE_REPORT_ANSWER_H
#define SCOPE_REPORT_ANSWER_H

#include "report/model.h"
#include "report/text.h"

#define SCOPE_NEXT_MAX 3

struct scope_report_next {
	char command[SCOPE_NEXT_MAX][600]; /* quoted for a shell */
	const char *why[SCOPE_NEXT_MAX];   /* the purpose of the command */
	unsigned int count;
};

/* The verdict in capitals, for the first screen: "HANG", "BOTTLENECK". */
const char *scope_report_headline(const struct scope_model *model);

/* True if the answer is the first finding. */
bool scope_report_names_first(const struct scope_ranking *ranking);

/*
 * Makes the answer: the problem, since when it exists, and limits of the whole capture. 0 or -ENOMEM; the caller frees
 * *ret_text.
 */
int scope_report_answer(const struct scope_model *model, char **ret_text);

/* Quotes a word for a shell; what does not fit is left out. */
void scope_report_quote(const char *word, char *text, size_t size);

/* Makes commands that can be run unchanged. whole: all evidence is printed already. */
void scope_report_next(const struct scope_model *model, const struct scope_report_style *style, bool whole,
		       struct scope_report_next *ret_next);

#endif
