// SPDX-License-Identifier: GPL-2.0-only
/* The database of signatures: runs add up, JSON keeps all data, and other files are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/syscall_name.h"
#include "signature/json_exchange.h"

static const struct scope_mine_options five = { 5, 100 };
static char directory[] = "/tmp/scope-signature-XXXXXX";
static char path[128], other_path[128];

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(directory))
		return -1;
	snprintf(path, sizeof(path), "%s/deep/below/a.db", directory);
	snprintf(other_path, sizeof(other_path), "%s/b.db", directory);
	return 0;
}

static int forget(void **state)
{
	(void)state;
	unlink(path);
	unlink(other_path);
	return 0;
}

static int tear_down(void **state)
{
	char name[160];

	forget(state);
	snprintf(name, sizeof(name), "%s/deep/below", directory);
	rmdir(name);
	snprintf(name, sizeof(name), "%s/deep", directory);
	rmdir(name);
	return rmdir(directory);
}

/* main calls work; work made the calls count times. */
static void make_run(struct scope_learned *learned, const uint16_t *nr, unsigned length, uint64_t count)
{
	static const struct scope_signature_learned_build build = { "0123abcd", "server", "x86_64", 1 };
	struct scope_signature_learned_function function = { .name = "main", .start = 0x1000 };

	memset(learned, 0, sizeof(*learned));
	assert_int_equal(scope_signature_learned_build(learned, &build, &function.build), 0);
	assert_int_equal(scope_signature_learned_function(learned, &function), 0);
	function.name = "work";
	function.start = 0x2000;
	function.calls = length * count;
	assert_int_equal(scope_signature_learned_function(learned, &function), 0);
	assert_int_equal(scope_signature_learned_string(&learned->function[1], nr, length, count), 0);
	assert_int_equal(scope_signature_learned_caller(&learned->function[1], 0, length * count), 0);
}

static struct scope_store *open_store(const char *name, enum scope_store_mode mode)
{
	struct scope_error error = { "" };
	struct scope_store *store = NULL;

	if (scope_signature_store_open(name, mode, &error, &store))
		fail_msg("%s", error.text);
	return store;
}

static size_t add_run(struct scope_store *store, const uint16_t *nr, unsigned length, uint64_t count)
{
	struct scope_learned learned;
	size_t episodes = 0;

	make_run(&learned, nr, length, count);
	assert_int_equal(scope_signature_store_add(store, &learned, &five, NULL, &episodes), 0);
	scope_signature_learned_free(&learned);
	return episodes;
}

static int sum_builds(void *user, const struct scope_store_build *build)
{
	uint64_t *sum = user;

	assert_string_equal(build->build_id, "0123abcd");
	assert_string_equal(build->module, "server");
	assert_string_equal(build->arch, "x86_64");
	assert_int_equal(build->functions, 2);
	sum[0] += build->runs;
	sum[1] += build->episodes;
	return 0;
}

static const uint16_t nine[] = { 8, 9 }, three[] = { 1, 2, 3 }, busy[] = { SCOPE_EPISODE_BUSY, 3 };

static void test_runs_add_up(void **state)
{
	struct scope_store *store = open_store(path, SCOPE_STORE_WRITE);
	uint64_t sum[2] = { 0 };

	(void)state;
	/* Three times is too rare, six times in two runs are not. */
	assert_int_equal(add_run(store, three, 3, 3), 0);
	assert_int_equal(add_run(store, three, 3, 3), 1);
	assert_int_equal(add_run(store, nine, 2, 5), 2);
	assert_int_equal(scope_signature_store_each_build(store, NULL, sum_builds, sum), 0);
	assert_int_equal(sum[0], 3);
	assert_int_equal(sum[1], 2);
	scope_signature_store_close(store);
	/* It is there for the next one. */
	store = open_store(path, SCOPE_STORE_READ);
	memset(sum, 0, sizeof(sum));
	assert_int_equal(scope_signature_store_each_build(store, NULL, sum_builds, sum), 0);
	assert_int_equal(sum[0], 3);
	scope_signature_store_close(store);
}

static void test_a_build_is_meant_by_its_name_or_its_first_digits(void **state)
{
	const struct scope_store_build build = { .module = "server", .build_id = "0123456789abcdef" };

	(void)state;
	assert_true(scope_signature_store_build_matches(&build, NULL));
	assert_true(scope_signature_store_build_matches(&build, "server"));
	assert_true(scope_signature_store_build_matches(&build, "012345"));
	assert_true(scope_signature_store_build_matches(&build, "0123456789abcdef"));
	assert_false(scope_signature_store_build_matches(&build, "01234")); /* too few to be sure */
	assert_false(scope_signature_store_build_matches(&build, "123456"));
	assert_false(scope_signature_store_build_matches(&build, "0123456789abcdef0"));
	assert_false(scope_signature_store_build_matches(&build, "serv"));
	assert_false(scope_signature_store_build_matches(&build, ""));
}

static char *export_text(struct scope_store *store)
{
	struct scope_error error = { "" };
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	if (scope_signature_export(store, NULL, to, &error))
		fail_msg("%s", error.text);
	assert_int_equal(fclose(to), 0);
	return text;
}

static int import_text(struct scope_store *store, const char *text, struct scope_error *error)
{
	FILE *from = fmemopen((void *)text, strlen(text), "r");
	struct scope_imported *imported;
	size_t episodes;
	int code;

	assert_non_null(from);
	code = scope_signature_import(from, "a.json", error, &imported);
	fclose(from);
	if (code)
		return code;
	code = scope_signature_store_add(store, scope_signature_imported_learned(imported), &five, error, &episodes);
	scope_signature_imported_destroy(imported);
	return code;
}

static void test_what_is_exported_comes_back(void **state)
{
	struct scope_store *store = open_store(path, SCOPE_STORE_WRITE);
	struct scope_store *other = open_store(other_path, SCOPE_STORE_WRITE);
	struct scope_error error = { "" };
	char *text, *again;
	uint64_t sum[2] = { 0 };

	(void)state;
	add_run(store, three, 3, 7);
	add_run(store, nine, 2, 9);
	add_run(store, busy, 2, 9);
	text = export_text(store);
	assert_int_equal(import_text(other, text, &error), 0);
	again = export_text(other);
	assert_string_equal(text, again);
	assert_non_null(strstr(text, scope_syscall_name(three[0])));
	assert_non_null(strstr(text, "(busy)"));
	/* Once more counts as its runs again. */
	assert_int_equal(import_text(other, text, &error), 0);
	assert_int_equal(scope_signature_store_each_build(other, NULL, sum_builds, sum), 0);
	assert_int_equal(sum[0], 6);
	free(text);
	free(again);
	scope_signature_store_close(store);
	scope_signature_store_close(other);
}

#define WHOLE(functions)                                                                                               \
	"{\"scope_signatures\": 1, \"builds\": [{\"build_id\": \"ab\", \"module\": \"m\","                             \
	" \"arch\": \"\", \"runs\": 1, \"functions\": [" functions "]}]}"
#define FUNCTION(id, callers, strings)                                                                                 \
	"{\"id\": " id ", \"name\": \"f\", \"start\": \"0x10\", \"calls\": 1, \"left_out\": 0,"                        \
	" \"callers\": [" callers "], \"strings\": [" strings "]}"

static void test_what_cannot_be_imported_is_refused(void **state)
{
	static const struct {
		int code;
		const char *text, *said;
	} rows[] = {
		{ -EBADMSG, "{", "no JSON" },
		{ -EBADMSG, "[]", "holds no signatures" },
		{ -EBADMSG, "{\"scope_signatures\": 1, \"builds\": [7]}", "holds no signatures" },
		{ -EPROTO, "{\"scope_signatures\": 3, \"builds\": []}", "version 3" },
		{ -EPROTO, "{\"scope_signatures\": 0, \"builds\": []}", "version 0" },
		{ -EBADMSG, WHOLE(FUNCTION("1", "", "{\"calls\": [], \"count\": 1}")), "no calls" },
		{ -EBADMSG, WHOLE(FUNCTION("1", "", "{\"calls\": [1], \"count\": -1}")), "count" },
		{ -EBADMSG, WHOLE(FUNCTION("1", "", "{\"calls\": [\"x_y_z\"], \"count\": 1}")), "name" },
		{ -EBADMSG, WHOLE(FUNCTION("1", "", "{\"calls\": [99999], \"count\": 1}")), "number" },
		{ -EBADMSG, WHOLE(FUNCTION("1", "{\"id\": 2, \"calls\": 1}", "")), "caller" },
		{ -EBADMSG, WHOLE(FUNCTION("1", "", "") ", " FUNCTION("1", "", "")), "one id" },
		{ 0, WHOLE(FUNCTION("1", "{\"id\": 1, \"calls\": 1}", "{\"calls\": [7], \"count\": 1}")), "" },
	};
	struct scope_store *store = open_store(path, SCOPE_STORE_WRITE);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct scope_error error = { "" };

		assert_int_equal(import_text(store, rows[i].text, &error), rows[i].code);
		assert_non_null(strstr(error.text, rows[i].said));
	}
	scope_signature_store_close(store);
}

static void execute(const char *name, const char *sql)
{
	sqlite3 *handle;

	assert_int_equal(sqlite3_open(name, &handle), SQLITE_OK);
	assert_int_equal(sqlite3_exec(handle, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(handle);
}

static void expect_refused(enum scope_store_mode mode, int code, const char *said)
{
	struct scope_error error = { "" };
	struct scope_store *store;

	assert_int_equal(scope_signature_store_open(path, mode, &error, &store), code);
	assert_non_null(strstr(error.text, said));
	assert_non_null(strstr(error.text, path));
}

static void test_a_newer_database_is_refused(void **state)
{
	(void)state;
	scope_signature_store_close(open_store(path, SCOPE_STORE_WRITE));
	execute(path, "PRAGMA user_version = 7");
	expect_refused(SCOPE_STORE_READ, -EPROTO, "version 7");
	expect_refused(SCOPE_STORE_WRITE, -EPROTO, "newer scope");
}

static int count_episode(void *user, const struct scope_episode *episode)
{
	size_t *count = user;

	assert_true(scope_signature_episode_valid(episode));
	++*count;
	return 0;
}

/* What such a one lacks comes with the next run; the older program reports that it is newer from then on. */
static void test_an_older_database_is_read(void **state)
{
	static const uint16_t same[] = { 7, 7, 7 };
	struct scope_store *store = open_store(path, SCOPE_STORE_WRITE);
	size_t before = 0, behind = 0;

	(void)state;
	add_run(store, same, 3, 6);
	scope_signature_store_close(store);
	execute(path, "DELETE FROM episode WHERE length(nr) > 2; PRAGMA user_version = 1");
	store = open_store(path, SCOPE_STORE_READ);
	assert_int_equal(scope_signature_store_each_episode(store, 2, NULL, count_episode, &before), 0);
	assert_int_equal(before, 1);
	scope_signature_store_close(store);
	store = open_store(path, SCOPE_STORE_WRITE);
	add_run(store, same, 3, 1);
	assert_int_equal(scope_signature_store_each_episode(store, 2, NULL, count_episode, &behind), 0);
	assert_int_equal(behind, 2);
	scope_signature_store_close(store);
	execute(path, "CREATE TABLE check_version (v INTEGER CHECK (v = 2));"
		      "INSERT INTO check_version SELECT * FROM pragma_user_version");
}

static void test_another_database_is_refused(void **state)
{
	(void)state;
	scope_signature_store_close(open_store(path, SCOPE_STORE_WRITE));
	unlink(path);
	execute(path, "CREATE TABLE mine (a)");
	expect_refused(SCOPE_STORE_READ, -EBADMSG, "no database of signatures");
	expect_refused(SCOPE_STORE_WRITE, -EBADMSG, "no database of signatures");
}

static void test_no_database_is_told(void **state)
{
	(void)state;
	expect_refused(SCOPE_STORE_READ, -ENOENT, "scope learn");
}

static int ignore_function(void *user, const struct scope_store_function *function)
{
	(void)user;
	(void)function;
	return 0;
}

static int ignore_episode(void *user, const struct scope_episode *episode)
{
	(void)user;
	assert_true(scope_signature_episode_valid(episode));
	return 0;
}

struct reading {
	struct scope_store *store;
	struct scope_error error;
};

static int read_build(void *user, const struct scope_store_build *build)
{
	struct reading *reading = user;

	return scope_signature_store_each_function(reading->store, build->id, &reading->error, ignore_function, NULL);
}

/* Every page of it, written over with noise: an error with a remedy, or what can still be read. */
static void test_a_damaged_database_is_told(void **state)
{
	uint64_t seed = 5;
	size_t refused = 0;
	long size;
	FILE *file;

	(void)state;
	for (int round = 0; round < 40; round++) {
		struct reading reading = { NULL, { "" } };
		int code;

		unlink(path);
		reading.store = open_store(path, SCOPE_STORE_WRITE);
		add_run(reading.store, three, 3, 9);
		scope_signature_store_close(reading.store);
		file = fopen(path, "r+");
		assert_non_null(file);
		fseek(file, 0, SEEK_END);
		size = ftell(file);
		for (int i = 0; i < 60; i++) {
			seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
			fseek(file, (long)(seed >> 33) % size, SEEK_SET);
			fputc((int)(seed >> 25) & 0xff, file);
		}
		fclose(file);
		code = scope_signature_store_open(path, SCOPE_STORE_READ, &reading.error, &reading.store);
		if (!code) {
			code = scope_signature_store_each_build(reading.store, &reading.error, read_build, &reading);
			for (int id = 1; !code && id < 3; id++)
				code = scope_signature_store_each_episode(reading.store, id, &reading.error,
									  ignore_episode, NULL);
			scope_signature_store_close(reading.store);
		}
		refused += code != 0;
		assert_int_equal(code != 0, reading.error.text[0] != '\0');
	}
	assert_true(refused > 10);
}

static void test_calls_that_no_run_wrote_are_told(void **state)
{
	struct scope_store *store = open_store(path, SCOPE_STORE_WRITE);
	struct scope_error error = { "" };

	(void)state;
	add_run(store, three, 3, 9);
	execute(path, "UPDATE episode SET nr = x'010002000100'");
	assert_int_equal(scope_signature_store_each_episode(store, 2, &error, ignore_episode, NULL), -EBADMSG);
	assert_non_null(strstr(error.text, "learn again"));
	scope_signature_store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_runs_add_up, forget),
		cmocka_unit_test(test_a_build_is_meant_by_its_name_or_its_first_digits),
		cmocka_unit_test_teardown(test_what_is_exported_comes_back, forget),
		cmocka_unit_test_teardown(test_what_cannot_be_imported_is_refused, forget),
		cmocka_unit_test_teardown(test_a_newer_database_is_refused, forget),
		cmocka_unit_test_teardown(test_an_older_database_is_read, forget),
		cmocka_unit_test_teardown(test_another_database_is_refused, forget),
		cmocka_unit_test_teardown(test_no_database_is_told, forget),
		cmocka_unit_test_teardown(test_a_damaged_database_is_told, forget),
		cmocka_unit_test_teardown(test_calls_that_no_run_wrote_are_told, forget),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
