/* SPDX-License-Identifier: GPL-2.0-only */
/* Adds the findings of the analysis, and the excess of functions by second, to a summary. */
#ifndef SCOPE_FLEET_BLAME_H
#define SCOPE_FLEET_BLAME_H

#include "fleet/summarizer.h"

#define SCOPE_FLEET_FUNCTIONS 32 /* of one summary: the findings, and others by their excess */

/* Call it after the seconds of the summary were added. 0 or -ENOMEM. */
int scope_fleet_blame(struct scope_fleet_summarizer *summarizer);

#endif
