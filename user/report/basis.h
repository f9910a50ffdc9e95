/* SPDX-License-Identifier: GPL-2.0-only */
/* The figures on which the answer is based. */
#ifndef SCOPE_REPORT_BASIS_H
#define SCOPE_REPORT_BASIS_H

#include "analysis/analysis.h"

/* Results of signatures; known false: not used. */
struct scope_basis_signatures {
	bool known;
	size_t episodes, functions; /* learned functions */
	size_t recognized;	    /* of these, with a signature */
	size_t shared;		    /* ignored signatures: too many functions share them */
	double fit_share;	    /* share of the relevant times that they fit; NAN: there were none */
};

/* Other units that units were compared with; known false: none. */
struct scope_basis_baseline {
	bool known;
	bool before;	    /* true: those of the same trace before since_ns */
	size_t populations; /* number of populations compared with it */
	uint64_t units;
	double seconds;
	double per_s, here_per_s; /* units; NAN: one of the windows has no length */
	bool requests;		  /* both have clients' requests: the next two are of these, else of all units */
	double load_per_s, load_here_per_s;
};

struct scope_basis {
	struct scope_detect_options detect; /* that were used, as the next two */
	struct scope_rank_options rank;
	double z; /* threshold above which a unit may be abnormal; 0: there are no populations */
	uint64_t requests, units;
	size_t populations;
	uint64_t stacks, nameless, cut, broken, tracer; /* as in struct scope_evidence */
	bool copies_grow;  /* the source makes copies longer by itself, beyond the limit of --stack-bytes */
	bool folders;	   /* libraries in the system's folders count as the program's */
	uint64_t given_up; /* stacks with only one address: SCOPE_META_STACKS_GIVEN_UP */
	uint64_t skipped, absent, lost;		 /* missing stacks: SCOPE_META_STACKS_… */
	uint64_t tables_refused, maps_refused;	 /* by the module: SCOPE_META_… */
	uint64_t stack_min_ns, stack_highest_ns; /* time that a call had to take to get a stack: usually, and at most */
	struct scope_basis_signatures signatures;
	struct scope_basis_baseline baseline;
	uint64_t false_wakeups, unrecorded, discarded;
	bool sampled; /* only detect.cluster.max_points of the different units were clustered */
};

void scope_report_basis_make(const struct scope_analysis *analysis, struct scope_basis *ret_basis);

#endif
