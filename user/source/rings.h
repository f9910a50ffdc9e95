/* SPDX-License-Identifier: GPL-2.0-only */
/* A session's device: its mapped rings, and the calls on its descriptor. */
#ifndef SCOPE_SOURCE_RINGS_H
#define SCOPE_SOURCE_RINGS_H

#include <stdbool.h>
#include <stdint.h>

#include <scope/ring.h>
#include <scope/table.h>

#include "base/error.h"

struct scope_rings;

/* Opens the device, which makes a session. 0, or -errno with error filled. */
int scope_source_rings_open(struct scope_error *error, struct scope_rings **ret_rings, uint32_t *ret_session);
void scope_source_rings_close(struct scope_rings *rings); /* ends the session; NULL is fine */

/* Maps all rings; after CONFIGURE. */
int scope_source_rings_map(struct scope_rings *rings, struct scope_error *error);

/* For poll(): readable while there is a whole sub-buffer to read. */
int scope_source_rings_fd(const struct scope_rings *rings);

/* Makes the kernel publish all records it holds. 0 or -errno. */
int scope_source_rings_flush(struct scope_rings *rings);

/*
 * Calls take() for every sub-buffer that is ready at the time of the call, CPU by CPU, and gives it back to the kernel
 * when take() has returned 0. Another value ends the drain and is returned.
 */
int scope_source_rings_drain(struct scope_rings *rings, int (*take)(const struct scope_subbuf *subbuf, void *context),
			     void *context);

/* How much of the fullest ring is unread, in thousandths. */
uint32_t scope_source_rings_fill(const struct scope_rings *rings);
/* True if the module takes tables. Call it before the module is configured. */
bool scope_source_rings_take_tables(const struct scope_rings *rings);
/* Stacks copied so far because mappings were not known. */
uint64_t scope_source_rings_unmapped(const struct scope_rings *rings);

/* Give the session a table, or the mappings of a process (scope/table.h). The number of the table, 0, or -errno. */
int scope_source_rings_table(struct scope_rings *rings, const void *table, uint32_t bytes);
int scope_source_rings_process(struct scope_rings *rings, uint32_t tgid, const struct scope_table_map *map,
			       uint32_t count);

/* Current sums over all CPUs, by the kernel's counts. lost has SCOPE_LOST_REASONS entries. */
void scope_source_rings_count(const struct scope_rings *rings, uint64_t *ret_records, uint64_t *ret_lost);

#endif
