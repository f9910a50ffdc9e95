// SPDX-License-Identifier: GPL-2.0-only
/*
 * Metrics over time as a picture: a plot for each series that was chosen, with a line for each group, thread or object.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "report/metrics_text.h"
#include "report/svg.h"

/* A plot's place in pixels. */
#define WIDTH 860
#define HEIGHT 180
#define LEFT 90
#define RIGHT 20
#define TOP 30
#define BOTTOM 25
#define TICKS_X 8
#define TICKS_Y 4
#define LINES_MAX 8 /* the number of colours that can be distinguished */
#define LEGEND 20   /* the height of a line's name */

/* Colour-blind people can distinguish these, too (M. Okabe, K. Ito, 2008). */
static const char *const colour[LINES_MAX] = { "#0072b2", "#d55e00", "#009e73", "#cc79a7",
					       "#e69f00", "#56b4e9", "#000000", "#999999" };

/* The series that are drawn if none was chosen. */
static const struct scope_series_choice usual = {
	.count = 9,
	.series = {
		[SCOPE_METRIC_RUN] = true,	   [SCOPE_METRIC_QUEUE] = true,	  [SCOPE_METRIC_IOWAIT] = true,
		[SCOPE_METRIC_DISK] = true,	   [SCOPE_METRIC_SLEEP] = true,	  [SCOPE_METRIC_FUTEX_TIME] = true,
		[SCOPE_METRIC_UNITS] = true,	   [SCOPE_SERIES_P50] = true,	  [SCOPE_SERIES_P99] = true,
	},
};

struct plot {
	const struct scope_metrics_view *view;
	size_t lines;
	unsigned series;
	double most;   /* the largest of all values; 0: there are none */
	double *value; /* of each line, each step; NAN: not known */
};

static double x_of(const struct plot *plot, size_t step)
{
	const double all_ns = (double)(plot->view->end_ns - plot->view->begin_ns);
	const double ns = fmin((double)step * (double)plot->view->step_ns, all_ns);

	return LEFT + (all_ns > 0 ? ns / all_ns : 0) * (WIDTH - LEFT - RIGHT);
}

static double y_of(const struct plot *plot, double value)
{
	return HEIGHT - BOTTOM - value / plot->most * (HEIGHT - TOP - BOTTOM);
}

/* Computes the values of a plot; false: there is nothing to draw. */
static bool fill(struct plot *plot)
{
	plot->most = 0;
	for (size_t i = 0; i < plot->lines; i++)
		for (size_t j = 0; j < plot->view->steps; j++) {
			double *value = &plot->value[i * plot->view->steps + j];

			*value = scope_report_metrics_value(plot->view, &plot->view->line[i], plot->series, j);
			if (*value > plot->most)
				plot->most = *value;
		}
	return plot->most > 0;
}

static void draw_axes(const struct plot *plot, FILE *out)
{
	const double seconds = (double)(plot->view->end_ns - plot->view->begin_ns) / 1e9;
	const double x_tick = seconds > 0 ? scope_report_svg_tick(seconds, TICKS_X) : 1;
	const double y_tick = scope_report_svg_tick(plot->most, TICKS_Y);
	struct scope_text text;

	for (double i = 0; i * y_tick <= plot->most * (1 + 1e-9); i++)
		fprintf(out,
			"<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#ddd\"/>\n"
			"<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
			LEFT, y_of(plot, i * y_tick), WIDTH - RIGHT, y_of(plot, i * y_tick), LEFT - 6,
			y_of(plot, i * y_tick) + 4, scope_report_metrics_format(&text, plot->series, i * y_tick));
	for (double i = 0; seconds > 0 && i * x_tick <= seconds * (1 + 1e-9); i++)
		fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g s</text>\n",
			LEFT + i * x_tick / seconds * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM + 15, i * x_tick);
}

/* A value is drawn over all of its step; the line has a gap in steps without a value. */
static void draw_line(const struct plot *plot, size_t line, FILE *out)
{
	const double *value = &plot->value[line * plot->view->steps];
	bool open = false;

	fprintf(out, "<path class=\"series\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" d=\"", colour[line]);
	for (size_t i = 0; i < plot->view->steps; i++) {
		if (isnan(value[i])) {
			open = false;
			continue;
		}
		fprintf(out, open ? "V%.1f" : "M%.1f %.1f", open ? y_of(plot, value[i]) : x_of(plot, i),
			y_of(plot, value[i]));
		fprintf(out, "H%.1f", x_of(plot, i + 1));
		open = true;
	}
	fputs("\"/>\n", out);
}

static void draw_plot(const struct plot *plot, unsigned place, FILE *out)
{
	fprintf(out, "<g transform=\"translate(0 %u)\">\n<text x=\"%d\" y=\"18\" font-weight=\"bold\">", place, LEFT);
	scope_report_svg_text(scope_report_metrics_series_name(plot->series), out);
	fputs("</text>\n", out);
	draw_axes(plot, out);
	for (size_t i = 0; i < plot->lines; i++)
		draw_line(plot, i, out);
	fputs("</g>\n", out);
}

static void draw_legend(const struct plot *plot, FILE *out)
{
	for (size_t i = 0; i < plot->lines; i++) {
		const struct scope_metric_line *line = &plot->view->line[i];

		fprintf(out,
			"<rect x=\"%d\" y=\"%zu\" width=\"14\" height=\"4\" fill=\"%s\"/>\n<text x=\"%d\" y=\"%zu\">",
			LEFT, 10 + i * LEGEND, colour[i], LEFT + 20, 16 + i * LEGEND);
		scope_report_svg_text(line->name, out);
		if (line->tid)
			fprintf(out, " (tid %u)", line->tid);
		fputs("</text>\n", out);
	}
	if (plot->lines < plot->view->lines)
		fprintf(out, "<text x=\"%d\" y=\"%zu\">and %zu more, which are not drawn</text>\n", LEFT + 20,
			16 + plot->lines * LEGEND, plot->view->lines - plot->lines);
}

/* Of the wanted series, those that have anything to draw. */
static struct scope_series_choice drawable(struct plot *plot, const struct scope_series_choice *wanted)
{
	struct scope_series_choice found = { 0 };

	for (plot->series = 0; plot->series < SCOPE_SERIES; plot->series++) {
		found.series[plot->series] = wanted->series[plot->series] && fill(plot);
		found.count += found.series[plot->series];
	}
	return found;
}

int scope_report_metrics_svg(const struct scope_report_metrics *report, FILE *out)
{
	struct plot plot = { .view = report->view,
			     .lines = report->view->lines < LINES_MAX ? report->view->lines : LINES_MAX };
	unsigned place;
	struct scope_series_choice drawn;

	plot.value = calloc(plot.lines * plot.view->steps + 1, sizeof(*plot.value));
	if (!plot.value)
		return -ENOMEM;
	drawn = drawable(&plot, report->chosen.count ? &report->chosen : &usual);
	place = (unsigned)(plot.lines + 1) * LEGEND;
	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" font-family=\"sans-serif\" "
		"font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
		WIDTH, place + HEIGHT * (drawn.count ? drawn.count : 1u));
	draw_legend(&plot, out);
	if (!drawn.count)
		fprintf(out, "<text x=\"%d\" y=\"%u\">nothing of these series is in the trace</text>\n", LEFT,
			place + TOP);
	for (plot.series = 0; plot.series < SCOPE_SERIES; plot.series++)
		if (drawn.series[plot.series] && fill(&plot)) {
			draw_plot(&plot, place, out);
			place += HEIGHT;
		}
	fputs("</svg>\n", out);
	free(plot.value);
	return ferror(out) ? -EIO : 0;
}
