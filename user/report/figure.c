// SPDX-License-Identifier: GPL-2.0-only
/* The points of one site's plot, and the plot in characters. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/delay_report.h"
#include "report/numbers.h"

static double base_mean(const struct scope_effect *effect)
{
	return effect->levels && effect->level[0].value == 0 ? effect->level[0].period_ns : 0;
}

static void add_point(const struct scope_experiment *experiment, enum scope_causal_kind kind, double base,
		      struct scope_figure *figure)
{
	const double period = scope_causal_experiment_effective(experiment) / (double)experiment->progress;
	double x = (double)experiment->served_ns / (double)experiment->progress, y = period;

	if (kind == SCOPE_CAUSAL_SPEEDUP) {
		x = experiment->value;
		y = base > 0 ? (base - period) / base : 0;
		if (fabs(y) > SCOPE_EFFECT_FAR)
			return;
	}
	figure->x[figure->n] = x;
	figure->y[figure->n++] = y;
}

static void set_frame(enum scope_causal_kind kind, struct scope_figure *figure)
{
	double x_max = kind == SCOPE_CAUSAL_SPEEDUP ? 1 : 0, y_min = 0, y_max = 0;

	for (size_t i = 0; i < figure->n; i++) {
		x_max = fmax(x_max, figure->x[i]);
		y_min = fmin(y_min, figure->y[i]);
		y_max = fmax(y_max, figure->y[i]);
	}
	figure->x_min = 0;
	figure->x_max = x_max > 0 ? x_max : 1;
	figure->y_min = y_min < 0 ? y_min * 1.05 : 0;
	figure->y_max = y_max > 0 ? y_max * 1.05 : y_min < 0 ? 0 : 1;
}

/* The mean x of the experiments of one value; there is at least one. */
static double level_x(const struct scope_causal_result *result, uint32_t site, double value)
{
	double sum = 0;
	size_t n = 0;

	if (result->kind == SCOPE_CAUSAL_SPEEDUP)
		return value;
	for (size_t i = 0; i < result->count; i++) {
		const struct scope_experiment *one = &result->experiment[i];

		if (one->site != site || one->value != value || one->progress < SCOPE_CAUSAL_VISITS_MIN)
			continue;
		sum += (double)one->served_ns / (double)one->progress;
		n++;
	}
	return n ? sum / (double)n : 0;
}

/* A change is relative to the mean without delay. */
static void add_bars(const struct scope_causal_result *result, uint32_t site, struct scope_figure *figure)
{
	const struct scope_effect *effect = &result->effect[site];
	const double base = base_mean(effect);

	for (size_t i = 0; i < effect->levels; i++) {
		const struct scope_interval *in = &effect->level[i].change.value_95;
		const bool delays = result->kind == SCOPE_CAUSAL_SENSITIVITY;

		if (!effect->level[i].known)
			continue;
		figure->bar[figure->bars].x = level_x(result, site, effect->level[i].value);
		figure->bar[figure->bars].low = delays ? base * (1 - in->high) : in->low;
		figure->bar[figure->bars++].high = delays ? base * (1 - in->low) : in->high;
	}
}

int scope_report_figure_create(const struct scope_causal_result *result, uint32_t site, struct scope_figure *ret_figure)
{
	const struct scope_effect *effect = &result->effect[site];
	struct scope_figure figure = {
		.line = effect->known,
		.slope = effect->fit.slope,
		.intercept = effect->fit.intercept,
	};

	figure.x = calloc(2 * result->count + 1, sizeof(*figure.x));
	if (!figure.x)
		return -ENOMEM;
	figure.y = figure.x + result->count;
	for (size_t i = 0; i < result->count; i++)
		if (result->experiment[i].site == site && result->experiment[i].progress >= SCOPE_CAUSAL_VISITS_MIN)
			add_point(&result->experiment[i], result->kind, base_mean(effect), &figure);
	add_bars(result, site, &figure);
	set_frame(result->kind, &figure);
	*ret_figure = figure;
	return 0;
}

void scope_report_figure_free(struct scope_figure *figure)
{
	free(figure->x);
	*figure = (struct scope_figure){ 0 };
}

const char *scope_report_figure_label(enum scope_causal_kind kind, double value, char *ret_text, size_t bytes)
{
	struct scope_text time;

	if (kind == SCOPE_CAUSAL_SPEEDUP)
		snprintf(ret_text, bytes, "%+.0f %%", value * 100);
	else
		snprintf(ret_text, bytes, "%s", value == 0 ? "0" : scope_report_format_ns(&time, value));
	return ret_text;
}

#define WIDTH_MAX 90
#define HEIGHT_MAX 40

static void put(char *cell, unsigned width, unsigned height, double x, double y, char mark)
{
	const unsigned column = (unsigned)fmin(width - 1, fmax(0, floor(x * width)));
	const unsigned row = (unsigned)fmin(height - 1, fmax(0, floor(y * height)));
	char *at = &cell[(height - 1 - row) * width + column];

	/* Points hide the line, and several points at one place have a heavier mark. */
	if (mark == '.' && *at != ' ')
		return;
	*at = mark == 'o' && (*at == 'o' || *at == 'O') ? 'O' : mark;
}

static void draw(const struct scope_figure *figure, unsigned width, unsigned height, char *cell)
{
	const double wide = figure->x_max - figure->x_min, high = figure->y_max - figure->y_min;

	memset(cell, ' ', width * height);
	for (size_t i = 0; i < figure->n; i++)
		put(cell, width, height, (figure->x[i] - figure->x_min) / wide, (figure->y[i] - figure->y_min) / high,
		    'o');
	for (unsigned column = 0; figure->line && column < width; column++) {
		const double x = (column + 0.5) / width;
		const double y = figure->intercept + figure->slope * (figure->x_min + x * wide);
		const double up = (y - figure->y_min) / high;

		if (up >= 0 && up < 1)
			put(cell, width, height, x, up, '.');
	}
}

void scope_report_figure_print(const struct scope_figure *figure, enum scope_causal_kind kind, unsigned width,
			       unsigned height, FILE *out)
{
	char cell[WIDTH_MAX * HEIGHT_MAX], text[32];

	width = width > WIDTH_MAX ? WIDTH_MAX : width;
	height = height > HEIGHT_MAX ? HEIGHT_MAX : height;
	draw(figure, width, height, cell);
	for (unsigned row = 0; row < height; row++) {
		const char *label = "";

		if (row == 0)
			label = scope_report_figure_label(kind, figure->y_max, text, sizeof(text));
		else if (row == height - 1)
			label = scope_report_figure_label(kind, figure->y_min, text, sizeof(text));
		fputs("  ", out);
		scope_report_format_padded(out, label, 10);
		fprintf(out, "|%.*s\n", (int)width, &cell[row * width]);
	}
	fprintf(out, "%12s+", "");
	for (unsigned column = 0; column < width; column++)
		fputc('-', out);
	fprintf(out, "\n%13s", "");
	scope_report_format_padded(out, scope_report_figure_label(kind, figure->x_min, text, sizeof(text)), width - 9);
	fprintf(out, "%s\n", scope_report_figure_label(kind, figure->x_max, text, sizeof(text)));
}
