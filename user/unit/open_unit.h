/* SPDX-License-Identifier: GPL-2.0-only */
/* Builds units from a timeline, one open unit per thread. unit/open_call.h has the code that runs for each call. */
#ifndef SCOPE_UNIT_OPEN_UNIT_H
#define SCOPE_UNIT_OPEN_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "timeline/take.h"
#include "unit/histogram.h"
#include "unit/handlers.h"
#include "unit/retry.h"
#include "unit/spin.h"
#include "unit/run.h"

/* The calls of one unit that has no call histogram, in the order they were first made. */
struct scope_open_unit_calls {
	struct scope_unit_call call[SCOPE_UNIT_CALLS];
	uint8_t place[SCOPE_SYSCALL_MAX]; /* index of a number, if that number is there */
};

/* What units need of a thread's account at one time. */
struct scope_mark {
	uint64_t run_ns, probe_ns, queue_ns, waker_queue_ns;
	uint64_t asleep_ns, timer_ns; /* the second is of the first */
};

/* A poll at the top of the loop; the next equal one is there, too. */
struct scope_open_unit_loop {
	uint64_t object;
	uint16_t nr; /* SCOPE_NR_NONE: none did yet */
};

/* A time in which a thread waited for work. */
struct scope_open_unit_idle {
	uint64_t begin_ns, end_ns;
};

/*
 * Where a unit may have ended: where the last write of an answer returned, of a thread that gets requests from others
 * (unit/next_answer.h); or where the thread parked before the answer, of one that reads them (unit/inner_wait.h).
 */
struct scope_open_unit_answer {
	uint64_t end_ns; /* 0: nowhere yet */
	struct scope_mark end;
	uint32_t histogram; /* of the calls until then … */
	uint32_t since;	    /* … and of those that followed */
	uint64_t bytes;
};

/* What the open unit's request did and waited for before the unit. */
struct scope_open_unit_before {
	bool any; /* else the rest is not valid */
	struct scope_unit_earlier earlier;
	uint64_t run_ns, queue_ns, blocked_ns; /* in earlier.part */
};

/* What a turn of the loop got something from; bits. */
#define SCOPE_TURN_TIME 1u   /* no rule: its poll had reached its time limit */
#define SCOPE_TURN_CLIENT 2u /* no rule: by a read, like the next two */
#define SCOPE_TURN_PEER 4u   /* no rule: a connection that the process made */
#define SCOPE_TURN_OTHER 8u  /* no rule: a pipe, an eventfd, … */

/* The turn that goes on, with those before it whose polls did not sleep: what one of them read, the next one may handle. */
struct scope_open_unit_turn {
	unsigned brought; /* SCOPE_TURN_* */
	int32_t peer;	  /* descriptor of the last peer */
	int32_t waker;	  /* index of the traced thread that ended the poll, or SCOPE_WAIT_NO_THREAD */
	uint32_t number;  /* of polls that slept, so far */
};

/* Answers to requests that were held, by turns that … */
struct scope_open_unit_answers {
	uint32_t clients; /* … other clients alone brought */
	uint32_t others;  /* … something else brought */
};

#define SCOPE_OPEN_UNIT_IDLES 4 /* last times of a thread without work that are kept */

/* The open unit of one thread. */
struct scope_open_unit {
	bool open;
	bool tentative;	      /* inside a call that may turn out to pick up the next request */
	bool goes_on;	      /* inside a read of the descriptor from which the last call picked up work */
	bool from_loop;	      /* opened after the top of the loop … */
	bool empty_turn;      /* … which brought no work */
	bool new_thread;      /* it began as its thread did, and has taken no request so far */
	bool asked;	      /* a client's request was taken in it */
	uint8_t datagrams;    /* clients' datagrams read in it */
	uint8_t request;      /* the kind of its request, as in struct scope_unit */
	bool connected;	      /* a client was accepted in it */
	bool answered;	      /* something was written to a client in it … */
	bool client_answered; /* … to its own one */
	bool slept_in_call;   /* the open call has blocked */
	bool for_other;	      /* the open call answers another client than the unit's */
	bool requests;	      /* the thread has any way to pick up work */
	bool doubt;	      /* it may have ended at answer.end_ns, see unit/inner_wait.h … */
	bool back_empty;      /* … where the last wait since then returned 0 */
	bool pending;	      /* idle is a sleep that may have been for a client */
	uint8_t matched;      /* enum scope_unit_pickup_match of the call entered at matched_ns */
	uint32_t plain_roles; /* as in struct scope_timeline_ops: for calls that are only counted */
	uint32_t root;	      /* call histogram that its units begin with */
	uint32_t histogram;   /* of its calls so far; SCOPE_HISTOGRAM_NONE: they are counted here: */
	unsigned calls;
	struct scope_open_unit_calls *call; /* NULL until the first */
	uint64_t datagram_fd;		    /* where they are from */
	uint64_t matched_ns;
	uint64_t bytes, idle_ns;
	uint64_t others_ns;   /* of the unit's time on a CPU: answers to other clients */
	int64_t read_fd;      /* that the last call picked up work from; -1: it did not */
	int64_t only_fd;      /* the first that it ever took bytes from; -1: none */
	bool many;	      /* that was not the only one, or it accepted two */
	bool accepted;	      /* it accepted one, ever */
	bool parked;	      /* asleep until its runtime has a task for it */
	uint64_t usual_futex; /* address where the thread sleeps most often, of all futexes: by majority vote … */
	uint32_t futex_votes; /* … how many more than elsewhere since it was chosen */
	int64_t client_fd; /* the client's connection that the unit accepted or read last; -1: none yet, or none that is known */
	uint32_t connection;	   /* that this is, as in struct scope_unit */
	bool first;		   /* its request is the first of that connection */
	int64_t from_fd;	   /* the client's connection that the unit took bytes from; -1: none yet */
	uint64_t begin_ns, end_ns; /* end: entry of the tentative call */
	uint64_t rest_ns; /* the unit may be over since this sleep in a futex: its client has its answer; 0: no */
	bool rests;	  /* the unit is over then, unless more is written to its client */
	uint64_t turn_ns; /* it may be over since this sleep for a lock: a thread takes its turn at waiting for work; 0: no … */
	bool turns;		/* the open call waits for work, and the call before was that for a lock: see turn_ns */
	uint64_t turn_enter_ns; /* … in the call that was entered then */
	struct scope_open_unit_idle idled[SCOPE_OPEN_UNIT_IDLES]; /* the last times it was idle, a ring */
	unsigned idles;						  /* their number in all */
	uint64_t last_exit_ns;
	struct scope_unit_stack stack;	  /* as for a unit that began now */
	struct scope_pickup pickup;	  /* of the thread */
	struct scope_open_unit_loop loop; /* as it was last known */
	uint32_t loops;			  /* returns from there */
	unsigned looks;			  /* of these the last ones in a row that found nothing, without a sleep */
	struct scope_open_unit_turn of_loop;
	struct scope_mark begin, end, rest, turn;
	struct scope_open_unit_answer answer;
	struct scope_mark back; /* in doubt: as that wait returned … */
	uint64_t back_ns;	/* … at this time; 0: it has not yet */
	uint64_t back_bytes;	/* of the unit, then */
	uint64_t parks_ns;	/* in these waits, of idle_ns */
	struct scope_wait idle;
	struct scope_late_wait polled; /* the last sleep in a poll inside a unit … */
	uint64_t polled_enter_ns;      /* … in the call that was entered then; 0: none */
	struct scope_quiet quiet;
	struct scope_handlers handlers;
	struct scope_spinning spinning;
	struct scope_retry retry;
	struct scope_logged_stack *snapshot; /* the last one; NULL: none. Counts if the sleep began before it */
	struct scope_open_unit_before before;
	struct scope_open_unit_answers late_answers;
};

#define SCOPE_UNIT_PASSING 16 /* no rule: processes whose threads pass requests on, the first ones */

/* Requests of a process that one of its threads took, and that another one which takes requests answered. */
struct scope_passing {
	uint32_t tgid, count;
};

#define SCOPE_UNIT_TASKED 64 /* no rule: processes with tasks, the first ones */

/* A request that is held, see unit/held_request.h. */
struct scope_held {
	struct scope_unit unit; /* what it did so far; its `earlier` is here, where the unit has one: */
	struct scope_unit_earlier earlier;
	bool again;		      /* it was held before: a write failed, and did not answer it */
	struct scope_unit_call *call; /* its calls; NULL: its call histogram has them */
	uint32_t tgid;
	int32_t fd;
	uint32_t loops;		     /* of its thread as the unit ended … */
	uint32_t turn;		     /* … and of_loop.number */
	uint64_t left_ns;	     /* then, or when the last unit ended that took bytes of it … */
	uint64_t asleep_ns, idle_ns; /* … and what the thread had slept by then, and waited for work */
	uint32_t next;		     /* of those that are free, from 1 on; 0: none */
	bool used;
};

struct scope_helds {
	struct scope_held *held;
	size_t capacity;
	uint32_t count, used; /* places, and how many of them are used */
	uint32_t free;	      /* the first free place, from 1 on; 0: none */
	uint32_t sweep_at;    /* number of used ones at which those of closed connections are looked for */
};

struct scope_unit_builder {
	struct scope_unit_run *run;
	const struct scope_timeline_ops *ops; /* functions for the timeline, without listeners */
	struct scope_histograms *histograms;  /* of the run */
	const struct scope_pickups *pickups;
	struct scope_unit_sink sink;
	struct scope_listeners listeners;
	struct scope_learner *learner; /* NULL, or the learner, which gets each event before the builder */
	struct scope_open_unit *open_unit;
	size_t open_units, open_unit_capacity;
	struct scope_passing passing[SCOPE_UNIT_PASSING];
	unsigned passings;
	uint32_t tasks_of[SCOPE_UNIT_TASKED]; /* processes with tasks */
	unsigned tasked;
	struct scope_helds helds;
};

/* A sleep outside units was for a client if work was taken by it, or right after it. 0, or what the sink returned. */
int scope_unit_open_report_idle(struct scope_unit_builder *builder, struct scope_open_unit *open_unit, bool read);

/* The list of calls so far, as many as are returned. */
unsigned scope_unit_open_calls(const struct scope_unit_builder *builder, const struct scope_open_unit *open_unit,
			       const struct scope_unit_call **ret_call);

/* Begins the open unit of a thread that has none yet. false: no memory. */
bool scope_unit_open_meet(struct scope_unit_builder *builder, uint32_t thread);
/* Ends the open unit at end_ns, where the thread's account stood at end. */
int scope_unit_open_close(struct scope_unit_builder *builder, uint32_t thread, const struct scope_mark *end,
			  uint64_t end_ns, bool still_open);
/* Of a call that may pick up work, by its number; see scope_unit_open_match(). */
enum scope_unit_pickup_match scope_unit_open_match_any(const struct scope_unit_builder *builder,
						       struct scope_open_unit *open_unit,
						       const struct scope_thread *thread,
						       const struct scope_open_call *call);
/* Counts a call that leads to no call histogram known from not long ago. 0 or -ENOMEM. */
int scope_unit_open_count(struct scope_histograms *histograms, struct scope_open_unit *open_unit, uint16_t nr);
/* Adds a number of calls of a unit that has no call histogram any more. 0 or -ENOMEM. */
int scope_unit_open_count_times(const struct scope_histograms *histograms, struct scope_open_unit *open_unit,
				uint16_t nr, uint16_t times);
/*
 * True if the unit is a request without an answer: the unit has not answered it and, if its connection is known, no
 * other thread has.
 */
bool scope_unit_open_owes(struct scope_unit_builder *builder, const struct scope_open_unit *open_unit,
			  const struct scope_thread *thread);
/* The return of a call that did or may have picked up work. */
int scope_unit_open_pick(struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
			 const struct scope_thread *thread, const struct scope_open_call *call, int64_t ret,
			 uint64_t exit_ns);

/* As struct scope_timeline_ops has them; user is the builder. */
int scope_unit_open_leave(void *user, uint32_t thread, uint64_t now_ns);
int scope_unit_open_wait(void *user, const struct scope_wait *wait);
int scope_unit_open_queued(void *user, const struct scope_queued *queued);
int scope_unit_open_stack(void *user, uint32_t thread, const struct scope_event *event);
int scope_unit_open_snapshot(void *user, uint32_t thread, const struct scope_event *event);
int scope_unit_open_request(void *user, uint32_t thread, uint32_t kind);
int scope_unit_open_lost(void *user, uint32_t thread, uint64_t now_ns);
int scope_unit_open_state(void *user, uint32_t thread, const struct scope_event *event);
int scope_unit_open_end(void *user, uint32_t thread, uint64_t now_ns);

/* Makes sure that builder->open_unit[thread] exists. false: no memory. */
static inline bool scope_unit_open_has(struct scope_unit_builder *builder, uint32_t thread)
{
	return thread < builder->open_units || scope_unit_open_meet(builder, thread);
}

static inline struct scope_mark scope_unit_mark_now(const struct scope_thread *thread)
{
	const struct scope_account *account = &thread->account;

	return (struct scope_mark){
		account->run_ns,	 account->probe_ns,  account->queue_ns,
		account->waker_queue_ns, account->asleep_ns, account->blocked_ns[SCOPE_WAIT_TIMER],
	};
}

static inline void scope_unit_open_begin(struct scope_open_unit *open_unit, const struct scope_thread *thread,
					 uint64_t now_ns)
{
	open_unit->open = true;
	open_unit->asked = open_unit->connected = open_unit->answered = open_unit->empty_turn = false;
	open_unit->new_thread = false;
	open_unit->datagrams = open_unit->request = 0;
	open_unit->connection = 0;
	open_unit->first = false;
	open_unit->from_fd = open_unit->client_fd = -1;
	open_unit->begin_ns = now_ns;
	open_unit->begin = scope_unit_mark_now(thread);
	open_unit->histogram = open_unit->root;
	open_unit->calls = 0;
	open_unit->bytes = open_unit->others_ns = 0;
	open_unit->before.any = false;
	open_unit->client_answered = false;
	open_unit->last_exit_ns = 0;
	open_unit->rest_ns = open_unit->turn_ns = 0;
	open_unit->turns = false;
	open_unit->answer.end_ns = 0;
}

#endif
