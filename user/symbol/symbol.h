/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names for the addresses of traced processes, and their call stacks from registers and stack bytes.
 *
 * Files are opened and their tables read when an address first falls into them, once for all
 * processes that map them. Nothing is fetched over the network unless options request it.
 */
#ifndef SCOPE_SYMBOL_SYMBOL_H
#define SCOPE_SYMBOL_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/line.h"
#include "symbol/options.h"
#include "symbol/stdname.h"
#include "trace/trace.h"

struct scope_symbols;

/*
 * A function of a module. There is one object for each function of each file, for any number of
 * processes, addresses and aliases: compare pointers. Parts that the compiler split off (f.cold,
 * f.part.0, f.isra.0, …) count as the function itself if its module has only one f.
 */
struct scope_function {
	const char *name;   /* "f", "ns::f"; "module+0xstart" if it is not known; "[unknown]" */
	const char *symbol; /* "_ZN2ns1fEv": the symbol in the file; the same pointer as name if both are equal */
	const char *module; /* base name of the file */
	const char *path;   /* as the process sees it */
	uint64_t start;	    /* address in the file's own (link) address space */
	uint64_t size;	    /* bytes; 0 if not known */
	bool library; /* it belongs to the system or the language, and is never named as the cause (library.c, goname.c) */
	bool folder;   /* it belongs to the system only because of the folder of its file */
	bool language; /* it belongs to the language: code in the program's file, or made at run time */
	bool runtime; /* it is in the file of a runtime, and the functions that this runtime runs have names in the trace */
	enum scope_stdname of_library; /* for C++ and Rust */
	bool known;		       /* it has a name: in a symbol table, or in messages */
	bool message;		       /* that name is from messages of the program, not a symbol (message_names.h) */
	uint32_t id;		       /* 0, 1, 2, … in the order in which functions were first met */
};

/*
 * maps, symbols and what options (NULL: none) point to are borrowed and must outlive the object.
 * Symbols take precedence over maps. For a process in another mount namespace the root of options is
 * "/proc/123/root". 0, -ENOMEM. Free with scope_symbols_destroy().
 */
int scope_symbols_create(const struct scope_trace_map *maps, size_t map_count, const struct scope_trace_symbol *symbols,
			 size_t symbol_count, const struct scope_symbol_options *options,
			 struct scope_symbols **ret_symbols);
/* Adds maps, also borrowed. They replace earlier maps at the same addresses. 0, -ENOMEM. */
int scope_symbols_add_maps(struct scope_symbols *symbols, const struct scope_trace_map *maps, size_t count);
/*
 * Process tgid was forked from the ancestor, and has its mappings as long as none of its own are known. Does nothing if
 * those of the ancestor are not known either. 0, -ENOMEM.
 */
int scope_symbols_inherit(struct scope_symbols *symbols, uint32_t tgid, uint32_t ancestor);
/*
 * Adds a trace's rows about its files and recorded addresses (scope_trace_files(),
 * scope_trace_codes()), borrowed. They are used without opening the files, unless options request
 * better names: then the names of a file of the same build are used, if it has at least as many
 * functions. Call it after adding the maps. 0, -ENOMEM.
 */
int scope_symbols_add_recorded(struct scope_symbols *symbols, const struct scope_trace *trace);

/* True if the trace has functions that an interpreter runs. */
bool scope_symbols_interpreted(const struct scope_symbols *symbols);

struct scope_spaces;
struct scope_spaces *scope_symbols_spaces(struct scope_symbols *symbols); /* for names.c */
void scope_symbols_destroy(struct scope_symbols *symbols);		  /* NULL is fine */

/*
 * The function at an address of a process. return_address: the address is a return address, so the
 * call before it is looked up. An address without a name still gives a function (known is false):
 * in code without symbols functions are found by unwind tables, else each address is a function. 0,
 * -ENOMEM. *ret_function lives as long as symbols.
 */
int scope_symbols_lookup(struct scope_symbols *symbols, uint32_t tgid, uint64_t address, bool return_address,
			 const struct scope_function **ret_function);

/*
 * The source places of an address of a process: its own, then the places where it was inlined. At most max; *ret_count
 * is 0 if there is no debug information. 0, -ENOMEM. Files live as long as symbols.
 */
int scope_symbols_lines(struct scope_symbols *symbols, uint32_t tgid, uint64_t address,
			struct scope_source_line *ret_line, unsigned int max, unsigned int *ret_count);

/* functions: the number of functions met so far; ids are smaller than this. function: the one with that id, or NULL. */
size_t scope_symbols_functions(const struct scope_symbols *symbols);
const struct scope_function *scope_symbols_function(const struct scope_symbols *symbols, uint32_t id);

/*
 * How many functions the program's own modules of a process have (tgid 0: of all processes), met or
 * not. Reads the tables of all those modules. Modules whose file cannot be read count as none.
 */
size_t scope_symbols_program_functions(struct scope_symbols *symbols, uint32_t tgid);

/*
 * The problems with names and stacks so far, one sentence for each file, in the order in which they were found: missing
 * files, replaced files, programs without symbols. Valid until the next call of any other function here.
 */
const char *const *scope_symbols_problems(const struct scope_symbols *symbols, size_t *ret_count);

/* The flags of a trace (scope/event.h). */
#define SCOPE_UNWIND_COMPLETE SCOPE_FRAMES_COMPLETE
#define SCOPE_UNWIND_CUT SCOPE_FRAMES_CUT
#define SCOPE_UNWIND_BROKEN SCOPE_FRAMES_BROKEN
#define SCOPE_UNWIND_GUESSED SCOPE_FRAMES_GUESSED
#define SCOPE_UNWIND_UNMAPPED 0x10 /* with BROKEN: the stack ended at an address without a known mapping */

/*
 * The call stack of a thread from its registers and the bytes from its stack pointer upwards, by
 * the call frame information of the mapped files (DWARF 5 section 6.4, .eh_frame as in LSB 5).
 *
 * reg: regs of them, DWARF order, program counter last (scope/abi.h: 17 or 33). ret_ips: room for
 * max addresses, innermost first; the first is the program counter itself, the others are return
 * addresses (for a frame that a signal interrupted: its program counter + 1, so that the lookup as
 * return address is right there too). *ret_flags: one of COMPLETE, CUT and BROKEN, and GUESSED
 * and UNMAPPED perhaps. 0 with at least one address; -EINVAL for another number of registers or max 0; -ENOMEM.
 */
int scope_symbols_unwind(struct scope_symbols *symbols, uint32_t tgid, const uint64_t *reg, unsigned int regs,
			 const uint8_t *data, size_t bytes, uint64_t *ret_ips, unsigned int max,
			 unsigned int *ret_count, unsigned int *ret_flags);

/*
 * How many addresses of a stack, innermost first, can be code: the first, and return addresses up to one at which no
 * code is mapped and the trace has no symbol.
 */
unsigned int scope_symbols_code(const struct scope_symbols *symbols, uint32_t tgid, const uint64_t *ip,
				unsigned int count);

#endif
