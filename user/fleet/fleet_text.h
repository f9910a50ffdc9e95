/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints the report over all hosts, as text or as JSON. */
#ifndef SCOPE_FLEET_FLEET_TEXT_H
#define SCOPE_FLEET_FLEET_TEXT_H

#include <jansson.h>
#include <stdio.h>

#include "fleet/ranking.h"

/* What was read, and what was not. */
struct scope_fleet_read {
	uint64_t files, summaries;
	uint64_t twice, overlapping; /* left out */
	char (*problem)[512];	     /* sentences: files that could not be read, or not as a whole */
	size_t problems, problem_capacity;
	uint64_t unread; /* files that another program, or a newer scope, may be able to read, in whole or from some place on */
};

/* The sentence that the report begins with; "" has no hosts. */
void scope_fleet_text_answer(const struct scope_fleet_ranking *ranking, char *text, size_t room);
/* Which hosts, and what they have in common, in words. */
void scope_fleet_text_hosts(const struct scope_fleet_ranking *ranking, const struct scope_fleet_rank *rank, char *text,
			    size_t room);

/* verbose: all functions and hosts, not what a screen holds. 0 or -errno. */
int scope_fleet_text_print(const struct scope_fleet_ranking *ranking, const struct scope_fleet_read *read, bool verbose,
			   FILE *out);
/* Adds to an object. 0 or -ENOMEM. */
int scope_fleet_json(const struct scope_fleet_ranking *ranking, const struct scope_fleet_read *read, json_t *document);

#endif
