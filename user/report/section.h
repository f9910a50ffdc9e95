/* SPDX-License-Identifier: GPL-2.0-only */
/* The sections of the report: each prints itself, 0 or -errno. */
#ifndef SCOPE_REPORT_SECTION_H
#define SCOPE_REPORT_SECTION_H

#include "report/path.h"
#include "report/text.h"

struct report {
	const struct scope_analysis *analysis;
	const struct scope_report_style *style;
	FILE *out;
};

int scope_section_summary(const struct report *report); /* the first screen: the answer, and what to do */
/* Of it: the answer, malloc'd, without a newline. 0 or -ENOMEM. */
int scope_section_answer(const struct report *report, char **ret_text);
int scope_section_verdict(const struct report *report); /* what it comes to */
int scope_section_details(const struct report *report); /* the first findings, told in full */
int scope_section_causal(const struct report *report); /* delay experiments on the findings */
int scope_section_times(const struct report *report);	/* where the time of each group went */
int scope_section_basis(const struct report *report);	/* what the answer rests on */

/*
 * The lines of source that a finding stands at, for its details. *ret_cut: the share of its excess
 * whose stacks are cut short.
 */
int scope_section_source(const struct report *report, const struct scope_finding *finding,
			 double *ret_cut);

/*
 * The functions of the kernel that a finding's running time was spent in, or why they are not known; NULL
 * where the kernel is no matter. 0, -ENOMEM. The caller frees *ret_text.
 */
int scope_section_inside(const struct report *report, const struct scope_finding *finding, char **ret_text);

/* Below the line of a finding: by how much delays in it come through. Nothing without experiments. */
void scope_section_effect(const struct report *report, size_t index);

/* What a slow unit of the finding did, and a usual one beside it; NULL: there is none. The caller frees both. */
struct scope_section_example {
	char *slow, *usual;
	bool baseline; /* the usual one is a unit of the baseline */
};

/*
 * Each has at most `calls` calls: half of them the first ones, the others those that took longest.
 * 0 or -errno; what is filled then is to be freed as well.
 */
int scope_section_example(const struct report *report, const struct scope_finding *finding, size_t calls,
			  struct scope_section_example *ret_example);

/*
 * The calls of these two, for a finding that has an example: ret_path has room for both, *ret_count is 1 where
 * there is no usual unit. 0 or -errno; free each path's call in either case.
 */
int scope_section_paths(const struct scope_analysis *analysis, const struct scope_finding *finding,
			struct scope_path *ret_path, size_t *ret_count);

struct scope_section_sleep_text {
	char text[224];
};

/* "read(9, a pipe)": what a finding's threads, which are of process tgid, sleep in. */
const char *scope_section_sleep(struct scope_section_sleep_text *buffer, const struct report *report, uint32_t tgid,
				const struct scope_finding *finding);
const char *scope_section_call(uint32_t nr); /* its name */
/* What is printed in place of a function without a name. */
const char *scope_section_function(const struct report *report, const struct scope_finding *finding);
const char *scope_section_confidence(const struct scope_finding *finding);

/* For those above: "" where there is no colour. */
const char *scope_section_bold(const struct report *report);
const char *scope_section_plain(const struct report *report);
/* What a finding from outside waits for, in a word. */
const char *scope_section_outside(const struct scope_finding *finding);
/* A hang or a spin: a thread, not slow units. */
bool scope_section_stuck(const struct scope_finding *finding);

#endif
