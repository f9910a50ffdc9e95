// SPDX-License-Identifier: GPL-2.0-only
/* The content of the module's rings: mapped, and decoded with all checks that are possible. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "client.h"

void client_map(struct client *client)
{
	uint32_t cpu;

	CHECK(!ioctl(client->fd, SCOPE_IOC_INFO, &client->info));
	for (cpu = 0; cpu < client->info.cpus; cpu++) {
		void *map = mmap(NULL, client->info.region_bytes, PROT_READ, MAP_SHARED, client->fd,
				 cpu * client->info.region_bytes);

		CHECK(map != MAP_FAILED, "cpu %u: %s", cpu, strerror(errno));
		client->map[cpu] = map;
		CHECK(((const struct scope_ring_page *)map)->magic == SCOPE_RING_MAGIC);
	}
}

void client_pages(const struct client *client, struct client_counts *ret_counts)
{
	uint32_t cpu;
	int i;

	memset(ret_counts, 0, sizeof(*ret_counts));
	for (cpu = 0; cpu < client->info.cpus; cpu++) {
		const struct scope_ring_page *page = (const void *)client->map[cpu];

		ret_counts->records += page->records;
		for (i = 0; i < SCOPE_LOST_REASONS; i++)
			ret_counts->lost[i] += page->lost[i];
		ret_counts->stacks += page->stacks;
		ret_counts->skipped += page->stacks_skipped;
		ret_counts->overwritten += page->overwritten;
	}
}

/* Bytes of a record, by its own fields; the fixed part is known to be there. */
static uint32_t record_bytes(const void *record)
{
	static const uint8_t fixed[1 << SCOPE_TYPE_BITS] = {
#define CLIENT_FIXED(number, NAME, name, bytes, text) [number] = bytes,
		SCOPE_RECORD_LIST(CLIENT_FIXED)
#undef CLIENT_FIXED
	};
	const struct scope_record_state *state = record;
	const struct scope_record_chain *chain = record;
	const struct scope_record_stack *stack = record;
	const struct scope_record_probe *probe = record;
	const struct scope_record_enter *call = record;
	uint32_t type = scope_record_type(call->word), bytes = fixed[type];

	CHECK(bytes, "record of type %u", type);
	switch (type) {
	case SCOPE_RECORD_SYSCALL:
	case SCOPE_RECORD_ENTER:
		return bytes + (call->abi_args >> 4) * 8;
	case SCOPE_RECORD_STATE:
		return bytes + state->regs * 8;
	case SCOPE_RECORD_CHAIN:
		return bytes + chain->count * 8 + (chain->flags & SCOPE_STACK_COST ? 8 : 0);
	case SCOPE_RECORD_FRAMES:
		return bytes + ((const struct scope_record_frames *)record)->count * 8;
	case SCOPE_RECORD_STACK:
		return bytes + stack->regs * 8 + (stack->bytes + 7) / 8 * 8;
	case SCOPE_RECORD_RECEIVED:
		return bytes + (((const struct scope_record_received *)record)->bytes + 7) / 8 * 8;
	case SCOPE_RECORD_PROBE:
		return bytes + probe->args * 8;
	}
	return bytes;
}

static void one_record(struct client *client, uint32_t cpu, const void *record, uint32_t bytes, client_record callback,
		       void *data)
{
	const struct scope_record_switch *change = record;
	const struct scope_record_time *time = record;
	uint32_t type = scope_record_type(change->word), before = client->tid[cpu];

	client->now_ns[cpu] += scope_record_delta(change->word);
	if (type == SCOPE_RECORD_TIME) {
		CHECK(time->time_ns > client->now_ns[cpu] && !time->zero);
		client->now_ns[cpu] = time->time_ns;
		return;
	}
	if (type == SCOPE_RECORD_THREAD) {
		client->tid[cpu] = ((const struct scope_record_thread *)record)->tid;
		return;
	}
	if (type == SCOPE_RECORD_SWITCH) {
		CHECK(!(change->bits >> 31));
		CHECK(!!(change->bits & SCOPE_SWITCH_PREV_TRACED) == !!before);
		client->tid[cpu] = change->bits & SCOPE_SWITCH_NEXT_TRACED ? change->bits & SCOPE_TID_MASK : 0;
	}
	if (type == SCOPE_RECORD_EXEC)
		client->tid[cpu] = ((const struct scope_record_exec *)record)->tid;
	client->received++;
	client->seen[cpu]++;
	callback(data, cpu, before, client->now_ns[cpu], record, bytes);
}

static void one_subbuf(struct client *client, uint32_t cpu, const struct scope_subbuf *subbuf, client_record callback,
		       void *data)
{
	uint32_t at = sizeof(*subbuf), bytes;

	CHECK(subbuf->magic == SCOPE_SUBBUF_MAGIC && subbuf->cpu == cpu && !subbuf->flags);
	CHECK(subbuf->number == client->last_number[cpu]);
	CHECK(subbuf->records == client->seen[cpu], "%llu of %llu", (unsigned long long)subbuf->records,
	      (unsigned long long)client->seen[cpu]);
	CHECK(subbuf->used_bytes > at && subbuf->used_bytes <= client->info.subbuf_bytes);
	CHECK(subbuf->begin_ns >= client->now_ns[cpu] && subbuf->end_ns >= subbuf->begin_ns);
	/* Without a loss in between, the header repeats what the records said. */
	client->last_number[cpu]++;
	client->tid[cpu] = subbuf->tid;
	client->now_ns[cpu] = subbuf->begin_ns;
	while (at < subbuf->used_bytes) {
		const void *record = (const uint8_t *)subbuf + at;

		bytes = record_bytes(record);
		CHECK(bytes % 8 == 0 && at + bytes <= subbuf->used_bytes);
		one_record(client, cpu, record, bytes, callback, data);
		at += bytes;
	}
	CHECK(client->now_ns[cpu] == subbuf->end_ns);
}

/* Reads and consumes what there is; returns the number of sub-buffers. */
uint64_t client_drain(struct client *client, client_record callback, void *data)
{
	uint64_t total = 0;
	uint32_t cpu;

	for (cpu = 0; cpu < client->info.cpus; cpu++) {
		const struct scope_ring_page *page = (const void *)client->map[cpu];
		uint64_t head = __atomic_load_n(&page->head, __ATOMIC_ACQUIRE), number;

		CHECK(head - page->tail <= page->subbuf_count);
		for (number = page->tail; number < head; number++, total++) {
			struct scope_ioc_consume consume = { .cpu = cpu, .position = number + 1 };
			uint64_t place = number % page->subbuf_count;

			one_subbuf(client, cpu,
				   (const void *)(client->map[cpu] + page->header_bytes + place * page->subbuf_bytes),
				   callback, data);
			CHECK(!ioctl(client->fd, SCOPE_IOC_CONSUME, &consume));
		}
	}
	return total;
}

/* One sub-buffer of a CPU: 1 read, 0 there is none, -ESTALE overwritten first. */
static int take_flight(struct client *client, uint32_t cpu, uint64_t below, client_record callback, void *data)
{
	static _Alignas(8) uint8_t copy[SCOPE_SUBBUF_BYTES_MAX];
	const struct scope_ring_page *page = (const void *)client->map[cpu];
	const struct scope_subbuf *subbuf = (const void *)copy;
	uint64_t tail = __atomic_load_n(&page->tail, __ATOMIC_ACQUIRE);
	struct scope_ioc_consume consume = { .cpu = cpu, .position = tail + 1 };

	if (tail >= below || tail >= __atomic_load_n(&page->head, __ATOMIC_ACQUIRE))
		return 0;
	memcpy(copy, client->map[cpu] + page->header_bytes + tail % page->subbuf_count * page->subbuf_bytes,
	       page->subbuf_bytes);
	if (ioctl(client->fd, SCOPE_IOC_CONSUME, &consume)) {
		CHECK(errno == ESTALE, "%s", strerror(errno));
		return -ESTALE;
	}
	/* The records before were overwritten: only the header says how much that was. */
	CHECK(subbuf->number == tail && subbuf->records >= client->seen[cpu]);
	client->last_number[cpu] = tail;
	client->seen[cpu] = subbuf->records;
	one_subbuf(client, cpu, subbuf, callback, data);
	return 1;
}

void client_finish(struct client *client, client_record callback, void *data)
{
	struct client_counts pages;

	CHECK(!client_command(client, SCOPE_CMD_STOP));
	client_drain(client, callback, data);
	client_pages(client, &pages);
	CHECK(pages.records == client->received && !pages.lost[0] && !pages.lost[1]);
	client_close(client);
}

/*
 * Reads what there is in flight mode, with snapshot up to the last one; returns the number of
 * sub-buffers, *ret_stale those that were overwritten under the reader's hands.
 */
uint64_t client_drain_flight(struct client *client, bool snapshot, client_record callback, void *data,
			     uint64_t *ret_stale)
{
	uint64_t total = 0, stale = 0;
	uint32_t cpu;
	int got;

	for (cpu = 0; cpu < client->info.cpus; cpu++) {
		const struct scope_ring_page *page = (const void *)client->map[cpu];
		uint64_t below = snapshot ? page->snapshot : page->head;

		while ((got = take_flight(client, cpu, below, callback, data))) {
			total += got > 0;
			stale += got < 0;
		}
	}
	*ret_stale = stale;
	return total;
}
