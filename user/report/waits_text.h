/* SPDX-License-Identifier: GPL-2.0-only */
/* Which threads wait for which: the tree of waits as text and as JSON, and bottlenecks in a sentence. */
#ifndef SCOPE_REPORT_WAITS_TEXT_H
#define SCOPE_REPORT_WAITS_TEXT_H

#include <stdio.h>

#include "analysis/analysis.h"
#include "report/text.h"

/*
 * With style->verbose the whole tree, else a screen of 15 lines, as wide as the style says. 0,
 * -ENOMEM; errors of the stream are left for the caller's ferror().
 */
int scope_report_waits_text(const struct scope_analysis *analysis, const struct scope_report_style *style, FILE *out);
/* 0, -ENOMEM, or -EIO: writing to out failed. */
int scope_report_waits_json(const struct scope_analysis *analysis, FILE *out);

/* Prints the critical paths of the slowest requests instead of the tree. 0, -ENOMEM. */
int scope_report_paths_text(const struct scope_analysis *analysis, const struct scope_report_style *style, FILE *out);

/* Its arrays; the caller owns them. NULL: no memory. */
struct json_t *scope_report_waits_tree(const struct scope_analysis *analysis);
struct json_t *scope_report_waits_bottlenecks(const struct scope_analysis *analysis);
struct json_t *scope_report_waits_causes(const struct scope_analysis *analysis);

struct scope_waits_text {
	char text[320];
};

/* "stage_compute in worker is a bottleneck: …": a sentence or two. */
const char *scope_report_bottleneck(struct scope_waits_text *buffer, const struct scope_analysis *analysis,
				    const struct scope_bottleneck *one);
/* True if a bottleneck is the answer, because all requests are about equally slow. */
bool scope_report_is_bottleneck(const struct scope_analysis *analysis);
/* A bottleneck in addition to another answer that does not name its function; NULL: none. */
const struct scope_bottleneck *scope_report_bottleneck_beside(const struct scope_analysis *analysis);
/* The cause of a part of a wait: "disk", "no CPU". end: enum scope_end. */
const char *scope_report_end(uint8_t end, uint8_t class);
/*
 * The peer that an end of the tree is for, if half of the time or more was for one that the capture found connected; else
 * false.
 */
bool scope_report_part_peer(const struct scope_analysis *analysis, const struct scope_part *part,
			    struct scope_trace_peer *ret_peer);
bool scope_report_peer(const struct scope_analysis *analysis, const struct scope_waits_node *node,
		       struct scope_trace_peer *ret_peer);
/* The path of the file, in the same way; NULL: not known. Borrowed from the trace. */
const char *scope_report_file(const struct scope_analysis *analysis, const struct scope_waits_node *node);
/* The block device that an end is for, if no file is known, and one device has half of the time of all requests; or NULL. */
const char *scope_report_device(const struct scope_analysis *analysis, const struct scope_waits_node *node);

#endif
