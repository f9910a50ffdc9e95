/* SPDX-License-Identifier: GPL-2.0-only */
/* Decides if one analysis is enough for an incident. */
#ifndef SCOPE_WATCH_SURE_H
#define SCOPE_WATCH_SURE_H

#include <stdbool.h>

#include "rank/rank.h"

/* Returns false if the finding has to be in two analyses in a row. */
bool scope_watch_is_sure(const struct scope_finding *found);

#endif
