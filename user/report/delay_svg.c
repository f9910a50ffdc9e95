// SPDX-License-Identifier: GPL-2.0-only
/* The result of delay experiments as a picture. */
#include <errno.h>
#include <math.h>

#include "report/delay.h"

/* A plot's place in pixels. */
#define WIDTH 640
#define HEIGHT 300
#define LEFT 80
#define RIGHT 20
#define TOP 40
#define BOTTOM 45
#define TICKS 4

static void escape(const char *text, FILE *out)
{
	for (; *text; text++) {
		switch (*text) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			/* Control characters are none of XML's. */
			fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
		}
	}
}

static double x_of(const struct scope_figure *figure, double x)
{
	return LEFT + (x - figure->x_min) / (figure->x_max - figure->x_min) * (WIDTH - LEFT - RIGHT);
}

static double y_of(const struct scope_figure *figure, double y)
{
	return TOP + (figure->y_max - y) / (figure->y_max - figure->y_min) * (HEIGHT - TOP - BOTTOM);
}

static void draw_axes(const struct scope_figure *figure, enum scope_causal_kind kind, FILE *out)
{
	char text[32];

	fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#888\"/>\n",
		LEFT, TOP, WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
	for (int i = 0; i <= TICKS; i++) {
		const double x = figure->x_min + (figure->x_max - figure->x_min) * i / TICKS;
		const double y = figure->y_min + (figure->y_max - figure->y_min) * i / TICKS;

		fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", x_of(figure, x),
			HEIGHT - BOTTOM + 15, scope_figure_label(kind, x, text, sizeof(text)));
		fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", LEFT - 5,
			y_of(figure, y) + 4, scope_figure_label(kind, y, text, sizeof(text)));
	}
	fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
		LEFT + (WIDTH - LEFT - RIGHT) / 2, HEIGHT - 10, kind == SCOPE_CAUSAL_SPEEDUP ?
		"the site is faster by" : "delay per visit of the progress point");
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
			x_of(figure, left), y_of(figure, figure->intercept + figure->slope * left),
			x_of(figure, right), y_of(figure, figure->intercept + figure->slope * right));
}

static int draw_site(const struct scope_causal_result *result, uint32_t site, unsigned place, FILE *out)
{
	const struct scope_effect *effect = &result->effect[site];
	struct scope_figure figure;
	int code = scope_figure_create(result, site, &figure);

	if (code)
		return code;
	fprintf(out, "<g transform=\"translate(0 %u)\">\n<text x=\"%d\" y=\"18\" font-weight=\"bold\">",
		place * HEIGHT, LEFT);
	escape(result->site[site], out);
	fprintf(out, "</text>\n<text x=\"%d\" y=\"33\">%s", LEFT, scope_effect_word(effect->verdict));
	if (effect->known)
		fprintf(out, ", slope %.2f (95 %%: %.2f to %.2f), n %zu", effect->fit.slope,
			effect->fit.slope_95.low, effect->fit.slope_95.high, effect->n);
	fputs("</text>\n", out);
	draw_axes(&figure, result->kind, out);
	draw_line(&figure, out);
	for (size_t i = 0; i < figure.n; i++)
		fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"#36c\" fill-opacity=\"0.6\"/>\n",
			x_of(&figure, figure.x[i]), y_of(&figure, figure.y[i]));
	fputs("</g>\n", out);
	scope_figure_free(&figure);
	return 0;
}

int scope_delay_svg(const struct scope_causal_result *result, FILE *out)
{
	int code = 0;

	fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" "
		"font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" "
		"fill=\"#fff\"/>\n", WIDTH, HEIGHT * result->sites);
	for (uint32_t i = 0; i < result->sites && !code; i++)
		code = draw_site(result, result->rank[i], i, out);
	fputs("</svg>\n", out);
	return code ? code : ferror(out) ? -EIO : 0;
}
