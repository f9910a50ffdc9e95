// SPDX-License-Identifier: GPL-2.0-only
/* How long the requests of traced threads to block devices waited and took, by device. */
#include "timeline/devices.h"

void scope_timeline_devices_take(struct scope_devices *devices, const struct scope_event *event)
{
	const bool done = event->kind == SCOPE_EVENT_BLOCK_DONE;
	struct scope_device *device;
	size_t at = 0;

	/* The last part has the time of the whole request. */
	if (done && event->flags & SCOPE_BLOCK_PART)
		return;
	while (at < devices->count && devices->device[at].dev != event->block.dev)
		at++;
	if (at == SCOPE_DEVICES_MAX)
		return;
	device = &devices->device[at];
	if (at == devices->count) {
		*device = (struct scope_device){ .dev = event->block.dev };
		devices->count++;
	}
	device->requests += done;
	*(done ? &device->device_ns : &device->queue_ns) += (double)event->block.ns;
}
