// SPDX-License-Identifier: GPL-2.0-only
/* Keeps when events were lost, and how many events came. */
#include "timeline/losses.h"

#include <string.h>

#define FIRST_STEP_NS 1000000 /* no rule */

static uint64_t length(const struct scope_loss *loss)
{
	return loss->until_ns - loss->from_ns;
}

/* Of two, the earlier one first. */
static struct scope_loss join(const struct scope_loss *a, const struct scope_loss *b)
{
	return (struct scope_loss){
		.from_ns = a->from_ns,
		.until_ns = a->until_ns > b->until_ns ? a->until_ns : b->until_ns,
		.count = a->count + b->count,
		.unknown = a->unknown || b->unknown,
	};
}

/* By how much two stretches grow if they are merged, ns. */
static uint64_t growth(const struct scope_loss *a, const struct scope_loss *b)
{
	const struct scope_loss both = join(a, b);

	return (length(&both) - length(a)) + (length(&both) - length(b));
}

/* Merges the two that grow least by it, of several the first. */
static void make_room(struct scope_losses *losses)
{
	struct scope_loss *loss = losses->loss;
	unsigned least = 0;

	for (unsigned i = 1; i + 1 < losses->losses; i++)
		if (growth(&loss[i], &loss[i + 1]) < growth(&loss[least], &loss[least + 1]))
			least = i;
	loss[least] = join(&loss[least], &loss[least + 1]);
	losses->losses--;
	memmove(&loss[least + 1], &loss[least + 2], (losses->losses - least - 1) * sizeof(*loss));
}

void scope_timeline_losses_add(struct scope_losses *losses, const struct scope_loss *added)
{
	struct scope_loss *loss = losses->loss;
	unsigned at;

	if (losses->losses == SCOPE_LOSSES_MAX)
		make_room(losses);
	for (at = losses->losses; at && loss[at - 1].from_ns > added->from_ns; at--)
		;
	memmove(&loss[at + 1], &loss[at], (losses->losses - at) * sizeof(*loss));
	loss[at] = *added;
	losses->losses++;
}

static void double_steps(struct scope_losses *losses)
{
	losses->marks /= 2;
	for (unsigned i = 0; i < losses->marks; i++)
		losses->came[i] = losses->came[2 * i];
	losses->step_ns *= 2;
}

void scope_timeline_losses_mark(struct scope_losses *losses, uint64_t now_ns, uint64_t events)
{
	if (!losses->step_ns) {
		losses->begin_ns = losses->next_ns = now_ns;
		losses->step_ns = FIRST_STEP_NS;
	}
	while (losses->next_ns <= now_ns) {
		if (losses->marks == SCOPE_LOSSES_MARKS)
			double_steps(losses);
		else
			losses->came[losses->marks++] = events;
		losses->next_ns = losses->begin_ns + losses->marks * losses->step_ns;
	}
}

void scope_timeline_losses_end(struct scope_losses *losses, uint64_t end_ns, uint64_t events)
{
	losses->end_ns = end_ns;
	losses->all = events;
}

/* Events before that time. */
static double came_before(const struct scope_losses *losses, uint64_t time_ns)
{
	uint64_t mark, mark_ns, next, next_ns;

	if (!losses->marks || time_ns <= losses->begin_ns)
		return 0;
	if (time_ns >= losses->end_ns)
		return (double)losses->all;
	mark = (time_ns - losses->begin_ns) / losses->step_ns;
	mark_ns = losses->begin_ns + mark * losses->step_ns;
	next = losses->all;
	next_ns = losses->end_ns;
	if (mark + 1 < losses->marks) {
		next = losses->came[mark + 1];
		next_ns = mark_ns + losses->step_ns;
	}
	return (double)losses->came[mark] +
	       (double)(next - losses->came[mark]) * (double)(time_ns - mark_ns) / (double)(next_ns - mark_ns);
}

struct scope_loss scope_timeline_losses_within(const struct scope_losses *losses, uint64_t from_ns, uint64_t until_ns,
					       double *ret_came)
{
	struct scope_loss sum = { .from_ns = from_ns, .until_ns = until_ns };

	for (unsigned i = 0; i < losses->losses; i++) {
		const struct scope_loss *loss = &losses->loss[i];

		if (loss->from_ns > until_ns || loss->until_ns < from_ns)
			continue;
		sum.count += loss->count;
		sum.unknown |= loss->unknown;
	}
	*ret_came = came_before(losses, until_ns) - came_before(losses, from_ns);
	return sum;
}
