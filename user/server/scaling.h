/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fits how a server's figures depend on its load, to measurements at several loads.
 *
 * Throughput against the number of clients N by the Universal Scalability Law,
 *
 *   X(N) = gamma N / (1 + alpha (N - 1) + beta N (N - 1)),
 *
 * (N. J. Gunther, Guerrilla Capacity Planning, Springer, 2007): gamma is the throughput of one client, alpha the share
 * of work that is serial, beta the cost of coordination of each pair. Other figures are fitted by a straight line. Both
 * use least squares; intervals are those of the linearized fit, by Student's t.
 */
#ifndef SCOPE_SERVER_SCALING_H
#define SCOPE_SERVER_SCALING_H

#include <stdbool.h>
#include <stddef.h>

#define SCOPE_SCALING_R2 0.9 /* a law that explains less of the variance is not printed */

/*
 * A value with its 95 % interval. low and high are NAN if the value is at the bound of 0, or if there are not more
 * points than parameters.
 */
struct scope_scaling_value {
	double value, low, high;
};

struct scope_usl {
	bool known; /* else only n and r2 are valid */
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

/*
 * clients and throughput: n points. At least four different numbers of clients are needed, because there are three
 * parameters.
 */
struct scope_usl scope_server_scaling_usl(const double *clients, const double *throughput, size_t n);
struct scope_scaling_line scope_server_scaling_line(const double *x, const double *y, size_t n);

#endif
