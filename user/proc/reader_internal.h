/* SPDX-License-Identifier: GPL-2.0-only */
/* The packets between a reader and the process that sends it requests. */
#ifndef SCOPE_PROC_READER_INTERNAL_H
#define SCOPE_PROC_READER_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "proc/reader.h"

enum scope_reader_kind {
	SCOPE_READER_MEMORY,
	SCOPE_READER_SUPPLIED, /* memory, absent pages too */
	SCOPE_READER_TOUCH,
	SCOPE_READER_TEXT, /* of a file below /proc */
	SCOPE_READER_LOOK, /* reads the head and the build-id of a file of the target */
	SCOPE_READER_OPEN, /* opens such a file: its descriptor, or that of a copy, comes with the answer */
	SCOPE_READER_KINDS,
};

enum scope_reader_place {
	SCOPE_READER_BELOW, /* a root directory, whose descriptor comes with the request */
	SCOPE_READER_ITSELF,
	SCOPE_READER_MAPPED,
	SCOPE_READER_PROGRAM,
};

#define SCOPE_READER_TEXT_MAX (64u << 20)
#define SCOPE_READER_COPY_MAX (512u << 20) /* bytes of a file on a file system that may not answer */

/* A path may follow. */
struct scope_reader_request {
	uint64_t number;
	uint32_t kind, tgid, tid, pages;
	uint64_t address, bytes;
	uint32_t what; /* enum scope_proc_text or enum scope_reader_place */
	uint32_t snapshot;
};

/* Answers come in the order of the requests. */
struct scope_reader_answer {
	uint64_t number;
	int32_t code;	/* 0 or -errno */
	uint32_t bytes; /* bytes that follow in this packet */
	uint32_t more;	/* more packets of the same answer come */
	uint32_t zero;
};

/* ---- reader.c ---- */

/* A request whose answer a function waits for, on that function's stack. The function sets data, room and limit. */
struct scope_reader_wanted {
	struct scope_reader_wanted *outer; /* the request before it, whose answer is still awaited */
	uint64_t number;
	uint8_t *data; /* a buffer with room for `room` bytes; or one that grows up to limit */
	size_t bytes, room, limit;
	int fd; /* descriptor that came with the answer; -1: none */
	int code;
	bool done, lost; /* lost: the request's reader was given up */
};

/* Data that is sent with a request. */
struct scope_reader_attachment {
	const char *path; /* NULL: none */
	int root;	  /* -1: none */
};

/* Makes room for `bytes` more bytes. Returns false if there is no room. */
bool scope_proc_reader_make_room(struct scope_reader_wanted *wanted, size_t bytes);

/* Sends the request and waits for its answer; attachment: NULL for none. Returns the answer's code, or -ETIMEDOUT. */
int scope_proc_reader_ask(struct scope_proc_reader *reader, struct scope_reader_request *request,
			  const struct scope_reader_attachment *attachment, struct scope_reader_wanted *wanted);

/* ---- memory.c: reads memory; as above ---- */

/* See scope_proc_reader_memory(), _supplied() and _touch() in reader.h. */
ssize_t scope_proc_reader_read_memory(uint32_t tid, uint64_t address, void *data, size_t bytes);
ssize_t scope_proc_reader_read_supplied(uint32_t tgid, uint64_t address, void *data, size_t bytes);
void scope_proc_reader_touch_pages(uint32_t tid, uint64_t address, uint32_t pages);

/* ---- serve_file.c: reads files, in a reader, or in the caller if there is none ---- */

/* *ret_text is malloc'd. 0 or -errno. */
int scope_proc_reader_get_text(enum scope_proc_text what, uint32_t tgid, uint32_t tid, char **ret_text,
			       size_t *ret_bytes);

/* root: a descriptor, -1 if the place needs none. 0 or -errno. */
int scope_proc_reader_get_look(const struct scope_reader_request *request, int root, const char *path,
			       struct scope_proc_look *ret_look);

/* alive(context) is called while a copy is made. A descriptor or -errno. */
int scope_proc_reader_get_file(const struct scope_reader_request *request, int root, const char *path,
			       void (*alive)(void *context), void *context, struct scope_proc_found *ret_found);

/* ---- keeper.c ---- */

/*
 * Forks the keeper, which ends with this process. A packet with a descriptor makes it start a reader on that socket; a
 * packet without one ends the current reader. 0 or -errno; close *ret_fd to end the keeper. *ret_reader_pid: a page in
 * which the keeper has the pid of the current reader (0: none); the caller unmaps it.
 */
int scope_proc_reader_keep(int *ret_fd, pid_t *ret_pid, pid_t **ret_reader_pid);

/* ---- serve.c ---- */

/* The main loop of a reader: returns when the other end is closed. */
void scope_proc_reader_serve(int fd);

/* Attaches a descriptor to a packet (-1: none). room: CMSG_SPACE(sizeof(int)) zeroed bytes. */
struct msghdr;
void scope_proc_reader_pass(struct msghdr *message, void *room, size_t bytes, int fd);
int scope_proc_reader_passed(struct msghdr *message);

#endif
