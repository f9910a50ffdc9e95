// SPDX-License-Identifier: GPL-2.0-only
/* The result of delay experiments as text for a terminal. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <scope/abi.h>

#include "report/delay_report.h"
#include "report/numbers.h"

#define SITE_COLUMNS 38
#define PLOT_COLUMNS 60
#define PLOT_ROWS 12
#define UNKNOWN_MAX 5 /* sites without a result that are still listed */

static const char *bold(bool colour)
{
	return colour ? "\033[1m" : "";
}

static const char *plain(bool colour)
{
	return colour ? "\033[0m" : "";
}

static const char *unit_of(const struct scope_causal_result *result)
{
	return result->kind == SCOPE_CAUSAL_SENSITIVITY ? "delay sensitivity" : "virtual speedup";
}

static void print_head(const struct scope_causal_result *result, FILE *out)
{
	struct scope_text length;
	uint64_t elapsed_ns = 0;

	for (size_t i = 0; i < result->count; i++)
		elapsed_ns += result->experiment[i].elapsed_ns;
	fprintf(out, "scope %s · %s", SCOPE_VERSION, unit_of(result));
	if (result->program[0])
		fprintf(out, " · %s[%u]", result->program, result->pid);
	if (result->kernel[0])
		fprintf(out, " · Linux %s", result->kernel);
	fprintf(out, "\n%zu experiment%s in %s · seed %" PRIu64 " · progress: %s\n", result->count,
		result->count == 1 ? "" : "s", scope_report_format_window(&length, elapsed_ns), result->seed,
		result->progress);
	if (result->ended[0])
		fprintf(out, "Not all of the %zu experiments planned were made: %s.\n", result->planned, result->ended);
	fputc('\n', out);
}

/* Prints a site; a long one is cut at its start, because the end of a path is more useful. */
static void print_site(const char *site, FILE *out)
{
	const size_t length = strlen(site);

	if (length > SITE_COLUMNS - 2)
		fprintf(out, "…%s  ", site + length - (SITE_COLUMNS - 3));
	else
		scope_report_format_padded(out, site, SITE_COLUMNS);
}

static void print_row(const struct scope_causal_result *result, uint32_t site, bool colour, FILE *out)
{
	const struct scope_effect *effect = &result->effect[site];
	char interval[40];

	fputs("  ", out);
	print_site(result->site[site], out);
	if (effect->known) {
		snprintf(interval, sizeof(interval), "%.2f … %.2f", effect->fit.slope_95.low,
			 effect->fit.slope_95.high);
		fprintf(out, "%6.2f  ", effect->fit.slope);
		scope_report_format_padded(out, interval, 17);
		fprintf(out, "%5.2f %4zu  ", effect->fit.r2, effect->n);
	} else {
		fprintf(out, "%6s  %-17s%5s %4zu  ", "-", "-", "-", effect->n);
	}
	fprintf(out, "%s%s%s\n", bold(colour), scope_causal_effect_word(effect->verdict), plain(colour));
}

/* How many sites to print: profiles of Coz have hundreds without a result. */
static uint32_t shown(const struct scope_causal_result *result)
{
	uint32_t known = 0;

	/* Sites with a result are first in the ranking. */
	while (known < result->sites && result->effect[result->rank[known]].known)
		known++;
	return result->sites - known > UNKNOWN_MAX ? known : result->sites;
}

static void print_table(const struct scope_causal_result *result, bool colour, FILE *out)
{
	fputs("  ", out);
	scope_report_format_padded(out, "site", SITE_COLUMNS);
	fprintf(out, "%6s  %-17s%6s %4s  %s\n", "slope", "95 % interval", "R²", "n", "effect");
	for (uint32_t i = 0; i < shown(result); i++)
		print_row(result, result->rank[i], colour, out);
	if (shown(result) < result->sites)
		fprintf(out, "  and %u sites with too few experiments to say anything\n",
			result->sites - shown(result));
}

static void print_level(const struct scope_causal_result *result, const struct scope_effect_level *level, FILE *out)
{
	struct scope_text asked, served, period;

	fputs("  ", out);
	if (result->kind == SCOPE_CAUSAL_SPEEDUP) {
		fprintf(out, "%5.0f %%%5s", level->value * 100, "");
	} else {
		scope_report_format_padded(out, level->value == 0 ? "0" : scope_report_format_ns(&asked, level->value),
					   12);
		scope_report_format_padded(
			out, level->served_ns > 0 ? scope_report_format_ns(&served, level->served_ns) : "", 12);
	}
	fprintf(out, "%4zu  ", level->n);
	scope_report_format_padded(out, scope_report_format_ns(&period, level->period_ns), level->known ? 12 : 1);
	if (level->known)
		fprintf(out, "%+6.1f %%   %+.1f … %+.1f %%", level->change.value * 100,
			level->change.value_95.low * 100, level->change.value_95.high * 100);
	fputc('\n', out);
}

static void print_levels(const struct scope_causal_result *result, const struct scope_effect *effect, FILE *out)
{
	const double base = effect->levels ? effect->level[0].period_ns : 0;

	if (result->kind == SCOPE_CAUSAL_SPEEDUP)
		fprintf(out, "  %-12s%4s  %-12s%8s   %s\n", "speedup", "n", "period", "program", "95 % interval");
	else
		fprintf(out, "  %-12s%-12s%4s  %-12s%8s   %s\n", "delay", "served", "n", "period", "program",
			"95 % interval");
	for (size_t i = 0; i < effect->levels; i++)
		print_level(result, &effect->level[i], out);
	if (base > 0 && effect->level[0].value == 0)
		fprintf(out, "  undisturbed: %.1f a second\n", 1e9 / base);
}

static void print_latency(const struct scope_effect *effect, FILE *out)
{
	struct scope_text text;

	if (!(effect->latency_ns > 0))
		return;
	fprintf(out, "  latency by Little's law: %s undisturbed", scope_report_format_ns(&text, effect->latency_ns));
	if (effect->latency_known)
		fprintf(out, "; slope %.2f (95 %%: %.2f … %.2f), R² %.2f", effect->latency.slope,
			effect->latency.slope_95.low, effect->latency.slope_95.high, effect->latency.r2);
	fputc('\n', out);
}

static int print_details(const struct scope_causal_result *result, uint32_t site, bool colour, FILE *out)
{
	const struct scope_effect *effect = &result->effect[site];
	struct scope_figure figure;
	struct scope_notes notes;
	char meaning[256];
	int err;

	scope_causal_effect_meaning(effect, meaning, sizeof(meaning));
	fprintf(out, "\n%s%s%s\n", bold(colour), result->site[site], plain(colour));
	scope_report_format_paragraph(out, "  ", meaning);
	print_levels(result, effect, out);
	print_latency(effect, out);
	if (effect->n) {
		err = scope_report_figure_create(result, site, &figure);
		if (err)
			return err;
		fputc('\n', out);
		scope_report_figure_print(&figure, result->kind, PLOT_COLUMNS, PLOT_ROWS, out);
		scope_report_figure_free(&figure);
	}
	scope_causal_effect_notes(effect, &notes);
	for (unsigned i = 0; i < notes.count; i++)
		scope_report_format_paragraph(out, "  ! ", notes.text[i]);
	return 0;
}

int scope_report_delay_text(const struct scope_causal_result *result, bool colour, FILE *out)
{
	struct scope_text p50, p99;
	int err = 0;

	print_head(result, out);
	print_table(result, colour, out);
	for (uint32_t i = 0; i < shown(result) && !err; i++)
		err = print_details(result, result->rank[i], colour, out);
	if (!err && result->delays)
		fprintf(out, "\n%" PRIu64 " delays, longer than asked by %s (half of them less), %s (99 %%)\n",
			result->delays, scope_report_format_ns(&p50, result->late_p50_ns),
			scope_report_format_ns(&p99, result->late_p99_ns));
	return err ? err : ferror(out) ? -EIO : 0;
}
