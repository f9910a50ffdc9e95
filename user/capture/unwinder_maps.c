// SPDX-License-Identifier: GPL-2.0-only
/* Sends maps to the child that unwinds, and requests maps that are missing. */
#include <string.h>

#include "base/grow.h"
#include "base/now.h"
#include "capture/unwinder_internal.h"

#define NS_PER_MS 1000000ull
#define REFRESH_MIN_NS (100 * NS_PER_MS)
#define REFRESH_MAX_NS (5000 * NS_PER_MS)

void scope_capture_unwinder_map(struct scope_unwinder *unwinder, const struct scope_trace_map *map)
{
	const struct scope_unwinder_map_row row = {
		.tgid = map->tgid,
		.path_bytes = (uint32_t)strlen(map->path) + 1,
		.build_id_bytes = (uint32_t)strlen(map->build_id) + 1,
		.start = map->start,
		.end = map->end,
		.offset = map->offset,
		.of_package = map->of_package,
		.elf = map->elf,
	};
	const size_t bytes = (sizeof(row) + row.path_bytes + row.build_id_bytes + 7) & ~7ul;
	uint8_t *at;

	if (!map->executable || !unwinder->child || bytes > sizeof(unwinder->shared->in) ||
	    scope_grow(&unwinder->maps, &unwinder->maps_room, unwinder->maps_bytes + bytes, 1))
		return;
	at = unwinder->maps + unwinder->maps_bytes;
	memcpy(at, &row, sizeof(row));
	memcpy(at + sizeof(row), map->path, row.path_bytes);
	memcpy(at + sizeof(row) + row.path_bytes, map->build_id, row.build_id_bytes);
	unwinder->maps_bytes += bytes;
	unwinder->map_rows++;
}

uint64_t scope_capture_unwinder_map_rows(const struct scope_unwinder *unwinder)
{
	return unwinder->map_rows;
}

bool scope_capture_unwinder_send_maps(struct scope_unwinder *unwinder)
{
	const uint8_t *from = unwinder->maps + unwinder->maps_sent;
	size_t bytes = 0;
	uint32_t count = 0;

	while (unwinder->maps_sent + bytes < unwinder->maps_bytes) {
		const struct scope_unwinder_map_row *row = (const void *)(from + bytes);
		const size_t next = (sizeof(*row) + row->path_bytes + row->build_id_bytes + 7) & ~7ul;

		if (bytes + next > sizeof(unwinder->shared->in))
			break;
		bytes += next;
		count++;
	}
	if (!count)
		return false;
	memcpy(unwinder->shared->in, from, bytes);
	unwinder->maps_sent += bytes;
	if (unwinder->maps_sent == unwinder->maps_bytes)
		unwinder->maps_sent = unwinder->maps_bytes = 0;
	scope_capture_unwinder_send(unwinder, SCOPE_UNWINDER_MAPS, count);
	return true;
}

static struct scope_capture_unwinder_refresh *refresh_of(struct scope_unwinder *unwinder, uint32_t tgid)
{
	for (size_t i = 0; i < unwinder->refreshes; i++)
		if (unwinder->refresh[i].tgid == tgid)
			return &unwinder->refresh[i];
	if (scope_grow(&unwinder->refresh, &unwinder->refresh_room, unwinder->refreshes + 1,
		       sizeof(*unwinder->refresh)))
		return NULL;
	unwinder->refresh[unwinder->refreshes] =
		(struct scope_capture_unwinder_refresh){ .tgid = tgid, .wait_ns = REFRESH_MIN_NS };
	return &unwinder->refresh[unwinder->refreshes++];
}

bool scope_capture_unwinder_refresh(struct scope_unwinder *unwinder, const struct scope_stacks_found *found,
				    uint64_t then_ns)
{
	const uint64_t rows = unwinder->map_rows;

	for (uint32_t i = 0; i < found->unmapped_count && i < SCOPE_STACKS_UNMAPPED_MAX; i++) {
		struct scope_capture_unwinder_refresh *of =
			found->unmapped[i] ? refresh_of(unwinder, found->unmapped[i]) : NULL;
		const uint64_t before = unwinder->map_rows;

		if (!of || (of->asked_ns && (then_ns <= of->asked_ns || scope_now_ns() < of->asked_ns + of->wait_ns)))
			continue;
		of->asked_ns = scope_now_ns();
		if (unwinder->host.maps(unwinder->host.context, &of->tgid, 1))
			break;
		of = refresh_of(unwinder, found->unmapped[i]);
		of->wait_ns = unwinder->map_rows > before || 2 * of->wait_ns > REFRESH_MAX_NS
				      ? (unwinder->map_rows > before ? REFRESH_MIN_NS : REFRESH_MAX_NS)
				      : 2 * of->wait_ns;
	}
	return unwinder->map_rows > rows;
}
