// SPDX-License-Identifier: GPL-2.0-only
/* Where abnormal units spent their excess: the stages, in their order. */
#include "evidence/evidence.h"

#include <errno.h>
#include <stdlib.h>

#include "evidence/collect.h"
#include "evidence/contrast.h"
#include "evidence/peers.h"
#include "evidence/sign.h"

static int create(const struct scope_units *units, struct scope_evidence **ret_evidence)
{
	struct scope_evidence *evidence = calloc(1, sizeof(*evidence));
	int err = -ENOMEM;

	if (!evidence)
		return -ENOMEM;
	evidence->stopped_stack = calloc(units->threads + 1, sizeof(*evidence->stopped_stack));
	evidence->thread_stacks = calloc(units->threads + 1, sizeof(*evidence->thread_stacks));
	if (evidence->stopped_stack && evidence->thread_stacks)
		err = scope_evidence_tree_init(&evidence->tree);
	if (err) {
		scope_evidence_destroy(evidence);
		return err;
	}
	*ret_evidence = evidence;
	return 0;
}

/*
 * True if no thread did any work, except by a clock of its own. Then it is not known whether another thread is idle, or
 * waits for one that hangs.
 */
static bool all_idle(const struct scope_detection *detection, const struct scope_groups *groups)
{
	uint64_t by_clock = 0;

	for (size_t i = 0; i < detection->populations; i++) {
		const struct scope_population *population = &detection->population[i];

		if (population->units && groups->group[population->group].pickup != SCOPE_CALL_SLEEP)
			return false;
		by_clock += population->units;
	}
	return by_clock || detection->busy_ns <= 0;
}

int scope_evidence_collect(const struct scope_evidence_source *source, const struct scope_evidence_source *reference,
			   const struct scope_detection *detection, const struct scope_pickups *pickups,
			   const struct scope_evidence *second, struct scope_hang *hangs, size_t *hang_count,
			   struct scope_evidence **ret_evidence)
{
	struct scope_evidence *evidence;
	int err = create(source->kept->units, &evidence);

	if (err)
		return err;
	if (source->symbols)
		err = scope_evidence_collect_items(source, detection, hangs, *hang_count, evidence);
	if (!err && source->symbols && reference)
		err = scope_evidence_collect_reference(reference, source->symbols, evidence);
	if (!err)
		err = scope_evidence_contrast_run(evidence, source->kept, reference ? reference->kept : NULL,
						  detection);
	if (!err)
		err = scope_evidence_peers_drop(evidence, second, source->kept->units, pickups,
						all_idle(detection, source->kept->units->groups), hangs, hang_count);
	if (err) {
		scope_evidence_destroy(evidence);
		return err;
	}
	*ret_evidence = evidence;
	return 0;
}

int scope_evidence_sign(const struct scope_evidence_source *source, const struct scope_evidence_source *reference,
			const struct scope_detection *detection, struct scope_evidence **ret_evidence)
{
	struct scope_evidence *evidence;
	int err = create(source->kept->units, &evidence);

	if (err)
		return err;
	err = scope_evidence_sign_items(source, detection, evidence);
	if (!err && reference)
		err = scope_evidence_sign_reference(reference, source->signatures, evidence);
	if (!err)
		err = scope_evidence_contrast_run(evidence, source->kept, reference ? reference->kept : NULL,
						  detection);
	if (err) {
		scope_evidence_destroy(evidence);
		return err;
	}
	*ret_evidence = evidence;
	return 0;
}

void scope_evidence_destroy(struct scope_evidence *evidence)
{
	if (!evidence)
		return;
	scope_evidence_tree_free(&evidence->tree);
	free(evidence->item);
	free(evidence->stopped_stack);
	free(evidence->thread_stacks);
	free(evidence->stuck);
	free(evidence->frames);
	free(evidence);
}
