/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From evidence to an ordered list of functions, and a verdict.
 *
 * A slow function is a finding if its excess is at least a set share of the process's busy time, it
 * appears in enough units that are spread over the window, and its part of the abnormal time is
 * clearly larger than its part of the usual time, by odds and by share (or by time per request,
 * where requests take longer than in a baseline): a cause that slows all
 * functions equally is outside the program (methods: PerfCompass, Dean et al., IEEE TPDS 27(6),
 * 2016).
 */
#ifndef SCOPE_RANK_RANK_H
#define SCOPE_RANK_RANK_H

#include "anomaly/freeze.h"
#include "evidence/evidence.h"
#include "rank/outside.h"

struct scope_rank_options {
	double excess_share; /* share of the busy time, see found */
	double odds_min;     /* odds of its share in abnormal time over its odds in usual time */
	double times_min;    /* its share in abnormal time over its share in usual time, see rank/shares.h … */
	double odds_alone;   /* … unless the odds are this high: it dominates usual time as well */
	double growth_share; /* … or this part of what requests take longer than in another run */
	double chance_z; /* its part of abnormal stacks is above that of usual ones by this many standard deviations */
	uint32_t units_min;
	double units_at_first_min; /* smallest units_at_first of a finding */
	double spread;		   /* part of the window, or of 10 s of a longer one, over which its units are spread */
	double kernel_share; /* a function with at least this part of its running time in calls as often as usual … */
	/*
	 * A function that waits longer for disk, network or pipe, in calls that usual units make as
	 * well, and less than this many times as often: then the thing it waits for is slow, not
	 * the function. The same holds for a peer that gets less than this many times as many
	 * requests.
	 */
	double outside_calls;
	double byte_ns; /* … unless more bytes, at this time for each, explain half the excess */
	double floor_ns,
		floor_share; /* without clients: one unit takes at least this much longer, or all together this part of the window */
	double served_ns, served_share; /* the same with clients */
	uint32_t findings_max;
	uint32_t kinds; /* requested kinds, a bit for each enum scope_finding_kind; 0: all */
};

extern const struct scope_rank_options scope_rank_defaults;

/* The rules that a function must meet to be a finding, in the order of their checks. */
enum scope_rank_rule {
	SCOPE_RULE_NONE, /* it meets all rules */
	SCOPE_RULE_EXCESS,
	SCOPE_RULE_UNITS,
	SCOPE_RULE_ODDS,
	SCOPE_RULE_TIMES,
	SCOPE_RULE_CHANCE,
	SCOPE_RULE_SPREAD,
	SCOPE_RULE_FLOOR,
	SCOPE_RULE_PARTS, /* too few stacks to decide if its callees are one cause, and its odds are too low */
};

enum scope_finding_kind {
	SCOPE_FINDING_HANG,
	SCOPE_FINDING_SPIN,
	SCOPE_FINDING_TIME,  /* runs longer */
	SCOPE_FINDING_CALLS, /* makes a call more often */
	SCOPE_FINDING_WAIT,  /* sleeps longer, for something outside the traced threads */
	SCOPE_FINDING_LOCK,  /* holds a lock that others wait for */
	SCOPE_FINDING_LATE,  /* another thread waits for it without a lock */
};

#define SCOPE_FINDING_KINDS (SCOPE_FINDING_LATE + 1)
extern const char *const scope_rank_kind_name[SCOPE_FINDING_KINDS]; /* their names in JSON and in options */

enum scope_confidence {
	SCOPE_CONFIDENCE_LOW,
	SCOPE_CONFIDENCE_MEDIUM,
	SCOPE_CONFIDENCE_HIGH,
};

#define SCOPE_CONFIDENCES (SCOPE_CONFIDENCE_HIGH + 1)
extern const char *const scope_rank_confidence_name[SCOPE_CONFIDENCES]; /* as JSON and exports have them */

/* Why a function's units may always have taken as long, although usual ones take less: rank/by_design.h. */
enum scope_by_design {
	SCOPE_BY_DESIGN_NO,
	SCOPE_BY_DESIGN_LARGER,	   /* they read or write more bytes */
	SCOPE_BY_DESIGN_NOT_USUAL, /* usual units do not show what the function costs */
	SCOPE_BY_DESIGN_UNSIZED,   /* it is not known how much their clients asked for */
	SCOPE_BY_DESIGN_SHORT,	   /* kinds of requests differ by as little */
};

#define SCOPE_BY_DESIGNS (SCOPE_BY_DESIGN_SHORT + 1)
extern const char *const scope_rank_by_design_name[SCOPE_BY_DESIGNS]; /* as JSON has them; NULL of NO */

/* Threads that are in one function, or run in it without end. */
struct scope_finding_hang {
	uint32_t threads;
	uint32_t thread; /* one of them */
	/* HANG: tasks that are in no thread; threads is their number, and thread the first one of their process. NULL: threads */
	const struct scope_stuck_tasks *tasks;
	uint64_t age_ns;
	const struct scope_spin *rounds; /* SPIN: of its thread, made of calls; NULL: without any */
	uint64_t object;
	bool lock;
	bool for_other;	  /* HANG: all of them, see anomaly/hang.h */
	bool circle;	  /* HANG: of one of them at least, see anomaly/hang.h */
	bool unsure;	  /* HANG: may be an idle thread, see anomaly/hang.h */
	uint32_t backlog; /* as in struct scope_hang */
	uint32_t unread;  /* as in struct scope_hang */
	uint32_t retries; /* as in struct scope_hang */
	uint32_t signals; /* the same */
	bool never_ran;	  /* HANG: by the kernel's count at the end of the window none of them had run since */
};

/* What a function waits for, and if that is slow, see outside_calls. */
struct scope_finding_wait {
	uint8_t class; /* enum scope_wait_class */
	bool outside;
	bool asks;   /* outside: a peer to which usual units send no request */
	bool task;   /* most of that is of requests in no thread (unit/held_request.h); nr is SCOPE_NR_NONE */
	bool held;   /* … between turns of an event loop, where no stack shows it */
	bool pauses; /* it sleeps for a time, which usual units do not; a pause that a client requests looks the same */
};

/* The threads that wait for the one in the function. */
struct scope_finding_holder {
	uint32_t victim_group, victim_threads;
	uint32_t thread; /* that its units waited for, most often */
	uint64_t object;
	bool held; /* they wait in no thread, between turns of an event loop */
};

struct scope_finding {
	const struct scope_function *function;	     /* NULL: a hang without a usable stack */
	const struct scope_function *signature;	     /* as named by signatures; NULL: they do not name it */
	const struct scope_evidence *evidence;	     /* the evidence that names it: stacks, if these do */
	const struct scope_attribution *attribution; /* of that evidence: the ranking's */
	bool by_stacks;
	enum scope_finding_kind kind;
	enum scope_confidence confidence;
	enum scope_confidence shown; /* confidence that it takes that long, by design or not */
	enum scope_by_design by_design;
	uint32_t node;
	double excess_ns;
	double share; /* share of all excess; of a hang: of the hung threads */
	uint32_t units;
	double units_at_first; /* units that samples at the first period would have hit, and all sleeps */
	uint32_t group;	       /* the group of most of its units, or of the hung thread */
	uint32_t population;   /* of most of its units */
	uint16_t nr;	       /* CALLS, WAIT, HANG: the call; LOCK, LATE: the call the waiters sleep in */
	double usual_ns, p05_ns, p50_ns, p95_ns,
		p99_ns;		  /* percentiles of its units, by the measure of anomaly/detect.h */
	uint32_t samples, sleeps; /* stacks that name it */
	uint32_t held;		  /* waits in no thread, without a stack */
	uint32_t usual_stacks;	  /* stacks of usual units that are in it */
	uint64_t first_ns,
		last_ns;	   /* from the begin of its first unit to the end of its last; a hang: from its begin */
	double events;		   /* events of the trace between the two times, approximately */
	uint64_t lost;		   /* lost events between the two times, approximately */
	double lost_share;	   /* share of lost events in both together */
	bool lost_unknown;	   /* more may have been lost in that time */
	double kernel_share;	   /* share of its running time inside the kernel … */
	double kernel_alike_share; /* … unless its units ask for memory more often than usual ones: then 0 */
	double bytes_more;	   /* mean bytes that its units read and write beyond usual ones … */
	double bytes_times;	   /* … and the ratio to those of usual ones; 0: these have none */
	double score;		   /* orders findings: its excess without the part in doubt, ns */
	double odds;		   /* see odds_min; HUGE_VAL if all abnormal time is its own */
	double of_slow, of_usual;  /* its share of abnormal and of usual time, as odds has them; 0: not compared */
	double times;		   /* see times_min */
	double of_growth; /* its part of the growth of units since another run; 0: as a whole they do not take longer */
	double growth_z; /* standard deviations by which its time in a unit, and not its part, is above that in the baseline */
	double rest_z;	   /* the same of all other time in a unit … */
	double rest_times; /* … which is that many times as long as in the baseline */
	double grown;	   /* the factor in times by which units take longer than in the baseline; 1: they do not */
	double chance_z;   /* see chance_z of the options */
	double spread;	   /* the time in which eight tenths of its units begin, as a part of the window, or of 10 s */
	uint32_t freezes;  /* number of its units that are rare long stalls, see anomaly/freeze.h */
	union {		   /* by kind: TIME and CALLS have none of them */
		struct scope_finding_hang hang;	    /* HANG, SPIN */
		struct scope_finding_wait wait;	    /* WAIT */
		struct scope_finding_holder holder; /* LOCK, LATE */
	};
	double calls_times;  /* CALLS, WAIT: how many times as often as usual the call is made */
	uint8_t hints;	     /* rules of thumb that apply, a bit for each enum scope_hint */
	bool first_requests; /* its units are the first requests of connections, most of which are slow: rank/first.h */
	double unnamed; /* share of its excess in code that a runtime compiled and that has no names: rank/unnamed.h */
	bool serves;	/* its group serves clients, or passes work to one that does; not for HANG, SPIN */
	bool asks; /* … and its units are clients' requests, as far as its threads read these, and not turns without a request */
	double window_share;		 /* its excess as a share of the window; not for HANG, SPIN */
	uint32_t example, usual_example; /* units to show the path of; UINT32_MAX: none */
	bool usual_elsewhere;		 /* usual_example is a unit of the baseline */
};

/* Code made at run time of which no names are known. */
static inline bool scope_rank_is_unknown_code(const struct scope_function *function)
{
	return function->path && function->path[0] == '[' && !function->known;
}

/* Members of the union, of a finding of any kind: false and NULL if its kind has none. */
static inline const struct scope_stuck_tasks *scope_rank_finding_tasks(const struct scope_finding *finding)
{
	return finding->kind == SCOPE_FINDING_HANG ? finding->hang.tasks : NULL;
}

/* What hangs: "thread", "goroutine", "task". */
const char *scope_rank_finding_who(const struct scope_finding *finding);

static inline bool scope_rank_finding_stuck(const struct scope_finding *finding)
{
	return finding->kind == SCOPE_FINDING_HANG || finding->kind == SCOPE_FINDING_SPIN;
}

static inline bool scope_rank_finding_unsure(const struct scope_finding *finding)
{
	return scope_rank_finding_stuck(finding) && finding->hang.unsure;
}

static inline const struct scope_spin *scope_rank_finding_rounds(const struct scope_finding *finding)
{
	return scope_rank_finding_stuck(finding) ? finding->hang.rounds : NULL;
}

static inline bool scope_rank_finding_outside(const struct scope_finding *finding)
{
	return finding->kind == SCOPE_FINDING_WAIT && finding->wait.outside;
}

static inline bool scope_rank_finding_asks(const struct scope_finding *finding)
{
	return finding->kind == SCOPE_FINDING_WAIT && finding->wait.asks;
}

static inline bool scope_rank_finding_pauses(const struct scope_finding *finding)
{
	return finding->kind == SCOPE_FINDING_WAIT && finding->wait.pauses;
}

#define SCOPE_FREEZES_SHARE 0.5 /* share of its units: with as many stalls a function freezes, and is else not slow */

static inline bool scope_rank_finding_freezes(const struct scope_finding *finding)
{
	return finding->freezes && finding->freezes >= SCOPE_FREEZES_SHARE * finding->units;
}
#define SCOPE_RANK_MOST 0.5 /* share of the excess: the verdict is about functions with as much */

enum scope_verdict {
	SCOPE_VERDICT_NOTHING, /* enough was seen, and nothing is abnormal; findings are only requests to a peer */
	SCOPE_VERDICT_HANG,
	SCOPE_VERDICT_SPIN,
	SCOPE_VERDICT_SLOWDOWN,
	SCOPE_VERDICT_FREEZES, /* a slowdown by a few long stalls, for each of which many threads waited */
	SCOPE_VERDICT_OUTSIDE, /* slow, mostly not by a function: CPU, disk, network, or clients that pause */
	SCOPE_VERDICT_UNKNOWN, /* too little was seen to say anything */
};

/* Which rule decided the verdict, see the table in rank/verdict.c. */
enum scope_verdict_rule {
	SCOPE_DECIDED_BY_NONE, /* findings of kinds that were not requested */
	SCOPE_DECIDED_IDLE_THREADS,
	SCOPE_DECIDED_HANG,
	SCOPE_DECIDED_SPIN,
	SCOPE_DECIDED_FUNCTION_FREEZES,
	SCOPE_DECIDED_CLIENTS_FIRST,
	SCOPE_DECIDED_CPU_FIRST,
	SCOPE_DECIDED_MEMORY_FIRST,
	SCOPE_DECIDED_DEVICE_FIRST,
	SCOPE_DECIDED_PEER_FIRST,
	SCOPE_DECIDED_PEER_ASKED,
	SCOPE_DECIDED_FIRST_REQUESTS,
	SCOPE_DECIDED_LARGER_REQUESTS,
	SCOPE_DECIDED_SHORT_REQUESTS,
	SCOPE_DECIDED_FUNCTIONS,
	SCOPE_DECIDED_NO_EVENT,
	SCOPE_DECIDED_FEW_UNITS,
	SCOPE_DECIDED_CLIENTS,
	SCOPE_DECIDED_RUNTIME,
	SCOPE_DECIDED_FREEZES,
	SCOPE_DECIDED_OWN_CPU,
	SCOPE_DECIDED_CPU,
	SCOPE_DECIDED_HOST,
	SCOPE_DECIDED_NO_NAMES,
	SCOPE_DECIDED_UNKNOWN_CODE,
	SCOPE_DECIDED_NO_STACKS,
	SCOPE_DECIDED_ALL_SLOWER,
	SCOPE_DECIDED_NOTHING,
};

#define SCOPE_VERDICT_RULES (SCOPE_DECIDED_NOTHING + 1)
#define SCOPE_VERDICTS (SCOPE_VERDICT_UNKNOWN + 1)
extern const char *const scope_rank_verdict_name[SCOPE_VERDICTS]; /* as JSON and exports have them */

#define SCOPE_NEAR_MAX 3

/* A function with enough of the excess, and the first rule that it does not meet. */
struct scope_near {
	struct scope_finding finding;
	enum scope_rank_rule fails;
};

#define SCOPE_USUAL_MAX 3     /* functions that are named */
#define SCOPE_USUAL_SHARE 0.1 /* share of the time of usual requests that each has at least */
#define SCOPE_USUAL_STACKS 20 /* of usual requests, at least: a share is then known to 11 points (1 / (2 √20)) */

/* A function with a large part of the time of usual requests. */
struct scope_usual_function {
	const struct scope_function *function;
	double share;	     /* of their time */
	double asleep_share; /* of its part … */
	uint16_t nr;	     /* … and the call in which it slept most, SCOPE_NR_NONE if it did not */
};

/* Where usual requests spend their time, see rank/usual.h. */
struct scope_usual {
	struct scope_usual_function function[SCOPE_USUAL_MAX];
	unsigned int count;
	bool requests; /* of clients; otherwise all units */
	uint64_t units;
	double mean_ns; /* of one: on a CPU and asleep */
	size_t stacks;
};

struct scope_ranking {
	enum scope_verdict verdict;
	enum scope_verdict_rule decided;
	struct scope_attribution by_stacks, by_signatures; /* which function is named for which nodes of the evidence */
	struct scope_finding *finding;
	size_t findings;
	size_t left_out;		/* findings of kinds that were not requested */
	double excess_ns, explained_ns; /* of slow units; by the findings */
	double busy_ns, queue_share;	/* of units' busy time, spent waiting for a CPU */
	double long_queue_share;	/* of it, in units that waited long, see unit/distribution.h … */
	uint64_t long_queue_units;	/* … the number of these units */
	bool serves;			/* some units take clients' requests */
	double idle_share;		/* share of the excess: waits for threads that waited for their own clients */
	uint32_t idle_thread;		/* most of it for this one */
	double idle_units;		/* units that waited so */
	double runtime_share;		/* share of the excess: waits for threads of the language's runtime … */
	uint32_t runtime_thread;	/* … most of it for this one … */
	double runtime_units;		/* … of this number of units */
	double chance_share;		/* share of the excess: waits for threads at usual work */
	uint64_t requests, slow_requests;
	uint64_t units, slow_units;
	struct scope_finding kernel;		/* function NULL: none; else slow inside the kernel, see below */
	struct scope_near near[SCOPE_NEAR_MAX]; /* where nothing is found; by excess */
	size_t nears;
	struct scope_usual usual;
	double inside_share; /* of the excess, by findings that are not outside */
	double longest_ns;   /* of closed requests that serve clients, of any if none do; 0: there are none */
	char reason[800];    /* NOTHING, OUTSIDE, UNKNOWN: the reason, and what to do */
	char beside[512];    /* SLOWDOWN: what else was slow outside the program; empty: nothing */
	char outside[512];   /* if there are findings: the cause outside the program beside them; empty: none */
};

struct scope_rank_input {
	const struct scope_distributions *distributions;
	const struct scope_detection *detection;
	const struct scope_kept *kept;
	const struct scope_units *units;    /* of kept */
	const struct scope_kept *reference; /* of a baseline, NULL without one */
	uint64_t since_ns;		    /* 0, or the reference is the time before in the same trace */
	double pace; /* how many times as long as in the reference the same calls take (analysis/pace.h); 0: not known */
	const struct scope_hang *hangs;
	size_t hang_count;
	const struct scope_freezes *freezes; /* NULL: not searched */
	const struct scope_evidence *evidence;
	const struct scope_evidence *second; /* by signatures; NULL: there are none */
	struct scope_symbols *symbols;	     /* of the stacks; NULL: nothing is known of loops */
	const struct scope_rank_options *options;
	double own_cpu_share; /* of long stretches in the run queue: the program's own threads had the CPU */
	const struct scope_outside *outside; /* what the host did; NULL: nothing is known */
	const char *names_need;		     /* what to do where stacks have no names; NULL: install debug symbols */
	bool compiles;			     /* its runtime compiles functions while it runs, and can name them */
	/* Set by scope_rank_run(): which functions are named for which nodes of evidence and second. */
	const struct scope_attribution *attribution, *second_attribution;
	const struct scope_ranking *found; /* set by scope_rank_run(): the rest is judged as if these were fixed */
};

/*
 * If stacks and signatures disagree, stacks are preferred: a function that only signatures name
 * gets at most the part of its excess that stacks left unexplained.
 */
int scope_rank_run(const struct scope_rank_input *input, struct scope_ranking **ret_ranking);

/* True if its units read and write more bytes, which may be why they take longer. */
bool scope_rank_bytes_explain(const struct scope_rank_options *options, const struct scope_finding *finding);

/*
 * True if a function runs longer only inside the kernel, in calls that are made as often as usual, and with not many
 * more bytes. Then the cause is outside the program, and the function is not a finding.
 */
bool scope_rank_is_kernel(const struct scope_rank_options *options, const struct scope_finding *finding);

/*
 * 0 to 0.5: the part of a finding that another explanation fits equally well (methods: spec). If calls are made as
 * often as usual, the kernel, or the machine below it, may be the reason for their running time as well as the
 * function.
 */
double scope_rank_doubt(const struct scope_finding *finding);

void scope_rank_destroy(struct scope_ranking *ranking);

#endif
