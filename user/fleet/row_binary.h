/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows in ClickHouse's format RowBinary: column after column, numbers in their type's width, lengths before texts and arrays. */
#ifndef SCOPE_FLEET_ROW_BINARY_H
#define SCOPE_FLEET_ROW_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/grow.h"
#include "fleet/leb.h"

/* Rows of one table. All zero: none. The owner frees data. failed: no memory, and rows are missing. */
struct scope_fleet_rows {
	uint8_t *data;
	size_t bytes, capacity;
	bool failed;
};

static inline void scope_fleet_rows_put(struct scope_fleet_rows *rows, const void *data, size_t bytes)
{
	if (rows->failed || scope_grow(&rows->data, &rows->capacity, rows->bytes + bytes, 1)) {
		rows->failed = true;
		return;
	}
	if (bytes)
		memcpy(rows->data + rows->bytes, data, bytes);
	rows->bytes += bytes;
}

/* Of a column of type UInt64, and so on. What is too large for its column becomes the largest number of it. */
static inline void scope_fleet_rows_u64(struct scope_fleet_rows *rows, uint64_t value)
{
	scope_fleet_rows_put(rows, &value, sizeof(value));
}

/* UInt32 and DateTime. */
static inline void scope_fleet_rows_u32(struct scope_fleet_rows *rows, uint64_t value)
{
	const uint32_t narrow = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;

	scope_fleet_rows_put(rows, &narrow, sizeof(narrow));
}

static inline void scope_fleet_rows_u16(struct scope_fleet_rows *rows, uint64_t value)
{
	const uint16_t narrow = value < UINT16_MAX ? (uint16_t)value : UINT16_MAX;

	scope_fleet_rows_put(rows, &narrow, sizeof(narrow));
}

static inline void scope_fleet_rows_u8(struct scope_fleet_rows *rows, uint64_t value)
{
	const uint8_t narrow = value < UINT8_MAX ? (uint8_t)value : UINT8_MAX;

	scope_fleet_rows_put(rows, &narrow, sizeof(narrow));
}

/* How many elements of an array, or bytes of a text, follow. */
static inline void scope_fleet_rows_size(struct scope_fleet_rows *rows, uint64_t size)
{
	uint8_t bytes[SCOPE_FLEET_LEB_BYTES];

	scope_fleet_rows_put(rows, bytes, scope_fleet_leb_put(bytes, size));
}

static inline void scope_fleet_rows_text(struct scope_fleet_rows *rows, const char *text)
{
	const size_t bytes = strlen(text);

	scope_fleet_rows_size(rows, bytes);
	scope_fleet_rows_put(rows, text, bytes);
}

#endif
