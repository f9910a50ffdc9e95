/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probes on functions of programs and of the kernel, set and removed while a session runs.
 *
 * The kernel's units "uprobe" and "kprobe" of perf events (Linux 4.17) make a probe together with the event that uses
 * it, and remove it with its last descriptor: nothing is left after this process has ended, however it ends. One event
 * is opened for each CPU, because the event of a task records only that thread. So all processes that run the file hit
 * the probe, and the reader drops records of those that are not traced.
 */
#ifndef SCOPE_PERF_UPROBE_H
#define SCOPE_PERF_UPROBE_H

#include "control/probe.h"
#include "perf/events.h"

/* A probe on one CPU. */
struct scope_perf_uprobe {
	uint64_t event; /* identifier in its records */
	int fd;
	uint32_t cpu;
	uint64_t counted; /* hits at the last scope_perf_uprobes_share() */
	uint16_t id;	  /* of the probe */
	uint8_t flags;	  /* SCOPE_PROBE_RETURN, SCOPE_PROBE_USER */
	uint8_t words;	  /* that its records have */
};

/*
 * Sets the probe on all CPUs; it is effective at once. 0, or -errno with error filled. -EOPNOTSUPP: the probe records
 * stacks, or words of the kernel, or this kernel has no such unit. -EAGAIN: a removed probe is still in the code, and adding this one
 * would wait for it.
 */
int scope_perf_uprobes_add(struct scope_perf_events *events, const struct scope_probe *probe,
			   struct scope_error *error);
/*
 * Removes a probe: its hits are no longer recorded, and it is taken out of the code in the background. 0; -ENOENT: no
 * probe with that id is set.
 */
int scope_perf_uprobes_remove(struct scope_perf_events *events, uint16_t id);
void scope_perf_uprobes_settle(struct scope_perf_events *events); /* waits until removed probes are out of the code */
void scope_perf_uprobes_close(struct scope_perf_events *events);  /* closes all probes */

/* The number of all hits, including those by threads that are not traced. The same errors. */
int scope_perf_uprobes_hits(const struct scope_perf_events *events, uint16_t id, uint64_t *ret_hits);

/*
 * How much of a CPU all probes took since the last call, in thousandths, on the CPU where this is most: the number of
 * hits times the cost of one, which is measured in this process when the first probe is set.
 */
uint32_t scope_perf_uprobes_share(struct scope_perf_events *events, uint64_t now_ns);

/* The probe whose records have this identifier; NULL: no probe that is set now. */
const struct scope_perf_uprobe *scope_perf_uprobes_find(const struct scope_perf_events *events, uint64_t event);

#endif
