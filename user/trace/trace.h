/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A trace opened for reading: its metadata, and its events in order of time. The analysis uses only
 * this header and event.h, and does not know where events come from.
 */
#ifndef SCOPE_TRACE_TRACE_H
#define SCOPE_TRACE_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/event.h"

struct scope_trace;

/* One line of a process's maps, as captured. */
struct scope_trace_map {
	uint32_t tgid;
	uint64_t start, end, offset; /* offset in the file */
	bool executable;
	bool elf;	  /* its file is in memory, without a build-id, and is an ELF file: no code made at run time */
	bool of_package;  /* executable, and its file was built from the same source package as the process's program */
	const char *path; /* as the process sees it, in its mount namespace */
	const char *build_id; /* lower-case hex, "" if unknown */
};

#define SCOPE_TRACE_JIT_MODULE "[jit]" /* the module of code made at run time, which is in no file */

/* A symbol that later look-ups find in no file: of JIT code, or of a synthetic trace. */
struct scope_trace_symbol {
	uint32_t tgid; /* 0: every process */
	uint64_t start, size;
	const char *name;
	const char *module; /* base name of the file that holds it */
	bool library;	    /* a system library: never named as the cause */
};

enum scope_fd_kind {
	SCOPE_FD_UNKNOWN,
	SCOPE_FD_FILE,
	SCOPE_FD_LISTEN,    /* listening socket */
	SCOPE_FD_ACCEPTED,  /* stream whose local end is a listening port (or path) of this host */
	SCOPE_FD_CONNECTED, /* stream that the process opened itself: a backend */
	SCOPE_FD_DATAGRAM,
	SCOPE_FD_PIPE,
	SCOPE_FD_EPOLL,
	SCOPE_FD_EVENT, /* eventfd, signalfd, timerfd, inotify */
	SCOPE_FD_TTY,
	SCOPE_FD_KINDS,
};

/* An open descriptor of a process as tracing began. */
#define SCOPE_TRACE_FD_OWN " from "	/* in the name of a stream: its own address follows, then that of its peer */
#define SCOPE_TRACE_FD_PEER " to "	/* in the name of a socket: the address of its peer follows */
#define SCOPE_TRACE_FD_PROCESS " (pid " /* after that: the peer's process, if it is on this host: "PID NAME)" */

struct scope_trace_fd {
	uint32_t tgid;
	int32_t fd;
	enum scope_fd_kind kind;
	const char *name; /* target of the link in /proc, "" if unknown */
};

/*
 * Memory copied from the target for threads that did not run: part of their stack, or the lock they
 * slept on (SCOPE_FUTEX_MEMORY_BYTES of it).
 */
struct scope_trace_memory {
	uint32_t tid;
	uint64_t address;
	const uint8_t *data;
	uint32_t bytes;
};

/* The unwound stack of a thread that did not run; address: its stack pointer. */
struct scope_trace_stopped_stack {
	uint32_t tid;
	uint32_t count;
	uint64_t address;
	const uint64_t *ip; /* innermost first, as of FRAMES (scope/event.h) */
	uint8_t ended;	    /* SCOPE_FRAMES_* */
};

/* What was found for a mapped file when its addresses were to be named. */
enum scope_file_outcome {
	SCOPE_FILE_READ = 1,
	SCOPE_FILE_DEBUG = 2, /* only its debug file was found */
	SCOPE_FILE_OTHER = 3, /* another build has replaced it */
	SCOPE_FILE_UNREADABLE = 4,
};

/* A file whose code threads ran, as the capture found it. */
struct scope_trace_file {
	uint32_t number;
	bool deleted;
	enum scope_file_outcome outcome;
	int error;		   /* SCOPE_FILE_UNREADABLE: errno; 0: no ELF file */
	uint32_t functions, named; /* UINT32_MAX: not counted */
	const char *path, *build_id;
	const char *found; /* SCOPE_FILE_OTHER: the build-id found */
};

/* A place in the source, of struct scope_trace_code. */
struct scope_trace_line {
	const char *function, *file; /* function: the one inlined there; "": the symbol itself */
	uint32_t line;
};

/* An address of a file that was recorded: its function and source places, as the capture found them. */
struct scope_trace_code {
	uint32_t file;
	uint32_t flags;	      /* SCOPE_PLACE_* of trace/format.h */
	uint64_t offset;      /* in the file */
	uint64_t start, size; /* of the function */
	const char *name;
	const struct scope_trace_line *line;
	uint32_t lines;
};

/* A lock that a thread slept on, and the owner that its memory names, a thread of the process, or 0. */
struct scope_trace_lock {
	uint32_t tid, owner;
	uint64_t address;
};

/* Size of the memory that is copied for a futex: the first words of the lock that contains it. */
#define SCOPE_FUTEX_MEMORY_BYTES 16u

/* A thread's name, for files that begin in the middle of a capture and may hold neither its STATE nor its FORK. */
struct scope_trace_thread {
	uint32_t tid, tgid;
	const char *comm;
};

#define SCOPE_REQUEST_KINDS_MAX 100u /* no rule: numbers of kinds of requests, from 1 on */

/* Known keys of the metadata: text, NULL if absent. */
#define SCOPE_META_KERNEL "kernel"	/* release */
#define SCOPE_META_SOURCE "source"	/* kmod, perf, text */
#define SCOPE_META_EVENTS "events"	/* SCOPE_EVENTS_* (scope/control.h) that were recorded, a number */
#define SCOPE_META_LACKS "source_lacks" /* what that source cannot record; absent: nothing */
#define SCOPE_META_COMMAND "command"	/* the target's command name */
#define SCOPE_META_PID "pid"		/* number of the target that the user named */
#define SCOPE_META_HOST "host"		/* name of the host that was traced */
#define SCOPE_META_BEGIN "begin_ns"	/* window, CLOCK_MONOTONIC */
#define SCOPE_META_END "end_ns"
#define SCOPE_META_ARCH "arch"		       /* uname machine */
#define SCOPE_META_SAMPLE_NS "sample_ns"       /* period of samples, 0: none */
#define SCOPE_META_SAMPLE_NS_FROM "sample_ns." /* and a time: the period from then on */
#define SCOPE_META_STACK_MIN_NS "stack_min_ns"
#define SCOPE_META_STACK_HIGHEST_NS "stack_highest_ns" /* the highest value that stack_min_ns was raised to */
#define SCOPE_META_STACKS_SKIPPED "stacks_skipped"     /* stacks over the limit per second */
#define SCOPE_META_STACKS_ABSENT "stacks_absent"       /* stacks of calls whose sleep was left out or lost */
#define SCOPE_META_STACKS_LOST "stacks_lost"	       /* stacks for which perf's ring had no room */
#define SCOPE_META_STACKS_GIVEN_UP "stacks_given_up"   /* stacks that were not unwound: no time, or no answer */
#define SCOPE_META_TABLES_REFUSED "tables_refused"     /* unwind tables that the module had no room for */
#define SCOPE_META_MAPS_REFUSED "maps_refused" /* how often the module had no room for the mappings of a process */
#define SCOPE_META_STACKS "stacks"	       /* copy, chain or none */
#define SCOPE_META_CPUS "cpus"		       /* online */
#define SCOPE_META_LATE "late"		       /* threads whose start is missing (source perf) */
#define SCOPE_META_LOST "lost"		       /* total, by the kernel's count */
#define SCOPE_META_END_REASON "end_reason"     /* time, interrupt, target-gone, guard */
#define SCOPE_META_GUARD "guard"	       /* with end_reason guard: what the overload guard found */
#define SCOPE_META_PROBE_NS "probe_ns"	       /* time in probes, sum of all CPUs */
#define SCOPE_META_CLOCK "clock"	       /* the clock of all times: monotonic */
#define SCOPE_META_COMMAND_LINE "command_line" /* of the target, blanks between its words */
#define SCOPE_META_GROUP "control_group"       /* path of the target's control group, as the host sees it */
#define SCOPE_META_WALL_CLOCK "wall_clock_ns"  /* CLOCK_REALTIME at begin_ns, ns since 1970 */
#define SCOPE_META_PROBE "probe."	       /* followed by the id of a probe: its place, as --probe takes it */
#define SCOPE_META_REQUESTS "requests" /* the protocol by which requests have kinds: http, redis, sql, memcached */
#define SCOPE_META_REQUEST "request."  /* followed by the number of a kind of request: its text */
#define SCOPE_META_KERNEL_STACK "kernel_stack." /* followed by a tid: kernel functions in which it slept at stop */
#define SCOPE_META_LOCKS "locks" /* "asleep": threads still slept when the memory of their lock was read */
#define SCOPE_META_LOOPS "loops" /* 1: loops were searched; also begins keys of their rows, symbol/loop_rows.h */
#define SCOPE_META_KERNEL_NAMES "kernel_names"	   /* why samples have no place in the kernel */
#define SCOPE_META_KERNEL_STACKS "kernel_stacks"   /* why there are no stacks of the kernel */
#define SCOPE_META_UNREAD "unread"		   /* a sentence: what could not be read of the target */
#define SCOPE_META_CONTINUES "continues"	   /* 1: sub-buffers of the same session came before */
#define SCOPE_META_FLIGHT_SECONDS "flight_seconds" /* the time span that a flight recorder held */
#define SCOPE_META_OWN_CPU "own_cpu_ns"		   /* CPU time of the recorder so far */
#define SCOPE_META_OWN_MEMORY "own_memory_bytes"   /* the most memory that the recorder held */
#define SCOPE_META_CPU_LIMIT "cpu_limit" /* the limits of the target's control groups, see docs/trace-format.md */
#define SCOPE_META_TASK "task."		 /* followed by a tid: a thread that is not traced, see docs/trace-format.md */
#define SCOPE_META_TASK_GROUP "task_group." /* followed by a tid: its control group */
#define SCOPE_META_TASK_RAN "task_ran."	    /* followed by a tid: for how long it ran, ns */
#define SCOPE_META_DEVICE "device." /* followed by MAJOR:MINOR of a block device: its name, and where it is mounted */
#define SCOPE_META_HOST_CPU "host_cpu" /* what all CPUs did, see docs/trace-format.md */
#define SCOPE_META_HOST_ROW "host."    /* followed by a number: a row of trace/host_row.h */
#define SCOPE_META_BACKLOG "backlog."  /* followed by a number: connections that wait, see trace/backlog_row.h */
#define SCOPE_META_WAITING_BYTES                                                                                       \
	"waiting_bytes." /* followed by a number: connections with bytes that wait to be read, see there */
#define SCOPE_META_LISTENER "listener."	     /* followed by a network namespace and an address: its process */
#define SCOPE_META_NETWORK "network."	     /* followed by a process: its network namespace, if there are several */
#define SCOPE_META_PRESSURE_OF "pressure_of" /* the control group whose pressure is recorded; absent: the host */

/* 0; or -errno with error filled, which names the file and the remedy. -ENODATA: the file is empty or no trace. */
int scope_trace_open(const char *path, struct scope_error *error, struct scope_trace **ret_trace);
void scope_trace_close(struct scope_trace *trace); /* NULL is fine */

/* The same for an open file, which stays the caller's and may be closed. name is used in messages. */
int scope_trace_open_fd(int fd, const char *name, struct scope_error *error, struct scope_trace **ret_trace);

/*
 * Opens a file that is still being written and whose head is complete. Missing parts do not count as damage. Each
 * scope_trace_grow() adds what was written since to the trace, and gets the time up to which all events are in the
 * file; only these can be taken. UINT64_MAX: the file is complete. New rows appear; existing rows keep their addresses.
 * If a sub-buffer comes with events before a time that was given already, scope_trace_late() returns true. 0 or -errno.
 */
int scope_trace_open_growing(int fd, const char *name, struct scope_error *error, struct scope_trace **ret_trace);
int scope_trace_grow(struct scope_trace *trace, uint64_t settled_ns);
bool scope_trace_late(const struct scope_trace *trace);

/* Only opens the file, with the same messages. Its content may be read later, by another user. */
int scope_trace_open_only(const char *path, struct scope_error *error, int *ret_fd);

/*
 * "" if all of the file could be read, else sentences that say which parts could not. Sub-buffers are read when their
 * events are taken, so the text is complete once scope_trace_next() returned 0.
 */
const char *scope_trace_damage(const struct scope_trace *trace);

/* Strings and rows belong to the trace and live as long as it does. */
const char *scope_trace_meta(const struct scope_trace *trace, const char *key);
uint64_t scope_trace_meta_number(const struct scope_trace *trace, const char *key, uint64_t fallback);
/* Period of samples at that time, ns; 1 ms if the trace does not say it. */
uint64_t scope_trace_sample_ns(const struct scope_trace *trace, uint64_t time_ns);
const struct scope_trace_map *scope_trace_maps(const struct scope_trace *trace, size_t *ret_count);
const struct scope_trace_symbol *scope_trace_symbols(const struct scope_trace *trace, size_t *ret_count);
const struct scope_trace_fd *scope_trace_fds(const struct scope_trace *trace, size_t *ret_count);
const struct scope_trace_memory *scope_trace_memories(const struct scope_trace *trace, size_t *ret_count);
const struct scope_trace_stopped_stack *scope_trace_stopped_stacks(const struct scope_trace *trace, size_t *ret_count);
const struct scope_trace_file *scope_trace_files(const struct scope_trace *trace, size_t *ret_count);
const struct scope_trace_code *scope_trace_codes(const struct scope_trace *trace, size_t *ret_count);
const struct scope_trace_lock *scope_trace_locks(const struct scope_trace *trace, size_t *ret_count);
/* If a tid has several rows the last one is used. */
const struct scope_trace_thread *scope_trace_threads(const struct scope_trace *trace, size_t *ret_count);

/*
 * Events of all CPUs, merged by time (ties: lower CPU first). rewind starts again from the first event. next returns 1
 * and fills *ret_event, 0 at the end, or -errno.
 */
int scope_trace_rewind(struct scope_trace *trace);

/*
 * Starts again from the first event at that time or later. If the file has an index, only little of what is before that
 * time is read.
 */
int scope_trace_seek(struct scope_trace *trace, uint64_t time_ns);
int scope_trace_next(struct scope_trace *trace, struct scope_event *ret_event);

/*
 * The next events, without copying them. Returns their number, 0 at the end, or -errno. max is 1 or more. The events
 * are valid until the next call.
 */
#define SCOPE_TRACE_TAKE 64 /* a larger batch saves nothing */
int scope_trace_take(struct scope_trace *trace, const struct scope_event **ret_event, size_t max);

/* The value for max if at most `left` events are needed. */
static inline size_t scope_trace_some(uint64_t left)
{
	return left < SCOPE_TRACE_TAKE ? (size_t)left : SCOPE_TRACE_TAKE;
}

/*
 * Sets the requested part of a trace, after a complete file was opened and before its first event is taken. Events from
 * to_ns on are not given, and the window ends there. Events before from_ns are given, because they show the state of
 * threads; callers that count compare times with from_ns. 0 and UINT64_MAX: the whole trace.
 */
void scope_trace_set_window(struct scope_trace *trace, uint64_t from_ns, uint64_t to_ns);
uint64_t scope_trace_window_from(const struct scope_trace *trace); /* 0: from the begin of the trace on */
uint64_t scope_trace_window_to(const struct scope_trace *trace);   /* UINT64_MAX: to the end */
/*
 * The time at which the whole trace begins, and at which it ends (0 if the metadata does not say it). 0 or -errno.
 * Rewinds.
 */
int scope_trace_span(struct scope_trace *trace, uint64_t *ret_begin_ns, uint64_t *ret_end_ns);

/* The place of a STACK event's data in the file: its addresses, or its registers and bytes. */
struct scope_trace_place {
	uint64_t frame;
	uint32_t first, data; /* offsets in the sub-buffer: of ip or reg, and of data */
};

/* The place of the event that was given last. */
struct scope_trace_place scope_trace_place(const struct scope_trace *trace, const struct scope_event *event);

/*
 * Sets event->stack.ip, .reg and .data from that place of the file, and .kernel_ip if event->flags has it; their counts
 * are set already. They are valid until the next call for a sub-buffer of the same CPU. Calls in order of time cost
 * least. 0, -EBADMSG, -ENOMEM.
 */
int scope_trace_stack_at(struct scope_trace *trace, const struct scope_trace_place *place, struct scope_event *event);

/*
 * From now on keeps the stacks of each sub-buffer whose events are taken, if look-ups would keep them, so that look-ups
 * need not decompress it again. Use it for a pass after which most stacks are looked up.
 */
void scope_trace_keep_stacks(struct scope_trace *trace);

#endif
