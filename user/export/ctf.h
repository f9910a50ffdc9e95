/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Common Trace Format 1.8 as LTTng writes it for a kernel: events have the names and fields that viewers of kernel
 * traces expect. There is one stream for each CPU, in packets of up to SCOPE_CTF_PACKET_BYTES; all fields are
 * little-endian and aligned to bytes.
 *
 *   packet:  u32 magic, u32 stream id | u64 begin, u64 end (ns), u64 content size, u64 packet size
 *            (bits), u64 events discarded so far, u32 cpu | events
 *   event:   u16 id, u64 time (ns) | i32 pid, i32 tid (context) | fields
 */
#ifndef SCOPE_EXPORT_CTF_H
#define SCOPE_EXPORT_CTF_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "trace/trace.h"

#define SCOPE_CTF_MAGIC 0xc1fc1fc1u
#define SCOPE_CTF_PACKET_BYTES (1u << 20)

/*
 * Ids of events. Those of system calls follow, SCOPE_CTF_VARIANTS for each number: its exit, and its entry with 0, 1, …
 * arguments, because the number of recorded arguments can be chosen.
 */
enum scope_ctf_id {
	SCOPE_CTF_SWITCH,
	SCOPE_CTF_WAKING,
	SCOPE_CTF_FORK,
	SCOPE_CTF_EXIT,
	SCOPE_CTF_EXEC,
	SCOPE_CTF_PROBE,
	SCOPE_CTF_DELAY,
	SCOPE_CTF_SYSCALLS,
};

#define SCOPE_CTF_VARIANTS 8 /* no rule: SCOPE_ARG_MAX and 2 */

/* The variant of an event. */
static inline unsigned scope_export_ctf_variant(bool exits, unsigned args)
{
	return exits ? 0 : 1 + args;
}

/*
 * LTTng's names for a call's arguments, in their order; NULL: entries of the call have a length and a list, in only one
 * variant, that without arguments.
 */
const char *const *scope_export_ctf_names(uint32_t nr);

/* Writes the file that describes the streams. nrs: by number of a system call, a bit for each variant that occurs. */
void scope_export_ctf_metadata(FILE *stream, const struct scope_trace *trace, const uint8_t *nrs, uint32_t nr_count);

#endif
