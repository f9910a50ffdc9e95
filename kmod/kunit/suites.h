/* SPDX-License-Identifier: GPL-2.0-only */
/* The KUnit suites, one file each. */
#ifndef SCOPE_KUNIT_SUITES_H
#define SCOPE_KUNIT_SUITES_H

#include "../ring.h"

struct kunit;

/* A ring of count sub-buffers of 4 KiB, kept in test->priv (its struct scope_cpu comes first). */
struct scope_ring *scope_kunit_make_ring(struct kunit *test, u32 count, bool flight);
void scope_kunit_destroy_ring(struct kunit *test);

extern struct kunit_suite scope_kunit_ring;
extern struct kunit_suite scope_kunit_filter;
extern struct kunit_suite scope_kunit_record;
extern struct kunit_suite scope_kunit_netlink;
extern struct kunit_suite scope_kunit_delay;

#endif
