/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the threads that a perf session traces: in /proc, by name, in control groups. */
#ifndef SCOPE_PERF_SELECT_H
#define SCOPE_PERF_SELECT_H

#include <stdbool.h>
#include <stdint.h>

#include "source/request.h"

/* Why a thread is traced; one reason is enough. */
#define SCOPE_PERF_BY_PROCESS 0x1u /* the process is named, or is a followed descendant */
#define SCOPE_PERF_BY_THREAD 0x2u  /* the thread itself is named; the threads that it starts are not traced */
#define SCOPE_PERF_BY_NAME 0x4u	   /* while it has the name */
#define SCOPE_PERF_BY_GROUP 0x8u   /* while it is in the group, or below */

/* True if only whole processes are selected. */
bool scope_perf_select_whole(const struct scope_capture_options *options);

/* True if control groups are selected: no perf event reports when members come and go. */
bool scope_perf_select_groups(const struct scope_capture_options *options);

/* True if the name, of 16 bytes at most, is selected. */
bool scope_perf_select_named(const struct scope_capture_options *options, const char *comm);

/* The reasons for a thread that is started by a thread with these reasons. */
uint8_t scope_perf_select_inherit(const struct scope_capture_options *options, uint8_t by, bool same_process);

typedef int (*scope_perf_select_each)(uint32_t tgid, uint32_t tid, uint8_t by, void *context);

/*
 * Calls each() for every thread that is selected now, once for each reason. If each() returns another value than 0, the
 * walk ends and returns it. tgid is the process that is captured. 0, -ENOMEM.
 */
int scope_perf_select_walk(const struct scope_capture_options *options, uint32_t tgid, scope_perf_select_each each,
			   void *context);

typedef int (*scope_perf_select_member)(uint32_t tid, uint8_t by, void *context);

/* The same, but only for the members of control groups, without looking up their processes. */
int scope_perf_select_walk_groups(const struct scope_capture_options *options, scope_perf_select_member each,
				  void *context);

/* The process of a thread; 0: it is gone, or a kernel thread. */
uint32_t scope_perf_select_process(uint32_t tid);

#endif
