/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A small .gopclntab of each version, built for tests: three functions, main.first (0x40 bytes of code),
 * main.second (0x20) and runtime.third (0x20), in a file of Go 1.2 to 1.26.
 */
#ifndef SCOPE_TESTS_GO_TABLE_H
#define SCOPE_TESTS_GO_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define GO_TEXT UINT64_C(0x401000)
#define GO_TABLE_MAX 1024
#define GO_FUNCTIONS 3

enum go_version { GO_2, GO_16, GO_18, GO_20, GO_26, GO_VERSIONS };

struct go_bytes {
	uint8_t data[GO_TABLE_MAX];
	size_t bytes;
};

static inline size_t go_put(struct go_bytes *out, uint64_t value, unsigned int width)
{
	const size_t at = out->bytes;

	for (unsigned int i = 0; i < width; i++)
		out->data[out->bytes++] = (uint8_t)(value >> 8 * i);
	return at;
}

static inline void go_set(struct go_bytes *out, size_t at, uint64_t value, unsigned int width)
{
	for (unsigned int i = 0; i < width; i++)
		out->data[at + i] = (uint8_t)(value >> 8 * i);
}

static inline size_t go_text(struct go_bytes *out, const char *text)
{
	const size_t at = out->bytes;

	memcpy(out->data + out->bytes, text, strlen(text) + 1);
	out->bytes += strlen(text) + 1;
	return at;
}

static inline size_t go_pcs(struct go_bytes *out, const char *pairs, size_t bytes)
{
	const size_t at = out->bytes;

	memcpy(out->data + out->bytes, pairs, bytes);
	out->bytes += bytes;
	return at;
}

struct go_offsets {
	size_t names, name[GO_FUNCTIONS], units, files, file[2], pcs, depths, file_of, lines, inlined;
};

/*
 * All parts but the rows. In early tables all offsets count from the begin of the table, which is where each part
 * "begins".
 */
static inline void go_parts(struct go_bytes *out, enum go_version version, struct go_offsets *at)
{
	static const char *const names[] = { "main.first", "main.second", "runtime.third" };
	const bool parts = version != GO_2;

	at->names = parts ? out->bytes : 0;
	for (int i = 0; i < GO_FUNCTIONS; i++)
		at->name[i] = go_text(out, names[i]) - at->names;
	at->units = out->bytes;
	if (parts) { /* unit 1 has files 0 and 1 */
		go_put(out, UINT32_MAX, 4);
		go_put(out, 0, 4);
		go_put(out, 7, 4);
	}
	at->files = parts ? out->bytes : 0;
	at->file[0] = go_text(out, "one.go") - at->files;
	at->file[1] = go_text(out, "two.go") - at->files;
	at->pcs = parts ? out->bytes : 0;
	go_put(out, 0, 1); /* offset 0 is no table */
	/* Zigzag from -1: 0 for 4 bytes, 0x20 for 0x3c. */
	at->depths = go_pcs(out, "\x02\x04\x40\x3c\0", 5) - at->pcs;
	/* File 1 for all addresses. Early tables count files from 1, so there it is the second one. */
	at->file_of = go_pcs(out, parts ? "\x04\x40\0" : "\x06\x40\0", 3) - at->pcs;
	/* Line 300 for 0x10 bytes, 298 for 0x30: LEB128 of two bytes. */
	at->lines = go_pcs(out, "\xda\x04\x10\x03\x30\0", 6) - at->pcs;
	/* Nothing for 8 bytes, then what is inlined as number 0 for 8, then nothing. */
	at->inlined = go_pcs(out, "\0\x08\x02\x08\x01\x30\0", 7) - at->pcs;
}

static inline void go_heads(struct go_bytes *out, enum go_version version, const struct go_offsets *at, size_t rows)
{
	const unsigned int row = version >= GO_18 ? 4 : 8;
	const uint64_t starts[] = { 0, 0x40, 0x60, 0x80 };

	for (int i = 0; i <= GO_FUNCTIONS; i++) {
		go_set(out, rows + 2 * i * row, starts[i] + (version < GO_18 ? GO_TEXT : 0), row);
		if (i == GO_FUNCTIONS)
			break;
		go_set(out, rows + (2 * i + 1) * row, out->bytes - (version == GO_2 ? 0 : rows), row);
		go_put(out, starts[i] + (version < GO_18 ? GO_TEXT : 0), row);
		go_put(out, at->name[i], 4);
		go_put(out, 0, 8);
		go_put(out, i ? 0 : at->depths, 4);
		go_put(out, i ? 0 : at->file_of, 4);
		go_put(out, i ? 0 : at->lines, 4);
		go_put(out, i ? 0 : 3, 4); /* further tables */
		if (version != GO_2)
			go_put(out, 1, 4); /* the unit */
		if (version >= GO_20)
			go_put(out, 290, 4);
		go_put(out, 0, 4);
		for (int k = 0; !i && k < 3; k++)
			go_put(out, k == 2 ? at->inlined : 0, 4);
	}
}

static inline void go_table_make(enum go_version version, struct go_bytes *out)
{
	static const uint32_t magics[] = { 0xfffffffb, 0xfffffffa, 0xfffffff0, 0xfffffff1, 0xfffffff1 };
	const unsigned int row = version >= GO_18 ? 4 : 8;
	struct go_offsets at = { 0 };
	size_t offsets = 0, rows;

	memset(out, 0, sizeof(*out));
	go_put(out, magics[version], 4);
	go_put(out, 0x08010000, 4); /* 0, 0, quantum 1, word 8 */
	go_put(out, GO_FUNCTIONS, 8);
	if (version != GO_2)
		go_put(out, 2, 8); /* files */
	if (version >= GO_18)
		go_put(out, version == GO_26 ? 0 : GO_TEXT, 8);
	if (version != GO_2) {
		offsets = out->bytes;
		out->bytes += 5 * 8;
		go_parts(out, version, &at);
	}
	rows = out->bytes;
	out->bytes += (2 * GO_FUNCTIONS + 1) * row + (version == GO_2 ? 4 : 0);
	if (version == GO_2) {
		go_parts(out, version, &at);
		/* The list of files: their number, itself included, then where each is. */
		go_set(out, rows + (2 * GO_FUNCTIONS + 1) * row, out->bytes, 4);
		go_put(out, 3, 4);
		go_put(out, at.file[0], 4);
		go_put(out, at.file[1], 4);
	} else {
		const size_t parts[] = { at.names, at.units, at.files, at.pcs, rows };

		for (int i = 0; i < 5; i++)
			go_set(out, offsets + 8 * i, parts[i], 8);
	}
	go_heads(out, version, &at, rows);
}

#endif
