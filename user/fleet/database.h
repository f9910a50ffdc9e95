/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The summaries of hosts in an SQLite database, in memory or in a file.
 *
 * summary one of a host, known by its capture and number label of a summary second requests of a kind that ended in a
 * step of time, with their distribution (fleet/coarse.h) excess of a function in a step of time finding of the
 * analysis of a host link, exchange requests between two addresses (fleet/exchanges.h)
 *
 * A summary that the database has is not added again. A summary that overlaps in time with another one of the same
 * process, for example by a second recorder, is not added either, because seconds would count twice.
 */
#ifndef SCOPE_FLEET_DATABASE_H
#define SCOPE_FLEET_DATABASE_H

#include "base/error.h"
#include "fleet/facts.h"

struct scope_fleet_store;

enum scope_fleet_added {
	SCOPE_FLEET_ADDED,
	SCOPE_FLEET_TWICE,   /* the database has it already */
	SCOPE_FLEET_OVERLAP, /* another summary of the same process covers that time */
};

/* path NULL: in memory. 0, or -errno with error. The caller destroys; all that was added before a finish is kept. */
int scope_fleet_store_open(const char *path, struct scope_error *error, struct scope_fleet_store **ret_store);
/* 0, or -errno with error. */
int scope_fleet_store_add(struct scope_fleet_store *store, const struct scope_fleet_summary *summary,
			  struct scope_error *error, enum scope_fleet_added *ret_added);
int scope_fleet_store_finish(struct scope_fleet_store *store, struct scope_error *error);
/* since_s: 0, or only the last since_s seconds of each program on each host. 0, or -errno with error. */
int scope_fleet_store_facts(struct scope_fleet_store *store, uint64_t since_s, struct scope_error *error,
			    struct scope_fleet_facts **ret_facts);
void scope_fleet_store_close(struct scope_fleet_store *store); /* NULL is fine */

#endif
