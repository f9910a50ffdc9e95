// SPDX-License-Identifier: GPL-2.0-only
/* Distinguishes Go's own functions from the program's by their names. */
#include "symbol/goname.h"

#include <fnmatch.h>
#include <stddef.h>
#include <string.h>

/* First parts of paths in the standard library of Go 1.26 and of older versions. */
static const char *const packages[] = {
	"archive",
	"arena",
	"bufio",
	"bytes",
	"cmp",
	"compress",
	"container",
	"context",
	"crypto",
	"database",
	"debug",
	"embed",
	"encoding",
	"errors",
	"expvar",
	"flag",
	"fmt",
	"go",
	"hash",
	"html",
	"image",
	"index",
	"internal",
	"io",
	"iter",
	"log",
	"maps",
	"math",
	"mime",
	"net",
	"os",
	"path",
	"plugin",
	"reflect",
	"regexp",
	"runtime",
	"slices",
	"sort",
	"strconv",
	"strings",
	"structs",
	"sync",
	"syscall",
	"testing",
	"text",
	"time",
	"unicode",
	"unique",
	"unsafe",
	"vendor",
	"weak",
	/* Comparisons that the compiler generates: type:.eq.main.key. */
	"type",
	"go:",
};

/* Code without a package: the start of a thread, code around calls into C, and parts of assembly. */
static const char *const bare[] = {
	"main",
	"_start",
	"fatalf",
	"threadentry",
	"_rt0_*",
	"rt0_*",
	"_cgo_*",
	"x_cgo_*",
	"cgo*",
	"crosscall*",
	"gogo",
	"callRet",
	"debugCall*",
	"gosave_systemstack_switch",
	"setg_gcc",
	"aeshashbody",
	"cmpbody",
	"countbody",
	"countgenericbody",
	"indexbody",
	"indexbytebody",
	"memeqbody",
	"memhash*body",
	"_expand_key_*",
	"p256*Internal",
	"polyHashADInternal",
	"sha*block*",
	NULL,
};

static const char *const idle[] = {
	"runtime.schedule",    "runtime.findRunnable", "runtime.findrunnable",	 "runtime.stopm",
	"runtime.stoplockedm", "runtime.sysmon",       "runtime.templateThread", "runtime.gcBgMarkWorker",
	"runtime.bgsweep",     "runtime.bgscavenge",   "runtime.signal_recv",	 NULL,
};

bool scope_symbol_go_name_is_runtime(const char *name)
{
	static const char prefix[] = "runtime.";

	return !strncmp(name, prefix, sizeof(prefix) - 1) && name[sizeof(prefix) - 1] > '9';
}

/* Length of the path and package: up to the first dot after the last slash outside of a type. */
static size_t package_bytes(const char *name)
{
	size_t end = strcspn(name, "([{*"), from = 0;

	for (size_t i = 0; i < end; i++)
		if (name[i] == '/')
			from = i + 1;
	while (from < end && name[from] != '.')
		from++;
	return name[from] == '.' ? from : 0;
}

bool scope_symbol_go_name_is_library(const char *name)
{
	/* Code that is generated for a type: the path of the type follows. */
	const size_t made = !strncmp(name, "type.", 5) || !strncmp(name, "type:", 5) ? 4 : 0;
	const size_t package = made ? made : package_bytes(name);
	const size_t first = package ? strcspn(name, "/") : 0;
	const size_t bytes = first < package ? first : package;

	for (const char *const *row = bare; !package && *row; row++)
		if (!fnmatch(*row, name, 0))
			return true;
	for (size_t i = 0; package && i < sizeof(packages) / sizeof(*packages); i++)
		if (strlen(packages[i]) == bytes && !memcmp(packages[i], name, bytes))
			return true;
	return false;
}

bool scope_symbol_go_name_is_idle(const char *name)
{
	for (const char *const *row = idle; *row; row++)
		if (!strcmp(*row, name))
			return true;
	return false;
}
