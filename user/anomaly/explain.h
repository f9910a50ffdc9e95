/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds what explains how long requests take: the bytes they read and write, the calls they make, or in which situation
 * they began.
 *
 * time = base + rate × feature, by the median of slopes between units that are half of the sample apart in order of the
 * feature (H. Theil, "A Rank-invariant Method of Linear and Polynomial Regression Analysis", 1950, the incomplete
 * method): neither slow requests nor the largest ones decide it alone.
 */
#ifndef SCOPE_ANOMALY_EXPLAIN_H
#define SCOPE_ANOMALY_EXPLAIN_H

#include "unit/distribution.h"

enum scope_feature {
	SCOPE_FEATURE_BYTES,			   /* read and written */
	SCOPE_FEATURE_CALLS,			   /* system calls, all kinds */
	SCOPE_FEATURE_SIZES,			   /* those of struct scope_example */
	SCOPE_FEATURE_FIRST = SCOPE_FEATURE_SIZES, /* 1: the first request of its connection */
	SCOPE_FEATURE_AT_WORK,			   /* other units of the group that were open as it began */
	SCOPE_FEATURE_PAUSE,			   /* ns since the thread's last unit */
	SCOPE_FEATURES,
};

#define SCOPE_EXAMPLES_MIN 100 /* fewer prove nothing */

/* The values of a unit. */
struct scope_example {
	double ns;			     /* on a CPU and asleep */
	double feature[SCOPE_FEATURE_SIZES]; /* bytes; calls */
};

/* In which situation the unit of an example began. */
struct scope_setting {
	uint64_t begin_ns;
	double pause_ns; /* NAN: it is the first unit of its thread */
	uint32_t at_work;
	uint32_t thread;
	bool first;
};

/* Regular examples of some units. A zeroed struct has none. */
struct scope_examples {
	struct scope_example *example;
	struct scope_setting
		*setting; /* of each, NULL: nobody wants them; examples must not be sorted before they are used */
	size_t count, capacity, setting_capacity;
	bool settings;	      /* wants them */
	uint64_t units;	      /* that they were taken from */
	uint64_t every, next; /* every n-th is taken, and the number of the next one */
};

#define SCOPE_EXAMPLES_LISTS 2 /* no rule: that a unit may belong to */

/* Writes the numbers of the lists that a closed request unit belongs to, and returns how many there are. */
typedef unsigned scope_examples_choose(const void *user, const struct scope_unit *unit,
				       uint32_t list[SCOPE_EXAMPLES_LISTS]);

/* One replay of the log. Fills in settings but at_work. 0 or -errno; the caller frees each list, after errors too. */
int scope_anomaly_examples_take(const struct scope_distributions *distributions, const struct scope_groups *groups,
				scope_examples_choose *choose, const void *user, struct scope_examples *list);
/*
 * One more replay: fills in at_work of the settings of each group's list. 0 or -errno. Lists with settings of one thread
 * are left alone: while it begins a unit, no other one is open.
 */
int scope_anomaly_examples_at_work(const struct scope_distributions *distributions, const struct scope_groups *groups,
				   struct scope_examples *list);
void scope_anomaly_examples_free(struct scope_examples *list, size_t lists); /* and list itself; NULL is fine */
/* In ascending order of the feature, equal ones in that of time. 0 or -ENOMEM. */
int scope_anomaly_examples_sort(struct scope_example *example, size_t count, enum scope_feature by);

/* time = base + rate × feature. */
struct scope_line {
	double rate_ns, rate_error_ns; /* and one standard deviation of it */
	double base_ns;
};

/* Examples in order of the feature; room for count values. Returns false if the feature hardly differs. */
bool scope_anomaly_explain_line(const struct scope_example *example, size_t count, enum scope_feature by, double *room,
				struct scope_line *ret_line);
/*
 * The share of the variance that these predictions explain, of all examples but the 1 % that they fit least: 0 to 1.
 * room: for count values.
 */
double scope_anomaly_explain_share(const struct scope_example *example, size_t count, const double *predicted_ns,
				   double *room);

/* One feature that explains the time of a group's units. */
struct scope_explained {
	uint32_t group;
	uint8_t by;	    /* enum scope_feature */
	uint64_t units;	    /* of the group */
	double share;	    /* share of the variance: 0 to 1, without the 1 % of units that fit least */
	double correlation; /* correlation of ranks, by Spearman */
	double rate_ns;	    /* for each byte, call, other unit, ns of a pause; or if it is so */
	double base_ns;	    /* for every feature */
};

struct scope_explanations {
	struct scope_explained *one; /* by group */
	size_t count;
};

/*
 * The feature that explains most of the time of the examples; group and units are left alone. setting: of each, or NULL.
 * Returns true if any explains enough to be reported.
 */
bool scope_anomaly_explain(const struct scope_example *example, const struct scope_setting *setting, size_t count,
			   struct scope_explained *ret_explained);

/* From examples of each group. 0 or -ENOMEM; the caller destroys. */
int scope_anomaly_explanations_create(const struct scope_examples *list, size_t groups,
				      struct scope_explanations **ret_explanations);
void scope_anomaly_explanations_destroy(struct scope_explanations *explanations); /* NULL is fine */

#endif
