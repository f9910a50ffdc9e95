// SPDX-License-Identifier: GPL-2.0-only
/* Finds goroutines that work for no request. */
#include "evidence/background_tasks.h"

#include <errno.h>
#include <stdlib.h>

#define LOCK_PART 20 /* inverse of the mean number of tasks that wait for a lock, from which on one may wait for it */

/* True if others wait for locks. Which of them one holds is not known. */
static bool others_wait(const struct scope_task_rows *rows, uint32_t tgid)
{
	uint64_t waiting = 0;

	for (size_t i = 0; i < rows->rows; i++) {
		const struct scope_task_row *row = &rows->row[i];

		if (row->place != SCOPE_TASK_PLACES_MAX && row->tgid == tgid && rows->place[row->place].lock)
			waiting += row->tasks;
	}
	return waiting * LOCK_PART >= scope_evidence_task_rows_looks(rows, tgid);
}

/* True if they were seen to sleep by a timer for a second or longer, and never to wait for a peer. */
static bool is_background(const struct scope_task_rows *rows, const struct scope_function *start)
{
	bool sleeps = false;

	for (size_t i = 0; i < rows->places; i++) {
		const struct scope_task_place *place = &rows->place[i];

		if (place->start != start)
			continue;
		if (place->asyncio || place->class == SCOPE_WAIT_NETWORK)
			return false;
		sleeps |= place->lasting && place->class == SCOPE_WAIT_TIMER;
	}
	return sleeps;
}

static bool lies_in(const bool *background, const struct scope_task_rows *rows, const struct scope_tree *tree,
		    uint32_t node)
{
	if (node == SCOPE_TREE_ROOT)
		return false;
	while (tree->node[node].parent != SCOPE_TREE_ROOT)
		node = tree->node[node].parent;
	for (size_t i = 0; i < rows->places; i++)
		if (background[i] && rows->place[i].start == tree->node[node].function)
			return true;
	return false;
}

int scope_evidence_background_tasks_mark(const struct scope_task_rows *rows, struct scope_evidence *evidence)
{
	bool *background = calloc(rows->places + 1, sizeof(*background));
	bool any = false;

	if (!background)
		return -ENOMEM;
	for (size_t i = 0; i < rows->places; i++)
		any |= background[i] = rows->place[i].start && is_background(rows, rows->place[i].start) &&
				       !others_wait(rows, rows->place[i].tgid);
	for (size_t i = 0; any && i < evidence->items; i++) {
		struct scope_item *item = &evidence->item[i];

		if (item->kind != SCOPE_ITEM_SPIN && !item->task)
			item->background = lies_in(background, rows, &evidence->tree, item->node);
	}
	free(background);
	return 0;
}
