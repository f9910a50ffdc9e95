/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds threads that wait for what another process of the target sends. */
#ifndef SCOPE_ANOMALY_COPROCESS_H
#define SCOPE_ANOMALY_COPROCESS_H

#include "anomaly/fd_index.h"
#include "unit/units.h"

/*
 * True if the thread reads what another process of the target sends, by a pipe or a pair of sockets: a coprocess, or
 * the part of a server that has more rights. While that process has nothing to do, or has something else to do, it
 * sends nothing; if it hangs, that is the hang. A thread that connected to a listener is different: it asked for
 * something, and waits for the answer. If a process had too many descriptors to read, either is possible.
 */
bool scope_anomaly_coprocess_reads(const struct scope_units *units, const struct scope_pickups *pickups,
				   const struct scope_fd_index *fds, const struct scope_thread *thread);

#endif
