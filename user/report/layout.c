// SPDX-License-Identifier: GPL-2.0-only
/* The tables of the text report's labels and columns. */
#include "report/layout.h"

#include "report/numbers.h"
#include "timeline/class.h"

const char *const scope_report_label_text[SCOPE_LABELS] = {
#define X(name, text) [SCOPE_LABEL_##name] = text,
	SCOPE_SCREEN_LABEL_LIST(X) SCOPE_DETAIL_LABEL_LIST(X)
#undef X
};

const struct scope_times_column scope_report_times_column[SCOPE_TIMES_COLUMNS] = {
#define X(head, parts) { head, parts },
	SCOPE_TIMES_COLUMN_LIST(X)
#undef X
};

static const struct {
	const char *head, *stuck;
	unsigned width;
	bool right;
	int gap;
} ranking[SCOPE_RANKING_COLUMNS] = {
#define X(name, head, stuck, width, right, gap) [SCOPE_RANKING_##name] = { head, stuck, width, right, gap },
	SCOPE_RANKING_COLUMN_LIST(X)
#undef X
};

unsigned scope_report_ranking_width(enum scope_ranking_column column)
{
	return ranking[column].width;
}

void scope_report_ranking_cell(enum scope_ranking_column column, const char *text, FILE *out)
{
	const unsigned used = scope_report_format_columns(text);

	if (ranking[column].right)
		fprintf(out, "%*s%s", used < ranking[column].width ? (int)(ranking[column].width - used) : 0, "", text);
	else if (ranking[column].width)
		scope_report_format_padded(out, text, ranking[column].width);
	else
		fprintf(out, "%s\n", text);
	fprintf(out, "%*s", ranking[column].gap, "");
}

void scope_report_ranking_heads(const char *stuck, FILE *out)
{
	fputs("  ", out);
	for (int column = 0; column < SCOPE_RANKING_COLUMNS; column++)
		scope_report_ranking_cell((enum scope_ranking_column)column,
					  !stuck			  ? ranking[column].head
					  : column == SCOPE_RANKING_COUNT ? stuck
									  : ranking[column].stuck,
					  out);
}
