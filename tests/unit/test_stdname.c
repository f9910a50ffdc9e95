// SPDX-License-Identifier: GPL-2.0-only
/* Functions of the C++ and Rust libraries in a program's file are recognized by their names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "symbol/demangle.h"
#include "symbol/stdname.h"

#define HASH "17h05af221e174051e9E"

static enum scope_stdname stdname_of(const char *symbol)
{
	char *name = NULL;
	enum scope_stdname stdname;

	if (scope_symbol_demangle(symbol, &name))
		return scope_symbol_stdname(symbol, symbol);
	stdname = scope_symbol_stdname(symbol, name);
	free(name);
	return stdname;
}

static void test_names(void **state)
{
	static const struct {
		const char *symbol;
		enum scope_stdname stdname;
	} rows[] = {
		/* std::thread::sleep, core::str::…, alloc::vec::Vec::push; serve::count_words */
		{ "_ZN3std6thread5sleep" HASH, SCOPE_STDNAME_LIBRARY },
		{ "_ZN4core3str8contains" HASH, SCOPE_STDNAME_LIBRARY },
		{ "_ZN5serve11count_words" HASH, SCOPE_STDNAME_NONE },
		/* v0: foo::example_function; <std::sys::process::Process>::wait; <str>::to_uppercase */
		{ "_RNvCskwGfYPst2Cb_3foo16example_function", SCOPE_STDNAME_NONE },
		{ "_RNvMNtNtCsgEmfK2I1SDS_3std3sys7processNtB2_7Process4wait", SCOPE_STDNAME_LIBRARY },
		{ "_RNvMNtCsgEmfK2I1SDS_5alloc3stre12to_uppercase", SCOPE_STDNAME_LIBRARY },
		/* <&std::net::tcp::TcpStream as std::io::Write>::write */
		{ "_ZN63_$LT$$RF$std..net..tcp..TcpStream$u20$as$u20$std..io..Write$GT$5write" HASH,
		  SCOPE_STDNAME_LIBRARY },
		/* The program's type, and a trait of the library: <serve::Row as core::fmt::Debug>::fmt */
		{ "_ZN45_$LT$serve..Row$u20$as$u20$core..fmt..Debug$GT$3fmt" HASH, SCOPE_STDNAME_NONE },
		/* <T as core::convert::Into<U>>::into */
		{ "_ZN50_$LT$T$u20$as$u20$core..convert..Into$LT$U$GT$$GT$4into" HASH, SCOPE_STDNAME_LIBRARY },
		/* Closures are inlined there. */
		{ "_ZN3std3sys9backtrace28__rust_begin_short_backtrace" HASH, SCOPE_STDNAME_CALLS },
		{ "_ZN4core3ops8function6FnOnce9call_once" HASH, SCOPE_STDNAME_CALLS },
		{ "_ZN5tokio7runtime4task3raw4poll" HASH, SCOPE_STDNAME_CALLS },
		{ "_ZN5tokio7runtime9scheduler12multi_thread6worker7Context4park" HASH, SCOPE_STDNAME_EXECUTOR },
		{ "_ZN5tokio3net3tcp6stream9TcpStream7connect" HASH, SCOPE_STDNAME_LIBRARY },
		{ "__rust_alloc", SCOPE_STDNAME_LIBRARY },
		/* A namespace of C++ with the name of a crate. */
		{ "_ZN4core6Server5serveEv", SCOPE_STDNAME_NONE },
		{ "_ZN5tokio5ServeEv", SCOPE_STDNAME_NONE },
		{ "_ZNSt6vectorIiSaIiEE9push_backERKi", SCOPE_STDNAME_LIBRARY },
		{ "_ZNSt17_Function_handlerIFvvEPS0_E9_M_invokeERKSt9_Any_data", SCOPE_STDNAME_CALLS },
		{ "_ZN3std7my_ownsEv", SCOPE_STDNAME_LIBRARY },
		{ "_ZN5shop3addEi", SCOPE_STDNAME_NONE },
		{ "main", SCOPE_STDNAME_NONE },
		{ "", SCOPE_STDNAME_NONE },
		{ "_ZN", SCOPE_STDNAME_NONE },
		{ "_R", SCOPE_STDNAME_NONE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (stdname_of(rows[i].symbol) != rows[i].stdname)
			fail_msg("%s: %d, not %d", rows[i].symbol, stdname_of(rows[i].symbol), rows[i].stdname);
}

int main(void)
{
	static const struct CMUnitTest tests[] = { cmocka_unit_test(test_names) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
