/* SPDX-License-Identifier: GPL-2.0-only */
/* What a capture requests from a source, and what the source counts. */
#ifndef SCOPE_SOURCE_REQUEST_H
#define SCOPE_SOURCE_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include <scope/control.h>

#include "control/probe.h"

struct scope_probing;
struct scope_proc_reader;
struct scope_selection;

#define SCOPE_STACK_BUDGET_DEFAULT UINT32_MAX /* half of stacks_per_second on every CPU */

/* Fill with scope_capture_options_init(), then change single members. */
struct scope_capture_options {
	uint32_t pid;	  /* of a process, or of one of its threads */
	const char *held; /* the process waits to execute this program (capture/launch.h); else NULL */
	/* more than that process, or not all of it; borrowed; NULL: that process */
	const struct scope_selection *selection;
	uint64_t duration_ns; /* 0: until the stop flag or the end of the target */
	bool follow;	      /* trace descendants too, including those that exist already */
	enum scope_stack_mode stack_mode;
	uint32_t stack_bytes;
	bool raw_stacks; /* registers and bytes stay in the trace; else they are replaced by the addresses that they unwind to */
	uint32_t stack_min_ns;	    /* a call that took this long or longer gets a stack; 0: every call */
	uint32_t stacks_per_second; /* syscall stacks, per CPU */
	uint32_t stack_budget;	    /* stacks of all CPUs per second, which capture/focus.h aims at; 0: do not focus */
	uint8_t stack_syscalls[SCOPE_SYSCALL_MAX / 8];
	uint32_t sample_period_ns;     /* 0: no samples */
	uint32_t sample_period_min_ns; /* shortest period if few samples come (capture/focus.h) */
	bool kernel_ips;	       /* samples have their kernel address, minus kernel_base; set by the capture */
	uint64_t kernel_base;
	uint32_t subbuf_bytes;
	uint32_t subbuf_count;
	uint8_t arg_counts[SCOPE_SYSCALL_MAX];
	bool block;	  /* requests to block devices */
	bool memory;	  /* counts of threads (page faults, bytes of storage) and memory stalls */
	bool interrupts;  /* time that interrupts take from threads */
	uint8_t requests; /* enum scope_request_protocol: protocol by which kinds of requests are read from what programs receive; 0: not recorded */
	/* with SCOPE_REQUEST_PROBE: the value of its last word is the kind of a request */
	struct scope_probe kind_probe;
	const char *kind_text;		  /* what --kind-by said, "u:PATH:FUNCTION:arg1"; borrowed; else NULL */
	bool causes;			  /* which interrupt ended a sleep; memory of futexes slept on */
	const struct scope_probe *probes; /* set when tracing begins; borrowed */
	uint32_t probe_count;
	struct scope_probing *probing;	  /* set and taken back while it runs (capture/probing.h); NULL: none */
	struct scope_proc_reader *reader; /* reads what the target controls (its files and memory); set by the capture */
	uint32_t overhead_max;		  /* thousandths of a CPU that probes may take; 0: any share */
};

/* True if every call has a stack, short calls too. */
static inline bool scope_source_capture_all_stacks(const struct scope_capture_options *options)
{
	return options->stack_mode != SCOPE_STACK_NONE && !options->stack_min_ns;
}

struct scope_capture_counts {
	uint64_t records;
	uint64_t lost[SCOPE_LOST_REASONS];
	uint64_t stacks;
	uint64_t stacks_skipped; /* stacks over stacks_per_second */
	uint64_t stacks_absent;	 /* stacks of calls whose sleep was left out or lost (source perf) */
	uint64_t stacks_lost;	 /* stacks for which the ring had no room (source perf) */
	uint64_t filter_full;	 /* processes that could not be followed */
	uint64_t late; /* threads whose beginning is missing: they were followed only from some time after their start (source perf) */
	uint32_t processes;		 /* processes traced now; threads selected individually count too */
	uint64_t overwritten;		 /* flight mode: records overwritten before they were read */
	uint64_t probe_ns;		 /* time in probes, 0: not known */
	bool guarded;			 /* the overload guard stopped it; the next three members say why */
	uint32_t guard_cpu, guard_share; /* the CPU, and the thousandths of it that probes took */
	uint64_t run_ns;
	uint32_t events; /* SCOPE_EVENTS_* that are recorded, 0: not known */
};

#endif
