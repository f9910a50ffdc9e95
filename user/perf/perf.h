/* SPDX-License-Identifier: GPL-2.0-only */
/* The source that is perf events. */
#ifndef SCOPE_PERF_PERF_H
#define SCOPE_PERF_PERF_H

#include "source/source.h"

extern const struct scope_source scope_perf_source_perf;

#endif
