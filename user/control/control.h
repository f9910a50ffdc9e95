/* SPDX-License-Identifier: GPL-2.0-only */
/* Talk to the module over its generic netlink family (scope/control.h). */
#ifndef SCOPE_CONTROL_CONTROL_H
#define SCOPE_CONTROL_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include <scope/control.h>
#include <scope/ring.h>

#include "base/error.h"

struct scope_control;

struct scope_control_info {
	uint32_t protocol;			       /* the newest protocol that module and program both know */
	uint32_t module_protocol_min, module_protocol; /* the range that the module knows */
	uint32_t regs;				       /* user registers in a STACK record of this kernel */
	char version[32];
	enum scope_selftest selftest;
	uint32_t sessions[64]; /* sessions that exist now */
	uint32_t session_count;
};

/* One target of a session; scope/control.h describes the kinds. */
struct scope_control_target {
	enum scope_attr kind; /* SCOPE_ATTR_TARGET, _THREAD, _COMM, _COMM_PREFIX or _CGROUP */
	uint32_t id;	      /* number of a process or thread, hierarchy of a control group */
	uint64_t cgroup;      /* inode number */
	char comm[SCOPE_COMM_BYTES];
};

/* The content of CONFIGURE. A number of 0 and a pointer of NULL mean the module's default. */
struct scope_session_config {
	uint32_t session; /* from SCOPE_IOC_INFO */
	const struct scope_control_target *targets;
	uint32_t target_count;	 /* 1 to SCOPE_TARGET_MAX */
	const uint8_t *syscalls; /* SCOPE_SYSCALL_MAX bits: calls whose bit is set are recorded */
	bool follow;
	uint32_t events; /* SCOPE_EVENTS_* */
	uint32_t subbuf_bytes;
	uint32_t subbuf_count;
	const uint8_t *arg_counts; /* SCOPE_SYSCALL_MAX numbers */
	enum scope_stack_mode stack_mode;
	uint32_t stack_bytes;
	uint32_t stack_min_ns;
	const uint8_t *stack_syscalls; /* SCOPE_SYSCALL_MAX bits, number n is bit n % 8 of byte n / 8 */
	uint32_t stacks_per_second;
	uint32_t sample_period_ns; /* 0: no samples */
	bool kernel_ips;	   /* samples have the address in the kernel, minus kernel_base (protocol 2) */
	uint64_t kernel_base;
	enum scope_ring_mode ring_mode;
	uint32_t overhead_max; /* thousandths of a CPU, at most 1000 */
	bool overhead_any;     /* no overload guard, whatever overhead_max is */
};

/* Counts of one CPU, or the sum over all of them, since START. */
struct scope_session_counts {
	uint32_t cpu;
	uint64_t records;
	uint64_t lost[SCOPE_LOST_REASONS];
	uint64_t stacks;
	uint64_t stacks_skipped;
	uint64_t overwritten; /* flight mode: overwritten before they were read */
	uint64_t probe_ns;    /* time in probes, estimated by the module from a sample of their calls */
};

struct scope_session_status {
	uint32_t session;
	enum scope_run_state run_state;
	uint64_t memory_bytes;
	uint32_t processes;   /* processes in the filter now */
	uint32_t threads;     /* threads selected individually */
	uint64_t filter_full; /* processes for which the filter had no room */
	enum scope_ring_mode ring_mode;
	enum scope_stop_reason stop_reason;
	uint32_t overhead_max;		 /* thousandths of a CPU; 0: any share */
	uint32_t guard_cpu, guard_share; /* with SCOPE_STOP_GUARD: the CPU, and its thousandths */
	uint32_t owner;			 /* pid; 0: not of this pid namespace */
	uint64_t run_ns;
	struct scope_session_counts total;
	struct scope_session_counts *cpu; /* `cpus` elements */
	uint32_t cpus;
};

/*
 * All of these return 0, or -errno with error filled: it says what is wrong and what to do, and contains the kernel's
 * message (extended acknowledgement).
 *
 * open: -ENOENT if the module is not loaded, -EPERM without the privilege; -EPROTO, with both ranges, if the module
 * knows no protocol of this program's range. ret_info may be NULL.
 */
int scope_control_open(struct scope_error *error, struct scope_control **ret_control,
		       struct scope_control_info *ret_info);
void scope_control_close(struct scope_control *control); /* NULL is fine */

/* -EOPNOTSUPP: the protocol used with the module knows only processes. */
int scope_control_configure(struct scope_control *control, const struct scope_session_config *config,
			    struct scope_error *error);
int scope_control_start(struct scope_control *control, uint32_t session, struct scope_error *error);
int scope_control_stop(struct scope_control *control, uint32_t session, struct scope_error *error);

/* The caller frees the result with scope_control_session_status_destroy(). */
int scope_control_query(struct scope_control *control, uint32_t session, struct scope_error *error,
			struct scope_session_status *ret_status);
void scope_control_session_status_destroy(struct scope_session_status *status); /* NULL is fine */

#endif
