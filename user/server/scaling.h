/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a server's figures follow from its load, fitted to measurements at several loads.
 *
 * Throughput against the number of clients N by the Universal Scalability Law,
 *
 *   X(N) = gamma N / (1 + alpha (N - 1) + beta N (N - 1)),
 *
 * (N. J. Gunther, Guerrilla Capacity Planning, Springer, 2007): gamma is the throughput of one client, alpha the share of work
 * that one after another has to do, beta what each pair costs to agree. Other figures by a straight line. Both by least
 * squares; intervals are those of the linearized fit, by Student's t.
 */
#ifndef SCOPE_SERVER_SCALING_H
#define SCOPE_SERVER_SCALING_H

#include <stdbool.h>
#include <stddef.h>

#define SCOPE_SCALING_R2 0.9 /* a law that explains less of the variance is not printed */

/* With its 95 % interval. low and high are NAN if it lies on the bound of 0, or no point is left over to judge by. */
struct scope_scaling_value {
	double value, low, high;
};

struct scope_usl {
	bool known; /* else the rest says nothing but n and r2 */
	size_t n;
	double r2;
	struct scope_scaling_value alpha, beta, gamma;
	double most_at, most; /* the number of clients with the highest throughput, and that; NAN: it grows on */
};

struct scope_scaling_line {
	bool known;
	size_t n;
	double r2;
	struct scope_scaling_value intercept, slope;
};

/* clients and throughput of n points. Fewer than four different numbers of clients make no law: there are three parameters. */
struct scope_usl scope_server_scaling_usl(const double *clients, const double *throughput, size_t n);
struct scope_scaling_line scope_server_scaling_line(const double *x, const double *y, size_t n);

#endif
