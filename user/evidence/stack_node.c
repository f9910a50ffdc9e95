// SPDX-License-Identifier: GPL-2.0-only
/* Adds one stack to the tree of program functions, and keeps its addresses. */
#include "evidence/stack_node.h"

#include <errno.h>
#include <string.h>

#include "base/grow.h"
#include "symbol/goname.h"
#include "symbol/runtime.h"

/* Keeps a stack for a later look at the source. */
static int keep_frames(struct scope_evidence *evidence, uint32_t tgid, unsigned flags, const uint64_t *address,
		       unsigned count, uint32_t *ret_frames)
{
	size_t at = evidence->frame_words ? evidence->frame_words : 1; /* 0 is none */

	*ret_frames = 0;
	if (!count || at + 2 + count > UINT32_MAX)
		return 0;
	if (scope_grow(&evidence->frames, &evidence->frame_capacity, at + 2 + count, sizeof(*evidence->frames)))
		return -ENOMEM;
	evidence->frames[at] = tgid | (uint64_t)flags << 32;
	evidence->frames[at + 1] = count;
	memcpy(&evidence->frames[at + 2], address, count * sizeof(*address));
	evidence->frame_words = at + 2 + count;
	*ret_frames = (uint32_t)at;
	return 0;
}

/* Functions of a stack, innermost first, each at its outermost place. */
struct path {
	const struct scope_function *function[SCOPE_PATH_MAX];
	uint64_t address[SCOPE_PATH_MAX];
	unsigned length;
	uint16_t called; /* by a library, the functions with these numbers */
	bool cut;	 /* there were more */
	struct scope_circle circle[SCOPE_STACK_NODE_CIRCLES];
	unsigned circles;
};

/* Notes that a function met at one place, innermost first, is met again after the others. */
static void note_circle(struct path *path, unsigned at)
{
	struct scope_circle circle = { .function = path->function[at], .count = path->length - at - 1 };
	unsigned number = 0;

	for (unsigned i = 0; i < circle.count && i < SCOPE_CIRCLE_MAX; i++)
		circle.by[i] = path->function[path->length - 1 - i];
	/* Only the outermost circle is counted, because a second round repeats it. */
	while (number < path->circles && path->circle[number].function != circle.function)
		number++;
	if (number == SCOPE_STACK_NODE_CIRCLES)
		return;
	if (number == path->circles)
		path->circles++;
	path->circle[number] = circle;
}

static void path_called(struct path *path)
{
	if (path->length && path->length <= SCOPE_FRAMES_CALLED)
		path->called |= (uint16_t)(1u << (path->length - 1));
}

static void path_add(struct path *path, const struct scope_function *function, uint64_t address)
{
	unsigned at = 0;

	/* As in the tree, a function that calls itself is entered once, at its outermost place. */
	while (at < path->length && path->function[at] != function)
		at++;
	if (at < path->length) {
		note_circle(path, at);
		path->length = at + 1;
		if (at < SCOPE_FRAMES_CALLED)
			path->called &= (uint16_t)((1u << at) - 1);
	} else if (path->length == SCOPE_PATH_MAX) {
		path->cut = true;
	} else {
		path->address[path->length] = address;
		path->function[path->length++] = function;
	}
}

/* A function of a language's standard library that an interpreter runs. */
static bool is_interpreted(const struct scope_function *function)
{
	return function->language && scope_symbol_runtime_names(function->symbol);
}

/* The body of a script: what main() is to other programs. */
static bool is_body(const struct scope_function *function)
{
	static const char *const bodies[] = { "py::<module>:", "rb::<main>:", "rb::<top (required)>:", "pl::<main>:" };

	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++)
		if (!strncmp(function->symbol, bodies[i], strlen(bodies[i])))
			return true;
	return false;
}

/* True if nothing but bodies of scripts runs the library. */
static bool only_bodies(const struct path *own)
{
	for (unsigned i = 0; i < own->length; i++)
		if (!is_body(own->function[i]))
			return false;
	return true;
}

/*
 * Code without a name that a library made and calls itself, as PCRE2 compiles patterns, is a part of that library. What a language's
 * runtime compiles is the program's.
 */
static void drop_made(struct path *own, const struct scope_function *caller)
{
	const struct scope_function *innermost = own->length == 1 ? own->function[0] : NULL;

	if (innermost && !innermost->known && innermost->path[0] == '[' && caller->library && !caller->language &&
	    !scope_symbol_runtime_of_path(caller->path))
		own->length = 0;
}

static int insert(const struct scope_stack_nodes *stack_nodes, uint32_t tgid, const struct path *path, unsigned flags,
		  struct scope_stack_node *ret_stack_node)
{
	const struct scope_function *outermost_first[SCOPE_PATH_MAX];
	int err;

	for (unsigned i = 0; i < path->length; i++)
		outermost_first[i] = path->function[path->length - 1 - i];
	memcpy(ret_stack_node->circle, path->circle, sizeof(path->circle));
	ret_stack_node->circles = path->circles;
	err = scope_evidence_tree_insert(&stack_nodes->evidence->tree, outermost_first, path->length,
					 &ret_stack_node->node);
	if (err || stack_nodes->namesakes)
		return err;
	flags |= (path->cut ? SCOPE_UNWIND_CUT : 0) | (unsigned)path->called << SCOPE_FRAMES_CALLED;
	return keep_frames(stack_nodes->evidence, tgid, flags, path->address, path->length, &ret_stack_node->frames);
}

/*
 * Addresses, innermost first, as scope_symbols_unwind() gives them with its flags; what goes beyond SCOPE_PATH_MAX different program
 * functions is left out. The outermost function of a library that calls closures or tasks is where a thread or a task begins. An inner one
 * counts as the program's if nothing of the program, and no search for a task, is inside: the compiler put it there. 0, -ENOMEM.
 */
static int of_addresses(const struct scope_stack_nodes *stack_nodes, uint32_t tgid, const uint64_t *ips, unsigned count,
			unsigned flags, struct scope_stack_node *ret_stack_node)
{
	const struct scope_function *below = NULL, *last_library = NULL, *begin = NULL;
	uint64_t begun_at = 0;
	struct path own = { .length = 0 }, interpreted = { .length = 0 };
	bool language = false, foldered = false, executor = false;
	int err;

	*ret_stack_node = (struct scope_stack_node){ .node = SCOPE_TREE_ROOT };
	for (unsigned i = 0; i < count && !own.cut; i++) {
		const struct scope_function *function;

		err = scope_symbols_lookup(stack_nodes->symbols, tgid, ips[i], i > 0, &function);
		if (err)
			return err;
		if (stack_nodes->namesakes)
			function = scope_symbol_namesakes_find(stack_nodes->namesakes, function);
		ret_stack_node->unnamed |= function->path[0] == '[' &&
					   (!function->known || !strcmp(function->symbol, "Interpreter"));
		executor |= function->of_library == SCOPE_STDNAME_EXECUTOR;
		if ((function->library || function->path[0] == '\0') &&
		    (own.length || executor || function->of_library != SCOPE_STDNAME_CALLS)) {
			drop_made(&own, function);
			path_called(&own);
			last_library = function;
			if (function->of_library == SCOPE_STDNAME_CALLS && !executor) {
				begin = function;
				begun_at = ips[i] - (i > 0);
			}
			if (own.length && !ret_stack_node->above && function->language)
				ret_stack_node->above = function;
			language |= function->language || function->runtime;
			ret_stack_node->language |= function->language;
			ret_stack_node->runtime |= function->runtime;
			foldered |= !own.length && function->folder;
			ret_stack_node->idle |= function->language && scope_symbol_go_name_is_idle(function->name);
			if (!own.length && is_interpreted(function))
				path_add(&interpreted, function, ips[i] - (i > 0));
			continue;
		}
		if (!own.length)
			below = last_library;
		ret_stack_node->above = begin = NULL;
		path_add(&own, function, ips[i] - (i > 0));
	}
	if (begin)
		path_add(&own, begin, begun_at);
	ret_stack_node->bare = only_bodies(&own) && flags & SCOPE_UNWIND_COMPLETE;
	/* A server that is all of its language's library is known by the functions of that. */
	if (interpreted.length && only_bodies(&own)) {
		for (unsigned i = 0; i < own.length; i++)
			path_add(&interpreted, own.function[i], own.address[i]);
		return insert(stack_nodes, tgid, &interpreted, flags, ret_stack_node);
	}
	ret_stack_node->idle &= !own.length;
	ret_stack_node->runtime &= !own.length;
	ret_stack_node->language &= !own.length;
	stack_nodes->evidence->nameless += !own.length;
	stack_nodes->evidence->language += !own.length && language;
	stack_nodes->evidence->foldered += own.length && foldered;
	ret_stack_node->below = below;
	return insert(stack_nodes, tgid, &own, flags, ret_stack_node);
}

int scope_evidence_stack_node_of_frames(const struct scope_stack_nodes *stack_nodes, uint32_t tgid, const uint64_t *ips,
					unsigned count, uint8_t ended, struct scope_stack_node *ret_stack_node)
{
	struct scope_evidence *evidence = stack_nodes->evidence;

	if (!count) {
		*ret_stack_node = (struct scope_stack_node){ .node = SCOPE_TREE_ROOT };
		evidence->broken++;
		return 0;
	}
	evidence->stacks++;
	evidence->complete += !!(ended & SCOPE_FRAMES_COMPLETE);
	evidence->cut += !!(ended & SCOPE_FRAMES_CUT);
	evidence->broken += !!(ended & SCOPE_FRAMES_BROKEN);
	return of_addresses(stack_nodes, tgid, ips, count, ended, ret_stack_node);
}

int scope_evidence_stack_node_of_copy(const struct scope_stack_nodes *stack_nodes, uint32_t tgid, const uint64_t *reg,
				      unsigned regs, const uint8_t *data, size_t bytes,
				      struct scope_stack_node *ret_stack_node)
{
	uint64_t ips[SCOPE_FRAMES_MAX];
	unsigned count = 0, flags = SCOPE_UNWIND_BROKEN;
	int err = scope_symbols_unwind(stack_nodes->symbols, tgid, reg, regs, data, bytes, ips, SCOPE_FRAMES_MAX,
				       &count, &flags);

	if (err && err != -EINVAL)
		return err;
	return scope_evidence_stack_node_of_frames(stack_nodes, tgid, ips, count,
						   (uint8_t)(flags & ~SCOPE_UNWIND_UNMAPPED), ret_stack_node);
}

int scope_evidence_stack_node_of_event(const struct scope_stack_nodes *stack_nodes, uint32_t tgid,
				       const struct scope_event *event, struct scope_stack_node *ret_stack_node)
{
	if (event->stack.ended)
		return scope_evidence_stack_node_of_frames(stack_nodes, tgid, event->stack.ip, event->stack.ips,
							   event->stack.ended, ret_stack_node);
	if (event->stack.ips)
		return of_addresses(stack_nodes, tgid, event->stack.ip, event->stack.ips,
				    event->flags & SCOPE_STACK_CUT ? SCOPE_UNWIND_CUT : SCOPE_UNWIND_COMPLETE,
				    ret_stack_node);
	return scope_evidence_stack_node_of_copy(stack_nodes, tgid, event->stack.reg, event->stack.regs,
						 event->stack.data, event->stack.bytes, ret_stack_node);
}
