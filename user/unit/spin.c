// SPDX-License-Identifier: GPL-2.0-only
/* Spins made of calls: rounds in which a thread asks the kernel for something, and gets nothing. */
#include "unit/spin.h"

static uint64_t length_of(const struct scope_spin *spin)
{
	return spin->until_ns - spin->from_ns;
}

void scope_spin_end(struct scope_spinning *spinning, const struct scope_thread *thread, uint64_t now_ns)
{
	struct scope_spin *last = &spinning->last;

	if (now_ns < spinning->begin_ns + SCOPE_SPIN_MIN_NS)
		return;
	if (last->busy_ns && spinning->begin_ns - last->until_ns > SCOPE_SPIN_GAP_NS)
		*last = (struct scope_spin){0};
	if (!last->busy_ns)
		*last = (struct scope_spin){ .from_ns = spinning->begin_ns, .poll_nr = SCOPE_NR_NONE };
	last->until_ns = now_ns;
	last->busy_ns += scope_spin_busy(thread, now_ns) - spinning->begin_busy_ns;
	last->rounds += spinning->polls ? spinning->polls : spinning->vain;
	last->poll_nr = spinning->polls ? spinning->poll_nr : (uint16_t)SCOPE_NR_NONE;
	last->nr = spinning->vain > spinning->polls ? spinning->nr : (uint16_t)SCOPE_NR_NONE;
	last->ret = spinning->ret;
	last->fd = spinning->fd;
	if (length_of(last) >= length_of(&spinning->longest))
		spinning->longest = *last;
}

struct scope_spin scope_spin_longest(struct scope_spinning *spinning, const struct scope_thread *thread,
				     uint64_t now_ns)
{
	if (spinning->vain >= SCOPE_SPIN_VAIN)
		scope_spin_end(spinning, thread, now_ns);
	spinning->vain = spinning->polls = 0;
	return spinning->longest;
}
