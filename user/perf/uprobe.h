/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probes on functions of programs and of the kernel, set and removed while a session runs.
 *
 * The kernel's units "uprobe" and "kprobe" of perf events (Linux 4.17) make a probe with the event that uses it, and
 * remove it with its last descriptor: nothing is left after this process has ended, however it ends. One event is
 * opened for each CPU, because an event of a task sees that one thread alone. So all processes that run the file come to
 * the probe, and records of those that are not traced are dropped by the reader.
 */
#ifndef SCOPE_PERF_UPROBE_H
#define SCOPE_PERF_UPROBE_H

#include "control/probe.h"
#include "perf/events.h"

/* Of one CPU. */
struct scope_perf_uprobe {
	uint64_t event; /* identifier in its records */
	int fd;
	uint32_t cpu;
	uint64_t counted; /* hits at the last scope_perf_uprobes_share() */
	uint16_t id;	  /* of the probe */
	uint8_t flags;	  /* SCOPE_PROBE_RETURN, SCOPE_PROBE_USER */
};

/*
 * Sets it on all CPUs; it works at once. 0, or -errno with error filled. -EOPNOTSUPP: it wants words or stacks, or this
 * kernel has no such unit. -EAGAIN: one that was removed is in the code yet, and adding this one would wait for it.
 */
int scope_perf_uprobes_add(struct scope_perf_events *events, const struct scope_probe *probe,
			   struct scope_error *error);
/*
 * From then on nothing more of it is recorded; it is taken out of the code in the background. 0; -ENOENT: no probe with that
 * id is set.
 */
int scope_perf_uprobes_remove(struct scope_perf_events *events, uint16_t id);
void scope_perf_uprobes_settle(struct scope_perf_events *events); /* waits until those that were removed are gone */
void scope_perf_uprobes_close(struct scope_perf_events *events);  /* all of them */

/* All hits, also by threads that are not traced. The same errors. */
int scope_perf_uprobes_hits(const struct scope_perf_events *events, uint16_t id, uint64_t *ret_hits);

/*
 * Thousandths of a CPU that all probes took since the last call, on the CPU where that is most: hits times what one
 * costs, which is measured in this process when the first probe is set.
 */
uint32_t scope_perf_uprobes_share(struct scope_perf_events *events, uint64_t now_ns);

/* The probe whose record has this identifier; NULL: none that is set now. */
const struct scope_perf_uprobe *scope_perf_uprobes_find(const struct scope_perf_events *events, uint64_t event);

#endif
