// SPDX-License-Identifier: GPL-2.0-only
/* What counts as a library, by the path of its file or the name of its code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "symbol/library.h"

static void test_libraries(void **state)
{
	static const struct {
		const char *path;
		bool library;
	} rows[] = {
		{ "/usr/lib/x86_64-linux-gnu/libc.so.6", true },
		{ "/lib/x86_64-linux-gnu/ld-2.31.so", true },
		{ "/lib64/ld-linux-x86-64.so.2", true },
		{ "/opt/app/lib/libc.so.6", true },
		{ "/opt/app/lib/libssl.so.1.1", true },
		{ "/usr/lib/x86_64-linux-gnu/libevent-2.1.so.7.0.1", true },
		{ "/usr/lib/aarch64-linux-gnu/libwhatever.so.1", true },
		{ "/usr/lib64/libwhatever.so", true },
		{ "/usr/lib/jvm/java-17/lib/server/libjvm.so", true },
		{ "/usr/bin/node", true },
		{ "/usr/lib/erlang/erts-13/bin/beam.smp", true },
		{ "/srv/shop/node_modules/shop/build/shop.node", false },
		{ "[vdso]", true },
		{ "[vsyscall]", true },
		{ "/usr/sbin/nginx", false },
		{ "/usr/bin/memcached", false },
		{ "/usr/lib/lighttpd/mod_proxy.so", false },
		{ "/usr/lib/x86_64-linux-gnu/lighttpd/mod_proxy.so", false },
		{ "/usr/lib/apache2/modules/mod_php.so", false },
		{ "/usr/lib/postgresql/15/bin/postgres", false },
		{ "/opt/app/lib/libapp.so", false },
		{ "/opt/app/lib/libcache.so", false },
		{ "/opt/app/lib/libmq.so", false },
		{ "/usr/local/lib/libapp.so.1", false },
		{ "/lib/systemd/systemd", false },
		{ "[anonymous]", false },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if ((scope_symbol_library_match(NULL, rows[i].path) != SCOPE_LIBRARY_NONE) != rows[i].library)
			fail_msg("%s", rows[i].path);
	}
}

static void test_of_program(void **state)
{
	static const struct {
		const char *library, *program;
		bool own;
	} rows[] = {
		{ "/usr/lib/x86_64-linux-gnu/libnetsnmpagent.so.40", "/usr/sbin/snmpd", true },
		{ "/usr/lib/x86_64-linux-gnu/libcups.so.2", "/usr/sbin/cupsd", true },
		{ "/usr/lib/x86_64-linux-gnu/libavahi-core.so.7", "/usr/sbin/avahi-daemon", true },
		{ "/usr/lib/x86_64-linux-gnu/libldap-2.5.so.0", "/usr/sbin/slapd", false },
		{ "/usr/lib/x86_64-linux-gnu/libpq.so.5", "/usr/bin/pgd", false },
		{ "/usr/lib/x86_64-linux-gnu/libxml2.so.2", "/usr/sbin/xmld", false },
		{ "/usr/lib/x86_64-linux-gnu/libsqlite3.so.0", "/opt/shop/server", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (scope_symbol_library_of_program(rows[i].library, rows[i].program) != rows[i].own)
			fail_msg("%s of %s", rows[i].library, rows[i].program);
	assert_int_equal(scope_symbol_library_match(NULL, "/usr/lib/x86_64-linux-gnu/libcups.so.2"),
			 SCOPE_LIBRARY_FOLDER);
	assert_int_equal(scope_symbol_library_match(NULL, "/usr/lib/x86_64-linux-gnu/libc.so.6"), SCOPE_LIBRARY_SYSTEM);
}

static void test_runtimes(void **state)
{
	static const struct {
		const char *name;
		bool library;
	} rows[] = {
		{ "void java.io.FileDescriptor.sync()", true },
		{ "boolean java.util.regex.Pattern$Loop.match(java.util.regex.Matcher, int)", true },
		{ "monitorenter_nofpu Runtime1 stub", true },
		{ "StubRoutines (1)", true },
		{ "global::call_bif_shared", true },
		{ "gen_server:handle_msg/6", true },
		{ "lists:member_2/3", true },
		{ "rabbit_exchange:route/2", false },
		{ "shop_lists:member/2", false },
		{ "Builtin:InterpreterEntryTrampoline", true },
		{ "JS:*emit node:events:465:44", true },
		{ "void org.example.Shop.sell(int, java.util.List)", false },
		{ "java.util.List org.example.Shop.list()", false },
		{ "JS:*checkQuery /srv/app.js:12:20", false },
		{ "js::emit:<node events>", true },
		{ "js::checkQuery:/srv/app.js", false },
		{ "RegExp:^(a+)+$", true },
		{ "void org.example.Shop$$Lambda$6+0x00007f1108002220.run()", true },
		{ "void org.example.Shop.lambda$main$0(int)", false },
		{ "py::match:/usr/lib/python3.12/re/__init__.py", true },
		{ "py::_find_and_load:<frozen importlib._bootstrap>", true },
		{ "py::Shop.sell:/srv/shop/app.py", false },
		{ "py::<module>:/usr/local/lib/python3.12/site-packages/shop/app.py", false },
		{ "py::sell:/usr/lib/python3/dist-packages/shop/app.py", false },
		{ "rb::Kernel#loop:<internal kernel>", true },
		{ "rb::TCPServer#accept:/usr/lib/ruby/3.1.0/socket.rb", true },
		{ "rb::Puma::Server#run:/usr/lib/ruby/vendor_ruby/puma/server.rb", false },
		{ "rb::Rack::Builder#call:/srv/shop/vendor/bundle/ruby/3.3.0/gems/rack-3.1.7/lib/rack/builder.rb",
		  false },
		{ "rb::Shop#call:/srv/shop/vendor/bundle/ruby/3.3.0/bundler/gems/shop-0a1b2c/lib/shop.rb", false },
		{ "rb::Set#add:/usr/lib/ruby/3.1.0/set.rb", true },
		{ "rb::REXML::Text.unnormalize:/usr/lib/ruby/gems/3.1.0/gems/rexml-3.2.5/lib/rexml/text.rb", false },
		{ "rb::Rake#run:/usr/lib/ruby/3.1.0/gems/rake-13.0.6/lib/rake.rb", false },
		{ "rb::Shop#sell:/srv/gems/shop/app.rb", false },
		{ "rb::block in <main> in line 12:/srv/ruby/app.rb", false },
		{ "rb::<main>:app.rb", false },
		{ "pl::IO::Socket::accept:/usr/lib/x86_64-linux-gnu/perl-base/IO/Socket.pm", true },
		{ "pl::POSIX::usage:/usr/lib/x86_64-linux-gnu/perl/5.36/POSIX.pm", true },
		{ "pl::Carp::croak:/usr/share/perl/5.36.0/Carp.pm", true },
		{ "pl::Starman::Server::run:/usr/share/perl5/Starman/Server.pm", true },
		{ "pl::JSON::XS::decode:/usr/local/lib/perl5/site_perl/5.38.2/JSON/XS.pm", true },
		{ "pl::Mojo::run:/root/.plenv/versions/5.40.0/lib/perl5/site_perl/5.40.0/Mojo.pm", true },
		{ "pl::Carp::croak:/root/perl5/perlbrew/perls/perl-5.38.0/lib/5.38.0/Carp.pm", true },
		{ "pl::DBI::connect:/usr/share/perl5/vendor_perl/DBI.pm", true },
		{ "pl::main::sell:/srv/perl/shop.pl", false },
		{ "pl::Shop::Cart::sell:/srv/shop/lib/Shop/Cart.pm", false },
		{ "pl::Shop::sell:(eval)", false },
		{ "pl::<main>:server.pl", false },
		{ "handle_request", false },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (scope_symbol_library_runtime(rows[i].name) != rows[i].library)
			fail_msg("%s", rows[i].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_libraries),
		cmocka_unit_test(test_of_program),
		cmocka_unit_test(test_runtimes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
