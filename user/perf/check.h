/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds out if perf events can be used, and why not. */
#ifndef SCOPE_PERF_CHECK_H
#define SCOPE_PERF_CHECK_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct scope_proc_reader;

#define SCOPE_PERF_SPARE_FILES 64 /* descriptors left for everything else */

/* perf_event_open() for all threads on one CPU. A descriptor or -errno. */
int scope_perf_check_open(struct perf_event_attr *attr, int cpu);

/* Explains why perf_event_open() failed, for this number of rings. Returns code, with the remedy in error. */
int scope_perf_check_refused(int code, size_t rings, struct scope_error *error);

/* If the process cannot be read, adds that and the remedy to the note, which has `room` bytes. */
void scope_perf_check_process(struct scope_proc_reader *reader, uint32_t tgid, char *note, size_t room);

#endif
