// SPDX-License-Identifier: GPL-2.0-only
/* A session of the module that delays threads at sites and counts progress. */
#include "causal/inject.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/defaults.h"
#include "causal/requests.h"
#include "control/control.h"
#include "control/probe.h"
#include "proc/proc.h"
#include "proc/socket.h"
#include "proc/target.h"
#include "source/rings.h"

struct scope_inject {
	struct scope_inject_options options;
	struct scope_control *control;
	struct scope_rings *rings;
	struct scope_tally *tally;
	uint32_t session;
	bool fast;	    /* the rule for speedups is set, */
	uint32_t fast_site; /* for this site */
};

static void want_call(const struct scope_mark *mark, uint8_t *bits)
{
	if (mark->kind == SCOPE_POINT_SYSCALL)
		bits[mark->nr / 8] |= (uint8_t)(1u << mark->nr % 8);
}

/* Records only the calls by which progress is counted, because others would cost time without use. */
static int configure(struct scope_inject *inject, struct scope_error *error)
{
	const struct scope_point *point = inject->options.point;
	const struct scope_control_target target = {
		.kind = SCOPE_ATTR_TARGET,
		.id = inject->options.tgid,
	};
	uint8_t calls[SCOPE_SYSCALL_MAX / 8] = { 0 }, args[SCOPE_SYSCALL_MAX] = { 0 };
	const uint8_t no_stacks[SCOPE_SYSCALL_MAX / 8] = { 0 };
	const struct scope_session_config config = {
		.session = inject->session,
		.targets = &target,
		.target_count = 1,
		.syscalls = calls,
		.follow = inject->options.follow,
		.subbuf_bytes = SCOPE_DEFAULT_SUBBUF_BYTES,
		.subbuf_count = SCOPE_DEFAULT_SUBBUF_COUNT,
		.arg_counts = args,
		.events = SCOPE_EVENTS_DEFAULT,
		.sample_period_ns = inject->options.sample_period_ns,
		.stack_mode = inject->options.sample_period_ns ? SCOPE_STACK_CHAIN : SCOPE_STACK_NONE,
		.stack_syscalls = no_stacks,
	};

	if (point->end.kind == SCOPE_POINT_REQUEST) {
		scope_causal_requests_calls(calls);
		memset(args, 1, sizeof(args));
	} else {
		want_call(&point->end, calls);
		if (point->pair)
			want_call(&point->begin, calls);
	}
	return scope_control_configure(inject->control, &config, error);
}

static int set_probe(struct scope_inject *inject, const struct scope_mark *mark, uint16_t id, struct scope_error *error)
{
	struct scope_probe probe = { .id = id, .kind = SCOPE_PROBE_UPROBE, .offset = mark->place.offset };

	if (mark->kind != SCOPE_POINT_FUNCTION)
		return 0;
	memcpy(probe.name, mark->place.path, sizeof(probe.name));
	return scope_control_probe_add(inject->control, inject->session, &probe, error);
}

/* A session has one rule for speedups, which is replaced. */
static uint16_t rule_of(const struct scope_inject *inject, uint32_t site)
{
	return inject->options.sample_period_ns ? 1 : (uint16_t)(site + 1);
}

int scope_causal_inject_set(struct scope_inject *inject, uint32_t site, uint64_t ns, struct scope_error *error)
{
	struct scope_delay rule = inject->options.site[site].rule;
	int err = 0;

	rule.id = rule_of(inject, site);
	rule.ns = ns;
	rule.second_max_ns = inject->options.second_max_ns;
	/* The place of a rule cannot be changed. */
	if (inject->fast && inject->fast_site != site)
		err = scope_control_delay_remove(inject->control, inject->session, rule.id, error);
	if (!err)
		err = scope_control_delay_set(inject->control, inject->session, &rule, error);
	inject->fast = !err && inject->options.sample_period_ns;
	inject->fast_site = site;
	return err;
}

static int know_descriptors(struct scope_inject *inject, uint32_t tgid)
{
	struct scope_socket_table *sockets;
	struct scope_proc_fds fds = { 0 };
	int err = scope_proc_socket_table_create(tgid, &sockets);

	if (err)
		return err;
	/* A process that has ended has no descriptors. */
	if (!scope_proc_fds_read(tgid, sockets, NULL, &fds))
		err = scope_causal_tally_know(inject->tally, tgid, &fds);
	scope_proc_fds_destroy(&fds);
	scope_proc_socket_table_destroy(sockets);
	return err;
}

/* Notes connections that were accepted before tracing began. */
static int know_connections(struct scope_inject *inject, struct scope_error *error)
{
	uint32_t *tgids = NULL;
	size_t count = 0;
	int err;

	if (inject->options.point->end.kind != SCOPE_POINT_REQUEST)
		return 0;
	err = scope_proc_target_tree(inject->options.tgid, &tgids, &count);
	for (size_t i = 0; i < count && !err; i++)
		err = know_descriptors(inject, tgids[i]);
	free(tgids);
	return err ? scope_error_set(error, err, "cannot read the descriptors of process %u: %s", inject->options.tgid,
				     strerror(-err))
		   : 0;
}

static int begin(struct scope_inject *inject, struct scope_error *error)
{
	const struct scope_point *point = inject->options.point;
	int err = scope_control_open(error, &inject->control, NULL);

	if (!err)
		err = scope_source_rings_open(error, &inject->rings, &inject->session);
	if (!err)
		err = configure(inject, error);
	if (!err)
		err = scope_source_rings_map(inject->rings, error);
	if (!err)
		err = scope_control_start(inject->control, inject->session, error);
	/* Set after the start, which finds the descendants. Later descendants have no probes. */
	for (uint32_t i = 0; i < inject->options.sites && !err; i++)
		err = scope_causal_inject_set(inject, i, 0, error);
	/*
	 * A mark may be a site, too. The kernel calls the probe that was set last first, so the delay comes after the
	 * mark.
	 */
	if (!err)
		err = set_probe(inject, &point->end, SCOPE_TALLY_PROBE_END, error);
	if (!err && point->pair)
		err = set_probe(inject, &point->begin, SCOPE_TALLY_PROBE_BEGIN, error);
	/* Begins were recorded earlier than ends, so the number in flight is not known. */
	if (!err && point->pair && point->end.kind != SCOPE_POINT_REQUEST) {
		err = scope_causal_inject_drain(inject, error);
		scope_causal_tally_forget(inject->tally);
	}
	/* Connections accepted since are in the trace. */
	return err ? err : know_connections(inject, error);
}

int scope_causal_inject_open(const struct scope_inject_options *options, struct scope_error *error,
			     struct scope_inject **ret_inject)
{
	struct scope_inject *inject = calloc(1, sizeof(*inject));
	int err;

	if (!inject || scope_causal_tally_create(options->point, &inject->tally)) {
		free(inject);
		return scope_error_set(error, -ENOMEM, "no memory left to begin");
	}
	inject->options = *options;
	err = begin(inject, error);
	if (err) {
		scope_causal_inject_close(inject);
		return err;
	}
	*ret_inject = inject;
	return 0;
}

void scope_causal_inject_close(struct scope_inject *inject)
{
	if (!inject)
		return;
	scope_source_rings_close(inject->rings);
	scope_control_close(inject->control);
	scope_causal_tally_destroy(inject->tally);
	free(inject);
}

int scope_causal_inject_counts(struct scope_inject *inject, uint32_t site, struct scope_error *error,
			       struct scope_delay_counts *ret_counts)
{
	return scope_control_delay_query(inject->control, inject->session, rule_of(inject, site), error, NULL,
					 ret_counts);
}

static int take(const struct scope_subbuf *subbuf, void *context)
{
	return scope_causal_tally_take(context, subbuf);
}

int scope_causal_inject_drain(struct scope_inject *inject, struct scope_error *error)
{
	int err = scope_source_rings_flush(inject->rings);

	if (!err)
		err = scope_source_rings_drain(inject->rings, take, inject->tally);
	scope_causal_tally_settle(inject->tally);
	return err ? scope_error_set(error, err, "cannot read what the module traced: %s", strerror(-err)) : 0;
}

struct scope_tally *scope_causal_inject_tally(struct scope_inject *inject)
{
	return inject->tally;
}

uint64_t scope_causal_inject_lost(const struct scope_inject *inject)
{
	uint64_t records, lost[SCOPE_LOST_REASONS], sum = 0;

	scope_source_rings_count(inject->rings, &records, lost);
	for (int reason = 0; reason < SCOPE_LOST_REASONS; reason++)
		sum += lost[reason];
	return sum;
}

int scope_causal_inject_check(struct scope_inject *inject, struct scope_error *error)
{
	struct scope_session_status status;
	int err = scope_control_query(inject->control, inject->session, error, &status);

	if (err)
		return err;
	if (status.stop_reason == SCOPE_STOP_GUARD)
		err = scope_error_set(error, -EOVERFLOW,
				      "the overload guard stopped it: probes took %u.%u %% "
				      "of CPU %u; choose a progress point or a site that is visited less "
				      "often",
				      status.guard_share / 10, status.guard_share % 10, status.guard_cpu);
	else if (!status.processes && !status.threads)
		err = scope_error_set(error, -ESRCH, "the process ended");
	scope_control_session_status_destroy(&status);
	return err;
}
