/* SPDX-License-Identifier: GPL-2.0-only */
/* The sections of the report: each prints itself from the model, 0 or -errno. */
#ifndef SCOPE_REPORT_SECTION_H
#define SCOPE_REPORT_SECTION_H

#include "report/layout.h"
#include "report/numbers.h"
#include "report/model.h"
#include "report/text.h"

struct report {
	const struct scope_analysis *analysis;
	const struct scope_model *model; /* of the analysis */
	const struct scope_report_style *style;
	FILE *out;
	bool brief; /* the first screen has no room for all of its lines */
};

size_t
scope_report_section_callers(const struct scope_model_finding *one); /* of its path, without where all programs start */
int scope_report_section_answer(const struct report *report);	     /* its head and the answer alone */
int scope_report_section_summary(const struct report *report);	     /* the first screen: the answer, and what to do */
int scope_report_section_changes(const struct report *report);	     /* what changed since the baseline */
int scope_report_section_verdict(const struct report *report);	     /* what it comes to */
int scope_report_section_details(const struct report *report);	     /* the first findings in full */
int scope_report_section_causal(const struct report *report);	     /* delay experiments on the findings */
int scope_report_section_times(const struct report *report);	     /* the time of each group by state */
int scope_report_section_by_request(const struct report *report); /* requests by what they ask for, if that is known */
int scope_report_section_waits(const struct report *report); /* the threads that wait for each other, if that matters */
int scope_report_section_uneven(const struct report *report);	/* threads that are out of line with their group */
int scope_report_section_variance(const struct report *report); /* where latencies vary; only without findings */
int scope_report_section_basis(const struct report *report);	/* the basis of the answer */

/* One finding in full, by its index. 0 or -errno. */
int scope_report_section_detail(const struct report *report, size_t index);

/* The kind of a finding, in a word or two. */
/* The head of their number, of a finding of what hangs or spins. */
const char *scope_report_section_stuck(const struct scope_model_finding *one);
void scope_report_section_kind(const struct scope_model_finding *one, char *text, size_t room);

/* Prints what changed most since the baseline, in lines of the first screen. */
void scope_report_section_changed(const struct report *report);

/* The last lines of the first screen, after `lines` others: commands to type next; blank: a blank line first. */
void scope_report_section_next(const struct report *report, unsigned int lines, bool blank);

/* The lines of source of a finding, for its details. 0 or -ENOMEM. */
int scope_report_section_source(const struct report *report, const struct scope_model_finding *one);

/* ", server.c:12", the innermost line of a place; "" if none is known. Returns text. */
const char *scope_report_section_line_of(const struct scope_places_row *place, char *text, size_t room);

/* A file's name without its folders. */
const char *scope_report_section_base_name(const char *path);

/*
 * The functions of the kernel in which a finding's running time was spent, or why they are not
 * known; NULL if the kernel does not matter. 0, -ENOMEM. The caller frees *ret_text.
 */
int scope_report_section_inside(const struct scope_model_finding *one, char **ret_text);

/* Prints below a finding how much of a delay in it delays requests. Nothing without experiments. */
void scope_report_section_effect(const struct report *report, size_t index);

/*
 * The first screen's lines that say where a finding is: its function and line, its callers, who holds the lock that it waits
 * for. 0 or -ENOMEM.
 */
int scope_report_section_where(const struct report *report, const struct scope_model_finding *one);

/* A name of Go without the path of its package: "inhibit.(*Inhibitor).Mutes". Other names as they are. Borrowed from name. */
const char *scope_report_section_short_name(const char *name);
/* The same, and without packages, classes and namespaces for which a line has no room. */
const char *scope_report_section_last_name(const char *name);

struct scope_path_show {
	size_t calls; /* at most: half of them the first ones if they are more than two, the others those that took longest */
	uint32_t nr;	 /* a call that has to be among them; SCOPE_NR_NONE: running; SCOPE_PATH_ANY: none has to be */
	bool count_rest; /* say how many others there are */
};

/* The calls of a path in words. 0 or -ENOMEM; the caller frees *ret_text. */
int scope_report_section_path(const struct scope_path *path, const struct scope_path_show *show, char **ret_text);

/* The call that a finding makes more often, or sleeps longer in; SCOPE_NR_NONE: it runs longer; SCOPE_PATH_ANY: it is of another kind. */
uint32_t scope_report_section_named_call(const struct scope_model_finding *one);

const char *scope_report_section_call(uint32_t nr); /* its name */
/* The call in which a finding sleeps; of a task, which is in none, the function of its runtime or its library. */
const char *scope_report_section_sleep(const struct scope_model_finding *one);
/* Printed for a function without a name. */
const char *scope_report_section_function(const struct scope_model_finding *one);
const char *scope_report_section_confidence(const struct scope_finding *finding);

/* The escape sequence for bold text; "" without colours. */
const char *scope_report_section_bold(const struct report *report);
const char *scope_report_section_plain(const struct report *report);
/* Prints the label of a line of the first screen; SCOPE_LABELS: of one that goes on with the line before it. */
void scope_report_section_label(const struct report *report, enum scope_report_label label);
/* A labelled line of the first screen, broken at the right edge; what follows a label, cut there. Both free the line. */
int scope_report_section_broken(const struct report *report, enum scope_report_label label,
				struct scope_paragraph *line);
int scope_report_section_clipped(const struct report *report, struct scope_paragraph *line);
int scope_report_section_first(const struct report *report);
/* The same for a line of a finding's details. */
void scope_report_section_detail_label(const struct report *report, enum scope_report_label label);
/* The label, then the text in a separate column. Ends its line. */
void scope_report_section_detail_text(const struct report *report, enum scope_report_label label, const char *text);
/* The same for a text that was written piece by piece, which is freed. 0 or -ENOMEM. */
int scope_report_section_detail_line(const struct report *report, struct scope_paragraph *paragraph,
				     enum scope_report_label label);

/* Columns of the first screen. */
unsigned scope_report_section_width(const struct report *report);
/* Prints sentences of the first screen from column 2 on, broken between words. */
void scope_report_section_prose(const struct report *report, const char *text);
/* Prints text of the basis from `column` on; further lines have an indent. */
void scope_report_section_wrapped(const struct report *report, const char *text, unsigned column, unsigned indent);
/* The head, then the text in a separate column. Ends its line. */
void scope_report_section_paragraph(const struct report *report, const char *head, const char *text);
/* The same for a text that was written piece by piece, which is freed. 0 or -ENOMEM. */
int scope_report_section_line(const struct report *report, struct scope_paragraph *paragraph, const char *head);

#define SCOPE_SCREEN_LABEL 14 /* columns of a label on the first screen */
#define SCOPE_DETAIL_LABEL 17 /* the same in a finding's details */
#define SCOPE_SCREEN_LINES 15 /* of the first screen */

#endif
