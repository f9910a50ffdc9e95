/* SPDX-License-Identifier: GPL-2.0-only */
/* The sections of the report: each prints itself, 0 or -errno. */
#ifndef SCOPE_REPORT_SECTION_H
#define SCOPE_REPORT_SECTION_H

#include "report/text.h"

struct report {
	const struct scope_analysis *analysis;
	const struct scope_report_style *style;
	FILE *out;
};

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

/* For those above: "" where there is no colour. */
const char *scope_section_bold(const struct report *report);
const char *scope_section_plain(const struct report *report);
/* What a finding from outside waits for, in a word. */
const char *scope_section_outside(const struct scope_finding *finding);
/* A hang or a spin: a thread, not slow units. */
bool scope_section_stuck(const struct scope_finding *finding);

#endif
