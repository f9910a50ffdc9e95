// SPDX-License-Identifier: GPL-2.0-only
/* The confidence of a finding, by its units, its stacks, and the losses while it lasted. */
#include "rank/confidence.h"

#include "rank/by_design.h"

#define FEW 10	       /* number of units, or of stacks */
#define NOT_MANY 30    /* units */
#define LOST_MUCH 0.01 /* share of the events */
#define COMMON 0.25    /* share of usual units' time: a function with more is not the reason why some requests wait */

/* The share of lost events among all events from its first unit to its last. */
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
	if (scope_rank_finding_stuck(finding) && finding->hang.never_ran)
		return SCOPE_CONFIDENCE_HIGH;
	if (finding->lost_unknown || finding->lost_share > LOST_MUCH)
		return SCOPE_CONFIDENCE_LOW;
	return finding->lost ? SCOPE_CONFIDENCE_MEDIUM : SCOPE_CONFIDENCE_HIGH;
}

bool scope_rank_common_to_all(const struct scope_finding *finding)
{
	return finding->kind == SCOPE_FINDING_WAIT && finding->wait.held && !finding->wait.outside &&
	       finding->of_usual >= COMMON;
}

/* One thread that does not run is enough; a stack must show where it is. */
static enum scope_confidence by_size(const struct scope_finding *finding)
{
	const struct scope_spin *rounds = scope_rank_finding_rounds(finding);

	/* A thread may poll without end by design, but not if it gets the same error each time. */
	if (rounds && finding->by_stacks && rounds->nr == SCOPE_NR_NONE)
		return SCOPE_CONFIDENCE_MEDIUM;
	if (scope_rank_finding_stuck(finding))
		return finding->by_stacks && !finding->hang.unsure ? SCOPE_CONFIDENCE_HIGH : SCOPE_CONFIDENCE_LOW;
	/* It was certainly long, and a stack has shown the function. */
	if (scope_rank_finding_freezes(finding))
		return SCOPE_CONFIDENCE_MEDIUM;
	if (finding->units < FEW || finding->samples + finding->sleeps < FEW)
		return SCOPE_CONFIDENCE_LOW;
	if (scope_rank_common_to_all(finding))
		return SCOPE_CONFIDENCE_LOW;
	/* The trace does not show if clients requested the pause, or the bytes. */
	return finding->units < NOT_MANY || scope_rank_finding_pauses(finding) ||
			       finding->by_design == SCOPE_BY_DESIGN_LARGER
		       ? SCOPE_CONFIDENCE_MEDIUM
		       : SCOPE_CONFIDENCE_HIGH;
}

void scope_rank_confidence(const struct scope_rank_input *input, struct scope_finding *finding)
{
	enum scope_confidence size, losses;

	finding->by_design = scope_rank_by_design(input, finding);
	size = by_size(finding);
	/* It is certain that units take longer as a whole. It is less certain that this function does. */
	if (finding->of_growth > 0 && finding->chance_z < input->options->chance_z && size > SCOPE_CONFIDENCE_MEDIUM)
		size = SCOPE_CONFIDENCE_MEDIUM;
	count_lost(input->units->timeline, finding);
	losses = by_losses(finding);
	finding->shown = size < losses ? size : losses;
	finding->confidence = finding->by_design && finding->shown > SCOPE_CONFIDENCE_MEDIUM ? SCOPE_CONFIDENCE_MEDIUM
											     : finding->shown;
}
