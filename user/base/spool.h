/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A byte stream of any length that is written once and read from the start any number of times.
 *
 * The first SCOPE_SPOOL_MEMORY bytes stay in memory, later ones go to an unnamed temporary file. If
 * no file can be created, or its disk is full, the rest stays in memory, too.
 */
#ifndef SCOPE_BASE_SPOOL_H
#define SCOPE_BASE_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#define SCOPE_SPOOL_MEMORY (8u << 20)
#define SCOPE_SPOOL_PIECE (256u << 10) /* the most bytes of one scope_spool_room() */

struct scope_spool;

/* memory_bytes: SCOPE_SPOOL_MEMORY usually. 0 or -ENOMEM. */
int scope_spool_create(size_t memory_bytes, struct scope_spool **ret_spool);
void scope_spool_destroy(struct scope_spool *spool); /* NULL is fine */

/*
 * Returns room for up to `bytes` contiguous bytes, aligned to 8 if all uses are multiples of 8;
 * NULL: no memory. scope_spool_use() then says how many of them were filled.
 */
uint8_t *scope_spool_room(struct scope_spool *spool, size_t bytes);
void scope_spool_use(struct scope_spool *spool, size_t bytes);

/* A place between two uses; zeroed: the start. It stays valid while more is written. */
struct scope_spool_place {
	size_t piece, used;
};

/* After all that was written. */
struct scope_spool_place scope_spool_end(const struct scope_spool *spool);

/*
 * Reads from the start to the end, or from place to place: 1 and the next bytes, which are one or more whole uses and valid until the
 * next call; 0 at the end; -errno. Do not write between rewind and the end.
 */
void scope_spool_rewind(struct scope_spool *spool);
void scope_spool_seek(struct scope_spool *spool, const struct scope_spool_place *from,
		      const struct scope_spool_place *until);
int scope_spool_next(struct scope_spool *spool, const uint8_t **ret_data, size_t *ret_bytes);

#endif
