// SPDX-License-Identifier: GPL-2.0-only
/* The list of delay rules of a session: set, replace, remove, report, detach all. */
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/moduleparam.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include "delay.h"
#include "dynamic.h"
#include "rcu_tasks.h"
#include "trap_cost.h"

static bool delays = true;
module_param(delays, bool, 0644);
MODULE_PARM_DESC(delays, "whether threads may be held up on purpose (scope.delays=0: refused)");

static bool ever_used; /* since the module was loaded: a thread may still be returning from its code */

/* How each kind of site is attached and detached. */
static const struct way {
	int (*attach)(struct scope_delay_rule *rule);
	void (*detach)(struct scope_delay_rule *rule);
} at_entry = { scope_delay_entry_attach, scope_delay_entry_detach },
  at_return = { scope_delay_return_attach, scope_delay_return_detach },
  at_user = { scope_delay_user_attach, scope_delay_user_detach };

static const struct way *way_of(const struct scope_delay_rule *rule)
{
	if (rule->site == SCOPE_DELAY_USER)
		return &at_user;
	if (rule->site == SCOPE_DELAY_SYSCALL && !(rule->flags & SCOPE_DELAY_AFTER))
		return &at_entry;
	return &at_return;
}

/* Rules that are there already stay until their session ends. */
int scope_delay_check_allowed(void)
{
	return READ_ONCE(delays) ? 0 : -ECANCELED;
}

void scope_delay_prepare(struct scope_session *session)
{
	INIT_LIST_HEAD(&session->delays.rules);
	init_waitqueue_head(&session->delays.sleepers);
}

void scope_delay_values_free(struct scope_delay_values *values)
{
	if (!values)
		return;
	kvfree(values->threads);
	kvfree(values->ranges);
	kfree(values);
}

static void rule_free(struct scope_delay_rule *rule)
{
	if (!rule)
		return;
	scope_delay_values_free(rcu_dereference_protected(rule->values, true));
	kvfree(rule->debt);
	kvfree(rule->speedup);
	kfree(rule->name);
	kfree(rule);
}

static struct scope_delay_rule *find(struct scope_session *session, u32 id)
{
	struct scope_delay_rule *rule;

	list_for_each_entry(rule, &session->delays.rules, list)
		if (rule->id == id)
			return rule;
	return NULL;
}

/* Without values yet. */
static struct scope_delay_rule *rule_create(struct scope_session *session, const struct scope_delay_request *request)
{
	struct scope_delay_rule *rule = kzalloc(sizeof(*rule), GFP_KERNEL);

	if (!rule)
		return NULL;
	rule->session = session;
	rule->id = request->id;
	rule->site = request->site;
	rule->nr = request->nr;
	rule->flags = request->flags;
	rule->offset = request->offset;
	rule->name = kstrdup(request->name ? request->name : "", GFP_KERNEL);
	if (rule->name)
		return rule;
	rule_free(rule);
	return NULL;
}

static bool is_same_site(const struct scope_delay_rule *rule, const struct scope_delay_request *request)
{
	return rule->site == request->site && rule->nr == request->nr && rule->flags == request->flags &&
	       rule->offset == request->offset && !strcmp(rule->name, request->name ? request->name : "");
}

static int replace(struct scope_delay_rule *rule, const struct scope_delay_request *request)
{
	struct scope_delay_values *old =
		rcu_dereference_protected(rule->values, lockdep_is_held(&rule->session->dynamic_lock));

	if (!is_same_site(rule, request))
		return -EEXIST;
	rcu_assign_pointer(rule->values, request->values);
	synchronize_rcu();
	scope_delay_values_free(old);
	return 0;
}

static int add(struct scope_session *session, const struct scope_delay_request *request)
{
	struct scope_delay_rule *rule;
	int err;

	if (session->delays.count >= SCOPE_DELAY_MAX)
		return -ENOSPC;
	rule = rule_create(session, request);
	if (!rule)
		return -ENOMEM;
	RCU_INIT_POINTER(rule->values, request->values);
	if (!ever_used)
		scope_compat_expect_rcu_tasks();
	ever_used = true;
	scope_trap_measure();
	err = way_of(rule)->attach(rule);
	if (err) {
		/* A thread that is at the site may already have found the rule. */
		WRITE_ONCE(rule->gone, true);
		while (atomic_read(&rule->users))
			msleep(1);
		RCU_INIT_POINTER(rule->values, NULL);
		rule_free(rule);
		return err;
	}
	rule->attached = true;
	list_add_tail(&rule->list, &session->delays.rules);
	session->delays.count++;
	return 0;
}

/*
 * Returns 0 when the rule has taken over the values; on failure they stay the caller's. -ENODATA: not configured yet.
 * -EPROTO: of protocol 1. -ESHUTDOWN: stopped. -EEXIST: the number is that of a rule of another site. -ENOSPC: too
 * many. -EOPNOTSUPP: not on this kernel. Otherwise the kernel's error for that place.
 */
int scope_delay_set(struct scope_session *session, const struct scope_delay_request *request)
{
	struct scope_delay_rule *rule;
	u64 before_ns;
	int err;

	mutex_lock(&session->dynamic_lock);
	err = scope_dynamic_check(session);
	if (err)
		goto out;
	rule = find(session, request->id);
	before_ns = session->delays.second_max_ns;
	WRITE_ONCE(session->delays.second_max_ns, request->second_max_ns);
	err = rule ? replace(rule, request) : add(session, request);
	if (err)
		WRITE_ONCE(session->delays.second_max_ns, before_ns);
out:
	mutex_unlock(&session->dynamic_lock);
	return err;
}

/* When it returns the rule holds up no thread. */
static void detach(struct scope_delay_rule *rule)
{
	if (!rule->attached)
		return;
	WRITE_ONCE(rule->gone, true);
	wake_up_all(&rule->session->delays.sleepers);
	way_of(rule)->detach(rule);
	/* Some threads had passed the site, and did not sleep yet. */
	while (atomic_read(&rule->users)) {
		wake_up_all(&rule->session->delays.sleepers);
		msleep(1);
	}
	rule->attached = false;
}

/* -ENOENT: no rule has that number. */
int scope_delay_remove(struct scope_session *session, u16 id)
{
	struct scope_delay_rule *rule;

	mutex_lock(&session->dynamic_lock);
	rule = find(session, id);
	if (rule) {
		detach(rule);
		list_del(&rule->list);
		session->delays.count--;
	}
	mutex_unlock(&session->dynamic_lock);
	if (!rule)
		return -ENOENT;
	rule_free(rule);
	return 0;
}

static void fill_info(const struct scope_delay_rule *rule, struct scope_delay_info *info)
{
	const struct scope_delay_values *values =
		rcu_dereference_protected(rule->values, lockdep_is_held(&rule->session->dynamic_lock));

	info->id = rule->id;
	info->site = rule->site;
	info->nr = rule->nr;
	info->flags = rule->flags;
	info->offset = rule->offset;
	info->ns = values->ns;
	info->hit_max_ns = values->hit_max_ns;
	info->seed = values->seed;
	info->probability = values->probability;
	info->second_max_ns = rule->session->delays.second_max_ns;
	info->visits = atomic64_read(&rule->visits);
	info->served = atomic64_read(&rule->served);
	info->asked_ns = atomic64_read(&rule->asked_ns);
	info->served_ns = atomic64_read(&rule->served_ns);
	info->missed = atomic64_read(&rule->missed);
	info->capped = atomic64_read(&rule->capped);
	scope_delay_speedup_totals(rule, &info->required_ns, &info->unsettled_ns);
	snprintf(info->name, sizeof(info->name), "%s", rule->name);
}

/* The rule with the lowest number from id on. -ENOENT: there is none. */
int scope_delay_next(struct scope_session *session, u32 id, struct scope_delay_info *ret_info)
{
	struct scope_delay_rule *rule, *best = NULL;

	mutex_lock(&session->dynamic_lock);
	list_for_each_entry(rule, &session->delays.rules, list)
		if (rule->id >= id && (!best || rule->id < best->id))
			best = rule;
	if (best)
		fill_info(best, ret_info);
	mutex_unlock(&session->dynamic_lock);
	return best ? 0 : -ENOENT;
}

void scope_delay_detach(struct scope_session *session)
{
	struct scope_delay_rule *rule;

	lockdep_assert_held(&session->dynamic_lock);
	list_for_each_entry(rule, &session->delays.rules, list)
		WRITE_ONCE(rule->gone, true);
	list_for_each_entry(rule, &session->delays.rules, list)
		detach(rule);
}

void scope_delay_wake(struct scope_session *session)
{
	wake_up_all(&session->delays.sleepers);
}

void scope_delay_free(struct scope_session *session)
{
	struct scope_delay_rule *rule, *next;

	list_for_each_entry_safe(rule, next, &session->delays.rules, list)
		rule_free(rule);
	INIT_LIST_HEAD(&session->delays.rules);
	kvfree(session->delays.returns);
}

/*
 * A thread that took itself out of `users` has still a few instructions of this module to execute, and may have been
 * preempted there. Wait until every task has blocked or has been in user mode.
 */
void scope_delay_exit(void)
{
	if (!ever_used)
		return;
	scope_compat_synchronize_rcu_tasks();
	synchronize_rcu();
}
