// SPDX-License-Identifier: GPL-2.0-only
/* A deep copy of an event, with all data that the event points to. */
#include "trace/event_copy.h"

#include <string.h>

#define PARTS_MAX 3

/* One pointer of an event, and the size of the data it points to. */
struct part {
	void *at; /* the pointer, of whatever type */
	size_t bytes;
	bool name; /* a string of SCOPE_COMM_BYTES at most, perhaps without a final zero */
};

static unsigned comm_part(const char **comm, struct part *ret_part)
{
	ret_part[0] = (struct part){ comm, SCOPE_COMM_BYTES, true };
	return 1;
}

static unsigned stack_parts(struct scope_event *event, struct part *ret_part)
{
	ret_part[0] = (struct part){ &event->stack.ip, event->stack.ips * sizeof(uint64_t), false };
	ret_part[1] = (struct part){ &event->stack.reg, event->stack.regs * sizeof(uint64_t), false };
	ret_part[2] = (struct part){ &event->stack.data, event->stack.bytes, false };
	return 3;
}

/* Fills in the parts, in the order of their copies. Returns their number. */
static unsigned parts(struct scope_event *event, struct part ret_part[PARTS_MAX])
{
	switch (event->kind) {
	case SCOPE_EVENT_SYSCALL:
	case SCOPE_EVENT_ENTER:
	case SCOPE_EVENT_EXIT:
		ret_part[0] = (struct part){ &event->syscall.arg, event->syscall.args * sizeof(uint64_t), false };
		return 1;
	case SCOPE_EVENT_FORK:
		return comm_part(&event->fork.comm, ret_part);
	case SCOPE_EVENT_EXEC:
		return comm_part(&event->exec.comm, ret_part);
	case SCOPE_EVENT_COMM:
		return comm_part(&event->comm.comm, ret_part);
	case SCOPE_EVENT_STATE:
		ret_part[0] = (struct part){ &event->state.record, sizeof(*event->state.record), false };
		ret_part[1] = (struct part){ &event->state.reg, event->state.record->regs * sizeof(uint64_t), false };
		return 2;
	case SCOPE_EVENT_STACK:
		return stack_parts(event, ret_part);
	case SCOPE_EVENT_PROBE:
		ret_part[0] = (struct part){ &event->probe.arg, event->probe.args * sizeof(uint64_t), false };
		return 1;
	}
	return 0;
}

static const void *target_of(const struct part *part)
{
	const void *target;

	memcpy(&target, part->at, sizeof(target));
	return target;
}

static size_t room_of(const struct part *part)
{
	return (part->bytes + part->name + 7) & ~(size_t)7;
}

size_t scope_trace_event_payload_bytes(const struct scope_event *event)
{
	struct scope_event same = *event;
	struct part part[PARTS_MAX];
	unsigned count = parts(&same, part);
	size_t bytes = 0;

	for (unsigned i = 0; i < count; i++)
		bytes += target_of(&part[i]) ? room_of(&part[i]) : 0;
	return bytes;
}

void scope_trace_event_own(struct scope_event *event, void *room)
{
	struct part part[PARTS_MAX];
	unsigned count = parts(event, part);
	uint8_t *place = room;

	for (unsigned i = 0; i < count; i++) {
		const void *from = target_of(&part[i]);
		size_t bytes = part[i].bytes;

		if (!from)
			continue;
		if (part[i].name)
			bytes = strnlen(from, bytes);
		if (part[i].bytes) {
			memcpy(place, from, bytes);
			memset(place + bytes, 0, room_of(&part[i]) - bytes);
		}
		memcpy(part[i].at, &place, sizeof(place));
		place += room_of(&part[i]);
	}
}
