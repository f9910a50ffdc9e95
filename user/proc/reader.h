/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads data that a target controls, in a separate process that can be given up, because such a read may block without
 * end (docs/architecture.md, "A target cannot block the recorder"). Three processes share the work:
 *
 *   the caller  holds the session, drains its rings, checks the stop flag; sends requests, waits up to a limit
 *      │ socket: "start a reader", with that reader's end of a new socket; closing it ends both
 *   the keeper  forked before the session opens, so that none of its descriptors and mappings is in
 *      │        the processes below it; forks readers and kills them; never touches a target
 *   a reader    answers one request after another; holds no descriptor but its socket
 *
 * Data that was not read is counted, and reported by scope_proc_reader_problem(). The keeper and the readers end with
 * the caller, however it ends. If reader is NULL, the functions here do the work in the caller.
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
#include "proc/package.h"

struct scope_proc_reader;

#define SCOPE_READER_WAIT_MS 1000u /* limit for an answer, at first; fivefold for a reader that waits for a CPU */
#define SCOPE_READER_HURRY_MS 250u /* the shortest limit, and the limit once the stop flag is set */
#define SCOPE_READER_LOST_MAX 8u   /* readers that are given up in one session */
#define SCOPE_READER_COPY_MS 5000u /* limit for a request whose answer comes with a copy of a file */
#define SCOPE_READER_BYTES 65536u  /* of memory, in one request */

/*
 * Forks the keeper. Call it before opening anything that must not outlive this process. stop (may be NULL): when it is
 * set, waits become short. 0, or -errno with error filled.
 */
int scope_proc_reader_create(const volatile sig_atomic_t *stop, struct scope_error *error,
			     struct scope_proc_reader **ret_reader);
void scope_proc_reader_destroy(struct scope_proc_reader *reader); /* NULL is fine */

/*
 * Sets a function that is called every 20 ms during a wait for an answer. If it returns another value than 0, the
 * request ends with it.
 */
void scope_proc_reader_set_idle(struct scope_proc_reader *reader, int (*while_waiting)(void *context), void *context);

/*
 * Reads up to SCOPE_READER_BYTES of the memory of a thread of process tgid, up to the first page that cannot be read.
 * Reads only pages that are present, according to /proc/PID/pagemap, and never-written pages that follow private
 * memory. Returns the number of bytes; 0: none can be read; -ETIMEDOUT: no answer, or the process is not read any more.
 */
ssize_t scope_proc_reader_memory(struct scope_proc_reader *reader, uint32_t tgid, uint32_t tid, uint64_t address,
				 void *data, size_t bytes);

/*
 * The same for a process, with all pages. An absent page may have to come from a file, or from another process, so
 * after one request without an answer the process is not read any more.
 */
ssize_t scope_proc_reader_supplied(struct scope_proc_reader *reader, uint32_t tgid, uint64_t address, void *data,
				   size_t bytes);

/*
 * Maps never-written pages, as zeros, at an address (a multiple of the page size) where private memory ends. Does not
 * wait.
 */
void scope_proc_reader_touch(struct scope_proc_reader *reader, uint32_t tgid, uint32_t tid, uint64_t address,
			     uint32_t pages);

/* Files below /proc for whose reading the kernel takes locks of the target. */
enum scope_proc_text {
	SCOPE_PROC_MAPS, /* maps, of the first thread that has any */
	SCOPE_PROC_CMDLINE,
	SCOPE_PROC_SYSCALL, /* of thread tid */
	SCOPE_PROC_STACK,
	SCOPE_PROC_PACKAGE, /* scope_proc_package_libraries() */
	SCOPE_PROC_TEXTS,
};

/* The whole text, and a zero byte; the caller frees it. 0, -errno of reading, -ETIMEDOUT, -EFBIG. */
int scope_proc_reader_text(struct scope_proc_reader *reader, enum scope_proc_text what, uint32_t tgid, uint32_t tid,
			   char **ret_text, size_t *ret_bytes);

/* Data about a file of a target: the beginning of an ELF file, its build-id and the mark of its package ("": none). */
struct scope_proc_look {
	uint8_t ident[16];
	char build_id[SCOPE_BUILD_ID_TEXT];
	char mark[SCOPE_PACKAGE_MARK];
};

/*
 * mapped: examines the file that process tgid has mapped at these addresses, or, if it is not available, the file at
 * path in its root directory. The other examines the program that the process runs. 0 or -errno as for
 * scope_proc_open_below(); -ETIMEDOUT.
 */
int scope_proc_reader_look_mapped(struct scope_proc_reader *reader, uint32_t tgid, uint64_t start, uint64_t end,
				  const char *path, struct scope_proc_look *ret_look);
int scope_proc_reader_look_program(struct scope_proc_reader *reader, uint32_t tgid, struct scope_proc_look *ret_look);

/* The status of a file. For a copy it is that of the original. */
struct scope_proc_found {
	uint64_t device, inode;
	uint32_t owner;
	bool copied;
};

/*
 * Like the functions with these names in proc/open.h. A file on a file system that may not answer (FUSE, the network,
 * or one on top of these) is copied: up to 512 MiB (-EFBIG above) within 5 s. If snapshot is set, a file that other
 * users may truncate is copied, too, because SIGBUS would end a process that maps it. ret_found may be NULL.
 */
int scope_proc_reader_open_below(struct scope_proc_reader *reader, const char *root, const char *path, bool snapshot);
int scope_proc_reader_open_itself(struct scope_proc_reader *reader, const char *root, const char *path,
				  struct scope_proc_found *ret_found);
int scope_proc_reader_open_mapped(struct scope_proc_reader *reader, uint32_t tgid, uint64_t start, uint64_t end,
				  bool snapshot, struct scope_proc_found *ret_found);
int scope_proc_reader_open_program(struct scope_proc_reader *reader, uint32_t tgid);

/* A sentence that says what was not read so far, with the remedy; "" if everything was read. */
void scope_proc_reader_problem(const struct scope_proc_reader *reader, char *text, size_t size);

#endif
