// SPDX-License-Identifier: GPL-2.0-only
/*
 * Subs of Perl, read from outside, of a program that this test starts. test_perl.c reads invented memory.
 * SCOPE_TEST_PERLS: more interpreters to try, separated by colons.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "interpreted_program.h"

/* Each of its subs is called in a way of its own: from a sort, a pattern, a destructor, a tied variable, evaluated text, a file, a handler. The
 * bit of the hints is that of the pragma utf8. */
static const char perl_program[] =
	"package Shop::Cart; BEGIN { $^H |= 0x800000 }\n"
	"sub new { return bless {}, shift }\n"
	"sub DESTROY { main::outer() }\n"
	"sub TIESCALAR { return bless {}, shift }\n"
	"sub FETCH { my $cart = Shop::Cart->new; undef $cart; return 1 }\n"
	"sub each_of { my ($self, $code) = @_; for my $i (1) { eval { $code->($i) } } }\n"
	"package main;\n"
	"sub by_price {\n"
	"    my $n = 1;\n"
	"    Shop::Cart::each_of(undef, sub {\n"
	"        $| = 1;\n"
	"        print \"ready\\n\";\n"
	"        sleep 1000; $n++;\n"
	"    });\n"
	"}\n"
	"sub outer { my @sorted = sort by_price 2, 1 }\n"
	"sub matched { 'abc' =~ /b(?{ on_signal() })/ }\n"
	"sub on_signal { $SIG{USR1} = sub { wärter() }; kill 'USR1', $$; 1 }\n"
	"sub wärter { eval 'sub tekść { tie my $t, q(Shop::Cart); my $x = $t; 1 } tekść(); 1' or die }\n"
	"if ($again++) { *alias = \\&matched; alias() } else { do $0; die $@ }\n";

static const char perl_frames[] = "pl::main::__ANON__ in line 11\n"
				  "pl::Shop::Cart::each_of\n"
				  "pl::main::by_price\n"
				  "pl::main::outer\n"
				  "pl::Shop::Cart::DESTROY\n"
				  "pl::Shop::Cart::FETCH\n"
				  "pl::main::tekść\n"
				  "pl::main::wärter\n"
				  "pl::main::__ANON__ in line 18\n"
				  "pl::main::on_signal\n"
				  "pl::main::matched\n"
				  "pl::<main>\n"
				  "pl::<main>\n";

static void read_perl(const char *path)
{
	struct scope_interpreted_thread thread[2];
	struct scope_interpreter interpreter;
	struct program program;
	char text[4096];

	if (!begin(&program, path, perl_program, 0)) {
		end(&program);
		return;
	}
	attach(&program);
	assert_int_equal(find(&program, &interpreter), SCOPE_INTERPRETER_FOUND);
	assert_true(interpreter.version >= 0x51c);
	assert_int_equal(scope_interpreter_threads(&memory, &interpreter, thread, 2), 1);
	assert_true(scope_interpreter_is_thread(&memory, &interpreter, &thread[0]));
	list(&interpreter, thread[0].state, text, sizeof(text));
	printf("%s", text);
	assert_string_equal(text, perl_frames);
	end(&program);
	printf("read %s, version %u.%u\n", path, interpreter.version >> 8, interpreter.version & 255);
}

static void perl_is_read(void **state)
{
	const char *more = getenv("SCOPE_TEST_PERLS");
	char *list_of = strdup(more ? more : ""), *next = list_of, *one;

	(void)state;
	read_perl("perl");
	while ((one = strsep(&next, ":")))
		if (*one)
			read_perl(one);
	free(list_of);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(perl_is_read) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
