// SPDX-License-Identifier: GPL-2.0-only
/* The untraced threads that used the CPU while traced threads waited for it, and for how long. */
#include "waits/takers.h"

#include <errno.h>
#include <stdlib.h>

void scope_waits_takers_free(struct scope_takers *takers)
{
	free(takers->taker);
	*takers = (struct scope_takers){ 0 };
}

int scope_waits_takers_add(struct scope_takers *takers, uint32_t tid, double ns)
{
	uint32_t at = tid * 2654435761u % SCOPE_TAKERS_MAX;

	if (!tid || ns <= 0)
		return 0;
	if (!takers->taker) {
		takers->taker = calloc(SCOPE_TAKERS_MAX, sizeof(*takers->taker));
		if (!takers->taker)
			return -ENOMEM;
	}
	takers->sum_ns += ns;
	while (takers->taker[at].tid && takers->taker[at].tid != tid)
		at = (at + 1) % SCOPE_TAKERS_MAX;
	if (!takers->taker[at].tid) {
		if (takers->count == SCOPE_TAKERS_MAX / 2)
			return 0;
		takers->taker[at].tid = tid;
		takers->count++;
	}
	takers->taker[at].ns += ns;
	return 0;
}

static int compare(const void *left, const void *right)
{
	const struct scope_taker *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return (a->tid > b->tid) - (a->tid < b->tid);
}

/* Empty places have no time, and come last. */
void scope_waits_takers_sort(struct scope_takers *takers)
{
	if (takers->taker)
		qsort(takers->taker, SCOPE_TAKERS_MAX, sizeof(*takers->taker), compare);
}
