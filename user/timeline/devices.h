/* SPDX-License-Identifier: GPL-2.0-only */
/* How long the requests of traced threads to block devices waited and took, by device. */
#ifndef SCOPE_TIMELINE_DEVICES_H
#define SCOPE_TIMELINE_DEVICES_H

#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"

#define SCOPE_DEVICES_MAX 64 /* no rule: requests to further devices are not counted */

/* ns of all requests that are done, summed up. */
struct scope_device {
	uint32_t dev; /* as in struct scope_event */
	uint64_t requests;
	double queue_ns;  /* in the scheduler's queue */
	double device_ns; /* issued until done */
};

/* Zeroed: none. */
struct scope_devices {
	struct scope_device device[SCOPE_DEVICES_MAX];
	size_t count;
};

/* event: BLOCK_ISSUE or BLOCK_DONE. */
void scope_timeline_devices_take(struct scope_devices *devices, const struct scope_event *event);

#endif
