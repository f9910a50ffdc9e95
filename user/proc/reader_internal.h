/* SPDX-License-Identifier: GPL-2.0-only */
/* What a reader and the process that asks it say to each other: packets on a socket. */
#ifndef SCOPE_PROC_READER_INTERNAL_H
#define SCOPE_PROC_READER_INTERNAL_H

#include <stdint.h>
#include <sys/types.h>

enum scope_reader_kind {
	SCOPE_READER_MEMORY,
	SCOPE_READER_TOUCH,
	SCOPE_READER_KINDS,
};

struct scope_reader_request {
	uint64_t number;
	uint32_t kind, tgid, tid, pages;
	uint64_t address, bytes;
};

/* Answers come in the order of the requests. */
struct scope_reader_answer {
	uint64_t number;
	int32_t code; /* 0 or -errno */
	uint32_t bytes; /* that follow in this packet */
	uint32_t more; /* packets of the same answer come */
	uint32_t zero;
};

/* ---- keep.c ---- */

/*
 * Forks the keeper, which ends with this process. A packet with a descriptor has it begin a reader on
 * that; one without ends the reader that there is. 0 or -errno; *ret_fd is closed to end it.
 */
int scope_reader_keep(int *ret_fd, pid_t *ret_pid);

/* ---- serve.c ---- */

/* The life of a reader: returns when the other end is closed. */
void scope_reader_serve(int fd);

ssize_t scope_reader_read_memory(uint32_t tid, uint64_t address, void *data, size_t bytes);
void scope_reader_touch_pages(uint32_t tid, uint64_t address, uint32_t pages);

#endif
