/* SPDX-License-Identifier: GPL-2.0-only */
/* Adds to a summary what the analysis found, and the excess of functions by second. */
#ifndef SCOPE_FLEET_BLAME_H
#define SCOPE_FLEET_BLAME_H

#include "fleet/summarizer.h"

#define SCOPE_FLEET_FUNCTIONS 32 /* of one summary: the findings, and others by their excess */

/* After its seconds. 0 or -ENOMEM. */
int scope_fleet_blame(struct scope_fleet_summarizer *summarizer);

#endif
