// SPDX-License-Identifier: GPL-2.0-only
/*
 * Separates the system's libraries and the runtimes of languages, which are never named as the cause, from the
 * program's own code.
 */
#include "symbol/library.h"

#include <fnmatch.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/*
 * A file is a system library if one row matches. Every other file is the program's: its executable,
 * shared objects in the program's folders, and plugins, which are in a folder named after their
 * program below a library folder (/usr/lib/lighttpd/mod_x.so). '*' does not match '/'. A pattern
 * without '/' is compared with the base name, so it matches in every folder (some programs bring
 * their own copy).
 */
const char *const scope_symbol_library_defaults[] = {
	/* The kernel's pages: [vdso], [vsyscall]. */
	"[[]v*",
	/* The C library and its loader, under the names of glibc and musl. */
	"ld-linux*.so*",
	"ld-[0-9]*.so",
	"ld64.so*",
	"ld-musl-*",
	"libc.so*",
	"libc-[0-9]*.so",
	"libc.musl-*",
	"libm.so*",
	"libm-[0-9]*.so",
	"libmvec*.so*",
	"libpthread*.so*",
	"libdl*.so*",
	"librt.so*",
	"librt-[0-9]*.so",
	"libresolv*.so*",
	"libnss_*.so*",
	"libnsl*.so*",
	"libutil*.so*",
	"libanl*.so*",
	"libcrypt.so*",
	"libcrypt-[0-9]*.so",
	/* Libraries of compilers and sanitizers. */
	"libgcc_s*.so*",
	"libstdc++*.so*",
	"libc++*.so*",
	"libatomic*.so*",
	"libgomp*.so*",
	"libasan*.so*",
	"libubsan*.so*",
	"libtsan*.so*",
	"liblsan*.so*",
	/* Allocators. */
	"libjemalloc*.so*",
	"libtcmalloc*.so*",
	"libmimalloc*.so*",
	/* Libraries that many servers use, and some ship themselves. */
	"libevent*.so*",
	"libuv.so*",
	"libev.so*",
	"libssl*.so*",
	"libcrypto*.so*",
	"libz.so*",
	"libzstd*.so*",
	"liblz4*.so*",
	"libpcre*.so*",
	/* The Java runtime. */
	"libjvm.so",
	"libjava.so",
	"libjli.so",
	"libnio.so",
	"libnet.so",
	"libzip.so",
	/* The runtimes of JavaScript (V8, libuv and OpenSSL are in the program's file), of Erlang, and of .NET. */
	"node",
	"nodejs",
	"deno",
	"beam*.smp",
	"libcoreclr.so",
	"libclrjit.so",
	"libSystem.Native.so",
	/* All files directly in a library folder of the system, multiarch folders included. */
	"/lib/*.so*",
	"/lib64/*.so*",
	"/lib32/*.so*",
	"/lib/*-linux-*/*.so*",
	"/usr/lib/*.so*",
	"/usr/lib64/*.so*",
	"/usr/lib32/*.so*",
	"/usr/lib/*-linux-*/*.so*",
	/* Folders below these that belong to the C library. */
	"/lib/*-linux-*/gconv/*.so*",
	"/usr/lib/*-linux-*/gconv/*.so*",
	"/usr/lib64/gconv/*.so*",
	"/lib/*-linux-*/glibc-hwcaps/*/*.so*",
	"/usr/lib/*-linux-*/glibc-hwcaps/*/*.so*",
	"/usr/lib64/glibc-hwcaps/*/*.so*",
	NULL,
};

/* A method is "TYPE CLASS.NAME(TYPES)" in HotSpot: the class follows a blank and is before a parenthesis. */
static const char *const runtimes[] = {
	"* java.*(*",
	"* javax.*(*",
	"* jdk.*(*",
	"* sun.*(*",
	"* com.sun.*(*",
	"*$$Lambda*.*(*",
	/* HotSpot's stubs. */
	"Interpreter",
	"StubRoutines*",
	"*Blob",
	"* Runtime1 stub",
	"*adapters",
	"vtable chunks",
	"C[12] temporary CodeBuffer",
	"*_stub",
	"* throw_exception",
	"jni_fast_*Field",
	"resolve_*_call",
	"g1_*_barrier_slow",
	"native signature handlers",
	"InlineCacheBuffer",
	"Signature Handler Temp Buffer",
	"VM_Version stub",
	/* Erlang's: code that all compiled code shares, and code that begins and schedules processes. */
	"global::*",
	"erts_*:*/[0-9]*",
	"proc_lib:*/[0-9]*",
	"gen:*/[0-9]*",
	"gen_*:*/[0-9]*",
	"lists:*/[0-9]*",
	"maps:*/[0-9]*",
	"ets:*/[0-9]*",
	/* V8's functions, and those of Node that are written in JavaScript. */
	"Builtin:*",
	"BytecodeHandler:*",
	"Stub:*",
	"RegExp:*",
	"*:* node:*",
	"js::*:<node *",
	NULL,
};

/*
 * Python's names are py::FUNCTION:FILE. Python's own modules are in files of one folder, or in no file; packages belong
 * to the program.
 */
static bool is_of_python(const char *name)
{
	return !fnmatch("py::*:<frozen *", name, 0) ||
	       (!fnmatch("py::*:*/lib/python3.*", name, 0) && fnmatch("*-packages/*", name, 0));
}

/* PHP's names are php::FUNCTION:FILE; its own functions, in C, have no file. */
static bool is_of_php(const char *name)
{
	return !fnmatch("php::*:<internal>", name, 0);
}

/*
 * Ruby's names are rb::METHOD:FILE. Ruby's own files are in folders of its version; its methods in C have no file.
 * Gems, some of which are installed below these folders, and packages of a distribution belong to the program, like
 * packages of Python.
 */
static bool is_of_ruby(const char *name)
{
	return !fnmatch("rb::*:<internal *", name, 0) ||
	       (!fnmatch("rb::*:*/ruby/[0-9].[0-9]*/*", name, 0) && fnmatch("rb::*/gems/*", name, 0));
}

/*
 * Perl's names are pl::PACKAGE::SUB:FILE. Perl's own files are in folders of its version or of its architecture; other
 * modules are in folders of the site and of the distribution.
 */
static bool is_of_perl(const char *name)
{
	static const char *const folders[] = { "perl5",	    "perl/5.[0-9]*", "perl-base",
					       "site_perl", "vendor_perl",   "lib/5.[0-9]*" };
	char pattern[64];

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(pattern, sizeof(pattern), "pl::*:*/%s/*", folders[i]);
		if (!fnmatch(pattern, name, 0))
			return true;
	}
	return false;
}

bool scope_symbol_library_runtime(const char *name)
{
	if (is_of_python(name) || is_of_php(name) || is_of_ruby(name) || is_of_perl(name))
		return true;
	for (const char *const *pattern = runtimes; *pattern; pattern++)
		if (!fnmatch(*pattern, name, 0))
			return true;
	return false;
}

enum scope_library scope_symbol_library_match(const char *const *patterns, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	enum scope_library found = SCOPE_LIBRARY_NONE;

	for (patterns = patterns ? patterns : scope_symbol_library_defaults; *patterns; patterns++) {
		const bool folder = strchr(*patterns, '/');

		if (fnmatch(*patterns, folder ? path : base, FNM_PATHNAME))
			continue;
		if (!folder)
			return SCOPE_LIBRARY_SYSTEM;
		found = SCOPE_LIBRARY_FOLDER;
	}
	return found;
}

#define NAME_MIN 4 /* letters */

/*
 * Where the name begins, without folder and "lib"; ret_length: how many letters it has before the first other
 * character.
 */
static const char *stem_of(const char *path, size_t *ret_length)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;

	if (!strncmp(base, "lib", 3))
		base += 3;
	*ret_length = strspn(base, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
	return base;
}

bool scope_symbol_library_of_program(const char *library, const char *program)
{
	size_t length, own_length;
	const char *stem = stem_of(library, &length), *own = stem_of(program, &own_length);

	/* The d of a daemon is not in its libraries' names. */
	own_length -= own_length > NAME_MIN && own[own_length - 1] == 'd';
	for (size_t i = 0; own_length >= NAME_MIN && i + own_length <= length; i++)
		if (!strncasecmp(stem + i, own, own_length))
			return true;
	return false;
}
