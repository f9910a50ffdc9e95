/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds threads whose own clients keep others from being accepted. */
#ifndef SCOPE_ANOMALY_KEPT_WAITING_H
#define SCOPE_ANOMALY_KEPT_WAITING_H

#include "anomaly/unserved.h"

/*
 * True if, as the window ends, the thread sleeps in a read from its client or a write to it, did so for half of the
 * window, and connections have waited for 3 s or longer to be accepted at a listening socket of its process. A thread
 * that waits for connections would have been woken, so all threads that could accept them wait for clients of their
 * own. Fills in the hang then. unserved: of its process; NULL: no client waits.
 */
bool scope_anomaly_kept_waiting(const struct scope_units *units, const struct scope_unserved *unserved, uint32_t thread,
				struct scope_hang *hang);

#endif
