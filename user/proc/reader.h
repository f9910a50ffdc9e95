/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads what a target controls, in a process of its own that can be given up.
 *
 * To read memory, maps or files of a target may wait for that target: a page that userfaultfd or a FUSE
 * server has to bring in, the lock of its memory while a thread of it waits for such a page, a file
 * whose server does not answer. Some of these waits not even SIGKILL ends. So the process that holds
 * the session never reads these. Three processes share the work:
 *
 *   the caller  holds the session, empties its rings, sees the stop flag; asks, and waits up to a limit
 *      │ socket: "begin a reader", with that reader's end of a new socket; the end of it ends both
 *   the keeper  forked before the session opens, so that none of its descriptors and mappings is in
 *      │        the processes below it; forks readers and kills them; never touches a target
 *   a reader    answers one request after the other; holds no descriptor but its socket
 *
 * A reader that does not answer within the limit is killed and not waited for, its process is not asked
 * for that kind again, and the next request goes to a new one. The limit is 1 s for the first one, half
 * of that for the second and a quarter for each later one, up to SCOPE_READER_LOST_MAX; after these
 * nothing is read any more. So a target can hold a session up for 3 s in all. What was not read is
 * counted and said by scope_proc_reader_problem(). All of them end with the caller, however that ends.
 *
 * Where reader is NULL, the functions here do the same in the caller itself.
 */
#ifndef SCOPE_PROC_READER_H
#define SCOPE_PROC_READER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "proc/buildid.h"

struct scope_proc_reader;

#define SCOPE_READER_WAIT_MS 1000u /* for an answer, at first */
#define SCOPE_READER_HURRY_MS 250u /* at least; and at most once the stop flag is set */
#define SCOPE_READER_LOST_MAX 8u   /* readers that are given up in one session */
#define SCOPE_READER_COPY_MS 5000u /* in all, while a file is copied and comes along */
#define SCOPE_READER_BYTES 65536u  /* of memory, in one request */

/*
 * Forks the keeper: before anything is opened that must not outlive this process. stop (may be NULL):
 * once it is set no wait is long. 0, or -errno with error filled.
 */
int scope_proc_reader_create(const volatile sig_atomic_t *stop, struct scope_error *error,
			     struct scope_proc_reader **ret_reader);
void scope_proc_reader_destroy(struct scope_proc_reader *reader); /* NULL is fine */

/* What to do every 20 ms while an answer is waited for; other than 0 is the result of that request. */
void scope_proc_reader_set_idle(struct scope_proc_reader *reader, int (*meanwhile)(void *context), void *context);

/*
 * Up to SCOPE_READER_BYTES of the memory of a thread of process tgid, up to the first page that cannot
 * be had: only what is there, by /proc/PID/pagemap, and pages never written to behind plain memory are read.
 * Bytes; 0: none can be had; -ETIMEDOUT: no answer, or not asked any more.
 */
ssize_t scope_proc_reader_memory(struct scope_proc_reader *reader, uint32_t tgid, uint32_t tid, uint64_t address,
				 void *data, size_t bytes);

/*
 * Has pages that were never written to be there, as zeros, where plain memory ends at address (a multiple of
 * the page's size). Does not wait.
 */
void scope_proc_reader_touch(struct scope_proc_reader *reader, uint32_t tgid, uint32_t tid, uint64_t address,
			     uint32_t pages);

/* Files below /proc whose reading takes locks of the target. */
enum scope_proc_text {
	SCOPE_PROC_MAPS, /* of the first thread that has some */
	SCOPE_PROC_CMDLINE,
	SCOPE_PROC_SYSCALL, /* of thread tid */
	SCOPE_PROC_STACK,
	SCOPE_PROC_TEXTS,
};

/* All of it, and a zero byte; the caller frees. 0, -errno of reading, -ETIMEDOUT, -EFBIG. */
int scope_proc_reader_text(struct scope_proc_reader *reader, enum scope_proc_text what, uint32_t tgid, uint32_t tid,
			   char **ret_text, size_t *ret_bytes);

/* What a file of a target is: the beginning of an ELF file, its build-id ("": none). */
struct scope_proc_look {
	uint8_t ident[16];
	char build_id[SCOPE_BUILD_ID_TEXT];
};

/*
 * At what process tgid has mapped there, or at path in its root directory where that cannot be had; at
 * the program that it runs. 0 or -errno as scope_proc_open_below() has them; -ETIMEDOUT.
 */
int scope_proc_reader_look_mapped(struct scope_proc_reader *reader, uint32_t tgid, uint64_t start, uint64_t end,
				  const char *path, struct scope_proc_look *ret_look);
int scope_proc_reader_look_program(struct scope_proc_reader *reader, uint32_t tgid, struct scope_proc_look *ret_look);

/* A file as it was found. Of a copy these are the original's. */
struct scope_proc_found {
	uint64_t device, inode;
	uint32_t owner;
	bool copied;
};

/*
 * As their namesakes of proc/open.h. What is on a file system that may not answer (FUSE, the network, or
 * one that may stand on these) comes as a copy; and so does what others may cut short while it is read,
 * where snapshot is set: who maps that would end by SIGBUS. Up to 512 MiB, -EFBIG above, within 5 s.
 * ret_found may be NULL.
 */
int scope_proc_reader_open_below(struct scope_proc_reader *reader, const char *root, const char *path, bool snapshot);
int scope_proc_reader_open_itself(struct scope_proc_reader *reader, const char *root, const char *path,
				  struct scope_proc_found *ret_found);
int scope_proc_reader_open_mapped(struct scope_proc_reader *reader, uint32_t tgid, uint64_t start, uint64_t end,
				  bool snapshot, struct scope_proc_found *ret_found);
int scope_proc_reader_open_program(struct scope_proc_reader *reader, uint32_t tgid);

/* What was not read so far, as a sentence with the remedy; "" where nothing is missing. */
void scope_proc_reader_problem(const struct scope_proc_reader *reader, char *text, size_t size);

#endif
