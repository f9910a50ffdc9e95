/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes a trace of one process from tracepoints that other tools recorded.
 *
 * Tracepoints come in order of time, from all processes; those of wanted threads become events. An
 * enter and an exit become one event if nothing came between; the thread on a CPU is the one that
 * sched_switch put there.
 */
#ifndef SCOPE_IMPORT_BUILD_H
#define SCOPE_IMPORT_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/format.h"
#include "trace/writer.h"

#define SCOPE_IMPORT_FRAMES 128
#define SCOPE_IMPORT_CPU_MAX SCOPE_FRAME_CPU_MAX /* readers leave out events of other processes */
#define SCOPE_IMPORT_TIME_MAX (UINT64_C(1) << 62)

/* The wanted threads. */
struct scope_import_choice {
	uint32_t pid;	  /* a process with all its threads, or one thread; 0: not by number */
	const char *comm; /* all threads of this name; NULL: not by name */
};

/* One function of a stack. */
struct scope_import_frame {
	const char *name;   /* NULL: not known */
	const char *module; /* path, or name of what holds it */
};

struct scope_import;

/* The writer stays the caller's; choice is copied but for its text. */
int scope_import_create(const struct scope_import_choice *choice, struct scope_writer *writer,
			struct scope_error *error, struct scope_import **ret_import);
void scope_import_destroy(struct scope_import *import); /* NULL is fine */

/*
 * Gives the identity of a thread, when it is known, before the thread's events. tgid 0: not known; then the thread
 * belongs to the wanted process if it has the name of one of its threads.
 */
int scope_import_thread(struct scope_import *import, uint32_t tid, uint32_t tgid, const char *comm);

/* Tracepoints. Times in ns, not decreasing: an earlier one is taken as the time before. 0 or -errno. */
int scope_import_enter(struct scope_import *import, uint64_t time_ns, uint32_t cpu, uint32_t tid, uint16_t nr,
		       const uint64_t *arg, uint8_t args);
int scope_import_exit(struct scope_import *import, uint64_t time_ns, uint32_t cpu, uint32_t tid, uint16_t nr,
		      int64_t ret);
/* state: enum scope_state of the thread that leaves. */
int scope_import_switch(struct scope_import *import, uint64_t time_ns, uint32_t cpu, uint32_t prev, uint32_t next,
			uint8_t state, bool preempted);
int scope_import_waking(struct scope_import *import, uint64_t time_ns, uint32_t cpu, uint32_t waker, uint32_t tid);
int scope_import_fork(struct scope_import *import, uint64_t time_ns, uint32_t cpu, uint32_t parent, uint32_t child,
		      uint32_t child_tgid, const char *comm);
int scope_import_thread_exit(struct scope_import *import, uint64_t time_ns, uint32_t cpu, uint32_t tid);
/*
 * Frames are given innermost first. sample: the thread runs; else the stack is that of its open call, or of the call
 * that has just returned.
 */
int scope_import_stack(struct scope_import *import, uint64_t time_ns, uint32_t cpu, uint32_t tid, bool sample,
		       const struct scope_import_frame *frame, unsigned count);
/* count 0: not known how many. */
int scope_import_lost(struct scope_import *import, uint64_t time_ns, uint32_t cpu, uint64_t count);

/* Writes open calls and the metadata. -ENOENT: no wanted thread was found; error lists the others. */
int scope_import_finish(struct scope_import *import, const char *source, const char *kernel);

#endif
