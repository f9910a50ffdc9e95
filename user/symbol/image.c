// SPDX-License-Identifier: GPL-2.0-only
/* Opens an ELF file through libdwfl at its own link addresses. */
#include "symbol/image.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbol/debugfile.h"
#include "symbol/demangle.h"
#include "symbol/gofile.h"
#include "symbol/message_names.h"
#include "symbol/unwind_table.h"

#define PAGE UINT64_C(4096) /* smallest alignment that linkers use */

struct scope_image {
	Dwfl *dwfl;
	Dwfl_Module *module;
	Elf *elf; /* the module's */
	char *path;
	struct scope_debugfile debugfile;
	char build_id[SCOPE_IMAGE_ID_TEXT];
	bool go, go_tried; /* go_tried: the table was searched; go: it was found */
	bool functions_read, messages_read;
	struct scope_go_table go_table;
	struct scope_file_functions functions;
	struct scope_message_names messages;
	struct scope_rules rules;
	struct scope_line_function line_function;
};

static int no_elf(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base, char **ret_path, Elf **ret_elf)
{
	(void)module, (void)user, (void)name, (void)base, (void)ret_path, (void)ret_elf;
	return -1; /* the caller gives the file: libdwfl must not search for it */
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = no_elf,
	.find_debuginfo = scope_symbol_debugfile_find,
	.section_address = dwfl_offline_section_address,
};

static void build_id_write(struct scope_image *image)
{
	const void *id;
	ssize_t bytes = dwelf_elf_gnu_build_id(image->elf, &id);

	for (ssize_t i = 0; i < bytes && 2 * i + 2 < SCOPE_IMAGE_ID_TEXT; i++)
		snprintf(image->build_id + 2 * i, 3, "%02x", ((const unsigned char *)id)[i]);
}

/* Loads the file at base 0, so that addresses of libdwfl are link addresses. */
static int module_report(struct scope_image *image, int fd)
{
	GElf_Ehdr ehdr;
	GElf_Addr bias;
	void **user;

	elf_version(EV_CURRENT);
	image->dwfl = dwfl_begin(&callbacks);
	if (!image->dwfl)
		goto close_fd;
	dwfl_report_begin(image->dwfl);
	image->module = dwfl_report_elf(image->dwfl, image->path, image->path, fd, 0, true);
	if (!image->module)
		goto close_fd;
	dwfl_report_end(image->dwfl, NULL, NULL);
	dwfl_module_info(image->module, &user, NULL, NULL, NULL, NULL, NULL, NULL);
	*user = &image->debugfile;
	image->elf = dwfl_module_getelf(image->module, &bias);
	if (!image->elf || bias || !gelf_getehdr(image->elf, &ehdr) ||
	    (ehdr.e_type != ET_DYN && ehdr.e_type != ET_EXEC))
		return -ENOEXEC;
	return scope_symbol_rules_init(&image->rules, image->module, image->elf);
close_fd:
	close(fd);
	return -ENOEXEC;
}

/* Go's table of functions. NULL: it has none. */
static const struct scope_go_table *go_table(struct scope_image *image)
{
	if (!image->go_tried)
		image->go = !scope_symbol_go_file_table(image->elf, &image->go_table);
	image->go_tried = true;
	return image->go ? &image->go_table : NULL;
}

int scope_symbol_image_create(int fd, const struct scope_symbol_options *options, const char *path,
			      struct scope_image **ret_image)
{
	struct scope_image *image = calloc(1, sizeof(*image));
	int err = -ENOMEM;

	if (!image)
		goto close_fd;
	image->path = strdup(path);
	if (!image->path)
		goto close_fd;
	if (options)
		image->debugfile.options = *options;
	image->debugfile.path = image->path;
	err = module_report(image, fd);
	if (err)
		goto destroy;
	build_id_write(image);
	*ret_image = image;
	return 0;
close_fd:
	close(fd);
destroy:
	scope_symbol_image_destroy(image);
	return err;
}

void scope_symbol_image_destroy(struct scope_image *image)
{
	if (!image)
		return;
	scope_symbol_message_names_free(&image->messages);
	scope_symbol_file_functions_free(&image->functions);
	scope_symbol_rules_free(&image->rules);
	if (image->dwfl)
		dwfl_end(image->dwfl);
	free(image->path);
	free(image);
}

const char *scope_symbol_image_build_id(const struct scope_image *image)
{
	return image->build_id;
}

/* The place in the file of a link address in a part that is mapped with `flags`, and not with flags in `without`. */
static bool offset_with(const struct scope_image *image, uint64_t link, uint32_t flags, uint32_t without,
			uint64_t *ret_offset)
{
	size_t count;

	if (elf_getphdrnum(image->elf, &count))
		return false;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr phdr;

		if (!gelf_getphdr(image->elf, i, &phdr) || phdr.p_type != PT_LOAD ||
		    (phdr.p_flags & (flags | without)) != flags || link < phdr.p_vaddr ||
		    link - phdr.p_vaddr >= phdr.p_filesz)
			continue;
		*ret_offset = link - phdr.p_vaddr + phdr.p_offset;
		return true;
	}
	return false;
}

static bool offset_of(const struct scope_image *image, uint64_t link, uint64_t *ret_offset)
{
	return offset_with(image, link, PF_X, 0, ret_offset);
}

static bool same_symbol(const char *symbol, const char *name)
{
	return !strcmp(symbol, name);
}

static bool offset_find(struct scope_image *image, const char *name,
			bool (*match)(const char *symbol, const char *name), uint64_t *ret_offset)
{
	int count = dwfl_module_getsymtab(image->module);
	bool found = false;

	for (int i = 0; i < count; i++) {
		GElf_Addr link;
		GElf_Sym symbol;
		const char *text = dwfl_module_getsym_info(image->module, i, &symbol, &link, NULL, NULL, NULL);
		bool global = text && GELF_ST_BIND(symbol.st_info) != STB_LOCAL;

		if (!text || symbol.st_shndx == SHN_UNDEF || GELF_ST_TYPE(symbol.st_info) != STT_FUNC ||
		    (found && !global) || !match(text, name))
			continue;
		if (!offset_of(image, link, ret_offset))
			continue;
		found = true;
		if (global)
			break;
	}
	return found;
}

bool scope_symbol_image_is_go(struct scope_image *image)
{
	return scope_symbol_go_file_is(image->elf) || go_table(image);
}

bool scope_symbol_image_names_go(struct scope_image *image)
{
	return go_table(image);
}

bool scope_symbol_image_is_debug(const struct scope_image *image)
{
	GElf_Phdr phdr;
	size_t count;

	if (elf_getphdrnum(image->elf, &count))
		return false;
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(image->elf, i, &phdr) && phdr.p_type == PT_LOAD && phdr.p_flags & PF_X &&
		    phdr.p_filesz)
			return false;
	return true;
}

bool scope_symbol_image_bias(const struct scope_image *image, uint64_t start, uint64_t offset, uint64_t bytes,
			     uint64_t *ret_bias)
{
	size_t count;

	if (elf_getphdrnum(image->elf, &count))
		return false;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr phdr;

		if (!gelf_getphdr(image->elf, i, &phdr) || phdr.p_type != PT_LOAD || !(phdr.p_flags & PF_X))
			continue;
		/* A debug file has the addresses of its code, but not its file offsets in the program. */
		if (!phdr.p_filesz && phdr.p_memsz + PAGE > bytes) {
			*ret_bias = (phdr.p_vaddr & ~(PAGE - 1)) - start;
			return true;
		}
		if (offset >= phdr.p_offset + phdr.p_filesz || offset + bytes <= phdr.p_offset)
			continue;
		*ret_bias = phdr.p_vaddr - phdr.p_offset + offset - start;
		return true;
	}
	return false;
}

int scope_symbol_image_functions(struct scope_image *image, const struct scope_file_functions **ret_functions)
{
	int err = 0;

	if (!image->functions_read)
		err = scope_symbol_file_functions_read(image->module, image->elf, go_table(image), &image->functions);
	if (err)
		return err;
	image->functions_read = true;
	*ret_functions = &image->functions;
	return 0;
}

static int read_messages(struct scope_image *image)
{
	int err = 0;

	if (!image->messages_read)
		err = scope_symbol_message_names_read(image->elf, &image->functions, &image->messages);
	image->messages_read = !err;
	return err;
}

int scope_symbol_image_function(struct scope_image *image, uint64_t link, bool messages,
				struct scope_file_function *ret_function)
{
	const struct scope_file_functions *functions;
	const struct scope_file_function *found = NULL;
	const struct scope_message_name *name;
	int err = scope_symbol_image_functions(image, &functions);

	if (!err)
		found = scope_symbol_file_functions_find(functions, link);
	if (err || !found)
		return err ? err : -ENOENT;
	*ret_function = *found;
	if (found->name || !messages)
		return 0;
	err = read_messages(image);
	if (err)
		return err;
	name = scope_symbol_message_names_find(&image->messages, (uint32_t)(found - functions->function));
	if (name)
		*ret_function = functions->function[name->whole];
	if (name && name->name) {
		ret_function->name = name->name;
		ret_function->name_bytes = name->bytes;
		ret_function->message = true;
	}
	return 0;
}

/* Finds a function whose name is in messages. */
static bool offset_by_message(struct scope_image *image, const char *name, uint64_t *ret_offset)
{
	const struct scope_file_functions *functions;

	if (scope_symbol_image_functions(image, &functions) || read_messages(image))
		return false;
	for (size_t i = 0; i < image->messages.count; i++) {
		const struct scope_message_name *found = &image->messages.name[i];

		if (found->name && found->whole == found->function && strlen(name) == found->bytes &&
		    !memcmp(name, found->name, found->bytes))
			return offset_of(image, functions->function[found->function].start, ret_offset);
	}
	return false;
}

int scope_symbol_image_offset(struct scope_image *image, const char *name, uint64_t *ret_offset)
{
	return offset_find(image, name, same_symbol, ret_offset) ||
			       offset_find(image, name, scope_symbol_demangle_match, ret_offset) ||
			       offset_by_message(image, name, ret_offset)
		       ? 0
		       : -ENOENT;
}

int scope_symbol_image_rule(struct scope_image *image, uint64_t link, const struct scope_rule **ret_rule)
{
	return scope_symbol_rules_get(&image->rules, link, ret_rule);
}

int scope_symbol_image_table(struct scope_image *image, void **ret_table, size_t *ret_bytes)
{
	return scope_symbol_table_compile(image->elf, &image->rules.plt, ret_table, ret_bytes);
}

/* The bytes of the file from a link address on, all in one part with `flags` and not `without`; NULL: it has fewer. */
static const uint8_t *bytes_with(const struct scope_image *image, uint64_t link, uint64_t bytes, uint32_t flags,
				 uint32_t without)
{
	size_t all;
	const char *file = elf_rawfile(image->elf, &all);
	uint64_t first, last;

	if (!file || !bytes || link + bytes < link || !offset_with(image, link, flags, without, &first) ||
	    !offset_with(image, link + bytes - 1, flags, without, &last) || last - first != bytes - 1 || last >= all)
		return NULL;
	return (const uint8_t *)file + first;
}

const uint8_t *scope_symbol_image_code(const struct scope_image *image, uint64_t link, uint64_t bytes,
				       unsigned *ret_machine)
{
	GElf_Ehdr ehdr;

	if (!gelf_getehdr(image->elf, &ehdr))
		return NULL;
	*ret_machine = ehdr.e_machine;
	return bytes_with(image, link, bytes, PF_X, 0);
}

const uint8_t *scope_symbol_image_constants(const struct scope_image *image, uint64_t link, uint64_t bytes)
{
	return bytes_with(image, link, bytes, PF_R, PF_W);
}

bool scope_symbol_image_go_leaf(struct scope_image *image, uint64_t link)
{
	uint32_t bytes;

	return go_table(image) && !scope_symbol_go_table_depth(&image->go_table, link, &bytes) && !bytes;
}

unsigned int scope_symbol_image_lines(struct scope_image *image, uint64_t link, struct scope_source_line *ret_line,
				      unsigned int max)
{
	unsigned int lines = scope_symbol_lines_find(image->module, link, &image->line_function, ret_line, max);

	return lines || !go_table(image) ? lines : scope_symbol_lines_of_go(&image->go_table, link, ret_line, max);
}

const void *scope_symbol_image_line_row(const struct scope_image *image, uint64_t link)
{
	return scope_symbol_line_row(image->module, link);
}

bool scope_symbol_image_is_i386(const struct scope_image *image)
{
	GElf_Ehdr ehdr;

	return gelf_getehdr(image->elf, &ehdr) && ehdr.e_machine == EM_386;
}

/* Relative call, and call by register or memory: opcode 0xff /2 with 0, 1 or 4 bytes of displacement. */
static bool is_call(const uint8_t *end)
{
	static const struct {
		uint8_t back, mod; /* bytes from the opcode to the end, addressing mode */
		bool sib;
	} forms[] = {
		{ 2, 3, false }, { 2, 0, false }, { 3, 0, true },  { 3, 1, false },
		{ 4, 1, true },	 { 6, 2, false }, { 6, 0, false }, { 7, 2, true },
	};

	if (end[-5] == 0xe8)
		return true;
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		const uint8_t *at = end - forms[i].back;

		if (at[0] == 0xff && (at[1] >> 3 & 7) == 2 && at[1] >> 6 == forms[i].mod &&
		    ((at[1] & 7) == 4) == (forms[i].sib && forms[i].mod != 3))
			return true;
	}
	return false;
}

#define CALL_BYTES_MAX 7

bool scope_symbol_image_after_call(const struct scope_image *image, uint64_t link)
{
	size_t bytes;
	const char *file = elf_rawfile(image->elf, &bytes);
	GElf_Ehdr ehdr;
	uint64_t offset;

	return file && gelf_getehdr(image->elf, &ehdr) && (ehdr.e_machine == EM_X86_64 || ehdr.e_machine == EM_386) &&
	       link >= CALL_BYTES_MAX && offset_of(image, link - CALL_BYTES_MAX, &offset) &&
	       offset_of(image, link - 1, &offset) && offset + 1 >= CALL_BYTES_MAX && offset < bytes &&
	       is_call((const uint8_t *)file + offset + 1);
}
