// SPDX-License-Identifier: GPL-2.0-only
/* Fisher's exact test. */
#include "fleet/exact_test.h"

#include <math.h>

/* log of n over k */
static double choose(size_t n, size_t k)
{
	return lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);
}

double scope_fleet_exact_test(size_t all, size_t have, size_t chosen, size_t with)
{
	const size_t most = have < chosen ? have : chosen;
	double sum = 0;

	for (size_t i = with; i <= most; i++)
		if (chosen - i <= all - have)
			sum += exp(choose(have, i) + choose(all - have, chosen - i) - choose(all, chosen));
	return fmin(sum, 1);
}
