/* SPDX-License-Identifier: GPL-2.0-only */
/* The result of delay experiments: as text, as JSON, and as a picture. */
#ifndef SCOPE_REPORT_DELAY_REPORT_H
#define SCOPE_REPORT_DELAY_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "causal/result.h"

/*
 * All return 0, -ENOMEM, or -EIO if the stream failed. text: at most 99 columns: a table of the sites, and
 * for each its curve, a plot and notes. svg: the plots of all sites, one below another. json: all of it, with all
 * experiments; times in ns.
 */
int scope_report_delay_text(const struct scope_causal_result *result, bool colour, FILE *out);
int scope_report_delay_json(const struct scope_causal_result *result, FILE *out);
/* One site; the caller owns it. NULL: no memory. */
struct json_t *scope_report_delay_json_site(const char *name, const struct scope_effect *effect);
int scope_report_delay_svg(const struct scope_causal_result *result, FILE *out);

/* Points of a plot. Sensitivity: x ns of delay per visit of the progress point, y its period in ns. */
/* Speedup: x the share by which the site is faster, y that by which the program is. */
struct scope_figure {
	double *x, *y; /* an experiment each */
	size_t n;
	double x_min, x_max, y_min, y_max; /* the frame, wider than the points */
	bool line;			   /* y = intercept + slope * x was fitted */
	double slope, intercept;
	struct {
		double x, low, high; /* mean of the points of one level, 95 % interval of the mean of y */
	} bar[SCOPE_EFFECT_LEVELS];
	size_t bars;
};

/* Makes a figure of the experiments of one site that count. 0 or -ENOMEM. */
int scope_report_figure_create(const struct scope_causal_result *result, uint32_t site,
			       struct scope_figure *ret_figure);
void scope_report_figure_free(struct scope_figure *figure);

/* Draws it in width by height characters inside the axes. */
void scope_report_figure_print(const struct scope_figure *figure, enum scope_causal_kind kind, unsigned width,
			       unsigned height, FILE *out);

/* "1.2 ms" or "+12 %": a value on an axis. Returns text. */
const char *scope_report_figure_label(enum scope_causal_kind kind, double value, char *ret_text, size_t bytes);

#endif
