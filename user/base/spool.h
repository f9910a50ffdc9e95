/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bytes that are written once and read from the start any number of times, of any length.
 *
 * The first SCOPE_SPOOL_MEMORY bytes stay in memory, what comes behind them goes to an unnamed
 * temporary file. Where none can be had, or its disk is full, memory holds the rest, too.
 */
#ifndef SCOPE_BASE_SPOOL_H
#define SCOPE_BASE_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#define SCOPE_SPOOL_MEMORY (8u << 20)
#define SCOPE_SPOOL_PIECE (256u << 10) /* most that one room can be of */

struct scope_spool;

/* memory_bytes: SCOPE_SPOOL_MEMORY usually. 0 or -ENOMEM. */
int scope_spool_create(size_t memory_bytes, struct scope_spool **ret_spool);
void scope_spool_destroy(struct scope_spool *spool); /* NULL is fine */

/*
 * A place for up to so many bytes in one piece, aligned to 8 where all uses are multiples of 8; NULL:
 * no memory. It counts once scope_spool_use() says how many of them were filled.
 */
uint8_t *scope_spool_room(struct scope_spool *spool, size_t bytes);
void scope_spool_use(struct scope_spool *spool, size_t bytes);

/*
 * From the start: 1 and the next bytes, whole uses of them, which hold until the next call; 0 at the
 * end; -errno. Nothing may be written between rewind and the end.
 */
void scope_spool_rewind(struct scope_spool *spool);
int scope_spool_next(struct scope_spool *spool, const uint8_t **ret_data, size_t *ret_bytes);

#endif
