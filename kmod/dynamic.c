// SPDX-License-Identifier: GPL-2.0-only
/*
 * The list of probes that a session has set at run time: add, remove, report, detach all.
 *
 * Setting a probe may sleep. For a program it takes the mmap_lock of every process that maps the file. /dev/scope is
 * mapped under that lock, and then takes session->lock. So the list has a lock of its own, which is taken before both.
 */
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/slab.h>
#include "dynamic.h"
#include "probe_dynamic.h"

static struct scope_dynamic *find(struct scope_session *session, u32 id)
{
	struct scope_dynamic *probe;

	list_for_each_entry(probe, &session->dynamic, list)
		if (probe->id == id)
			return probe;
	return NULL;
}

static void dynamic_free(struct scope_dynamic *probe)
{
	if (!probe)
		return;
	free_percpu(probe->hits);
	kfree(probe->name);
	kfree(probe);
}

static struct scope_dynamic *dynamic_create(struct scope_session *session, const struct scope_dynamic_request *request)
{
	struct scope_dynamic *probe = kzalloc(sizeof(*probe), GFP_KERNEL);

	if (!probe)
		return NULL;
	probe->session = session;
	probe->id = request->id;
	probe->kind = request->kind;
	probe->args = request->args;
	probe->flags = request->flags;
	probe->offset = request->offset;
	probe->name = kstrdup(request->name, GFP_KERNEL);
	probe->hits = alloc_percpu(u64);
	if (probe->name && probe->hits)
		return probe;
	dynamic_free(probe);
	return NULL;
}

int scope_dynamic_check(struct scope_session *session)
{
	lockdep_assert_held(&session->dynamic_lock);
	/* Close and stop hold dynamic_lock while they change these. */
	if (session->closed)
		return -ENOENT;
	if (!scope_session_configured(session))
		return -ENODATA;
	/* The reader of such a session knows neither PROBE nor DELAY records. */
	if (session->config.protocol < 2)
		return -EPROTO;
	return READ_ONCE(session->run_state) == SCOPE_RUN_STOPPED ? -ESHUTDOWN : 0;
}

static int check(struct scope_session *session, const struct scope_dynamic_request *request)
{
	int err = scope_dynamic_check(session);

	if (err)
		return err;
	if (find(session, request->id))
		return -EEXIST;
	return session->dynamics >= SCOPE_PROBE_MAX ? -ENOSPC : 0;
}

/*
 * -ENODATA: not configured yet. -EPROTO: of protocol 1. -ESHUTDOWN: stopped. -EEXIST: the number is taken. -ENOSPC:
 * too many. Otherwise the kernel's error for that place.
 */
int scope_dynamic_add(struct scope_session *session, const struct scope_dynamic_request *request)
{
	struct scope_dynamic *probe = NULL;
	int err;

	mutex_lock(&session->dynamic_lock);
	err = check(session, request);
	if (err)
		goto out;
	probe = dynamic_create(session, request);
	err = probe ? scope_probe_dynamic_attach(probe) : -ENOMEM;
	if (err)
		goto out;
	list_add_tail(&probe->list, &session->dynamic);
	session->dynamics++;
	probe = NULL;
out:
	mutex_unlock(&session->dynamic_lock);
	dynamic_free(probe);
	return err;
}

/* -ENOENT: no probe has that number. When it returns the probe fires no more. */
int scope_dynamic_remove(struct scope_session *session, u16 id)
{
	struct scope_dynamic *probe;

	mutex_lock(&session->dynamic_lock);
	probe = find(session, id);
	if (probe) {
		scope_probe_dynamic_detach(&probe, 1);
		list_del(&probe->list);
		session->dynamics--;
	}
	mutex_unlock(&session->dynamic_lock);
	if (!probe)
		return -ENOENT;
	dynamic_free(probe);
	return 0;
}

/* The probe with the lowest number from id on. -ENOENT: there is none. */
int scope_dynamic_next(struct scope_session *session, u32 id, struct scope_dynamic_info *ret_info)
{
	struct scope_dynamic *probe, *best = NULL;
	int cpu;

	mutex_lock(&session->dynamic_lock);
	list_for_each_entry(probe, &session->dynamic, list)
		if (probe->id >= id && (!best || probe->id < best->id))
			best = probe;
	if (best) {
		ret_info->id = best->id;
		ret_info->kind = best->kind;
		ret_info->args = best->args;
		ret_info->flags = best->flags;
		ret_info->offset = best->offset;
		ret_info->missed = scope_probe_dynamic_missed(best);
		ret_info->hits = 0;
		for_each_possible_cpu(cpu)
			ret_info->hits += READ_ONCE(*per_cpu_ptr(best->hits, cpu));
		snprintf(ret_info->name, sizeof(ret_info->name), "%s", best->name);
	}
	mutex_unlock(&session->dynamic_lock);
	return best ? 0 : -ENOENT;
}

#define BATCH 32u /* removed together, because each batch has to wait until every CPU has passed */

void scope_dynamic_detach(struct scope_session *session)
{
	struct scope_dynamic *batch[BATCH], *probe;
	u32 count = 0;

	lockdep_assert_held(&session->dynamic_lock);
	list_for_each_entry(probe, &session->dynamic, list) {
		batch[count++] = probe;
		if (count < BATCH)
			continue;
		scope_probe_dynamic_detach(batch, count);
		count = 0;
	}
	scope_probe_dynamic_detach(batch, count);
}

void scope_dynamic_free(struct scope_session *session)
{
	struct scope_dynamic *probe, *next;

	list_for_each_entry_safe(probe, next, &session->dynamic, list)
		dynamic_free(probe);
	INIT_LIST_HEAD(&session->dynamic);
}
