/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/* Numbers that the module and its readers must agree on: versions, limits, states. */
#ifndef SCOPE_ABI_H
#define SCOPE_ABI_H

#include <linux/types.h>

#define SCOPE_VERSION "0.1"

/*
 * The protocol between module and reader. Both support a range of versions; a session uses the
 * newest that both support. If there is none, they refuse each other with both ranges in the
 * message. Raise SCOPE_PROTOCOL when an old reader could misread the records or behaviour of a new
 * module, and keep the old behaviour in sessions of an older protocol. Raise SCOPE_PROTOCOL_MIN
 * when old protocols are not worth supporting any more.
 *   1  the first
 *   2  COMM, BLOCK_ISSUE, BLOCK_DONE and PROBE records, costs of chains; targets other than
 *      processes, and filters that change
 *   3  COUNTERS, STALL, HARDIRQ and SOFTIRQ records, and the bit of SWITCH for memory stalls
 */
#define SCOPE_PROTOCOL 3
#define SCOPE_PROTOCOL_MIN 1

#define SCOPE_DEVICE_NAME "scope"
#define SCOPE_DEVICE_PATH "/dev/scope"

#define SCOPE_SYSCALL_MAX 512 /* numbers 0..511 are distinguished, by tables indexed with them */
#define SCOPE_ARG_MAX 6
#define SCOPE_COMM_BYTES 16
#define SCOPE_TARGET_MAX 256	/* targets named in one message */
#define SCOPE_FILTER_HELD 65536	  /* processes and threads, descendants included, that find a place if they are selected at once */
#define SCOPE_FILTER_SLOTS 122880 /* places; there are more of them, because numbers that crowd together need room */
#define SCOPE_COMM_RULES 8	/* command names selected at once */
#define SCOPE_CGROUP_RULES 8	/* control groups selected at once */
#define SCOPE_STACK_DEPTH_MAX 64 /* an address of the kernel among them */
#define SCOPE_STACK_BYTES_MAX 32768
#define SCOPE_SAMPLE_PERIOD_MIN_NS 200000
#define SCOPE_STACK_THREADS_MAX 1024 /* threads named for stacks */
#define SCOPE_PROBE_MAX 256	     /* probes of a session */
#define SCOPE_PROBE_NAME_BYTES 1024  /* symbol or path, with the final zero byte */
#define SCOPE_PROBE_SYMBOL_BYTES 128 /* the same, of a symbol */
#define SCOPE_PROBE_SYMBOL_OFFSET_MAX 65536

/* Defaults of a configuration. */
#define SCOPE_SUBBUF_BYTES_DEFAULT (256u << 10)
#define SCOPE_SUBBUF_COUNT_DEFAULT 8u
#define SCOPE_STACK_BYTES_DEFAULT 8192u
#define SCOPE_STACKS_PER_SECOND_DEFAULT 1000u

/* Which instruction set a syscall number belongs to. */
enum scope_abi {
	SCOPE_ABI_NATIVE = 0,
	SCOPE_ABI_32 = 1,
	SCOPE_ABI_X32 = 2,
};

/* Thread states as the module translates them; the kernel's own bits differ between versions. */
enum scope_state {
	SCOPE_STATE_RUNNABLE = 0, /* on a CPU, or waiting for one */
	SCOPE_STATE_SLEEPING = 1, /* interruptible */
	SCOPE_STATE_DISK = 2,	  /* uninterruptible */
	SCOPE_STATE_STOPPED = 3,  /* by a signal or a debugger */
	SCOPE_STATE_DEAD = 4,
	SCOPE_STATE_IDLE = 5,
	SCOPE_STATE_OTHER = 6,
};

/* The context in which a thread was made runnable. */
enum scope_context {
	SCOPE_CONTEXT_TASK = 0,
	SCOPE_CONTEXT_SOFTIRQ = 1,
	SCOPE_CONTEXT_HARDIRQ = 2,
	SCOPE_CONTEXT_NMI = 3,
	SCOPE_CONTEXT_UNKNOWN = 4, /* before Linux 4.3: in an interrupt, which may act for a waker on another CPU */
};

/* What an interrupt that wakes a thread is for. */
enum scope_interrupt {
	SCOPE_INTERRUPT_UNKNOWN = 0, /* not recorded, or it began before tracing */
	SCOPE_INTERRUPT_TIMER = 1,
	SCOPE_INTERRUPT_NET = 2,     /* packets, received or sent */
	SCOPE_INTERRUPT_BLOCK = 3,   /* a block device's answers */
	SCOPE_INTERRUPT_DEVICE = 4,  /* a hard interrupt of any device: its handler runs */
	SCOPE_INTERRUPT_TASKLET = 5,
	SCOPE_INTERRUPT_RCU = 6,
	SCOPE_INTERRUPT_SCHED = 7,
	SCOPE_INTERRUPT_OTHER = 8,   /* none of these: another CPU's, usually */
	SCOPE_INTERRUPTS = 9,
};

/*
 * User registers are stored in DWARF order, the program counter last.
 * x86-64: rax rdx rcx rbx rsi rdi rbp rsp r8..r15 rip (17). arm64: x0..x30 sp pc (33).
 */
#define SCOPE_REG_MAX 33
#define SCOPE_REG_COUNT_X86_64 17
#define SCOPE_REG_COUNT_ARM64 33
#define SCOPE_REG_SP_X86_64 7 /* the stack pointer among them */
#define SCOPE_REG_SP_ARM64 31

/* Why an event did not become a record. Never reuse a number. */
enum scope_lost {
	SCOPE_LOST_FULL = 0,	/* the reader was too slow: no free sub-buffer */
	SCOPE_LOST_NESTED = 1,	/* a probe interrupted the writer of the same CPU */
	SCOPE_LOST_TOO_BIG = 2, /* the record is larger than a sub-buffer */
	SCOPE_LOST_REASONS = 3,
};

#endif
