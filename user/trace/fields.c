// SPDX-License-Identifier: GPL-2.0-only
/* Records that consist of fixed fields only. */
#include "trace/fields.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "trace/text_names.h"

#define FIELDS_MAX 8 /* one more than PEER has */
#define NO_FLAGS 0   /* no field: the first word of a record is at this offset, which is never a field */

/* A number that a record, an event and a line of text have. */
struct field {
	const char *name; /* for messages */
	const char *key;  /* printed as KEY=NUMBER; NULL: only the number is printed, before those with a key */
	uint8_t record_at, record_bytes;
	uint8_t event_at, event_bytes;
};

struct scope_fields {
	const char *word;
	uint8_t type, kind, bytes;
	uint8_t flags_at; /* offset of the byte that is the event's flags; or NO_FLAGS */
	const struct scope_text_flag *flag;
	struct field field[FIELDS_MAX]; /* ends with a row whose name is NULL */
};

#define SIZE_OF(type, member) sizeof(((struct type *)0)->member)
#define FIELD(what, keyword, record, in_record, in_event)                                                              \
	{                                                                                                              \
		what, keyword, offsetof(struct scope_record_##record, in_record),                                      \
			SIZE_OF(scope_record_##record, in_record), offsetof(struct scope_event, in_event),             \
			SIZE_OF(scope_event, in_event)                                                                 \
	}
#define RECORD(NAME, name)                                                                                             \
	.word = #name, .type = SCOPE_RECORD_##NAME, .kind = SCOPE_EVENT_##NAME,                                        \
	.bytes = sizeof(struct scope_record_##name)

static const struct scope_fields rows[] = {
	{
		RECORD(DELAY, delay),
		.flags_at = offsetof(struct scope_record_delay, flags),
		.flag = scope_trace_text_delay_flags,
		.field = {
			FIELD("the delay rule", NULL, delay, id, delay.id),
			FIELD("asked", "asked", delay, asked_ns, delay.asked_ns),
			FIELD("served", "served", delay, served_ns, delay.served_ns),
		},
	},
	{
		RECORD(FUTEX, futex),
		.field = {
			FIELD("the number of bytes", NULL, futex, bytes, futex.bytes),
			FIELD("m0", "m0", futex, memory[0], futex.memory[0]),
			FIELD("m1", "m1", futex, memory[1], futex.memory[1]),
			FIELD("m2", "m2", futex, memory[2], futex.memory[2]),
			FIELD("m3", "m3", futex, memory[3], futex.memory[3]),
		},
	},
	{
		RECORD(PEER, peer),
		.field = {
			FIELD("the descriptor", NULL, peer, fd, peer.fd),
			FIELD("the own port", "own_port", peer, own_port, peer.own_port),
			FIELD("the peer's port", "peer_port", peer, peer_port, peer.peer_port),
			FIELD("own0", "own0", peer, own[0], peer.own[0]),
			FIELD("own1", "own1", peer, own[1], peer.own[1]),
			FIELD("peer0", "peer0", peer, peer[0], peer.peer[0]),
			FIELD("peer1", "peer1", peer, peer[1], peer.peer[1]),
		},
	},
	{
		RECORD(COUNTERS, counters),
		.field = {
			FIELD("minor faults", "minor", counters, minor_faults, counters.minor_faults),
			FIELD("major faults", "major", counters, major_faults, counters.major_faults),
			FIELD("bytes read", "read", counters, read_bytes, counters.read_bytes),
			FIELD("bytes written", "written", counters, written_bytes, counters.written_bytes),
			FIELD("swap-in", "swapin", counters, swapin_ns, counters.swapin_ns),
			FIELD("thrashing", "thrashing", counters, thrashing_ns, counters.thrashing_ns),
		},
	},
	{
		RECORD(STALL, stall),
		.flags_at = offsetof(struct scope_record_stall, flags),
		.flag = scope_trace_text_stall_flags,
		.field = { FIELD("the kind of stall", NULL, stall, kind, stall.kind) },
	},
	{
		RECORD(HARDIRQ, hardirq),
		.field = { FIELD("ns", NULL, hardirq, ns, interrupt.ns) },
	},
	{
		RECORD(SOFTIRQ, softirq),
		.field = { FIELD("ns", NULL, softirq, ns, interrupt.ns) },
	},
	{
		RECORD(REQUEST, request),
		.field = { FIELD("the kind of request", NULL, request, kind, request.kind) },
	},
};

#define FIND(condition)                                                                                                \
	do {                                                                                                           \
		for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)                                              \
			if (condition)                                                                                 \
				return &rows[i];                                                                       \
		return NULL;                                                                                           \
	} while (0)

const struct scope_fields *scope_trace_fields_of_type(uint32_t type)
{
	FIND(rows[i].type == type);
}

const struct scope_fields *scope_trace_fields_of_kind(uint8_t kind)
{
	FIND(rows[i].kind == kind);
}

const struct scope_fields *scope_trace_fields_of_word(const char *word)
{
	FIND(!strcmp(rows[i].word, word));
}

const char *scope_trace_fields_word(const struct scope_fields *fields)
{
	return fields->word;
}

uint8_t scope_trace_fields_kind(const struct scope_fields *fields)
{
	return fields->kind;
}

/* Fields have 1, 2, 4 or 8 bytes, no sign, and the byte order of the machine. */
static uint64_t load(const void *base, unsigned int at, unsigned int bytes)
{
	const uint8_t *from = (const uint8_t *)base + at;
	uint64_t number = 0;

	for (unsigned int i = bytes; i--;)
		number = number << 8 | from[i];
	return number;
}

static void store(void *base, unsigned int at, unsigned int bytes, uint64_t number)
{
	uint8_t *to = (uint8_t *)base + at;

	for (unsigned int i = 0; i < bytes; i++, number >>= 8)
		to[i] = (uint8_t)number;
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "load() and store() take the lowest byte first");

static uint64_t most(unsigned int bytes)
{
	return bytes >= 8 ? UINT64_MAX : (1ull << 8 * bytes) - 1;
}

#define EACH_FIELD(fields, at)                                                                                         \
	for (const struct field *at = (fields)->field; at < (fields)->field + FIELDS_MAX && at->name; at++)

size_t scope_trace_fields_decode(const struct scope_fields *fields, const void *record, size_t left,
				 struct scope_event *event)
{
	if (left < fields->bytes)
		return 0;
	event->kind = fields->kind;
	EACH_FIELD(fields, field)
	store(event, field->event_at, field->event_bytes, load(record, field->record_at, field->record_bytes));
	if (fields->flags_at != NO_FLAGS)
		event->flags = (uint8_t)load(record, fields->flags_at, 1);
	return fields->bytes;
}

int scope_trace_fields_encode(const struct scope_fields *fields, const struct scope_event *event, void *record,
			      struct scope_error *error, size_t *ret_bytes)
{
	memset(record, 0, fields->bytes);
	store(record, 0, sizeof(uint32_t), scope_record_word(fields->type, 0));
	EACH_FIELD(fields, field)
	{
		const uint64_t number = load(event, field->event_at, field->event_bytes);

		if (number > most(field->record_bytes))
			return scope_error_set(error, -EINVAL, "%s of %" PRIu64 "; at most %" PRIu64 " can be stored",
					       field->name, number, most(field->record_bytes));
		store(record, field->record_at, field->record_bytes, number);
	}
	if (fields->flags_at != NO_FLAGS)
		store(record, fields->flags_at, 1, event->flags);
	*ret_bytes = fields->bytes;
	return 0;
}

void scope_trace_fields_print(const struct scope_fields *fields, const struct scope_event *event, FILE *to)
{
	EACH_FIELD(fields, field)
	fprintf(to, " %s%s%" PRIu64, field->key ? field->key : "", field->key ? "=" : "",
		load(event, field->event_at, field->event_bytes));
	for (const struct scope_text_flag *flag = fields->flag; flag && flag->word; flag++)
		if (event->flags & flag->bit)
			fprintf(to, " %s", flag->word);
}

void scope_trace_fields_parse(const struct scope_fields *fields, struct scope_line *line, struct scope_event *event)
{
	EACH_FIELD(fields, field)
	{
		const uint64_t max = most(field->record_bytes);

		store(event, field->event_at, field->event_bytes,
		      field->key ? scope_trace_line_need(line, field->key, max)
				 : scope_trace_line_number(line, field->name, max));
	}
	if (fields->flag)
		event->flags = scope_trace_line_flags(line, fields->flag);
}
