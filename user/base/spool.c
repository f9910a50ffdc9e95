// SPDX-License-Identifier: GPL-2.0-only
/* A byte stream of any length that is written once and read from the start any number of times. */
#include "base/spool.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/temporary.h"

struct piece {
	uint8_t *data;	 /* NULL: the piece is in the file */
	uint64_t offset; /* bytes in it */
	size_t used;
};

struct scope_spool {
	struct piece *piece; /* the last one is being filled and is in memory */
	size_t pieces, capacity;
	size_t memory_bytes, held_bytes;
	uint64_t file_bytes;
	int fd;	     /* -1: none yet */
	bool stay;   /* no file can be created */
	size_t next; /* piece to read … */
	size_t skip; /* … from here on … */
	struct scope_spool_place until;
	uint8_t *buffer; /* holds one piece of the file */
};

int scope_spool_create(size_t memory_bytes, struct scope_spool **ret_spool)
{
	struct scope_spool *spool = calloc(1, sizeof(*spool));

	if (!spool)
		return -ENOMEM;
	spool->memory_bytes = memory_bytes;
	spool->fd = -1;
	*ret_spool = spool;
	return 0;
}

void scope_spool_destroy(struct scope_spool *spool)
{
	if (!spool)
		return;
	for (size_t i = 0; i < spool->pieces; i++)
		free(spool->piece[i].data);
	free(spool->piece);
	free(spool->buffer);
	if (spool->fd >= 0)
		close(spool->fd);
	free(spool);
}

static int transfer(struct scope_spool *spool, struct piece *piece, bool out)
{
	uint8_t *data = out ? piece->data : spool->buffer;
	size_t done = 0;

	while (done < piece->used) {
		size_t left = piece->used - done;
		off_t at = (off_t)(piece->offset + done);
		ssize_t bytes = out ? pwrite(spool->fd, data + done, left, at)
				    : pread(spool->fd, data + done, left, at);

		if (bytes < 0 && errno == EINTR)
			continue;
		if (bytes <= 0)
			return bytes ? -errno : -EIO;
		done += (size_t)bytes;
	}
	return 0;
}

/* Writes a full piece to the file and gives its memory to the next piece. False: the piece stays in memory. */
static bool move_out(struct scope_spool *spool, struct piece *piece)
{
	if (spool->stay || spool->held_bytes < spool->memory_bytes)
		return false;
	if (spool->fd < 0 && scope_temporary_open(NULL, &spool->fd)) {
		spool->stay = true;
		return false;
	}
	piece->offset = spool->file_bytes;
	if (transfer(spool, piece, true)) {
		spool->stay = true;
		return false;
	}
	spool->file_bytes += piece->used;
	return true;
}

static int add_piece(struct scope_spool *spool)
{
	struct piece *last;
	uint8_t *data;

	if (scope_grow(&spool->piece, &spool->capacity, spool->pieces + 1, sizeof(*spool->piece)))
		return -ENOMEM;
	last = spool->pieces ? &spool->piece[spool->pieces - 1] : NULL;
	if (last && move_out(spool, last)) {
		data = last->data;
		last->data = NULL;
	} else {
		data = malloc(SCOPE_SPOOL_PIECE);
		if (!data)
			return -ENOMEM;
		spool->held_bytes += SCOPE_SPOOL_PIECE;
	}
	spool->piece[spool->pieces++] = (struct piece){ .data = data };
	return 0;
}

uint8_t *scope_spool_room(struct scope_spool *spool, size_t bytes)
{
	const struct piece *last = spool->pieces ? &spool->piece[spool->pieces - 1] : NULL;

	if (!last || SCOPE_SPOOL_PIECE - last->used < bytes) {
		if (bytes > SCOPE_SPOOL_PIECE || add_piece(spool))
			return NULL;
		last = &spool->piece[spool->pieces - 1];
	}
	return last->data + last->used;
}

void scope_spool_use(struct scope_spool *spool, size_t bytes)
{
	spool->piece[spool->pieces - 1].used += bytes;
}

struct scope_spool_place scope_spool_end(const struct scope_spool *spool)
{
	return spool->pieces ? (struct scope_spool_place){ spool->pieces - 1, spool->piece[spool->pieces - 1].used }
			     : (struct scope_spool_place){ 0 };
}

void scope_spool_seek(struct scope_spool *spool, const struct scope_spool_place *from,
		      const struct scope_spool_place *until)
{
	spool->next = from->piece;
	spool->skip = from->used;
	spool->until = *until;
}

void scope_spool_rewind(struct scope_spool *spool)
{
	const struct scope_spool_place end = scope_spool_end(spool);

	scope_spool_seek(spool, &(struct scope_spool_place){ 0 }, &end);
}

/* The bytes of the next piece. 0 or -errno. */
static int load(struct scope_spool *spool, struct piece *piece, const uint8_t **ret_data)
{
	int err;

	if (!piece->data) {
		if (!spool->buffer)
			spool->buffer = malloc(SCOPE_SPOOL_PIECE);
		err = spool->buffer ? transfer(spool, piece, false) : -ENOMEM;
		if (err)
			return err;
	}
	*ret_data = piece->data ? piece->data : spool->buffer;
	return 0;
}

int scope_spool_next(struct scope_spool *spool, const uint8_t **ret_data, size_t *ret_bytes)
{
	while (spool->next < spool->pieces && spool->next <= spool->until.piece) {
		struct piece *piece = &spool->piece[spool->next];
		const size_t end = spool->next == spool->until.piece ? spool->until.used : piece->used;
		const size_t skip = spool->skip;
		int err;

		spool->skip = 0;
		spool->next++;
		if (skip >= end)
			continue;
		err = load(spool, piece, ret_data);
		if (err)
			return err;
		*ret_data += skip;
		*ret_bytes = end - skip;
		return 1;
	}
	return 0;
}
