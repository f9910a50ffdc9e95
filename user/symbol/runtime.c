// SPDX-License-Identifier: GPL-2.0-only
/* Finds a process's language runtime, and what the user can do so that its functions have names. */
#include "symbol/runtime.h"

#include <fnmatch.h>
#include <string.h>

/* Code that is compiled at run time is not in a file, so debug symbols do not name it. */
static const struct scope_runtime rows[] = {
	{ "Java",
	  { "libjvm.so" },
	  true,
	  "run `jcmd %u Compiler.perfmap` during the capture (version 17 on), and start it with -XX:+PreserveFramePointer",
	  NULL },
	{ "Node",
	  { "node", "nodejs", "libnode.so*" },
	  true,
	  "start it with --perf-basic-prof --interpreted-frames-native-stack",
	  NULL },
	{ "Python",
	  { "python3*", "libpython3*.so*" },
	  true,
	  "its memory has names of its functions, for a capture on this host by versions 3.8 to 3.13; later ones: start it "
	  "with -X perf",
	  "py::" },
	{ "Ruby",
	  { "ruby*", "libruby*.so*" },
	  true,
	  "its memory has names of its methods, for a capture on this host by versions 2.7 to 3.4; others: start it with "
	  "--yjit-perf, which names what is compiled",
	  "rb::" },
	{ "Perl",
	  { "perl", "perl5.*", "libperl.so*" },
	  false,
	  "its memory has names of its subs, for a capture on this host by versions 5.28 to 5.42",
	  "pl::" },
	{ ".NET", { "libcoreclr.so" }, true, "start it with DOTNET_PerfMapEnabled=1 in its environment", NULL },
	{ "Erlang", { "beam.smp" }, true, "start it with +JPperf true", NULL },
	{ "PHP",
	  { "php*", "libphp*.so*" },
	  false,
	  "its memory has names of its functions, for a capture on this host by versions 8.0 to 8.4 without threads (NTS)",
	  "php::" },
};

const struct scope_runtime *scope_symbol_runtime_of_path(const char *path)
{
	const char *slash = strrchr(path, '/');

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (const char *const *file = rows[i].files; *file; file++)
			if (!fnmatch(*file, slash ? slash + 1 : path, 0))
				return &rows[i];
	return NULL;
}

bool scope_symbol_runtime_names(const char *name)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].named && !strncmp(name, rows[i].named, strlen(rows[i].named)))
			return true;
	return false;
}

bool scope_symbol_runtime_says_file(const char *name)
{
	return scope_symbol_runtime_names(name) || scope_symbol_runtime_idles_outside(name);
}

bool scope_symbol_runtime_idles_outside(const char *name)
{
	return !strncmp(name, "js::", strlen("js::"));
}

bool scope_symbol_runtime_interprets(const char *path)
{
	const struct scope_runtime *runtime = scope_symbol_runtime_of_path(path);

	/*
	 * An interpreter's own modules in C are in a folder for them. PHP's folder is named after the date of its
	 * interface; those of Ruby and Perl are next to their libraries.
	 */
	return (runtime && runtime->named) || !fnmatch("*/lib/python3*/lib-dynload/*.so", path, 0) ||
	       !fnmatch("*/ruby/[0-9].[0-9]*/*.so", path, 0) || !fnmatch("*/ruby/vendor_ruby/*.so", path, 0) ||
	       !fnmatch("*/gems/*-[0-9]*/*.so", path, 0) || !fnmatch("*/perl*/auto/*.so", path, 0) ||
	       !fnmatch("*/lib/php/*20[0-9][0-9][0-9][0-9][0-9][0-9]/*.so", path, 0);
}

const struct scope_runtime *scope_symbol_runtime_of_maps(const struct scope_trace_map *map, size_t count, uint32_t tgid)
{
	for (size_t i = 0; i < count; i++) {
		const struct scope_runtime *found = NULL;

		if (map[i].executable && (!tgid || map[i].tgid == tgid))
			found = scope_symbol_runtime_of_path(map[i].path);
		if (found)
			return found;
	}
	return NULL;
}
