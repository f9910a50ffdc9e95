/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file of summaries: a header, then a frame for each. docs/fleet.md describes it.
 *
 * +--------+-------+---------+-------+---------+- - - | header | frame | payload | frame | payload |
 * +--------+-------+---------+-------+---------+- - -
 *
 * All numbers are little-endian. A payload is one zstd frame. A file may be cut off after any byte: all complete
 * frames are read. Files may be put one after another (cat): a header may be between frames.
 */
#ifndef SCOPE_FLEET_SUMMARY_FILE_H
#define SCOPE_FLEET_SUMMARY_FILE_H

#include "base/error.h"
#include "fleet/host_summary.h"

#define SCOPE_FLEET_FILE_MAGIC "SCOPEsum"   /* 8 bytes, without the zero byte */
#define SCOPE_FLEET_FILE_VERSION 1u	    /* no rule */
#define SCOPE_FLEET_FILE_OLDEST_READER 1u   /* no rule */
#define SCOPE_FLEET_FRAME_MAGIC 0x4d555346u /* "FSUM" */
#define SCOPE_FLEET_RAW_MAX (16u << 20)	    /* a larger value means a damaged head */
#define SCOPE_FLEET_BYTES_A_SECOND 1000	    /* of a frame, at most: else its step is doubled */

struct scope_fleet_file_header {
	char magic[8];
	uint32_t version;
	uint32_t oldest_reader; /* the oldest version whose readers can read it */
};

struct scope_fleet_frame {
	uint32_t magic;
	uint32_t payload_bytes; /* as stored */
	uint32_t raw_bytes;	/* once decompressed */
	uint32_t payload_crc;	/* CRC-32 as in zlib of the payload as stored */
};

/*
 * Appends a frame to a file, which gets a header if it is empty. The step of the summary is doubled until a second
 * takes SCOPE_FLEET_BYTES_A_SECOND or less. 0, or -errno, and then the file is as before if it can be truncated.
 */
int scope_fleet_file_append(int fd, struct scope_fleet_summary *summary);

/* What is read of a file. */
struct scope_fleet_file_stats {
	uint64_t summaries;
	char problem[256]; /* a sentence: what could not be read; "": all was */
};

/*
 * Calls each with every summary, which it may not keep. A damaged frame is left out, and reading continues at the
 * next one, if it can be found. 0; -EPROTO: a newer version, with error; -EBADMSG: no such file, with error; what
 * each returned.
 */
int scope_fleet_file_each(int fd, const char *name, struct scope_error *error,
			  int (*each)(void *user, const struct scope_fleet_summary *summary), void *user,
			  struct scope_fleet_file_stats *ret_stats);

#endif
