// SPDX-License-Identifier: GPL-2.0-only
/* Names for programs that are stripped, replaced or deleted, from folders and servers that the user gives. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <dlfcn.h>

#include "symbol/symbol.h"

#include "shell.h"

#define ID "00112233445566778899aabbccddeeff00112233"
#define ID_PATH ".build-id/00/112233445566778899aabbccddeeff00112233"
#define BASE 0x7f0000000000ull

static char directory[64];
static uint64_t link_address; /* of the function work */

/* full: with symbols; program: stripped; debug: the symbols alone; other: another build. */
static int group_setup(void **state)
{
	char text[256];
	FILE *pipe;

	(void)state;
	strcpy(directory, "/tmp/scope-debugdir.XXXXXX");
	if (!mkdtemp(directory))
		return -1;
	command("cd %s && echo '__attribute__((used)) static int work(int x) { return x + 1; }' "
		"> a.c && ${CC:-cc} -g -shared -fPIC -Wl,--build-id=0x" ID " -o full a.c && "
		"${CC:-cc} -g -shared -fPIC -Wl,--build-id=0xff -o other a.c && "
		"objcopy --only-keep-debug full debug && "
		"strip -o program full && mkdir empty",
		directory);
	snprintf(text, sizeof(text), "nm %s/full | awk '$3 == \"work\" {print $1}'", directory);
	pipe = popen(text, "r");
	if (!pipe || fscanf(pipe, "%lx", &link_address) != 1)
		return -1;
	return pclose(pipe);
}

static int group_teardown(void **state)
{
	(void)state;
	command("rm -rf %s", directory);
	return 0;
}

/* What the function is called, with this folder, when a process ran /app/libwork.so below root. */
static void check(const char *root, const char *debug_dir, bool debuginfod, bool known)
{
	const char *const folders[] = { debug_dir, NULL };
	const struct scope_symbol_options options = {
		.root = root,
		.debug_dir = debug_dir ? folders : NULL,
		.debuginfod = debuginfod,
	};
	struct scope_trace_map map = { 1,     BASE + 0x1000, BASE + 0x2000,	0x1000, true,
				       false, false,	     "/app/libwork.so", ID };
	const struct scope_function *function;
	struct scope_symbols *symbols;
	const char *const *problem;
	size_t problems;

	assert_int_equal(scope_symbols_create(&map, 1, NULL, 0, &options, &symbols), 0);
	assert_int_equal(scope_symbols_lookup(symbols, 1, BASE + link_address + 1, false, &function), 0);
	problem = scope_symbols_problems(symbols, &problems);
	if (known != !strcmp(function->name, "work"))
		fail_msg("root %s, folder %s: the function is called %s", root, debug_dir, function->name);
	if (!known && (!problems || !strstr(problem[0], "--debug-dir") || !strstr(problem[0], ID)))
		fail_msg("'%s' does not name the remedy", problems ? problem[0] : "");
	assert_string_equal(function->module, "libwork.so");
	scope_symbols_destroy(symbols);
}

/* The program lies at its path stripped, as another build, or not at all. */
static void roots_make(void)
{
	command("cd %s && mkdir -p stripped/app replaced/app gone/app && cp program stripped/app/libwork.so "
		"&& cp other replaced/app/libwork.so",
		directory);
}

static const char *const roots[] = { "stripped", "replaced", "gone" };

static void test_folders(void **state)
{
	static const struct {
		const char *file, *place;
		bool known;
	} rows[] = {
		{ "full", ID_PATH, true },	    { "debug", ID_PATH ".debug", true },
		{ "full", "app/libwork.so", true }, { "debug", "app/libwork.so.debug", true },
		{ "full", "libwork.so", true },	    { "debug", "libwork.so.debug", true },
		{ "other", "libwork.so", false },   { "program", "libwork.so", false },
		{ "a.c", "libwork.so", false },
	};

	(void)state;
	roots_make();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		for (size_t k = 0; k < sizeof(roots) / sizeof(*roots); k++) {
			char root[128], folder[128];

			snprintf(root, sizeof(root), "%s/%s", directory, roots[k]);
			snprintf(folder, sizeof(folder), "%s/folder%zu", directory, i);
			command("mkdir -p $(dirname %s/%s) && cp %s/%s %s/%s", folder, rows[i].place, directory,
				rows[i].file, folder, rows[i].place);
			check(root, folder, false, rows[i].known);
			check(root, NULL, false, false);
		}
	}
}

/* Serves the files of its folder. */
static const char with_files[] = "import http.server, os, sys\n"
				 "os.chdir(sys.argv[1])\n"
				 "s = http.server.HTTPServer(('127.0.0.1', 0), http.server.SimpleHTTPRequestHandler)\n"
				 "print(str(s.server_port) + chr(10), end=str(), flush=True)\n"
				 "sys.stderr = open('log', 'a', buffering=1)\n"
				 "s.serve_forever()\n";

/* Notes that it was asked, and says nothing for ever. */
static const char without_answer[] = "import os, socket, sys\n"
				     "os.chdir(sys.argv[1])\n"
				     "s = socket.create_server(('127.0.0.1', 0))\n"
				     "print(str(s.getsockname()[1]) + chr(10), end=str(), flush=True)\n"
				     "asked = []\n"
				     "while True:\n"
				     "    asked.append(s.accept())\n"
				     "    open('asked', 'a').write('asked\\n')\n";

/* A server in the folder directory/server, on a port of its own; -1: none can be had. */
static pid_t serve(const char *script, unsigned int *ret_port)
{
	int pipes[2];
	char folder[128], line[16] = "";
	pid_t pid;

	snprintf(folder, sizeof(folder), "%s/server", directory);
	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(pipes[1], 1);
		close(pipes[0]);
		close(pipes[1]);
		execlp("python3", "python3", "-c", script, folder, NULL);
		_exit(127);
	}
	close(pipes[1]);
	if (read(pipes[0], line, sizeof(line) - 1) <= 0 || sscanf(line, "%u", ret_port) != 1) {
		waitpid(pid, NULL, 0);
		pid = -1;
	}
	close(pipes[0]);
	return pid;
}

/* Servers are asked where the user said so, and never else. */
static void test_server(void **state)
{
	static const char *const files[] = { "debuginfo", "executable" };
	/* Once more is loaded after it was unloaded, LeakSanitizer of GCC 12 reads its thread-local data, which is gone. */
	void *library = dlopen("libdebuginfod.so.1", RTLD_LAZY | RTLD_NODELETE);
	char text[160], root[128];
	unsigned int port;
	pid_t pid;

	(void)state;
	if (!library) {
		print_message("left out: libdebuginfod1 is not installed\n");
		skip();
	}
	dlclose(library);
	roots_make();
	command("cd %s && mkdir -p server/buildid/" ID " && touch server/log && "
		"cp debug server/buildid/" ID "/debuginfo && cp program server/buildid/" ID "/executable",
		directory);
	pid = serve(with_files, &port);
	if (pid < 0) {
		print_message("left out: python3 serves no files here\n");
		skip();
	}
	snprintf(text, sizeof(text), "http://127.0.0.1:%u", port);
	setenv("DEBUGINFOD_URLS", text, 1);
	for (size_t k = 0; k < sizeof(roots) / sizeof(*roots); k++) {
		snprintf(text, sizeof(text), "%s/cache%zu", directory, k);
		setenv("DEBUGINFOD_CACHE_PATH", text, 1);
		snprintf(root, sizeof(root), "%s/%s", directory, roots[k]);
		check(root, NULL, false, false);
	}
	command("cd %s && test ! -s server/log", directory);
	for (size_t k = 0; k < sizeof(roots) / sizeof(*roots); k++) {
		snprintf(text, sizeof(text), "%s/cache%zu", directory, k);
		setenv("DEBUGINFOD_CACHE_PATH", text, 1);
		snprintf(root, sizeof(root), "%s/%s", directory, roots[k]);
		check(root, NULL, true, true);
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		command("cd %s && grep -q '/buildid/" ID "/%s .* 200' server/log", directory, files[i]);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	unsetenv("DEBUGINFOD_URLS");
	unsetenv("DEBUGINFOD_CACHE_PATH");
}

/* Names of two stripped files are looked up; what the first problem says. Free it. */
static char *ask_for_two(unsigned int port)
{
	char url[64], root[128];
	const struct scope_symbol_options options = { .root = root, .debuginfod = true };
	struct scope_trace_map map[] = {
		{ 1, BASE + 0x1000, BASE + 0x2000, 0x1000, true, false, false, "/app/libwork.so", ID },
		{ 2, BASE + 0x1000, BASE + 0x2000, 0x1000, true, false, false, "/app/libother.so", ID },
	};
	const struct scope_function *function;
	struct scope_symbols *symbols;
	const char *const *problem;
	size_t problems, sentences = 0;
	char *said = NULL;

	snprintf(root, sizeof(root), "%s/stripped", directory);
	snprintf(url, sizeof(url), "http://127.0.0.1:%u", port);
	setenv("DEBUGINFOD_URLS", url, 1);
	assert_int_equal(scope_symbols_create(map, 2, NULL, 0, &options, &symbols), 0);
	for (uint32_t tgid = 1; tgid <= 2; tgid++) {
		assert_int_equal(scope_symbols_lookup(symbols, tgid, BASE + link_address + 1, false, &function), 0);
		assert_false(function->known);
	}
	problem = scope_symbols_problems(symbols, &problems);
	for (size_t i = 0; i < problems; i++) {
		if (strncmp(problem[i], "debuginfod at ", 14))
			continue;
		assert_non_null(strstr(problem[i], url));
		said = strdup(problem[i]);
		sentences++;
	}
	assert_int_equal(sentences, 1);
	scope_symbols_destroy(symbols);
	unsetenv("DEBUGINFOD_URLS");
	return said;
}

/* A server that does not answer is given up once for all, and the report says so. */
static void test_no_answer(void **state)
{
	void *library = dlopen("libdebuginfod.so.1", RTLD_LAZY | RTLD_NODELETE);
	char text[160], *said;
	unsigned int port;
	pid_t pid;

	(void)state;
	if (!library) {
		print_message("left out: libdebuginfod1 is not installed\n");
		skip();
	}
	dlclose(library);
	roots_make();
	command("cd %s && mkdir -p server && cp program stripped/app/libother.so", directory);
	pid = serve(without_answer, &port);
	if (pid < 0) {
		print_message("left out: python3 listens to no port here\n");
		skip();
	}
	snprintf(text, sizeof(text), "%s/empty-cache", directory);
	setenv("DEBUGINFOD_CACHE_PATH", text, 1);
	setenv("DEBUGINFOD_TIMEOUT", "1", 1);
	setenv("DEBUGINFOD_RETRY_LIMIT", "0", 1);
	said = ask_for_two(port);
	assert_non_null(strstr(said, "no answer within 1 s; DEBUGINFOD_TIMEOUT"));
	free(said);
	command("cd %s && test $(wc -l <server/asked) = 1", directory);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	/* Now nobody listens there. */
	said = ask_for_two(port);
	assert_non_null(strstr(said, "see that it can be reached from here"));
	free(said);
	unsetenv("DEBUGINFOD_TIMEOUT");
	unsetenv("DEBUGINFOD_RETRY_LIMIT");
	unsetenv("DEBUGINFOD_CACHE_PATH");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_folders),
		cmocka_unit_test(test_server),
		cmocka_unit_test(test_no_answer),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
