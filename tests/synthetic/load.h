/* SPDX-License-Identifier: GPL-2.0-only */
/* Clients of a synthetic server. */
#ifndef SCOPE_SYNTHETIC_LOAD_H
#define SCOPE_SYNTHETIC_LOAD_H

#include "plan.h"

/*
 * Sends that many requests in all, from `connections` clients, at `rate` a second together. If rate is 0, each client
 * sends its next request as soon as it has its answer. Returns how many were answered in full.
 */
uint64_t load_run(const struct profile *profile, uint16_t port, uint64_t requests, unsigned connections, double rate);

#endif
