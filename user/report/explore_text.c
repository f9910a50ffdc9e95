// SPDX-License-Identifier: GPL-2.0-only
/* The hypotheses about where latencies come from, as text. */
#include <math.h>
#include <string.h>

#include "report/numbers.h"
#include "report/variance_text.h"

#define LINES 15	 /* of a screen */
#define SHARE 0.05	 /* of the kind's variance: a path with less is for -v */
#define KEY_MIN 0.5	 /* correlation: with less a key is left out */
#define KEY_REQUESTS 100 /* of a kind: with fewer such correlations occur by chance */
#define EXCESSES 3	 /* no rule: edges of one request */
#define INDENT 4

/* The output, and the number of lines that are left. */
struct screen {
	const struct scope_analysis *analysis;
	const struct scope_forest_limits *limits;
	FILE *out;
	unsigned width, lines;
	bool all;
};

static unsigned count_lines(const char *text, unsigned width)
{
	return 1 + scope_report_format_columns(text) / (width - INDENT - 4);
}

/* Prints a sentence, unless it needs more lines than are left. */
static void print(struct screen *screen, unsigned indent, const char *text)
{
	const unsigned lines = count_lines(text, screen->width);

	if (!screen->all && screen->lines < lines) {
		screen->lines = 0;
		return;
	}
	screen->lines -= screen->all ? 0 : lines;
	fprintf(screen->out, "%*s", (int)indent, "");
	scope_report_format_wrapped_to(screen->out, text, indent, indent + 2, screen->width);
	fputc('\n', screen->out);
}

static const char *name_of(const struct scope_analysis *analysis, const struct scope_variance_kind *kind)
{
	return analysis->found.groups->group[kind->group].name;
}

static void say_figures(char *text, size_t room, uint64_t requests, double mean_ns, double cv)
{
	struct scope_text count, mean;

	snprintf(text, room, "%s requests of %s, ± %.*f %%", scope_report_format_count(&count, requests),
		 scope_report_format_ns(&mean, mean_ns), cv < 0.0995, 100 * cv);
}

/* The same edge of the kind, for which functions and waits are known. */
static const struct scope_edge_sums *edge_of(const struct scope_variance_kind *kind, uint64_t edge)
{
	for (size_t i = 0; i < kind->edges; i++)
		if (kind->edge[i].edge == edge)
			return &kind->edge[i];
	return NULL;
}

static void say_state(const struct screen *screen, const struct scope_variance_kind *kind,
		      enum scope_forest_state state, char *text, size_t room)
{
	struct scope_text slow;

	switch (state) {
	case SCOPE_FOREST_FEW:
		snprintf(text, room, "too few to say anything");
		break;
	case SCOPE_FOREST_EVEN:
		snprintf(text, room, "even: within ± %.0f %%", 100 * screen->limits->cv);
		break;
	case SCOPE_FOREST_UNPREDICTABLE:
		snprintf(text, room, "unpredictable: more than ± %.0f %%", 100 * screen->limits->cv);
		break;
	case SCOPE_FOREST_SLOW:
		snprintf(text, room, "consistently slow: %.0f %% of the kind take less than %s",
			 100 * screen->limits->slow,
			 scope_report_format_ns(&slow, scope_variance_slow_ns(kind, screen->limits)));
		break;
	}
}

static void print_path(struct screen *screen, const struct scope_variance_kind *kind, size_t number)
{
	const struct scope_variance_path *path = kind->path[number];
	const enum scope_forest_state state = scope_variance_judge(kind, path, screen->limits);
	double share = 0;
	const struct scope_edge_sums *suspect = scope_variance_suspect(path, state, &share);
	const struct scope_edge_sums *edge = suspect ? edge_of(kind, suspect->edge) : NULL;
	char text[900], figures[128], why[160], line[640];

	if (!screen->all && (!suspect || (state == SCOPE_FOREST_UNPREDICTABLE && path->share < SHARE)))
		return;
	say_figures(figures, sizeof(figures), path->spread.units, path->mean_ns, path->cv);
	say_state(screen, kind, state, why, sizeof(why));
	snprintf(text, sizeof(text), "path %zu: %s; %s", number + 1, figures, why);
	print(screen, 2, text);
	if (!edge)
		return;
	scope_report_edge_line(screen->analysis, kind, edge, suspect->all.sum / (double)path->spread.units, line,
			       sizeof(line));
	snprintf(text, sizeof(text), "%.0f %% of its %s: %s", 100 * share,
		 state == SCOPE_FOREST_SLOW ? "time" : "variance", line);
	print(screen, INDENT, text);
}

/* Prints the keys correlated with the latency. This is no proof of a cause. */
static void print_keys(struct screen *screen, const struct scope_variance_kind *kind)
{
	static const char *const word[SCOPE_KEYS] = {
		[SCOPE_KEY_BYTES] = "bytes read and written",
		[SCOPE_KEY_CALLS] = "the number of calls",
		[SCOPE_KEY_PAUSE] = "the time since the thread's last request",
	};
	char text[200];

	if (kind->spread.units < KEY_REQUESTS)
		return;
	for (unsigned key = 0; key < SCOPE_KEYS; key++) {
		if (fabs(kind->key[key]) < KEY_MIN)
			continue;
		snprintf(text, sizeof(text), "latency goes with %s: R %.2f", word[key], kind->key[key]);
		print(screen, 2, text);
	}
}

static void print_kind(struct screen *screen, const struct scope_variance_kind *kind)
{
	char text[320], figures[128];

	say_figures(figures, sizeof(figures), kind->spread.units, kind->mean_ns, kind->cv);
	snprintf(text, sizeof(text), "%s: %s, in %zu path%s", name_of(screen->analysis, kind), figures, kind->paths,
		 kind->paths == 1 ? "" : "s");
	if (kind->between >= SHARE)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "; %.0f %% of the variance is between them",
			 100 * kind->between);
	print(screen, 0, text);
	print_keys(screen, kind);
	for (size_t i = 0; i < kind->paths; i++)
		print_path(screen, kind, i);
}

static void print_excesses(struct screen *screen, const struct scope_variance_path *path,
			   const struct scope_unit_edges *edges)
{
	uint64_t printed = 0; /* a bit for each edge */

	for (unsigned n = 0; n < EXCESSES; n++) {
		struct scope_edge_text name;
		struct scope_text excess;
		uint32_t most = UINT32_MAX;
		char text[320];

		for (uint32_t i = 0; i < edges->count && i < 64; i++)
			if (!(printed >> i & 1) &&
			    (most == UINT32_MAX || scope_variance_excess(path, &edges->edge[i]) >
							   scope_variance_excess(path, &edges->edge[most])))
				most = i;
		if (most == UINT32_MAX || scope_variance_excess(path, &edges->edge[most]) <= 0)
			return;
		printed |= 1ull << most;
		snprintf(text, sizeof(text), "%s longer than usual: %s",
			 scope_report_format_ns(&excess, scope_variance_excess(path, &edges->edge[most])),
			 scope_report_edge(&name, screen->analysis, edges->edge[most].edge));
		print(screen, INDENT, text);
	}
}

/* Prints the path's hypothesis, and how much of the request's own excess it explains. */
static void print_suspect(struct screen *screen, const struct scope_forest_place *place,
			  const struct scope_variance_request *request)
{
	const double all_ns = (double)(request->end_ns - request->begin_ns) - place->path->mean_ns;
	struct scope_edge_text name;
	struct scope_text there, all;
	char text[400];
	double ns = 0;

	for (uint32_t i = 0; i < request->edges.count; i++)
		if (request->edges.edge[i].edge == place->suspect->edge)
			ns = scope_variance_excess(place->path, &request->edges.edge[i]);
	snprintf(text, sizeof(text),
		 "%.0f %% of the path's %s: %s; there it took %s %s than the path's mean, of %s %s in all",
		 100 * place->share, place->state == SCOPE_FOREST_SLOW ? "time" : "variance",
		 scope_report_edge(&name, screen->analysis, place->suspect->edge),
		 scope_report_format_ns(&there, fabs(ns)), ns < 0 ? "less" : "more",
		 scope_report_format_ns(&all, fabs(all_ns)), all_ns < 0 ? "less" : "more");
	print(screen, INDENT, text);
}

/* Prints the hypothesis to which one request belongs, and the edges that explain it. */
static void print_why(struct screen *screen, const struct scope_variance_request *request)
{
	const struct scope_timeline *timeline = screen->analysis->units->timeline;
	const struct scope_thread *thread = scope_timeline_threads_at(timeline->threads, request->thread);
	const struct scope_forest_place place =
		scope_variance_place(screen->analysis->variance, request, screen->limits);
	struct scope_text took;
	char text[400], why[160];

	snprintf(text, sizeof(text), "A request of %s in %s (tid %u), %.3f s into the trace, is of %s, ",
		 scope_report_format_ns(&took, (double)(request->end_ns - request->begin_ns)), thread->comm,
		 thread->tid, (double)(request->begin_ns - timeline->begin_ns) / 1e9,
		 screen->analysis->found.groups->group[request->group].name);
	if (place.path) {
		say_state(screen, place.kind, place.state, why, sizeof(why));
		scope_report_append(text, sizeof(text), "path %zu, which is %s", place.number, why);
	} else {
		scope_report_append(text, sizeof(text), "of which too few requests came for a hypothesis");
	}
	print(screen, 0, text);
	if (place.suspect)
		print_suspect(screen, &place, request);
	if (place.path)
		print_excesses(screen, place.path, &request->edges);
}

/* Prints that no request has that number. */
static void print_no_request(struct screen *screen)
{
	const size_t count = screen->analysis->paths ? screen->analysis->paths->count : 0;
	char text[160];

	snprintf(text, sizeof(text), "There is no request %u of --why: %zu slow request%s known.",
		 screen->analysis->why, count, count == 1 ? " is" : "s are");
	print(screen, 0, text);
}

int scope_report_explore_text(const struct scope_analysis *analysis, const struct scope_report_style *style,
			      const struct scope_forest_limits *limits, FILE *out)
{
	const struct scope_variance *variance = analysis->variance;
	struct screen screen = {
		.analysis = analysis,
		.limits = limits,
		.out = out,
		.width = scope_report_style_columns(style),
		.lines = LINES,
		.all = style->verbose,
	};

	if (variance->request)
		print_why(&screen, variance->request);
	else if (analysis->why)
		print_no_request(&screen);
	for (size_t i = 0; i < variance->kinds; i++)
		print_kind(&screen, &variance->kind[i]);
	if (!variance->kinds)
		print(&screen, 0,
		      "No kind has enough requests to say where they differ: trace for longer, or under load.");
	return 0;
}
