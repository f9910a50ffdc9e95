// SPDX-License-Identifier: GPL-2.0-only
/* Sites and progress points of a running process, here of this test. */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include <scope/event.h>

#include "causal/extent.h"
#include "causal/locate.h"
#include "causal/point.h"
#include "causal/site.h"

int place_to_be_found(int value);

__attribute__((noinline, noclone)) int place_to_be_found(int value)
{
	__asm__ volatile("" : "+r"(value));
	return value * 3;
}

/* Where an address of this process lies in its file. */
static uint64_t offset_of(const void *address)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start, end, offset, found = 0;
	char line[512];

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 && (uintptr_t)address >= start &&
		    (uintptr_t)address < end)
			found = (uintptr_t)address - start + offset;
	fclose(maps);
	assert_true(found);
	return found;
}

static void finds_functions(void **state)
{
	const uint64_t want = offset_of((void *)place_to_be_found);
	struct scope_error error = { "" };
	struct scope_place place;
	char text[PATH_MAX + 64], own[PATH_MAX] = "";

	(void)state;
	assert_true(readlink("/proc/self/exe", own, sizeof(own) - 1) > 0);
	assert_int_equal(scope_causal_locate_function((uint32_t)getpid(), "place_to_be_found", &error, &place), 0);
	assert_int_equal(place.offset, want);
	assert_int_equal(
		scope_causal_locate_function((uint32_t)getpid(), "test_place:place_to_be_found", &error, &place), 0);
	assert_int_equal(place.offset, want);
	snprintf(text, sizeof(text), "test_place:0x%llx", (unsigned long long)want);
	assert_int_equal(scope_causal_locate_function((uint32_t)getpid(), text, &error, &place), 0);
	assert_int_equal(place.offset, want);
	/* A path of this host, through a process where it lies in a container. */
	snprintf(text, sizeof(text), "%s:place_to_be_found", own);
	assert_int_equal(scope_causal_locate_function(1, text, &error, &place), 0);
	snprintf(text, sizeof(text), "/proc/%d/root%s:place_to_be_found", (int)getpid(), own);
	assert_int_equal(scope_causal_locate_function(1, text, &error, &place), 0);
	assert_int_equal(place.offset, want);
	snprintf(text, sizeof(text), "/proc/%d/exe:place_to_be_found", (int)getpid());
	assert_int_equal(scope_causal_locate_function(1, text, &error, &place), 0);
	assert_int_equal(place.offset, want);
	/* Of a library, which is mapped after the program. */
	assert_int_equal(scope_causal_locate_function((uint32_t)getpid(), "cmocka_set_message_output", &error, &place),
			 0);
	assert_non_null(strstr(place.path, "libcmocka"));
}

static void says_what_is_not_there(void **state)
{
	static const struct {
		const char *text;
		int code;
		const char *word;
	} rows[] = {
		{ "no_such_function", -ENOENT, "no_such_function" },
		{ "test_place:no_such_function", -ENOENT, "debug symbols" },
		{ "nothing.so:f", -ENOENT, "nothing.so" },
		{ "/no/such/file:f", -ENOENT, "/no/such/file" },
		{ "0x10", -EINVAL, "FILE:0xOFFSET" },
		{ "test_place:", -EINVAL, "FILE:NAME" },
		{ "", -EINVAL, "FILE:NAME" },
	};
	struct scope_place place;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct scope_error error = { "" };

		assert_int_equal(scope_causal_locate_function((uint32_t)getpid(), rows[i].text, &error, &place),
				 rows[i].code);
		if (!strstr(error.text, rows[i].word))
			fail_msg("'%s' does not name %s", error.text, rows[i].word);
	}
}

static void finds_addresses(void **state)
{
	const uint64_t here = (uintptr_t)place_to_be_found;
	struct scope_delay_range *range;
	struct scope_error error = { "" };
	uint32_t count, holding = 0;

	(void)state;
	assert_int_equal(scope_causal_extents_find((uint32_t)getpid(), "place_to_be_found", &error, &range, &count), 0);
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(range[i].tgid, getpid());
		assert_true(range[i].end > range[i].begin && range[i].end - range[i].begin < 4096);
		holding += here >= range[i].begin && here < range[i].end;
	}
	assert_int_equal(holding, 1);
	free(range);
	assert_int_equal(scope_causal_extents_find((uint32_t)getpid(), "no_such_function", &error, &range, &count),
			 -ENOENT);
	assert_non_null(strstr(error.text, "no_such_function"));
}

static void parses_sites(void **state)
{
	struct scope_error error = { "" };
	struct scope_site site;

	(void)state;
	assert_int_equal(scope_causal_site_parse(1, "syscall:fsync", &error, &site), 0);
	assert_int_equal(site.rule.site, SCOPE_DELAY_SYSCALL);
	assert_int_equal(site.rule.syscall, SYS_fsync);
	assert_int_equal(site.rule.flags, 0);
	assert_int_equal(scope_causal_site_parse(1, "return:fsync", &error, &site), 0);
	assert_int_equal(site.rule.flags, SCOPE_DELAY_AFTER);
	assert_int_equal(scope_causal_site_parse(1, "receive", &error, &site), 0);
	assert_int_equal(site.rule.site, SCOPE_DELAY_RECEIVE);
	assert_int_equal(scope_causal_site_parse(1, "kernel:vfs_read", &error, &site), 0);
	assert_string_equal(site.rule.name, "vfs_read");
	assert_int_equal(scope_causal_site_parse(1, "kernel:", &error, &site), -EINVAL);
	assert_int_equal(scope_causal_site_parse(1, "syscall:nothing", &error, &site), -EINVAL);
	assert_int_equal(scope_causal_site_parse(1, "nowhere", &error, &site), -EINVAL);
	assert_int_equal(scope_causal_site_parse_speedup(1, "syscall:fsync", &error, &site), 0);
	assert_int_equal(site.rule.site, SCOPE_DELAY_SPEEDUP);
	assert_int_equal(site.rule.range_count, 0);
	scope_causal_site_free(&site);
	assert_int_equal(
		scope_causal_site_parse_speedup((uint32_t)getpid(), "function:place_to_be_found", &error, &site), 0);
	assert_int_equal(site.rule.syscall, SCOPE_NR_NONE);
	assert_true(site.rule.range_count >= 1);
	assert_ptr_equal(site.rule.ranges, site.range);
	scope_causal_site_free(&site);
	assert_int_equal(scope_causal_site_parse_speedup(1, "receive", &error, &site), -EINVAL);
}

static void parses_points(void **state)
{
	const uint32_t self = (uint32_t)getpid();
	struct scope_error error = { "" };
	struct scope_point point;

	(void)state;
	assert_int_equal(scope_causal_point_parse(self, "request", &error, &point), 0);
	assert_true(point.pair);
	assert_int_equal(point.end.kind, SCOPE_POINT_REQUEST);
	assert_int_equal(scope_causal_point_parse(self, "syscall:write", &error, &point), 0);
	assert_false(point.pair);
	assert_int_equal(point.end.nr, SYS_write);
	assert_int_equal(
		scope_causal_point_parse(self, "begin:syscall:read,end:function:place_to_be_found", &error, &point), 0);
	assert_true(point.pair);
	assert_int_equal(point.begin.nr, SYS_read);
	assert_int_equal(point.end.kind, SCOPE_POINT_FUNCTION);
	assert_int_equal(point.end.place.offset, offset_of((void *)place_to_be_found));
	assert_int_equal(scope_causal_point_parse(self, "begin:syscall:read", &error, &point), -EINVAL);
	assert_int_equal(scope_causal_point_parse(self, "begin:request,end:request", &error, &point), -EINVAL);
	assert_int_equal(scope_causal_point_parse(self, "syscall:", &error, &point), -EINVAL);
	assert_int_equal(scope_causal_point_parse(self, "", &error, &point), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_functions), cmocka_unit_test(says_what_is_not_there),
		cmocka_unit_test(finds_addresses), cmocka_unit_test(parses_sites),
		cmocka_unit_test(parses_points),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
