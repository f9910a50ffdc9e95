/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds what changed from one window to another: for each group the share of its threads' time that each metric takes,
 * the plain difference with an interval, and the degradation score (Prism).
 *
 * Shares are of a window's own time, so windows of different lengths can be compared. The score of a share that was b
 * and is c is c if b is below SCOPE_CHANGE_NEW, else (c - b) / b * c: it is large if the share grew many times and is
 * large now. It has a jump at that b, so the difference is reported, too. Scores below SCOPE_CHANGE_NOISE are 0. A
 * group's score is the square root of the sum of the squares of the scores of its metrics. A change is sure if it is beyond
 * chance and large enough to matter.
 */
#ifndef SCOPE_METRICS_CHANGE_H
#define SCOPE_METRICS_CHANGE_H

#include "metrics/view.h"

#define SCOPE_CHANGE_NEW 0.01
#define SCOPE_CHANGE_NOISE 0.001
#define SCOPE_CHANGE_STEPS_MIN 8   /* of each window: with fewer there is no interval */
#define SCOPE_CHANGE_STEPS_MAX 128 /* no rule: of each window; of more, neighbours are added up for intervals */
#define SCOPE_CHANGE_STEPS_SURE 16 /* of each window: with fewer no change is sure */
#define SCOPE_CHANGE_Z 4	   /* standard errors: a smaller difference may be chance, because many are tried */
#define SCOPE_CHANGE_SHARE 0.01	   /* of a group's time: a smaller difference is no change */
#define SCOPE_CHANGE_RATE 0.2	   /* of the larger rate: the same for counts */
#define SCOPE_CHANGE_PART 0.5	   /* a part explains a longer wait if it grew by at least this share of it */

/* Steps of a view, by group or thread: from first to end - 1, without those from skip_first to skip_end - 1. */
struct scope_metrics_window {
	const struct scope_metrics_view *view;
	size_t first, end, skip_first, skip_end;
};

/* A metric of a group: a share of time, or a number per second. */
struct scope_metric_change {
	uint8_t metric; /* enum scope_metric */
	double before, after;
	double low, high; /* of after - before, 95 %; NAN: too few steps */
	double score;	  /* of shares; else 0 */
	bool sure;	  /* the difference is beyond SCOPE_CHANGE_Z standard errors, and no small one */
};

struct scope_group_change {
	char name[128];
	double score;	/* 0: alike */
	bool host;	/* no threads: counts of the host and the control group */
	bool clients;	/* it serves clients, and a share of its time grew for sure */
	bool new, gone; /* one of the windows does not have the group: then there are no changes */
	/*
	 * By score without its jump; a metric that explains most of the time for which work waits comes before that
	 * time.
	 */
	struct scope_metric_change change[SCOPE_METRICS];
	size_t changes;
};

struct scope_metric_changes {
	double before_s, after_s; /* lengths of the windows */
	bool requests;		  /* the next members are about threads that serve clients, else about all threads */
	double before_units, after_units; /* units a second */
	struct scope_group_change
		*group; /* first those that clients wait for (`clients`), the host last; by score, then by name */
	size_t groups;
};

/* 0 or -ENOMEM; the caller frees. */
int scope_metrics_change(const struct scope_metrics_window *before, const struct scope_metrics_window *after,
			 struct scope_metric_changes *ret_changes);
void scope_metrics_changes_free(struct scope_metric_changes *changes);

#endif
