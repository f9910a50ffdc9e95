// SPDX-License-Identifier: GPL-2.0-only
/* Finds exported symbols of a loaded ELF file in the memory of its process. */
#include "interpreter/dynamic.h"

#include <elf.h>
#include <string.h>

#define HEADERS_MAX 64	  /* program headers of a file */
#define ENTRIES_MAX 256	  /* entries of its dynamic section */
#define CHAIN_MAX 4096	  /* symbols of one bucket */
#define NAME_MAX_BYTES 96 /* bytes of a name that is searched */

static bool read_headers(struct scope_memory *memory, uint64_t start, const Elf64_Ehdr *head,
			 struct scope_dynamic *dynamic, uint64_t *ret_section)
{
	bool based = false, found = false;

	for (unsigned i = 0; i < head->e_phnum && i < HEADERS_MAX; i++) {
		Elf64_Phdr program;

		if (!scope_interpreter_memory_get(memory, start + head->e_phoff + i * sizeof(program), &program,
						  sizeof(program)))
			return false;
		if (program.p_type == PT_LOAD && !based) {
			dynamic->bias = start - (program.p_vaddr - program.p_offset);
			based = true;
		}
		if (program.p_type == PT_LOAD && program.p_flags & PF_W) {
			dynamic->data = program.p_vaddr;
			dynamic->data_end = program.p_vaddr + program.p_memsz;
		}
		if (program.p_type == PT_DYNAMIC) {
			*ret_section = program.p_vaddr;
			found = true;
		}
	}
	*ret_section += dynamic->bias;
	dynamic->data += dynamic->bias;
	dynamic->data_end += dynamic->bias;
	return based && found;
}

/* The dynamic linker of glibc has added the bias to these addresses, that of musl has not. */
static uint64_t placed(const struct scope_dynamic *dynamic, uint64_t start, uint64_t value)
{
	return value < start ? value + dynamic->bias : value;
}

bool scope_interpreter_dynamic_open(struct scope_memory *memory, uint64_t start, struct scope_dynamic *ret_dynamic)
{
	struct scope_dynamic dynamic = { 0 };
	uint64_t section = 0;
	Elf64_Ehdr head;

	if (!scope_interpreter_memory_get(memory, start, &head, sizeof(head)) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) || head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    head.e_phentsize != sizeof(Elf64_Phdr) || !read_headers(memory, start, &head, &dynamic, &section))
		return false;
	for (unsigned i = 0; i < ENTRIES_MAX; i++) {
		Elf64_Dyn entry;

		if (!scope_interpreter_memory_get(memory, section + i * sizeof(entry), &entry, sizeof(entry)))
			return false;
		if (entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag == DT_SYMTAB)
			dynamic.symbols = placed(&dynamic, start, entry.d_un.d_ptr);
		if (entry.d_tag == DT_STRTAB)
			dynamic.strings = placed(&dynamic, start, entry.d_un.d_ptr);
		if (entry.d_tag == DT_GNU_HASH)
			dynamic.gnu_hash = placed(&dynamic, start, entry.d_un.d_ptr);
		if (entry.d_tag == DT_HASH)
			dynamic.hash = placed(&dynamic, start, entry.d_un.d_ptr);
	}
	*ret_dynamic = dynamic;
	return dynamic.symbols && dynamic.strings && (dynamic.gnu_hash || dynamic.hash);
}

/* True if the symbol with that number is defined and has that name. */
static bool is_symbol(struct scope_memory *memory, const struct scope_dynamic *dynamic, uint32_t number,
		      const char *name, uint64_t *ret_address)
{
	const size_t bytes = strlen(name) + 1;
	char found[NAME_MAX_BYTES];
	Elf64_Sym symbol;

	if (bytes > sizeof(found) ||
	    !scope_interpreter_memory_get(memory, dynamic->symbols + (uint64_t)number * sizeof(symbol), &symbol,
					  sizeof(symbol)) ||
	    symbol.st_shndx == SHN_UNDEF ||
	    !scope_interpreter_memory_get(memory, dynamic->strings + symbol.st_name, found, bytes) ||
	    memcmp(found, name, bytes))
		return false;
	*ret_address = symbol.st_value + dynamic->bias;
	return true;
}

static uint32_t gnu_hash_of(const char *name)
{
	uint32_t hash = 5381; /* no rule: of the format */

	for (; *name; name++)
		hash = hash * 33 + (uint8_t)*name; /* no rule */
	return hash;
}

static bool find_by_gnu_hash(struct scope_memory *memory, const struct scope_dynamic *dynamic, const char *name,
			     uint64_t *ret_address)
{
	const uint32_t hash = gnu_hash_of(name);
	struct {
		uint32_t buckets, first, bloom_words, shift;
	} head;
	uint64_t buckets, chains;
	uint32_t number, chained;

	if (!scope_interpreter_memory_get(memory, dynamic->gnu_hash, &head, sizeof(head)) || !head.buckets)
		return false;
	buckets = dynamic->gnu_hash + sizeof(head) + head.bloom_words * sizeof(uint64_t);
	chains = buckets + head.buckets * sizeof(uint32_t);
	if (!scope_interpreter_memory_get(memory, buckets + hash % head.buckets * sizeof(number), &number,
					  sizeof(number)) ||
	    number < head.first)
		return false;
	for (unsigned i = 0; i < CHAIN_MAX; i++, number++) {
		if (!scope_interpreter_memory_get(memory, chains + (uint64_t)(number - head.first) * sizeof(chained),
						  &chained, sizeof(chained)))
			return false;
		if ((chained | 1) == (hash | 1) && is_symbol(memory, dynamic, number, name, ret_address))
			return true;
		if (chained & 1)
			return false;
	}
	return false;
}

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 0;

	for (; *name; name++) {
		const uint32_t high = (hash = (hash << 4) + (uint8_t)*name) & 0xf0000000; /* no rule: of the format */

		hash = (hash ^ high >> 24) & ~high; /* no rule */
	}
	return hash;
}

static bool find_by_hash(struct scope_memory *memory, const struct scope_dynamic *dynamic, const char *name,
			 uint64_t *ret_address)
{
	uint32_t head[2], number;
	uint64_t buckets = dynamic->hash + sizeof(head), chains;

	if (!scope_interpreter_memory_get(memory, dynamic->hash, head, sizeof(head)) || !head[0])
		return false;
	chains = buckets + head[0] * sizeof(number);
	if (!scope_interpreter_memory_get(memory, buckets + hash_of(name) % head[0] * sizeof(number), &number,
					  sizeof(number)))
		return false;
	for (unsigned i = 0; number && i < CHAIN_MAX; i++) {
		if (is_symbol(memory, dynamic, number, name, ret_address))
			return true;
		if (!scope_interpreter_memory_get(memory, chains + (uint64_t)number * sizeof(number), &number,
						  sizeof(number)))
			return false;
	}
	return false;
}

bool scope_interpreter_dynamic_find(struct scope_memory *memory, const struct scope_dynamic *dynamic, const char *name,
				    uint64_t *ret_address)
{
	return dynamic->gnu_hash ? find_by_gnu_hash(memory, dynamic, name, ret_address)
				 : find_by_hash(memory, dynamic, name, ret_address);
}
