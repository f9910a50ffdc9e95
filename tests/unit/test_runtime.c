// SPDX-License-Identifier: GPL-2.0-only
/* The runtime of a process, found from its mappings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "symbol/runtime.h"

static const char *name_of(const char *path)
{
	const struct scope_runtime *runtime = scope_symbol_runtime_of_path(path);

	return runtime ? runtime->name : "";
}

static void files_show_the_runtime(void **state)
{
	(void)state;
	assert_string_equal(name_of("/usr/lib/jvm/java-17/lib/server/libjvm.so"), "Java");
	assert_string_equal(name_of("/usr/bin/node"), "Node");
	assert_string_equal(name_of("/usr/bin/python3.12"), "Python");
	assert_string_equal(name_of("/usr/lib/libpython3.11.so.1.0"), "Python");
	assert_string_equal(name_of("/usr/sbin/php-fpm8.2"), "PHP");
	assert_string_equal(name_of("/usr/lib/erlang/erts-13/bin/beam.smp"), "Erlang");
	assert_string_equal(name_of("/usr/sbin/nginx"), "");
	assert_string_equal(name_of("/opt/node_exporter"), "");
}

static void code_of_the_process_counts_alone(void **state)
{
	const struct scope_trace_map maps[] = {
		{ .tgid = 1, .executable = true, .path = "/usr/bin/node" },
		{ .tgid = 2, .executable = false, .path = "/usr/bin/python3" },
		{ .tgid = 2, .executable = true, .path = "/usr/lib/libjvm.so" },
	};

	(void)state;
	assert_string_equal(scope_symbol_runtime_of_maps(maps, 3, 2)->name, "Java");
	assert_string_equal(scope_symbol_runtime_of_maps(maps, 3, 0)->name, "Node");
	assert_null(scope_symbol_runtime_of_maps(maps, 3, 3));
}

/* Only where a runtime names what it interprets is its interpreter no cause. */
static void interpreters_are_known_by_names(void **state)
{
	(void)state;
	assert_true(scope_symbol_runtime_names("py::sell:/srv/app.py"));
	assert_false(scope_symbol_runtime_names("JS:*sell /srv/app.js:1:1"));
	assert_false(scope_symbol_runtime_names("spy::sell"));
	assert_true(scope_symbol_runtime_interprets("/usr/bin/python3.12"));
	assert_true(scope_symbol_runtime_interprets("libpython3.12.so.1.0"));
	assert_true(scope_symbol_runtime_interprets(
		"/usr/lib/python3.12/lib-dynload/_json.cpython-312-x86_64-linux-gnu.so"));
	assert_false(scope_symbol_runtime_interprets(
		"/usr/lib/python3/dist-packages/_shop.cpython-312-x86_64-linux-gnu.so"));
	assert_true(scope_symbol_runtime_interprets("/usr/lib/php/20220829/phar.so"));
	assert_true(
		scope_symbol_runtime_interprets("/usr/local/lib/php/extensions/no-debug-non-zts-20220829/opcache.so"));
	assert_false(scope_symbol_runtime_interprets("/srv/shop/lib/php/shop.so"));
	assert_true(scope_symbol_runtime_names("php::Cart::add:/srv/cart.php"));
	assert_true(scope_symbol_runtime_names("rb::Cart#add:/srv/cart.rb"));
	assert_true(scope_symbol_runtime_interprets("/usr/bin/ruby3.1"));
	assert_true(scope_symbol_runtime_interprets("/usr/local/lib/libruby.so.3.3.0"));
	assert_true(scope_symbol_runtime_interprets("/usr/lib/x86_64-linux-gnu/ruby/3.1.0/socket.so"));
	assert_true(scope_symbol_runtime_interprets(
		"/usr/lib/x86_64-linux-gnu/ruby/vendor_ruby/3.1.0/puma/puma_http11.so"));
	assert_true(scope_symbol_runtime_interprets("/var/lib/gems/3.1.0/gems/pg-1.5.4/lib/pg_ext.so"));
	assert_false(scope_symbol_runtime_interprets("/srv/gems/shop.so"));
	assert_true(scope_symbol_runtime_names("pl::Cart::add:/srv/cart.pl"));
	assert_true(scope_symbol_runtime_interprets("/usr/bin/perl"));
	assert_true(scope_symbol_runtime_interprets("/usr/bin/perl5.36-x86_64-linux-gnu"));
	assert_true(scope_symbol_runtime_interprets("/usr/lib64/libperl.so.5.38"));
	assert_true(scope_symbol_runtime_interprets("/usr/lib/x86_64-linux-gnu/perl/5.36.0/auto/POSIX/POSIX.so"));
	assert_true(
		scope_symbol_runtime_interprets("/usr/lib/x86_64-linux-gnu/perl5/5.36/auto/BerkeleyDB/BerkeleyDB.so"));
	assert_true(scope_symbol_runtime_interprets(
		"/usr/local/lib/perl5/site_perl/5.36.0/x86_64-linux/auto/JSON/XS/XS.so"));
	assert_false(scope_symbol_runtime_interprets("/srv/perl/shop.so"));
	assert_false(scope_symbol_runtime_interprets("/usr/bin/perlbal"));
	assert_false(scope_symbol_runtime_interprets("/usr/bin/node"));
}

/* JavaScript's names have a file too; a thread that runs one is not idle. */
static void functions_of_javascript_are_known_by_names(void **state)
{
	(void)state;
	assert_true(scope_symbol_runtime_says_file("js::sell:/srv/app.js"));
	assert_true(scope_symbol_runtime_says_file("py::sell:/srv/app.py"));
	assert_false(scope_symbol_runtime_says_file("JS:*sell /srv/app.js:1:1"));
	assert_false(scope_symbol_runtime_names("js::sell:/srv/app.js"));
	assert_true(scope_symbol_runtime_idles_outside("js::sell:/srv/app.js"));
	assert_false(scope_symbol_runtime_idles_outside("py::sell:/srv/app.py"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_show_the_runtime),
		cmocka_unit_test(code_of_the_process_counts_alone),
		cmocka_unit_test(interpreters_are_known_by_names),
		cmocka_unit_test(functions_of_javascript_are_known_by_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
