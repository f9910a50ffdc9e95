// SPDX-License-Identifier: GPL-2.0-only
/*
 * Natural loops by dominators (Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm). Each instruction is a
 * node. One more node represents targets that are known only at run time; it leads to all blocks to which nothing else
 * leads. A jump through a table that was read has an edge for each target instead.
 */
#include "symbol/loop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

struct graph {
	const struct scope_instruction *instruction;
	uint32_t count,
		nodes;	/* nodes: includes the node for run time (number `count`), for targets known only at run time */
	uint32_t *jump; /* by instruction: number of its target; `count`: known at run time; NONE */
	const struct scope_jump *entry; /* of tables; those of node i: entry[table[i]] to entry[table[i + 1]] */
	uint32_t *table, entries;
	uint32_t *orphan; /* first instructions of blocks to which nothing leads */
	uint32_t orphans;
	bool outside;		      /* no jump reaches the node for run time, so orphans are entered from outside */
	uint32_t *first, *from;	      /* predecessors of node i: from[first[i]] to from[first[i + 1]] */
	uint32_t *order, *place;      /* nodes in reverse postorder; by node: its place there, NONE: not reached */
	uint32_t ordered, *dominator; /* by node: the immediate one */
	uint32_t *stack;
	uint8_t *edge; /* by node: edges followed so far */
};

/* Number of the instruction that begins at an address. */
static uint32_t find(const struct graph *graph, uint64_t at)
{
	uint32_t low = 0, high = graph->count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (graph->instruction[middle].at < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low < graph->count && graph->instruction[low].at == at ? low : NONE;
}

/* The successor of a node, by number of the edge. NONE: there is none of that number. */
static uint32_t successor(const struct graph *graph, uint32_t node, uint32_t edge)
{
	if (node == graph->count)
		return edge < graph->orphans ? graph->orphan[edge] : NONE;
	if (edge == 0)
		return graph->instruction[node].falls && node + 1 < graph->count ? node + 1 : NONE;
	if (edge == 1)
		return graph->jump[node];
	/* Code to which nothing leads, such as that for exceptions, is entered from outside. */
	if (edge == 2)
		return !node && graph->outside ? graph->count : NONE;
	return graph->entry[graph->table[node] + edge - 3].to;
}

static uint32_t edges(const struct graph *graph, uint32_t node)
{
	return node == graph->count ? graph->orphans : 3 + graph->table[node + 1] - graph->table[node];
}

/*
 * Visits nodes depth first from one. place becomes 0 for each node reached, and order gets the nodes as they are left.
 */
static void reach(struct graph *graph, uint32_t node, uint32_t *next_edge)
{
	uint32_t depth = 0;

	graph->stack[depth++] = node;
	graph->place[node] = 0;
	while (depth) {
		const uint32_t at = graph->stack[depth - 1];
		uint32_t to;

		if (next_edge[at] == edges(graph, at)) {
			graph->order[graph->ordered++] = at;
			depth--;
			continue;
		}
		to = successor(graph, at, next_edge[at]++);
		if (to == NONE || graph->place[to] != NONE)
			continue;
		graph->place[to] = 0;
		graph->stack[depth++] = to;
	}
}

/* Finds the blocks that are not reached from the first instruction, except padding. */
static void find_orphans(struct graph *graph, uint32_t *next_edge)
{
	reach(graph, 0, next_edge);
	graph->outside = graph->place[graph->count] == NONE;
	for (uint32_t i = 0; i < graph->count; i++) {
		if (graph->place[i] != NONE || graph->instruction[i].padding)
			continue;
		graph->orphan[graph->orphans++] = i;
		reach(graph, i, next_edge);
	}
}

static void put_in_order(struct graph *graph, uint32_t *next_edge)
{
	memset(next_edge, 0, graph->nodes * sizeof(*next_edge));
	memset(graph->place, 0xff, graph->nodes * sizeof(*graph->place));
	graph->ordered = 0;
	reach(graph, 0, next_edge);
	for (uint32_t i = 0; i < graph->ordered / 2; i++) {
		const uint32_t other = graph->order[i];

		graph->order[i] = graph->order[graph->ordered - 1 - i];
		graph->order[graph->ordered - 1 - i] = other;
	}
	for (uint32_t i = 0; i < graph->ordered; i++)
		graph->place[graph->order[i]] = i;
}

static void find_predecessors(struct graph *graph)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < graph->ordered; i++)
		for (uint32_t edge = 0, to; edge < edges(graph, graph->order[i]); edge++)
			if ((to = successor(graph, graph->order[i], edge)) != NONE)
				graph->first[to + 1]++;
	for (uint32_t i = 0; i < graph->nodes; i++) {
		sum += graph->first[i + 1];
		graph->first[i + 1] = sum;
	}
	for (uint32_t i = graph->ordered; i--;)
		for (uint32_t edge = 0, to; edge < edges(graph, graph->order[i]); edge++)
			if ((to = successor(graph, graph->order[i], edge)) != NONE)
				graph->from[graph->first[to + 1] - 1 - graph->stack[to]++] = graph->order[i];
}

/* The nearest node that dominates both, by places. */
static uint32_t meet(const struct graph *graph, uint32_t a, uint32_t b)
{
	while (a != b) {
		while (graph->place[a] > graph->place[b])
			a = graph->dominator[a];
		while (graph->place[b] > graph->place[a])
			b = graph->dominator[b];
	}
	return a;
}

static void find_dominators(struct graph *graph)
{
	bool changed = true;

	memset(graph->dominator, 0xff, graph->nodes * sizeof(*graph->dominator));
	graph->dominator[0] = 0;
	while (changed) {
		changed = false;
		for (uint32_t i = 1; i < graph->ordered; i++) {
			const uint32_t node = graph->order[i];
			uint32_t best = NONE;

			for (uint32_t j = graph->first[node]; j < graph->first[node + 1]; j++)
				if (graph->dominator[graph->from[j]] != NONE)
					best = best == NONE ? graph->from[j] : meet(graph, graph->from[j], best);
			changed |= best != graph->dominator[node];
			graph->dominator[node] = best;
		}
	}
}

static bool dominates(const struct graph *graph, uint32_t head, uint32_t node)
{
	if (graph->place[node] == NONE)
		return false;
	while (graph->place[node] > graph->place[head])
		node = graph->dominator[node];
	return node == head;
}

/* True if a jump leads back to this node from one that is reached only through it. */
static bool is_head(const struct graph *graph, uint32_t node)
{
	for (uint32_t j = graph->first[node]; j < graph->first[node + 1]; j++)
		if (dominates(graph, node, graph->from[j]))
			return true;
	return false;
}

/* Puts a node into the loop and on the stack, so that its predecessors are visited. Returns the depth of the stack. */
static uint32_t add(const struct graph *graph, uint32_t node, bool *inside, uint32_t depth)
{
	if (inside[node])
		return depth;
	inside[node] = true;
	graph->stack[depth] = node;
	return depth + 1;
}

/* The nodes from which a jump back to the head is reached. */
static void collect(const struct graph *graph, uint32_t head, bool *inside)
{
	uint32_t depth = 0;

	memset(inside, 0, graph->nodes * sizeof(*inside));
	inside[head] = true;
	for (uint32_t j = graph->first[head]; j < graph->first[head + 1]; j++)
		if (dominates(graph, head, graph->from[j]))
			depth = add(graph, graph->from[j], inside, depth);
	while (depth) {
		const uint32_t node = graph->stack[--depth];

		for (uint32_t j = graph->first[node]; j < graph->first[node + 1]; j++)
			depth = add(graph, graph->from[j], inside, depth);
	}
}

/* The target that an instruction has besides the next one and those of a table. */
static uint32_t target_of(const struct graph *graph, uint32_t node)
{
	const struct scope_instruction *instruction = &graph->instruction[node];

	if (!instruction->jumps || graph->table[node] != graph->table[node + 1])
		return NONE;
	return instruction->target == UINT64_MAX ? graph->count : find(graph, instruction->target);
}

static void index_entries(struct graph *graph)
{
	for (uint32_t i = 0, entry = 0; i < graph->nodes; i++) {
		graph->table[i] = entry;
		while (entry < graph->entries && graph->entry[entry].from == i)
			entry++;
	}
}

static int graph_create(struct graph *graph)
{
	const size_t nodes = graph->nodes;

	graph->jump = calloc(nodes, sizeof(uint32_t));
	graph->table = calloc(nodes, sizeof(uint32_t));
	graph->orphan = calloc(nodes, sizeof(uint32_t));
	graph->first = calloc(nodes + 1, sizeof(uint32_t));
	graph->from = calloc(4 * nodes + graph->entries, sizeof(uint32_t));
	graph->order = calloc(nodes, sizeof(uint32_t));
	graph->place = malloc(nodes * sizeof(uint32_t));
	graph->dominator = malloc(nodes * sizeof(uint32_t));
	graph->stack = calloc(nodes, sizeof(uint32_t));
	if (!graph->jump || !graph->table || !graph->orphan || !graph->first || !graph->from || !graph->order ||
	    !graph->place || !graph->dominator || !graph->stack)
		return -ENOMEM;
	memset(graph->place, 0xff, nodes * sizeof(uint32_t));
	index_entries(graph);
	for (uint32_t i = 0; i < graph->count; i++)
		graph->jump[i] = target_of(graph, i);
	return 0;
}

static void graph_free(struct graph *graph)
{
	free(graph->jump);
	free(graph->table);
	free(graph->orphan);
	free(graph->first);
	free(graph->from);
	free(graph->order);
	free(graph->place);
	free(graph->dominator);
	free(graph->stack);
}

static int graph_fill(struct graph *graph)
{
	uint32_t *next_edge = calloc(graph->nodes, sizeof(*next_edge));

	if (!next_edge)
		return -ENOMEM;
	find_orphans(graph, next_edge);
	put_in_order(graph, next_edge);
	memset(graph->stack, 0, graph->nodes * sizeof(*graph->stack));
	find_predecessors(graph);
	find_dominators(graph);
	free(next_edge);
	return 0;
}

struct scope_loops {
	struct graph graph;
	bool *inside; /* by node */
};

void scope_symbol_loops_destroy(struct scope_loops *loops)
{
	if (!loops)
		return;
	graph_free(&loops->graph);
	free(loops->inside);
	free(loops);
}

int scope_symbol_loops_create(const struct scope_instruction *instruction, size_t count, const struct scope_jump *jump,
			      size_t jumps, struct scope_loops **ret_loops)
{
	struct scope_loops *loops;
	int err = -ENOMEM;

	*ret_loops = NULL;
	if (!count || count > UINT32_MAX / 8 || jumps > UINT32_MAX / 8)
		return -ENOENT;
	loops = calloc(1, sizeof(*loops));
	if (loops)
		loops->inside = calloc(count + 1, sizeof(*loops->inside));
	if (loops && loops->inside) {
		loops->graph = (struct graph){
			.instruction = instruction,
			.count = (uint32_t)count,
			.nodes = (uint32_t)count + 1,
			.entry = jump,
			.entries = (uint32_t)jumps,
		};
		err = graph_create(&loops->graph);
	}
	if (!err)
		err = graph_fill(&loops->graph);
	if (err) {
		scope_symbol_loops_destroy(loops);
		return err;
	}
	*ret_loops = loops;
	return 0;
}

/* Heads of loops around an instruction dominate it, so they are among its dominators. The nearest is tried first. */
unsigned int scope_symbol_loops_around(struct scope_loops *loops, size_t number, uint32_t *ret_head, unsigned int max)
{
	const struct graph *graph = &loops->graph;
	unsigned int heads = 0;
	uint32_t head = (uint32_t)number;

	if (number >= graph->count || graph->place[number] == NONE)
		return 0;
	while (heads < max) {
		if (is_head(graph, head)) {
			collect(graph, head, loops->inside);
			if (loops->inside[number])
				ret_head[heads++] = head;
		}
		if (!head)
			break;
		head = graph->dominator[head];
	}
	return heads;
}

void scope_symbol_loops_inside(struct scope_loops *loops, uint32_t head, bool *ret_inside)
{
	collect(&loops->graph, head, loops->inside);
	memcpy(ret_inside, loops->inside, loops->graph.count * sizeof(*ret_inside));
}
