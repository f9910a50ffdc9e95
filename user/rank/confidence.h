/* SPDX-License-Identifier: GPL-2.0-only */
/* The confidence of a finding. */
#ifndef SCOPE_RANK_CONFIDENCE_H
#define SCOPE_RANK_CONFIDENCE_H

#include "rank/rank.h"

/* Computed from its units, its stacks, and the losses between first_ns and last_ns, which it fills in, too. */
void scope_rank_confidence(const struct scope_rank_input *input, struct scope_finding *finding);
/* True if it is named for waits of requests in no thread, and works for usual requests as well: no stack shows what asked for the waits. */
bool scope_rank_common_to_all(const struct scope_finding *finding);

#endif
