/* SPDX-License-Identifier: GPL-2.0-only */
/* The decoded event: one type, whatever source it came from. */
#ifndef SCOPE_TRACE_EVENT_H
#define SCOPE_TRACE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include <scope/event.h>

/*
 * The longest copy of a stack, of any source. Compiled patterns of PCRE2 run below a frame of 32 KiB (its MACHINE_STACK_SIZE), which is as
 * much as the module copies (SCOPE_STACK_BYTES_MAX).
 */
#define SCOPE_EVENT_STACK_BYTES_MAX 49152

enum scope_event_kind {
	SCOPE_EVENT_SYSCALL, /* entered and returned without a switch; time is that of the return */
	SCOPE_EVENT_ENTER,   /* time is that of the record; entered at enter_ns */
	SCOPE_EVENT_EXIT,
	SCOPE_EVENT_SWITCH,
	SCOPE_EVENT_WAKING,
	SCOPE_EVENT_FORK,
	SCOPE_EVENT_EXEC,
	SCOPE_EVENT_THREAD_EXIT,
	SCOPE_EVENT_STATE,
	SCOPE_EVENT_STACK, /* CHAIN, STACK and FRAMES records: see ip, reg and ended */
	SCOPE_EVENT_LOST,  /* a CPU lost events before this time; intervals open on it are uncertain */
	SCOPE_EVENT_COMM,
	SCOPE_EVENT_BLOCK_ISSUE, /* tid is the thread that requested it */
	SCOPE_EVENT_BLOCK_DONE,
	SCOPE_EVENT_PROBE,
	SCOPE_EVENT_DELAY,    /* the thread was held up on purpose until this time */
	SCOPE_EVENT_PEER,     /* the thread has opened a connection */
	SCOPE_EVENT_FUTEX,    /* the thread is about to sleep in the futex call that it entered */
	SCOPE_EVENT_COUNTERS, /* what the thread counted since its last such event, or since it came to the CPU */
	SCOPE_EVENT_STALL,    /* the thread begins or ends to make room in memory */
	SCOPE_EVENT_HARDIRQ,  /* an interrupt took the CPU from the thread until this time */
	SCOPE_EVENT_SOFTIRQ,
	SCOPE_EVENT_REQUEST, /* the thread has just received a request of that kind */
	SCOPE_EVENT_KINDS,
};

/*
 * Times in ns, CLOCK_MONOTONIC. Pointers are borrowed from the decoder and valid until the next
 * event is taken.
 */
struct scope_event {
	uint64_t time_ns;
	uint32_t tid; /* its thread: the one running on the CPU, or named by the record; 0: not traced */
	uint16_t cpu;
	uint8_t kind;
	uint8_t flags; /* of the record */
	union {
		struct {
			uint64_t enter_ns;
			int64_t ret; /* SYSCALL, EXIT */
			uint16_t nr;
			uint8_t abi;
			uint8_t args;
			const uint64_t *arg;
		} syscall; /* SYSCALL, ENTER, EXIT */
		struct {
			uint32_t prev_tid, next_tid; /* 0: not traced */
			uint32_t other_tid;	     /* next thread, if not traced; 0: the idle task, or not known */
			uint8_t prev_state;	     /* enum scope_state */
			bool preempted, iowait;
			bool memstall; /* the kernel counts what prev is in as a memory stall */
		} sched;	       /* SWITCH */
		struct {
			uint32_t waker_tid;  /* 0: an interrupt or not known */
			uint32_t waker_tgid; /* 0: the waker is traced (waker_tid names it), or not known */
			uint8_t context;     /* enum scope_context */
			uint8_t interrupt;   /* enum scope_interrupt */
		} waking;		     /* tid is the woken thread */
		struct {
			uint32_t parent_tid, tgid; /* tid is the child */
			const char *comm;
		} fork;
		struct {
			uint32_t old_tid, tgid;
			const char *comm;
		} exec;
		struct {
			uint32_t tgid;
			bool last;
			bool untraced; /* the thread has not ended, but is not in the filter any more */
		} exit;
		struct {
			const struct scope_record_state *record;
			const uint64_t *reg; /* record->regs of them */
		} state;
		struct {
			uint8_t reason; /* enum scope_stack_reason */
			uint8_t ended;	/* FRAMES: SCOPE_FRAMES_*, never 0; else 0 */
			uint16_t ips, regs;
			uint32_t bytes;
			uint32_t cost_ns;    /* for how long the thread was held up; 0: unknown */
			uint32_t tasks;	     /* TASKS: how many wait there; else 0 */
			uint8_t waited_s;    /* TASKS: for how long the first of them has; 0: none for 1 s */
			uint64_t since_ns;   /* SNAPSHOT, TASKS: the begin of the time that it represents; else 0 */
			uint64_t kernel_ip;  /* with SCOPE_STACK_KERNEL_IP, see scope/event.h */
			const uint64_t *ip;  /* CHAIN, FRAMES: ips addresses, innermost first */
			const uint64_t *reg; /* STACK: regs registers, DWARF order */
			const uint8_t *data; /* STACK: bytes from the stack pointer upwards */
		} stack;
		struct {
			uint32_t tgid;
			const char *comm;
		} comm;
		struct {
			uint64_t sector; /* of 512 bytes */
			uint64_t ns;	 /* ISSUE: time in the queue; DONE: time since its ISSUE */
			uint32_t dev;	 /* major and minor number, SCOPE_BLOCK_MINOR_BITS */
			uint32_t bytes;
			int32_t error; /* DONE: 0 or -errno */
			uint8_t op;    /* enum scope_block_op */
		} block;	       /* flags: SCOPE_BLOCK_* */
		struct {
			uint16_t id;
			uint8_t args;
			const uint64_t *arg;
		} probe; /* flags: SCOPE_PROBE_* */
		struct {
			uint16_t id;
			uint32_t asked_ns, served_ns;
		} delay; /* flags: SCOPE_DELAYED_* */
		struct {
			uint32_t bytes; /* number of bytes that could be read; 4 to 16, unless the trace is damaged */
			uint32_t memory[SCOPE_FUTEX_BYTES / 4];
		} futex;
		struct {
			int32_t fd;
			uint32_t own_port, peer_port;
			uint64_t own[2], peer[2];
		} peer; /* as in struct scope_record_peer */
		struct {
			uint32_t minor_faults, major_faults;
			uint64_t read_bytes, written_bytes; /* of storage */
			uint64_t swapin_ns, thrashing_ns;
		} counters;
		struct {
			uint8_t kind; /* enum scope_stall_kind */
		} stall;	      /* flags: SCOPE_STALL_* */
		struct {
			uint32_t ns;
		} interrupt; /* HARDIRQ, SOFTIRQ */
		struct {
			uint32_t kind; /* its text is metadata; 0: no request begins there */
		} request;
		struct {
			uint64_t count;	  /* events lost on this CPU; 0: number not known */
			uint64_t from_ns; /* when read: earliest time of the loss; 0: before the first event */
		} lost;
	};
};

/* True if exactly one way of ending is set, and no unknown bit. */
/* True if the thread that leaves in this SWITCH could continue: it waits for a CPU and does not sleep. */
static inline bool scope_trace_switch_runnable(const struct scope_event *event)
{
	return event->sched.preempted || event->sched.prev_state == SCOPE_STATE_RUNNABLE;
}

static inline bool scope_trace_frames_ended(uint8_t ended)
{
	const uint8_t end = ended & ~SCOPE_FRAMES_GUESSED;

	return end == SCOPE_FRAMES_COMPLETE || end == SCOPE_FRAMES_CUT || end == SCOPE_FRAMES_BROKEN;
}

#endif
