// SPDX-License-Identifier: GPL-2.0-only
/* Attributes the time of a trace's calls to the functions whose signatures they match. */
#include "evidence/sign.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "evidence/attribute.h"
#include "evidence/vote.h"
#include "timeline/timeline.h"

#define SIDE_UNITS 20000 /* of usual and of abnormal units, the calls of about this many are attributed */

/* A call, and the time since the one before it. */
struct call {
	uint64_t since_ns, enter_ns, exit_ns;
	uint64_t gap_run_ns, run_ns, slept_ns;
	uint64_t wake_ns; /* of its last sleep, if it slept */
	uint16_t nr;
	uint8_t class;
	bool propagated;
	struct scope_ballot self, gap;
};

/* The sequence in which episodes with a busy stretch are searched: calls, and the stretches between them. */
struct symbol {
	uint64_t call; /* its number */
	bool busy;     /* it is that stretch */
};

struct track {
	struct scope_match *match;
	struct scope_match *busy;		  /* NULL: no episode has a busy stretch */
	struct symbol symbol[SCOPE_EPISODE_SPAN]; /* the last ones fed to it, by number */
	uint64_t symbols;
	struct call call[SCOPE_EPISODE_SPAN]; /* the last ones, by number */
	uint64_t calls;			      /* since the last reset */
	uint64_t run_ns, probe_ns;	      /* value in the account as the last call returned, or was entered */
	uint64_t gap_run_ns;		      /* between the two */
	uint64_t last_ns;		      /* return of the last call; 0: not known */
	struct scope_wait wait;		      /* the last sleep of the open call */
	uint64_t slept_ns;
};

struct signer {
	struct scope_attributor attributor;
	const struct scope_signatures *signatures;
	bool busy;			 /* some episodes have SCOPE_EPISODE_BUSY */
	struct scope_timeline *timeline; /* of this pass */
	uint64_t every[2];		 /* every n-th of usual and of abnormal units */
	struct track *track;
	size_t tracks, track_capacity;
	struct track *at; /* the thread whose call is being matched */
};

static int get_track(struct signer *signer, uint32_t thread, struct track **ret_track)
{
	int err;

	if (scope_grow(&signer->track, &signer->track_capacity, thread + 1, sizeof(*signer->track)))
		return -ENOMEM;
	while (signer->tracks <= thread) {
		struct track *track = &signer->track[signer->tracks];

		memset(track, 0, sizeof(*track));
		err = scope_signature_match_create(signer->signatures->matcher, &track->match);
		if (err)
			return err;
		signer->tracks++;
		if (signer->busy)
			err = scope_signature_match_create(signer->signatures->matcher, &track->busy);
		if (err)
			return err;
	}
	*ret_track = &signer->track[thread];
	return 0;
}

/* The unit at that time, if it counts: if its side has many units, only every n-th counts. */
static uint32_t unit_at(const struct signer *signer, uint32_t thread, uint64_t time_ns)
{
	const struct scope_attributor *attributor = &signer->attributor;
	uint32_t unit = scope_evidence_lookup_unit_at(&attributor->lookup, attributor->units, thread, time_ns);

	if (unit != UINT32_MAX && unit % signer->every[scope_anomaly_mark_abnormal(attributor->kept->mark[unit])])
		return UINT32_MAX;
	return unit;
}

/* How many callers, from the outermost on, all winners have in common; for a single winner its whole path. */
static unsigned common_path(const struct scope_winner *winner, unsigned winners)
{
	unsigned length = winners ? winner[0].length : 0;

	for (unsigned i = 1; i < winners; i++) {
		unsigned at = 0;

		while (at < length && at < winner[i].length && winner[i].path[at] == winner[0].path[at])
			at++;
		length = at;
	}
	return length;
}

/* Attributes a stretch to the winner of its vote; of equals, to their common callers. */
static int attribute(struct signer *signer, uint32_t thread, const struct scope_ballot *ballot,
		     const struct scope_stretch *stretch)
{
	struct scope_winner winner[SCOPE_WINNERS_MAX];
	struct scope_evidence *evidence = signer->attributor.evidence;
	struct scope_stack_node stack_node = { .frames = 0 };
	unsigned winners;
	int err;

	if (stretch->weight_ns <= 0 || !scope_evidence_attributor_wants(&signer->attributor, thread, stretch))
		return 0;
	winners = scope_evidence_ballot_count(signer->signatures, ballot, winner);
	evidence->stacks++;
	evidence->nameless += !winners;
	err = scope_evidence_tree_insert(&evidence->tree, winner[0].path, common_path(winner, winners),
					 &stack_node.node);
	return err ? err : scope_evidence_attributor_add(&signer->attributor, thread, stretch, stack_node);
}

/* No further episode can match this call. */
static int settle(struct signer *signer, uint32_t thread, const struct call *call)
{
	struct scope_stretch gap = {
		.begin_ns = call->since_ns,
		.end_ns = call->enter_ns,
		.weight_ns = call->gap_run_ns,
		.run = true,
		.unit = unit_at(signer, thread, call->enter_ns),
	};
	struct scope_stretch self = {
		.begin_ns = call->enter_ns,
		.end_ns = call->exit_ns,
		.weight_ns = call->run_ns,
		.run = true,
		.nr = call->nr,
		.unit = gap.unit,
	};
	int err = 0;

	/* A pick-up: it returned into the next unit. */
	if (self.unit != UINT32_MAX && signer->attributor.units->unit[self.unit].end_ns < call->exit_ns)
		self.unit = UINT32_MAX;
	if (call->since_ns)
		err = attribute(signer, thread, &call->gap, &gap);
	if (!err)
		err = attribute(signer, thread, &call->self, &self);
	scope_evidence_stretch_sleep(&self, call->enter_ns, call->wake_ns, call->slept_ns);
	self.class = call->class;
	self.propagated = call->slept_ns && call->propagated;
	return err ? err : attribute(signer, thread, &call->self, &self);
}

/* Attributes all calls that are still open; later calls do not belong to their episodes. */
static int reset(struct signer *signer, uint32_t thread, struct track *track)
{
	uint64_t first = track->calls > SCOPE_EPISODE_SPAN ? track->calls - SCOPE_EPISODE_SPAN : 0;
	int err = 0;

	for (uint64_t i = first; !err && i < track->calls; i++)
		err = settle(signer, thread, &track->call[i % SCOPE_EPISODE_SPAN]);
	track->calls = 0;
	track->last_ns = 0;
	track->symbols = 0;
	scope_signature_match_reset(track->match);
	if (track->busy)
		scope_signature_match_reset(track->busy);
	return err;
}

static void vote(const struct signer *signer, struct scope_ballot *ballot, uint32_t index)
{
	const struct scope_signatures *signatures = signer->signatures;

	for (size_t i = signatures->first[index]; i < signatures->first[index + 1]; i++)
		scope_evidence_ballot_vote(ballot, signatures->owner[i], signatures->weight[index]);
}

/* The calls of the occurrence, and the time between them, are votes for the episode's owners. */
static void hit(void *user, uint32_t index, uint64_t first, uint64_t last)
{
	struct signer *signer = user;
	const struct scope_episode *episode = &signer->signatures->episode[index];
	unsigned found = 0;

	for (uint64_t i = first; i <= last; i++) {
		struct call *call = &signer->at->call[i % SCOPE_EPISODE_SPAN];
		bool part = found < episode->length && call->nr == episode->nr[found];

		found += part;
		if (part)
			vote(signer, &call->self, index);
		if (i > first)
			vote(signer, &call->gap, index);
	}
}

/* Episodes with a busy stretch are votes for their owners only at that stretch. */
static void hit_busy(void *user, uint32_t index, uint64_t first, uint64_t last)
{
	struct signer *signer = user;
	const struct scope_episode *episode = &signer->signatures->episode[index];
	unsigned found = 0;

	if (!scope_signature_episode_is_busy(episode))
		return;
	for (uint64_t i = first; i <= last; i++) {
		const struct symbol *symbol = &signer->at->symbol[i % SCOPE_EPISODE_SPAN];
		struct call *call = &signer->at->call[symbol->call % SCOPE_EPISODE_SPAN];
		uint16_t nr = symbol->busy ? SCOPE_EPISODE_BUSY : call->nr;

		if (found == episode->length || nr != episode->nr[found])
			continue;
		found++;
		if (symbol->busy)
			vote(signer, &call->gap, index);
	}
}

/* Handles the last call, and the stretch before it if that was long. */
static void feed_busy(struct signer *signer, struct track *track, const struct call *call)
{
	static const uint16_t busy = SCOPE_EPISODE_BUSY;

	for (int part = call->gap_run_ns < SCOPE_EPISODE_BUSY_NS; part < 2; part++) {
		track->symbol[track->symbols++ % SCOPE_EPISODE_SPAN] = (struct symbol){ track->calls - 1, !part };
		scope_signature_match_feed(signer->signatures->matcher, track->busy, part ? &call->nr : &busy, 1,
					   hit_busy, signer);
	}
}

static int feed(struct signer *signer, uint32_t thread, struct track *track, const struct call *call)
{
	struct call *slot = &track->call[track->calls % SCOPE_EPISODE_SPAN];
	int err = 0;

	if (track->calls >= SCOPE_EPISODE_SPAN)
		err = settle(signer, thread, slot);
	*slot = *call;
	track->calls++;
	signer->at = track;
	scope_signature_match_feed(signer->signatures->matcher, track->match, &call->nr, 1, hit, signer);
	if (track->busy)
		feed_busy(signer, track, call);
	return err;
}

/* Time on a CPU since the last call of this function, without the time that stacks took. */
static uint64_t ran(struct track *track, const struct scope_thread *thread)
{
	uint64_t run_ns = thread->account.run_ns - track->run_ns;
	uint64_t probe_ns = thread->account.probe_ns - track->probe_ns;

	track->run_ns = thread->account.run_ns;
	track->probe_ns = thread->account.probe_ns;
	return run_ns > probe_ns ? run_ns - probe_ns : 0;
}

static int sign_enter(void *user, const struct scope_thread *thread, const struct scope_open_call *call)
{
	struct signer *signer = user;
	struct track *track;
	int err = get_track(signer, thread->index, &track);

	if (err)
		return err;
	track->slept_ns = 0;
	if (!scope_timeline_call_ignored(call->nr))
		track->gap_run_ns = ran(track, thread);
	return 0;
}

static int sign_exit(void *user, const struct scope_thread *thread, const struct scope_open_call *call, int64_t ret,
		     uint64_t exit_ns)
{
	struct signer *signer = user;
	struct call made = {
		.enter_ns = call->enter_ns,
		.exit_ns = exit_ns,
		.nr = call->nr,
	};
	struct track *track;
	int err = get_track(signer, thread->index, &track);

	(void)ret;
	if (err || scope_timeline_call_ignored(call->nr))
		return err;
	made.since_ns = track->last_ns;
	made.gap_run_ns = track->gap_run_ns;
	made.run_ns = ran(track, thread);
	made.slept_ns = track->slept_ns;
	made.wake_ns = track->wait.wake_ns;
	made.class = track->wait.class;
	made.propagated = track->wait.waker != SCOPE_WAIT_NO_THREAD;
	track->last_ns = exit_ns;
	return feed(signer, thread->index, track, &made);
}

static int sign_wait(void *user, const struct scope_wait *wait)
{
	struct track *track;
	int err = get_track(user, wait->thread, &track);

	if (err)
		return err;
	track->slept_ns += wait->wake_ns - wait->begin_ns - wait->waker_queue_ns;
	track->wait = *wait;
	return 0;
}

static int sign_lost(void *user, uint32_t index, uint64_t now_ns)
{
	struct track *track;
	int err = get_track(user, index, &track);

	(void)now_ns;
	return err ? err : reset(user, index, track);
}

/* For a thread in a call: the function that this call and those before it vote for, if it is only one. */
static int stand(struct signer *signer, uint32_t thread, struct track *track)
{
	const struct scope_open_call *open = &scope_timeline_threads_at(signer->timeline->threads, thread)->open;
	struct scope_stopped_stack *stopped_stack = &signer->attributor.evidence->stopped_stack[thread];
	struct scope_winner winner[SCOPE_WINNERS_MAX];
	struct call call = { .enter_ns = open->enter_ns, .exit_ns = open->enter_ns, .nr = open->nr };
	int err;

	/* A single call is made in too many places. */
	if (open->nr == SCOPE_NR_NONE || scope_timeline_call_ignored(open->nr) || !track->calls ||
	    thread >= signer->attributor.units->threads)
		return 0;
	err = feed(signer, thread, track, &call);
	if (err || scope_evidence_ballot_count(signer->signatures,
					       &track->call[(track->calls - 1) % SCOPE_EPISODE_SPAN].self, winner) != 1)
		return err;
	stopped_stack->start = winner[0].path[0];
	return scope_evidence_tree_insert(&signer->attributor.evidence->tree, winner[0].path, winner[0].length,
					  &stopped_stack->node);
}

static int run_through(struct signer *signer, struct scope_trace *trace)
{
	static const struct scope_timeline_ops ops = {
		.enter = sign_enter,
		.exit = sign_exit,
		.wait = sign_wait,
		.lost = sign_lost,
		.end = sign_lost,
	};
	struct track *track;
	int err = scope_timeline_create(trace, &signer->timeline);

	if (!err)
		err = scope_timeline_run(signer->timeline, trace, &ops, signer);
	for (uint32_t i = 0; !err && i < scope_timeline_threads_count(signer->timeline->threads); i++) {
		err = get_track(signer, i, &track);
		if (!err && signer->attributor.detection)
			err = stand(signer, i, track);
		if (!err)
			err = reset(signer, i, track);
	}
	scope_timeline_destroy(signer->timeline);
	return err;
}

static int run(struct signer *signer, struct scope_trace *trace)
{
	const struct scope_kept *kept = signer->attributor.kept;
	uint64_t count[2] = { 0 };
	int err = scope_evidence_attributor_init(&signer->attributor, 1);

	for (size_t i = 0; i < kept->units->count; i++)
		count[scope_anomaly_mark_abnormal(kept->mark[i])]++;
	for (size_t i = 0; i < signer->signatures->episodes; i++)
		signer->busy |= scope_signature_episode_is_busy(&signer->signatures->episode[i]);
	for (int side = 0; side < 2; side++)
		signer->every[side] = 1 + count[side] / SIDE_UNITS;
	signer->attributor.merge = true;
	if (!err)
		err = run_through(signer, trace);
	for (size_t i = 0; i < signer->tracks; i++) {
		scope_signature_match_destroy(signer->track[i].match);
		scope_signature_match_destroy(signer->track[i].busy);
	}
	free(signer->track);
	scope_evidence_attributor_free(&signer->attributor);
	return err;
}

int scope_evidence_sign_items(const struct scope_evidence_source *source, const struct scope_detection *detection,
			      struct scope_evidence *evidence)
{
	struct signer signer = {
		.attributor = { .kept = source->kept, .detection = detection, .evidence = evidence },
		.signatures = source->signatures,
	};

	return run(&signer, source->trace);
}

int scope_evidence_sign_reference(const struct scope_evidence_source *reference,
				  const struct scope_signatures *signatures, struct scope_evidence *evidence)
{
	struct signer signer = {
		.attributor = { .kept = reference->kept, .evidence = evidence },
		.signatures = signatures,
	};

	return run(&signer, reference->trace);
}
