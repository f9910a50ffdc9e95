/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The profile of a server: what a program must do to load a host in the same way. For each stage it has the requests by
 * the sequence of their system calls, with the distributions of sizes, of sleeps, and of the time on a CPU. It has no
 * data that was read or written.
 *
 *   stage   threads of one name, role and way to get their work (server/stages.h)
 *   path    its units with the same steps in the same order, and of the same kind of request
 *   step    calls of one number, on descriptors of one kind, with one outcome, one after another
 *
 * Calls that follow from how threads wait and pass on work are in no step, because they depend on who comes first: futexes,
 * and polls in which a unit begins. The read that picks up a unit is its first step. For the same reason
 *
 * - a connection that is accepted and the first request on it are one unit, if the thread only waited in between;
 * - a unit of a thread that takes work from others ends with the answer to a client: such a thread goes on without a call
 *   while there is more work.
 */
#ifndef SCOPE_SERVER_PROFILE_H
#define SCOPE_SERVER_PROFILE_H

#include "base/values.h"
#include "server/client_lives.h"
#include "server/stages.h"
#include "timeline/listeners.h"

#define SCOPE_PROFILE_STEPS 48	  /* no rule: of a path; units with more are left out */
#define SCOPE_PROFILE_PATHS 256	  /* no rule: of all stages; units with further ones are left out */
#define SCOPE_PROFILE_CALLS 4096u /* no rule: of a unit; units with more are left out */

struct scope_profile_step {
	uint16_t nr;
	uint16_t error; /* errno of these calls; 0: they returned */
	uint8_t kind;	/* enum scope_fd_kind, UNKNOWN: of none */
	uint64_t calls;
	uint64_t picked;	      /* of them: units that began as the call returned */
	struct scope_values times;    /* how often a unit made it in a row */
	struct scope_values bytes;    /* of each call, if it moves bytes and did not fail */
	struct scope_sketch slept_ns; /* of each call that slept, but for those that picked up the unit */
	double before_ns;	      /* the program on a CPU between the step before and these calls, all together */
	double run_ns;		      /* in these calls on a CPU, all together */
};

struct scope_profile_path {
	uint32_t stage;
	uint8_t request; /* kind of its requests, from 1 on; 0: not known */
	uint64_t hash;
	uint64_t units, asked; /* asked: clients' requests in them */
	struct scope_profile_step *step;
	size_t steps;
	struct scope_sketch cpu_ns;		     /* of a unit, with the call that picked it up */
	struct scope_sketch program_ns;		     /* of it: outside of calls */
	double cpu_sum_ns, program_sum_ns, after_ns; /* after: outside of calls, after the last step */
};

struct scope_profile_stage {
	uint64_t left_out;	      /* units in no path */
	uint64_t locks;		      /* futex calls in units … */
	double locks_slept_ns;	      /* … and how long they slept */
	struct scope_sketch cpu_ns;   /* of its units */
	struct scope_sketch queue_ns; /* of its units: waits for a CPU */
	struct scope_sketch wall_ns;
	double cpu_sum_ns;
};

struct scope_profile {
	struct scope_profile_stage *stage; /* as in the server */
	size_t stages;
	struct scope_profile_path *path; /* by stage, then most units first */
	size_t paths;
	struct scope_client_lives lives;
	uint64_t accepts; /* in the window */
	double window_ns;
};

/*
 * Reads the whole trace once more. other: NULL, or a listener to the same pass. server, groups, pickups and distributions are those of this trace; units that ended in the
 * window of the distributions count. 0 or -errno; the caller destroys.
 */
int scope_server_profile_create(struct scope_trace *trace, const struct scope_server *server,
				const struct scope_distributions *distributions, const struct scope_groups *groups,
				const struct scope_pickups *pickups, const struct scope_pass_listener *other,
				struct scope_profile **ret_profile);
void scope_server_profile_destroy(struct scope_profile *profile); /* NULL is fine */

/* One call of a unit, before it is part of a step. */
struct scope_profile_call {
	uint16_t nr;
	uint8_t role, kind;
	bool answers; /* a write to a client that begins its answer */
	int32_t fd;   /* -1: it takes none */
	uint64_t enter_ns, exit_ns;
	uint64_t enter_run_ns, exit_run_ns, slept_ns;
	int64_t ret;
};

/* A unit, several that are one here, or a part of one. */
struct scope_profile_unit {
	uint32_t stage;
	uint8_t request, asked;
	bool picked; /* the first of its calls returned as it began */
	uint64_t run_ns, queue_ns, wall_ns;
	uint64_t begin_run_ns; /* the thread's account of running as it began, or as the first call was entered if that is later */
	const struct scope_profile_call *call; /* in order */
	size_t calls;
};

/* 0 or -ENOMEM. For the pass, and for tests. */
int scope_server_profile_add(struct scope_profile *profile, const struct scope_profile_unit *unit);

#endif
