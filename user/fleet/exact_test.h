/* SPDX-License-Identifier: GPL-2.0-only */
/* Fisher's exact test. */
#ifndef SCOPE_FLEET_EXACT_TEST_H
#define SCOPE_FLEET_EXACT_TEST_H

#include <stddef.h>

/*
 * The probability that at least `with` of `chosen` randomly chosen ones have a property, if `have` of `all` have it
 * (Fisher's exact test, one-sided).
 */
double scope_fleet_exact_test(size_t all, size_t have, size_t chosen, size_t with);

#endif
