// SPDX-License-Identifier: GPL-2.0-only
/* Names threads by their roles, from their call trees. */
#include "server/call_groups.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "evidence/stack_node.h"
#include "server/call_tree.h"

#define THREADS_MIN 4	    /* with fewer there is nothing to group */
#define STACKS_MIN 10	    /* of work, or a thread's tree is not known */
#define STACKS_ALL 100000u  /* no rule: that are looked at, of all threads */
#define STACKS_THREAD 16u   /* no rule: of one thread at least */
#define PREFIX_MIN 3	    /* letters that names have in common, to be a name */
#define MORE_MIN 0.05	    /* a share of work: a function with more than that distinguishes a group */
#define NO_LABEL UINT32_MAX /* no rule */

struct member {
	struct scope_call_tree work;
	uint32_t stacks, every; /* in the log, and which part of them is looked at */
	uint32_t loop;		/* node in which all its waits for work are; 0: none was seen, or nothing in common */
	bool waits;		/* one was seen */
	uint32_t label;		/* of its tree; NO_LABEL: it has too few stacks */
	uint32_t cell;
};

/* Threads that are one group in the end, or join another cell. */
struct cell {
	uint32_t group, loop, label;
	uint32_t threads;
	uint32_t into; /* the cell that it joined, or itself */
};

struct grouper {
	struct scope_trace *trace;
	const struct scope_distributions *distributions;
	const struct scope_groups *groups;
	const struct scope_pickups *pickups;
	struct scope_evidence *evidence; /* for its tree */
	struct scope_stack_nodes nodes;
	struct member *member;
	size_t threads;
	struct cell *cell;
	size_t cells, capacity;
};

static uint32_t common(const struct scope_tree *tree, uint32_t a, uint32_t b)
{
	while (a != b) {
		if (tree->node[a].depth >= tree->node[b].depth)
			a = tree->node[a].parent;
		else
			b = tree->node[b].parent;
	}
	return a;
}

static int count_stack(void *user, const struct scope_logged_stack *logged)
{
	struct grouper *all = user;

	if (logged->stack.thread < all->threads)
		all->member[logged->stack.thread].stacks++;
	return 0;
}

static bool is_wait(const struct grouper *all, const struct scope_logged_stack *logged)
{
	const struct scope_pickup *pickup = scope_unit_pickups_of(all->pickups, logged->stack.thread);

	if (!pickup || logged->reason == SCOPE_STACK_SAMPLE || logged->stack.nr == SCOPE_NR_NONE)
		return false;
	if (pickup->nr != SCOPE_NR_NONE)
		return logged->stack.nr == pickup->nr;
	return pickup->reads && scope_timeline_call_role(logged->stack.nr) == SCOPE_CALL_READ;
}

static int take_stack(void *user, const struct scope_logged_stack *logged)
{
	struct grouper *all = user;
	struct scope_stack_node at;
	struct scope_event event;
	struct member *member;
	int err;

	if (logged->stack.thread >= all->threads)
		return 0;
	member = &all->member[logged->stack.thread];
	if (member->stacks++ % member->every)
		return 0;
	err = scope_unit_log_stack_at(all->trace, logged, &event);
	if (!err)
		err = scope_evidence_stack_node_of_event(&all->nodes, logged->tgid, &event, &at);
	if (err || at.node == SCOPE_TREE_ROOT)
		return err;
	if (!is_wait(all, logged))
		return scope_server_call_tree_add(&member->work, at.node);
	member->loop = member->waits ? common(&all->evidence->tree, member->loop, at.node) : at.node;
	member->waits = true;
	return 0;
}

static int read_stacks(struct grouper *all)
{
	uint32_t most = STACKS_ALL / (uint32_t)all->threads;
	int err = scope_unit_log_stacks(all->distributions->log, count_stack, all);

	most = most > STACKS_THREAD ? most : STACKS_THREAD;
	for (size_t i = 0; i < all->threads; i++) {
		all->member[i].every = (all->member[i].stacks + most - 1) / most;
		all->member[i].every += !all->member[i].every;
		all->member[i].stacks = 0;
	}
	if (!err)
		err = scope_unit_log_stacks(all->distributions->log, take_stack, all);
	for (size_t i = 0; i < all->threads; i++)
		scope_server_call_tree_sort(&all->member[i].work);
	return err;
}

/* Labels threads by their trees. */
static int label(struct grouper *all)
{
	const struct scope_call_tree **tree = malloc((all->threads + 1) * sizeof(*tree));
	uint32_t *found = malloc((all->threads + 1) * sizeof(*found)), groups;
	size_t count = 0;
	int err = tree && found ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < all->threads; i++)
		if (all->member[i].work.stacks >= STACKS_MIN)
			tree[count++] = &all->member[i].work;
	if (!err)
		err = scope_server_call_tree_groups(tree, count, found, &groups);
	count = 0;
	for (size_t i = 0; !err && i < all->threads; i++)
		all->member[i].label = all->member[i].work.stacks >= STACKS_MIN ? found[count++] : NO_LABEL;
	free(tree);
	free(found);
	return err;
}

/* True if one of them leads to the other. Then both may be the same loop, with one of them seen deeper. */
static bool same_loop(const struct grouper *all, uint32_t a, uint32_t b)
{
	const uint32_t both = common(&all->evidence->tree, a, b);

	return both == a || both == b;
}

static bool fits(const struct grouper *all, const struct cell *cell, const struct member *member, bool serves)
{
	if (member->loop && cell->loop && !same_loop(all, member->loop, cell->loop))
		return false;
	return serves || member->label == NO_LABEL || cell->label == NO_LABEL || member->label == cell->label;
}

/* Threads of a group with a loop and a tree come first, so that those without join existing cells. */
static int make_cells(struct grouper *all, bool known)
{
	for (size_t i = 0; i < all->threads; i++) {
		struct member *member = &all->member[i];
		const uint32_t group = all->groups->of_thread[i];
		const bool serves = scope_unit_pickups_serves(all->pickups, (uint32_t)i);
		size_t at = 0;

		if (known != (member->label != NO_LABEL || member->loop))
			continue;
		while (at < all->cells && (all->cell[at].group != group || !fits(all, &all->cell[at], member, serves)))
			at++;
		if (at == all->cells) {
			if (scope_grow(&all->cell, &all->capacity, at + 1, sizeof(*all->cell)))
				return -ENOMEM;
			all->cell[all->cells++] = (struct cell){
				.group = group, .loop = member->loop, .label = member->label, .into = (uint32_t)at
			};
		}
		if (!all->cell[at].loop)
			all->cell[at].loop = member->loop;
		if (all->cell[at].label == NO_LABEL)
			all->cell[at].label = member->label;
		all->cell[at].threads++;
		member->cell = (uint32_t)at;
	}
	return 0;
}

/* The largest cell of that group; the first of several. */
static uint32_t largest(const struct grouper *all, uint32_t group)
{
	uint32_t best = NO_LABEL;

	for (uint32_t i = 0; i < all->cells; i++)
		if (all->cell[i].group == group && (best == NO_LABEL || all->cell[i].threads > all->cell[best].threads))
			best = i;
	return best;
}

static bool alike(const struct grouper *all, const struct cell *one, const struct cell *other)
{
	const struct scope_group *a = &all->groups->group[one->group], *b = &all->groups->group[other->group];

	return one->group != other->group && one->label != NO_LABEL && one->label == other->label &&
	       one->loop == other->loop && a->pickup == b->pickup && a->reads == b->reads;
}

/* A thread alone joins the others of its name. Then cells of different names that do the same become one. */
static void join_cells(struct grouper *all)
{
	for (uint32_t i = 0; i < all->cells; i++)
		if (all->cell[i].threads == 1)
			all->cell[i].into = largest(all, all->cell[i].group);
	for (uint32_t i = 0; i < all->cells; i++)
		for (uint32_t j = 0; j < i && all->cell[i].into == i; j++)
			if (all->cell[j].into == j && alike(all, &all->cell[j], &all->cell[i]))
				all->cell[i].into = j;
}

static uint32_t cell_of(const struct grouper *all, size_t thread)
{
	uint32_t at = all->member[thread].cell;

	while (all->cell[at].into != at)
		at = all->cell[at].into;
	return at;
}

/* The share of a cell's work, waits left out, that is in that function or below it. */
static double share_of(const struct grouper *all, uint32_t cell, const struct scope_function *function)
{
	const struct scope_tree *tree = &all->evidence->tree;
	double in = 0, sum = 0;

	for (size_t i = 0; i < all->threads; i++) {
		const struct scope_call_tree *work = &all->member[i].work;

		if (cell_of(all, i) != cell)
			continue;
		for (size_t j = 0; j < work->nodes; j++) {
			uint32_t at = work->node[j].node;

			while (at && tree->node[at].function != function)
				at = tree->node[at].parent;
			in += at ? work->node[j].count : 0;
		}
		sum += work->stacks;
	}
	return sum > 0 ? in / sum : 0;
}

/*
 * The function that distinguishes a cell from the others of its group: that of its loop, else the function with the
 * largest surplus of the cell's work over the others', of several the outermost. NULL: there is none.
 */
static const struct scope_function *own_function(const struct grouper *all, uint32_t cell)
{
	const struct scope_tree *tree = &all->evidence->tree;
	const struct scope_function *best = NULL;
	const uint32_t group = all->cell[cell].group;
	bool loops = all->cell[cell].loop > 0;
	double most = MORE_MIN;

	for (uint32_t i = 0; i < all->cells; i++)
		if (i != cell && all->cell[i].into == i && all->cell[i].group == group)
			loops &= all->cell[i].loop && all->cell[i].loop != all->cell[cell].loop;
	if (loops)
		return tree->node[all->cell[cell].loop].function;
	for (size_t node = 1; node < tree->count; node++) {
		const struct scope_function *function = tree->node[node].function;
		double more = share_of(all, cell, function), other = 0;

		if (more <= most)
			continue;
		for (uint32_t i = 0; i < all->cells; i++)
			if (i != cell && all->cell[i].into == i && all->cell[i].group == group) {
				const double share = share_of(all, i, function);

				other = share > other ? share : other;
			}
		if (more - other > most + 1e-9) {
			most = more - other;
			best = function;
		}
	}
	return best;
}

/* How many letters the names of all groups in a cell have in common. */
static size_t prefix_of(const struct grouper *all, uint32_t cell, const char **ret_name)
{
	const char *name = all->groups->group[all->cell[cell].group].name;
	size_t length = strlen(name);

	for (uint32_t i = 0; i < all->cells; i++) {
		const char *other = all->groups->group[all->cell[i].group].name;
		size_t same = 0;

		if (all->cell[i].into != cell)
			continue;
		while (same < length && other[same] == name[same])
			same++;
		length = same;
	}
	while (length && !isalnum((unsigned char)name[length - 1]))
		length--;
	*ret_name = name;
	return length;
}

static void put_name(const struct grouper *all, uint32_t cell, char *to)
{
	const uint32_t group = all->cell[cell].group;
	const struct scope_function *function = NULL;
	const char *name;
	size_t length = prefix_of(all, cell, &name);
	bool split = false;

	for (uint32_t i = 0; i < all->cells; i++)
		split |= i != cell && all->cell[i].into == i && all->cell[i].group == group;
	if (split || length < PREFIX_MIN)
		function = own_function(all, cell);
	if (length < PREFIX_MIN && name[length])
		length = function ? 0 : strlen(name);
	snprintf(to, SCOPE_PLAIN_COMM_BYTES, "%.*s%s%.40s", (int)length, name, function && length ? ":" : "",
		 function ? function->name : "");
}

/* The function in which most stacks of a cell's work end. NULL: there is none. */
static const struct scope_function *busiest_function(const struct grouper *all, uint32_t cell)
{
	uint32_t *count = calloc(all->evidence->tree.count + 1, sizeof(*count));
	size_t most = 0;

	for (size_t i = 0; count && i < all->threads; i++)
		for (size_t j = 0; cell_of(all, i) == cell && j < all->member[i].work.nodes; j++)
			count[all->member[i].work.node[j].node] += all->member[i].work.node[j].count;
	for (size_t i = 1; count && i < all->evidence->tree.count; i++)
		if (count[i] > count[most])
			most = i;
	free(count);
	return all->evidence->tree.node[most].function;
}

/* True if another cell has the same name, with threads that pick up work in the same way. */
static bool is_again(const struct grouper *all, char (*of_cell)[SCOPE_PLAIN_COMM_BYTES], uint32_t cell)
{
	const uint8_t pickup = all->groups->group[all->cell[cell].group].pickup;

	for (uint32_t i = 0; i < all->cells; i++)
		if (i != cell && all->cell[i].into == i && !strcmp(of_cell[i], of_cell[cell]) &&
		    all->groups->group[all->cell[i].group].pickup == pickup)
			return true;
	return false;
}

/* Different groups get different names. 0 or -ENOMEM. */
static int distinguish(const struct grouper *all, char (*of_cell)[SCOPE_PLAIN_COMM_BYTES])
{
	bool *again = calloc(all->cells + 1, sizeof(*again));

	if (!again)
		return -ENOMEM;
	for (uint32_t i = 0; i < all->cells; i++)
		again[i] = all->cell[i].into == i && is_again(all, of_cell, i);
	for (uint32_t i = 0; i < all->cells; i++) {
		const struct scope_function *function = again[i] ? busiest_function(all, i) : NULL;
		char name[SCOPE_PLAIN_COMM_BYTES];

		if (!function)
			continue;
		snprintf(name, sizeof(name), "%.20s:%.36s", of_cell[i], function->name);
		memcpy(of_cell[i], name, sizeof(name));
	}
	free(again);
	return 0;
}

static int name_threads(const struct grouper *all, char (**ret_names)[SCOPE_PLAIN_COMM_BYTES])
{
	char(*names)[SCOPE_PLAIN_COMM_BYTES] = calloc(all->threads + 1, sizeof(*names));
	char(*of_cell)[SCOPE_PLAIN_COMM_BYTES] = calloc(all->cells + 1, sizeof(*of_cell));

	if (!names || !of_cell)
		goto failed;
	for (uint32_t i = 0; i < all->cells; i++)
		if (all->cell[i].into == i)
			put_name(all, i, of_cell[i]);
	if (distinguish(all, of_cell))
		goto failed;
	for (size_t i = 0; i < all->threads; i++)
		memcpy(names[i], of_cell[cell_of(all, i)], sizeof(names[i]));
	free(of_cell);
	*ret_names = names;
	return 0;
failed:
	free(of_cell);
	free(names);
	return -ENOMEM;
}

/* True if the cells differ from the groups: two cells are of one group, or one is of two. */
static bool differs(const struct grouper *all)
{
	size_t left = 0, used = 0;

	for (uint32_t i = 0; i < all->cells; i++) {
		left += all->cell[i].into == i;
		if (all->cell[i].into != i && all->cell[all->cell[i].into].group != all->cell[i].group)
			return true;
	}
	for (uint32_t group = 0; group < all->groups->count; group++)
		used += largest(all, group) != NO_LABEL;
	return left != used;
}

static int find_names(struct grouper *all, char (**ret_names)[SCOPE_PLAIN_COMM_BYTES])
{
	int err = read_stacks(all);

	if (!err)
		err = label(all);
	if (!err)
		err = make_cells(all, true);
	if (!err)
		err = make_cells(all, false);
	if (err)
		return err;
	join_cells(all);
	return differs(all) ? name_threads(all, ret_names) : 0;
}

int scope_server_call_groups_name(struct scope_trace *trace, struct scope_symbols *symbols,
				  const struct scope_distributions *distributions, const struct scope_groups *groups,
				  const struct scope_pickups *pickups, char (**ret_names)[SCOPE_PLAIN_COMM_BYTES])
{
	struct grouper all = {
		.trace = trace,
		.distributions = distributions,
		.groups = groups,
		.pickups = pickups,
		.threads = groups->threads,
	};
	int err = 0;

	*ret_names = NULL;
	if (all.threads < THREADS_MIN)
		return 0;
	all.evidence = calloc(1, sizeof(*all.evidence));
	all.member = calloc(all.threads, sizeof(*all.member));
	if (!all.evidence || !all.member)
		err = -ENOMEM;
	if (!err)
		err = scope_evidence_tree_init(&all.evidence->tree);
	all.nodes = (struct scope_stack_nodes){ .symbols = symbols, .evidence = all.evidence };
	if (!err)
		err = find_names(&all, ret_names);
	for (size_t i = 0; all.member && i < all.threads; i++)
		scope_server_call_tree_free(&all.member[i].work);
	scope_evidence_destroy(all.evidence);
	free(all.member);
	free(all.cell);
	return err;
}
