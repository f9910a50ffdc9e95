// SPDX-License-Identifier: GPL-2.0-only
/* The results of an exploration, as text. */
#include <math.h>
#include <string.h>

#include "report/explored.h"
#include "report/numbers.h"
#include "report/variance_text.h"

struct screen {
	const struct scope_explored *explored;
	const struct scope_analysis *first;
	FILE *out;
	unsigned width;
};

static void print(const struct screen *screen, unsigned indent, const char *text)
{
	fprintf(screen->out, "%*s", (int)indent, "");
	scope_report_format_wrapped_to(screen->out, text, indent, indent + 2, screen->width);
	fputc('\n', screen->out);
}

static const char *word_of(const struct scope_explore_tree *tree)
{
	return tree->state == SCOPE_FOREST_SLOW ? "time" : "variance";
}

static void add_requests(char *text, size_t room, uint64_t requests, double mean_ns, double cv)
{
	struct scope_text count, mean;

	scope_report_append(text, room, "%s of %s ± %.0f %%", scope_report_format_count(&count, requests),
			    scope_report_format_ns(&mean, mean_ns), 100 * cv);
}

/* "+ check_7: 98 % of the variance, in 300 requests of 6.1 ms ± 4 %; 2.4K without it, of 1.1 ms ± 2 %". */
static void say_step(const struct scope_explore_tree *tree, const struct scope_explore_step *step, char *text,
		     size_t room)
{
	const struct scope_call_function *function =
		step->stacks || step->function >= tree->paths.functions ? NULL : &tree->paths.function[step->function];

	text[0] = '\0';
	if (step->stacks) {
		scope_report_append(text, room, "stacks: %zu call path%s of %zu functions", tree->paths.paths,
				    tree->paths.paths == 1 ? "" : "s", tree->paths.functions);
		return;
	}
	scope_report_append(text, room, "+ %s: ", function ? function->name : "?");
	switch (step->answer) {
	case SCOPE_SEARCH_NO_PLACE:
		scope_report_append(text, room, "%s: %s", step->taken_back ? "taken back" : "not probed",
				    step->why.text);
		return;
	case SCOPE_SEARCH_ENCLOSES:
		scope_report_append(text, room, "requests do not enter it: they are served inside one call of it");
		return;
	case SCOPE_SEARCH_NOT_ASKED:
		scope_report_append(text, room, "nothing was seen");
		return;
	default:
		break;
	}
	if (!step->with) {
		scope_report_append(text, room, "not called by these requests");
		return;
	}
	scope_report_append(text, room, "%.0f %% of the %s; with it ", 100 * step->share, word_of(tree));
	add_requests(text, room, step->with, step->with_ns, step->with_cv);
	if (step->calls >= 1.5)
		scope_report_append(text, room, ", %.0f calls each", step->calls);
	if (step->without) {
		scope_report_append(text, room, "; without it ");
		add_requests(text, room, step->without, step->without_ns, step->without_cv);
	}
}

void scope_report_explored_round(const struct scope_explore *explore, const struct scope_explore_plan *plan, char *text,
				 size_t room)
{
	const struct scope_explore_tree *tree = plan->tree < 0 ? NULL : &explore->tree[plan->tree];
	char step[320];

	text[0] = '\0';
	if (!tree) {
		scope_report_append(text, room, "skeleton: %zu kind%s of requests, %zu to examine", explore->kinds,
				    explore->kinds == 1 ? "" : "s", explore->trees);
		return;
	}
	if (!tree->steps || tree->step[tree->steps - 1].round != explore->rounds) {
		scope_report_append(text, room, "%s: too few of these requests, or they did not vary", tree->group);
		return;
	}
	say_step(tree, &tree->step[tree->steps - 1], step, sizeof(step));
	scope_report_append(text, room, "%s: %s", tree->group, step);
}

static const char *found_name(const struct scope_explore_tree *tree)
{
	return tree->found && tree->function < tree->paths.functions ? tree->paths.function[tree->function].name : "";
}

static const char *module_of(const struct scope_explore_tree *tree)
{
	return tree->found && tree->function < tree->paths.functions ? tree->paths.function[tree->function].module : "";
}

static void say_end(const struct scope_explore_tree *tree, char *text, size_t room)
{
	const char *name = found_name(tree), *module = module_of(tree);

	text[0] = '\0';
	switch (tree->end) {
	case SCOPE_EXPLORE_FOUND:
		scope_report_append(text, room, "found: %s (%s), in its own code", name, module);
		break;
	case SCOPE_EXPLORE_CALLED:
		scope_report_append(text, room, "found: a call that %s makes; what is below it was not probed",
				    tree->caller);
		break;
	case SCOPE_EXPLORE_NOT_SPLIT:
		if (tree->found)
			scope_report_append(text, room, "found: %s (%s); it cannot be split further: ", name, module);
		else
			scope_report_append(text, room, "this stretch cannot be split further: ");
		scope_report_append(text, room, "most of it is in %s, which %s", tree->inside,
				    tree->nameless ? "has no name: install debug symbols" : "cannot be probed");
		break;
	case SCOPE_EXPLORE_NO_STACKS:
		scope_report_append(text, room, "this stretch cannot be split: no stack was taken in it");
		break;
	case SCOPE_EXPLORE_NO_FUNCTION:
		scope_report_append(text, room,
				    "this stretch cannot be split: no function of the program in it has a name%s%s",
				    tree->inside[0] ? "; most of it is in " : "", tree->inside);
		break;
	case SCOPE_EXPLORE_SPREAD:
		if (tree->found)
			scope_report_append(text, room, "found: %s (%s); no function that it calls has most of it",
					    name, module);
		else
			scope_report_append(text, room, "no function that was probed has most of it");
		break;
	case SCOPE_EXPLORE_FEW:
		scope_report_append(text, room, "not found: too few of these requests came again");
		break;
	case SCOPE_EXPLORE_GONE:
		scope_report_append(text, room, "not found: these requests did not vary any more");
		break;
	case SCOPE_EXPLORE_BUDGET:
		scope_report_append(text, room, "not found: the budget is spent");
		break;
	case SCOPE_EXPLORE_OPEN:
		scope_report_append(text, room, "ended early%s%s", tree->found ? ": so far it is in " : "", name);
		break;
	}
	if (tree->kernel && tree->caller[0])
		scope_report_append(text, room, "; below a call that %s makes", tree->caller);
}

/* The kind and edge in the analysis of the first round; NULL: they are not there. */
static const struct scope_variance_kind *kind_of(const struct scope_analysis *first, const char *name)
{
	const struct scope_variance *variance = first->variance;

	for (size_t i = 0; variance && i < variance->kinds; i++)
		if (!strcmp(first->found.groups->group[variance->kind[i].group].name, name))
			return &variance->kind[i];
	return NULL;
}

static void say_edge(const struct screen *screen, const struct scope_explore_tree *tree, char *text, size_t room)
{
	const struct scope_variance_kind *kind = kind_of(screen->first, tree->group);
	struct scope_edge_text name;
	struct scope_text mean;

	for (size_t i = 0; kind && i < kind->edges; i++) {
		if (kind->edge[i].edge != tree->edge)
			continue;
		scope_report_edge_line(screen->first, kind, &kind->edge[i], tree->edge_ns, text, room);
		return;
	}
	snprintf(text, room, "%s, %s on average: %s", scope_report_edge(&name, screen->first, tree->edge),
		 scope_report_format_ns(&mean, tree->edge_ns), tree->sleeps ? "sleeps" : "runs");
}

static void name_path(const struct scope_explore_tree *tree, char *text, size_t room)
{
	if (tree->key[0])
		snprintf(text, room, "path %u, %s %.6g to %.6g", tree->number, tree->key, tree->key_from, tree->key_to);
	else if (tree->number)
		snprintf(text, room, "path %u", tree->number);
	else
		snprintf(text, room, "all paths together");
}

static void print_tree(const struct screen *screen, const struct scope_explore_tree *tree)
{
	char text[900], edge[640], step[400];

	name_path(tree, text, sizeof(text));
	scope_report_append(text, sizeof(text), ": ");
	add_requests(text, sizeof(text), tree->requests, tree->mean_ns, tree->cv);
	scope_report_append(text, sizeof(text), "; %s",
			    tree->state == SCOPE_FOREST_SLOW ? "consistently slow" : "unpredictable");
	print(screen, 2, text);
	say_edge(screen, tree, edge, sizeof(edge));
	snprintf(text, sizeof(text), "%.0f %% of the %s: %s", 100 * tree->edge_share, word_of(tree), edge);
	print(screen, 4, text);
	for (unsigned i = 0; i < tree->steps; i++) {
		say_step(tree, &tree->step[i], step, sizeof(step));
		snprintf(text, sizeof(text), "round %u, %s", tree->step[i].round, step);
		print(screen, 6, text);
	}
	say_end(tree, text, sizeof(text));
	print(screen, 4, text);
}

static void print_key(const struct screen *screen, const struct scope_key_relation *key, unsigned tried)
{
	char text[400] = "";

	if (key->none) {
		if (key->asked) {
			scope_report_append(text, sizeof(text), "%s: too few values, or always the same one",
					    key->name);
			print(screen, 2, text);
		}
		return;
	}
	if (scope_explore_key_holds(key))
		scope_report_append(text, sizeof(text),
				    "latency goes with %s: R %.2f (%.2f to %.2f), of ranks %.2f, p %.2g of %u tried",
				    key->name, key->latency.r, key->latency.low, key->latency.high, key->latency.rho,
				    key->latency.p, tried);
	if (!key->queue_none && key->queue.p <= SCOPE_RELATE_CHANCE && fabs(key->queue.r) >= SCOPE_RELATE_STRENGTH)
		scope_report_append(text, sizeof(text), "%s%s goes with the number of requests in work: R %.2f",
				    text[0] ? "; " : "", text[0] ? "it" : key->name, key->queue.r);
	if (text[0])
		print(screen, 2, text);
	if (!scope_explore_key_holds(key) || key->explained < SCOPE_KEY_EXPLAINS)
		return;
	snprintf(text, sizeof(text), "it explains %.0f %% of the variance, by bins", 100 * key->explained);
	print(screen, 4, text);
	for (unsigned i = 0; i < key->bins; i++) {
		snprintf(text, sizeof(text), "%s %.6g to %.6g: ", key->name, key->bin[i].from, key->bin[i].to);
		add_requests(text, sizeof(text), key->bin[i].requests, key->bin[i].mean_ns, key->bin[i].cv);
		print(screen, 6, text);
	}
}

static void print_kind(const struct screen *screen, const struct scope_explore_kind *kind)
{
	const struct scope_explore *explore = screen->explored->explore;
	char text[400];
	unsigned trees = 0;

	snprintf(text, sizeof(text), "%s: ", kind->name);
	add_requests(text, sizeof(text), kind->requests, kind->mean_ns, kind->cv);
	if (kind->queues >= SCOPE_EXPLORE_SHARE_MIN)
		scope_report_append(
			text, sizeof(text),
			", without waits for a CPU, which are %.0f %% of the variance (± %.0f %% with them)",
			100 * fmin(kind->queues, 1), 100 * kind->wall_cv);
	print(screen, 0, text);
	for (unsigned i = 0; i < kind->keys.keys; i++)
		print_key(screen, &kind->keys.key[i], kind->keys.keys);
	for (size_t i = 0; i < explore->trees; i++) {
		if (strcmp(explore->tree[i].group, kind->name) != 0)
			continue;
		print_tree(screen, &explore->tree[i]);
		trees++;
	}
	if (!trees)
		print(screen, 2,
		      kind->cv > explore->options.limits.cv
			      ? "no path of enough requests is unpredictable, or consistently slow"
			      : "even: nothing to explore");
}

/* Prints the tree of the request of --why. */
static void print_why_tree(const struct screen *screen)
{
	const struct scope_variance_request *request = screen->first->variance->request;
	const char *group = screen->first->found.groups->group[request->group].name;
	const struct scope_explore_tree *tree =
		scope_explore_tree_of(screen->explored->explore, group, screen->explored->why_hash);
	char text[900], end[640], path[160];

	if (tree) {
		say_end(tree, end, sizeof(end));
		name_path(tree, path, sizeof(path));
		snprintf(text, sizeof(text), "The request of --why is of %s, %s: %s", group, path, end);
	} else {
		snprintf(text, sizeof(text), "The request of --why is of %s, and of no path above.", group);
	}
	print(screen, 0, text);
}

static void print_cost(const struct screen *screen)
{
	const struct scope_explored *explored = screen->explored;
	const struct scope_explore *explore = explored->explore;
	struct scope_text round, apart;
	char text[500] = "";

	scope_report_append(text, sizeof(text), "%u round%s of %s; %u function%s probed", explore->rounds,
			    explore->rounds == 1 ? "" : "s", scope_report_format_ns(&round, (double)explored->round_ns),
			    explore->probed, explore->probed == 1 ? "" : "s");
	if (explore->functions_seen)
		scope_report_append(text, sizeof(text), " of %u of the program (%.1f %%)", explore->functions_seen,
				    100.0 * explore->probed / explore->functions_seen);
	scope_report_append(text, sizeof(text), ", by %u probes; %s at most %.1f %% of a CPU, of %.1f %% allowed",
			    explore->probes, strcmp(explored->source, "perf") != 0 ? "tracing took" : "these took",
			    explored->share_most / 10.0, explored->budget / 10.0);
	if (explored->pauses)
		scope_report_append(text, sizeof(text), "; %u pause%s because a buffer was more than half full",
				    explored->pauses, explored->pauses == 1 ? "" : "s");
	if (explored->looks_apart_ns > SCOPE_PROBING_LOOKS_NS)
		scope_report_append(text, sizeof(text), "; the buffers were not looked at for up to %s",
				    scope_report_format_ns(&apart, (double)explored->looks_apart_ns));
	if (explored->lost)
		scope_report_append(text, sizeof(text), "; %llu events were lost", (unsigned long long)explored->lost);
	if (explore->left_out)
		scope_report_append(text, sizeof(text), "; %zu more paths are left aside", explore->left_out);
	if (explored->interrupted)
		scope_report_append(text, sizeof(text), "; ended by a signal");
	print(screen, 0, text);
}

int scope_report_explored_text(const struct scope_explored *explored, const struct scope_analysis *first,
			       const struct scope_report_style *style, const struct scope_forest_limits *limits,
			       FILE *out)
{
	const struct screen screen = {
		.explored = explored,
		.first = first,
		.out = out,
		.width = scope_report_style_columns(style),
	};

	for (size_t i = 0; i < explored->explore->kinds; i++)
		print_kind(&screen, &explored->explore->kind[i]);
	if (!explored->explore->kinds)
		print(&screen, 0,
		      "No kind has enough requests to say where they differ: let rounds be longer (-d), or explore under "
		      "load.");
	print_cost(&screen);
	if (first->variance->request)
		print_why_tree(&screen);
	if (!style->verbose && !first->why)
		return 0;
	fputs("\nThe first round:\n", out);
	return scope_report_explore_text(first, style, limits, out);
}
