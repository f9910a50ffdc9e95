/* SPDX-License-Identifier: GPL-2.0-only */
/* The messages between the two ends of an unwinder. */
#ifndef SCOPE_CAPTURE_UNWINDER_INTERNAL_H
#define SCOPE_CAPTURE_UNWINDER_INTERNAL_H

#include <stdint.h>
#include <sys/types.h>

#include <scope/ring.h>

#include "capture/unwinder.h"
#include "symbol/stacks.h"
#include "trace/trace.h"

/* One job at a time; its input is in `in`, its result in `out`. */
enum scope_unwinder_kind {
	SCOPE_UNWINDER_NOTHING,
	SCOPE_UNWINDER_MAPS,   /* in: `count` times struct scope_unwinder_map_row, path, build-id */
	SCOPE_UNWINDER_SUBBUF, /* in: struct scope_subbuf; after it `count` times struct scope_unwinder_process */
	SCOPE_UNWINDER_NAMES,  /* count: 1: of all files; out: a payload with answer.type and bytes, 0: none */
	SCOPE_UNWINDER_STOPPED_STACK, /* in: struct scope_unwinder_thread, and its bytes of stack */
	SCOPE_UNWINDER_TABLE,	      /*
	 * out: the next part of a table, with answer.type (its key), bytes and all_bytes; count: if no opened file has
	 * a table, opens more
	 */
	SCOPE_UNWINDER_PROCESS,	      /* out: struct scope_table_map of process answer.type, `bytes` bytes */
};

struct scope_unwinder_job {
	uint32_t kind;
	uint32_t count;
};

struct scope_unwinder_answer {
	int32_t code;
	uint32_t bytes, type; /* for NAMES, TABLE, PROCESS; bytes 0: there is none */
	uint32_t all_bytes;
	uint32_t tables;   /* there are tables or mappings that the module does not have yet */
	uint32_t unopened; /* there are files that may have tables, and are not opened yet */
	struct scope_stacks_found found;
};

struct scope_unwinder_map_row {
	uint32_t tgid;
	uint32_t path_bytes, build_id_bytes; /* with their zero bytes */
	uint16_t of_package, elf;	     /* 0 or 1 */
	uint64_t start, end, offset;
};

struct scope_unwinder_thread {
	uint32_t tgid, regs;
	uint64_t reg[SCOPE_REG_MAX];
	uint32_t tid, bytes;
	uint64_t address;
};

struct scope_unwinder_stopped {
	uint32_t count, ended;
	uint64_t ip[SCOPE_FRAMES_MAX];
};

/* The process of a stack. ancestor: the process whose mappings it has until its own are known; or itself. */
struct scope_unwinder_process {
	uint32_t tgid, ancestor; /* in the queue, if the process is not known: 0, and the thread */
};

#define SCOPE_UNWINDER_STACKS_MAX (SCOPE_SUBBUF_BYTES_MAX / sizeof(struct scope_record_chain))
#define SCOPE_UNWINDER_IN_BYTES                                                                                        \
	(SCOPE_SUBBUF_BYTES_MAX + SCOPE_UNWINDER_STACKS_MAX * sizeof(struct scope_unwinder_process))

/* Shared memory of both; its parts are 8-byte aligned. */
struct scope_unwinder_shared {
	uint64_t in[SCOPE_UNWINDER_IN_BYTES / 8];
	uint64_t out[SCOPE_SUBBUF_BYTES_MAX / 8];
};

struct scope_owners;

/* A sub-buffer in the queue; the processes of its stacks follow it. */
struct scope_unwinder_item {
	struct scope_unwinder_item *next;
	uint32_t processes;
	bool plain;		    /* it has no stacks that are unwound */
	bool again;		    /* its maps were requested */
	struct scope_subbuf subbuf; /* its records follow it */
};

/* When the maps of a process were last requested, and how long to wait before the next time. */
struct scope_capture_unwinder_refresh {
	uint32_t tgid;
	uint64_t asked_ns, wait_ns;
};

struct scope_unwinder {
	struct scope_unwinder_host host;
	struct scope_unwinder_shared *shared;
	struct scope_owners *owners;
	bool stacks_noted, futexes_noted, execs_noted; /* for the sub-buffer that is taken next */
	pid_t child;				       /* 0: given up */
	int fd;
	enum scope_unwinder_kind busy;
	uint64_t since_ns; /* begin of the job */
	bool pumping;
	bool names_wanted, names_all;
	struct scope_unwinder_item *first, **last;
	size_t queue_bytes;
	uint8_t *maps; /* rows that the child does not have yet */
	size_t maps_bytes, maps_sent, maps_room;
	uint64_t map_rows; /* number of rows so far */
	struct scope_capture_unwinder_refresh *refresh;
	size_t refreshes, refresh_room;
	struct scope_unwinder_stopped stopped;
	struct scope_stacks_found stopped_found;
	struct scope_subbuf *reduced; /* room for a sub-buffer that is changed */
	bool tables, processes;	      /* the child may have tables or processes that the module does not have yet */
	bool unopened;		      /* there are files that the child has not opened yet */
	uint32_t ahead;		      /* how often it was requested to open one */
	uint32_t *number;	      /* number of a table in the module, by its key - 1 */
	size_t numbers, number_room;
	uint8_t *table; /* the table that is coming in parts */
	size_t table_bytes, table_room;
	struct scope_unwinder_counts counts;
};

/* Sends the job in shared->in to the child; if the child has ended, it is given up. */
void scope_capture_unwinder_send(struct scope_unwinder *unwinder, enum scope_unwinder_kind kind, uint32_t count);

/* Sends as many rows of maps as fit. Returns false if the child has all. */
bool scope_capture_unwinder_send_maps(struct scope_unwinder *unwinder);

/* Requests maps that may have changed. Returns true if there are new ones. */
bool scope_capture_unwinder_refresh(struct scope_unwinder *unwinder, const struct scope_stacks_found *found,
				    uint64_t then_ns);

/* Requests the next table or mappings for the module. Returns true if there was something to request. */
bool scope_capture_unwinder_send_tables(struct scope_unwinder *unwinder);
int scope_capture_unwinder_take_table(struct scope_unwinder *unwinder, const struct scope_unwinder_answer *answer);
int scope_capture_unwinder_take_process(struct scope_unwinder *unwinder, const struct scope_unwinder_answer *answer);

/* The main loop of the child: returns when the other end is closed. */
void scope_capture_unwinder_serve(int fd, struct scope_unwinder_shared *shared, uint32_t tgid);

#endif
