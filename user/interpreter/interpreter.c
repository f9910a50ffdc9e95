// SPDX-License-Identifier: GPL-2.0-only
/* Finds the interpreter of a process, and reads it by its language. */
#include "interpreter/interpreter.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/lines.h"
#include "interpreter/dynamic.h"
#include "interpreter/hotspot.h"
#include "interpreter/perl.h"
#include "interpreter/php.h"
#include "interpreter/python.h"
#include "interpreter/ruby.h"
#include "interpreter/v8.h"

/* Base names of the interpreters' files. If there is a library it has the state, and not the program that loads it. */
static const struct {
	const char *begin;
	enum scope_interpreter_language language;
	bool library;
	bool whole; /* it is the whole name, and not only its begin */
} files[] = {
	{ "libpython3.", SCOPE_INTERPRETER_PYTHON, true, false },
	{ "python3", SCOPE_INTERPRETER_PYTHON, false, false },
	{ "python", SCOPE_INTERPRETER_PYTHON, false, false },
	{ "libphp", SCOPE_INTERPRETER_PHP, true, false },
	{ "php", SCOPE_INTERPRETER_PHP, false, false },
	{ "libjvm.so", SCOPE_INTERPRETER_HOTSPOT, true, false },
	{ "libruby", SCOPE_INTERPRETER_RUBY, true, false },
	{ "ruby", SCOPE_INTERPRETER_RUBY, false, false },
	{ "libperl.so", SCOPE_INTERPRETER_PERL, true, false },
	{ "perl5.", SCOPE_INTERPRETER_PERL, false, false },
	{ "perl", SCOPE_INTERPRETER_PERL, false, true },
	{ "libnode.so", SCOPE_INTERPRETER_V8, true, false },
	{ "node", SCOPE_INTERPRETER_V8, false, true },
	{ "nodejs", SCOPE_INTERPRETER_V8, false, true },
};

#define FILES (sizeof(files) / sizeof(files[0]))

static bool is_file(size_t i, const char *name)
{
	const size_t length = strlen(files[i].begin);

	return !strncmp(name, files[i].begin, length) && (!files[i].whole || !name[length]);
}

/* The version in a name: "3.11" in "libpython3.11.so.1.0" or "python3.11". 0: the name has none. */
static uint32_t version_of(const char *name)
{
	const char *at = strpbrk(name, "0123456789");
	unsigned major, minor;

	if (!at || sscanf(at, "%u.%u", &major, &minor) != 2 || major > UINT8_MAX || minor > UINT8_MAX)
		return 0;
	return major << 8 | minor;
}

/* Reads one line of /proc/PID/maps: the start of the mapping of a file's begin, and the file's base name. */
static bool read_line(const char *line, uint64_t *ret_start, const char **ret_name)
{
	const char *slash = strrchr(line, '/');
	uint64_t start, end, offset;

	if (!slash || sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &start, &end, &offset) != 3 || offset)
		return false;
	*ret_start = start;
	*ret_name = slash + 1;
	return true;
}

enum scope_interpreter_language scope_interpreter_of_path(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < FILES; i++)
		if (is_file(i, name))
			return files[i].language;
	return SCOPE_INTERPRETER_NONE;
}

enum scope_interpreter_language scope_interpreter_of_maps(const char *maps, uint64_t *ret_start, uint32_t *ret_version)
{
	enum scope_interpreter_language language = SCOPE_INTERPRETER_NONE;
	bool library = false;

	char line[PATH_MAX + 128]; /* no rule: 128: for the columns before the path */

	while (scope_lines_take(&maps, line, sizeof(line))) {
		const char *name;
		uint64_t start;

		if (!read_line(line, &start, &name))
			continue;
		for (size_t i = 0; i < FILES; i++) {
			if (!is_file(i, name) || (language && !files[i].library) || library)
				continue;
			language = files[i].language;
			library = files[i].library;
			*ret_start = start;
			*ret_version = version_of(name);
		}
	}
	return language;
}

/* NULL: the language does not have this function. */
struct reader {
	enum scope_interpreter_found (*find)(struct scope_memory *, const struct scope_dynamic *,
					     struct scope_interpreter *);
	size_t (*threads)(struct scope_memory *, const struct scope_interpreter *, struct scope_interpreted_thread *,
			  size_t max);
	bool (*is_thread)(struct scope_memory *, const struct scope_interpreter *,
			  const struct scope_interpreted_thread *);
	enum scope_interpreter_read (*frames)(struct scope_memory *, const struct scope_interpreter *, uint64_t state,
					      struct scope_interpreted_frames *);
	enum scope_interpreter_left (*leave)(struct scope_memory *, const struct scope_interpreter *,
					     const struct scope_stack_words *, struct scope_native_frame *,
					     struct scope_left_functions *);
	bool (*name)(struct scope_memory *, const struct scope_interpreter *, uint64_t function,
		     char ret_name[SCOPE_INTERPRETED_NAME]);
};

static const struct reader readers[] = {
	[SCOPE_INTERPRETER_PYTHON] = { .find = scope_interpreter_python_find,
				       .threads = scope_interpreter_python_threads,
				       .is_thread = scope_interpreter_python_is_thread,
				       .frames = scope_interpreter_python_frames,
				       .name = scope_interpreter_python_name },
	[SCOPE_INTERPRETER_PHP] = { .find = scope_interpreter_php_find,
				    .frames = scope_interpreter_php_frames,
				    .name = scope_interpreter_php_name },
	[SCOPE_INTERPRETER_HOTSPOT] = { .find = scope_interpreter_hotspot_find,
					.threads = scope_interpreter_hotspot_threads,
					.is_thread = scope_interpreter_hotspot_is_thread,
					.frames = scope_interpreter_hotspot_frames,
					.leave = scope_interpreter_hotspot_leave,
					.name = scope_interpreter_hotspot_name },
	[SCOPE_INTERPRETER_RUBY] = { .find = scope_interpreter_ruby_find,
				     .threads = scope_interpreter_ruby_threads,
				     .is_thread = scope_interpreter_ruby_is_thread,
				     .frames = scope_interpreter_ruby_frames,
				     .name = scope_interpreter_ruby_name },
	[SCOPE_INTERPRETER_PERL] = { .find = scope_interpreter_perl_find,
				     .threads = scope_interpreter_perl_threads,
				     .is_thread = scope_interpreter_perl_is_thread,
				     .frames = scope_interpreter_perl_frames,
				     .name = scope_interpreter_perl_name },
	[SCOPE_INTERPRETER_V8] = { .find = scope_interpreter_v8_find,
				   .leave = scope_interpreter_v8_leave,
				   .name = scope_interpreter_v8_name },
};

enum scope_interpreter_found scope_interpreter_find(struct scope_memory *memory,
						    enum scope_interpreter_language language, uint64_t start,
						    uint32_t version, struct scope_interpreter *ret_interpreter)
{
	struct scope_dynamic dynamic;

	*ret_interpreter = (struct scope_interpreter){ .language = language, .version = version };
	if (!scope_interpreter_dynamic_open(memory, start, &dynamic))
		return SCOPE_INTERPRETER_ABSENT;
	return readers[language].find ? readers[language].find(memory, &dynamic, ret_interpreter)
				      : SCOPE_INTERPRETER_ABSENT;
}

size_t scope_interpreter_threads(struct scope_memory *memory, const struct scope_interpreter *interpreter,
				 struct scope_interpreted_thread *ret_thread, size_t max)
{
	const struct reader *reader = &readers[interpreter->language];

	if (reader->threads)
		return reader->threads(memory, interpreter, ret_thread, max);
	/* The thread with which the process began. */
	ret_thread[0] = (struct scope_interpreted_thread){ .state = interpreter->root };
	return 1;
}

bool scope_interpreter_is_thread(struct scope_memory *memory, const struct scope_interpreter *interpreter,
				 const struct scope_interpreted_thread *thread)
{
	const struct reader *reader = &readers[interpreter->language];

	return reader->is_thread ? reader->is_thread(memory, interpreter, thread) : thread->state == interpreter->root;
}

/* Offsets of the thread's number in struct pthread: glibc on x86-64 and arm64, musl on both. */
static const uint32_t number_at[] = { 720, 208, 48, 56 };

uint32_t scope_interpreter_thread_of_handle(struct scope_memory *memory, uint64_t handle,
					    bool (*is_thread)(void *context, uint32_t tid), void *context)
{
	for (size_t i = 0; i < sizeof(number_at) / sizeof(number_at[0]); i++) {
		uint32_t number;

		if (scope_interpreter_memory_get(memory, handle + number_at[i], &number, sizeof(number)) && number &&
		    is_thread(context, number))
			return number;
	}
	return 0;
}

enum scope_interpreter_read scope_interpreter_frames(struct scope_memory *memory,
						     const struct scope_interpreter *interpreter, uint64_t state,
						     struct scope_interpreted_frames *ret_frames)
{
	const struct reader *reader = &readers[interpreter->language];

	ret_frames->count = 0;
	return reader->frames ? reader->frames(memory, interpreter, state, ret_frames) : SCOPE_INTERPRETER_EMPTY;
}

enum scope_interpreter_left scope_interpreter_leave(struct scope_memory *memory,
						    const struct scope_interpreter *interpreter,
						    const struct scope_stack_words *stack,
						    struct scope_native_frame *frame,
						    struct scope_left_functions *ret_functions)
{
	const struct reader *reader = &readers[interpreter->language];

	ret_functions->count = 0;
	return reader->leave ? reader->leave(memory, interpreter, stack, frame, ret_functions)
			     : SCOPE_INTERPRETER_NOT_LEFT;
}

bool scope_interpreter_name(struct scope_memory *memory, const struct scope_interpreter *interpreter, uint64_t function,
			    char ret_name[SCOPE_INTERPRETED_NAME])
{
	return readers[interpreter->language].name(memory, interpreter, function, ret_name);
}
