/* SPDX-License-Identifier: GPL-2.0-only */
/* Probes and stacks of a session that is configured or runs. */
#ifndef SCOPE_CONTROL_PROBE_H
#define SCOPE_CONTROL_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include <scope/control.h>

#include "base/error.h"

struct scope_control;

/* A probe, as sent with SCOPE_CMD_PROBE_ADD and returned by PROBE_NEXT. */
struct scope_probe {
	uint16_t id;
	uint8_t kind;	/* enum scope_probe_kind */
	uint8_t args;	/* words to record */
	uint32_t flags; /* SCOPE_PROBE_WITH_* */
	uint64_t offset;
	char name[SCOPE_PROBE_NAME_BYTES]; /* symbol of the kernel, or path of a file */
};

/*
 * 0, or -errno with error filled, which says what is wrong with that place (include/scope/control.h lists the codes).
 */
int scope_control_probe_add(struct scope_control *control, uint32_t session, const struct scope_probe *probe,
			    struct scope_error *error);

/* When this returns, that probe gives no more records. -ENOENT: the session has no such probe. */
int scope_control_probe_remove(struct scope_control *control, uint32_t session, uint16_t id, struct scope_error *error);

/* How often traced threads hit the probe. -ENOENT: the session has no such probe. */
int scope_control_probe_hits(struct scope_control *control, uint32_t session, uint16_t id, struct scope_error *error,
			     uint64_t *ret_hits);

/* The changes of STACKS. A member that is not given does not change in the session. */
struct scope_stack_change {
	bool mode_given, threads_given, period_given, min_given;
	enum scope_stack_mode mode;
	uint32_t sample_period_ns; /* 0: no samples */
	uint32_t min_ns;
	uint32_t slice_bytes;	 /* bytes of the stack to copy; 0: not given */
	uint32_t per_second;	 /* limit for stacks of calls, per CPU; 0: not given */
	const uint8_t *syscalls; /* SCOPE_SYSCALL_MAX bits, or NULL */
	const uint32_t *threads; /* thread_count tids; none: all threads */
	uint32_t thread_count;
};

int scope_control_stacks(struct scope_control *control, uint32_t session, const struct scope_stack_change *change,
			 struct scope_error *error);

#endif
