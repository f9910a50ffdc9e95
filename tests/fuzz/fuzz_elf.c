// SPDX-License-Identifier: GPL-2.0-only
/* Damaged ELF files with symbols, unwind tables and debug information. */
#include <fcntl.h>
#include <sys/auxv.h>
#include <elf.h>

#include "fuzz.h"
#include "symbol/image.h"

/*
 * libdw 0.188 leaks 32 bytes if dwarf_getscopes() fails: its caller then has nothing to free. To
 * see that function the sanitizer has to unwind by tables.
 */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "fast_unwind_on_malloc=0:hard_rss_limit_mb=1024:quarantine_size_mb=64:detect_leaks=1";
}

const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:dwarf_getscopes\n";
}

#define BASE_MAX 65536
#define FUNCTIONS_MOST 64 /* symbols that are looked up: damaged tables may have very many */
#define EDIT_BYTES 6	  /* where (4), how (1), what (1) */

#define BASES 3

/* A 64-bit file, a 32-bit file, and a stripped file that has names in its messages. */
static struct base {
	uint8_t data[BASE_MAX];
	size_t bytes;
} bases[BASES];

/* A file with everything that is read: inlined calls, split parts, C++ names, a build-id. */
static const char source[] = "static inline __attribute__((always_inline)) int in(int x) { return x * 3; }\n"
			     "__attribute__((noinline, cold)) int mangled(int x) __asm__(\"_ZN2ns3BoxIiE4pushEi\");\n"
			     "__attribute__((noinline, cold)) int mangled(int x) { return in(x) + 1; }\n"
			     "int outer(int x) { char room[x + 8]; __builtin_memset(room, x, x + 8);\n"
			     "	return room[1] > 3 ? mangled(x) : in(x); }\n";

static const char messages[] =
	"void __assert_fail(const char *text, const char *file, unsigned line, const char *function)\n"
	"	__attribute__((cold, noreturn));\n"
	"#define F(name, export) __attribute__((noinline)) export int name(int x) {\\\n"
	"	if (x < 0) __assert_fail(\"x\", \"a.c\", 1, __func__); say(\"%s: %d\", __func__); return x + __LINE__; }\n"
	"__attribute__((noinline)) static void say(const char *format, const char *name) {\n"
	"	__asm__ volatile(\"\" : : \"r\"(format), \"r\"(name)); }\n"
	"F(first, ) F(second, ) F(third, ) F(fourth, ) F(fifth, ) F(inner, static) F(other, static)\n"
	"int all(int x) { return inner(x) + other(x); }\n";

/* The kernel's page of code (vDSO) is an ELF file, too. It is used if there is no compiler. */
static void base_read(struct base *base, const char *flags, const char *text)
{
	char path[] = "/tmp/scope-fuzz-elf.XXXXXX", command[256];
	int fd = mkstemp(path);
	const uint8_t *page = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	ssize_t got = 0;
	FILE *pipe;

	if (fd < 0)
		fuzz_die("no temporary file");
	snprintf(command, sizeof(command),
		 "${CC:-cc} %s -O2 -g -shared -fPIC -nostdlib -Wl,--build-id -Wl,-z,noseparate-code "
		 "-x c -o %s - 2>/dev/null",
		 flags, path);
	pipe = popen(command, "w");
	if (pipe) {
		fputs(text, pipe);
		if (!pclose(pipe)) {
			close(fd);
			fd = open(path, O_RDONLY | O_CLOEXEC);
			got = read(fd, base->data, sizeof(base->data));
		}
	}
	close(fd);
	unlink(path);
	base->bytes = got > 0 ? (size_t)got : 4096;
	if (got <= 0)
		memcpy(base->data, page, base->bytes);
}

static void edit(uint8_t *file, size_t file_bytes, const uint8_t *data)
{
	uint32_t where;

	memcpy(&where, data, sizeof(where));
	where %= file_bytes;
	switch (data[4] % 4) {
	case 0:
		file[where] ^= data[5];
		break;
	case 1:
		file[where] = data[5];
		break;
	case 2:
		memset(file + where, data[5], file_bytes - where < 8 ? file_bytes - where : 8);
		break;
	default: /* near the beginning are the headers of everything else */
		file[where % 256] ^= (uint8_t)(1u << data[5] % 8);
	}
}

static void look(struct scope_image *image)
{
	const struct scope_file_functions *functions;
	const struct scope_rule *rule;
	struct scope_source_line line[4];
	uint64_t value = 0;

	for (uint64_t link = 0; link < 0x2000; link += 0x3d) {
		unsigned int lines = scope_symbol_image_lines(image, link, line, 4);

		for (unsigned int i = 0; i < lines; i++)
			value += strlen(line[i].file) + strlen(line[i].function);
		if (!scope_symbol_image_rule(image, link, &rule))
			value += rule->count;
		value += scope_symbol_image_after_call(image, link);
	}
	if (!scope_symbol_image_functions(image, &functions))
		for (size_t i = 0; i < functions->count; i++) {
			struct scope_file_function found = functions->function[i];

			if (i < FUNCTIONS_MOST)
				scope_symbol_image_function(image, found.start, true, &found);
			for (size_t k = 0; k < found.name_bytes; k++)
				value += (uint8_t)found.name[k];
		}
	value += !scope_symbol_image_offset(image, "ns::Box<int>::push", &value);
	value += scope_symbol_image_bias(image, 0x1000, 0, 0x1000, &value);
	value += strlen(scope_symbol_image_build_id(image)) + scope_symbol_image_is_debug(image);
	__asm__ volatile("" : : "r"(value));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static uint8_t file[BASE_MAX];
	const struct base *base = &bases[bytes ? (data[0] >> 3) % BASES : 0];
	struct scope_image *image;
	int fd;

	if (!bases[0].bytes) {
		base_read(&bases[0], "", source);
		base_read(&bases[1], "-m32", source);
		base_read(&bases[2], "-s", messages);
	}
	memcpy(file, base->data, base->bytes);
	/* Only a few bytes at a time: nothing is read from a file that is damaged everywhere. */
	for (size_t i = 1; i + EDIT_BYTES <= bytes && i < data[0] % 8 * EDIT_BYTES; i += EDIT_BYTES)
		edit(file, base->bytes, data + i);
	fd = fuzz_memory();
	if (write(fd, file, base->bytes) != (ssize_t)base->bytes)
		fuzz_die("cannot write");
	if (!scope_symbol_image_create(fd, NULL, "/nowhere/fuzz.so", &image)) {
		look(image);
		scope_symbol_image_destroy(image);
	}
	return 0;
}
