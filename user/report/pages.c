// SPDX-License-Identifier: GPL-2.0-only
/* Prints the pages of a live screen: the answer with a list of findings, and each finding in full. */
#include "report/pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/section.h"

#define FIXED 56 /* columns of the list without the function's name */
#define NAME_MIN 16

/* A finding with the value by which it is sorted. */
struct listed {
	size_t index;
	double value; /* highest first */
	const char *name;
};

static double value_of(const struct scope_model_finding *one, enum scope_report_order order)
{
	const struct scope_finding *finding = one->finding;

	switch (order) {
	case SCOPE_ORDER_P99:
		return one->stuck ? (double)finding->hang.age_ns : finding->p99_ns;
	case SCOPE_ORDER_UNITS:
		return one->stuck ? finding->hang.threads : finding->units;
	default:
		return 0;
	}
}

static int compare(const void *left, const void *right)
{
	const struct listed *a = left, *b = right;
	const int names = strcmp(a->name, b->name);

	if (a->value != b->value)
		return a->value < b->value ? 1 : -1;
	return names ? names : (a->index > b->index) - (a->index < b->index);
}

static void print_row(const struct report *report, size_t index, unsigned name_columns)
{
	const struct scope_model_finding *one = &report->model->finding[index];
	const struct scope_finding *finding = one->finding;
	struct scope_text count, usual, slow;
	char times[64], kind[32];

	if (one->stuck)
		snprintf(times, sizeof(times), "for %s", scope_report_format_ns(&slow, finding->hang.age_ns));
	else
		snprintf(times, sizeof(times), "%s → %s", scope_report_format_ns(&usual, finding->usual_ns),
			 scope_report_format_ns(&slow, finding->p99_ns));
	scope_report_section_kind(one, kind, sizeof(kind));
	fprintf(report->out, "  %-2zu ", index + 1);
	scope_report_format_padded(report->out, scope_report_section_function(one), name_columns);
	fprintf(report->out, " %4.0f %%  %7s  ", 100 * finding->share,
		scope_report_format_count(&count, one->stuck ? finding->hang.threads : finding->units));
	scope_report_format_padded(report->out, times, 18);
	fprintf(report->out, "  %s\n", kind);
}

static int print_list(const struct report *report, enum scope_report_order order)
{
	static const char *const title[] = {
		[SCOPE_ORDER_EXTRA] = "by extra time",
		[SCOPE_ORDER_P99] = "by the 99th percentile",
		[SCOPE_ORDER_UNITS] = "by number of slow ones",
		[SCOPE_ORDER_NAME] = "by name",
	};
	const size_t count = report->analysis->ranking->findings;
	const unsigned width = scope_report_section_width(report);
	const unsigned name_columns = width > FIXED + NAME_MIN ? width - FIXED : NAME_MIN;
	struct listed *listed;

	if (!count)
		return 0;
	listed = calloc(count, sizeof(*listed));
	if (!listed)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		listed[i] = (struct listed){ i, value_of(&report->model->finding[i], order),
					     order == SCOPE_ORDER_NAME
						     ? scope_report_section_function(&report->model->finding[i])
						     : "" };
	qsort(listed, count, sizeof(*listed), compare);
	fprintf(report->out, "\n  FINDINGS %s\n  #  ", title[order]);
	scope_report_format_padded(report->out, "function", name_columns);
	fprintf(report->out, "  extra  %7s  %-18s  kind\n",
		report->model->finding[0].stuck ? scope_report_section_stuck(&report->model->finding[0]) : "slow",
		report->model->finding[0].stuck ? "how long" : "normal → p99");
	for (size_t i = 0; i < count; i++)
		print_row(report, listed[i].index, name_columns);
	free(listed);
	return 0;
}

static int print_pages(const struct report *report, const char *head)
{
	const size_t findings = report->analysis->ranking->findings;
	int err = 0;

	for (unsigned order = 0; order < SCOPE_ORDERS && !err; order++) {
		fprintf(report->out, "%s%s", order ? "\f" : "", head);
		err = scope_report_section_summary(report);
		if (!err)
			err = print_list(report, order);
	}
	for (size_t i = 0; i < findings && i < SCOPE_PAGES_FINDINGS && !err; i++) {
		fprintf(report->out, "\f%s", head);
		err = scope_report_section_detail(report, i);
	}
	return err;
}

int scope_report_pages(const struct scope_analysis *analysis, const struct scope_report_style *style, const char *head,
		       FILE *out)
{
	struct scope_report_style brief = *style;
	struct report report = { .analysis = analysis, .style = &brief, .out = out };
	struct scope_model *model;
	int err;

	brief.verbose = false;
	err = scope_report_model_create(analysis, style->causal, SCOPE_PAGES_FINDINGS, &model);
	if (err)
		return err;
	report.model = model;
	err = print_pages(&report, head);
	scope_report_model_destroy(model);
	return err;
}
