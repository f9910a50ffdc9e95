// SPDX-License-Identifier: GPL-2.0-only
/* Matches delay experiments with the findings. */
#include <inttypes.h>
#include <string.h>

#include "report/numbers.h"
#include "report/section.h"

#define INDENT 5

const struct scope_effect *scope_report_effect(const struct scope_report_causal *causal, size_t index)
{
	const uint32_t number = causal && causal->result ? causal->finding[index].number : SCOPE_REPORT_NO_SITE;

	return number != SCOPE_REPORT_NO_SITE ? &causal->result->effect[number] : NULL;
}

void scope_report_section_effect(const struct report *report, size_t index)
{
	const struct scope_report_causal *causal = report->style->causal;
	const struct scope_effect *effect = scope_report_effect(causal, index);

	if (!causal || (!effect && !causal->finding[index].why[0]))
		return;
	fprintf(report->out, "%*sheld up: ", INDENT, "");
	if (!effect) {
		fputs("no, ", report->out);
		scope_report_section_wrapped(report, causal->finding[index].why, INDENT + 13, INDENT + 9);
	} else {
		fprintf(report->out, "%s%s%s", scope_report_section_bold(report),
			scope_causal_effect_word(effect->verdict), scope_report_section_plain(report));
	}
	if (effect && effect->known)
		fprintf(report->out, ", slope %.2f (95 %%: %.2f … %.2f, n %zu)", effect->fit.slope,
			effect->fit.slope_95.low, effect->fit.slope_95.high, effect->n);
	fputc('\n', report->out);
}

static void print_one(const struct report *report, size_t index, const struct scope_effect *effect)
{
	struct scope_notes notes;
	char text[256];

	scope_causal_effect_meaning(effect, text, sizeof(text));
	fprintf(report->out, "  %-2zu ", index + 1);
	scope_report_section_wrapped(report, text, INDENT, INDENT);
	fputc('\n', report->out);
	scope_causal_effect_notes(effect, &notes);
	for (unsigned i = 0; i < notes.count; i++) {
		fprintf(report->out, "%*s! ", INDENT, "");
		scope_report_section_wrapped(report, notes.text[i], INDENT + 2, INDENT + 2);
		fputc('\n', report->out);
	}
}

/* True if it was printed for an earlier finding of the same function. */
static bool printed_before(const struct scope_report_causal *causal, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (causal->finding[i].number == causal->finding[index].number)
			return true;
	return false;
}

int scope_report_section_causal(const struct report *report)
{
	const struct scope_report_causal *causal = report->style->causal;
	const struct scope_causal_result *result = causal ? causal->result : NULL;
	struct scope_text length;
	uint64_t elapsed_ns = 0;

	if (!causal)
		return 0;
	fputs("  held up on purpose: ", report->out);
	if (!result) {
		fputs("nobody, ", report->out);
		scope_report_section_wrapped(report, causal->why, 30, INDENT);
		fputs("\n\n", report->out);
		return 0;
	}
	for (size_t i = 0; i < result->count; i++)
		elapsed_ns += result->experiment[i].elapsed_ns;
	fprintf(report->out, "%zu experiment%s in %s · seed %" PRIu64 " · progress: %s\n", result->count,
		result->count == 1 ? "" : "s", scope_report_format_window(&length, elapsed_ns), result->seed,
		result->progress);
	if (result->ended[0]) {
		fprintf(report->out, "%*s! %zu were planned: ", INDENT, "", result->planned);
		scope_report_section_wrapped(report, result->ended, INDENT + 25, INDENT + 2);
		fputc('\n', report->out);
	}
	for (size_t i = 0; i < report->analysis->ranking->findings; i++)
		if (scope_report_effect(causal, i) && !printed_before(causal, i))
			print_one(report, i, scope_report_effect(causal, i));
	fputs("     the curves: scope delay sensitivity -p PID --site function:NAME\n\n", report->out);
	return 0;
}
