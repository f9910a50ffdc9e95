/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds requests and their answers on the connections of a trace, and adds them to a summary by link.
 *
 *   who asks:     send … send  receive … receive  send …        an exchange from the begin of its first send to its last receive
 *   who answers:  receive … receive  send … send  receive …     an exchange from the end of its first receive to its last send
 *
 * A connection that the capture found open is known by its two addresses; a connection that was opened later counts for
 * the link without addresses. Two sides with the same exchanges keep the same ones: the longest, and those after the
 * longest rests.
 */
#ifndef SCOPE_FLEET_EXCHANGES_H
#define SCOPE_FLEET_EXCHANGES_H

#include "fleet/summarizer.h"

/* Reads the trace once more. 0 or -errno. */
int scope_fleet_exchanges_find(struct scope_fleet_summarizer *summarizer);

#endif
