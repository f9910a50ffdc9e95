// SPDX-License-Identifier: GPL-2.0-only
/* Finds a caller without unwind tables: by the frame pointer, or by trying the words of the stack. */
#include "symbol/unwind_internal.h"

#define SCAN_BYTES 2048 /* the most bytes of stack that frames without tables may take */
#define SCAN_STEPS 64

/* A step without unwind tables. By convention fp points to the caller's fp, which the return address follows. */
static unsigned int guess_step(struct walk *walk)
{
	const struct machine *machine = walk->machine;
	uint64_t fp, sp, next_fp, pc;
	int err;

	if (scope_symbol_frame_reg(&walk->frame, machine->fp, &fp) ||
	    scope_symbol_frame_reg(&walk->frame, machine->sp, &sp))
		return SCOPE_UNWIND_BROKEN;
	if (!fp) /* by the ABIs fp is 0 in the outermost frame; old clone() has no tables there */
		return SCOPE_UNWIND_COMPLETE;
	if (fp < sp || fp % machine->word)
		return SCOPE_UNWIND_BROKEN;
	err = scope_symbol_slice_read(&walk->slice, fp, &next_fp);
	if (!err)
		err = scope_symbol_slice_read(&walk->slice, fp + machine->word, &pc);
	if (err)
		return scope_symbol_unwind_flag(err);
	if (!scope_symbol_space_executable(walk->space, pc - 1))
		return SCOPE_UNWIND_BROKEN;
	walk->frame.valid = 1ull << machine->fp | 1ull << machine->sp | 1ull << machine->pc;
	walk->frame.reg[machine->fp] = next_fp;
	walk->frame.reg[machine->sp] = fp + 2 * machine->word;
	walk->frame.reg[machine->pc] = pc;
	walk->exact = false;
	walk->flags |= SCOPE_UNWIND_GUESSED;
	return 0;
}

static bool same_frame(const struct walk *a, const struct walk *b)
{
	const struct machine *machine = a->machine;

	return a->frame.reg[machine->pc] == b->frame.reg[machine->pc] &&
	       a->frame.reg[machine->sp] == b->frame.reg[machine->sp];
}

/*
 * Sets *ret_holds if unwind tables lead from this frame to the start of the thread, to code without tables, or to a
 * frame whose pointer is not known. via: NULL, or the frame to which the first step must lead. 0, -ENOMEM.
 */
static int holds(struct walk walk, const struct walk *via, bool *ret_holds)
{
	unsigned int steps = 0, end = 0;

	*ret_holds = false;
	while (!end) {
		const struct scope_rule *rule;
		struct scope_place place;
		int err = scope_symbol_unwind_rule(&walk, &place, &rule);

		if (err == -ENOMEM)
			return err;
		if (err || !rule || steps == SCAN_STEPS)
			break;
		if (!steps && !scope_symbol_image_after_call(place.file->image, place.link + 1))
			return 0;
		end = scope_symbol_unwind_rule_step(&walk, rule);
		if (end == SCOPE_UNWIND_BROKEN && scope_symbol_unwind_lacks_frame_pointer(&walk, rule)) {
			end = 0;
			break;
		}
		if (!end)
			end = scope_symbol_unwind_caller_check(&walk);
		if (!steps++ && via) {
			*ret_holds = !end && same_frame(&walk, via);
			return 0;
		}
	}
	*ret_holds = steps && end != SCOPE_UNWIND_BROKEN;
	return 0;
}

/* Continues the walk at next, if tables lead further from there. 0, -ENOMEM. */
static int take_guess(struct walk *walk, const struct walk *next, const struct walk *via, bool *ret_taken)
{
	const int err = holds(*next, via, ret_taken);

	if (err || !*ret_taken)
		return err;
	*walk = *next;
	walk->flags |= SCOPE_UNWIND_GUESSED;
	return 0;
}

int scope_symbol_unwind_scan(struct walk *walk, const struct walk *via, unsigned int *ret_end)
{
	const struct machine *machine = walk->machine;
	uint64_t sp = walk->frame.reg[machine->sp];
	uint64_t top = via ? via->frame.reg[machine->sp] : sp + SCAN_BYTES;

	for (uint64_t at = sp; machine->call_pushes && at < top && at - sp < SCAN_BYTES; at += machine->word) {
		struct walk next = *walk;
		bool found = false;
		int err;

		if (scope_symbol_slice_read(&walk->slice, at, &next.frame.reg[machine->pc]))
			return 0;
		if (!scope_symbol_space_executable(walk->space, next.frame.reg[machine->pc] - 1))
			continue;
		next.frame.reg[machine->sp] = at + machine->word;
		next.exact = false;
		err = take_guess(walk, &next, via, &found);
		if (found)
			*ret_end = 0;
		if (err || found)
			return err;
	}
	return 0;
}

int scope_symbol_unwind_frame_step(struct walk *walk, const struct scope_rule *rule, unsigned int *ret_end)
{
	const struct machine *machine = walk->machine;
	const uint64_t sp = walk->frame.reg[machine->sp];

	for (uint64_t at = sp; at - sp < SCAN_BYTES; at += machine->word) {
		struct walk next = *walk;
		bool found = false;
		int err;

		next.frame.reg[machine->fp] = at;
		next.frame.valid |= 1ull << machine->fp;
		if (scope_symbol_unwind_rule_step(&next, rule) || scope_symbol_unwind_caller_check(&next))
			continue;
		err = take_guess(walk, &next, NULL, &found);
		if (found)
			*ret_end = 0;
		if (err || found)
			return err;
	}
	return 0;
}

static int leads_to_made(const struct walk *walk, bool *ret_made)
{
	struct scope_place place;
	int err = scope_symbol_spaces_place(walk->spaces, walk->space, walk->frame.reg[walk->machine->pc] - 1, &place);

	*ret_made = !err && scope_symbol_file_is_made(place.file);
	return err == -ENOMEM ? err : 0;
}

/*
 * If the code keeps no frame pointer (Python's trampolines do not), the register has that of its caller, and a step by
 * it would skip the caller. So the caller is searched in between. This does not apply to a step from code made at run
 * time to such code: both keep a frame pointer, and a word in between is an old one.
 */
int scope_symbol_unwind_bare_step(struct walk *walk, bool made, unsigned int *ret_end)
{
	struct walk guess = *walk;
	unsigned int missing = SCOPE_UNWIND_BROKEN;
	bool followed = false;
	int err;

	*ret_end = guess_step(&guess);
	/* A frame pointer of 0 may be that of the outermost frame, or of code without frame pointers. */
	if (*ret_end)
		return scope_symbol_unwind_scan(walk, NULL, ret_end);
	err = made ? leads_to_made(&guess, &followed) : 0;
	if (!err && !followed)
		err = scope_symbol_unwind_scan(walk, &guess, &missing);
	if (!err && missing)
		*walk = guess;
	return err;
}
