/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The records inside a sub-buffer.
 *
 * Every record is 8-byte aligned, a multiple of 8 bytes long, and starts with one 32-bit word:
 *
 *    31                                    5 4       0
 *   +---------------------------------------+---------+
 *   | ns since the record before (27 bits)  |  type   |
 *   +---------------------------------------+---------+
 *
 * The first record of a sub-buffer counts from begin_ns of its header (scope/ring.h). A gap of more
 * than 2^27 - 1 ns (134 ms) is bridged by a TIME record, which carries the full clock; the record
 * after it then has a delta of 0.
 *
 * Records do not name their thread. It is the one that the last SWITCH, THREAD or EXEC record on
 * that CPU put there, or the sub-buffer's header where none has come yet. Thread 0 means any thread
 * that is not traced.
 *
 * nr of a call is its number without the x32 bit; one below 0 or above 65534, as syscall(-1) has,
 * is stored as SCOPE_NR_NONE. It may hold numbers from SCOPE_SYSCALL_MAX up.
 *
 * Clock: CLOCK_MONOTONIC, ns.
 */
#ifndef SCOPE_EVENT_H
#define SCOPE_EVENT_H

#include <scope/abi.h>

/* X(number, NAME, name, fixed bytes, text). Never reuse a number. */
#define SCOPE_RECORD_LIST(X)                                                                       \
	X(1, TIME, time, 16, "full clock, where a delta does not fit")                             \
	X(2, THREAD, thread, 8, "restates the thread on this CPU")                                 \
	X(3, SYSCALL, syscall, 16, "a whole call: entered and returned without a switch")          \
	X(4, ENTER, enter, 16, "a call that has not returned when its thread leaves the CPU")      \
	X(5, EXIT, exit, 16, "the return of a call written by ENTER, or entered before tracing")   \
	X(6, SWITCH, switch, 8, "a CPU passes from one thread to another")                         \
	X(7, WAKING, waking, 8, "the thread on this CPU, or an interrupt, wakes a thread")         \
	X(8, WAKING_FROM, waking_from, 16, "a thread that is not traced wakes a traced one")       \
	X(9, FORK, fork, 32, "a new thread or process")                                            \
	X(10, EXEC, exec, 32, "a process replaces its program")                                    \
	X(11, THREAD_EXIT, thread_exit, 16, "a thread ends")                                       \
	X(12, STATE, state, 104, "what a thread is doing as tracing starts or stops")              \
	X(13, CHAIN, chain, 8, "user stack as return addresses, by frame pointers")                \
	X(14, STACK, stack, 16, "user registers and a slice of the stack, for unwinding later")     \
	X(15, COMM, comm, 32, "a thread takes another name")                                       \
	X(16, BLOCK_ISSUE, block_issue, 32, "a block device is given a request of a traced thread") \
	X(17, BLOCK_DONE, block_done, 40, "a block device has done such a request, or part of it") \
	X(18, PROBE, probe, 8, "a thread comes to a probed instruction, or returns")               \
	X(19, DELAY, delay, 16, "a thread was held up on purpose until now")                       \
	X(20, FRAMES, frames, 16, "what a STACK was unwound to (user space alone writes these)")   \
	X(21, PEER, peer, 48, "a call opened a connection, between these addresses")                \
	X(24, FUTEX, futex, 24, "the memory of a futex as a thread goes to sleep on it")           \
	X(26, REQUEST, request, 8, "which request a thread received (user space alone writes these)") \
	X(27, COUNTERS, counters, 48, "what a thread counted since its last one")                  \
	X(28, STALL, stall, 8, "a thread begins or ends to make room in memory")                   \
	X(29, HARDIRQ, hardirq, 8, "an interrupt took the CPU from a thread until now")            \
	X(30, SOFTIRQ, softirq, 8, "a softirq did, without the interrupts in between")              \
	X(31, RECEIVED, received, 8, "the first bytes that a call received from a socket")

enum scope_record_type {
#define SCOPE_RECORD_ENUM(number, NAME, name, bytes, text) SCOPE_RECORD_##NAME = number,
	SCOPE_RECORD_LIST(SCOPE_RECORD_ENUM)
#undef SCOPE_RECORD_ENUM
};

#define SCOPE_TYPE_BITS 5
#define SCOPE_DELTA_MAX ((1u << (32 - SCOPE_TYPE_BITS)) - 1)

static inline __u32 scope_record_word(__u32 type, __u32 delta_ns)
{
	return type | delta_ns << SCOPE_TYPE_BITS;
}

static inline __u32 scope_record_type(__u32 word)
{
	return word & ((1u << SCOPE_TYPE_BITS) - 1);
}

static inline __u32 scope_record_delta(__u32 word)
{
	return word >> SCOPE_TYPE_BITS;
}

struct scope_record_time {
	__u32 word;
	__u32 zero;
	__u64 time_ns;
};

struct scope_record_thread {
	__u32 word;
	__u32 tid;
};

/* abi_args of the three syscall records: ABI in the low 4 bits, number of arguments in the high. */
static inline __u8 scope_abi_args(__u8 abi, __u8 args)
{
	return abi | args << 4;
}

/*
 * Its time is that of the return; it was entered duration_ns earlier. __u64 arg[args] follows, of a
 * native call as the registers are when this is written: a call that replaces the registers (a
 * successful execve, rt_sigreturn) has no arguments.
 */
struct scope_record_syscall {
	__u32 word;
	__u16 nr;
	__u8 abi_args;
	__u8 flags; /* SCOPE_SYSCALL_* */
	__u32 duration_ns;
	__s32 ret; /* low half, where SCOPE_SYSCALL_WIDE is set */
};

#define SCOPE_SYSCALL_WIDE 0x01 /* the value returned does not fit ret: a pointer, usually */

/* Its time is that of the switch (or flush) that wrote it. __u64 arg[args] follows. */
struct scope_record_enter {
	__u32 word;
	__u16 nr;
	__u8 abi_args;
	__u8 flags; /* 0 */
	__u64 enter_ns;
};

struct scope_record_exit {
	__u32 word;
	__u16 nr;
	__u8 abi_args; /* no arguments here: they were in ENTER */
	__u8 flags;    /* 0 */
	__s64 ret;
};

/*
 *   31   30     29      28       27     26     25     22 21          0
 *   +--+------+------+-------+------+------+----------+--------------+
 *   |0 |memory|iowait|preempt| prev | next | state of | tid of next  |
 *   |  |stall |      |       |traced|traced|   prev   |              |
 *   +--+------+------+-------+------+------+----------+--------------+
 * Linux never gives a tid of 2^22 or more. State, iowait and memory stall are valid only for a prev
 * that is traced. Memory stall: with SCOPE_EVENTS_STALL, and CONFIG_PSI; prev is in a stretch that
 * the kernel counts in /proc/pressure/memory.
 */
struct scope_record_switch {
	__u32 word;
	__u32 bits;
};

#define SCOPE_TID_BITS 22
#define SCOPE_TID_MASK ((1u << SCOPE_TID_BITS) - 1)
#define SCOPE_SWITCH_STATE_SHIFT 22
#define SCOPE_SWITCH_STATE_MASK 0xfu
#define SCOPE_SWITCH_NEXT_TRACED (1u << 26)
#define SCOPE_SWITCH_PREV_TRACED (1u << 27)
#define SCOPE_SWITCH_PREEMPT (1u << 28)
#define SCOPE_SWITCH_IOWAIT (1u << 29)
#define SCOPE_SWITCH_MEMSTALL (1u << 30)

/*
 *    31     29 28       25 24     22 21                    0
 *   +---------+-----------+---------+-----------------------+
 *   |    0    | interrupt | context | tid of woken thread   |
 *   +---------+-----------+---------+-----------------------+
 * context: enum scope_context. interrupt: enum scope_interrupt, of contexts SOFTIRQ and HARDIRQ, and only
 * with SCOPE_EVENTS_CAUSE.
 */
struct scope_record_waking {
	__u32 word;
	__u32 bits;
};

#define SCOPE_WAKING_CONTEXT_SHIFT 22
#define SCOPE_WAKING_CONTEXT_MASK 0x7u
#define SCOPE_WAKING_INTERRUPT_SHIFT 25
#define SCOPE_WAKING_INTERRUPT_MASK 0xfu

struct scope_record_waking_from {
	__u32 word;
	__u32 bits; /* as in WAKING */
	__u32 waker_tid;
	__u32 waker_tgid;
};

struct scope_record_fork {
	__u32 word;
	__u32 parent_tid;
	__u32 child_tid;
	__u32 child_tgid; /* equals the parent's for a new thread */
	char comm[SCOPE_COMM_BYTES];
};

struct scope_record_exec {
	__u32 word;
	__u32 tid;     /* from here on; differs from old_tid if a thread other than the first called exec */
	__u32 old_tid; /* called exec */
	__u32 tgid;
	char comm[SCOPE_COMM_BYTES];
};

struct scope_record_thread_exit {
	__u32 word;
	__u32 tid;
	__u32 tgid;
	__u32 flags; /* SCOPE_EXIT_* */
};

#define SCOPE_EXIT_LAST 0x01	 /* the process ends with it */
#define SCOPE_EXIT_UNTRACED 0x02 /* it lives on, but is no longer in the filter; it may come back */

/*
 * One for every traced thread at start and again at stop, so that a thread that never runs in
 * between is seen. It names its own thread, and a stack just after it (SCOPE_STACK_SYSCALL, same
 * sub-buffer) is of that thread. __u64 reg[regs] (scope/abi.h) follows, none for a thread that was
 * on a CPU.
 */
struct scope_record_state {
	__u32 word;
	__u32 tid;
	__u32 tgid;
	__u16 nr;    /* SCOPE_NR_NONE outside a syscall, or unknown */
	__u8 state;  /* enum scope_state */
	__u8 flags;  /* SCOPE_STATE_AT_STOP, SCOPE_STATE_ON_CPU, SCOPE_STATE_IOWAIT */
	__u64 since_ns; /* since when it has not run, or a little earlier; 0: unknown */
	__u64 run_ns;	/* time on a CPU in its whole life */
	__u64 arg[SCOPE_ARG_MAX];
	char comm[SCOPE_COMM_BYTES];
	__u32 abi;
	__u32 regs; /* number of registers after the record */
};

#define SCOPE_NR_NONE 0xffff
#define SCOPE_STATE_AT_STOP 0x01
#define SCOPE_STATE_ON_CPU 0x02
#define SCOPE_STATE_IOWAIT 0x04

/* Why a stack was taken. */
enum scope_stack_reason {
	SCOPE_STACK_SYSCALL = 0, /* belongs to the SYSCALL, EXIT or STATE record just before it */
	SCOPE_STACK_SAMPLE = 1,	 /* timer: the thread was running */
	SCOPE_STACK_PROBE = 2,	 /* belongs to the PROBE record just before it */
	/*
	 * FRAMES only: the functions that the thread is in, as its interpreter has them; read from outside, while it ran or
	 * slept. Belongs to no record before it.
	 */
	SCOPE_STACK_SNAPSHOT = 3,
	/*
	 * FRAMES only: where tasks that the program schedules itself (goroutines, tasks of asyncio) wait, read from outside. The thread is the
	 * process; no thread waits there. Belongs to no record before it.
	 */
	SCOPE_STACK_TASKS = 4,
};

#define SCOPE_STACK_IN_KERNEL 0x01 /* the sample hit the kernel (the stack is still the user's) */
#define SCOPE_STACK_CUT 0x02	   /* the stack is longer than the copy */
#define SCOPE_STACK_FAULT 0x04	   /* part of it could not be read: in STACK it is zeros, or missing */
#define SCOPE_STACK_COST 0x08	   /* of CHAIN: cost_ns follows */
/*
 * The last of ip, or the last 8 of bytes, is where in the kernel the sample hit, less KERNEL_BASE
 * (scope/control.h). CHAIN counts it in count, STACK in bytes, which are then a multiple of 8.
 */
#define SCOPE_STACK_KERNEL_IP 0x10

/*
 * __u64 ip[count] follows, the interrupted instruction first; then, with SCOPE_STACK_COST, __u64
 * cost_ns, as in STACK.
 */
struct scope_record_chain {
	__u32 word;
	__u8 reason;
	__u8 flags;
	__u16 count;
};

/*
 * __u64 reg[regs] follows, then bytes of stack from the stack pointer upwards, padded with zero
 * bytes to a multiple of 8. No bytes: only the registers could be read.
 */
struct scope_record_stack {
	__u32 word;
	__u8 reason;
	__u8 flags;
	__u16 regs;
	__u32 bytes;
	__u32 cost_ns; /* for how long taking the stack delayed the thread; 0: not known */
};

#define SCOPE_FRAMES_MAX 1024 /* addresses of FRAMES, without one of the kernel */

/* How unwinding ended: one of the first three, perhaps with GUESSED. */
#define SCOPE_FRAMES_COMPLETE 0x01 /* at the start of the thread */
#define SCOPE_FRAMES_CUT 0x02	   /* beyond what was copied, or SCOPE_FRAMES_MAX */
#define SCOPE_FRAMES_BROKEN 0x04   /* no unwind information, or impossible values */
#define SCOPE_FRAMES_GUESSED 0x08  /* a step was made by frame pointer, without unwind tables */

/*
 * Replaces a STACK, with its reason and flags. __u64 ip[count] follows, innermost first: the program
 * counter, then return addresses (of a frame that a signal interrupted its program counter + 1). With
 * SCOPE_STACK_KERNEL_IP the last one is where in the kernel the sample hit.
 */
struct scope_record_frames {
	__u32 word;
	__u8 reason;
	__u8 flags; /* SCOPE_STACK_*, not COST */
	__u16 count;
	__u32 cost_ns; /* as in STACK; of TASKS: how many wait there */
	__u8 ended;    /* SCOPE_FRAMES_* */
	__u8 waited;   /* of TASKS: seconds for which the first of them has waited, 255: or more; 0: none of them for one */
	__u16 since; /* of a SNAPSHOT, and TASKS: time since the one before was due, in units of 0.1 ms; else 0 */
};

#define SCOPE_FRAMES_SINCE_NS 100000 /* one unit of since */

/* Names its own thread: a thread may rename another of its process. */
struct scope_record_comm {
	__u32 word;
	__u32 tid;
	__u32 tgid;
	__u32 zero;
	char comm[SCOPE_COMM_BYTES];
};

enum scope_block_op {
	SCOPE_BLOCK_READ = 0,
	SCOPE_BLOCK_WRITE = 1,
	SCOPE_BLOCK_FLUSH = 2,
	SCOPE_BLOCK_DISCARD = 3,
	SCOPE_BLOCK_OTHER = 4,
};

#define SCOPE_BLOCK_SYNC 0x01	   /* a thread waits for it */
#define SCOPE_BLOCK_META 0x02	   /* the file system's own data */
#define SCOPE_BLOCK_FUA 0x04	   /* down to the medium */
#define SCOPE_BLOCK_PREFLUSH 0x08  /* earlier writes go first */
#define SCOPE_BLOCK_AHEAD 0x10	   /* read ahead of a request */
#define SCOPE_BLOCK_UNMATCHED 0x20 /* of ISSUE: there is no place to remember it, and its DONE will not come */
#define SCOPE_BLOCK_PART 0x40	   /* of DONE: more of the request is still under way */
#define SCOPE_BLOCK_BIO 0x80	   /* of DONE: what a thread submitted, no request: it has no ISSUE */

#define SCOPE_BLOCK_MINOR_BITS 20 /* dev: minor number in these low bits, major above */

/*
 * tid is the traced thread that queued or issued the request; the one on this CPU may be another, a
 * kernel worker. Requests of kernel threads (writeback) belong to no traced thread and have no
 * records. Where these make the requests for a traced thread (flushes, dm-delay), only what it submitted has a DONE record.
 */
struct scope_record_block_issue {
	__u32 word;
	__u32 tid;
	__u64 sector; /* of 512 bytes */
	__u32 dev;
	__u32 bytes;
	__u32 queue_ns; /* time in the scheduler's queue, at most 2^32 - 1 */
	__u8 op;	/* enum scope_block_op */
	__u8 flags;	/* SCOPE_BLOCK_* */
	__u16 zero;
};

struct scope_record_block_done {
	__u32 word;
	__u32 tid; /* as in its ISSUE */
	__u64 sector;
	__u32 dev;
	__u32 bytes;	  /* done now */
	__u64 latency_ns; /* since its ISSUE */
	__s32 error;	  /* 0 or -errno */
	__u8 op;
	__u8 flags;
	__u16 zero;
};

#define SCOPE_FUTEX_BYTES 16

/*
 * What the memory of a futex holds: the first 16 bytes from the futex on, or less where the page after it is not in
 * memory. It comes directly after the ENTER of a futex call by the thread on this CPU. It is written with
 * SCOPE_EVENTS_FUTEX, for calls of native programs that wait. There is no record if the futex itself could not be
 * read without a page fault.
 */
struct scope_record_futex {
	__u32 word;
	__u32 bytes; /* 4 to 16; the rest is zero */
	__u32 memory[SCOPE_FUTEX_BYTES / 4];
};

/*
 * Of the thread on this CPU: the descriptor fd, which the connect, accept or accept4 opened whose SYSCALL or EXIT is the
 * last one of this thread, or a stack of that call is in between, has this peer. Written with SCOPE_EVENTS_PEER, for calls
 * of native programs and sockets of the internet. Directly after the ENTER of a connect, which goes to sleep then, it has the
 * peer that the thread waits for, and not its own address and port. An address has 128 bits, the first 64 of them in the first number; those of
 * IPv4 are mapped (RFC 4291, section 2.5.5.2). A port, and an address, of 0 is not known.
 */
struct scope_record_peer {
	__u32 word;
	__s32 fd;
	__u32 own_port;
	__u32 peer_port;
	__u64 own[2];
	__u64 peer[2];
};

#define SCOPE_PROBE_RETURN 0x01	   /* the function returns; arg[0], if there, is its value */
#define SCOPE_PROBE_USER 0x02	   /* in user code: a uprobe */
/*
 * An interrupt came to the place, not the thread that it interrupted; such a hit has no stack. There is one
 * exception, because kernels do not report it: if the kernel replaced a kprobe's breakpoint by a jump (inside a
 * function, or at its entry without ftrace), a hit by a non-maskable interrupt lacks the flag, and may have the stack
 * of the interrupted thread. sysctl debug.kprobes-optimization=0 keeps breakpoints.
 */
#define SCOPE_PROBE_INTERRUPT 0x04

/* Of the thread on this CPU. __u64 arg[args] follows. */
struct scope_record_probe {
	__u32 word;
	__u16 id; /* as given to SCOPE_CMD_PROBE_ADD */
	__u8 flags;
	__u8 args;
};

#define SCOPE_DELAYED_SPUN 0x01	     /* it kept the CPU; else it slept */
#define SCOPE_DELAYED_AT_RETURN 0x02 /* on the way to user mode, after the event that it is for */
#define SCOPE_DELAYED_CUT 0x04	     /* ended early: by SIGKILL, or the rule was removed */
#define SCOPE_DELAYED_CAPPED 0x08    /* more was configured: a cap left asked_ns of it */

/* Of the thread on this CPU. It was delayed until the record's time. */
struct scope_record_delay {
	__u32 word;
	__u16 id; /* as given to SCOPE_CMD_DELAY_SET */
	__u8 flags;
	__u8 zero;
	__u32 asked_ns;
	__u32 served_ns; /* at most 2^32 - 1 */
};

/*
 * Of the thread on this CPU, since its last such record or since it came to the CPU, by the kernel's own counts. It
 * is written when the thread leaves the CPU, and at a flush, if any of it changed.
 */
struct scope_record_counters {
	__u32 word;
	__u32 minor_faults; /* at most 2^32 - 1 */
	__u32 major_faults; /* those that read from a disk */
	__u32 zero;
	__u64 read_bytes;    /* bytes that storage read for it; 0 without CONFIG_TASK_IO_ACCOUNTING */
	__u64 written_bytes; /* bytes that it changed, which are to be written later */
	__u64 swapin_ns;     /* waiting for swapped pages, by delay accounting; 0 if that is off */
	__u64 thrashing_ns;  /* the same, for pages of files evicted a moment ago */
};

enum scope_stall_kind {
	SCOPE_STALL_RECLAIM = 0, /* direct reclaim: the host is short of memory */
	SCOPE_STALL_GROUP = 1,	 /* reclaim for the limit of a control group */
	SCOPE_STALL_COMPACT = 2, /* compaction, for a large page */
};

#define SCOPE_STALL_END 0x01

/* Of the thread on this CPU. One kind does not begin within another; sleeps may come between. */
struct scope_record_stall {
	__u32 word;
	__u8 kind;  /* enum scope_stall_kind */
	__u8 flags; /* SCOPE_STALL_* */
	__u16 zero;
};

/* Both are of the thread on this CPU, which had to wait for it until the record's time. */
struct scope_record_hardirq {
	__u32 word;
	__u32 ns; /* from the handler's begin to its end */
};

struct scope_record_softirq {
	__u32 word;
	__u32 ns;
};

/*
 * Of the thread on this CPU: what it received from a client asks for this. kind is a number that the capture gave to a
 * text, the names of the trace's metadata have it. It replaces a RECEIVED.
 */
struct scope_record_request {
	__u32 word;
	__u32 kind; /* from 1 on */
};

#define SCOPE_RECEIVED_BYTES 128

/*
 * Of the thread on this CPU: what the call received whose SYSCALL or EXIT is the last one of this thread, or a stack
 * of that call is in between. bytes of data follow, padded with zero bytes to a multiple of 8. Written with
 * SCOPE_EVENTS_RECEIVED, for read, readv, recvfrom and recvmsg of native programs from a socket. A reader makes a
 * REQUEST of it, or drops it: it must not be stored.
 */
struct scope_record_received {
	__u32 word;
	__u16 bytes; /* 1 to SCOPE_RECEIVED_BYTES; less than was received where memory could not be read */
	__u16 zero;
};

#endif
