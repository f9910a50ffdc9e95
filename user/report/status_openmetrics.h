/* SPDX-License-Identifier: GPL-2.0-only */
/* What scope status says as OpenMetrics, for a collector that reads files. */
#ifndef SCOPE_REPORT_STATUS_OPENMETRICS_H
#define SCOPE_REPORT_STATUS_OPENMETRICS_H

#include <stdio.h>

#include <jansson.h>

/*
 * document: as scope status --format json has it (docs/schema/commands.schema.json). Sessions are told apart by their numbers,
 * which says nothing of what they trace. 0, or -EIO: out takes no more.
 */
int scope_report_status_openmetrics(const json_t *document, FILE *out);

#endif
