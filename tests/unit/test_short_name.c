// SPDX-License-Identifier: GPL-2.0-only
/* Names of Go lose the path of their package on the first screen; other names stay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/section.h"

static void go_loses_the_path_of_its_package(void **state)
{
	(void)state;
	assert_string_equal(scope_report_section_short_name("github.com/a/b.c/inhibit.(*Inhibitor).Mutes"),
			    "inhibit.(*Inhibitor).Mutes");
	assert_string_equal(scope_report_section_short_name("example.com/list.Map[example.com/a.T,int]"),
			    "list.Map[example.com/a.T,int]");
	assert_string_equal(scope_report_section_short_name("net/http.(*conn).serve"), "http.(*conn).serve");
}

static void a_long_name_loses_its_first_parts(void **state)
{
	(void)state;
	/* Perl's, of a file that a server runs. */
	assert_string_equal(
		scope_report_section_last_name(
			"Plack::Sandbox::_2fsrv_2fwww_2fwith_2da_2dlong_2dpath_2fwords_2epsgi::count_letters"),
		"count_letters");
	assert_string_equal(scope_report_section_last_name("Plack::Sandbox::_2fapp_2epsgi::count_letters"),
			    "Plack::Sandbox::_2fapp_2epsgi::count_letters");
	assert_string_equal(scope_report_section_last_name(
				    "storage::(anonymous namespace)::a_name_that_is_far_too_long_for_a_line"),
			    "storage::(anonymous namespace)::a_name_that_is_far_too_long_for_a_line");
}

static void other_names_stay(void **state)
{
	static const char *const names[] = { "walk_list",
					     "Vector::operator/",
					     "a::b<c/d>::e",
					     "operator/",
					     "JS:^match /srv/app/router.js:20:3",
					     "RegExp:^\\/flights/$",
					     "/",
					     "" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_string_equal(scope_report_section_short_name(names[i]), names[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(go_loses_the_path_of_its_package),
		cmocka_unit_test(a_long_name_loses_its_first_parts),
		cmocka_unit_test(other_names_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
