/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decides if a unit took abnormally long, or made a call abnormally often, for its population.
 *
 * A population is a cluster of the units of one thread group; a cluster that is rare and slow as a whole is compared
 * with all units of its group instead, because a bug that changes the calls of a request would otherwise be its own
 * baseline. If each connection takes several steps once, it is compared with the units of its step (anomaly/step.h).
 * Where sizes explain how long its units take, a unit is compared with those of its size (anomaly/size.h). The measure
 * is the unit's wall time without its time in the run queue: a thread that waits for a CPU is not at fault for it. If
 * waits for peers vary, the wall time does not show that a unit runs for long. So its running time alone is compared as
 * well.
 */
#ifndef SCOPE_ANOMALY_DETECT_H
#define SCOPE_ANOMALY_DETECT_H

#include <math.h>

#include "anomaly/size.h"
#include "anomaly/step.h"
#include "cluster/cluster.h"
#include "unit/distribution.h"

/* Settings; see scope_anomaly_detect_defaults. */
struct scope_detect_options {
	double false_rate;     /* probability of a false abnormal population, before correction for their number */
	double z_min;	       /* never test below this robust z: real times have heavy tails */
	double times_min;      /* an abnormal unit takes at least this many times the median … */
	double size_times_min; /* … or what is usual for its size, where sizes explain times */
	double whole_times;    /* a population is slower than another run's if its median is this many times theirs */
	uint32_t units_min;    /* smaller populations have no own baseline */
	double rare_share;     /* a cluster below this share of its group may be rare and slow … */
	double rare_times;     /* … if its median is this many times the group's */
	struct scope_step_options step;
	double serving_share; /* share of busy time: if threads that serve have less, other threads are not background work */
	struct scope_cluster_options cluster;
};

extern const struct scope_detect_options scope_anomaly_detect_defaults;

enum scope_unit_mark {
	SCOPE_UNIT_USUAL = 0,
	SCOPE_UNIT_SLOW = 1,	 /* time */
	SCOPE_UNIT_FREQUENT = 2, /* frequency of a call */
	/*
	 * Above the usual by more than one spread, below the threshold: counted on neither side.
	 * Milder cases of a bug are here, and would make the bug look usual.
	 */
	SCOPE_UNIT_BETWEEN = 4,
	SCOPE_UNIT_HELD_UP =
		8, /* with SLOW: it is slow only by its waits for other traced threads, which it met by chance */
};

static inline bool scope_anomaly_mark_abnormal(uint8_t mark)
{
	return mark & (SCOPE_UNIT_SLOW | SCOPE_UNIT_FREQUENT);
}

#define SCOPE_SCALE_FLOOR_NS 1000 /* smaller spreads are below the resolution of clock and probes */

/* A unit that makes call nr more often than limit times is frequent. */
struct scope_call_limit {
	uint16_t nr;
	double limit;
};

struct scope_population {
	uint32_t group, cluster;
	bool background;    /* its threads are needed by no request: none of its units is abnormal */
	bool against_group; /* rare and slow: compared with its whole step or, if it is of none, its group */
	uint32_t step;	    /* of its group, or SCOPE_STEP_NONE */
	uint64_t units;
	bool asks; /* it is of clients' requests: turns of a loop in it that took none are no measure for them */
	uint64_t reference; /* units of another trace that it is compared with; 0: none */
	double grown;	 /* then: the mean measure of its closed units, divided by the mean measure of those; else 0 */
	bool slower;	 /* then: as a whole it is slower than the units of another run */
	uint64_t beyond; /* approximate number of units beyond a threshold, by the distributions */
	uint64_t beyond_calls;			  /* of these: by how often they make a call */
	double median_ns, scale_ns, threshold_ns; /* of what its units are compared with, in all */
	double run_threshold_ns; /* a unit that runs longer is slow; HUGE_VAL where sizes explain times */
	const struct scope_size_baseline *size; /* NULL, or what they are compared with, by size */
	double size_times;			/* then: a slow unit takes this many times what is usual, at least */
	double z;				/* threshold in units of scale */
	double stall_ns;			/* 0, or a unit of that time is a stall, and slow … */
	double unstalled_ns;			/* … and what is usual without stalls */
	struct scope_call_limit *call;
	size_t calls, call_capacity;
};

struct scope_detection {
	struct scope_population *population;
	size_t populations;
	uint32_t **of_vector; /* per group: id of a vector -> population */
	size_t groups;
	double busy_ns;			   /* run + blocked + queue of all units */
	bool sampled;			   /* a clustering had too many distinct vectors */
	struct scope_size_baseline **size; /* by population, then by group, where sizes explain times; NULL: not asked */
	struct scope_explanations *explained; /* what explains times, by group; NULL: the same */
	enum scope_linkage linkage;
};

#define SCOPE_POPULATION_NONE UINT32_MAX

int scope_anomaly_detect_run(const struct scope_groups *groups, const struct scope_distributions *distributions,
			     const struct scope_detect_options *options, struct scope_detection **ret_detection);
void scope_anomaly_detection_destroy(struct scope_detection *detection);

/* The units that define what is usual: those of a group whose vectors are assigned to a population. */
struct scope_baseline_units {
	const struct scope_distributions_group *distributions;
	const uint32_t *of_vector; /* id of a vector -> population */
};

/* The baseline's units in a population. */
uint64_t scope_anomaly_baseline_count(const struct scope_baseline_units *baseline, uint32_t population);
/*
 * Sets the thresholds of a population by a baseline; own: the population's own units. as_a_whole: all of them
 * may take longer. 0 or -ENOMEM.
 */
int scope_anomaly_detection_compare(struct scope_detection *detection, uint32_t population,
				    const struct scope_baseline_units *own, const struct scope_baseline_units *baseline,
				    bool as_a_whole, const struct scope_detect_options *options);

/*
 * Compares populations by size, if sizes explain how long their units take. reference false: does so for the
 * populations without a reference, and also finds what explains the times of groups; true: for those with a
 * reference, of which distributions and of_vector then are. Call each once. 0 or -errno.
 */
int scope_anomaly_detection_by_size(struct scope_detection *detection, const struct scope_distributions *distributions,
				    const struct scope_groups *groups, uint32_t *const *of_vector, bool reference,
				    const struct scope_detect_options *options);

/* What a unit is compared with, ns. */
struct scope_unit_baseline {
	double usual_ns, scale_ns;
	double limit_ns;     /* above it a unit is slow */
	double run_limit_ns; /* so it is if it runs longer than that */
};

/* For units that read and write n bytes. */
static inline struct scope_unit_baseline scope_anomaly_population_baseline(const struct scope_population *population,
									   uint64_t bytes)
{
	struct scope_unit_baseline baseline = { population->median_ns, population->scale_ns, population->threshold_ns,
						population->run_threshold_ns };
	struct scope_size_usual usual;

	if (population->size) {
		usual = scope_anomaly_size_usual(population->size, (double)bytes);
		baseline = (struct scope_unit_baseline){
			.usual_ns = usual.ns,
			.scale_ns = usual.scale_ns,
			.limit_ns = fmax(usual.ns + population->z * usual.scale_ns,
					 usual.ns * (usual.beyond ? fmax(population->size_times, SCOPE_SIZE_GUESS_TIMES)
								  : population->size_times)),
			.run_limit_ns = HUGE_VAL,
		};
	}
	/* Where stalls are frequent enough to look usual. */
	if (population->stall_ns > 0) {
		baseline.limit_ns = fmin(baseline.limit_ns, population->stall_ns);
		baseline.usual_ns = fmin(baseline.usual_ns, population->unstalled_ns);
	}
	return baseline;
}

/* What is usual for a population, of any size, ns. */
static inline double scope_anomaly_population_usual(const struct scope_population *population)
{
	return population->stall_ns > 0 ? fmin(population->median_ns, population->unstalled_ns) : population->median_ns;
}

/* True if a unit of that population with these calls makes one of them more often than usual. */
bool scope_anomaly_population_frequent(const struct scope_population *population, const struct scope_unit_call *call,
				       unsigned calls);

/* enum scope_unit_mark bits of a unit of that population with that baseline; frequent: the result for its calls. */
static inline uint8_t scope_anomaly_baseline_judge(const struct scope_population *population,
						   const struct scope_unit_baseline *baseline,
						   const struct scope_unit *unit, bool frequent)
{
	const double measure = (double)scope_unit_measure(unit);
	const bool slow = measure > baseline->limit_ns || (double)unit->run_ns > baseline->run_limit_ns;
	uint8_t mark = slow ? SCOPE_UNIT_SLOW : SCOPE_UNIT_USUAL;

	/* A unit that calls often but is not slower than the rest has no excess. */
	if (frequent && (mark || measure > baseline->usual_ns))
		mark |= SCOPE_UNIT_FREQUENT;
	if (!mark && measure > baseline->usual_ns + baseline->scale_ns)
		mark = SCOPE_UNIT_BETWEEN;
	return mark && population->background ? SCOPE_UNIT_BETWEEN : mark;
}

/* The same with the baseline for its size. */
static inline uint8_t scope_anomaly_population_judge(const struct scope_population *population,
						     const struct scope_unit *unit, bool frequent)
{
	const struct scope_unit_baseline baseline = scope_anomaly_population_baseline(population, unit->bytes);

	return scope_anomaly_baseline_judge(population, &baseline, unit, frequent);
}

#endif
