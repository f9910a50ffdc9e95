// SPDX-License-Identifier: GPL-2.0-only
/* The result of delay experiments as a picture. */
#include <errno.h>
#include <math.h>

#include "report/delay_report.h"
#include "report/svg.h"

/* A plot's place in pixels. */
#define WIDTH 640
#define HEIGHT 300
#define LEFT 80
#define RIGHT 40
#define TOP 40
#define BOTTOM 45
#define TICKS 5 /* about */

static double x_of(const struct scope_figure *figure, double x)
{
	return LEFT + (x - figure->x_min) / (figure->x_max - figure->x_min) * (WIDTH - LEFT - RIGHT);
}

static double y_of(const struct scope_figure *figure, double y)
{
	return TOP + (figure->y_max - y) / (figure->y_max - figure->y_min) * (HEIGHT - TOP - BOTTOM);
}

static void draw_ticks(const struct scope_figure *figure, enum scope_causal_kind kind, FILE *out)
{
	const double x_step = scope_report_svg_tick(figure->x_max - figure->x_min, TICKS);
	const double y_step = scope_report_svg_tick(figure->y_max - figure->y_min, TICKS);
	char text[32];

	/* Each tick is a multiple of the step, because a sum of steps may miss 0; adding 0 avoids -0. */
	for (double i = ceil(figure->x_min / x_step); i * x_step <= figure->x_max * (1 + 1e-9); i++)
		fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", x_of(figure, i * x_step),
			HEIGHT - BOTTOM + 15, scope_report_figure_label(kind, i * x_step + 0.0, text, sizeof(text)));
	for (double i = ceil(figure->y_min / y_step); i * y_step <= figure->y_max; i++)
		fprintf(out,
			"<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n"
			"<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#ddd\"/>\n",
			LEFT - 5, y_of(figure, i * y_step) + 4,
			scope_report_figure_label(kind, i * y_step + 0.0, text, sizeof(text)), LEFT,
			y_of(figure, i * y_step), WIDTH - RIGHT, y_of(figure, i * y_step));
}

static void draw_axes(const struct scope_figure *figure, enum scope_causal_kind kind, FILE *out)
{
	const bool speedup = kind == SCOPE_CAUSAL_SPEEDUP;

	draw_ticks(figure, kind, out);
	fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#888\"/>\n", LEFT, TOP,
		WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
	fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", LEFT + (WIDTH - LEFT - RIGHT) / 2,
		HEIGHT - 10, speedup ? "the site is faster by" : "delay per visit of the progress point");
	fprintf(out, "<text transform=\"translate(15 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>\n",
		TOP + (HEIGHT - TOP - BOTTOM) / 2,
		speedup ? "the program is faster by" : "period of the progress point");
}

/* Draws the intervals of the means, as far as they are in the frame. */
static void draw_bars(const struct scope_figure *figure, FILE *out)
{
	for (size_t i = 0; i < figure->bars; i++) {
		const double low = fmin(figure->y_max, fmax(figure->y_min, figure->bar[i].low));
		const double high = fmin(figure->y_max, fmax(figure->y_min, figure->bar[i].high));
		const double x = x_of(figure, figure->bar[i].x);

		fprintf(out,
			"<path class=\"interval\" d=\"M%.1f %.1fV%.1fM%.1f %.1fh8M%.1f %.1fh8\" "
			"stroke=\"#333\" fill=\"none\"/>\n",
			x, y_of(figure, low), y_of(figure, high), x - 4, y_of(figure, low), x - 4, y_of(figure, high));
	}
}

/* The part of the fitted line that lies in the frame. */
static void draw_line(const struct scope_figure *figure, FILE *out)
{
	double left = figure->x_min, right = figure->x_max;

	if (!figure->line)
		return;
	if (figure->slope != 0) {
		const double low = (figure->y_min - figure->intercept) / figure->slope;
		const double high = (figure->y_max - figure->intercept) / figure->slope;

		left = fmax(left, fmin(low, high));
		right = fmin(right, fmax(low, high));
	}
	if (left < right)
		fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#c33\"/>\n",
			x_of(figure, left), y_of(figure, figure->intercept + figure->slope * left), x_of(figure, right),
			y_of(figure, figure->intercept + figure->slope * right));
}

static int draw_site(const struct scope_causal_result *result, uint32_t site, unsigned place, FILE *out)
{
	const struct scope_effect *effect = &result->effect[site];
	struct scope_figure figure;
	int err = scope_report_figure_create(result, site, &figure);

	if (err)
		return err;
	fprintf(out, "<g transform=\"translate(0 %u)\">\n<text x=\"%d\" y=\"18\" font-weight=\"bold\">", place * HEIGHT,
		LEFT);
	scope_report_svg_text(result->site[site], out);
	fprintf(out, "</text>\n<text x=\"%d\" y=\"33\">%s", LEFT, scope_causal_effect_word(effect->verdict));
	if (effect->known)
		fprintf(out, ", slope %.2f (95 %%: %.2f to %.2f), n %zu", effect->fit.slope, effect->fit.slope_95.low,
			effect->fit.slope_95.high, effect->n);
	if (figure.bars)
		fputs("; bars: 95 % of the means", out);
	fputs("</text>\n", out);
	draw_axes(&figure, result->kind, out);
	draw_line(&figure, out);
	for (size_t i = 0; i < figure.n; i++)
		fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"#36c\" fill-opacity=\"0.6\"/>\n",
			x_of(&figure, figure.x[i]), y_of(&figure, figure.y[i]));
	draw_bars(&figure, out);
	fputs("</g>\n", out);
	scope_report_figure_free(&figure);
	return 0;
}

int scope_report_delay_svg(const struct scope_causal_result *result, FILE *out)
{
	int err = 0;

	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" "
		"font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" "
		"fill=\"#fff\"/>\n",
		WIDTH, HEIGHT * result->sites);
	for (uint32_t i = 0; i < result->sites && !err; i++)
		err = draw_site(result, result->rank[i], i, out);
	fputs("</svg>\n", out);
	return err ? err : ferror(out) ? -EIO : 0;
}
