/* SPDX-License-Identifier: GPL-2.0-only */
/* The facts of a report, made once, for text and JSON. */
#ifndef SCOPE_REPORT_MODEL_H
#define SCOPE_REPORT_MODEL_H

#include "analysis/analysis.h"
#include "evidence/inside.h"
#include "evidence/place.h"
#include "report/basis.h"
#include "report/causal.h"
#include "report/path.h"
#include "report/times.h"

#define SCOPE_MODEL_PLACES 8 /* lines of source of a finding */
#define SCOPE_MODEL_LINES 24 /* of them, and lines around */
#define SCOPE_MODEL_HINTS 2
#define SCOPE_MODEL_INSIDE 16 /* functions of the kernel; later ones have little */

/* A line of source at which stacks of a finding are, or next to one. */
struct scope_model_line {
	const char *file; /* as given to the compiler */
	int number;
	double share;	     /* of its stacks, by time; 0: it is next to one that has some */
	const char *inlined; /* the function inlined there, whose line it is; "": the finding's own */
	char *text;	     /* NULL: not read */
};

/* A rule of thumb that the calls of a finding suggest, see report/hints.c. */
struct scope_model_hint {
	const char *rule; /* its name, as JSON has it */
	char text[200];
	const char *file; /* where; NULL: not known */
	int line;
};

/* A lock's owner, by a copy of the lock's memory. */
struct scope_model_owner {
	const struct scope_thread *thread; /* NULL: not known */
	bool itself;			   /* the thread that waits for it */
	const struct scope_function *at;   /* where it was as the window ended; NULL: not known */
	struct scope_places_row place;	   /* the lines of that; none if they are not known */
};

/* Facts that struct scope_finding does not have. From `path` on only those of detailed findings are filled in. */
struct scope_model_finding {
	const struct scope_finding *finding;
	const char *name;      /* the function's name from signatures, or from symbols; NULL: no usable stack */
	bool stuck;	       /* a hang or a spin of threads, without slow units */
	const char *who;       /* stuck: "thread", "goroutine", "task" */
	const char *waits_for; /* outside: "disk", "peer" or "pipe"; else NULL */

	uint32_t path[SCOPE_PATH_MAX]; /* nodes of its evidence's tree, from its own to the outermost one */
	size_t path_count;
	const struct scope_function *below; /* library function called by its innermost program function; NULL: none */
	const char *known_caller;	    /* if it has no name: the nearest caller that has one; NULL: none */
	uint32_t most[SCOPE_PATH_MAX];	    /* nodes: the callee with most of its time, and so on down */
	size_t most_count;
	double most_share; /* share of its time in the last of these nodes */
	struct scope_places_row place[SCOPE_MODEL_PLACES];
	size_t places;
	struct scope_model_line line[SCOPE_MODEL_LINES];
	size_t lines;
	struct scope_places_loop loop; /* around the line with most */
	const char *lines_why;	       /* why the first file's text was not read; NULL: it was, or there are no lines */
	bool lines_absent;	       /* of lines_why: the file is not here, as on most hosts */
	struct scope_model_hint hint[SCOPE_MODEL_HINTS];
	size_t hints;
	double cut_share; /* of its excess: stacks that do not reach the start of their thread */
	struct scope_inside inside[SCOPE_MODEL_INSIDE];
	size_t insides;
	bool kernel_matters;	/* enough of its running time is spent in the kernel */
	const char *inside_why; /* why insides is 0; NULL: not known */
	char sleeps_in[224]; /* "read(9, a pipe)": the call in which the threads, or their waiters, sleep; "": none */
	struct scope_model_owner owner; /* HANG: of the lock */
	char *kernel_stack; /* HANG: functions of the kernel, the innermost first, a blank between; NULL: none */
	const char *kernel_stack_why;  /* why there is none; NULL: not known */
	char rounds[320];	       /* SPIN: in words; "": it makes no calls */
	struct scope_path slow, usual; /* the calls of an example, and of a usual unit */
	bool has_slow, has_usual, usual_of_baseline;
};

/* A function that came near to being a finding. */
struct scope_model_near {
	const struct scope_near *near;
	double odds_needed;
	double costs_ns; /* excess of a unit, ns */
};

/* The number of slow units of work, and of all. */
struct scope_model_slow {
	bool requests; /* false: of all units */
	uint64_t slow, all;
};

/* Units that serve no client, which are no findings of their own. */
struct scope_model_background {
	uint64_t units, slow;
	const char *group; /* the group with most of the slow ones; NULL: too few are slow */
};

/* Delay experiments on the findings. */
struct scope_model_causal {
	bool known;				  /* experiments were requested */
	const struct scope_causal_result *result; /* NULL: none were made, */
	const char *why;			  /* for this reason */
	uint64_t elapsed_ns;
};

/* The part of the trace that the report covers. */
struct scope_model_part {
	bool timed;			       /* the window is not all of it */
	double from_s, to_s, whole_s;	       /* the window, after the trace's begin, and its whole length */
	uint64_t whole_begin_ns, whole_end_ns; /* by the trace's clock */
	const char *thread;		       /* as the user named it; NULL: all */
	size_t left_out;		       /* findings of kinds that were not requested */
};

/* The trigger that made a flight recorder write the trace, and the work that it saw. */
struct scope_model_triggered {
	const char *why; /* in the recorder's words; NULL: no trigger wrote the trace */
	/* If nothing is found: the longest unit of the thread that the trigger names. It may be the only slow one. */
	bool has_unit;
	struct scope_path path;
};

struct scope_model {
	const struct scope_analysis *analysis;
	const struct scope_report_causal *causal_sites; /* NULL: no experiments were requested */
	uint32_t group_names;				/* different ones */
	uint64_t late;		/* threads that were followed only from some time after their start */
	uint64_t begin_wall_ns; /* begin of the window, since 1970; 0: not known */
	uint64_t since_ns;	/* in the clock of the trace: from when on units take longer; 0: from no such time */
	uint64_t since_wall_ns; /* the same, since 1970; 0: not known */
	struct scope_model_part part;
	bool outside;		/* of the program: the verdict, or the first finding of a slowdown */
	const char *stuck_who;	/* of these: "thread", "goroutine", "task", "threads and …" */
	uint32_t stuck_threads; /* of the verdict's kind, hang or spin, without those that may be idle */
	struct scope_model_slow slow;
	struct scope_model_finding *finding; /* as many as the ranking has */
	struct scope_model_finding *kernel;  /* slow inside the kernel with no more work; NULL: none */
	struct scope_model_near near[SCOPE_NEAR_MAX];
	size_t nears; /* 0 if there are findings */
	struct scope_model_background background;
	struct scope_model_causal causal;
	struct scope_model_triggered triggered;
	struct scope_times *times;
	size_t times_count;
	struct scope_basis basis;
};

/*
 * detailed: number of findings described in full. causal: NULL without experiments. The analysis
 * and causal must outlive the model. 0 or -errno.
 */
int scope_report_model_create(const struct scope_analysis *analysis, const struct scope_report_causal *causal,
			      size_t detailed, struct scope_model **ret_model);
void scope_report_model_destroy(struct scope_model *model); /* NULL is fine */

/*
 * Fills in the first fields of one finding, or all of them. 0 or -errno; scope_report_model_finding_free() in both
 * cases.
 */
/* In what a task waits: a function of a library, the word "await" of Python, "its runtime". */
const char *scope_report_model_task_sleep(const struct scope_model_finding *one);

int scope_report_model_finding_init(const struct scope_analysis *analysis, const struct scope_finding *finding,
				    bool detailed, struct scope_model_finding *ret_one);
void scope_report_model_finding_free(struct scope_model_finding *one);

#endif
