/* SPDX-License-Identifier: GPL-2.0-only */
/* The KUnit suites, one file each. */
#ifndef SCOPE_KUNIT_SUITES_H
#define SCOPE_KUNIT_SUITES_H

extern struct kunit_suite scope_kunit_ring;
extern struct kunit_suite scope_kunit_filter;
extern struct kunit_suite scope_kunit_record;
extern struct kunit_suite scope_kunit_netlink;

#endif
