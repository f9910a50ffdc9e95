/* SPDX-License-Identifier: GPL-2.0-only */
/* Views of metrics: lines by thread, group, object or kind of work, each with all its steps. */
#ifndef SCOPE_METRICS_VIEW_H
#define SCOPE_METRICS_VIEW_H

#include "metrics/metrics.h"

enum scope_metrics_by {
	SCOPE_METRICS_BY_THREAD,
	SCOPE_METRICS_BY_GROUP,
	SCOPE_METRICS_BY_OBJECT,
	SCOPE_METRICS_BY_KIND,
	SCOPE_METRICS_BYS,
};

extern const char *const scope_metrics_by_name[SCOPE_METRICS_BYS];

#define SCOPE_METRICS_NAME 128 /* no rule: room for the name of a line */

struct scope_metric_line {
	char name[SCOPE_METRICS_NAME];
	uint32_t tid, tgid; /* of a thread; tgid also of an object's process; else 0 */
	uint32_t threads;   /* of a group; else 0 */
	bool serves;	    /* a group that reads from clients */
	uint8_t pickup;	    /* enum scope_timeline_call_role by which a group picks up work; PLAIN: it does not */
	bool emptied;	    /* threads of the group went to other lines (metrics/rejoin.h) */
	bool host; /* no threads: the host and the control group; it has the metrics of SCOPE_METRICS_HOST alone */
	struct scope_metric_cells *cell;
	struct scope_metric_cells total;
	const struct scope_metric_latency *latency; /* of its units; NULL in views by thread and by object */
};

struct scope_metrics_view {
	const struct scope_metrics *metrics; /* the caller's */
	enum scope_metrics_by by;
	uint64_t begin_ns, end_ns, step_ns;
	size_t steps;
	struct scope_metric_line
		*line; /* the host, if it has one; groups and threads by name, others by time, largest first */
	size_t lines;
};

/* Makes a view of metrics and the distributions of the same pass. Both must outlive it. 0 or -ENOMEM. */
int scope_metrics_view_create(const struct scope_metrics *metrics, const struct scope_distributions *distributions,
			      const struct scope_groups *groups, enum scope_metrics_by by,
			      struct scope_metrics_view **ret_view);
void scope_metrics_view_destroy(struct scope_metrics_view *view); /* NULL is fine */

/* For metrics/rejoin.c: the name of a group's line, which says how its threads pick up work if others have that name, too. */
void scope_metrics_view_name_group(const struct scope_groups *groups, size_t at, char name[SCOPE_METRICS_NAME]);
/* For metrics/rejoin.c: its threads, and how they pick up work. */
void scope_metrics_view_describe_group(const struct scope_group *group, struct scope_metric_line *line);
/* For metrics/rejoin.c: brings lines into their order. */
void scope_metrics_view_sort(struct scope_metrics_view *view);

/* Length of a step, ns; the last one may be shorter. */
uint64_t scope_metrics_view_step_ns(const struct scope_metrics_view *view, size_t step);

/* ns for which the threads of a line existed: the sum of its states. */
uint64_t scope_metrics_present_ns(const struct scope_metric_cells *cells);

/* The reason why the view does not have that metric; NULL: it has the metric. */
const char *scope_metrics_view_lacks(const struct scope_metrics_view *view, enum scope_metric metric);

/* True if that line of the view has the metric. */
bool scope_metrics_view_has(const struct scope_metrics_view *view, const struct scope_metric_line *line,
			    enum scope_metric metric);

/*
 * The time of which the times of that line and step are shares, ns: that of its threads; without threads the elapsed
 * time.
 */
uint64_t scope_metrics_view_base_ns(const struct scope_metrics_view *view, const struct scope_metric_line *line,
				    const struct scope_metric_cells *cells, uint64_t passed_ns);

#endif
