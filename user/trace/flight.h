/* SPDX-License-Identifier: GPL-2.0-only */
/* The last sub-buffers of a capture, as frames in memory: bounded in time and in bytes. */
#ifndef SCOPE_TRACE_FLIGHT_H
#define SCOPE_TRACE_FLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <scope/ring.h>

#include "trace/framer.h"

#define SCOPE_FLIGHT_BYTES_MIN (4u << 20)

struct scope_flight;

struct scope_trace_flight_state {
	uint64_t begin_ns; /* from this time on nothing is missing; 0: there is no sub-buffer yet */
	uint64_t end_ns;
	uint64_t held_bytes; /* of memory, at most what create was given */
	uint64_t subbufs;
};

/* memory_bytes: at least SCOPE_FLIGHT_BYTES_MIN (-EINVAL). 0 or -errno. */
int scope_trace_flight_create(uint64_t span_ns, uint64_t memory_bytes, struct scope_flight **ret_flight);
void scope_trace_flight_destroy(struct scope_flight *flight); /* NULL is fine */

/*
 * Copies the frame of a sub-buffer. Frames that are too old, or for which there is no room, are dropped. 0 or
 * -ENOMEM.
 */
int scope_trace_flight_add(struct scope_flight *flight, const struct scope_frame_bytes *frame,
			   const struct scope_subbuf *subbuf);

void scope_trace_flight_state(const struct scope_flight *flight, struct scope_trace_flight_state *ret_state);

/*
 * True if the next sub-buffers may stay uncompressed: half of the memory is free, or, at the present rate, the memory
 * holds the requested time uncompressed. Compression takes more of a CPU than all else that is done with a sub-buffer.
 */
bool scope_trace_flight_has_room(const struct scope_flight *flight);

/*
 * The begin of the newest frames that have about raw_bytes uncompressed bytes and cover span_ns or more; 0: all frames
 * are needed for that.
 */
uint64_t scope_trace_flight_newest(const struct scope_flight *flight, uint64_t raw_bytes, uint64_t span_ns);

/*
 * Calls each() for every frame, the oldest first. If each() returns another value than 0, the walk ends and returns it.
 * frame: place->offset bytes, head and padding included.
 */
int scope_trace_flight_walk(const struct scope_flight *flight,
			    int (*each)(const void *frame, const struct scope_frame_place *place, void *context),
			    void *context);

#endif
