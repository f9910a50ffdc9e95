/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How each event is packed into the ring of the current CPU.
 *
 * Interrupts are off in all functions. Each writes one record, or loses it and counts that.
 */
#ifndef SCOPE_KMOD_RECORD_H
#define SCOPE_KMOD_RECORD_H

#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>
#include "ring.h"

/* Numbers that do not fit into 16 bits (syscall(-1), a number that a debugger has changed). */
static inline u16 scope_record_nr(long nr)
{
	return nr >= 0 && nr < SCOPE_NR_NONE ? nr : SCOPE_NR_NONE;
}

static inline void scope_record_comm(char *to, const struct task_struct *task)
{
	memcpy(to, task->comm, SCOPE_COMM_BYTES);
	to[SCOPE_COMM_BYTES - 1] = 0;
}

/* Which call it is: what SYSCALL, ENTER and EXIT have after their first word, copied as a whole. */
struct scope_call {
	u16 nr;
	u8 abi_args;
	u8 flags;
} __aligned(4);

static inline struct scope_call scope_call_of(u16 nr, u8 abi, u8 args)
{
	return (struct scope_call){ .nr = nr, .abi_args = scope_abi_args(abi, args) };
}

/* The whole of it, if it must be read or written at once. */
static __always_inline u32 scope_call_word(struct scope_call call)
{
	return *(u32 *)&call;
}

static inline u32 scope_call_arg_bytes(struct scope_call call)
{
	return (call.abi_args & 0xf0) >> 1; /* 8 for each */
}

static inline void scope_record_set_call(void *record, struct scope_call call)
{
	BUILD_BUG_ON(offsetof(struct scope_record_syscall, nr) != sizeof(u32));
	BUILD_BUG_ON(offsetof(struct scope_record_enter, nr) != sizeof(u32));
	BUILD_BUG_ON(offsetof(struct scope_record_exit, nr) != sizeof(u32));
	*(struct scope_call *)((u32 *)record + 1) = call;
}

static __always_inline void scope_record_copy_args(u64 *to, const u64 *arg, struct scope_call call)
{
	u32 args = call.abi_args >> 4, i;

	for (i = 0; i < args; i++)
		to[i] = arg[i];
}

/* All but the arguments. */
static __always_inline void scope_record_fill_syscall(struct scope_record_syscall *r, struct scope_call call,
						      u32 duration_ns, long ret)
{
	scope_record_set_call(r, call);
	r->duration_ns = duration_ns;
	r->ret = ret;
	if (unlikely(ret != (s32)ret))
		r->flags = SCOPE_SYSCALL_WIDE;
}

static inline void scope_record_put_syscall(struct scope_ring *ring, u64 now, struct scope_call call, u32 duration_ns,
					    long ret, const u64 *arg)
{
	struct scope_record_syscall *r;
	u32 bytes = sizeof(*r) + scope_call_arg_bytes(call);

	r = scope_ring_reserve(ring, SCOPE_RECORD_SYSCALL, bytes, now);
	if (!r)
		return;
	scope_record_fill_syscall(r, call, duration_ns, ret);
	scope_record_copy_args((u64 *)(r + 1), arg, call);
	scope_ring_commit(ring, bytes);
}

static inline void scope_record_put_enter(struct scope_ring *ring, u64 now, struct scope_call call, u64 enter_ns,
					  const u64 *arg)
{
	struct scope_record_enter *r;
	u32 bytes = sizeof(*r) + scope_call_arg_bytes(call);

	r = scope_ring_reserve(ring, SCOPE_RECORD_ENTER, bytes, now);
	if (!r)
		return;
	scope_record_set_call(r, call);
	r->enter_ns = enter_ns;
	scope_record_copy_args((u64 *)(r + 1), arg, call);
	scope_ring_commit(ring, bytes);
}

/* Arguments are in ENTER, not here. */
static __always_inline void scope_record_fill_exit(struct scope_record_exit *r, struct scope_call call, long ret)
{
	call.abi_args &= 0xf;
	scope_record_set_call(r, call);
	r->ret = ret;
}

static inline void scope_record_put_exit(struct scope_ring *ring, u64 now, struct scope_call call, long ret)
{
	struct scope_record_exit *r;

	r = scope_ring_reserve(ring, SCOPE_RECORD_EXIT, sizeof(*r), now);
	if (!r)
		return;
	scope_record_fill_exit(r, call, ret);
	scope_ring_commit(ring, sizeof(*r));
}

static __always_inline void scope_record_end_switch(struct scope_ring *ring, struct scope_record_switch *r, u32 bits,
						    u32 tid)
{
	r->bits = bits;
	scope_ring_set_thread(ring, tid);
	scope_ring_commit(ring, sizeof(*r));
}

/* From here on the thread on this CPU is tid (0: not traced), even if the record is lost. */
static __always_inline void scope_record_put_switch(struct scope_ring *ring, u64 now, u32 bits, u32 tid)
{
	struct scope_record_switch *r;

	r = scope_ring_reserve(ring, SCOPE_RECORD_SWITCH, sizeof(*r), now);
	if (unlikely(!r)) {
		scope_ring_force_thread(ring, tid);
		return;
	}
	scope_record_end_switch(ring, r, bits, tid);
}

static inline void scope_record_put_waking(struct scope_ring *ring, u64 now, u32 bits)
{
	struct scope_record_waking *r;

	r = scope_ring_reserve(ring, SCOPE_RECORD_WAKING, sizeof(*r), now);
	if (!r)
		return;
	r->bits = bits;
	scope_ring_commit(ring, sizeof(*r));
}

/* memory: SCOPE_FUTEX_BYTES, of which the first ones were read. */
static inline void scope_record_put_futex(struct scope_ring *ring, u64 now, const u32 *memory, u32 bytes)
{
	struct scope_record_futex *r;

	r = scope_ring_reserve(ring, SCOPE_RECORD_FUTEX, sizeof(*r), now);
	if (!r)
		return;
	r->bytes = bytes;
	memcpy(r->memory, memory, sizeof(r->memory));
	scope_ring_commit(ring, sizeof(*r));
}

static inline void scope_record_put_peer(struct scope_ring *ring, u64 now, const struct scope_record_peer *peer)
{
	struct scope_record_peer *r;

	r = scope_ring_reserve(ring, SCOPE_RECORD_PEER, sizeof(*r), now);
	if (!r)
		return;
	r->fd = peer->fd;
	r->own_port = peer->own_port;
	r->peer_port = peer->peer_port;
	memcpy(r->own, peer->own, sizeof(r->own));
	memcpy(r->peer, peer->peer, sizeof(r->peer));
	scope_ring_commit(ring, sizeof(*r));
}

static inline void scope_record_put_waking_from(struct scope_ring *ring, u64 now, u32 bits,
						const struct task_struct *waker)
{
	struct scope_record_waking_from *r;

	r = scope_ring_reserve(ring, SCOPE_RECORD_WAKING_FROM, sizeof(*r), now);
	if (!r)
		return;
	r->bits = bits;
	r->waker_tid = waker->pid;
	r->waker_tgid = waker->tgid;
	scope_ring_commit(ring, sizeof(*r));
}

static inline void scope_record_put_fork(struct scope_ring *ring, u64 now, const struct task_struct *parent,
					 const struct task_struct *child)
{
	struct scope_record_fork *r;

	r = scope_ring_reserve(ring, SCOPE_RECORD_FORK, sizeof(*r), now);
	if (!r)
		return;
	r->parent_tid = parent->pid;
	r->child_tid = child->pid;
	r->child_tgid = child->tgid;
	scope_record_comm(r->comm, child);
	scope_ring_commit(ring, sizeof(*r));
}

/* From here on the thread has the number of its process, even if the record is lost. */
static inline void scope_record_put_exec(struct scope_ring *ring, u64 now, u32 old_tid, const struct task_struct *task)
{
	struct scope_record_exec *r;

	r = scope_ring_reserve(ring, SCOPE_RECORD_EXEC, sizeof(*r), now);
	if (!r) {
		scope_ring_force_thread(ring, task->pid);
		return;
	}
	r->tid = task->pid;
	r->old_tid = old_tid;
	r->tgid = task->tgid;
	scope_record_comm(r->comm, task);
	scope_ring_set_thread(ring, task->pid);
	scope_ring_commit(ring, sizeof(*r));
}

static inline void scope_record_put_comm(struct scope_ring *ring, u64 now, const struct task_struct *task,
					 const char *comm)
{
	struct scope_record_comm *r;

	r = scope_ring_reserve(ring, SCOPE_RECORD_COMM, sizeof(*r), now);
	if (!r)
		return;
	r->tid = task->pid;
	r->tgid = task->tgid;
	r->zero = 0;
	memset(r->comm, 0, sizeof(r->comm));
	memcpy(r->comm, comm, strnlen(comm, sizeof(r->comm) - 1));
	scope_ring_commit(ring, sizeof(*r));
}

static inline void scope_record_put_thread_exit(struct scope_ring *ring, u64 now, const struct task_struct *task,
						u32 flags)
{
	struct scope_record_thread_exit *r;

	r = scope_ring_reserve(ring, SCOPE_RECORD_THREAD_EXIT, sizeof(*r), now);
	if (!r)
		return;
	r->tid = task->pid;
	r->tgid = task->tgid;
	r->flags = flags;
	scope_ring_commit(ring, sizeof(*r));
}

static inline void scope_record_put_delay(struct scope_ring *ring, u64 now, u16 id, u8 flags, u32 asked_ns,
					  u32 served_ns)
{
	struct scope_record_delay *r;

	r = scope_ring_reserve(ring, SCOPE_RECORD_DELAY, sizeof(*r), now);
	if (!r)
		return;
	r->id = id;
	r->flags = flags;
	r->zero = 0;
	r->asked_ns = asked_ns;
	r->served_ns = served_ns;
	scope_ring_commit(ring, sizeof(*r));
}

static inline void scope_record_put_stall(struct scope_ring *ring, u64 now, enum scope_stall_kind kind, u8 flags)
{
	struct scope_record_stall *r;

	r = scope_ring_reserve(ring, SCOPE_RECORD_STALL, sizeof(*r), now);
	if (!r)
		return;
	r->kind = kind;
	r->flags = flags;
	r->zero = 0;
	scope_ring_commit(ring, sizeof(*r));
}

/* data: bytes of them, 1 to SCOPE_RECEIVED_BYTES. */
static inline void scope_record_put_received(struct scope_ring *ring, u64 now, const u8 *data, u32 bytes)
{
	const u32 padded = (bytes + 7) & ~7u;
	struct scope_record_received *r;

	r = scope_ring_reserve(ring, SCOPE_RECORD_RECEIVED, sizeof(*r) + padded, now);
	if (!r)
		return;
	r->bytes = bytes;
	r->zero = 0;
	memcpy(r + 1, data, bytes);
	memset((u8 *)(r + 1) + bytes, 0, padded - bytes);
	scope_ring_commit(ring, sizeof(*r) + padded);
}

/* type: HARDIRQ or SOFTIRQ, whose records are alike. */
static inline void scope_record_put_interrupt(struct scope_ring *ring, u64 now, u32 type, u64 took_ns)
{
	struct scope_record_hardirq *r;

	r = scope_ring_reserve(ring, type, sizeof(*r), now);
	if (!r)
		return;
	r->ns = min_t(u64, took_ns, U32_MAX);
	scope_ring_commit(ring, sizeof(*r));
}

#endif
