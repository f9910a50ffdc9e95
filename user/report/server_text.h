/* SPDX-License-Identifier: GPL-2.0-only */
/* What kind of server it is: a sentence, a table of stages, and JSON. */
#ifndef SCOPE_REPORT_SERVER_TEXT_H
#define SCOPE_REPORT_SERVER_TEXT_H

#include <stdio.h>

#include "analysis/analysis.h"
#include "report/text.h"
#include "server/calls.h"

/* "Requests are read by 4 threads net (epoll), which accept connections too." 0, -ENOMEM; the caller frees. */
int scope_report_server_sentence(const struct scope_analysis *analysis, char **ret_text);
/* A sentence for each group of which bytes or calls explain how long its units take. requests: clients' alone. */
void scope_report_server_print_explained(const struct scope_analysis *analysis, bool requests, unsigned width,
					 FILE *out);
/* The array of them; the caller's. */
struct json_t *scope_report_server_explained(const struct scope_analysis *analysis);
/* The name of a stage's threads; "?" if it is not known. */
const char *scope_report_server_stage(const struct scope_analysis *analysis, const struct scope_stage *stage);
/* Numbers of stages, the busiest first. The caller frees the result; NULL: no memory. */
uint32_t *scope_report_server_busiest(const struct scope_server *server);
/*
 * Verbose: all stages; else a screen of 15 lines. calls: NULL, or to be printed after them. 0, -ENOMEM; errors of the
 * stream are left for ferror().
 */
int scope_report_server_text(const struct scope_analysis *analysis, const struct scope_server_calls *calls,
			     const struct scope_report_style *style, FILE *out);
/* 0, -ENOMEM, or -EIO: writing to out failed. */
int scope_report_server_json(const struct scope_analysis *analysis, const struct scope_server_calls *calls, FILE *out);

#endif
