/* SPDX-License-Identifier: GPL-2.0-only */
/* The figures of a server at several loads, and the laws that they follow: as text and as JSON. */
#ifndef SCOPE_REPORT_SWEPT_H
#define SCOPE_REPORT_SWEPT_H

#include <stdint.h>
#include <stdio.h>

#include "server/scaling.h"

#define SCOPE_SWEEP_VALUES 32 /* no rule: of each list */
#define SCOPE_SWEEP_POINTS (SCOPE_SWEEP_VALUES * SCOPE_SWEEP_VALUES)

/* What is varied; count 0: it is not. */
struct scope_sweep {
	double conns[SCOPE_SWEEP_VALUES], rate[SCOPE_SWEEP_VALUES];
	unsigned conns_count, rate_count;
};

struct scope_sweep_point {
	double conns, rate; /* as requested; 0: not varied */
	uint64_t requests;
	double per_s;	       /* requests a second, while the load ran */
	double cpu_ns;	       /* of all stages together, for each request */
	double p50_ns, p99_ns; /* of requests */
	double wait_ns;	       /* for a CPU and for a thread of the next stage, for each request */
	double busy;	       /* threads that read, with work to do */
	uint32_t threads;
};

/* Results so far. The laws are made by the printers' caller: scope_report_swept_fit(). */
struct scope_swept {
	struct scope_sweep sweep;
	const char *load; /* the command */
	struct scope_sweep_point *point;
	unsigned points, planned;
	struct scope_usl throughput;	     /* by clients: at each number the highest of all rates */
	struct scope_scaling_line cpu, wait; /* by requests a second */
	struct scope_scaling_line threads;   /* by clients */
};

void scope_report_swept_fit(struct scope_swept *swept);
/* 0 or -ENOMEM, or the stream's error. */
int scope_report_swept_text(const struct scope_swept *swept, FILE *out);
int scope_report_swept_json(const struct scope_swept *swept, FILE *out);

#endif
