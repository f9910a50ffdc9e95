// SPDX-License-Identifier: GPL-2.0-only
/* Packs the connections that threads open: the descriptor is in the event of the call, the addresses in that of its first packet. */
#include "perf/pack_internal.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

void scope_perf_connect_enter(struct scope_perf_thread *thread, const struct scope_perf_record *record,
			      const struct scope_perf_field *args)
{
	uint64_t fd = 0;

	thread->connect.port = 0;
	if (thread->nr == SYS_connect && args->offset + sizeof(fd) <= record->raw_bytes)
		memcpy(&fd, record->raw + args->offset, sizeof(fd));
	thread->connect.fd = (int32_t)fd;
}

/* Returns false if the address is not in the record. */
static bool read_address(const struct scope_perf_field *field, const struct scope_perf_record *record,
			 uint64_t address[2])
{
	if (field->bytes != 2 * sizeof(*address) || field->offset + field->bytes > record->raw_bytes)
		return false;
	memcpy(address, record->raw + field->offset, field->bytes);
	for (int i = 0; i < 2; i++)
		address[i] = be64toh(address[i]);
	return true;
}

int scope_perf_connect_packet(struct scope_perf_pack *pack, uint32_t cpu, const struct scope_perf_record *record)
{
	const struct scope_perf_field *field = pack->layout->field[SCOPE_PERF_PEER];
	struct scope_perf_thread *thread = scope_perf_pack_current(pack, record);

	(void)cpu;
	if (thread && thread->nr == SYS_connect && read_address(&field[1], record, thread->connect.peer) &&
	    read_address(&field[2], record, thread->connect.own))
		thread->connect.port = (uint16_t)record->value[0];
	return 0;
}

int scope_perf_connect_put(struct scope_perf_pack *pack, uint32_t cpu, uint64_t time_ns,
			   const struct scope_perf_thread *thread, int64_t ret)
{
	struct scope_event event = event_of(SCOPE_EVENT_PEER, cpu, time_ns, thread->tid);

	if (!thread->connect.port || (ret && ret != -EINPROGRESS))
		return 0;
	event.peer.fd = thread->connect.fd;
	event.peer.peer_port = thread->connect.port;
	memcpy(event.peer.own, thread->connect.own, sizeof(event.peer.own));
	memcpy(event.peer.peer, thread->connect.peer, sizeof(event.peer.peer));
	return scope_perf_pack_put(pack, &event);
}
