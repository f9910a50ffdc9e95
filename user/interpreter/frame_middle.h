/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A thread that runs enters and leaves functions while its frames are read. The innermost ones change all the time, and whichever
 * of them is read is as good. But a frame in the middle must still be there when the end was reached: else some of them are of another time.
 */
#ifndef SCOPE_INTERPRETER_FRAME_MIDDLE_H
#define SCOPE_INTERPRETER_FRAME_MIDDLE_H

#include "interpreter/remote_memory.h"

/* A word of that frame. Zeroed: none is known yet. */
struct scope_frame_middle {
	uint64_t address, word;
};

/* Call it for each frame, with the number of those that were read, that one included. The frame at 4, 8, …: never one of the innermost. */
static inline void scope_interpreter_middle_note(struct scope_frame_middle *middle, uint32_t frames, uint64_t address,
						 uint64_t word)
{
	if (frames > 2 && !(frames & (frames - 1)))
		*middle = (struct scope_frame_middle){ address, word };
}

static inline bool scope_interpreter_middle_holds(struct scope_memory *memory, const struct scope_frame_middle *middle)
{
	uint64_t now;

	return !middle->address ||
	       (scope_interpreter_memory_now(memory, middle->address, &now, sizeof(now)) && now == middle->word);
}

#endif
