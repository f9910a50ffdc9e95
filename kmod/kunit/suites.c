// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of KUnit suites that a module built with SCOPE_KUNIT=1 carries.
 *
 * The kernel runs them as it loads the module and writes the results into its log, as KTAP.
 * tests/kmod/kunit.sh loads it and reads them.
 */
#include <kunit/test.h>
#include "suites.h"

kunit_test_suites(&scope_kunit_ring, &scope_kunit_filter, &scope_kunit_record, &scope_kunit_netlink,
		  &scope_kunit_delay);
