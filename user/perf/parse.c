// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parses records of perf rings, and checks every length. The layouts are those of
 * perf_event_open(2) for the sample types that events.c asks for:
 *
 *   a sample           header, identifier, pid and tid, time, [callchain], raw, [registers, stack],
 *                      [program counter of what was interrupted, the kernel or not]
 *   a hit of a probe   header, identifier, pid and tid, time, [registers with words of the function]
 *   any other record   header, its own fields, pid and tid, time, identifier
 */
#include "perf/parse.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "base/machine.h"

#define TRAILER_BYTES 24 /* pid, tid, time, identifier after a record that is not a sample */

#if defined(__x86_64__)
/* ax bx cx dx si di bp sp ip, then r8 to r15 after the flags and segments. */
#define REGISTER_MASK 0xff01ffull
#define COUNTER_MASK (1ull << 8)
/* The place in perf's order of each register in DWARF order. */
static const uint8_t place[SCOPE_MACHINE_REG_COUNT] = { 0, 3, 2, 1, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 8 };
/* di si dx cx r8 r9; a function returns its value in ax. */
static const uint8_t argument[SCOPE_ARG_MAX] = { 5, 4, 3, 2, 16, 17 };
#elif defined(__aarch64__)
#define REGISTER_MASK ((1ull << SCOPE_MACHINE_REG_COUNT) - 1)
#define COUNTER_MASK (1ull << 32)
static const uint8_t place[SCOPE_MACHINE_REG_COUNT] = { 0,  1,	2,  3,	4,  5,	6,  7,	8,  9,	10,
							11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
							22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32 };
/* A function returns its value where its first argument was. */
static const uint8_t argument[SCOPE_ARG_MAX] = { 0, 1, 2, 3, 4, 5 };
#else
#error "no registers known for this machine"
#endif

struct bytes {
	const uint8_t *at;
	size_t left;
};

static const uint8_t *take(struct bytes *bytes, size_t count)
{
	const uint8_t *at = bytes->at;

	if (count > bytes->left)
		return NULL;
	bytes->at += count;
	bytes->left -= count;
	return at;
}

static int take_u32(struct bytes *bytes, uint32_t *ret_value)
{
	const uint8_t *at = take(bytes, sizeof(*ret_value));

	if (!at)
		return -EBADMSG;
	memcpy(ret_value, at, sizeof(*ret_value));
	return 0;
}

static int take_u64(struct bytes *bytes, uint64_t *ret_value)
{
	const uint8_t *at = take(bytes, sizeof(*ret_value));

	if (!at)
		return -EBADMSG;
	memcpy(ret_value, at, sizeof(*ret_value));
	return 0;
}

uint64_t scope_perf_register_mask(void)
{
	return REGISTER_MASK;
}

uint64_t scope_perf_counter_mask(void)
{
	return COUNTER_MASK;
}

static uint64_t mask_of(uint8_t word, bool is_return)
{
	return is_return ? 1 : 1ull << argument[word];
}

uint64_t scope_perf_words_mask(uint8_t words, bool is_return)
{
	uint64_t mask = 0;

	for (uint8_t i = 0; i < words; i++)
		mask |= mask_of(i, is_return);
	return mask;
}

void scope_perf_record_words(struct scope_perf_record *record, uint8_t words, bool is_return)
{
	const uint64_t mask = scope_perf_words_mask(words, is_return);
	struct bytes bytes = { record->rest, record->rest_bytes };
	const uint8_t *at;
	uint64_t abi;

	record->words = 0;
	if (!words || take_u64(&bytes, &abi) || !abi || (abi != PERF_SAMPLE_REGS_ABI_64 && !is_return))
		return;
	at = take(&bytes, 8 * (size_t)__builtin_popcountll(mask));
	if (!at)
		return;
	/* Registers are in the order of their bits. */
	for (uint8_t i = 0; i < words; i++)
		memcpy(&record->word[i], at + 8 * (size_t)__builtin_popcountll(mask & (mask_of(i, is_return) - 1)),
		       sizeof(record->word[i]));
	record->words = words;
}

/* There are markers such as PERF_CONTEXT_USER between the addresses. */
static int take_chain(struct bytes *bytes, struct scope_perf_record *record)
{
	uint64_t count, marker;

	if (take_u64(bytes, &count) || count > bytes->left / sizeof(count))
		return -EBADMSG;
	record->chain = take(bytes, count * sizeof(count));
	record->chain_count = (uint32_t)count;
	while (record->chain_count) {
		memcpy(&marker, record->chain, sizeof(marker));
		if (marker < (uint64_t)PERF_CONTEXT_MAX)
			break;
		record->chain += sizeof(marker);
		record->chain_count--;
	}
	return 0;
}

static int take_raw(struct bytes *bytes, struct scope_perf_record *record)
{
	uint32_t count;

	if (take_u32(bytes, &count))
		return -EBADMSG;
	record->raw = take(bytes, count);
	record->raw_bytes = count;
	return record->raw ? 0 : -EBADMSG;
}

static int take_stack(struct bytes *bytes, struct scope_perf_record *record)
{
	uint64_t abi, size, there, reg[SCOPE_MACHINE_REG_COUNT];
	const uint8_t *at;
	unsigned int i;

	if (take_u64(bytes, &abi))
		return -EBADMSG;
	if (abi) {
		at = take(bytes, sizeof(reg));
		if (!at)
			return -EBADMSG;
		memcpy(reg, at, sizeof(reg));
		for (i = 0; i < SCOPE_MACHINE_REG_COUNT; i++)
			record->reg[i] = reg[place[i]];
		record->regs = SCOPE_MACHINE_REG_COUNT;
	}
	if (take_u64(bytes, &size))
		return -EBADMSG;
	if (!size)
		return 0;
	record->stack = take(bytes, size);
	if (!record->stack || take_u64(bytes, &there) || there > size)
		return -EBADMSG;
	record->stack_asked = (uint32_t)size;
	record->stack_bytes = (uint32_t)there;
	return 0;
}

static int take_counter(struct bytes *bytes, struct scope_perf_record *record)
{
	uint64_t abi;

	if (take_u64(bytes, &abi))
		return -EBADMSG;
	return abi ? take_u64(bytes, &record->ip) : 0;
}

/* Returns the index of an identifier, or id_count if it is not among them. */
static size_t place_of(const struct scope_perf_id *ids, size_t id_count, uint64_t id)
{
	size_t i = 0;

	while (i < id_count && ids[i].id != id)
		i++;
	return i;
}

static int parse_sample(const struct scope_perf_layout *layout, const struct scope_perf_id *ids, size_t id_count,
			struct bytes bytes, struct scope_perf_record *record)
{
	uint64_t id;
	size_t i;
	int err;

	if (take_u64(&bytes, &id) || take_u32(&bytes, &record->tgid) || take_u32(&bytes, &record->tid) ||
	    take_u64(&bytes, &record->time_ns))
		return -EBADMSG;
	i = place_of(ids, id_count, id);
	if (i == id_count) {
		record->id = id;
		record->rest = bytes.at;
		record->rest_bytes = bytes.left;
		return 0;
	}
	record->kind = ids[i].kind;
	record->id_at = i;
	record->type = SCOPE_PERF_TYPE_EVENT;
	if (layout->stack[record->kind] == SCOPE_STACK_CHAIN) {
		err = take_chain(&bytes, record);
		if (err)
			return err;
	}
	if (record->kind != SCOPE_PERF_SAMPLE && record->kind != SCOPE_PERF_LIFE) {
		err = take_raw(&bytes, record);
		if (err)
			return err;
		for (i = 0; i < SCOPE_PERF_FIELDS_MAX; i++)
			record->value[i] =
				scope_perf_field_get(&layout->field[record->kind][i], record->raw, record->raw_bytes);
	}
	if (layout->stack[record->kind] == SCOPE_STACK_COPY) {
		err = take_stack(&bytes, record);
		if (err)
			return err;
	}
	if (record->kind == SCOPE_PERF_SAMPLE && layout->kernel_ips)
		return take_counter(&bytes, record);
	return 0;
}

static int parse_task(struct bytes bytes, struct scope_perf_record *record)
{
	uint32_t parent;

	if (take_u32(&bytes, &record->tgid) || take_u32(&bytes, &parent) || take_u32(&bytes, &record->tid) ||
	    take_u32(&bytes, &record->parent_tid) || take_u64(&bytes, &record->time_ns))
		return -EBADMSG;
	return 0;
}

static int parse_comm(struct bytes bytes, struct scope_perf_record *record)
{
	if (take_u32(&bytes, &record->tgid) || take_u32(&bytes, &record->tid) || bytes.left <= TRAILER_BYTES)
		return -EBADMSG;
	record->comm = (const char *)bytes.at;
	return memchr(bytes.at, '\0', bytes.left - TRAILER_BYTES) ? 0 : -EBADMSG;
}

static int parse_lost(struct bytes bytes, struct scope_perf_record *record)
{
	uint64_t id;

	return take_u64(&bytes, &id) || take_u64(&bytes, &record->lost) ? -EBADMSG : 0;
}

static uint64_t trailer_time(struct bytes bytes)
{
	uint64_t time_ns;

	if (bytes.left < TRAILER_BYTES)
		return UINT64_MAX;
	memcpy(&time_ns, bytes.at + bytes.left - 16, sizeof(time_ns));
	return time_ns;
}

/* Opens the body after the header. -EBADMSG: the record's size is invalid. */
static int open_record(const uint8_t *data, size_t bytes, struct perf_event_header *ret_header, struct bytes *ret_body)
{
	struct perf_event_header header;

	if (bytes < sizeof(header))
		return -EBADMSG;
	memcpy(&header, data, sizeof(header));
	if (header.size < sizeof(header) || header.size > bytes || header.size % 8)
		return -EBADMSG;
	*ret_header = header;
	*ret_body = (struct bytes){ data + sizeof(header), header.size - sizeof(header) };
	return 0;
}

uint64_t scope_perf_record_time(const uint8_t *data, size_t bytes)
{
	struct perf_event_header header;
	struct bytes body;
	uint64_t time_ns;

	if (open_record(data, bytes, &header, &body))
		return UINT64_MAX;
	if (header.type != PERF_RECORD_SAMPLE)
		return trailer_time(body);
	if (body.left < TRAILER_BYTES)
		return UINT64_MAX;
	memcpy(&time_ns, body.at + 16, sizeof(time_ns));
	return time_ns;
}

bool scope_perf_record_glance(const struct scope_perf_id *ids, size_t id_count, const uint8_t *data, size_t bytes,
			      struct scope_perf_glance *ret_glance)
{
	struct perf_event_header header;
	struct bytes body;
	uint64_t id;

	if (open_record(data, bytes, &header, &body) || header.type != PERF_RECORD_SAMPLE || take_u64(&body, &id) ||
	    take_u32(&body, &ret_glance->tgid) || take_u32(&body, &ret_glance->tid) ||
	    take_u64(&body, &ret_glance->time_ns))
		return false;
	ret_glance->id_at = place_of(ids, id_count, id);
	return ret_glance->id_at < id_count;
}

int scope_perf_record_parse(const struct scope_perf_layout *layout, const struct scope_perf_id *ids, size_t id_count,
			    const uint8_t *data, size_t bytes, struct scope_perf_record *ret_record)
{
	static const struct {
		uint32_t type;
		enum scope_perf_type is;
		int (*parse)(struct bytes bytes, struct scope_perf_record *record);
	} rows[] = {
		{ PERF_RECORD_FORK, SCOPE_PERF_TYPE_FORK, parse_task },
		{ PERF_RECORD_EXIT, SCOPE_PERF_TYPE_EXIT, parse_task },
		{ PERF_RECORD_COMM, SCOPE_PERF_TYPE_COMM, parse_comm },
		{ PERF_RECORD_LOST, SCOPE_PERF_TYPE_LOST, parse_lost },
	};
	struct perf_event_header header;
	struct bytes body;
	size_t i;
	int err;

	memset(ret_record, 0, offsetof(struct scope_perf_record, reg));
	memset(&ret_record->regs, 0, sizeof(*ret_record) - offsetof(struct scope_perf_record, regs));
	err = open_record(data, bytes, &header, &body);
	if (err)
		return err;
	if (header.type == PERF_RECORD_SAMPLE) {
		ret_record->user = (header.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER;
		return parse_sample(layout, ids, id_count, body, ret_record);
	}
	ret_record->exec = header.misc & PERF_RECORD_MISC_COMM_EXEC;
	ret_record->time_ns = trailer_time(body);
	if (ret_record->time_ns == UINT64_MAX)
		return -EBADMSG;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].type != header.type)
			continue;
		ret_record->type = rows[i].is;
		return rows[i].parse(body, ret_record);
	}
	return 0;
}
