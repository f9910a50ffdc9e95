// SPDX-License-Identifier: GPL-2.0-only
/* Where latencies vary, as text. */
#include "report/variance_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/syscall_name.h"
#include "report/numbers.h"
#include "report/object.h"
#include "report/section.h"
#include "report/waits_text.h"
#include "variance/forest.h"

#define KINDS 3		 /* no rule: kinds in the section */
#define EDGES 3		 /* no rule: of a kind */
#define EDGE_SHARE 0.1	 /* of the variance, or of p99 − p50: an edge with less is left out */
#define SECTION_CV 0.25	 /* standard deviation over mean: kinds with less are left out of the section */
#define REQUESTS_MIN 100 /* of a kind: fewer are left out of the section */
#define WORTH 0.1	 /* of an edge's share: a function or a wait with less is left out */
#define STACKS_MIN 5	 /* of a function, to be named */
#define NAMES 2		 /* no rule: functions, or waits, of an edge */

static const char *point_name(struct scope_edge_text *buffer, const struct scope_analysis *analysis, uint32_t point)
{
	const uint16_t number = scope_variance_point_number(point);
	const char *of_what = scope_report_object_kind(scope_variance_point_of_what(point));
	const char *name;
	char key[32];

	switch (scope_variance_point_kind(point)) {
	case SCOPE_POINT_END:
		return strcpy(buffer->text, "end");
	case SCOPE_POINT_PROBE:
		snprintf(key, sizeof(key), SCOPE_META_PROBE "%u", number);
		name = scope_trace_meta(analysis->trace, key);
		snprintf(buffer->text, sizeof(buffer->text), "%.100s", name ? name : key);
		return buffer->text;
	case SCOPE_POINT_ENTER:
	case SCOPE_POINT_RETURN:
		name = scope_syscall_name(number);
		if (name)
			snprintf(buffer->text, sizeof(buffer->text), "%s", name);
		else
			snprintf(buffer->text, sizeof(buffer->text), "syscall %u", number);
		if (of_what)
			snprintf(buffer->text + strlen(buffer->text), sizeof(buffer->text) - strlen(buffer->text),
				 "(%s)", of_what);
		return buffer->text;
	default:
		return strcpy(buffer->text, "begin");
	}
}

const char *scope_report_edge(struct scope_edge_text *buffer, const struct scope_analysis *analysis, uint64_t edge)
{
	struct scope_edge_text from, to;

	if (edge == SCOPE_EDGE_UNSEEN)
		return strcpy(buffer->text, "not seen");
	if (edge == SCOPE_EDGE_EARLIER)
		return strcpy(buffer->text, "its first part");
	if (edge == SCOPE_EDGE_HELD)
		return strcpy(buffer->text, "in no thread, between its parts");
	point_name(&from, analysis, scope_variance_edge_from(edge));
	if (scope_variance_edge_is_call(edge))
		snprintf(buffer->text, sizeof(buffer->text), "in %.100s", from.text);
	else
		snprintf(buffer->text, sizeof(buffer->text), "%.70s → %.70s", from.text,
			 point_name(&to, analysis, scope_variance_edge_to(edge)));
	return buffer->text;
}

#define NAME_WIDTH 40 /* no rule: columns of a function's name */

/* Appends a name; a long one is shortened. */
static void add_name(char *text, size_t room, const char *name)
{
	char cut[4 * NAME_WIDTH + 1] = "";
	FILE *to;

	if (scope_report_format_columns(name) <= NAME_WIDTH) {
		scope_report_append(text, room, "%s", name);
		return;
	}
	to = fmemopen(cut, sizeof(cut), "w");
	if (!to)
		return;
	scope_report_format_name(to, name, NAME_WIDTH);
	fclose(to);
	for (size_t end = strlen(cut); end && cut[end - 1] == ' '; end--)
		cut[end - 1] = '\0';
	scope_report_append(text, room, "%s", cut);
}

/* Appends the functions with enough of the edge's share, as shares of all its stacks. */
static void add_functions(const struct scope_variance_kind *kind, const struct scope_edge_sums *edge, char *text,
			  size_t room)
{
	double all = 0;
	unsigned names = 0;

	for (size_t i = 0; i < kind->functions; i++)
		if (kind->function[i].edge == edge->edge)
			all += kind->function[i].share;
	for (size_t i = 0; i < kind->functions && names < NAMES; i++) {
		const struct scope_edge_function *one = &kind->function[i];
		const double part = all * edge->share > 0 ? one->share / all : 0;

		if (one->edge != edge->edge || !one->function || one->stacks < STACKS_MIN || part < WORTH)
			continue;
		scope_report_append(text, room, "%s", names++ ? ", " : "; ");
		add_name(text, room, one->function->name);
		scope_report_append(text, room, " %.0f %%", 100 * fmin(part, 1));
	}
}

/* Appends what the call waited for. */
static void add_waits(const struct scope_analysis *analysis, const struct scope_variance_kind *kind,
		      const struct scope_edge_sums *edge, char *text, size_t room)
{
	const struct scope_groups *groups = analysis->found.groups;
	unsigned names = 0;

	if (!scope_variance_edge_is_call(edge->edge))
		return;
	for (size_t i = 0; i < kind->waits && names < NAMES; i++) {
		const struct scope_variance_wait *one = &kind->wait[i];

		if (one->nr != scope_variance_point_number(scope_variance_edge_from(edge->edge)) ||
		    one->share < WORTH * edge->share)
			continue;
		scope_report_append(text, room, "%s", names++ ? ", " : " for ");
		if (one->end != SCOPE_END_OUTSIDE && one->end != SCOPE_END_PROCESS && one->group < groups->count)
			scope_report_append(text, room, "%s: ", groups->group[one->group].name);
		scope_report_append(text, room, "%s %.0f %%", scope_report_end(one->end, one->class),
				    100 * fmin(one->share / edge->share, 1));
	}
}

static void edge_why(const struct scope_analysis *analysis, const struct scope_variance_kind *kind,
		     const struct scope_edge_sums *edge, char *text, size_t room)
{
	static const char *const word[SCOPE_EDGE_PARTS] = {
		[SCOPE_EDGE_RUNS] = "runs",
		[SCOPE_EDGE_SLEEPS] = "sleeps",
		[SCOPE_EDGE_QUEUES] = "waits for a CPU",
	};
	unsigned most = 0;
	double share[SCOPE_EDGE_PARTS];

	for (unsigned part = 0; part < SCOPE_EDGE_PARTS; part++) {
		share[part] = fabs(scope_variance_share(&kind->spread, &edge->part[part]));
		if (share[part] > share[most])
			most = part;
	}
	snprintf(text, room, "%s", word[most]);
	if (most == SCOPE_EDGE_SLEEPS)
		add_waits(analysis, kind, edge, text, room);
	if (most != SCOPE_EDGE_QUEUES && kind->cv >= scope_variance_forest_defaults.cv)
		add_functions(kind, edge, text, room);
}

void scope_report_edge_line(const struct scope_analysis *analysis, const struct scope_variance_kind *kind,
			    const struct scope_edge_sums *edge, double mean_ns, char *text, size_t room)
{
	struct scope_edge_text name;
	struct scope_text mean;
	char why[320], tail[48] = "";

	edge_why(analysis, kind, edge, why, sizeof(why));
	if (!isnan(edge->tail_share))
		snprintf(tail, sizeof(tail), " (%.0f %% of p99 − p50)", 100 * edge->tail_share);
	snprintf(text, room, "%s, %s on average%s: %s", scope_report_edge(&name, analysis, edge->edge),
		 scope_report_format_ns(&mean, mean_ns), tail, why);
}

static void print_edge(const struct report *report, const struct scope_variance_kind *kind,
		       const struct scope_edge_sums *edge)
{
	char text[640];

	scope_report_edge_line(report->analysis, kind, edge, edge->all.sum / (double)kind->spread.units, text,
			       sizeof(text));
	fprintf(report->out, "    %4.0f %%  ", 100 * edge->share);
	scope_report_section_wrapped(report, text, 12, 12);
	fputc('\n', report->out);
}

static void print_kind(const struct report *report, const struct scope_variance_kind *kind)
{
	struct scope_text count, mean, p50, p99;
	unsigned edges = 0;

	fprintf(report->out, "  %s: %s requests of %s, ± %.0f %%; half take up to %s, 99 %% up to %s\n",
		report->analysis->found.groups->group[kind->group].name,
		scope_report_format_count(&count, kind->spread.units), scope_report_format_ns(&mean, kind->mean_ns),
		100 * kind->cv, scope_report_format_ns(&p50, (double)kind->p50_ns),
		scope_report_format_ns(&p99, (double)kind->p99_ns));
	if (kind->between >= EDGE_SHARE)
		fprintf(report->out, "    %4.0f %%  between requests of %zu paths, which make other calls\n",
			100 * kind->between, kind->paths);
	for (size_t i = 0; i < kind->edges && edges < EDGES; i++) {
		const struct scope_edge_sums *edge = &kind->edge[i];

		if (fabs(edge->share) < EDGE_SHARE && !(edge->tail_share >= EDGE_SHARE))
			continue;
		print_edge(report, kind, edge);
		edges++;
	}
}

int scope_report_section_variance(const struct report *report)
{
	const struct scope_variance *variance = report->analysis->variance;
	unsigned kinds = 0;

	/* Findings explain the latency already. */
	if (!variance || report->analysis->ranking->findings)
		return 0;
	for (size_t i = 0; i < variance->kinds && kinds < KINDS; i++) {
		const struct scope_variance_kind *kind = &variance->kind[i];

		if (kind->cv < SECTION_CV || kind->spread.units < REQUESTS_MIN)
			continue;
		if (!kinds++)
			fputs("  where latencies vary, by the stretch between two calls\n", report->out);
		print_kind(report, kind);
	}
	if (kinds)
		fputc('\n', report->out);
	return 0;
}
