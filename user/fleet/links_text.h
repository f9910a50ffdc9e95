/* SPDX-License-Identifier: GPL-2.0-only */
/* The waits of hosts for one another, as text and as JSON. */
#ifndef SCOPE_FLEET_LINKS_TEXT_H
#define SCOPE_FLEET_LINKS_TEXT_H

#include <jansson.h>
#include <stdio.h>

#include "fleet/ranking.h"

/* How much of its waits for other hosts each host had by a function: by member, us. The caller frees; NULL: no memory. */
double *scope_fleet_links_waiting(const struct scope_fleet_ranking *ranking, const struct scope_fleet_rank *rank);
/* "front-1 (17.1 s), front-2 (9 s)"; "": no host waited for it. */
void scope_fleet_links_waiters(const struct scope_fleet_ranking *ranking, const struct scope_fleet_rank *rank,
			       char *text, size_t room);

/* verbose: all links, not those with most excess. */
void scope_fleet_links_print(const struct scope_fleet_ranking *ranking, bool verbose, FILE *out);
/* An array, and an object. NULL: no memory. */
json_t *scope_fleet_links_json(const struct scope_fleet_ranking *ranking);
json_t *scope_fleet_links_json_unmatched(const struct scope_fleet_ranking *ranking);

#endif
