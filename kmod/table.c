// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keeps unwind tables, shared by all sessions, and the mappings of each session's processes.
 *
 *   session ──► scope_tables ──► process (by its struct pid) ──► mappings ──┐
 *                    │                                                      ▼
 *                    └──► numbers ─────────────────────────────────────► scope_table ◄── those of all sessions
 *
 * A table never changes once it was checked. A session has a reference to each table that it numbered, until the
 * session is freed. The mappings of a process are one object. It never changes either, except for the steps that walks
 * keep there. A new object replaces it, and the old one is freed when no probe can be reading it. Memory comes from
 * kvzalloc(), which probes may touch (compat/vmalloc.h). Locks: session->lock > tables_lock.
 */
#include <linux/errno.h>
#include <linux/jhash.h>
#include <linux/hash.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "table.h"
#include "thread.h"

#define TABLE_SLOTS 256u
#define PROCESS_BITS 10

struct scope_table {
	struct hlist_node node;
	u32 users, hash, bytes;
	struct scope_unwind_table view; /* of data */
	void *data;
};

struct scope_table_process {
	struct hlist_node node;
	struct rcu_head rcu;
	struct pid *pid; /* holds a reference, so that the number cannot be another process's */
	u64 execs;	 /* scope_compat_self_exec_id() of its tasks as long as it executes the same program */
	u32 bytes;
	struct scope_unwind_maps maps; /* last */
};

struct scope_tables {
	struct hlist_head process[1 << PROCESS_BITS];
	u32 processes, count;
	struct scope_table *table[SCOPE_TABLES_MAX];
};

static DEFINE_MUTEX(tables_lock); /* all below */
static struct hlist_head tables[TABLE_SLOTS];
static u64 taken_bytes; /* of tables and mappings, of all sessions */

/* All sessions are gone; what they freed may still wait for its readers. */
void scope_table_exit(void)
{
	rcu_barrier();
}

/* As much as sessions may have, but at most an eighth of what is available. */
static int take_bytes(u64 bytes)
{
	int err = -ENOSPC;

	mutex_lock(&tables_lock);
	if (taken_bytes + bytes <= SCOPE_TABLES_BYTES_MAX && bytes <= ((u64)si_mem_available() << PAGE_SHIFT) / 8) {
		taken_bytes += bytes;
		err = 0;
	}
	mutex_unlock(&tables_lock);
	return err;
}

static void give_bytes(u64 bytes)
{
	mutex_lock(&tables_lock);
	taken_bytes -= bytes;
	mutex_unlock(&tables_lock);
}

/* ---- tables ---- */

static void table_destroy(struct scope_table *table)
{
	kvfree(table->data);
	kfree(table);
}

static void table_put(struct scope_table *table)
{
	bool last;

	mutex_lock(&tables_lock);
	last = !--table->users;
	if (last) {
		hlist_del_init(&table->node);
		taken_bytes -= table->bytes;
	}
	mutex_unlock(&tables_lock);
	if (last)
		table_destroy(table);
}

static void pause(void)
{
	cond_resched();
}

/* Copies and checks it. The caller has counted its bytes. */
static int table_create(const struct scope_ioc_table *request, struct scope_table **ret_table)
{
	struct scope_table *table = kzalloc(sizeof(*table), GFP_KERNEL);
	int err = -ENOMEM;

	if (!table)
		return err;
	table->bytes = request->bytes;
	table->data = kvzalloc(request->bytes, SCOPE_GFP_MAPPED | __GFP_NOWARN);
	if (!table->data)
		goto destroy;
	err = -EFAULT;
	if (copy_from_user(table->data, (const void __user *)(unsigned long)request->address, request->bytes))
		goto destroy;
	err = scope_unwind_table_open(table->data, request->bytes, pause, &table->view);
	if (err)
		goto destroy;
	table->users = 1;
	table->hash = jhash(table->data, request->bytes, 0);
	*ret_table = table;
	return 0;
destroy:
	table_destroy(table);
	return err;
}

/* Takes over the table. Returns it, or an equal one that existed before. */
static struct scope_table *table_share(struct scope_table *table)
{
	struct hlist_head *slot = &tables[table->hash % TABLE_SLOTS];
	struct scope_table *other;

	mutex_lock(&tables_lock);
	hlist_for_each_entry(other, slot, node)
	{
		if (other->hash != table->hash || other->bytes != table->bytes ||
		    memcmp(other->data, table->data, table->bytes))
			continue;
		other->users++;
		taken_bytes -= table->bytes;
		mutex_unlock(&tables_lock);
		table_destroy(table);
		return other;
	}
	hlist_add_head(&table->node, slot);
	mutex_unlock(&tables_lock);
	return table;
}

/* The tables of the session, which the first call allocates. NULL: no memory. */
static struct scope_tables *tables_of(struct scope_session *session)
{
	struct scope_tables *own = session->tables;

	lockdep_assert_held(&session->lock);
	if (own)
		return own;
	own = kvzalloc(sizeof(*own), SCOPE_GFP_MAPPED);
	/* Pairs with READ_ONCE() in scope_table_maps(), which reads the rest through the pointer. */
	smp_store_release(&session->tables, own);
	return own;
}

static int check_state(const struct scope_session *session)
{
	lockdep_assert_held(&session->lock);
	if (session->run_state == SCOPE_RUN_NEW)
		return -EINVAL;
	return session->run_state == SCOPE_RUN_STOPPED || session->closed ? -ESHUTDOWN : 0;
}

static int number_table(struct scope_session *session, struct scope_table *table)
{
	struct scope_tables *own;
	int err = check_state(session);
	u32 i;

	if (err)
		return err;
	own = tables_of(session);
	if (!own)
		return -ENOMEM;
	for (i = 0; i < own->count; i++)
		if (own->table[i] == table)
			return -EEXIST;
	if (own->count == SCOPE_TABLES_MAX)
		return -ENOSPC;
	own->table[own->count++] = table;
	atomic64_add(table->bytes, &session->table_bytes);
	return own->count;
}

static int number_of(struct scope_session *session, const struct scope_table *table)
{
	u32 i;

	for (i = 0; session->tables->table[i] != table;)
		i++;
	return i + 1;
}

int scope_table_add(struct scope_session *session, const struct scope_ioc_table *request)
{
	struct scope_table *table;
	int err, number;

	if (request->zero)
		return -EINVAL;
	if (request->bytes > SCOPE_TABLE_BYTES_MAX)
		return -E2BIG;
	/* This is checked before memory is allocated, so a session that cannot have the table costs nothing. */
	mutex_lock(&session->lock);
	err = check_state(session);
	mutex_unlock(&session->lock);
	if (!err)
		err = take_bytes(request->bytes);
	if (err)
		return err;
	err = table_create(request, &table);
	if (err) {
		give_bytes(request->bytes);
		return err;
	}
	table = table_share(table);
	mutex_lock(&session->lock);
	number = number_table(session, table);
	if (number == -EEXIST) {
		/* The session's reference keeps it. */
		table_put(table);
		number = number_of(session, table);
		table = NULL;
	}
	mutex_unlock(&session->lock);
	if (number < 0)
		table_put(table);
	return number;
}

/* ---- mappings ---- */

static void process_free(struct scope_table_process *process)
{
	give_bytes(process->bytes);
	put_pid(process->pid);
	kvfree(process);
}

/* No probe can be reading it any more. It runs in a context that may not sleep. */
static void process_free_rcu(struct rcu_head *rcu)
{
	struct scope_table_process *process = container_of(rcu, struct scope_table_process, rcu);

	put_pid(process->pid);
	kvfree(process);
}

static void process_retire(struct scope_session *session, struct scope_table_process *process)
{
	hlist_del_rcu(&process->node);
	session->tables->processes--;
	atomic64_sub(process->bytes, &session->table_bytes);
	give_bytes(process->bytes);
	call_rcu(&process->rcu, process_free_rcu);
}

/* Finds the process, by any of its threads. */
static int process_identify(struct scope_table_process *process, u32 tgid)
{
	struct task_struct *task;

	rcu_read_lock();
	task = pid_task(find_vpid(tgid), PIDTYPE_PID);
	if (task) {
		process->pid = get_pid(task_tgid(task));
		process->execs = scope_compat_self_exec_id(task);
	}
	rcu_read_unlock();
	return process->pid ? 0 : -ESRCH;
}

/* Checks the rows and puts them into the process's mappings, with pointers in place of the numbers of tables. */
static int maps_check(const struct scope_table_map *row, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++)
		if (row[i].zero || row[i].start >= row[i].end || (i && row[i].start < row[i - 1].end))
			return -EINVAL;
	return 0;
}

static int maps_fill(const struct scope_tables *own, const struct scope_table_map *row, u32 count,
		     struct scope_unwind_maps *maps)
{
	struct scope_unwind_map *map;
	u32 i;

	for (i = 0; i < count; i++) {
		map = &maps->map[i];
		map->start = row[i].start;
		map->end = row[i].end;
		map->link = row[i].link;
		map->frame_pointers = row[i].table == SCOPE_MAP_FRAME_POINTERS;
		if (map->frame_pointers || row[i].table == SCOPE_MAP_NO_TABLE)
			continue;
		if (row[i].table > own->count)
			return -EINVAL;
		map->table = &own->table[row[i].table - 1]->view;
	}
	maps->count = count;
	return 0;
}

static int copy_rows(const struct scope_ioc_maps *request, struct scope_table_map **ret_row)
{
	const size_t bytes = request->count * sizeof(**ret_row);
	struct scope_table_map *row = kvzalloc(bytes, SCOPE_GFP_MAPPED | __GFP_NOWARN);
	int err = 0;

	if (!row)
		return -ENOMEM;
	if (copy_from_user(row, (const void __user *)(unsigned long)request->address, bytes))
		err = -EFAULT;
	if (!err)
		err = maps_check(row, request->count);
	if (err)
		kvfree(row);
	else
		*ret_row = row;
	return err;
}

static struct scope_table_process *process_find(const struct scope_tables *own, const struct pid *pid)
{
	const struct hlist_head *slot = &own->process[hash_ptr((void *)pid, PROCESS_BITS)];
	struct scope_table_process *process;

	/* A writer has session->lock; a reader is in rcu_read_lock(). */
	for (process = hlist_entry_safe(rcu_dereference_raw(hlist_first_rcu((struct hlist_head *)slot)),
					struct scope_table_process, node);
	     process; process = hlist_entry_safe(rcu_dereference_raw(hlist_next_rcu(&process->node)),
						 struct scope_table_process, node))
		if (process->pid == pid)
			return process;
	return NULL;
}

/* Replaces the mappings that the process had. count 0: only removes those. */
static int process_replace(struct scope_session *session, struct scope_table_process *process,
			   const struct scope_table_map *row, u32 count)
{
	struct scope_table_process *old;
	struct scope_tables *own;
	int err = check_state(session);

	if (err)
		return err;
	own = tables_of(session);
	if (!own)
		return -ENOMEM;
	err = maps_fill(own, row, count, &process->maps);
	if (err)
		return err;
	old = process_find(own, process->pid);
	if (!old && own->processes == SCOPE_TABLE_PROCESSES_MAX)
		return -ENOSPC;
	/* A reader between these two steps finds the new one first. */
	if (count) {
		hlist_add_head_rcu(&process->node, &own->process[hash_ptr(process->pid, PROCESS_BITS)]);
		own->processes++;
		atomic64_add(process->bytes, &session->table_bytes);
	}
	if (old)
		process_retire(session, old);
	return 0;
}

int scope_table_set_maps(struct scope_session *session, const struct scope_ioc_maps *request)
{
	struct scope_table_process *process;
	struct scope_table_map *row = NULL;
	u32 bytes;
	int err;

	if (request->count > SCOPE_TABLE_MAPS_MAX)
		return -E2BIG;
	bytes = sizeof(*process) + request->count * sizeof(struct scope_unwind_map);
	err = take_bytes(bytes);
	if (err)
		return err;
	process = kvzalloc(bytes, SCOPE_GFP_MAPPED | __GFP_NOWARN);
	if (!process) {
		give_bytes(bytes);
		return -ENOMEM;
	}
	process->bytes = bytes;
	err = process_identify(process, request->tgid);
	if (!err && request->count)
		err = copy_rows(request, &row);
	if (!err) {
		mutex_lock(&session->lock);
		err = process_replace(session, process, row, request->count);
		mutex_unlock(&session->lock);
	}
	if (err || !request->count)
		process_free(process);
	kvfree(row);
	return err;
}

void scope_table_free(struct scope_session *session)
{
	struct scope_tables *own = session->tables;
	struct scope_table_process *process;
	struct hlist_node *next;
	u32 i;

	if (!own)
		return;
	for (i = 0; i < 1 << PROCESS_BITS; i++)
		hlist_for_each_entry_safe(process, next, &own->process[i], node) process_free(process);
	for (i = 0; i < own->count; i++)
		table_put(own->table[i]);
	kvfree(own);
	session->tables = NULL;
}

/* ---- walks ---- */

/*
 * A process that was forked and has executed nothing since has the mappings of its parent. If the parent has ended,
 * real_parent is an ancestor. An ancestor with the same number of execs runs the same program: each exec between them
 * would have counted.
 */
struct scope_unwind_maps *scope_table_maps(const struct scope_session *session)
{
	const struct scope_tables *own = READ_ONCE(session->tables);
	struct scope_table_process *process;

	if (!own || !SCOPE_COMPAT_EXEC_ID)
		return NULL;
	process = process_find(own, task_tgid(current));
	if (process)
		return process->execs == scope_compat_self_exec_id(current) ? &process->maps : NULL;
	if (scope_compat_self_exec_id(current) != scope_compat_parent_exec_id(current))
		return NULL;
	process = process_find(own, task_tgid(rcu_dereference(current->real_parent)));
	return process && process->execs == scope_compat_parent_exec_id(current) ? &process->maps : NULL;
}
