/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Common Trace Format 1.8 as LTTng writes it for a kernel: the events under the names and with the
 * fields that viewers of kernel traces look for. One stream a CPU, in packets of up to
 * SCOPE_CTF_PACKET_BYTES, all fields little-endian and aligned to bytes.
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

/* Ids of events; those of syscalls follow, two for each number: entry, exit. */
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

/* Writes the file that describes the streams. nrs: the numbers of syscalls that occur. */
void scope_export_ctf_metadata(FILE *stream, const struct scope_trace *trace, const bool *nrs, uint32_t nr_count);

#endif
