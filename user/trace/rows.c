// SPDX-License-Identifier: GPL-2.0-only
/* Hold a trace's metadata as rows, made from the payloads of frames. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "trace/reader.h"

/* Reading on through a payload. Nothing read means the payload was too short. */
struct span {
	const uint8_t *pos, *end;
};

static const void *span_head(struct span *span, size_t bytes)
{
	const uint8_t *head = span->pos;

	if ((size_t)(span->end - span->pos) < bytes)
		return NULL;
	span->pos += bytes;
	return head;
}

static const char *span_string(struct span *span)
{
	const uint8_t *string = span->pos;
	const uint8_t *zero;

	if (string == span->end) /* perhaps both NULL, which memchr does not take */
		return NULL;
	zero = memchr(string, 0, span->end - string);
	if (!zero)
		return NULL;
	span->pos = zero + 1;
	return (const char *)string;
}

static int add_meta(struct scope_trace *trace, struct span *span)
{
	struct scope_trace_meta row = { .key = span_string(span) };

	row.value = row.key ? span_string(span) : NULL;
	if (!row.value)
		return -EBADMSG;
	if (scope_grow(&trace->meta, &trace->meta_capacity, trace->metas + 1, sizeof(row)))
		return -ENOMEM;
	trace->meta[trace->metas++] = row;
	return 0;
}

static int add_map(struct scope_trace *trace, struct span *span)
{
	const struct scope_frame_map *head = span_head(span, sizeof(*head));
	struct scope_trace_map row = { .path = head ? span_string(span) : NULL };

	row.build_id = row.path ? span_string(span) : NULL;
	if (!row.build_id)
		return -EBADMSG;
	row.tgid = head->tgid;
	row.start = head->start;
	row.end = head->end;
	row.offset = head->offset;
	row.executable = head->executable;
	if (scope_grow(&trace->map, &trace->map_capacity, trace->maps + 1, sizeof(row)))
		return -ENOMEM;
	trace->map[trace->maps++] = row;
	return 0;
}

static int add_symbol(struct scope_trace *trace, struct span *span)
{
	const struct scope_frame_symbol *head = span_head(span, sizeof(*head));
	struct scope_trace_symbol row = { .name = head ? span_string(span) : NULL };

	row.module = row.name ? span_string(span) : NULL;
	if (!row.module)
		return -EBADMSG;
	row.tgid = head->tgid;
	row.start = head->start;
	row.size = head->size;
	row.library = head->library;
	if (scope_grow(&trace->symbol, &trace->symbol_capacity, trace->symbols + 1, sizeof(row)))
		return -ENOMEM;
	trace->symbol[trace->symbols++] = row;
	return 0;
}

static int add_fd(struct scope_trace *trace, struct span *span)
{
	const struct scope_frame_fd *head = span_head(span, sizeof(*head));
	struct scope_trace_fd row = { .name = head ? span_string(span) : NULL };

	if (!row.name)
		return -EBADMSG;
	row.tgid = head->tgid;
	row.fd = head->fd;
	row.kind = head->kind < SCOPE_FD_KINDS ? head->kind : SCOPE_FD_UNKNOWN;
	if (scope_grow(&trace->fd, &trace->fd_capacity, trace->fds + 1, sizeof(row)))
		return -ENOMEM;
	trace->fd[trace->fds++] = row;
	return 0;
}

static int add_memory(struct scope_trace *trace, struct span *span)
{
	const struct scope_frame_memory *head = span_head(span, sizeof(*head));
	struct scope_trace_memory row = { 0 };

	if (!head || head->bytes > (size_t)(span->end - span->pos))
		return -EBADMSG;
	row.tid = head->tid;
	row.address = head->address;
	row.bytes = head->bytes;
	row.data = span->pos;
	if (scope_grow(&trace->memory, &trace->memory_capacity, trace->memories + 1, sizeof(row)))
		return -ENOMEM;
	trace->memory[trace->memories++] = row;
	return 0;
}

static int add_thread(struct scope_trace *trace, struct span *span)
{
	const struct scope_frame_thread *head = span_head(span, sizeof(*head));
	struct scope_trace_thread row = { .comm = head ? span_string(span) : NULL };

	if (!row.comm)
		return -EBADMSG;
	row.tid = head->tid;
	row.tgid = head->tgid;
	if (scope_grow(&trace->thread, &trace->thread_capacity, trace->threads + 1, sizeof(row)))
		return -ENOMEM;
	trace->thread[trace->threads++] = row;
	return 0;
}

static int add_symbols(struct scope_trace *trace, struct span *span)
{
	const struct scope_frame_symbols *head = span_head(span, sizeof(*head));
	struct scope_trace_symbol row = { .module = head ? span_string(span) : NULL };
	const void *at;

	if (!row.module)
		return -EBADMSG;
	row.tgid = head->tgid;
	row.library = head->library;
	while (span->pos < span->end) {
		at = span_head(span, sizeof(row.start) + sizeof(row.size));
		row.name = at ? span_string(span) : NULL;
		if (!row.name)
			return -EBADMSG;
		memcpy(&row.start, at, sizeof(row.start));
		memcpy(&row.size, (const uint8_t *)at + sizeof(row.start), sizeof(row.size));
		if (scope_grow(&trace->symbol, &trace->symbol_capacity, trace->symbols + 1,
			       sizeof(row)))
			return -ENOMEM;
		trace->symbol[trace->symbols++] = row;
	}
	return 0;
}

/* What a row says is checked as it is used: no seek may trust it. */
static int add_places(struct scope_trace *trace, struct span *span)
{
	const struct scope_frame_place *place;

	while ((place = span_head(span, sizeof(*place)))) {
		if (scope_grow(&trace->place, &trace->place_capacity, trace->places + 1,
			       sizeof(*place)))
			return -ENOMEM;
		trace->place[trace->places++] = *place;
	}
	return span->pos == span->end ? 0 : -EBADMSG;
}

int scope_trace_add_row(struct scope_trace *trace, uint16_t type, const uint8_t *payload,
			size_t bytes)
{
	static int (*const add[])(struct scope_trace *trace, struct span *span) = {
		[SCOPE_FRAME_META] = add_meta,
		[SCOPE_FRAME_MAP] = add_map,
		[SCOPE_FRAME_SYMBOL] = add_symbol,
		[SCOPE_FRAME_FD] = add_fd,
		[SCOPE_FRAME_MEMORY] = add_memory,
		[SCOPE_FRAME_THREAD] = add_thread,
		[SCOPE_FRAME_SYMBOLS] = add_symbols,
		[SCOPE_FRAME_INDEX] = add_places,
	};
	struct span span = { .pos = payload, .end = payload + bytes };

	if (type >= sizeof(add) / sizeof(add[0]) || !add[type])
		return -EBADMSG;
	return add[type](trace, &span);
}

/* What was written last counts: a capture that ends may correct what it said as it began. */
const char *scope_trace_meta(const struct scope_trace *trace, const char *key)
{
	for (size_t i = trace->metas; i > 0; i--)
		if (!strcmp(trace->meta[i - 1].key, key))
			return trace->meta[i - 1].value;
	return NULL;
}

uint64_t scope_trace_meta_number(const struct scope_trace *trace, const char *key,
				 uint64_t fallback)
{
	const char *text = scope_trace_meta(trace, key);
	unsigned long long number;
	char *end;

	if (!text || text[0] < '0' || text[0] > '9')
		return fallback;
	errno = 0;
	number = strtoull(text, &end, 10);
	return *end || errno ? fallback : number;
}

uint64_t scope_trace_sample_ns(const struct scope_trace *trace, uint64_t time_ns)
{
	const size_t prefix = strlen(SCOPE_META_SAMPLE_NS_FROM);
	uint64_t from_ns = 0, sample_ns = scope_trace_meta_number(trace, SCOPE_META_SAMPLE_NS, 1000000);

	for (size_t i = 0; i < trace->metas; i++) {
		const struct scope_trace_meta *meta = &trace->meta[i];
		const char *text = meta->key + prefix;
		uint64_t from, period_ns;

		if (strncmp(meta->key, SCOPE_META_SAMPLE_NS_FROM, prefix))
			continue;
		from = strtoull(text, NULL, 10);
		period_ns = strtoull(meta->value, NULL, 10);
		if (period_ns && from <= time_ns && from >= from_ns) {
			from_ns = from;
			sample_ns = period_ns;
		}
	}
	return sample_ns;
}

const struct scope_trace_map *scope_trace_maps(const struct scope_trace *trace, size_t *ret_count)
{
	*ret_count = trace->maps;
	return trace->map;
}

const struct scope_trace_symbol *scope_trace_symbols(const struct scope_trace *trace,
						     size_t *ret_count)
{
	*ret_count = trace->symbols;
	return trace->symbol;
}

const struct scope_trace_fd *scope_trace_fds(const struct scope_trace *trace, size_t *ret_count)
{
	*ret_count = trace->fds;
	return trace->fd;
}

const struct scope_trace_memory *scope_trace_memories(const struct scope_trace *trace,
						      size_t *ret_count)
{
	*ret_count = trace->memories;
	return trace->memory;
}

const struct scope_trace_thread *scope_trace_threads(const struct scope_trace *trace,
						     size_t *ret_count)
{
	*ret_count = trace->threads;
	return trace->thread;
}
