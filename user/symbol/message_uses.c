// SPDX-License-Identifier: GPL-2.0-only
/* Searches machine code for calls with constant texts, and for parts of functions that the compiler moved away. */
#include "symbol/message_uses.h"

#include <endian.h>
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "symbol/disassemble.h"

#define NAME_LEAST 3u	 /* bytes: shorter words are mostly keys and options */
#define TEXT_MOST 400u	 /* bytes of the longest text that is read */
#define REACH 192u	 /* bytes of code from the first constant to its call, at most */
#define LINE_MOST 200000 /* the largest number beside a source file that can be a line of it */
#define PREFIX_MOST 12u	 /* letters and spaces of a format before a name and its brackets: "End of %s()" */

/* A section that is mapped and not written. */
struct part {
	uint64_t start, end;
	const uint8_t *data;
};

struct parts {
	struct part *part;
	size_t count, capacity;
};

/*
 * Functions of libraries that get the name of their caller, with the pointer in the program through which they are
 * called.
 */
struct contract {
	uint64_t pointer;
	uint8_t argument;
};

struct contracts {
	struct contract *contract;
	size_t count, capacity;
};

struct search {
	const struct scope_file_functions *functions;
	struct parts code, stubs, text;
	struct contracts contracts;
	bool fixed; /* the program is not position-independent: addresses are plain numbers */
	struct scope_decoder *decoder;
	struct scope_message_uses uses;
};

/*
 * glibc, GLib, OpenSSL: the functions that assert(), g_return_if_fail(), g_assert(), g_warn_if_reached() and
 * ERR_raise() call.
 */
static const struct {
	const char *name;
	uint8_t argument;
} contracts[] = {
	{ "__assert_fail", 3 },
	{ "g_return_if_fail_warning", 1 },
	{ "g_assertion_message_expr", 3 },
	{ "g_warn_message", 3 },
	{ "ERR_set_debug", 2 },
};

static const struct part *part_of(const struct parts *parts, uint64_t address)
{
	for (size_t i = 0; i < parts->count; i++)
		if (address >= parts->part[i].start && address < parts->part[i].end)
			return &parts->part[i];
	return NULL;
}

static int part_add(struct parts *parts, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	const Elf_Data *data = elf_rawdata(scn, NULL);

	if (!data || !data->d_buf || !data->d_size || shdr->sh_addr + data->d_size < shdr->sh_addr)
		return 0;
	if (scope_grow(&parts->part, &parts->capacity, parts->count + 1, sizeof(*parts->part)))
		return -ENOMEM;
	parts->part[parts->count++] = (struct part){ shdr->sh_addr, shdr->sh_addr + data->d_size, data->d_buf };
	return 0;
}

static int contract_add(struct contracts *all, const char *symbol, uint64_t pointer)
{
	for (size_t i = 0; i < sizeof(contracts) / sizeof(*contracts); i++) {
		if (strcmp(symbol, contracts[i].name))
			continue;
		if (scope_grow(&all->contract, &all->capacity, all->count + 1, sizeof(*all->contract)))
			return -ENOMEM;
		all->contract[all->count++] = (struct contract){ pointer, contracts[i].argument };
	}
	return 0;
}

/* The pointers that the dynamic linker sets (System V ABI, .rela.plt and .rela.dyn). */
static int read_pointers(Elf *elf, Elf_Scn *scn, const GElf_Shdr *shdr, struct contracts *all)
{
	Elf_Scn *table = elf_getscn(elf, shdr->sh_link);
	Elf_Data *data = elf_getdata(scn, NULL), *symbols = table ? elf_getdata(table, NULL) : NULL;
	GElf_Shdr table_shdr;
	int err = 0;

	if (!data || !symbols || !gelf_getshdr(table, &table_shdr))
		return 0;
	for (size_t i = 0; !err && i < shdr->sh_size / sizeof(Elf64_Rela); i++) {
		const char *name;
		GElf_Rela rela;
		GElf_Sym sym;

		if (!gelf_getrela(data, (int)i, &rela) || !gelf_getsym(symbols, (int)GELF_R_SYM(rela.r_info), &sym))
			continue;
		name = elf_strptr(elf, table_shdr.sh_link, sym.st_name);
		if (name)
			err = contract_add(all, name, rela.r_offset);
	}
	return err;
}

static int read_sections(Elf *elf, struct search *search)
{
	Elf_Scn *scn = NULL;
	size_t names;
	int err = 0;

	if (elf_getshdrstrndx(elf, &names))
		return 0;
	while (!err && (scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		const char *name = gelf_getshdr(scn, &shdr) ? elf_strptr(elf, names, shdr.sh_name) : NULL;

		if (!name || !(shdr.sh_flags & SHF_ALLOC))
			continue;
		if (shdr.sh_type == SHT_RELA)
			err = read_pointers(elf, scn, &shdr, &search->contracts);
		else if (shdr.sh_type != SHT_PROGBITS || shdr.sh_flags & (SHF_WRITE | SHF_COMPRESSED))
			continue;
		else if (!(shdr.sh_flags & SHF_EXECINSTR))
			err = strncmp(name, ".rodata", 7) ? 0 : part_add(&search->text, scn, &shdr);
		else
			err = part_add(strncmp(name, ".plt", 4) ? &search->code : &search->stubs, scn, &shdr);
	}
	return err;
}

static uint32_t read_32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value)); /* only x86-64 is read, on hosts with the same byte order */
	return le32toh(value);
}

static uint64_t relative(uint64_t next, const uint8_t *offset)
{
	return next + (uint64_t)(int64_t)(int32_t)read_32(offset);
}

/* Finds the text at an address of .rodata. Returns its length; 0: there is none, or it is too long. */
static size_t text_at(const struct search *search, uint64_t address, const char **ret_text)
{
	const struct part *part = part_of(&search->text, address);
	size_t room, bytes;

	if (!part)
		return 0;
	*ret_text = (const char *)part->data + (address - part->start);
	room = part->end - address < TEXT_MOST ? part->end - address : TEXT_MOST;
	bytes = strnlen(*ret_text, room);
	return bytes < room ? bytes : 0;
}

static bool is_name_byte(char byte, bool first)
{
	return byte == '_' || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
	       (!first && byte >= '0' && byte <= '9');
}

static bool is_name(const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		if (!is_name_byte(text[i], !i))
			return false;
	return bytes >= NAME_LEAST;
}

/*
 * Takes the name out of __PRETTY_FUNCTION__: "ns::f" of "int ns::f(long) const [with T = x]". Returns false if there is
 * no name that has only letters, digits and "::".
 */
static bool take_name(const char **text, size_t *bytes)
{
	const char *end = memchr(*text, '(', *bytes), *begin = end;

	while (begin && begin > *text && (is_name_byte(begin[-1], false) || begin[-1] == ':' || begin[-1] == '~'))
		begin--;
	if (!end || (size_t)(end - begin) < NAME_LEAST || begin == *text || !strchr(" *&", begin[-1]))
		return false;
	*text = begin;
	*bytes = (size_t)(end - begin);
	return true;
}

/* "client.c" */
static bool is_source_file(const char *text, size_t bytes)
{
	static const char *const suffixes[] = { ".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp" };

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		const size_t suffix = strlen(suffixes[i]);

		if (bytes > suffix && !memcmp(text + bytes - suffix, suffixes[i], suffix))
			return true;
	}
	return false;
}

/* True for formats such as "%s: cannot read" and "In %s()": the next argument is a name at the begin of a message. */
static bool begins_with_name(const char *text, size_t bytes)
{
	const char *at = memchr(text, '%', bytes);
	const size_t before = at ? (size_t)(at - text) : bytes;

	if (bytes < before + 3 || at[1] != 's' || before > PREFIX_MOST)
		return false;
	for (size_t i = 0; i < before; i++)
		if (text[i] != ' ' && !is_name_byte(text[i], true))
			return false;
	return at[2] == '(' || (at[2] == ':' && !before);
}

/* True if the call has an argument that most calls with a caller's name have, too. */
static bool has_hint(const struct search *search, const struct scope_constant_call *call, unsigned argument)
{
	bool file = false, line = false;

	for (unsigned i = 0; i < SCOPE_CALL_ARGUMENTS; i++) {
		const char *text;
		size_t bytes;

		if (!(call->known >> i & 1) || i == argument)
			continue;
		bytes = text_at(search, call->argument[i], &text);
		if (i + 1 == argument && bytes && begins_with_name(text, bytes))
			return true;
		file |= bytes && is_source_file(text, bytes);
		line |= call->argument[i] && call->argument[i] < LINE_MOST;
	}
	return file && line;
}

/*
 * Resolves a call's target: for a stub of .plt (endbr64 or not, bnd or not, jmp *pointer(%rip)) returns the pointer
 * through which it jumps, else the target itself.
 */
static uint64_t beyond_stub(const struct search *search, uint64_t callee)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	const struct part *part = part_of(&search->stubs, callee);
	const uint8_t *at = part ? part->data + (callee - part->start) : NULL;
	const uint8_t *end = part ? part->data + (part->end - part->start) : NULL;

	if (part && end - at > (ptrdiff_t)sizeof(endbr64) && !memcmp(at, endbr64, sizeof(endbr64)))
		at += sizeof(endbr64);
	if (part && end - at > 1 && *at == 0xf2)
		at++;
	if (!part || end - at < 6 || at[0] != 0xff || at[1] != 0x25)
		return callee;
	return relative(part->start + (uint64_t)(at + 6 - part->data), at + 2);
}

static bool is_contract(const struct search *search, uint64_t pointer, unsigned argument)
{
	for (size_t i = 0; i < search->contracts.count; i++)
		if (search->contracts.contract[i].pointer == pointer &&
		    search->contracts.contract[i].argument == argument)
			return true;
	return false;
}

static int use_add(struct search *search, const struct scope_constant_call *call, unsigned argument, uint32_t function,
		   const char *text, size_t bytes)
{
	struct scope_message_uses *uses = &search->uses;
	const uint64_t callee = call->by_pointer ? call->callee : beyond_stub(search, call->callee);
	const bool contract = is_contract(search, callee, argument);
	bool name = is_name(text, bytes);

	if (!name && contract)
		name = take_name(&text, &bytes);
	if (scope_grow(&uses->use, &uses->capacity, uses->count + 1, sizeof(*uses->use)))
		return -ENOMEM;
	uses->use[uses->count++] = (struct scope_message_use){
		.function = function,
		.name = name ? text : NULL,
		.name_bytes = name ? (uint32_t)bytes : 0,
		.callee = callee,
		.argument = (uint8_t)argument,
		.contract = contract,
		.hint = name && has_hint(search, call, argument),
	};
	return 0;
}

static int call_add(struct search *search, const struct scope_constant_call *call, uint32_t function)
{
	const struct scope_file_function *own = &search->functions->function[function];
	int err = 0;

	if (call->callee == UINT64_MAX || (call->callee >= own->start && call->callee - own->start < own->size))
		return 0;
	for (unsigned i = 0; !err && i < SCOPE_CALL_ARGUMENTS; i++) {
		const char *text;
		size_t bytes = call->known >> i & 1 ? text_at(search, call->argument[i], &text) : 0;

		if (bytes)
			err = use_add(search, call, i, function, text, bytes);
	}
	return err;
}

/* True for an instruction that sets a register to the address of a text: lea offset(%rip), or mov if addresses are fixed. */
static bool sets_text(const struct search *search, const uint8_t *at, size_t room, uint64_t address)
{
	const char *text;

	if (room >= 7 && (at[0] == 0x48 || at[0] == 0x4c) && at[1] == 0x8d && (at[2] & 0xc7) == 0x05)
		return text_at(search, relative(address + 7, at + 3), &text);
	if (search->fixed && room >= 5 && at[0] >= 0xb8 && at[0] <= 0xbf)
		return text_at(search, read_32(at + 1), &text);
	return false;
}

/*
 * Code is disassembled only from an instruction that sets a text up to the next call, because a program has far more
 * code than that. Bytes in the middle of an instruction that look like such an instruction are rare, and no call with a
 * name follows them.
 */
static int search_part(struct search *search, const struct part *part)
{
	const size_t all = part->end - part->start;
	int err = 0;

	for (size_t i = 0; !err && i < all;) {
		const struct scope_range *range;
		struct scope_constant_call call;
		uint64_t end, room;
		size_t bytes;

		if (!sets_text(search, part->data + i, all - i, part->start + i)) {
			i++;
			continue;
		}
		range = scope_symbol_ranges_find(&search->functions->ranges, part->start + i);
		if (!range) {
			i++;
			continue;
		}
		end = range->end < part->end ? range->end : part->end;
		room = end - (part->start + i);
		if (scope_symbol_decoder_call(search->decoder, part->data + i, room < REACH ? room : REACH,
					      part->start + i, &call, &bytes))
			err = call_add(search, &call, range->value);
		i += bytes ? bytes : 1;
	}
	return err;
}

/* Jumps with a condition that lead out of their function, and which functions are called. */
struct ways {
	uint32_t *from; /* for each function: the only function with such jumps to it, or MANY */
	bool *called;
};

#define NONE UINT32_MAX
#define MANY (UINT32_MAX - 1)

static void note_way(struct search *search, const struct part *part, size_t at, struct ways *ways)
{
	const uint8_t *code = part->data + at;
	const bool call = code[0] == 0xe8 || code[0] == 0xe9;
	const size_t bytes = call ? 5 : 6;
	const uint64_t to = relative(part->start + at + bytes, code + bytes - 4);
	const struct scope_range *target, *own;

	if (!part_of(&search->code, to))
		return;
	target = scope_symbol_ranges_find(&search->functions->ranges, to);
	if (!target || search->functions->function[target->value].name)
		return;
	if (call) {
		ways->called[target->value] |= to == target->start;
		return;
	}
	own = scope_symbol_ranges_find(&search->functions->ranges, part->start + at);
	if (!own || own->value == target->value)
		return;
	if (ways->from[target->value] == NONE)
		ways->from[target->value] = own->value;
	else if (ways->from[target->value] != own->value)
		ways->from[target->value] = MANY;
}

/*
 * Compilers move code that is rarely run out of its function (f.cold). It is reached from this function alone, by jumps with a
 * condition, and is never called.
 */
static int find_wholes(struct search *search)
{
	const size_t count = search->functions->count;
	struct ways ways = { malloc((count + 1) * sizeof(*ways.from)), calloc(count + 1, sizeof(*ways.called)) };
	uint32_t *whole = malloc((count + 1) * sizeof(*whole));

	if (!ways.from || !ways.called || !whole) {
		free(ways.from);
		free(ways.called);
		free(whole);
		return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++)
		ways.from[i] = NONE;
	for (size_t i = 0; i < search->code.count; i++) {
		const struct part *part = &search->code.part[i];

		for (size_t at = 0; at + 6 <= part->end - part->start; at++) {
			const uint8_t *code = part->data + at;

			if (code[0] == 0xe8 || code[0] == 0xe9 || (code[0] == 0x0f && (code[1] & 0xf0) == 0x80))
				note_way(search, part, at, &ways);
		}
	}
	for (size_t i = 0; i < count; i++) {
		const uint32_t from = ways.from[i];
		const bool part = from < MANY && !ways.called[i] && (ways.from[from] != i || ways.called[from]);

		whole[i] = part ? from : (uint32_t)i;
	}
	search->uses.whole = whole;
	free(ways.from);
	free(ways.called);
	return 0;
}

int scope_symbol_message_uses_read(Elf *elf, const struct scope_file_functions *functions,
				   struct scope_message_uses *ret_uses)
{
	struct search search = { .functions = functions };
	GElf_Ehdr ehdr;
	int err = gelf_getehdr(elf, &ehdr) ? scope_symbol_decoder_create(ehdr.e_machine, &search.decoder) : -ENOTSUP;

	if (err)
		return err;
	search.fixed = ehdr.e_type == ET_EXEC;
	err = read_sections(elf, &search);
	if (!err)
		err = find_wholes(&search);
	for (size_t i = 0; !err && i < search.code.count; i++)
		err = search_part(&search, &search.code.part[i]);
	scope_symbol_decoder_destroy(search.decoder);
	free(search.code.part);
	free(search.stubs.part);
	free(search.text.part);
	free(search.contracts.contract);
	if (err) {
		scope_symbol_message_uses_free(&search.uses);
		return err;
	}
	*ret_uses = search.uses;
	return 0;
}

void scope_symbol_message_uses_free(struct scope_message_uses *uses)
{
	free(uses->use);
	free(uses->whole);
	*uses = (struct scope_message_uses){ 0 };
}
