// SPDX-License-Identifier: GPL-2.0-only
/* Decides by their names which functions of C++ and Rust belong to the language's library. */
#include "symbol/stdname.h"

#include <fnmatch.h>
#include <stddef.h>
#include <string.h>

/*
 * Rust's own crates, and those with the same role as the listed libraries of C. Nothing else distinguishes them,
 * because all crates are linked into one file.
 */
static const char *const crates[] = {
	"__rustc",
	"actix_rt",
	"actix_server",
	"addr2line",
	"aho_corasick",
	"alloc",
	"async_executor",
	"async_global_executor",
	"async_io",
	"async_std",
	"async_task",
	"backtrace",
	"blocking",
	"bytes",
	"chrono",
	"compiler_builtins",
	"core",
	"crossbeam",
	"crossbeam_*",
	"flate2",
	"futures",
	"futures_*",
	"gimli",
	"h2",
	"hashbrown",
	"http",
	"httparse",
	"hyper",
	"hyper_util",
	"itoa",
	"jemallocator",
	"lazy_static",
	"libc",
	"log",
	"memchr",
	"miniz_oxide",
	"mio",
	"native_tls",
	"nix",
	"object",
	"once_cell",
	"openssl",
	"parking_lot",
	"parking_lot_core",
	"polling",
	"proc_macro",
	"rand",
	"rand_*",
	"rayon",
	"rayon_core",
	"regex",
	"regex_*",
	"ring",
	"rustc_demangle",
	"rustix",
	"rustls",
	"ryu",
	"serde",
	"serde_*",
	"sha2",
	"slab",
	"smol",
	"socket2",
	"std",
	"test",
	"time",
	"tokio",
	"tokio_*",
	"tower",
	"tower_*",
	"tracing",
	"tracing_*",
	"webpki",
	NULL,
};

/* The functions in which threads look for tasks of the program. */
static const char *const executors[] = {
	"tokio::runtime::*",  "<tokio::runtime::*",	  "async_std::task::*",	 "async_executor::*",
	"<async_executor::*", "async_global_executor::*", "blocking::*",	 "smol::*",
	"actix_rt::*",	      "rayon_core::registry::*",  "futures_executor::*", NULL,
};

/* Code of the compiler around allocation and panics, which has no crate. */
static const char *const bare[] = { "__rust_*",	 "__rdl_*",	      "__rg_*",
				    "__rustc_*", "rust_begin_unwind", "rust_eh_personality",
				    NULL };

/* The functions that call closures and futures, which are often inlined into their only caller. */
static const char *const callers[] = {
	"*::FnOnce::call_once*",
	"*::FnMut::call_mut*",
	"*::Fn::call",
	"<*<*> as *::Fn*>::call*",
	"tokio::runtime::task::*poll*",
	"<*<*> as *::Future>::poll",
	"*catch_unwind*",
	"*::panicking::try*",
	"async_task::raw::*run*",
	"*::_M_invoke",
	"*::__invoke*",
	"*::__rust_begin_short_backtrace*",
	"*::_M_run",
	NULL,
};

static bool matches(const char *const *row, const char *name)
{
	for (; *row; row++)
		if (!fnmatch(*row, name, 0))
			return true;
	return false;
}

/* Rust's older scheme ends with "17h", 16 hexadecimal digits and "E". */
static bool is_rust(const char *symbol)
{
	static const char hash[] = "17h0123456789abcdefE";
	const size_t length = strlen(symbol);
	const char *end = symbol + length - (sizeof(hash) - 1);

	if (!strncmp(symbol, "_R", 2))
		return true;
	return length > sizeof(hash) && !strncmp(symbol, "_ZN", 3) && !strncmp(end, "17h", 3) &&
	       strspn(end + 3, "0123456789abcdef") == 16 && !strncmp(end + 19, "E", 1);
}

/* Finds the crate of a path or of a type. Returns its length, 0 for a primitive type or a parameter. */
static size_t crate_of(const char **path)
{
	static const char *const words[] = { "mut ", "const ", "dyn " };
	size_t length;

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		*path += strspn(*path, "<&*[(");
		if (!strncmp(*path, words[i], strlen(words[i])))
			*path += strlen(words[i]);
	}
	length = strspn(*path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	return !strncmp(*path + length, "::", 2) ? length : 0;
}

/* Where the trait of "<TYPE as TRAIT>::function" begins; NULL if it is no such name. */
static const char *trait_of(const char *name)
{
	unsigned depth = 0;

	for (const char *at = name; *at && (at == name || depth); at++) {
		depth += *at == '<';
		depth -= *at == '>' && at[-1] != '-';
		if (depth == 1 && !strncmp(at, " as ", 4))
			return at + 4;
	}
	return NULL;
}

static enum scope_stdname of_rust(const char *name)
{
	const char *path = name;
	size_t length = crate_of(&path);
	char crate[64];

	if (!length && *name == '<') {
		path = trait_of(name);
		if (!path)
			return SCOPE_STDNAME_LIBRARY; /* a method of a primitive type: <str>::to_uppercase */
		length = crate_of(&path);
	}
	if (!length || length >= sizeof(crate))
		return SCOPE_STDNAME_NONE;
	memcpy(crate, path, length);
	crate[length] = '\0';
	return matches(crates, crate) ? SCOPE_STDNAME_LIBRARY : SCOPE_STDNAME_NONE;
}

static enum scope_stdname of_cpp(const char *name)
{
	return strncmp(name, "std::", 5) && strncmp(name, "__gnu_cxx::", 11) ? SCOPE_STDNAME_NONE
									     : SCOPE_STDNAME_LIBRARY;
}

enum scope_stdname scope_symbol_stdname(const char *symbol, const char *name)
{
	enum scope_stdname found = SCOPE_STDNAME_NONE;

	if (is_rust(symbol))
		found = of_rust(name);
	else if (!strncmp(symbol, "_Z", 2))
		found = of_cpp(name);
	else if (matches(bare, symbol))
		found = SCOPE_STDNAME_LIBRARY;
	if (found && matches(callers, name))
		return SCOPE_STDNAME_CALLS;
	return found && matches(executors, name) ? SCOPE_STDNAME_EXECUTOR : found;
}
