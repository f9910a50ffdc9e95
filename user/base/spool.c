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
	uint8_t *data;	 /* NULL: it is in the file */
	uint64_t offset; /* bytes in it */
	size_t used;
};

struct scope_spool {
	struct piece *piece; /* the last one is being filled and is in memory */
	size_t pieces, capacity;
	size_t memory_bytes, held_bytes;
	uint64_t file_bytes;
	int fd;		 /* -1: none yet */
	bool stay;	 /* no file can be created */
	size_t next;	 /* piece to read */
	uint8_t *buffer; /* one of the file's pieces */
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

void scope_spool_rewind(struct scope_spool *spool)
{
	spool->next = 0;
}

int scope_spool_next(struct scope_spool *spool, const uint8_t **ret_data, size_t *ret_bytes)
{
	struct piece *piece;
	int err;

	if (spool->next == spool->pieces)
		return 0;
	piece = &spool->piece[spool->next];
	if (!piece->data) {
		if (!spool->buffer)
			spool->buffer = malloc(SCOPE_SPOOL_PIECE);
		err = spool->buffer ? transfer(spool, piece, false) : -ENOMEM;
		if (err)
			return err;
	}
	*ret_data = piece->data ? piece->data : spool->buffer;
	*ret_bytes = piece->used;
	spool->next++;
	return 1;
}
