// SPDX-License-Identifier: GPL-2.0-only
/* The call tree of slow units beside usual ones, as JSON for a flame graph. */
#include "report/picture.h"

#include <stdlib.h>
#include <string.h>

#include "base/plain.h"

#define NODES_MAX 1200
#define NAME_MAX_BYTES 240
#define LEVELS 5 /* quantiles of slow units: each is a lower limit for which there are widths */

static const double quantiles[LEVELS] = { 0, 0.5, 0.95, 0.99, 0.999 };

/* A lower limit of the wall time of slow units. */
struct level {
	double quantile;
	uint64_t from_ns; /* the units at or above the limit */
	size_t units;
};

struct node {
	double slow[LEVELS], usual; /* ns; after sum() with all nodes below */
	uint32_t number;	    /* number in the output; UINT32_MAX: left out */
};

struct flame {
	const struct scope_analysis *analysis;
	const struct scope_tree *tree;
	struct level level[LEVELS];
	unsigned levels;
	struct node *node;
	bool stacks; /* stacks are counted instead of time */
};

static int compare_ns(const void *a, const void *b)
{
	const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return one < other ? -1 : one > other;
}

/* Chooses the levels; a level with the same number of units as the one before is left out. 0 or -ENOMEM. */
static int choose_levels(struct flame *flame)
{
	const struct scope_kept *kept = flame->analysis->kept;
	uint64_t *wall = calloc(kept->units->count + 1, sizeof(*wall));
	size_t count = 0;

	if (!wall)
		return -1;
	for (size_t i = 0; i < kept->units->count; i++)
		if (scope_anomaly_mark_abnormal(kept->mark[i]))
			wall[count++] = scope_unit_wall(&kept->units->unit[i]);
	qsort(wall, count, sizeof(*wall), compare_ns);
	for (unsigned i = 0; i < LEVELS; i++) {
		size_t at = (size_t)(quantiles[i] * (double)count), last;

		if (at >= count)
			at = count ? count - 1 : 0;
		while (at && wall[at - 1] == wall[at])
			at--;
		last = flame->levels ? flame->level[flame->levels - 1].units : SIZE_MAX;
		if (count - at < last)
			flame->level[flame->levels++] = (struct level){ quantiles[i], i ? wall[at] : 0, count - at };
	}
	free(wall);
	return 0;
}

/* Adds the stacks of slow units, and those of usual units, scaled to the same number. */
static void attribute_items(struct flame *flame)
{
	const struct scope_evidence *evidence = flame->analysis->evidence;
	const struct scope_units *units = flame->analysis->kept->units;

	for (size_t i = 0; i < evidence->items; i++) {
		const struct scope_item *item = &evidence->item[i];
		struct node *node = &flame->node[item->node];
		uint64_t wall;

		if (item->kind == SCOPE_ITEM_SPIN)
			continue;
		if (!item->abnormal) {
			node->usual -= item->excess_ns;
			continue;
		}
		wall = scope_unit_wall(&units->unit[item->unit]);
		for (unsigned level = 0; level < flame->levels; level++)
			if (wall >= flame->level[level].from_ns)
				node->slow[level] += item->excess_ns;
	}
}

/* Nodes come after their parents, so one pass backwards adds all sums. */
static void sum(struct flame *flame)
{
	for (size_t i = flame->tree->count; i-- > 1;) {
		struct node *parent = &flame->node[flame->tree->node[i].parent];

		parent->usual += flame->node[i].usual;
		for (unsigned level = 0; level < flame->levels; level++)
			parent->slow[level] += flame->node[i].slow[level];
	}
}

/* If nothing is slow, adds the stacks of threads that do not run, and the samples of those that spin. */
static void attribute_stacks(struct flame *flame)
{
	const struct scope_analysis *analysis = flame->analysis;
	const struct scope_evidence *evidence = analysis->evidence;

	flame->stacks = true;
	flame->levels = 1;
	flame->level[0] = (struct level){ .units = analysis->hang_count };
	memset(flame->node, 0, flame->tree->count * sizeof(*flame->node));
	for (size_t i = 0; i < analysis->hang_count; i++)
		if (analysis->hangs[i].kind == SCOPE_HANG_BLOCKED)
			flame->node[evidence->stopped_stack[analysis->hangs[i].thread].node].slow[0]++;
	for (size_t i = 0; i < evidence->items; i++)
		if (evidence->item[i].kind == SCOPE_ITEM_SPIN)
			flame->node[evidence->item[i].node].slow[0]++;
	sum(flame);
}

static double weight(const struct node *node)
{
	return node->slow[0] > node->usual ? node->slow[0] : node->usual;
}

static int compare_down(const void *a, const void *b)
{
	const double one = *(const double *)a, other = *(const double *)b;

	return one > other ? -1 : one < other;
}

/* The least weight of a node, so that at most NODES_MAX are written. */
static int choose_least(const struct flame *flame, double *ret_least)
{
	double *weights = calloc(flame->tree->count, sizeof(*weights));

	if (!weights)
		return -1;
	for (size_t i = 0; i < flame->tree->count; i++)
		weights[i] = weight(&flame->node[i]);
	qsort(weights, flame->tree->count, sizeof(*weights), compare_down);
	*ret_least = flame->tree->count > NODES_MAX ? weights[NODES_MAX] : 0;
	free(weights);
	return 0;
}

/* Cuts long names, because names of C++ may have thousands of characters. */
static json_t *make_text(const char *text)
{
	char *plain = text ? scope_plain_copy(text, SCOPE_PLAIN_SENTENCE) : NULL;
	size_t length = plain ? strlen(plain) : 0;
	json_t *string;

	if (length > NAME_MAX_BYTES) {
		for (length = NAME_MAX_BYTES; length && (plain[length] & 0xc0) == 0x80; length--)
			;
		plain[length] = '\0';
	}
	string = plain ? json_string(plain) : json_null();

	free(plain);
	return string;
}

/* [parent, function, module, usual, slow at each level]; the root has neither parent nor function. */
static json_t *make_node(const struct flame *flame, size_t index)
{
	const struct scope_function *function = flame->tree->node[index].function;
	const struct node *node = &flame->node[index];
	json_t *row = json_array();

	json_array_append_new(row,
			      index ? json_integer(flame->node[flame->tree->node[index].parent].number) : json_null());
	json_array_append_new(row, function ? make_text(scope_signatures_name(flame->analysis->signatures, function))
					    : json_null());
	json_array_append_new(row, function ? make_text(function->module) : json_null());
	json_array_append_new(row, json_integer((json_int_t)(node->usual > 0 ? node->usual : 0)));
	for (unsigned level = 0; level < flame->levels; level++)
		json_array_append_new(row, json_integer((json_int_t)(node->slow[level] > 0 ? node->slow[level] : 0)));
	return row;
}

static json_t *make_nodes(struct flame *flame)
{
	json_t *nodes = json_array();
	uint32_t written = 0;
	double least;

	if (choose_least(flame, &least)) {
		json_decref(nodes);
		return NULL;
	}
	for (size_t i = 0; i < flame->tree->count; i++) {
		struct node *node = &flame->node[i];
		const bool follows = !i || flame->node[flame->tree->node[i].parent].number != UINT32_MAX;

		node->number = UINT32_MAX;
		if (i && (!follows || weight(node) <= least || weight(node) <= 0))
			continue;
		node->number = written++;
		json_array_append_new(nodes, make_node(flame, i));
	}
	return nodes;
}

static json_t *make_levels(const struct flame *flame)
{
	json_t *levels = json_array();

	for (unsigned i = 0; i < flame->levels; i++)
		json_array_append_new(levels, json_pack("{s:f, s:I, s:I}", "quantile", flame->level[i].quantile,
							"from_ns", (json_int_t)flame->level[i].from_ns, "units",
							(json_int_t)flame->level[i].units));
	return levels;
}

json_t *scope_report_picture_flame(const struct scope_analysis *analysis)
{
	struct flame flame = { .analysis = analysis, .tree = &analysis->evidence->tree };
	json_t *made = NULL;

	flame.node = calloc(flame.tree->count + 1, sizeof(*flame.node));
	if (flame.node && !choose_levels(&flame)) {
		attribute_items(&flame);
		sum(&flame);
		if (flame.node[0].slow[0] <= 0)
			attribute_stacks(&flame);
		made = json_pack("{s:s, s:o, s:o}", "measure", flame.stacks ? "stacks" : "ns", "levels",
				 make_levels(&flame), "nodes", make_nodes(&flame));
	}
	free(flame.node);
	return made;
}
