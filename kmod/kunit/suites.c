// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of KUnit suites in a module that is built with SCOPE_KUNIT=1.
 *
 * The kernel runs them when it loads the module, and writes the results into its log, as KTAP. tests/kmod/kunit.sh
 * loads the module and reads the results.
 */
#include <kunit/test.h>
#include "suites.h"

kunit_test_suites(&scope_kunit_ring, &scope_kunit_filter, &scope_kunit_record, &scope_kunit_netlink,
		  &scope_kunit_delay);
