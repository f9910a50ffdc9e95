// SPDX-License-Identifier: GPL-2.0-only
/* The last sub-buffers of a capture, in pieces of memory that are freed as a whole. */
#include "trace/flight.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PIECE_BYTES (1u << 20)

/* The frame follows this struct in memory. place.offset: length of the frame. */
struct entry {
	struct scope_frame_place place;
};

struct piece {
	struct piece *newer;
	size_t bytes, used;
	uint64_t subbufs;
	uint64_t raw_bytes; /* of its sub-buffers, uncompressed, with their heads */
	uint64_t end_ns;    /* time of its latest sub-buffer */
	uint64_t data[];
};

struct scope_flight {
	uint64_t span_ns, limit_bytes;
	struct piece *oldest, *newest;
	uint64_t held_bytes, subbufs, raw_bytes;
	uint64_t first_ns; /* begin of the first sub-buffer ever */
	uint64_t gone_ns;  /* end of the latest sub-buffer that was dropped */
	uint64_t end_ns;
	bool begun;
};

int scope_trace_flight_create(uint64_t span_ns, uint64_t memory_bytes, struct scope_flight **ret_flight)
{
	struct scope_flight *flight;

	if (memory_bytes < SCOPE_FLIGHT_BYTES_MIN)
		return -EINVAL;
	flight = calloc(1, sizeof(*flight));
	if (!flight)
		return -ENOMEM;
	flight->span_ns = span_ns;
	flight->limit_bytes = memory_bytes;
	*ret_flight = flight;
	return 0;
}

static void drop_oldest(struct scope_flight *flight)
{
	struct piece *piece = flight->oldest;

	flight->oldest = piece->newer;
	if (!flight->oldest)
		flight->newest = NULL;
	flight->held_bytes -= piece->bytes;
	flight->subbufs -= piece->subbufs;
	flight->raw_bytes -= piece->raw_bytes;
	if (piece->end_ns > flight->gone_ns)
		flight->gone_ns = piece->end_ns;
	munmap(piece, piece->bytes);
}

void scope_trace_flight_destroy(struct scope_flight *flight)
{
	if (!flight)
		return;
	while (flight->oldest)
		drop_oldest(flight);
	free(flight);
}

static int add_piece(struct scope_flight *flight, size_t need)
{
	const size_t page = 4096;
	size_t bytes = (sizeof(struct piece) + need + page - 1) & ~(page - 1);
	struct piece *piece;

	if (bytes < PIECE_BYTES)
		bytes = PIECE_BYTES;
	while (flight->oldest && flight->held_bytes + bytes > flight->limit_bytes)
		drop_oldest(flight);
	piece = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (piece == MAP_FAILED)
		return -ENOMEM;
	piece->bytes = bytes;
	if (flight->newest)
		flight->newest->newer = piece;
	else
		flight->oldest = piece;
	flight->newest = piece;
	flight->held_bytes += bytes;
	return 0;
}

/* The newest piece always stays. */
static void drop_old(struct scope_flight *flight)
{
	while (flight->oldest != flight->newest && flight->oldest->end_ns + flight->span_ns < flight->end_ns)
		drop_oldest(flight);
}

int scope_trace_flight_add(struct scope_flight *flight, const struct scope_frame_bytes *frame,
			   const struct scope_subbuf *subbuf)
{
	const size_t need = sizeof(struct entry) + frame->bytes;
	const size_t payload = frame->head.payload_bytes;
	struct piece *piece = flight->newest;
	struct entry *entry;
	uint8_t *place;

	if (!piece || piece->bytes - sizeof(*piece) - piece->used < need) {
		if (add_piece(flight, need))
			return -ENOMEM;
		piece = flight->newest;
	}
	entry = (struct entry *)((uint8_t *)piece->data + piece->used);
	entry->place = (struct scope_frame_place){
		.offset = frame->bytes,
		.begin_ns = subbuf->begin_ns,
		.end_ns = subbuf->end_ns,
		.cpu = subbuf->cpu,
	};
	place = (uint8_t *)(entry + 1);
	memcpy(place, &frame->head, sizeof(frame->head));
	memcpy(place + sizeof(frame->head), frame->payload, payload);
	memset(place + sizeof(frame->head) + payload, 0, frame->bytes - sizeof(frame->head) - payload);
	piece->used += need;
	piece->subbufs++;
	piece->raw_bytes += sizeof(*entry) + sizeof(frame->head) + frame->head.raw_bytes;
	flight->raw_bytes += sizeof(*entry) + sizeof(frame->head) + frame->head.raw_bytes;
	flight->subbufs++;
	if (subbuf->end_ns > piece->end_ns)
		piece->end_ns = subbuf->end_ns;
	if (subbuf->end_ns > flight->end_ns)
		flight->end_ns = subbuf->end_ns;
	if (!flight->begun)
		flight->first_ns = subbuf->begin_ns;
	flight->begun = true;
	drop_old(flight);
	return 0;
}

void scope_trace_flight_state(const struct scope_flight *flight, struct scope_trace_flight_state *ret_state)
{
	*ret_state = (struct scope_trace_flight_state){
		.begin_ns = flight->gone_ns ? flight->gone_ns : flight->first_ns,
		.end_ns = flight->end_ns,
		.held_bytes = flight->held_bytes,
		.subbufs = flight->subbufs,
	};
}

bool scope_trace_flight_has_room(const struct scope_flight *flight)
{
	struct scope_trace_flight_state state;

	if (flight->held_bytes < flight->limit_bytes / 2)
		return true;
	scope_trace_flight_state(flight, &state);
	/* The bytes in the time to hold. The first and the last piece are not full. */
	return (double)flight->raw_bytes * (double)flight->span_ns <
	       (double)(flight->limit_bytes - 2 * PIECE_BYTES) * (double)(state.end_ns - state.begin_ns);
}

uint64_t scope_trace_flight_newest(const struct scope_flight *flight, uint64_t raw_bytes, uint64_t span_ns)
{
	uint64_t bytes = flight->raw_bytes, begin_ns = 0;

	for (const struct piece *piece = flight->oldest; piece && bytes > raw_bytes; piece = piece->newer) {
		if (piece->end_ns + span_ns > flight->end_ns)
			break;
		bytes -= piece->raw_bytes;
		begin_ns = piece->end_ns;
	}
	return begin_ns;
}

int scope_trace_flight_walk(const struct scope_flight *flight,
			    int (*each)(const void *frame, const struct scope_frame_place *place, void *context),
			    void *context)
{
	for (const struct piece *piece = flight->oldest; piece; piece = piece->newer) {
		const uint8_t *at = (const uint8_t *)piece->data, *end = at + piece->used;

		while (at < end) {
			const struct entry *entry = (const void *)at;
			int err = each(entry + 1, &entry->place, context);

			if (err)
				return err;
			at += sizeof(*entry) + entry->place.offset;
		}
	}
	return 0;
}
