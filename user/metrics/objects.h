/* SPDX-License-Identifier: GPL-2.0-only */
/* What threads wait for and pass bytes through: futexes, descriptors and block devices, numbered as they appear. */
#ifndef SCOPE_METRICS_OBJECTS_H
#define SCOPE_METRICS_OBJECTS_H

#include <stddef.h>
#include <stdint.h>

enum scope_metric_object_type {
	SCOPE_OBJECT_FUTEX = 1, /* id: its address / 8, see scope_timeline_wait_same_object() */
	SCOPE_OBJECT_DESCRIPTOR,
	SCOPE_OBJECT_DEVICE, /* id: as in struct scope_record_block_issue; tgid 0 */
	SCOPE_OBJECT_REST,   /* all objects after the first SCOPE_OBJECTS_MAX */
};

#define SCOPE_OBJECTS_MAX 1024 /* no rule: a power of two */

struct scope_metric_object {
	uint64_t id;
	uint32_t tgid;
	uint8_t type; /* enum scope_metric_object_type; 0: none */
	uint8_t kind; /* enum scope_fd_kind of a descriptor: another kind is another object */
};

/* A zeroed struct is empty. */
struct scope_metric_objects {
	struct scope_metric_object object[SCOPE_OBJECTS_MAX + 1];
	size_t count;
	uint16_t slot[2 * SCOPE_OBJECTS_MAX]; /* number + 1; 0: empty. Open addressing */
};

/* The number of that object, which may be a new one. */
size_t scope_metrics_object(struct scope_metric_objects *objects, const struct scope_metric_object *object);

#endif
