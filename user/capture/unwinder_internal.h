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
	SCOPE_UNWINDER_MAPS,	      /* struct scope_unwinder_map_row, path, build-id; count of them */
	SCOPE_UNWINDER_SUBBUF,	      /* struct scope_subbuf at in, struct scope_unwinder_process after it: count */
	SCOPE_UNWINDER_NAMES,	      /* count: of all files; out: a payload, of answer.type and bytes, 0: none */
	SCOPE_UNWINDER_STOPPED_STACK, /* struct scope_unwinder_thread, its bytes of stack */
	SCOPE_UNWINDER_TABLE,	      /* out: the next part of a table, of answer.type (its key), bytes and all_bytes;
					 count: open files for it, too, if no opened one has such */
	SCOPE_UNWINDER_PROCESS,	      /* out: struct scope_table_map of process answer.type, bytes of them */
};

struct scope_unwinder_job {
	uint32_t kind;
	uint32_t count;
};

struct scope_unwinder_answer {
	int32_t code;
	uint32_t bytes, type; /* of NAMES, TABLE, PROCESS; bytes 0: there is none */
	uint32_t all_bytes;
	uint32_t tables;   /* there are tables or mappings that the module does not have */
	uint32_t unopened; /* there are files that may have such, and are not opened yet */
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

/* Of a stack. ancestor: of which it has the mappings, until its own are known; or itself. */
struct scope_unwinder_process {
	uint32_t tgid, ancestor; /* in the queue: 0, and the thread, if its process is not known */
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
	bool plain;		    /* it has no stacks to unwind */
	bool again;		    /* its maps were requested */
	struct scope_subbuf subbuf; /* its records follow it */
};

/* When the maps of a process were asked for last, and how long to wait before the next time. */
struct scope_capture_unwinder_refresh {
	uint32_t tgid;
	uint64_t asked_ns, wait_ns;
};

struct scope_unwinder {
	struct scope_unwinder_host host;
	struct scope_unwinder_shared *shared;
	struct scope_owners *owners;
	bool stacks_noted, futexes_noted, execs_noted; /* in the sub-buffer that is taken next */
	pid_t child;				       /* 0: given up */
	int fd;
	enum scope_unwinder_kind busy;
	uint64_t since_ns; /* of the job */
	bool pumping;
	bool names_wanted, names_all;
	struct scope_unwinder_item *first, **last;
	size_t queue_bytes;
	uint8_t *maps; /* rows that the child does not have yet */
	size_t maps_bytes, maps_sent, maps_room;
	uint64_t map_rows; /* so far */
	struct scope_capture_unwinder_refresh *refresh;
	size_t refreshes, refresh_room;
	struct scope_unwinder_stopped stopped;
	struct scope_stacks_found stopped_found;
	struct scope_subbuf *reduced; /* room for a sub-buffer that is changed */
	bool tables, processes;	      /* the child may have such, that the module does not have */
	bool unopened;		      /* or there are files that it did not look at yet */
	uint32_t ahead;		      /* times that it was requested to */
	uint32_t *number;	      /* of a table in the module, by its key - 1 */
	size_t numbers, number_room;
	uint8_t *table; /* that comes in parts */
	size_t table_bytes, table_room;
	struct scope_unwinder_counts counts;
};

/* Sends the job in shared->in to the child; if the child is gone, it is given up. */
void scope_capture_unwinder_send(struct scope_unwinder *unwinder, enum scope_unwinder_kind kind, uint32_t count);

/* Sends as many rows of maps as fit. False: the child has all. */
bool scope_capture_unwinder_send_maps(struct scope_unwinder *unwinder);

/* Requests maps that may have changed since. True: there are new ones. */
bool scope_capture_unwinder_refresh(struct scope_unwinder *unwinder, const struct scope_stacks_found *found,
				    uint64_t then_ns);

/* Requests the next table or mappings for the module. Returns whether it did. */
bool scope_capture_unwinder_send_tables(struct scope_unwinder *unwinder);
int scope_capture_unwinder_take_table(struct scope_unwinder *unwinder, const struct scope_unwinder_answer *answer);
int scope_capture_unwinder_take_process(struct scope_unwinder *unwinder, const struct scope_unwinder_answer *answer);

/* The main loop of the child: returns when the other end is closed. */
void scope_capture_unwinder_serve(int fd, struct scope_unwinder_shared *shared, uint32_t tgid);

#endif
