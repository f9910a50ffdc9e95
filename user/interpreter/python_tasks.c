// SPDX-License-Identifier: GPL-2.0-only
/* Reads from outside where tasks of asyncio wait, for CPython 3.8 to 3.13. */
#include "interpreter/python_tasks.h"

#include <string.h>

#include "interpreter/python_objects.h"

#define INTERPRETER_BYTES                                                                                              \
	(64u << 10)	     /* bytes of the interpreter's structure in which the dictionary of modules is searched */
#define OBJECT_WORDS 26	     /* words of a task or a function in which an object of a type is searched */
#define BEFORE_OBJECT 32     /* bytes before an object of a class, where its members may be, … */
#define MEMBER_WORDS 16	     /* … and the number of words from there on */
#define VALUES 8	     /* the most members of a WeakSet */
#define ARRAY_MARK 1	     /* the object has the address of an array minus 1 */
#define TABLE_MAX (1u << 22) /* most rows of the set's table */
#define CHUNK 256	     /* rows that are read at once */

#define MODULE_DICT 16 /* offset in all versions */
#define DICT_VALUES 40 /* offset of the values of an object whose class has the keys */
#define SET_MASK 32
#define SET_TABLE 40
#define WEAK_REFERENCE_TO 16
#define WRAPPED 16 /* offset of the coroutine or generator in an object that continues it */

/* ---- the set of all tasks ---- */

static bool find_modules(struct scope_memory *memory, const struct scope_interpreter *interpreter, uint64_t *ret_dict)
{
	uint64_t head, word, value;

	if (!scope_interpreter_memory_word(memory, interpreter->root + interpreter->python.runtime_interpreter, &head))
		return false;
	for (uint64_t at = 0; at < INTERPRETER_BYTES; at += sizeof(word)) {
		if (!scope_interpreter_memory_word(memory, head + at, &word))
			return false;
		if (scope_interpreter_python_is(memory, word, interpreter->types.dict) &&
		    scope_interpreter_python_dict_get(memory, interpreter, word, "builtins", &value) &&
		    scope_interpreter_python_dict_get(memory, interpreter, word, "sys", &value)) {
			*ret_dict = word;
			return true;
		}
	}
	return false;
}

/* Finds the first of these objects that has this type. */
static bool find_of_type(struct scope_memory *memory, uint64_t at, unsigned words, uint64_t type, uint32_t *ret_offset)
{
	for (uint32_t i = 0; i < words; i++) {
		uint64_t object;

		if (scope_interpreter_memory_word(memory, at + i * sizeof(object), &object) &&
		    scope_interpreter_python_is(memory, object, type)) {
			*ret_offset = i * sizeof(object);
			return true;
		}
	}
	return false;
}

static bool first_set(struct scope_memory *memory, const struct scope_interpreter *interpreter, uint64_t at,
		      unsigned words, uint64_t *ret_set)
{
	uint32_t offset;

	return find_of_type(memory, at, words, interpreter->types.set, &offset) &&
	       scope_interpreter_memory_word(memory, at + offset, ret_set);
}

/*
 * Finds the set with the references of a WeakSet: its first member that is a set. Members are, depending on the
 * version, in a dictionary, in an array to which the dictionary or the object points, or in the object.
 */
static bool find_set(struct scope_memory *memory, const struct scope_interpreter *interpreter, uint64_t weak_set,
		     uint64_t *ret_set)
{
	const uint64_t begin = weak_set - BEFORE_OBJECT;

	if (first_set(memory, interpreter, begin, MEMBER_WORDS, ret_set))
		return true;
	for (unsigned i = 0; i < MEMBER_WORDS; i++) {
		uint64_t word, values;

		if (!scope_interpreter_memory_word(memory, begin + i * sizeof(word), &word) || !word)
			continue;
		word += word & ARRAY_MARK;
		if (scope_interpreter_python_is(memory, word, interpreter->types.dict)) {
			if (scope_interpreter_python_dict_get(memory, interpreter, word, "data", ret_set) &&
			    scope_interpreter_python_is(memory, *ret_set, interpreter->types.set))
				return true;
			if (scope_interpreter_memory_word(memory, word + DICT_VALUES, &values) &&
			    first_set(memory, interpreter, values, VALUES, ret_set))
				return true;
		} else if (first_set(memory, interpreter, word, VALUES, ret_set)) {
			return true;
		}
	}
	return false;
}

static uint64_t find_sleep(struct scope_memory *memory, const struct scope_interpreter *interpreter, uint64_t module)
{
	uint64_t function, code;
	uint32_t offset;

	return scope_interpreter_python_dict_get(memory, interpreter, module, "sleep", &function) &&
			       find_of_type(memory, function, OBJECT_WORDS, interpreter->code_type, &offset) &&
			       scope_interpreter_memory_word(memory, function + offset, &code)
		       ? code
		       : 0;
}

bool scope_interpreter_python_tasks_find(struct scope_memory *memory, const struct scope_interpreter *interpreter,
					 struct scope_python_tasks *tasks)
{
	const struct scope_python_types *types = &interpreter->types;
	uint64_t module, weak_set;

	if (!types->dict || !types->set || !types->coroutine || !interpreter->code_type ||
	    !scope_interpreter_python_knows_tasks(interpreter->version))
		return false;
	if (!tasks->modules && !find_modules(memory, interpreter, &tasks->modules))
		return false;
	if (!scope_interpreter_python_dict_get(memory, interpreter, tasks->modules, "asyncio.tasks", &module) ||
	    !scope_interpreter_memory_word(memory, module + MODULE_DICT, &module) ||
	    /* The names from 3.12 on, and before. */
	    (!scope_interpreter_python_dict_get(memory, interpreter, module, "_scheduled_tasks", &weak_set) &&
	     !scope_interpreter_python_dict_get(memory, interpreter, module, "_all_tasks", &weak_set)))
		return false;
	tasks->sleep = find_sleep(memory, interpreter, module);
	return find_set(memory, interpreter, weak_set, &tasks->set);
}

/* ---- one task ---- */

/* Finds the task's coroutine. */
static bool coroutine_of(struct scope_memory *memory, const struct scope_interpreter *interpreter,
			 struct scope_python_tasks *tasks, uint64_t task, uint64_t *ret_coroutine)
{
	if (!tasks->coroutine &&
	    !find_of_type(memory, task, OBJECT_WORDS, interpreter->types.coroutine, &tasks->coroutine))
		return false;
	return scope_interpreter_memory_word(memory, task + tasks->coroutine, ret_coroutine);
}

static uint64_t hash_on(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 1099511628211ull; /* no rule: FNV-1a, of words */
	return hash ^ hash >> 32;		 /* no rule */
}

/*
 * Reads the functions of a task from the outermost to the innermost. Returns their number; 0: the task does not wait.
 */
static uint16_t read_task(struct scope_memory *memory, const struct scope_interpreter *interpreter,
			  const struct scope_python_tasks *tasks, uint64_t first, uint64_t *code, bool *ret_cut,
			  uint64_t *ret_hash)
{
	struct scope_python_coroutine now;
	uint64_t at = first, hash = first, outer = 0;
	uint16_t count = 0;

	*ret_cut = false;
	while (scope_interpreter_python_coroutine(memory, interpreter, at, &now)) {
		if (count == SCOPE_WAITING_FRAMES) {
			*ret_cut = true;
			break;
		}
		code[count++] = now.code;
		outer = hash;
		hash = hash_on(hash_on(hash_on(hash, at), now.instruction), now.awaits);
		at = now.awaits;
	}
	if (!count)
		return 0;
	*ret_hash = tasks->sleep && code[count - 1] == tasks->sleep ? outer : hash;
	return count;
}

static void look_at(struct scope_memory *memory, const struct scope_interpreter *interpreter,
		    struct scope_python_tasks *tasks, uint64_t reference, uint64_t now_ns,
		    struct scope_waiting_tasks *waiting, struct scope_waiting_places *places)
{
	uint64_t task, coroutine, hash, code[SCOPE_WAITING_FRAMES], inner_first[SCOPE_WAITING_FRAMES];
	uint16_t count;
	bool cut;

	if (!scope_interpreter_memory_word(memory, reference + WEAK_REFERENCE_TO, &task) ||
	    !coroutine_of(memory, interpreter, tasks, task, &coroutine))
		return;
	places->looked++;
	count = read_task(memory, interpreter, tasks, coroutine, code, &cut, &hash);
	for (uint16_t i = 0; i < count; i++)
		inner_first[i] = code[count - 1 - i];
	if (count)
		scope_interpreter_waiting_add(places, inner_first, count, cut,
					      scope_interpreter_waiting_s(waiting, task, hash, now_ns));
}

/* ---- all of them ---- */

bool scope_interpreter_python_tasks_look(struct scope_memory *memory, const struct scope_interpreter *interpreter,
					 struct scope_python_tasks *tasks, uint32_t reads, uint64_t now_ns,
					 struct scope_waiting_tasks *waiting, struct scope_waiting_places *ret_places)
{
	uint64_t mask, table, row[CHUNK][2];

	scope_interpreter_memory_begin_with(memory, reads, &tasks->pages);
	scope_interpreter_waiting_begin(waiting, ret_places);
	if (!scope_interpreter_python_is(memory, tasks->set, interpreter->types.set) ||
	    !scope_interpreter_memory_word(memory, tasks->set + SET_MASK, &mask) ||
	    !scope_interpreter_memory_word(memory, tasks->set + SET_TABLE, &table) || mask >= TABLE_MAX)
		return false;
	for (uint64_t i = 0; i <= mask; i += CHUNK) {
		const uint64_t rows = mask + 1 - i < CHUNK ? mask + 1 - i : CHUNK;

		if (!scope_interpreter_memory_now(memory, table + i * sizeof(*row), row, rows * sizeof(*row)))
			return i;
		for (uint64_t j = 0; j < rows && ret_places->looked < SCOPE_WAITING_TASKS_MAX; j++)
			if (row[j][0])
				look_at(memory, interpreter, tasks, row[j][0], now_ns, waiting, ret_places);
	}
	scope_interpreter_memory_used(memory, &tasks->pages);
	return true;
}
