// SPDX-License-Identifier: GPL-2.0-only
/* Makes sessions, finds them by their numbers, closes and frees them. */
#include <linux/errno.h>
#include <linux/idr.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include "delay.h"
#include "dynamic.h"
#include "lifetime.h"
#include "monitor.h"
#include "probe_sample.h"
#include "reader.h"
#include "region.h"
#include "select.h"
#include "table.h"
#include "tracing.h"

static DEFINE_MUTEX(sessions_lock); /* sessions */
static DEFINE_IDR(sessions);

int scope_session_create(struct scope_session **ret_session)
{
	struct scope_session *session = kvzalloc(sizeof(*session), GFP_KERNEL);
	int id;

	if (!session)
		return -ENOMEM;
	session->cpu = alloc_percpu(struct scope_cpu);
	if (!session->cpu)
		goto free_session;
	for_each_possible_cpu(id) {
		struct scope_cpu *cpu = per_cpu_ptr(session->cpu, id);

		cpu->session = session;
		cpu->pending = SCOPE_CALL_UNTIMED;
	}
	scope_reader_prepare(session);
	scope_sample_prepare(session);
	scope_select_prepare(session);
	scope_monitor_prepare(session);
	session->owner = get_pid(task_tgid(current));
	kref_init(&session->ref);
	mutex_init(&session->dynamic_lock);
	INIT_LIST_HEAD(&session->dynamic);
	scope_delay_prepare(session);
	mutex_init(&session->lock);
	mutex_init(&session->consume_lock);

	mutex_lock(&sessions_lock);
	id = idr_alloc_cyclic(&sessions, session, 1, 0, GFP_KERNEL);
	session->id = id;
	mutex_unlock(&sessions_lock);
	if (id < 0)
		goto free_cpu;
	*ret_session = session;
	return 0;

free_cpu:
	put_pid(session->owner);
	free_percpu(session->cpu);
free_session:
	kvfree(session);
	return -ENOMEM;
}

/* NULL: no such session. Give it back with scope_session_put(). */
struct scope_session *scope_session_get(u32 id)
{
	struct scope_session *session;

	mutex_lock(&sessions_lock);
	session = idr_find(&sessions, id);
	if (session)
		kref_get(&session->ref);
	mutex_unlock(&sessions_lock);
	return session;
}

/* Fills in the numbers of the first sessions. Returns how many it filled in. */
u32 scope_session_list(u32 *ids, u32 most)
{
	struct scope_session *session;
	u32 count = 0;
	int id;

	mutex_lock(&sessions_lock);
	idr_for_each_entry(&sessions, session, id)
		if (count < most)
			ids[count++] = id;
	mutex_unlock(&sessions_lock);
	return count;
}

static void session_free(struct kref *ref)
{
	struct scope_session *session = container_of(ref, struct scope_session, ref);

	scope_select_cancel(session);
	scope_reader_cancel(session);
	scope_region_free(session);
	scope_delay_free(session);
	scope_dynamic_free(session);
	scope_table_free(session);
	kvfree(session->stack_threads);
	kvfree(session->block);
	kvfree(session->bios);
	free_percpu(session->cpu);
	put_pid(session->owner);
	kvfree(session);
}

void scope_session_put(struct scope_session *session)
{
	kref_put(&session->ref, session_free);
}

/* The file is closed: the session can no longer be found, and tracing ends. */
void scope_session_close(struct scope_session *session)
{
	mutex_lock(&sessions_lock);
	idr_remove(&sessions, session->id);
	mutex_unlock(&sessions_lock);

	mutex_lock(&session->dynamic_lock);
	scope_delay_detach(session);
	mutex_lock(&session->lock);
	/* A request that found the session just before must not start it again. */
	session->closed = true;
	scope_tracing_stop(session, SCOPE_STOP_ASKED);
	mutex_unlock(&session->lock);
	scope_dynamic_detach(session);
	mutex_unlock(&session->dynamic_lock);
	scope_monitor_end(session);
	scope_session_put(session);
}

/* All files are closed: otherwise the module could not be unloaded. */
void scope_session_exit(void)
{
	scope_delay_exit();
	idr_destroy(&sessions);
}
