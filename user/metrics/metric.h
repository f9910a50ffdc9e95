/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of metrics: their names, what they count, and what a trace must hold for them. */
#ifndef SCOPE_METRICS_METRIC_H
#define SCOPE_METRICS_METRIC_H

#include <stdint.h>

enum scope_metric_family {
	SCOPE_METRICS_SCHEDULING,
	SCOPE_METRICS_FUTEX,
	SCOPE_METRICS_PIPE,
	SCOPE_METRICS_NETWORK,
	SCOPE_METRICS_POLL,
	SCOPE_METRICS_BLOCK,
	SCOPE_METRICS_FILE,
	SCOPE_METRICS_OTHER,
	SCOPE_METRICS_MEMORY,
	SCOPE_METRICS_STALL,
	SCOPE_METRICS_INTERRUPT,
	SCOPE_METRICS_WORK,
	SCOPE_METRICS_HOST,
	SCOPE_METRICS_FAMILIES,
};

/* The unit of a value. TIME: ns; if `state` is set, a thread has at most the length of a step in a step. */
enum scope_metric_unit {
	SCOPE_METRICS_TIME,
	SCOPE_METRICS_COUNT,
	SCOPE_METRICS_BYTES,
	SCOPE_METRICS_SECTORS,
};

/*
 * X(NAME, name, family, unit, text). The first six are the states that a thread is in: together they are all of its
 * time. The order is that of all output.
 */
#define SCOPE_METRIC_LIST(X)                                                                                           \
	X(RUN, run, SCHEDULING, TIME, "on a CPU")                                                                      \
	X(QUEUE, run_queue, SCHEDULING, TIME, "ready to run, waiting for a CPU")                                       \
	X(IOWAIT, io_wait, SCHEDULING, TIME, "asleep for a device (iowait)")                                           \
	X(DISK, uninterruptible, SCHEDULING, TIME, "asleep uninterruptibly, not in iowait")                            \
	X(SLEEP, interruptible, SCHEDULING, TIME, "asleep interruptibly")                                              \
	X(UNKNOWN, unknown, SCHEDULING, TIME, "not known: before the first event, or after a loss")                    \
	X(SLEEPS, voluntary_switches, SCHEDULING, COUNT, "times it left the CPU to sleep")                             \
	X(PREEMPTIONS, involuntary_switches, SCHEDULING, COUNT, "times it left the CPU, still able to run")            \
	X(FAULT_WAIT, fault_wait_time, SCHEDULING, TIME,                                                               \
	  "of these, asleep for a page of a file or of swap, outside calls")                                           \
	X(FUTEX_TIME, futex_wait_time, FUTEX, TIME, "in calls that wait for a futex")                                  \
	X(FUTEX_WAITS, futex_waits, FUTEX, COUNT, "such calls")                                                        \
	X(FUTEX_WAKES, futex_wakes, FUTEX, COUNT, "calls that wake waiters of a futex")                                \
	X(FUTEX_WOKEN, futex_woken, FUTEX, COUNT, "threads that these woke")                                           \
	X(PIPE_TIME, pipe_time, PIPE, TIME, "in reads and writes of pipes, FIFOs and terminals")                       \
	X(PIPE_READS, pipe_reads, PIPE, COUNT, "reads of these")                                                       \
	X(PIPE_WRITES, pipe_writes, PIPE, COUNT, "writes to these")                                                    \
	X(PIPE_READ_BYTES, pipe_read_bytes, PIPE, BYTES, "bytes read from these")                                      \
	X(PIPE_WRITTEN_BYTES, pipe_written_bytes, PIPE, BYTES, "bytes written to these")                               \
	X(NET_TIME, network_time, NETWORK, TIME, "in receives, sends and accepts")                                     \
	X(NET_RECEIVES, network_receives, NETWORK, COUNT, "receives and reads of sockets")                             \
	X(NET_SENDS, network_sends, NETWORK, COUNT, "sends and writes to sockets")                                     \
	X(NET_ACCEPTS, network_accepts, NETWORK, COUNT, "calls that accept connections")                               \
	X(NET_RECEIVED_BYTES, network_received_bytes, NETWORK, BYTES, "bytes received")                                \
	X(NET_SENT_BYTES, network_sent_bytes, NETWORK, BYTES, "bytes sent")                                            \
	X(POLL_TIME, poll_time, POLL, TIME, "in poll, select and epoll_wait")                                          \
	X(POLL_CALLS, poll_calls, POLL, COUNT, "such calls")                                                           \
	X(BLOCK_REQUESTS, block_requests, BLOCK, COUNT, "requests to block devices, as they are done")                 \
	X(BLOCK_SECTORS, block_sectors, BLOCK, SECTORS, "sectors of 512 bytes of these")                               \
	X(BLOCK_QUEUE_TIME, block_queue_time, BLOCK, TIME, "of requests: queued until issued")                         \
	X(BLOCK_DEVICE_TIME, block_device_time, BLOCK, TIME, "of requests: issued until done")                         \
	X(FILE_TIME, file_time, FILE, TIME, "in reads and writes of files")                                            \
	X(FILE_READS, file_reads, FILE, COUNT, "reads of files")                                                       \
	X(FILE_WRITES, file_writes, FILE, COUNT, "writes to files")                                                    \
	X(FILE_READ_BYTES, file_read_bytes, FILE, BYTES, "bytes read from files")                                      \
	X(FILE_WRITTEN_BYTES, file_written_bytes, FILE, BYTES, "bytes written to files")                               \
	X(OTHER_TIME, other_time, OTHER, TIME, "in reads and writes of descriptors of no known kind")                  \
	X(OTHER_READS, other_reads, OTHER, COUNT, "reads of such descriptors")                                         \
	X(OTHER_WRITES, other_writes, OTHER, COUNT, "writes to such descriptors")                                      \
	X(OTHER_READ_BYTES, other_read_bytes, OTHER, BYTES, "bytes read from such descriptors")                        \
	X(OTHER_WRITTEN_BYTES, other_written_bytes, OTHER, BYTES, "bytes written to such descriptors")                 \
	X(MINOR_FAULTS, minor_faults, MEMORY, COUNT, "page faults that read nothing from a disk")                      \
	X(MAJOR_FAULTS, major_faults, MEMORY, COUNT, "page faults that waited for a disk")                             \
	X(STORAGE_READ_BYTES, storage_read_bytes, MEMORY, BYTES, "bytes that it had storage read")                     \
	X(STORAGE_WRITTEN_BYTES, storage_written_bytes, MEMORY, BYTES, "bytes of pages that it made dirty")            \
	X(SWAPIN_TIME, swapin_time, MEMORY, TIME, "waiting for swapped or evicted pages, by delay accounting")         \
	X(RECLAIM_TIME, reclaim_time, STALL, TIME, "making room because the host is short of memory")                  \
	X(GROUP_RECLAIM_TIME, group_reclaim_time, STALL, TIME, "making room for the limit of its control group")       \
	X(COMPACTION_TIME, compaction_time, STALL, TIME, "moving pages together for a large one")                      \
	X(PAGE_WAIT_TIME, page_wait_time, STALL, TIME, "asleep for a page that was swapped out or evicted")            \
	X(HARDIRQ_TIME, interrupt_time, INTERRUPT, TIME, "that interrupts took while it was on a CPU")                 \
	X(SOFTIRQ_TIME, softirq_time, INTERRUPT, TIME, "that softirqs took while it was on a CPU")                     \
	X(INTERRUPTS, interrupts, INTERRUPT, COUNT, "interrupts and softirqs that came then")                          \
	X(UNITS, units, WORK, COUNT, "units of work that ended: requests, or rounds of what serves none")              \
	X(UNIT_TIME, unit_time, WORK, TIME, "that these took from begin to end")                                       \
	X(WORK_WAIT, work_wait, WORK, TIME, "asleep in the middle of work, sleeps of 20 us or more")                   \
	X(THROTTLED, throttled, HOST, TIME, "kept off the CPUs by limits of its control groups, all CPUs together")    \
	X(STOLEN, stolen, HOST, TIME, "a hypervisor ran something else, all CPUs together")                            \
	X(HOST_IRQ, host_irq, HOST, TIME, "CPUs were in interrupts, all together")                                     \
	X(HOST_SOFTIRQ, host_softirq, HOST, TIME, "CPUs were in softirqs, all together")                               \
	X(PSI_CPU, psi_cpu, HOST, TIME, "some thread waited for a CPU (pressure stall information)")                   \
	X(PSI_MEMORY, psi_memory, HOST, TIME, "some thread waited for memory (pressure stall information)")            \
	X(PSI_IO, psi_io, HOST, TIME, "some thread waited for a disk (pressure stall information)")

enum scope_metric {
#define SCOPE_METRIC_ENUM(NAME, name, family, unit, text) SCOPE_METRIC_##NAME,
	SCOPE_METRIC_LIST(SCOPE_METRIC_ENUM)
#undef SCOPE_METRIC_ENUM
		SCOPE_METRICS,
};

#define SCOPE_METRIC_STATES (SCOPE_METRIC_UNKNOWN + 1)

struct scope_metric_row {
	const char *name;
	uint8_t family, unit;
	const char *text;
};

extern const struct scope_metric_row scope_metrics_row[SCOPE_METRICS];
extern const char *const scope_metrics_family_name[SCOPE_METRICS_FAMILIES];

#endif
