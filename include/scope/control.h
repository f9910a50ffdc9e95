/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The generic netlink family that controls sessions.
 *
 * open("/dev/scope") makes a session and SCOPE_IOC_INFO gives its number. The session lives as long as
 * that file: when its last descriptor and mapping are closed, tracing stops and all is freed.
 *
 * Every message needs CAP_SYS_ADMIN or CAP_PERFMON in the initial user namespace, else EPERM. DELAY_SET
 * needs CAP_SYS_ADMIN, because the right to watch programs is no right to slow them down.
 *
 *   SCOPE_CMD_INFO        -> PROTOCOL, PROTOCOL_MIN, MODULE_VERSION, KERNEL_REGS, SELFTEST,
 *                         SESSIONS { SESSION ... }
 *                         The module's protocols; without PROTOCOL_MIN only that one. A reader sends
 *                         CONFIGURE with the newest that both support.
 *   SCOPE_CMD_CONFIGURE   SESSION, PROTOCOL,
 *                         TARGETS { TARGET | THREAD | COMM | COMM_PREFIX |
 *                                   CGROUP { CGROUP_ID [CGROUP_HIERARCHY] } ... }
 *                         [FOLLOW] [SYSCALLS] [EVENTS] [SUBBUF_BYTES] [SUBBUF_COUNT] [ARG_COUNTS]
 *                         [STACK_MODE] [STACK_BYTES] [STACK_MIN_NS] [STACK_SYSCALLS]
 *                         [STACKS_PER_SECOND] [SAMPLE_PERIOD_NS] [RING_MODE] [OVERHEAD_MAX]
 *                         [KERNEL_BASE]
 *                         Once, before START. Allocates the rings; they can be mapped afterwards.
 *                         See below for TARGETS and their errors. EINVAL: a value out of range.
 *                         ENOMEM: not enough on this host or in the caller's memory control group, or
 *                         the rings of all sessions, for the CPUs online, would take over half of
 *                         what is available without them; a CPU that comes later gets its ring
 *                         then. Rings are charged to the caller's group from 5.11 on. EBUSY:
 *                         done already. EPROTO: the module does not speak that protocol, or a target
 *                         other than TARGET needs 2.
 *   SCOPE_CMD_FILTER      SESSION, at least one of TARGETS {...}, REMOVE {...}, SYSCALLS
 *                         From CONFIGURE to STOP, while it runs as well. Takes away what REMOVE names,
 *                         adds what TARGETS names, in this order; SYSCALLS replaces the set. Once it is
 *                         answered every CPU knows. A thread that joined has a STATE; one that left
 *                         while on a CPU has a SWITCH to a thread that is not traced, and each thread
 *                         that left has a THREAD_EXIT with SCOPE_EXIT_UNTRACED. ENOENT: REMOVE of a
 *                         target that was not named. Targets before the refused one are applied, and the
 *                         acknowledgement points at the refused one. EINVAL: not configured. ESHUTDOWN:
 *                         it was stopped. EPROTO: the session's protocol is 1.
 *   SCOPE_CMD_START       SESSION. Attaches the probes, writes the STATE of every target thread.
 *                         EINVAL: not configured. EALREADY: running. ESHUTDOWN: it was stopped.
 *   SCOPE_CMD_STOP        SESSION. Writes STATE again, detaches, closes all sub-buffers; data stay
 *                         readable. EALREADY where it is not running.
 *   SCOPE_CMD_QUERY       SESSION -> SESSION, RUN_STATE, MEMORY_BYTES, PROCESSES,
 *                         THREADS, FILTER_FULL, BLOCK_UNMATCHED, CPUS { CPU { CPU_ID, RECORDS,
 *                         LOST_FULL, LOST_NESTED, LOST_TOO_BIG, STACKS, STACKS_SKIPPED, OVERWRITTEN,
 *                         PROBE_NS } ... }, OWNER, RUN_NS, RING_MODE, OVERHEAD_MAX, STOP_REASON, and
 *                         with STOP_REASON guard what it found: CPU_ID, OVERHEAD; [CPU_NEXT]
 *                         The request may say CPU_FIRST. CPUs that were never online are left out; if
 *                         CPU_NEXT comes, send the request again from there for the rest.
 *   SCOPE_CMD_SNAPSHOT    SESSION [HOLD]. While it runs, else EALREADY. Writes STATE (as at a stop) of
 *                         every target thread, then makes every CPU publish all it holds, open calls
 *                         included, and sets the `snapshot` of each ring (scope/ring.h). Recording goes
 *                         on. In flight mode a full ring goes on overwriting the oldest; with HOLD it
 *                         drops new events instead, until all of the snapshot has been read. Until
 *                         `snapshot` is set no STATE is overwritten, and half of a ring is for them:
 *                         events without room are counted as lost.
 *
 *   SCOPE_CMD_STACKS      SESSION [STACK_MODE] [STACK_BYTES] [STACK_MIN_NS] [STACK_SYSCALLS]
 *                         [STACKS_PER_SECOND] [SAMPLE_PERIOD_NS] [STACK_THREADS]
 *                         From CONFIGURE to STOP, while it runs as well, any number of times; other
 *                         events go on. Attributes that are absent stay unchanged. With STACK_THREADS
 *                         only these threads get stacks and samples; those that have ended are ignored;
 *                         an empty list: every traced thread again.
 *   SCOPE_CMD_PROBE_ADD   SESSION, PROBE_ID, PROBE_KIND, PROBE_SYMBOL or PROBE_PATH
 *                         [PROBE_OFFSET] [PROBE_ARGS] [PROBE_FLAGS]
 *                         From CONFIGURE to STOP. Each time a traced thread comes to the place there is
 *                         a PROBE record with PROBE_ID. Kernel: PROBE_OFFSET is counted from the symbol
 *                         (0 for a return). User: PROBE_OFFSET is that in the file; PROBE_PATH is
 *                         looked up as the caller sees it, /proc/PID/exe included, and the file is kept
 *                         when its name is removed. Processes that are not traced run at full speed. In
 *                         a process that is added to the filter later, probes of files it has mapped
 *                         already take effect only when they are set again. ENOENT: no such symbol or
 *                         file. EILSEQ: no instruction begins there. EINVAL: the kernel allows no probe
 *                         there. ERANGE: outside the file. EEXIST: PROBE_ID is taken. ENOSPC:
 *                         SCOPE_PROBE_MAX are set. EPERM: words of a kernel function (PROBE_ARGS) need
 *                         CAP_SYSLOG too. EOPNOTSUPP: this kernel has no such probes, or cannot have
 *                         one on that instruction. EPROTO: the session's protocol is 1.
 *   SCOPE_CMD_PROBE_REMOVE  SESSION, PROBE_ID. When it is answered no more records come.
 *                         All probes of a session go with its stop or its file.
 *   SCOPE_CMD_PROBE_NEXT  SESSION [PROBE_ID] -> PROBE_ID, PROBE_KIND, PROBE_SYMBOL or PROBE_PATH,
 *                         PROBE_OFFSET, PROBE_ARGS, PROBE_FLAGS, PROBE_HITS, PROBE_MISSED
 *                         The probe with the lowest number from PROBE_ID (default 0) on. ENOENT:
 *                         there is none. Also after STOP.
 *   SCOPE_CMD_DELAY_SET   SESSION, DELAY_ID, DELAY_SITE, the attributes of that site (enum
 *                         scope_delay_site), DELAY_NS [DELAY_FLAGS] [DELAY_PROBABILITY] [DELAY_SEED]
 *                         [DELAY_THREADS] [DELAY_HIT_MAX_NS] [DELAY_SECOND_MAX_NS] [DELAY_RANGES]
 *                         From CONFIGURE to STOP. Delays a traced thread by DELAY_NS each time it comes
 *                         to the site; a DELAY record has the measured time. The thread sleeps, in its
 *                         own context, and SIGKILL ends the sleep; below SCOPE_DELAY_SPIN_NS it spins.
 *                         With a DELAY_ID that is set already and the same site, all else of the rule
 *                         is replaced while it works, and its counts go on; a sleep that has begun
 *                         keeps its length. DELAY_NS 0 counts visits without delays. Delays of one
 *                         thread above DELAY_HIT_MAX_NS, or of all threads of the session in a second
 *                         above DELAY_SECOND_MAX_NS (that of the rule set last is used), are not served
 *                         and count as capped. EINVAL: one of the two above its own limit. Which visits
 *                         are chosen is the same for the same DELAY_SEED: visit number n of the rule
 *                         is, where scope_delay_chosen(seed, n, probability); of the periods of one
 *                         sleep (SCOPE_DELAY_SPEEDUP) scope_delay_chosen_of() are. EBUSY: the session
 *                         has a rule of SCOPE_DELAY_SPEEDUP already; or, on the entry of a call,
 *                         something else has that function that cannot share it: a live patch, some BPF
 *                         programs, any probe where the kernel has no ftrace; or kernel.ftrace_enabled
 *                         is 0. EADDRINUSE: another function of that call has rules, of any session.
 *                         EUSERS: 16 rules of all sessions are on its entry. EPERM: without
 *                         CAP_SYS_ADMIN, CAP_PERFMON is not enough. ECANCELED: the module's parameter
 *                         `delays` is off. ENOSYS: it was built without them (SCOPE_DELAYS=0). EEXIST:
 *                         DELAY_ID is that of a rule of another site. ENOSPC: SCOPE_DELAY_MAX rules are
 *                         set. ESRCH: none of DELAY_THREADS lives. EOPNOTSUPP: this kernel cannot serve
 *                         that site (the text says what may do instead). Of a place: as PROBE_ADD.
 *                         EPROTO: the session's protocol is 1.
 *   SCOPE_CMD_DELAY_REMOVE  SESSION, DELAY_ID. Threads that sleep by this rule are woken; when it is
 *                           answered no thread sleeps by it any more. All rules of a session are removed
 *                           in this way by its stop, and by the close of its file.
 *   SCOPE_CMD_DELAY_NEXT  SESSION [DELAY_ID] -> DELAY_ID, DELAY_SITE, DELAY_SYSCALL, PROBE_SYMBOL or
 *                         PROBE_PATH where it has one, PROBE_OFFSET, DELAY_NS, DELAY_FLAGS,
 *                         DELAY_PROBABILITY, DELAY_SEED, DELAY_HIT_MAX_NS, DELAY_SECOND_MAX_NS,
 *                         DELAY_VISITS, DELAY_SERVED, DELAY_ASKED_NS, DELAY_SERVED_NS, DELAY_MISSED,
 *                         DELAY_CAPPED, DELAY_REQUIRED_NS, DELAY_UNSETTLED_NS
 *                         The rule with the lowest number from DELAY_ID (default 0) on. ENOENT: there
 *                         is none. Also after STOP.
 *
 * Traced is every thread that one of the targets selects.
 *
 *   TARGET       a process, by the number of any of its threads; with FOLLOW its descendants too,
 *                those that live and those to come. REMOVE removes these as well, except processes that
 *                were named themselves and their descendants.
 *   THREAD       one thread; its number is the process's after an exec.
 *   COMM         threads with this name (/proc/PID/task/TID/comm), as long as they have it: renames
 *                and exec are followed. The kernel cuts names to 15 bytes, so a name of 15 bytes selects
 *                all longer names that begin so.
 *   CGROUP       threads in this group or below, as long as they are: forks and moves are followed.
 *                Groups of version 2, and of version 1 where a controller is attached to the
 *                hierarchy. EOPNOTSUPP: the kernel does not say (before 5.5; or no CONFIG_CGROUPS).
 *
 * Numbers are those of the caller's pid namespace. ESRCH: nothing with that number lives. EINVAL: a
 * kernel thread, an empty or too long name, an attribute that does not belong there, more than
 * SCOPE_TARGET_MAX. ENOSPC: more than SCOPE_FILTER_HELD processes and threads by themselves,
 * SCOPE_COMM_RULES names or SCOPE_CGROUP_RULES groups in all; descendants without a place are
 * counted in FILTER_FULL instead.
 *
 * SYSCALLS: calls whose bit is clear have no record; with any bit clear calls of other ABIs and numbers
 * from SCOPE_SYSCALL_MAX up have none, too. A call that is open as its bit is cleared has no EXIT.
 *
 *   SCOPE_CMD_NOTICE      comes by itself to the sockets that sent LISTEN: SESSION, NOTICE, CPU_ID,
 *                         VALUE, of every session, with sequence number 0. A running session is checked
 *                         every 100 ms, never from a probe. HALF_FULL and LOST (events were lost since
 *                         the last one) come at most once a second each, TARGET_GONE when the filter
 *                         becomes empty, GUARD once. A notice may be missed; QUERY has the same facts.
 *   SCOPE_CMD_LISTEN      From here on NOTICEs come to the socket that sends this, until it is closed.
 *                         ENOSPC: SCOPE_LISTENERS_MAX sockets listen. EOPNOTSUPP: a module that
 *                         sends them to a multicast group, "notices", which needs no capability.
 *
 * The overload guard: once a second of a running session the time that probes took on each CPU is
 * compared with OVERHEAD_MAX. If a CPU is above, the session is stopped as by SCOPE_CMD_STOP, with
 * STOP_REASON guard. The time is PROBE_NS: the time of probes to make records; for each hit of a probe
 * or rule set at run time, also by threads that are not traced, this kernel's time to call its handler;
 * and the CPU time of delays, which is all of a spin and almost nothing of a sleep.
 *
 * ENOENT: no such session, or the caller may not see it. An attribute that is unknown, has the wrong
 * length, or occurs twice is refused (EINVAL, ERANGE) with an extended acknowledgement that points at
 * it. Its text says what would be right.
 */
#ifndef SCOPE_CONTROL_H
#define SCOPE_CONTROL_H

#include <scope/abi.h>

#define SCOPE_GENL_NAME "scope"
#define SCOPE_GENL_VERSION 1

enum scope_cmd {
	SCOPE_CMD_UNSPEC,
	SCOPE_CMD_INFO,
	SCOPE_CMD_CONFIGURE,
	SCOPE_CMD_START,
	SCOPE_CMD_STOP,
	SCOPE_CMD_QUERY,
	SCOPE_CMD_SNAPSHOT,
	SCOPE_CMD_FILTER,
	SCOPE_CMD_STACKS,
	SCOPE_CMD_PROBE_ADD,
	SCOPE_CMD_PROBE_REMOVE,
	SCOPE_CMD_PROBE_NEXT,
	SCOPE_CMD_NOTICE,
	SCOPE_CMD_DELAY_SET,
	SCOPE_CMD_DELAY_REMOVE,
	SCOPE_CMD_DELAY_NEXT,
	SCOPE_CMD_LISTEN,
	__SCOPE_CMD_AFTER_LAST,
	SCOPE_CMD_MAX = __SCOPE_CMD_AFTER_LAST - 1,
};

/* Never reuse a number. */
enum scope_attr {
	SCOPE_ATTR_UNSPEC,
	SCOPE_ATTR_PAD,
	SCOPE_ATTR_PROTOCOL,	      /* u32 */
	SCOPE_ATTR_MODULE_VERSION,    /* string */
	SCOPE_ATTR_KERNEL_REGS,	      /* u32: registers in a STACK record of this kernel */
	SCOPE_ATTR_SESSION,	      /* u32 */
	SCOPE_ATTR_TARGETS,	      /* nested: 1 to SCOPE_TARGET_MAX of TARGET, THREAD, COMM,
					 COMM_PREFIX, CGROUP */
	SCOPE_ATTR_TARGET,	      /* u32: pid of a process */
	SCOPE_ATTR_FOLLOW,	      /* flag: trace descendants too */
	SCOPE_ATTR_EVENTS,	      /* u32: SCOPE_EVENTS_*, or the default */
	SCOPE_ATTR_SUBBUF_BYTES,      /* u32, a power of two, default 256 KiB */
	SCOPE_ATTR_SUBBUF_COUNT,      /* u32, a power of two, default 8 */
	SCOPE_ATTR_ARG_COUNTS,	      /* u8[SCOPE_SYSCALL_MAX]: arguments to store per native number; of calls of 32-bit programs two are stored if no call is left out */
	SCOPE_ATTR_STACK_MODE,	      /* u8: enum scope_stack_mode, default none */
	SCOPE_ATTR_STACK_BYTES,	      /* u32: slice of the stack, default 8192 */
	SCOPE_ATTR_STACK_MIN_NS,      /* u32: a syscall gets a stack if it took this long or more */
	SCOPE_ATTR_STACK_SYSCALLS,    /* u8[SCOPE_SYSCALL_MAX / 8]: number n gets one if bit n % 8 of byte n / 8 is set, default all. Of 32-bit programs all calls do except epoll_wait, accept4 and similar ones */
	SCOPE_ATTR_STACKS_PER_SECOND, /* u32: limit for syscall stacks, per CPU, default 1000 */
	SCOPE_ATTR_SAMPLE_PERIOD_NS,  /* u32: 0 (default) none, else at least 200,000 */
	SCOPE_ATTR_RUN_STATE,	      /* u8: enum scope_run_state */
	SCOPE_ATTR_MEMORY_BYTES,      /* u64 */
	SCOPE_ATTR_PROCESSES,	      /* u32: processes in the filter */
	SCOPE_ATTR_FILTER_FULL,	      /* u64: processes that found no place in the filter */
	SCOPE_ATTR_CPUS,	      /* nested: SCOPE_ATTR_CPU, one per possible CPU */
	SCOPE_ATTR_CPU,		      /* nested: the seven below */
	SCOPE_ATTR_CPU_ID,	      /* u32 */
	SCOPE_ATTR_RECORDS,	      /* u64 */
	SCOPE_ATTR_LOST_FULL,	      /* u64 */
	SCOPE_ATTR_LOST_NESTED,	      /* u64 */
	SCOPE_ATTR_LOST_TOO_BIG,      /* u64 */
	SCOPE_ATTR_STACKS,	      /* u64 */
	SCOPE_ATTR_STACKS_SKIPPED,    /* u64 */
	SCOPE_ATTR_BLOCK_UNMATCHED,   /* u64: requests whose end could not be found */
	SCOPE_ATTR_RING_MODE,	      /* u8: enum scope_ring_mode (scope/ring.h), default stream */
	SCOPE_ATTR_HOLD,	      /* flag: overwrite nothing of the snapshot before it was read */
	SCOPE_ATTR_OVERWRITTEN,	      /* u64: records that flight mode overwrote before they were read */
	SCOPE_ATTR_PROTOCOL_MIN,      /* u32 */
	SCOPE_ATTR_THREAD,	      /* u32: number of one thread */
	SCOPE_ATTR_COMM,	      /* string, 1 to 15 bytes: threads that have this name */
	SCOPE_ATTR_COMM_PREFIX,	      /* the same, names that begin with it */
	SCOPE_ATTR_CGROUP,	      /* nested: CGROUP_ID [CGROUP_HIERARCHY] */
	SCOPE_ATTR_CGROUP_ID,	      /* u64: inode number of the group's directory */
	SCOPE_ATTR_CGROUP_HIERARCHY,  /* u32: 0 (default) of version 2, else a number as
					 /proc/PID/cgroup shows it */
	SCOPE_ATTR_REMOVE,	      /* nested: what TARGETS may hold */
	SCOPE_ATTR_SYSCALLS,	      /* u8[SCOPE_SYSCALL_MAX / 8]: bits as in STACK_SYSCALLS */
	SCOPE_ATTR_THREADS,	      /* u32: threads in the filter by themselves */
	SCOPE_ATTR_STACK_THREADS,     /* u32[], at most SCOPE_STACK_THREADS_MAX: tids */
	SCOPE_ATTR_PROBE_ID,	      /* u32, at most 65535 */
	SCOPE_ATTR_PROBE_KIND,	      /* u8: enum scope_probe_kind */
	SCOPE_ATTR_PROBE_SYMBOL,      /* string: of a kernel function */
	SCOPE_ATTR_PROBE_PATH,	      /* string: of a program or library */
	SCOPE_ATTR_PROBE_OFFSET,      /* u64, default 0 */
	SCOPE_ATTR_PROBE_ARGS,	      /* u8: words to record, default 0; of a return only 0 or 1 */
	SCOPE_ATTR_PROBE_FLAGS,	      /* u32: SCOPE_PROBE_WITH_* */
	SCOPE_ATTR_PROBE_HITS,	      /* u64: by traced threads; each is a record, or lost */
	SCOPE_ATTR_PROBE_MISSED,      /* u64: times the kernel could not call the probe */
	SCOPE_ATTR_OVERHEAD_MAX,      /* u32: thousandths of a CPU that probes may take, 0: any share,
					 default SCOPE_OVERHEAD_MAX_DEFAULT */
	SCOPE_ATTR_PROBE_NS,	      /* u64: time in probes, from a sample of their calls, and what
					 traps and delays took of the CPU */
	SCOPE_ATTR_CPU_FIRST,	      /* u32: leave out CPUs of lower numbers, default 0 */
	SCOPE_ATTR_CPU_NEXT,	      /* u32: there are more CPUs: send the request again from this one */
	SCOPE_ATTR_RUN_NS,	      /* u64: how long it has been, or was, running */
	SCOPE_ATTR_OWNER,	      /* u32: pid of the process that opened it, 0 in another namespace */
	SCOPE_ATTR_SESSIONS,	      /* nested: SCOPE_ATTR_SESSION, one each, at most 64 */
	SCOPE_ATTR_STOP_REASON,	      /* u8: enum scope_stop_reason */
	SCOPE_ATTR_NOTICE,	      /* u8: enum scope_notice */
	SCOPE_ATTR_VALUE,	      /* u64: see enum scope_notice */
	SCOPE_ATTR_OVERHEAD,	      /* u32: thousandths of a CPU that probes took */
	SCOPE_ATTR_SELFTEST,	      /* u8: enum scope_selftest */
	SCOPE_ATTR_DELAY_ID,	      /* u32, at most 65535 */
	SCOPE_ATTR_DELAY_SITE,	      /* u8: enum scope_delay_site */
	SCOPE_ATTR_DELAY_SYSCALL,     /* u32, below SCOPE_SYSCALL_MAX: native number */
	SCOPE_ATTR_DELAY_FLAGS,	      /* u32: SCOPE_DELAY_AFTER, SCOPE_DELAY_CALLERS */
	SCOPE_ATTR_DELAY_NS,	      /* u64, at most SCOPE_DELAY_NS_MAX */
	SCOPE_ATTR_DELAY_PROBABILITY, /* u32: parts of 2^32 of the visits; default and 0: all */
	SCOPE_ATTR_DELAY_SEED,	      /* u64, default 0 */
	SCOPE_ATTR_DELAY_HIT_MAX_NS,  /* u64, 1 to SCOPE_DELAY_NS_MAX, which is the default */
	SCOPE_ATTR_DELAY_SECOND_MAX_NS, /* u64, default SCOPE_DELAY_SECOND_MAX_NS_DEFAULT */
	SCOPE_ATTR_DELAY_THREADS,     /* u32[], at most SCOPE_STACK_THREADS_MAX: tids, traced ones;
					 default every traced thread */
	SCOPE_ATTR_DELAY_VISITS,      /* u64: times a thread of the rule came to the site */
	SCOPE_ATTR_DELAY_SERVED,      /* u64: delays served, each of them a record, or lost */
	SCOPE_ATTR_DELAY_ASKED_NS,    /* u64: sum over those */
	SCOPE_ATTR_DELAY_SERVED_NS,   /* u64: sum over those, as they really were */
	SCOPE_ATTR_DELAY_MISSED,      /* u64: chosen visits that could not be held up: in an interrupt, without a place to note them, in a 32-bit call */
	SCOPE_ATTR_DELAY_CAPPED,      /* u64: chosen visits that a cap shortened or cancelled */
	SCOPE_ATTR_DELAY_RANGES,      /* struct scope_delay_range[], 1 to SCOPE_DELAY_RANGES_MAX */
	SCOPE_ATTR_DELAY_REQUIRED_NS, /* u64, SPEEDUP: for how long each thread had to wait so far. Subtract its growth from the time that an experiment took */
	SCOPE_ATTR_DELAY_UNSETTLED_NS, /* u64, SPEEDUP: the sum of what threads still owed when they woke others, which these were early by */
	SCOPE_ATTR_KERNEL_BASE,	      /* u64: samples that hit the kernel say where, less this (SCOPE_STACK_KERNEL_IP); default: they do not say it. EPERM without CAP_SYSLOG */
	__SCOPE_ATTR_AFTER_LAST,
	SCOPE_ATTR_MAX = __SCOPE_ATTR_AFTER_LAST - 1,
};

#define SCOPE_EVENTS_SYSCALL 0x01u
#define SCOPE_EVENTS_SCHED 0x02u /* switch and waking */
#define SCOPE_EVENTS_BLOCK 0x04u /* requests to block devices; EOPNOTSUPP where the kernel has none */
/* These need PROTOCOL 3; EOPNOTSUPP where the kernel lacks the tracepoints. */
#define SCOPE_EVENTS_COUNTERS 0x08u /* what each thread counted while it ran */
#define SCOPE_EVENTS_STALL 0x10u    /* reclaim, compaction, and sleeps in a memory stall */
#define SCOPE_EVENTS_INTERRUPT 0x20u /* time that interrupts took from threads */
#define SCOPE_EVENTS_CAUSE 0x40u     /* enum scope_interrupt of WAKING */
#define SCOPE_EVENTS_FUTEX 0x80u     /* FUTEX records */
/* RECEIVED records: contents of what programs receive. A module without them refuses the bit (EINVAL). */
#define SCOPE_EVENTS_RECEIVED 0x100u
/* PEER records. A module without them refuses the bit (EINVAL). */
#define SCOPE_EVENTS_PEER 0x200u
#define SCOPE_EVENTS_DEFAULT 0x03u
#define SCOPE_EVENTS_ALL 0x3ffu /* fork, exec, exit and rename are always on: the filter needs them */

enum scope_stack_mode {
	SCOPE_STACK_NONE = 0,
	SCOPE_STACK_CHAIN = 1, /* walk frame pointers in the kernel */
	SCOPE_STACK_COPY = 2,  /* registers and stack bytes */
};

enum scope_probe_kind {
	SCOPE_PROBE_KPROBE = 0,
	SCOPE_PROBE_KRETPROBE = 1,
	SCOPE_PROBE_UPROBE = 2,
	SCOPE_PROBE_URETPROBE = 3,
};

#define SCOPE_PROBE_WITH_STACK 0x01u /* while STACK_MODE is not none, within STACKS_PER_SECOND */
#define SCOPE_PROBE_WITH_ALL 0x01u

/* Where a rule delays threads, and which attributes name the place. Never reuse a number. */
enum scope_delay_site {
	/*
	 * DELAY_SYSCALL. With SCOPE_DELAY_AFTER as the call returns. Without it before the call does
	 * anything: that takes PROBE_SYMBOL, the kernel's function for the call ("__x64_sys_futex").
	 */
	SCOPE_DELAY_SYSCALL = 0,
	/* When a thread comes back from receiving at least one byte from a socket. Takes no attributes. */
	SCOPE_DELAY_RECEIVE = 1,
	/* PROBE_PATH, PROBE_OFFSET: at an instruction of a program, usually a function's first. */
	SCOPE_DELAY_USER = 2,
	/*
	 * PROBE_SYMBOL [PROBE_OFFSET]. A kernel function may hold locks, so the thread owes the
	 * delay and serves all that it owes by this rule together, when its call returns.
	 */
	SCOPE_DELAY_KERNEL = 3,
	/*
	 * DELAY_RANGES or DELAY_SYSCALL or both, in a session with SAMPLE_PERIOD_NS. No place: each
	 * sample that finds a traced thread in one of the ranges, and each period that one is blocked
	 * in the call, is a visit, and makes all other traced threads wait for DELAY_NS, before they
	 * are in user mode the next time. So DELAY_NS is the period times the speedup. Who owes what:
	 * kmod/delay_account.h. A session has at most one.
	 */
	SCOPE_DELAY_SPEEDUP = 4,
};

#define SCOPE_DELAY_AFTER 0x01u /* of SCOPE_DELAY_SYSCALL: as it returns */
/* With SCOPE_DELAY_SPEEDUP: samples called from a range count, too, as far as frame pointers lead. */
#define SCOPE_DELAY_CALLERS 0x02u
#define SCOPE_DELAY_FLAGS_ALL 0x03u

/* User addresses of one process, tgid by its number. */
struct scope_delay_range {
	__u64 begin, end; /* end is the first address after it */
	__u32 tgid;
	__u32 zero;
};

#define SCOPE_DELAY_RANGES_MAX 256

#define SCOPE_DELAY_MAX 64		  /* rules of a session */
#define SCOPE_DELAY_NS_MAX 1000000000ull  /* of one delay */
#define SCOPE_DELAY_SPIN_NS 20000ull	  /* for less a thread spins, because a sleep is not that exact */
#define SCOPE_DELAY_SECOND_MAX_NS_DEFAULT 10000000000ull /* as much as ten threads that only wait */
/*
 * The most that may be configured: as much as a hundred threads that only wait. With a cap of C
 * seconds in each second at most C threads are delayed on average, for any rules: an experiment
 * that needs more does not slow a place down, it stops the program. It does not depend on the
 * number of processors, because a delayed thread uses none.
 */
#define SCOPE_DELAY_SECOND_MAX_NS_MAX 100000000000ull

/* True if this visit (counted from 0) is to be delayed. Mixes bits as splitmix64 does. */
static inline int scope_delay_chosen(__u64 seed, __u64 visit, __u32 probability)
{
	__u64 x = seed + (visit + 1) * 0x9e3779b97f4a7c15ull;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return !probability || (__u32)((x ^ x >> 31) >> 32) < probability;
}

/* Of visits that come together, only this number of the first ones are drawn one by one. */
#define SCOPE_DELAY_DRAWS 64u

/*
 * How many of count visits from number `visit` on are to be delayed. The time that this takes does not grow with
 * count. Exact up to SCOPE_DELAY_DRAWS visits, and if all are chosen. For the rest it takes the expected number, and
 * one more draw for its fraction. So the mean is that of single draws, and the same seed gives the same number.
 */
static inline __u64 scope_delay_chosen_of(__u64 seed, __u64 visit, __u64 count, __u32 probability)
{
	const __u64 drawn = count < SCOPE_DELAY_DRAWS ? count : SCOPE_DELAY_DRAWS, rest = count - drawn;
	const __u32 fraction = (__u32)(rest * probability);
	__u64 chosen, i;

	if (!probability)
		return count;
	chosen = (rest >> 32) * probability + ((rest & 0xffffffffu) * probability >> 32);
	for (i = 0; i < drawn; i++)
		chosen += scope_delay_chosen(seed, visit + i, probability);
	return chosen + (fraction && scope_delay_chosen(seed, visit + drawn, fraction));
}

enum scope_run_state {
	SCOPE_RUN_NEW = 0,
	SCOPE_RUN_READY = 1, /* configured */
	SCOPE_RUN_ON = 2,
	SCOPE_RUN_STOPPED = 3,
};

enum scope_stop_reason {
	SCOPE_STOP_NONE = 0,
	SCOPE_STOP_ASKED = 1, /* SCOPE_CMD_STOP */
	SCOPE_STOP_GUARD = 2, /* probes took more than OVERHEAD_MAX of a CPU */
};

/*
 * Half of a CPU. For a program that makes only the cheapest call, probes cost about a third of its
 * CPU (make bench), and such a program should be traceable. More than half has another cause, such
 * as a clock whose every reading leaves the virtual machine.
 */
#define SCOPE_OVERHEAD_MAX_DEFAULT 500u

/* The kinds of notices, with their CPU_ID and VALUE. Never reuse a number. */
enum scope_notice {
	SCOPE_NOTICE_HALF_FULL = 1,   /* a ring: unread sub-buffers. Stream mode */
	SCOPE_NOTICE_LOST = 2,	      /* CPU which lost most: events lost by all CPUs so far */
	SCOPE_NOTICE_TARGET_GONE = 3, /* the last process in the filter has ended: 0 */
	SCOPE_NOTICE_GUARD = 4,	      /* the overload guard stopped the session: thousandths of the CPU */
	SCOPE_NOTICE_SELFTEST = 5,    /* probes on system calls do not fire on this kernel: 0 */
};

/* Result of the test if probes on system calls fire. A module whose probes on switches do not fire refuses to load. */
enum scope_selftest {
	SCOPE_SELFTEST_NOT_YET = 0, /* the first session finds out, within 2 s of its START */
	SCOPE_SELFTEST_OK = 1,
	SCOPE_SELFTEST_FAILED = 2, /* another tracer or a live patch is in the way */
};

#define SCOPE_LISTENERS_MAX 64 /* sockets that receive notices */

#endif
