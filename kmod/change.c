// SPDX-License-Identifier: GPL-2.0-only
/* Changes a session: its configuration, its filter, its stacks, whether it runs. */
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include "change.h"
#include "delay.h"
#include "dynamic.h"
#include "monitor.h"
#include "probe.h"
#include "probe_bio.h"
#include "probe_block.h"
#include "probe_sample.h"
#include "peer.h"
#include "received.h"
#include "region.h"
#include "select.h"
#include "traced.h"
#include "tracing.h"

/* The time from which on a call needs more than its record: a stack, or a record of another type. */
static u64 plain_ns(const struct scope_config *config)
{
	return config->stack_mode ? config->stack_min_ns : U32_MAX;
}

/* Which calls become records: call n, if bit n % 8 of byte n / 8 is set. */
void scope_session_set_syscalls(struct scope_config *config, const u8 *bits)
{
	u8 all = 0xff, skip;
	int i;

	for (i = 0; i < SCOPE_SYSCALL_MAX; i++) {
		skip = bits[i / 8] & 1 << i % 8 ? 0 : SCOPE_CALL_SKIP;
		WRITE_ONCE(config->arg_counts[i], (config->arg_counts[i] & ~SCOPE_CALL_SKIP) | skip);
		all &= bits[i / 8];
	}
	WRITE_ONCE(config->other_calls, all == 0xff ? 0 : SCOPE_CALL_SKIP);
}

/* What a call may get by events besides its record, by its native number. */
static u8 more_of(const struct scope_config *config, u32 nr)
{
	if (config->events & SCOPE_EVENTS_RECEIVED && scope_received_by(nr))
		return SCOPE_CALL_RECEIVES;
	return config->events & SCOPE_EVENTS_PEER && scope_peer_by(nr) ? SCOPE_CALL_CONNECTS : 0;
}

/* The configuration changed. Updates what probes look up by the number of a call. */
static void set_calls(struct scope_session *session)
{
	struct scope_config *config = &session->config;
	u8 stack, args;
	u32 bytes;
	int i;

	for (i = 0; i < SCOPE_SYSCALL_MAX; i++) {
		stack = config->stack_syscalls[i / 8] & 1 << i % 8 ? SCOPE_CALL_STACK : 0;
		if (!config->stack_mode)
			stack = 0;
		WRITE_ONCE(config->arg_counts[i], (config->arg_counts[i] & ~(SCOPE_CALL_STACK | SCOPE_CALL_MORE)) |
							  stack | more_of(config, i));
		args = config->arg_counts[i] & ~(SCOPE_CALL_STACK | SCOPE_CALL_SKIP | SCOPE_CALL_MORE);
		WRITE_ONCE(session->plan[i].call, scope_call_word(scope_call_of(i, SCOPE_ABI_NATIVE, args)));
		if (args > 1 || config->arg_counts[i] & (SCOPE_CALL_SKIP | SCOPE_CALL_MORE))
			bytes = U32_MAX;
		else
			bytes = sizeof(struct scope_record_syscall) + args * sizeof(u64);
		WRITE_ONCE(session->plan[i].bytes, bytes);
	}
}

/* The tables of requests and bios. After a failure nothing is allocated. */
static bool alloc_block(struct scope_session *session)
{
	session->block = kvzalloc(scope_block_bytes, GFP_KERNEL);
	session->bios = kvzalloc(scope_bios_bytes, GFP_KERNEL);
	if (session->block && session->bios)
		return true;
	kvfree(session->block);
	kvfree(session->bios);
	session->block = NULL;
	session->bios = NULL;
	return false;
}

/*
 * Values are in range, and numbers are of user processes and threads. -EBUSY: done already. -ENOSPC: there are more
 * targets than a session can have, and *ret_failed is the index of the first one too many.
 */
int scope_session_configure(struct scope_session *session, const struct scope_config *config,
			    const struct scope_target *targets, u32 count, u32 *ret_failed)
{
	int err = -EBUSY;
	u32 i;

	mutex_lock(&session->lock);
	if (session->run_state != SCOPE_RUN_NEW || session->closed)
		goto out;
	session->config = *config;
	set_calls(session);
	session->plain_ns = plain_ns(config);
	for (i = 0, err = 0; i < count && !err; i++) {
		err = scope_target_add(session, &targets[i]);
		*ret_failed = i;
	}
	if (!err)
		err = scope_region_alloc(session);
	if (!err && config->events & SCOPE_EVENTS_BLOCK && !alloc_block(session)) {
		scope_region_free(session);
		err = -ENOMEM;
	}
	if (err) {
		scope_target_clear(session);
		goto out;
	}
	/* Pairs with scope_session_configured(). */
	smp_store_release(&session->run_state, SCOPE_RUN_READY);
out:
	mutex_unlock(&session->lock);
	return err;
}

static int change_locked(struct scope_session *session, const struct scope_change *change, u32 *ret_failed)
{
	int err = 0;
	u32 i;

	/* The reader of such a session does not know that a thread can leave the filter and live on. */
	if (session->config.protocol < 2)
		return -EPROTO;
	for (i = 0; i < change->removes && !err; i++) {
		err = scope_target_remove(session, &change->remove[i]);
		*ret_failed = i;
	}
	for (i = 0; i < change->adds && !err; i++) {
		err = scope_target_add(session, &change->add[i]);
		*ret_failed = change->removes + i;
	}
	if (!err && change->syscalls) {
		scope_session_set_syscalls(&session->config, change->syscalls);
		set_calls(session);
	}
	return err;
}

/*
 * Before the start, or while tracing runs. Targets before the one that fails are added or removed. -EINVAL: not
 * configured. -EPROTO: of protocol 1. -ESHUTDOWN: stopped. -ENOENT, -ENOSPC: target *ret_failed and all after it are
 * not done; the targets to remove are counted first, then those to add. -EOPNOTSUPP: the kernel does not report such
 * changes.
 */
int scope_session_change(struct scope_session *session, const struct scope_change *change, u32 *ret_failed)
{
	int err = -EINVAL, settled;

	mutex_lock(&session->lock);
	if (session->run_state == SCOPE_RUN_STOPPED || session->closed)
		err = -ESHUTDOWN;
	else if (session->run_state != SCOPE_RUN_NEW)
		err = change_locked(session, change, ret_failed);
	if (session->run_state == SCOPE_RUN_ON) {
		settled = scope_probe_attach(session);
		if (!settled) {
			scope_select_scan(session);
			settled = scope_select_settle(session);
		}
		err = err ? err : settled;
	}
	mutex_unlock(&session->lock);
	return err;
}

/* Probes may still read the set that it replaces: probes of tracepoints and of code, and timers. */
static void set_stack_threads(struct scope_session *session, struct scope_threads *threads)
{
	struct scope_threads *old = session->stack_threads;

	/* Pairs with READ_ONCE in stack.c, which reads the rest through the pointer. */
	smp_store_release(&session->stack_threads, threads);
	if (!old)
		return;
	tracepoint_synchronize_unregister();
	synchronize_rcu();
	kvfree(old);
}

/*
 * Under session->lock. A probe may see some of the new values before the others; each new value is valid together
 * with any old ones. The mode is set last, and if it becomes none it is cleared first.
 */
static int set_stacks(struct scope_session *session, const struct scope_config *config)
{
	struct scope_config *own = &session->config;

	if (config->stack_mode == SCOPE_STACK_NONE)
		WRITE_ONCE(own->stack_mode, SCOPE_STACK_NONE);
	memcpy(own->stack_syscalls, config->stack_syscalls, sizeof(own->stack_syscalls));
	WRITE_ONCE(own->stack_bytes, config->stack_bytes);
	WRITE_ONCE(own->stack_min_ns, config->stack_min_ns);
	WRITE_ONCE(own->stacks_per_second, config->stacks_per_second);
	WRITE_ONCE(own->sample_period_ns, config->sample_period_ns);
	WRITE_ONCE(own->stack_mode, config->stack_mode);
	set_calls(session);
	WRITE_ONCE(session->plain_ns, plain_ns(own));
	if (session->run_state != SCOPE_RUN_ON)
		return 0;
	scope_traced_refresh_all(session);
	if (session->sampling == !!own->sample_period_ns)
		return 0;
	if (!session->sampling)
		return scope_sample_start(session);
	scope_sample_stop(session);
	return 0;
}

/*
 * Takes the stack settings of config. If threads_given, also takes the set of threads (NULL: all), and frees it
 * later. -EINVAL: not configured. -ESHUTDOWN: stopped. -ENOENT: the session's file is closed.
 */
int scope_session_set_stacks(struct scope_session *session, const struct scope_config *config,
			     struct scope_threads *threads, bool threads_given)
{
	int err = 0;

	lockdep_assert_held(&session->lock);
	if (session->closed)
		err = -ENOENT;
	else if (session->run_state == SCOPE_RUN_NEW)
		err = -EINVAL;
	else if (session->run_state == SCOPE_RUN_STOPPED)
		err = -ESHUTDOWN;
	if (err) {
		kvfree(threads);
		return err;
	}
	if (threads_given)
		set_stack_threads(session, threads);
	return set_stacks(session, config);
}

/*
 * -EINVAL before configure, -EALREADY while running, -ESHUTDOWN after a stop. Other failures leave a session that can
 * be started again, or one that is stopped: see scope_tracing_start().
 */
int scope_session_start(struct scope_session *session)
{
	static const int refused[] = {
		[SCOPE_RUN_NEW] = -EINVAL, [SCOPE_RUN_ON] = -EALREADY, [SCOPE_RUN_STOPPED] = -ESHUTDOWN
	};
	int err;

	mutex_lock(&session->lock);
	err = session->closed ? -ENOENT : refused[session->run_state];
	if (!err)
		err = scope_tracing_start(session);
	if (!err)
		scope_monitor_start(session);
	mutex_unlock(&session->lock);
	return err;
}

/* -EALREADY: it is not running. Data can still be read. */
int scope_session_stop(struct scope_session *session)
{
	int err;

	mutex_lock(&session->dynamic_lock);
	/* This comes first: the delays that were served can still be recorded now. */
	if (READ_ONCE(session->run_state) == SCOPE_RUN_ON)
		scope_delay_detach(session);
	mutex_lock(&session->lock);
	err = scope_tracing_stop(session, SCOPE_STOP_ASKED);
	mutex_unlock(&session->lock);
	if (!err)
		scope_dynamic_detach(session);
	mutex_unlock(&session->dynamic_lock);
	return err;
}
