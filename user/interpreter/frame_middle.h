/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks that frames of a running thread belong together. The thread enters and leaves functions while its frames are
 * read. The innermost frames change all the time, and any of them is a valid sample. But a frame in the middle must
 * still exist when the outermost frame was read. If it does not, some frames are from another time.
 */
#ifndef SCOPE_INTERPRETER_FRAME_MIDDLE_H
#define SCOPE_INTERPRETER_FRAME_MIDDLE_H

#include "interpreter/remote_memory.h"

/* A word of the frame in the middle. A zeroed struct has none yet. */
struct scope_frame_middle {
	uint64_t address, word;
};

/*
 * Call it for each frame, with the number of frames read so far, including this one. It chooses the frame at 4, 8, …,
 * never one of the innermost.
 */
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
