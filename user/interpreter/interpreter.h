/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads from outside which functions an interpreter runs, with their names in the language: Python, PHP, Ruby, Perl,
 * Java and JavaScript.
 *
 *   mappings of the process ──► find() ──► threads() ──► frames() ──► name()
 *                                 └─────► leave(), on a copied native stack ──► name()
 *
 * An interpreter has its state in variables of its file: _PyRuntime, executor_globals, PL_curinterp, and the variable
 * that leads to Ruby's VM. Structures are read by the offsets of the interpreter's version (python.c, php.c, ruby.c,
 * perl.c; hotspot.c gets the offsets from the JVM). The version is in the interpreter's memory, or in the name of its
 * file. The process is not changed and not stopped, and nothing waits for it. Its memory is not trusted: a pointer is
 * valid only if it can be read and, if objects have types, leads to an object of the right type. Lists are followed up
 * to a limit, and strings are read up to a length.
 */
#ifndef SCOPE_INTERPRETER_INTERPRETER_H
#define SCOPE_INTERPRETER_INTERPRETER_H

#include "interpreter/remote_memory.h"

#define SCOPE_INTERPRETED_FRAMES 256   /* frames of one stack; further outer ones are left out */
#define SCOPE_INTERPRETED_THREADS 1024 /* threads of one process */
#define SCOPE_INTERPRETED_NAME 512     /* bytes of a name, with the zero at its end */

/*
 * In a trace a function has a range of addresses that no process can have, with the function's name. The innermost
 * frame has the first address of the range, a caller's frame the next one.
 */
#define SCOPE_INTERPRETED_BASE (1ull << 60)
#define SCOPE_INTERPRETED_SIZE 16u
#define SCOPE_INTERPRETED_END (SCOPE_INTERPRETED_BASE + (SCOPE_INTERPRETED_SIZE << 20)) /* after all these addresses */
static inline uint64_t scope_interpreter_address_of_name(uint32_t number, bool caller)
{
	return SCOPE_INTERPRETED_BASE + (uint64_t)number * SCOPE_INTERPRETED_SIZE + caller;
}
#define SCOPE_INTERPRETED_ON_STACKS (1ull << 61) /* the same for functions that native stacks have */

enum scope_interpreter_language {
	SCOPE_INTERPRETER_NONE,
	SCOPE_INTERPRETER_PYTHON,
	SCOPE_INTERPRETER_PHP,
	SCOPE_INTERPRETER_HOTSPOT,
	SCOPE_INTERPRETER_RUBY,
	SCOPE_INTERPRETER_PERL,
	SCOPE_INTERPRETER_V8, /* has only leave() and name() */
};

/* Offsets of members in structures of CPython. */
struct scope_python_offsets {
	uint32_t runtime_interpreter, interpreter_next, interpreter_threads;
	uint32_t thread_next, thread_handle, thread_number; /* number: 0 before 3.11 */
	uint32_t thread_frame; /* if cframe is set it leads to the frame by one more step */
	bool cframe;
	uint32_t cframe_frame;
	uint32_t frame_code, frame_back, frame_owner; /* owner: 0 before 3.12 */
	uint32_t code_file, code_name;
	uint32_t type;				      /* the type of an object */
	uint32_t text_length, text_state, text_ascii; /* ascii: the characters of an ASCII string */
};

/* Types of CPython: 0 is not known. */
struct scope_python_types {
	uint64_t dict, set, coroutine, generator, asynchronous_generator;
};

/* The same for Ruby. Offsets that are equal in all versions are in ruby.c and ruby_name.c. */
struct scope_ruby_offsets {
	uint32_t vm_list; /* the list of ractors, or of threads if ractor_threads is 0 */
	uint32_t ractor_node, ractor_threads;
	uint32_t thread_vm, thread_context;
	uint32_t thread_handle, thread_number; /* number: 0 before 3.1 */
	uint32_t thread_native;		       /* leads to these two by one more step; 0: they are in the thread */
	uint32_t context_thread;
	uint32_t frame_bytes;
	uint32_t string_embedded;		       /* the bytes of a short string */
	uint32_t class_extension, extension_variables; /* up to 3.1: a class has its name in one of these */
	uint32_t class_path, class_attached;	       /* from 3.3 on */
	uint32_t singleton;			       /* the flag of the class of one object */
};

/* The same for PHP. */
struct scope_php_offsets {
	uint32_t current; /* of executor_globals, the list of Java's threads */
	uint32_t op_array_file;
};

/* The same for Perl. Offsets that are equal in all versions are in perl.c and perl_name.c. */
struct scope_perl_offsets {
	bool globals; /* a build without threads: the next three are addresses of variables */
	uint64_t main_stash, statement, stacks;
	uint32_t stack_type;
	uint32_t context_code, context_bytes;
	uint32_t hash_names; /* in the body of a hash; 0: the names follow its array */
};

/* The same for HotSpot, with addresses of its variables. */
struct scope_hotspot_offsets {
	uint64_t list, code,
		heaps; /* variables: the list of threads, the interpreter's code, parts of the code cache */
	uint64_t list_length, list_threads;
	uint64_t thread_anchor, thread_system, system_number;
	uint64_t anchor_sp, anchor_fp, anchor_pc;
	uint64_t queue_buffer, queue_limit;
	uint64_t array_length, array_data;
	uint64_t heap_memory, heap_map, heap_shift, space_low, space_high;
	uint64_t block_size; /* size of the head of a block in the code cache */
	uint64_t blob_name, blob_frame, blob_method;
	bool inlines; /* the next members are known */
	uint64_t blob_begin, blob_scopes, blob_methods, blob_pcs, blob_pcs_end;
	uint64_t pc_place, pc_scope, pc_size;
	uint64_t method_const, const_pool, const_name, const_signature;
	uint64_t pool_class, pool_size; /* pool_size: before its entries */
	uint64_t class_name;
	uint64_t symbol_length, symbol_body;
	uint64_t number; /* number of this JVM, among all that were found */
};

/* The same for V8; some of these numbers are types and masks. */
struct scope_v8_offsets {
	int32_t frame_kind, frame_function, frame_regexp;
	int32_t object_map, map_type;
	int32_t function_shared, shared_name, shared_script, script_name, script_source;
	int32_t scope_slots, scope_count, scope_first; /* slots: in bytes; the others in slots */
	int32_t string_length, string_one_byte, string_two_byte, string_first, string_second, string_actual;
	int32_t type_shared, type_scope, type_script;
	int32_t not_string, representation, encoding, one_byte, sequential, cons, thin;
};

struct scope_interpreter {
	enum scope_interpreter_language language;
	uint32_t version; /* major << 8 | minor; 0: not known */
	uint64_t root;	  /* _PyRuntime, executor_globals, Ruby's VM, PL_curinterp, the list of Java's threads */
	uint64_t code_type, text_type; /* Python: the types of code and of strings; 0: not known */
	struct scope_python_types types;
	/*
	 * Ruby: the class Object; up to 3.1 also the variable with a class's name, and the variable with the object of
	 * a singleton class; 0: not known
	 */
	uint64_t object_class, name_variable, attached_variable;
	union {
		struct scope_python_offsets python;
		struct scope_php_offsets php;
		struct scope_ruby_offsets ruby;
		struct scope_perl_offsets perl;
		struct scope_hotspot_offsets hotspot;
		struct scope_v8_offsets v8;
	};
};

struct scope_interpreted_thread {
	uint64_t state; /* for frames() */
	/* The thread's number in the innermost namespace of its process; 0: not known, but it may be at `handle`. */
	uint32_t tid;
	uint64_t handle; /* pthread_t; 0: none */
};

/* The language whose interpreter may be in a file, by the file's name. */
enum scope_interpreter_language scope_interpreter_of_path(const char *path);

/*
 * maps: text of /proc/PID/maps. Returns the language of the process, by the names of its files. start: where the
 * interpreter's file begins.
 */
enum scope_interpreter_language scope_interpreter_of_maps(const char *maps, uint64_t *ret_start, uint32_t *ret_version);

enum scope_interpreter_found {
	SCOPE_INTERPRETER_FOUND,
	SCOPE_INTERPRETER_ABSENT,  /* there is no interpreter, or it has no state yet */
	SCOPE_INTERPRETER_UNKNOWN, /* a version whose offsets are not known: ret_interpreter->version */
};

/* version: from the name of its file, 0: the name has none. */
enum scope_interpreter_found scope_interpreter_find(struct scope_memory *memory,
						    enum scope_interpreter_language language, uint64_t start,
						    uint32_t version, struct scope_interpreter *ret_interpreter);

/* Reads the interpreter's threads, max at most. Returns their number. */
size_t scope_interpreter_threads(struct scope_memory *memory, const struct scope_interpreter *interpreter,
				 struct scope_interpreted_thread *ret_thread, size_t max);

/*
 * The number of the thread with a handle, at the places where glibc and musl keep it, if it is a number of a thread. 0:
 * none.
 */
uint32_t scope_interpreter_thread_of_handle(struct scope_memory *memory, uint64_t handle,
					    bool (*is_thread)(void *context, uint32_t tid), void *context);

/* True if the state still belongs to this thread. */
bool scope_interpreter_is_thread(struct scope_memory *memory, const struct scope_interpreter *interpreter,
				 const struct scope_interpreted_thread *thread);

enum scope_interpreter_read {
	SCOPE_INTERPRETER_READ,
	SCOPE_INTERPRETER_EMPTY, /* the thread runs no function */
	SCOPE_INTERPRETER_UNREADABLE,
	SCOPE_INTERPRETER_TORN, /* the frames changed while they were read */
};

/* Functions that a thread is in, innermost first: addresses for name(). */
struct scope_interpreted_frames {
	uint32_t count;
	bool cut; /* there are more frames */
	uint64_t function[SCOPE_INTERPRETED_FRAMES];
};

enum scope_interpreter_read scope_interpreter_frames(struct scope_memory *memory,
						     const struct scope_interpreter *interpreter, uint64_t state,
						     struct scope_interpreted_frames *ret_frames);

/* Bytes of a stack from when its registers were read. read() returns false if a word was not kept. */
struct scope_stack_words {
	bool (*word)(void *context, uint64_t address, uint64_t *ret_word);
	void *context;
};

/* A frame of a native stack of x86-64. */
struct scope_native_frame {
	uint64_t pc, sp, fp; /* fp: 0 if it is not known */
	bool exact;	     /* pc is the thread's program counter, and no return address */
};

enum scope_interpreter_left {
	SCOPE_INTERPRETER_NOT_LEFT,
	SCOPE_INTERPRETER_LEFT,
	SCOPE_INTERPRETER_LEFT_BY_FRAME_POINTER,
};

/* Functions for name(), innermost first: a compiler may inline several functions into one frame. */
#define SCOPE_LEFT_FUNCTIONS 16
struct scope_left_functions {
	uint32_t count; /* 0: none is known */
	uint64_t function[SCOPE_LEFT_FUNCTIONS];
};

/*
 * Steps from code that a runtime made, of Java or JavaScript, to its caller. NOT_LEFT: it is no such code. LEFT: frame
 * is that of the caller. BY_FRAME_POINTER: frame is unchanged, and its frame pointer leads to the caller.
 */
enum scope_interpreter_left scope_interpreter_leave(struct scope_memory *memory,
						    const struct scope_interpreter *interpreter,
						    const struct scope_stack_words *stack,
						    struct scope_native_frame *frame,
						    struct scope_left_functions *ret_functions);

/*
 * Writes the name as "py::NAME:FILE", "php::CLASS::NAME:FILE", "rb::CLASS#NAME:FILE", "pl::PACKAGE::NAME:FILE" or
 * "js::NAME:FILE", in valid UTF-8 on one line; for Java see hotspot.h. Returns false if there is no function.
 */
bool scope_interpreter_name(struct scope_memory *memory, const struct scope_interpreter *interpreter, uint64_t function,
			    char ret_name[SCOPE_INTERPRETED_NAME]);

#endif
