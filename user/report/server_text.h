/* SPDX-License-Identifier: GPL-2.0-only */
/* What kind of server it is: a sentence, a table of stages, and JSON. */
#ifndef SCOPE_REPORT_SERVER_TEXT_H
#define SCOPE_REPORT_SERVER_TEXT_H

#include <stdio.h>

#include "analysis/analysis.h"
#include "report/text.h"

/* "Requests are read by 4 threads net (epoll), which accept connections too." 0, -ENOMEM; the caller frees. */
int scope_report_server_sentence(const struct scope_analysis *analysis, char **ret_text);
/* A sentence for each group of which bytes or calls explain how long its units take. requests: clients' alone. */
void scope_report_server_print_explained(const struct scope_analysis *analysis, bool requests, unsigned width,
					 FILE *out);
/* The array of them; the caller's. */
struct json_t *scope_report_server_explained(const struct scope_analysis *analysis);
/* Verbose: all stages; else a screen of 15 lines. 0, -ENOMEM; errors of the stream are left for ferror(). */
int scope_report_server_text(const struct scope_analysis *analysis, const struct scope_report_style *style, FILE *out);
/* 0, -ENOMEM, or -EIO: writing to out failed. */
int scope_report_server_json(const struct scope_analysis *analysis, FILE *out);

#endif
