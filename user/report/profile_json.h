/* SPDX-License-Identifier: GPL-2.0-only */
/* The profile of a server as JSON, from which a program of the same form can be run. */
#ifndef SCOPE_REPORT_PROFILE_JSON_H
#define SCOPE_REPORT_PROFILE_JSON_H

#include <stdio.h>

#include "analysis/analysis.h"
#include "server/calls.h"
#include "server/profile.h"

#define SCOPE_PROFILE_SCHEMA 1 /* raised when a field changes its meaning, or goes */

/* Writes one object, docs/schema/profile.schema.json. 0 or -errno. */
int scope_report_profile_json(const struct scope_analysis *analysis, const struct scope_server_calls *calls,
			      const struct scope_profile *profile, FILE *out);

#endif
