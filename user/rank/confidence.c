// SPDX-License-Identifier: GPL-2.0-only
/* How sure a finding is: by its units, its stacks, and what was lost while it showed. */
#include "rank/confidence.h"

#define FEW 10	       /* units, or stacks */
#define NOT_MANY 30    /* units */
#define LOST_MUCH 0.01 /* of the events */

/* Of those that came, and those that were lost, from its first unit to its last. */
static void count_lost(const struct scope_timeline *timeline, struct scope_finding *finding)
{
	double came;
	const struct scope_loss loss =
		scope_timeline_losses_within(&timeline->losses, finding->first_ns, finding->last_ns, &came);

	finding->events = came;
	finding->lost = loss.count;
	finding->lost_unknown = loss.unknown;
	finding->lost_share = loss.count ? (double)loss.count / ((double)loss.count + came) : 0;
}

static enum scope_confidence by_losses(const struct scope_finding *finding)
{
	if (scope_rank_finding_stuck(finding) && finding->hang.still)
		return SCOPE_CONFIDENCE_HIGH;
	if (finding->lost_unknown || finding->lost_share > LOST_MUCH)
		return SCOPE_CONFIDENCE_LOW;
	return finding->lost ? SCOPE_CONFIDENCE_MEDIUM : SCOPE_CONFIDENCE_HIGH;
}

/* A thread that stands still is one, and enough; where it stands a stack has to say. */
static enum scope_confidence by_size(const struct scope_finding *finding)
{
	const struct scope_spin *rounds = scope_rank_finding_rounds(finding);

	/* A thread that polls without end may do so by design; one that gets the same error each time does not. */
	if (rounds && finding->by_stacks && rounds->nr == SCOPE_NR_NONE)
		return SCOPE_CONFIDENCE_MEDIUM;
	if (scope_rank_finding_stuck(finding))
		return finding->by_stacks && !finding->hang.unsure ? SCOPE_CONFIDENCE_HIGH : SCOPE_CONFIDENCE_LOW;
	/* Nobody doubts that it was long; which function stood there a stack has said. */
	if (scope_rank_finding_freezes(finding))
		return SCOPE_CONFIDENCE_MEDIUM;
	if (finding->units < FEW || finding->samples + finding->sleeps < FEW)
		return SCOPE_CONFIDENCE_LOW;
	/* Whether clients ask for a pause nothing in the trace tells. */
	return finding->units < NOT_MANY || scope_rank_finding_pauses(finding) ? SCOPE_CONFIDENCE_MEDIUM
									       : SCOPE_CONFIDENCE_HIGH;
}

void scope_rank_confidence(const struct scope_rank_input *input, struct scope_finding *finding)
{
	enum scope_confidence size = by_size(finding), losses;

	count_lost(input->units->timeline, finding);
	losses = by_losses(finding);
	finding->confidence = size < losses ? size : losses;
}
