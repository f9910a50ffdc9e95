// SPDX-License-Identifier: GPL-2.0-only
/* Fits how a server's figures depend on its load. */
#include "server/scaling.h"

#include <math.h>
#include <string.h>

#include "anomaly/robust.h"

#define PARAMETERS 3   /* no rule */
#define STEPS 200      /* no rule: of Gauss and Newton's method */
#define POINTS_MAX 256 /* no rule */

/* gamma, alpha, beta; those that are not free are 0. */
struct fit {
	double value[PARAMETERS];
	bool free[PARAMETERS];
	unsigned frees;
	double squares; /* sum of the squares of what is left */
	double inverse[PARAMETERS][PARAMETERS];
};

static double law(const double *value, double n)
{
	return value[0] * n / (1 + value[1] * (n - 1) + value[2] * n * (n - 1));
}

/* The law's derivatives. */
static void slopes(const double *value, double n, double *ret_slope)
{
	const double divisor = 1 + value[1] * (n - 1) + value[2] * n * (n - 1);

	ret_slope[0] = n / divisor;
	ret_slope[1] = -value[0] * n * (n - 1) / (divisor * divisor);
	ret_slope[2] = ret_slope[1] * n;
}

static double squares_of(const double *value, const double *x, const double *y, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (y[i] - law(value, x[i])) * (y[i] - law(value, x[i]));
	return sum;
}

/* Gauss and Jordan's elimination, with the largest pivot. false: the matrix is singular. */
static bool invert(double from[PARAMETERS][PARAMETERS], unsigned size, double to[PARAMETERS][PARAMETERS])
{
	memset(to, 0, sizeof(double[PARAMETERS][PARAMETERS]));
	for (unsigned i = 0; i < size; i++)
		to[i][i] = 1;
	for (unsigned column = 0; column < size; column++) {
		unsigned pivot = column;
		double by;

		for (unsigned i = column + 1; i < size; i++)
			if (fabs(from[i][column]) > fabs(from[pivot][column]))
				pivot = i;
		by = from[pivot][column];
		if (!(fabs(by) > 0))
			return false;
		for (unsigned k = 0; k < size; k++) {
			const double one = from[pivot][k], other = to[pivot][k];

			from[pivot][k] = from[column][k];
			to[pivot][k] = to[column][k];
			from[column][k] = one / by;
			to[column][k] = other / by;
		}
		for (unsigned i = 0; i < size; i++) {
			const double times = from[i][column];

			for (unsigned k = 0; i != column && k < size; k++) {
				from[i][k] -= times * from[column][k];
				to[i][k] -= times * to[column][k];
			}
		}
	}
	return true;
}

/* One step of the method. false: it cannot be made. */
static bool step(const struct fit *fit, const double *x, const double *y, size_t n, double *ret_change,
		 double ret_inverse[PARAMETERS][PARAMETERS])
{
	double matrix[PARAMETERS][PARAMETERS] = { { 0 } }, right[PARAMETERS] = { 0 }, scale[PARAMETERS];

	for (unsigned a = 0; a < fit->frees; a++)
		scale[a] = 0;
	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < n; i++) {
			double all[PARAMETERS], slope[PARAMETERS];
			unsigned count = 0;

			slopes(fit->value, x[i], all);
			for (unsigned k = 0; k < PARAMETERS; k++)
				if (fit->free[k])
					slope[count++] = all[k];
			for (unsigned a = 0; a < count; a++) {
				if (!round) {
					scale[a] += slope[a] * slope[a];
					continue;
				}
				right[a] += slope[a] / sqrt(scale[a]) * (y[i] - law(fit->value, x[i]));
				for (unsigned b = 0; b < count; b++)
					matrix[a][b] += slope[a] / sqrt(scale[a]) * slope[b] / sqrt(scale[b]);
			}
		}
	for (unsigned a = 0; a < fit->frees; a++)
		if (!(scale[a] > 0))
			return false;
	if (!invert(matrix, fit->frees, ret_inverse))
		return false;
	for (unsigned a = 0; a < fit->frees; a++) {
		ret_change[a] = 0;
		for (unsigned b = 0; b < fit->frees; b++) {
			ret_inverse[a][b] /= sqrt(scale[a]) * sqrt(scale[b]);
			ret_change[a] += ret_inverse[a][b] * right[b] * sqrt(scale[b]);
		}
	}
	return true;
}

/* Fits gamma, and those of alpha and beta that are free. false: it does not converge, or leaves what is possible. */
static bool fit_free(struct fit *fit, const double *x, const double *y, size_t n)
{
	fit->frees = 0;
	for (unsigned k = 0; k < PARAMETERS; k++)
		fit->frees += fit->free[k];
	memset(fit->value, 0, sizeof(fit->value));
	for (size_t i = 0; i < n; i++)
		fit->value[0] = fmax(fit->value[0], y[i] / x[i]);
	fit->value[1] = fit->free[1] ? 0.01 : 0;
	fit->value[2] = fit->free[2] ? 0.0001 : 0;
	fit->squares = squares_of(fit->value, x, y, n);
	for (int i = 0; i < STEPS; i++) {
		double change[PARAMETERS], next[PARAMETERS], length = 1, squares = fit->squares;
		bool better = false;

		if (!step(fit, x, y, n, change, fit->inverse))
			return false;
		for (; !better && length > 1e-9; length /= 2) {
			unsigned count = 0;

			for (unsigned k = 0; k < PARAMETERS; k++)
				next[k] = fit->value[k] + (fit->free[k] ? length * change[count++] : 0);
			squares = squares_of(next, x, y, n);
			better = isfinite(squares) && squares < fit->squares;
		}
		if (!better)
			break;
		memcpy(fit->value, next, sizeof(next));
		fit->squares = squares;
	}
	return fit->value[0] > 0 && fit->value[1] >= 0 && fit->value[2] >= 0;
}

static double scatter_of(const double *y, size_t n)
{
	double mean = 0, sum = 0;

	for (size_t i = 0; i < n; i++)
		mean += y[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		sum += (y[i] - mean) * (y[i] - mean);
	return sum;
}

static struct scope_scaling_value with_interval(double value, double variance, size_t degrees)
{
	const double reach = degrees ? scope_anomaly_student_upper(0.025, (double)degrees) * sqrt(variance) : NAN;

	return (struct scope_scaling_value){ value, value - reach, value + reach };
}

static size_t different(const double *x, size_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		size_t before = 0;

		while (before < i && x[before] != x[i])
			before++;
		count += before == i;
	}
	return count;
}

struct scope_usl scope_server_scaling_usl(const double *clients, const double *throughput, size_t n)
{
	struct scope_usl usl = { .n = n, .most_at = NAN, .most = NAN };
	struct scope_scaling_value *const value[PARAMETERS] = { &usl.gamma, &usl.alpha, &usl.beta };
	const double scatter = scatter_of(throughput, n);
	struct fit best = { .squares = INFINITY };

	if (n > POINTS_MAX || different(clients, n) <= PARAMETERS || !(scatter > 0))
		return usl;
	/* Least squares with bounds: the best of those fits that lie on a bound or within all. */
	for (unsigned which = 0; which < 4; which++) {
		struct fit fit = { .free = { true, !(which & 1), !(which & 2) } };

		if (fit_free(&fit, clients, throughput, n) && fit.squares < best.squares)
			best = fit;
	}
	usl.r2 = best.squares < scatter ? 1 - best.squares / scatter : 0;
	usl.known = usl.r2 > SCOPE_SCALING_R2;
	for (unsigned k = 0, at = 0; k < PARAMETERS; k++) {
		const size_t degrees = n > best.frees ? n - best.frees : 0;

		*value[k] = (struct scope_scaling_value){ best.value[k], NAN, NAN };
		if (!best.free[k])
			continue;
		*value[k] = with_interval(best.value[k],
					  degrees ? best.inverse[at][at] * best.squares / (double)degrees : 0, degrees);
		at++;
	}
	if (usl.known && usl.beta.value > 0 && usl.alpha.value < 1) {
		usl.most_at = sqrt((1 - usl.alpha.value) / usl.beta.value);
		usl.most = law(best.value, usl.most_at);
	}
	return usl;
}

struct scope_scaling_line scope_server_scaling_line(const double *x, const double *y, size_t n)
{
	struct scope_scaling_line line = { .n = n };
	const double scatter = scatter_of(y, n), wide = scatter_of(x, n);
	double mean_x = 0, mean_y = 0, both = 0, left, error;

	if (n < 3 || !(scatter > 0) || !(wide > 0))
		return line;
	for (size_t i = 0; i < n; i++) {
		mean_x += x[i] / (double)n;
		mean_y += y[i] / (double)n;
	}
	for (size_t i = 0; i < n; i++)
		both += (x[i] - mean_x) * (y[i] - mean_y);
	left = fmax(0, scatter - both * both / wide);
	error = left / (double)(n - 2);
	line.r2 = 1 - left / scatter;
	line.known = line.r2 > SCOPE_SCALING_R2;
	line.slope = with_interval(both / wide, error / wide, n - 2);
	line.intercept =
		with_interval(mean_y - both / wide * mean_x, error * (1 / (double)n + mean_x * mean_x / wide), n - 2);
	return line;
}
