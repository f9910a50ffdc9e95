// SPDX-License-Identifier: GPL-2.0-only
/* Parse the format files of tracepoints. */
#include "perf/tracepoint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <scope/abi.h>

/* "	field:unsigned long args[6];	offset:16;	size:48;	signed:0;": the name ends the declaration. */
static bool declares(const char *declaration, size_t length, const char *name)
{
	const char *bracket = memchr(declaration, '[', length);
	const size_t name_length = strlen(name);

	/* "__data_loc char[] filename" has its bracket before the name. */
	if (bracket && memchr(bracket, ' ', length - (size_t)(bracket - declaration)))
		bracket = NULL;
	if (bracket)
		length = (size_t)(bracket - declaration);
	return length > name_length && declaration[length - name_length - 1] == ' ' &&
	       !memcmp(declaration + length - name_length, name, name_length);
}

static int parse_place(const char *text, struct scope_perf_field *ret_field)
{
	unsigned int offset, bytes, is_signed = 0;

	if (sscanf(text, "; offset:%u; size:%u; signed:%u;", &offset, &bytes, &is_signed) < 2 || !bytes ||
	    bytes > 65536 || offset > 65536)
		return -EBADMSG;
	*ret_field = (struct scope_perf_field){ offset, bytes, is_signed };
	return 0;
}

int scope_perf_field_find(const char *format, const char *name, struct scope_perf_field *ret_field)
{
	const char *at = format, *end;

	while ((at = strstr(at, "field:"))) {
		at += strlen("field:");
		end = at + strcspn(at, ";\n");
		if (declares(at, (size_t)(end - at), name))
			return parse_place(end, ret_field);
		at = end;
	}
	return -ENOENT;
}

int64_t scope_perf_field_get(const struct scope_perf_field *field, const uint8_t *raw, size_t bytes)
{
	const size_t take = field->bytes < 8 ? field->bytes : 8;
	uint64_t value = 0;
	unsigned int shift;

	if (!take || field->offset > bytes || take > bytes - field->offset)
		return 0;
	/*
	 * Both machines are little-endian. A copy of a known length is one instruction; each record needs three copies.
	 */
	if (take == 8)
		memcpy(&value, raw + field->offset, 8);
	else if (take == 4)
		memcpy(&value, raw + field->offset, 4);
	else
		memcpy(&value, raw + field->offset, take);
	shift = (unsigned int)(8 - take) * 8;
	if (field->is_signed)
		return (int64_t)(value << shift) >> shift;
	return (int64_t)value;
}

uint8_t scope_perf_state_of_letter(char letter)
{
	static const struct {
		char letter;
		uint8_t state;
	} rows[] = {
		{ 'R', SCOPE_STATE_RUNNABLE }, { 'S', SCOPE_STATE_SLEEPING }, { 'D', SCOPE_STATE_DISK },
		{ 'T', SCOPE_STATE_STOPPED },  { 't', SCOPE_STATE_STOPPED },  { 'X', SCOPE_STATE_DEAD },
		{ 'x', SCOPE_STATE_DEAD },     { 'Z', SCOPE_STATE_DEAD },     { 'I', SCOPE_STATE_IDLE },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].letter == letter)
			return rows[i].state;
	return SCOPE_STATE_OTHER;
}

/* The format has the flags as { 0x00000001, "S" }, { 0x00000002, "D" }, ... */
int scope_perf_states_find(const char *format, struct scope_perf_states *ret_states)
{
	const char *at = strstr(format, "print fmt:");
	struct scope_perf_states states = { .count = 0 };
	unsigned int mask;
	char letter;

	while (at && (at = strchr(at, '{')) && states.count < 16) {
		at++;
		if (sscanf(at, " %i , \"%c\"", (int *)&mask, &letter) != 2 || !mask)
			continue;
		states.row[states.count].mask = mask;
		states.row[states.count++].state = scope_perf_state_of_letter(letter);
		states.all |= mask;
	}
	if (!states.count)
		return -EBADMSG;
	*ret_states = states;
	return 0;
}

uint8_t scope_perf_state(const struct scope_perf_states *states, int64_t prev_state, bool *ret_preempted)
{
	uint32_t i;

	*ret_preempted = prev_state > 0 && (uint64_t)prev_state > states->all;
	if (!prev_state || *ret_preempted)
		return SCOPE_STATE_RUNNABLE;
	for (i = 0; i < states->count; i++)
		if ((uint64_t)prev_state & states->row[i].mask)
			return states->row[i].state;
	return SCOPE_STATE_OTHER;
}
