/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bytes of a trace file. docs/trace-format.md describes them in prose.
 *
 *   +--------+-------+---------+-----+-------+---------+-----+- - -+-----------+
 *   | header | frame | payload | pad | frame | payload | pad |     | END frame |
 *   +--------+-------+---------+-----+-------+---------+-----+- - -+-----------+
 *
 * All numbers are little-endian, all frames start at a multiple of 8 bytes. Strings end with a zero
 * byte.
 */
#ifndef SCOPE_TRACE_FORMAT_H
#define SCOPE_TRACE_FORMAT_H

#include <assert.h>
#include <stdint.h>

#include <scope/ring.h>

#define SCOPE_FILE_MAGIC "SCOPEtrc" /* 8 bytes, without the zero byte */
#define SCOPE_FILE_BYTE_ORDER 0x01020304u
#define SCOPE_FILE_VERSION 9u	    /* the format that this program writes, the newest it knows */
#define SCOPE_FILE_OLDEST_READER 9u /* older programs do not know MAPS frames */

struct scope_file_header {
	char magic[8];
	uint32_t byte_order;
	uint32_t version;
	uint32_t oldest_reader;
	uint32_t header_bytes; /* the first frame starts here; a multiple of 8 */
	uint64_t zero;
};

#define SCOPE_FRAME_MAGIC 0x4d524653u /* "SFRM" */

/* Never reuse a number. */
enum scope_frame_type {
	SCOPE_FRAME_META = 1,		/* key, value */
	SCOPE_FRAME_MAP = 2,		/* struct scope_frame_map, path, build id */
	SCOPE_FRAME_SYMBOL = 3,		/* struct scope_frame_symbol, name, module */
	SCOPE_FRAME_FD = 4,		/* struct scope_frame_fd, name */
	SCOPE_FRAME_MEMORY = 5,		/* struct scope_frame_memory, data */
	SCOPE_FRAME_SUBBUF = 6,		/* struct scope_subbuf and its records, used_bytes in all */
	SCOPE_FRAME_END = 7,		/* struct scope_frame_end */
	SCOPE_FRAME_THREAD = 8,		/* struct scope_frame_thread, comm */
	SCOPE_FRAME_SYMBOLS = 9,	/* struct scope_frame_symbols, module, then per symbol: u64 start,
				    u64 size, name */
	SCOPE_FRAME_INDEX = 10,		/* struct scope_frame_place, any number of them */
	SCOPE_FRAME_STOPPED_STACK = 11, /* struct scope_frame_stopped_stack, u64 each address */
	SCOPE_FRAME_LOCK = 12,		/* struct scope_frame_lock */
	SCOPE_FRAME_FILE = 13,		/* struct scope_frame_file, path, build id, build id found */
	SCOPE_FRAME_PLACES = 14,	/* struct scope_frame_places, then per address: struct scope_frame_place_of,
				    name, per line: u32 line, function, file */
	SCOPE_FRAME_SKIP = 15,		/* bytes without meaning and without a valid CRC (trace/later.h) */
	SCOPE_FRAME_MAPS = 16,		/* struct scope_frame_maps, then per mapping: struct scope_frame_map_of,
				    path, build id */
};

#define SCOPE_FRAME_ZSTD 0x1u	   /* the payload is one zstd frame of raw_bytes */
#define SCOPE_FRAME_COLUMNS_3 0x2u /* SUBBUF: in the order of columns_3.c, of format 3 */
#define SCOPE_FRAME_COLUMNS 0x4u   /* SUBBUF: in the order of columns.c, and of another length */
#define SCOPE_FRAME_FLAGS 0x7u	   /* the known flags */

#define SCOPE_FRAME_ALIGN 8u
#define SCOPE_FRAME_RAW_MAX (16u << 20) /* a larger value means a damaged head */
#define SCOPE_FRAME_CPU_MAX 0x1fffu	/* the most that Linux has */
#define SCOPE_FRAME_CPU_SNAPSHOTS                                                                                      \
	SCOPE_FRAME_CPU_MAX	       /* on a host with fewer CPUs: snapshots, which the capture takes itself */
#define SCOPE_FRAME_CPU_STATES 0xffffu /* no CPU: the states of threads when a copy was made */

/*
 * A reader's memory budgets for a file of that size: one for all metadata (decompressed, and as
 * rows), one for the sum of the largest sub-buffer of each CPU. Above the constant part, real files
 * take a tenth of them at most, because traces do not compress better than 20 to 1.
 */
#define SCOPE_FILE_ROWS_BUDGET(bytes) ((128ull << 20) + 32ull * (bytes))
#define SCOPE_FILE_SUBBUFS_BUDGET(bytes) ((64ull << 20) + 16ull * (bytes))

struct scope_frame {
	uint32_t magic;
	uint16_t type;
	uint16_t flags;
	uint32_t cpu;		/* SUBBUF; else 0 */
	uint32_t payload_bytes; /* as stored, padding not counted */
	uint32_t raw_bytes;	/* once decompressed */
	uint32_t payload_crc;	/* CRC-32 as in zlib of the payload as stored */
	uint32_t zero;
	uint32_t head_crc; /* CRC-32 of the 28 bytes before */
};

#define SCOPE_MAP_EXECUTABLE 1u
#define SCOPE_MAP_ELF 4u /* the file is in memory, without a build-id, and an ELF file: no code made at run time */
#define SCOPE_MAP_OF_PACKAGE 2u /* the executable file is of the program's source package */

struct scope_frame_map {
	uint32_t tgid;
	uint32_t flags; /* SCOPE_MAP_* */
	uint64_t start, end, offset;
};

struct scope_frame_maps {
	uint32_t tgid;
	uint32_t zero;
};

/* Mappings at equal distances have equal bytes here, which compress to almost nothing. */
struct scope_frame_map_of {
	uint64_t gap;	/* from the end of the mapping before it in this frame, or from 0; may wrap */
	uint64_t bytes; /* long */
	uint64_t offset;
	uint32_t flags; /* SCOPE_MAP_* */
	uint32_t zero;
};

struct scope_frame_symbol {
	uint32_t tgid;
	uint32_t library; /* 0 or 1 */
	uint64_t start, size;
};

struct scope_frame_fd {
	uint32_t tgid;
	int32_t fd;
	uint32_t kind; /* enum scope_fd_kind */
	uint32_t zero;
};

struct scope_frame_memory {
	uint32_t tid;
	uint32_t bytes;
	uint64_t address;
};

struct scope_frame_stopped_stack {
	uint32_t tid;
	uint32_t count;
	uint64_t address; /* of the stack pointer */
	uint32_t ended;	  /* SCOPE_FRAMES_* */
	uint32_t zero;
};

struct scope_frame_lock {
	uint32_t tid;
	uint32_t owner; /* a thread of its process; 0: none is named */
	uint64_t address;
};

struct scope_frame_file {
	uint32_t number;	   /* the number by which PLACES names it */
	uint32_t deleted;	   /* 0 or 1: its path did not exist any more when the mapping was read */
	uint32_t outcome;	   /* enum scope_file_outcome */
	int32_t error;		   /* SCOPE_FILE_UNREADABLE: errno, 0: no ELF file */
	uint32_t functions, named; /* functions of the file, and those with a name; UINT32_MAX: not counted */
};

struct scope_frame_places {
	uint32_t file;
	uint32_t zero;
};

/* An address that was hit. */
struct scope_frame_place_of {
	uint64_t offset;      /* in the file */
	uint64_t start, size; /* of its function, link addresses; without a function the address itself and 0 */
	uint32_t flags;	      /* SCOPE_PLACE_* */
	uint32_t lines;
};

#define SCOPE_PLACE_FUNCTION 0x1u /* start and size are those of a function */
#define SCOPE_PLACE_NAMED 0x2u	  /* the function's name is known */
#define SCOPE_PLACE_LINED 0x4u	  /* source lines were searched */
#define SCOPE_PLACE_LIBC 0x8u	  /* it is the C library's, linked into the program */
#define SCOPE_PLACE_MESSAGE 0x10u /* the name is from messages of the program, not a symbol */
#define SCOPE_PLACE_FLAGS 0x1fu
#define SCOPE_PLACE_LINES_MAX 7u /* the most that a line of the text form holds */

struct scope_frame_end {
	uint64_t frames;  /* before this one */
	uint64_t subbufs; /* SUBBUF frames among them */
	uint64_t index;	  /* offset of the INDEX frame, 0: there is none. Format 1 ends before this member */
};

#define SCOPE_FRAME_END_BYTES_MIN 16u

struct scope_frame_thread {
	uint32_t tid;
	uint32_t tgid;
};

struct scope_frame_symbols {
	uint32_t tgid;
	uint32_t library; /* 0 or 1 */
};

/* Where a sub-buffer is in the file, and which time it covers. */
struct scope_frame_place {
	uint64_t offset; /* of its frame, from the start of the file */
	uint64_t begin_ns, end_ns;
	uint32_t cpu;
	uint32_t ordinal; /* among the SUBBUF frames of this CPU in this file, from 0 */
};

static_assert(sizeof(struct scope_file_header) == 32, "file header");
static_assert(sizeof(struct scope_frame) == 32, "frame");
static_assert(sizeof(struct scope_frame_map) == 32, "map");
static_assert(sizeof(struct scope_frame_maps) == 8, "maps");
static_assert(sizeof(struct scope_frame_map_of) == 32, "map of many");
static_assert(sizeof(struct scope_frame_symbol) == 24, "symbol");
static_assert(sizeof(struct scope_frame_fd) == 16, "fd");
static_assert(sizeof(struct scope_frame_memory) == 16, "memory");
static_assert(sizeof(struct scope_frame_stopped_stack) == 24, "stopped stack");
static_assert(sizeof(struct scope_frame_lock) == 16, "lock");
static_assert(sizeof(struct scope_frame_file) == 24, "file");
static_assert(sizeof(struct scope_frame_places) == 8, "places");
static_assert(sizeof(struct scope_frame_place_of) == 32, "place of an address");
static_assert(sizeof(struct scope_frame_end) == 24, "end");
static_assert(sizeof(struct scope_frame_thread) == 8, "thread");
static_assert(sizeof(struct scope_frame_symbols) == 8, "symbols");
static_assert(sizeof(struct scope_frame_place) == 32, "place");

/* Bytes that a payload takes in the file. */
static inline uint64_t scope_trace_frame_padded(uint64_t bytes)
{
	return (bytes + SCOPE_FRAME_ALIGN - 1) & ~(uint64_t)(SCOPE_FRAME_ALIGN - 1);
}

#endif
