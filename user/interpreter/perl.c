// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the frames of Perl 5.28 to 5.42.
 *
 *   PL_curinterp ─► interpreter ─► stack ─► stack outside of it, of what called a sub from C …
 *                      │              │ contexts, an array: blocks, subs, evals
 *                      │              └► code of a sub ─► its name, file
 *                      └► statement (COP) ─► file
 *
 * A build without threads has the interpreter's members in separate variables. Sort, a regular expression, a
 * destructor, a tied variable and a handler of a signal run their subs on a new stack. Functions in C, operators and
 * XSUBs have no context; they are on the native stack.
 */
#include "interpreter/perl.h"

#include <string.h>

#include "interpreter/frame_middle.h"
#include "interpreter/perl_objects.h"
#include "interpreter/perl_offsets.h"

#define STACKS_MAX 64	  /* nested stacks */
#define CONTEXTS_MAX 4096 /* contexts that are read: most are blocks and loops */

/* Offsets that are equal in all these versions, by offsetof(). */
#define STACK_CONTEXTS 8
#define STACK_OUTER 16
#define STACK_LAST 32 /* the number of the innermost context; -1: there is none */
#define STACK_ROOM 36 /* the number of the last context for which there is room */
#define STACK_MAIN 1  /* the type of the outermost one */
#define CONTEXT_STATEMENT 16
#define CONTEXT_BYTES_MAX 104
#define TYPE_MASK 15u /* the type of a context; the other bits are flags of that type */
#define TYPE_SUB 9
#define TYPE_FORMAT 10
#define TYPE_EVAL 11
#define SUB_AGAIN 0x80u /* the sub again, for code in a regular expression of it */
#define EVAL_CODE 0x40u /* eval { }, … */
#define EVAL_TEXT 0x20u /* … eval '', … */
#define EVAL_TRY 0x80u	/* … try { }: these belong to the sub around them; a file that is required does not */
#define ROOT_PACKAGE "main"
#define CHECKS 3 /* no rule: attempts, because the thread runs while it is read */

/* Finds the variables of a build without threads. */
static bool place_globals(struct scope_memory *memory, const struct scope_dynamic *dynamic,
			  struct scope_perl_offsets *offsets)
{
	uint64_t statement, stacks, stash;

	if (!scope_interpreter_dynamic_find(memory, dynamic, "PL_curcop", &statement) ||
	    !scope_interpreter_dynamic_find(memory, dynamic, "PL_curstackinfo", &stacks) ||
	    !scope_interpreter_dynamic_find(memory, dynamic, "PL_defstash", &stash))
		return false;
	offsets->globals = true;
	offsets->statement = statement;
	offsets->stacks = stacks;
	offsets->main_stash = stash;
	return true;
}

/* The address to which the offsets of the interpreter's members are added. */
static uint64_t base_of(const struct scope_interpreter *interpreter, uint64_t state)
{
	return interpreter->perl.globals ? 0 : state;
}

struct stack {
	uint64_t contexts, outer;
	int32_t last, type;
};

static bool read_stack(struct scope_memory *memory, const struct scope_perl_offsets *offsets, uint64_t at,
		       struct stack *ret_stack)
{
	return scope_interpreter_memory_word(memory, at + STACK_CONTEXTS, &ret_stack->contexts) &&
	       scope_interpreter_memory_word(memory, at + STACK_OUTER, &ret_stack->outer) &&
	       scope_interpreter_memory_get(memory, at + STACK_LAST, &ret_stack->last, sizeof(ret_stack->last)) &&
	       scope_interpreter_memory_get(memory, at + offsets->stack_type, &ret_stack->type,
					    sizeof(ret_stack->type));
}

/* True if the memory has the form of stacks, the outermost of which is the main stack. */
static bool are_stacks(struct scope_memory *memory, const struct scope_perl_offsets *offsets, uint64_t at)
{
	struct stack stack = { 0 };
	int32_t room;

	for (unsigned i = 0; i < STACKS_MAX && stack.type != STACK_MAIN; i++, at = stack.outer)
		if (!read_stack(memory, offsets, at, &stack) ||
		    !scope_interpreter_memory_get(memory, at + STACK_ROOM, &room, sizeof(room)) || stack.last < -1 ||
		    stack.last > room)
			return false;
	return stack.type == STACK_MAIN;
}

/*
 * Checks the offsets: the root of all packages has a known name, and stacks have a known form. A build with other
 * options has its members at other places.
 */
static enum scope_interpreter_found check(struct scope_memory *memory, const struct scope_interpreter *interpreter)
{
	char name[2 * sizeof(ROOT_PACKAGE)];
	uint64_t state, stash, stacks;

	if (!scope_interpreter_memory_word(memory, interpreter->root, &state) || !state ||
	    !scope_interpreter_memory_word(memory, base_of(interpreter, state) + interpreter->perl.main_stash,
					   &stash) ||
	    !stash)
		return SCOPE_INTERPRETER_ABSENT;
	return scope_interpreter_perl_package(memory, interpreter, stash, name, sizeof(name)) &&
			       !strcmp(name, ROOT_PACKAGE) &&
			       scope_interpreter_memory_word(
				       memory, base_of(interpreter, state) + interpreter->perl.stacks, &stacks) &&
			       are_stacks(memory, &interpreter->perl, stacks)
		       ? SCOPE_INTERPRETER_FOUND
		       : SCOPE_INTERPRETER_UNKNOWN;
}

enum scope_interpreter_found scope_interpreter_perl_find(struct scope_memory *memory,
							 const struct scope_dynamic *dynamic,
							 struct scope_interpreter *interpreter)
{
	static const char *const parts[] = { "PL_revision", "PL_version" };
	enum scope_interpreter_found found = SCOPE_INTERPRETER_UNKNOWN;
	uint64_t at;

	interpreter->version = 0;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		uint8_t part;

		if (!scope_interpreter_dynamic_find(memory, dynamic, parts[i], &at) ||
		    !scope_interpreter_memory_get(memory, at, &part, sizeof(part)))
			return SCOPE_INTERPRETER_ABSENT;
		interpreter->version = interpreter->version << 8 | part;
	}
	if (!scope_interpreter_dynamic_find(memory, dynamic, "PL_curinterp", &interpreter->root))
		return SCOPE_INTERPRETER_ABSENT;
	if (!scope_interpreter_perl_offsets(interpreter->version, &interpreter->perl))
		return SCOPE_INTERPRETER_UNKNOWN;
	if (!scope_interpreter_dynamic_find(memory, dynamic, "PL_thr_key", &at) &&
	    !place_globals(memory, dynamic, &interpreter->perl))
		return SCOPE_INTERPRETER_UNKNOWN;
	for (int i = 0; i < CHECKS && found == SCOPE_INTERPRETER_UNKNOWN; i++) {
		scope_interpreter_memory_begin(memory, memory->left);
		found = check(memory, interpreter);
	}
	return found;
}

/*
 * Gives only the first interpreter, with which the process began. Perl's own threads, which are rare in servers, have
 * others.
 */
size_t scope_interpreter_perl_threads(struct scope_memory *memory, const struct scope_interpreter *interpreter,
				      struct scope_interpreted_thread *ret_thread, size_t max)
{
	*ret_thread = (struct scope_interpreted_thread){ 0 };
	return max && scope_interpreter_memory_word(memory, interpreter->root, &ret_thread->state) && ret_thread->state;
}

bool scope_interpreter_perl_is_thread(struct scope_memory *memory, const struct scope_interpreter *interpreter,
				      const struct scope_interpreted_thread *thread)
{
	uint64_t state;

	return scope_interpreter_memory_word(memory, interpreter->root, &state) && state == thread->state;
}

/* ---- frames ---- */

struct walk {
	struct scope_memory *memory;
	const struct scope_interpreter *interpreter;
	struct scope_interpreted_frames *frames;
	struct scope_frame_middle middle;
	uint64_t statement; /* the statement at which the next frame is */
	unsigned contexts;
	bool ended; /* there is no room for more frames */
};

/* Adds a function. Returns false if it is 0. */
static bool add(struct walk *walk, uint64_t function)
{
	if (!function)
		return false;
	if (walk->frames->count == SCOPE_INTERPRETED_FRAMES)
		walk->ended = walk->frames->cut = true;
	else
		walk->frames->function[walk->frames->count++] = function;
	return true;
}

static bool add_sub(struct walk *walk, uint64_t context, uint64_t code)
{
	if (!add(walk, scope_interpreter_perl_sub(walk->memory, code)))
		return false;
	scope_interpreter_middle_note(&walk->middle, walk->frames->count,
				      context + walk->interpreter->perl.context_code, code);
	return true;
}

/* Returns false if the context has changed, or cannot be read. */
static bool read_context(struct walk *walk, uint64_t at)
{
	uint8_t context[CONTEXT_BYTES_MAX], type;
	uint64_t code, statement;
	bool good = true;

	if (!scope_interpreter_memory_get(walk->memory, at, context, walk->interpreter->perl.context_bytes))
		return false;
	type = context[0] & TYPE_MASK;
	if (type != TYPE_SUB && type != TYPE_FORMAT && type != TYPE_EVAL)
		return true;
	memcpy(&code, context + walk->interpreter->perl.context_code, sizeof(code));
	memcpy(&statement, context + CONTEXT_STATEMENT, sizeof(statement));
	if (type != TYPE_EVAL)
		good = context[0] & SUB_AGAIN || add_sub(walk, at, code);
	else if (!(context[0] & (EVAL_CODE | EVAL_TEXT | EVAL_TRY)))
		good = add(walk, scope_interpreter_perl_body(walk->memory, walk->interpreter, walk->statement));
	/* The statement of the call. */
	walk->statement = statement;
	return good;
}

static bool read_contexts(struct walk *walk, const struct stack *stack)
{
	for (int64_t i = stack->last; i >= 0 && !walk->ended; i--) {
		const uint32_t before = walk->frames->count;

		if (walk->contexts++ == CONTEXTS_MAX) {
			walk->ended = walk->frames->cut = true;
			return true;
		}
		if (read_context(walk, stack->contexts + (uint64_t)i * walk->interpreter->perl.context_bytes))
			continue;
		/* Perl counts the innermost context before it fills it. */
		if (before || i != stack->last)
			return false;
	}
	return true;
}

enum scope_interpreter_read scope_interpreter_perl_frames(struct scope_memory *memory,
							  const struct scope_interpreter *interpreter, uint64_t state,
							  struct scope_interpreted_frames *ret_frames)
{
	const struct scope_perl_offsets *offsets = &interpreter->perl;
	const uint64_t base = base_of(interpreter, state);
	struct walk walk = { .memory = memory, .interpreter = interpreter, .frames = ret_frames };
	struct stack stack = { 0 };
	uint64_t at;

	ret_frames->count = 0;
	ret_frames->cut = false;
	if (!scope_interpreter_memory_word(memory, base + offsets->statement, &walk.statement) ||
	    !scope_interpreter_memory_word(memory, base + offsets->stacks, &at))
		return SCOPE_INTERPRETER_UNREADABLE;
	for (unsigned i = 0; at && stack.type != STACK_MAIN && !walk.ended; i++, at = stack.outer)
		if (i == STACKS_MAX || !read_stack(memory, offsets, at, &stack) || !read_contexts(&walk, &stack))
			return ret_frames->count ? SCOPE_INTERPRETER_TORN : SCOPE_INTERPRETER_UNREADABLE;
	/* The script outside of all subs. Before it begins there is no statement. */
	if (!walk.ended)
		add(&walk, scope_interpreter_perl_body(memory, interpreter, walk.statement));
	if (!scope_interpreter_middle_holds(memory, &walk.middle))
		return SCOPE_INTERPRETER_TORN;
	return ret_frames->count ? SCOPE_INTERPRETER_READ : SCOPE_INTERPRETER_EMPTY;
}
