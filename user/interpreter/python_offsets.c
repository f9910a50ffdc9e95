// SPDX-License-Identifier: GPL-2.0-only
/* Where members are in the structures of each version of CPython, on machines of 64 bits. */
#include "interpreter/python_offsets.h"

#include <stddef.h>
#include <string.h>

#define OFFSET_MAX (1u << 20) /* largest offset of a member that is read from the interpreter itself */

/*
 * From the headers in Include/internal and Include/cpython of these versions. Offsets do not change between the
 * releases of a version. The first three versions have the pthread_t of a thread, but not its number.
 */
static const struct {
	uint32_t first, last;
	struct scope_python_offsets offsets;
} rows[] = {
	{ 0x308,
	  0x30a,
	  { .runtime_interpreter = 32,
	    .interpreter_next = 0,
	    .interpreter_threads = 8,
	    .thread_next = 8,
	    .thread_handle = 176,
	    .thread_frame = 24,
	    .frame_code = 32,
	    .frame_back = 24,
	    .code_file = 104,
	    .code_name = 112,
	    .type = 8,
	    .text_length = 16,
	    .text_state = 32,
	    .text_ascii = 48 } },
	{ 0x30b,
	  0x30b,
	  { .runtime_interpreter = 40,
	    .interpreter_next = 0,
	    .interpreter_threads = 16,
	    .thread_next = 8,
	    .thread_handle = 152,
	    .thread_number = 160,
	    .thread_frame = 56,
	    .cframe = true,
	    .cframe_frame = 8,
	    .frame_code = 32,
	    .frame_back = 48,
	    .code_file = 112,
	    .code_name = 128,
	    .type = 8,
	    .text_length = 16,
	    .text_state = 32,
	    .text_ascii = 48 } },
	{ 0x30c,
	  0x30c,
	  { .runtime_interpreter = 40,
	    .interpreter_next = 0,
	    .interpreter_threads = 72,
	    .thread_next = 8,
	    .thread_handle = 136,
	    .thread_number = 144,
	    .thread_frame = 56,
	    .cframe = true,
	    .cframe_frame = 0,
	    .frame_code = 0,
	    .frame_back = 8,
	    .frame_owner = 70,
	    .code_file = 112,
	    .code_name = 128,
	    .type = 8,
	    .text_length = 16,
	    .text_state = 32,
	    .text_ascii = 40 } },
};

/* Indexes of words in struct _Py_DebugOffsets of 3.13, which is at the begin of _PyRuntime. */
enum word {
	WORD_COOKIE,
	WORD_VERSION,
	WORD_RUNTIME_INTERPRETER = 5,
	WORD_INTERPRETER_NEXT = 8,
	WORD_INTERPRETER_THREADS = 9,
	WORD_THREAD_NEXT = 21,
	WORD_THREAD_FRAME = 23,
	WORD_THREAD_HANDLE = 24,
	WORD_THREAD_NUMBER = 25,
	WORD_FRAME_BACK = 29,
	WORD_FRAME_CODE = 30,
	WORD_FRAME_OWNER = 33,
	WORD_CODE_FILE = 35,
	WORD_CODE_NAME = 37,
	WORD_TYPE = 45,
	WORD_TEXT_STATE = 68,
	WORD_TEXT_LENGTH = 69,
	WORD_TEXT_ASCII = 70,
	WORDS,
};

static const struct {
	enum word word;
	size_t member;
} own[] = {
	{ WORD_RUNTIME_INTERPRETER, offsetof(struct scope_python_offsets, runtime_interpreter) },
	{ WORD_INTERPRETER_NEXT, offsetof(struct scope_python_offsets, interpreter_next) },
	{ WORD_INTERPRETER_THREADS, offsetof(struct scope_python_offsets, interpreter_threads) },
	{ WORD_THREAD_NEXT, offsetof(struct scope_python_offsets, thread_next) },
	{ WORD_THREAD_FRAME, offsetof(struct scope_python_offsets, thread_frame) },
	{ WORD_THREAD_HANDLE, offsetof(struct scope_python_offsets, thread_handle) },
	{ WORD_THREAD_NUMBER, offsetof(struct scope_python_offsets, thread_number) },
	{ WORD_FRAME_BACK, offsetof(struct scope_python_offsets, frame_back) },
	{ WORD_FRAME_CODE, offsetof(struct scope_python_offsets, frame_code) },
	{ WORD_FRAME_OWNER, offsetof(struct scope_python_offsets, frame_owner) },
	{ WORD_CODE_FILE, offsetof(struct scope_python_offsets, code_file) },
	{ WORD_CODE_NAME, offsetof(struct scope_python_offsets, code_name) },
	{ WORD_TYPE, offsetof(struct scope_python_offsets, type) },
	{ WORD_TEXT_STATE, offsetof(struct scope_python_offsets, text_state) },
	{ WORD_TEXT_LENGTH, offsetof(struct scope_python_offsets, text_length) },
	{ WORD_TEXT_ASCII, offsetof(struct scope_python_offsets, text_ascii) },
};

static bool read_own(struct scope_memory *memory, uint64_t runtime, uint32_t version,
		     struct scope_python_offsets *ret_offsets)
{
	struct scope_python_offsets offsets = { 0 };
	uint64_t word[WORDS];

	if (!scope_interpreter_memory_get(memory, runtime, word, sizeof(word)) || memcmp(word, "xdebugpy", 8) ||
	    word[WORD_VERSION] >> 16 != version)
		return false;
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		const uint32_t offset = (uint32_t)word[own[i].word];

		if (word[own[i].word] > OFFSET_MAX)
			return false;
		memcpy((char *)&offsets + own[i].member, &offset, sizeof(offset));
	}
	*ret_offsets = offsets;
	return true;
}

bool scope_interpreter_python_offsets(struct scope_memory *memory, uint64_t runtime, uint32_t version,
				      struct scope_python_offsets *ret_offsets)
{
	/* These words differ between versions, too. */
	if (version == 0x30d)
		return read_own(memory, runtime, version, ret_offsets);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (version >= rows[i].first && version <= rows[i].last) {
			*ret_offsets = rows[i].offsets;
			return true;
		}
	return false;
}
