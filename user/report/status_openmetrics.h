/* SPDX-License-Identifier: GPL-2.0-only */
/* The output of scope status as OpenMetrics, for a collector that reads files. */
#ifndef SCOPE_REPORT_STATUS_OPENMETRICS_H
#define SCOPE_REPORT_STATUS_OPENMETRICS_H

#include <stdio.h>

#include <jansson.h>

/*
 * document: that of scope status --format json (docs/schema/commands.schema.json). Sessions are identified by their
 * numbers, which do not show what they trace. 0, or -EIO: writing to out failed.
 */
int scope_report_status_openmetrics(const json_t *document, FILE *out);

#endif
