// SPDX-License-Identifier: GPL-2.0-only
/*
 * User stacks of the current task: walked by unwind tables, as a chain of return addresses, or a copy for unwinding
 * later.
 *
 * Chains and copies are written directly into the ring: the largest size is reserved, and the unused part is given
 * back. User memory is read without faulting pages in.
 */
#include <linux/mm_types.h>
#include <asm/irq_regs.h>
#include "arch.h"
#include "measure.h"
#include "stack.h"
#include "table.h"

bool scope_arch_copy_returns_copied __read_mostly;

#define HOLE_PAGES 4 /* without memory, skipped in one piece */
#define WINDOW_NS 1000000000ull
#define OPEN_NS_SHIFT 10 /* a tid, and a time in us that repeats after 50 days, in one word */
#define OPEN_NS_BITS (64 - SCOPE_TID_BITS)

/*
 * When a call that blocked was entered. At its return this decides whether it took long enough for a stack. One word
 * per slot, so that readers on other CPUs see the pair whole; the scheduler orders the store before a load by the
 * same thread elsewhere. A collision forgets a call.
 */
void scope_stack_note_enter(struct scope_session *session, u32 tid, u64 enter_ns)
{
	u64 word = (u64)tid << OPEN_NS_BITS | (enter_ns >> OPEN_NS_SHIFT & (BIT_ULL(OPEN_NS_BITS) - 1));

	WRITE_ONCE(session->open_call[tid & (SCOPE_OPEN_CALLS - 1)], word);
}

/* U64_MAX if it is not known: the call began before tracing did, so it counts as long. */
u64 scope_stack_blocked_ns(struct scope_session *session, u32 tid, u64 now)
{
	u64 word = READ_ONCE(session->open_call[tid & (SCOPE_OPEN_CALLS - 1)]);

	if (word >> OPEN_NS_BITS != tid)
		return U64_MAX;
	return (((now >> OPEN_NS_SHIFT) - word) & (BIT_ULL(OPEN_NS_BITS) - 1)) << OPEN_NS_SHIFT;
}

/* The reader subtracts this time from the thread's, because otherwise each sampled request would look slow. */
static u32 cost_since(struct scope_cpu *cpu, u64 now)
{
	u64 end = scope_clock_ns(&cpu->clock);

	/* The clock of the counter may have stepped back a little. */
	return end > now ? min_t(u64, end - now, U32_MAX) : 0;
}

static void put_chain(struct scope_session *session, struct scope_cpu *cpu, struct pt_regs *regs, u64 now, u8 reason,
		      u8 flags)
{
	u32 word = scope_arch_word_bytes(regs), count = 1;
	u32 most = SCOPE_STACK_DEPTH_MAX - !!(flags & SCOPE_STACK_KERNEL_IP);
	u64 fp = scope_arch_frame(regs), low = user_stack_pointer(regs);
	struct scope_record_chain *r;
	u64 frame[2], *ip;

	r = scope_ring_reserve(&cpu->ring, SCOPE_RECORD_CHAIN, sizeof(*r) + SCOPE_STACK_DEPTH_MAX * 8 + 8, now);
	if (!r)
		return;
	ip = (u64 *)(r + 1);
	ip[0] = instruction_pointer(regs);
	while (fp >= low && !(fp & (word - 1))) {
		if (count == most) {
			flags |= SCOPE_STACK_CUT;
			break;
		}
		if (scope_arch_copy_user(frame, fp, 2 * word) < 2 * word) {
			flags |= SCOPE_STACK_FAULT;
			break;
		}
		if (word == 4) {
			frame[1] = frame[0] >> 32;
			frame[0] &= U32_MAX;
		}
		if (!frame[1])
			break;
		ip[count++] = scope_arch_return_address(frame[1]);
		/* Callers are at higher addresses, so this loop ends. */
		low = fp + 2 * word;
		fp = frame[0];
	}
	if (flags & SCOPE_STACK_KERNEL_IP)
		ip[count++] = cpu->kernel_ip;
	r->reason = reason;
	r->flags = flags;
	r->count = count;
	/* Readers of protocol 1 do not know it. */
	if (session->config.protocol > 1) {
		r->flags |= SCOPE_STACK_COST;
		ip[count++] = cost_since(cpu, now);
	}
	scope_ring_commit(&cpu->ring, sizeof(*r) + count * 8);
}

/*
 * It copies page by page. So the part that could be read stays, whatever the architecture's copy does at a fault. A
 * page that was never written to has no memory yet: servers with buffers of 16 KiB on their stack leave such holes
 * below their callers' frames. They become zeros. Returns the bytes up to the last one that is in memory. The page of
 * the stack pointer is in use: if it is not in memory nothing more is tried.
 */
static u32 copy_around_holes(u8 *to, u64 from, u32 bytes, u8 *flags)
{
	u32 done, part, got, end = 0, holes = 0;

	for (done = 0; done < bytes && holes <= HOLE_PAGES; done += part) {
		part = min_t(u32, bytes - done, PAGE_SIZE - offset_in_page(from + done));
		got = scope_arch_copy_user(to + done, from + done, part);
		if (got)
			end = done + got;
		holes = got ? 0 : holes + 1;
		if (got == part)
			continue;
		*flags |= SCOPE_STACK_FAULT;
		if (!end)
			break;
		memset(to + done + got, 0, part - got);
	}
	return end;
}

/* The environment follows the stack of the first thread, and then memory ends: do not read beyond it. */
static u32 stack_bytes(u64 sp, u32 most)
{
	u64 top = PAGE_ALIGN(READ_ONCE(current->mm->env_end));

	return sp < top && top - sp < most ? top - sp : most;
}

static void put_copy(struct scope_session *session, struct scope_cpu *cpu, struct pt_regs *regs, u64 now, u8 reason,
		     u8 flags)
{
	u64 sp = user_stack_pointer(regs);
	u32 most = READ_ONCE(session->config.stack_bytes), want = stack_bytes(sp, most), got, padded;
	u32 more = flags & SCOPE_STACK_KERNEL_IP ? 8 : 0;
	struct scope_record_stack *r;
	u8 *slice;

	r = scope_ring_reserve(&cpu->ring, SCOPE_RECORD_STACK, sizeof(*r) + SCOPE_ARCH_REGS * 8 + most + more, now);
	if (!r)
		return;
	scope_arch_regs((u64 *)(r + 1), regs);
	slice = (u8 *)(r + 1) + SCOPE_ARCH_REGS * 8;
	got = copy_around_holes(slice, sp, want, &flags);
	if (got == most)
		flags |= SCOPE_STACK_CUT;
	padded = ALIGN(got, 8);
	memset(slice + got, 0, padded - got);
	r->reason = reason;
	r->flags = flags;
	r->regs = SCOPE_ARCH_REGS;
	r->bytes = more ? padded + more : got;
	if (more)
		*(u64 *)(slice + padded) = cpu->kernel_ip;
	r->cost_ns = cost_since(cpu, now);
	scope_ring_commit(&cpu->ring, sizeof(*r) + SCOPE_ARCH_REGS * 8 + padded + more);
}

static const struct scope_unwind_machine unwind_machine = {
	.read = scope_arch_read_word,
	.address = scope_arch_return_address,
	.call_pushes = !SCOPE_ARCH_LINK_REGISTER,
};

/* 0, or an enum scope_copy_reason. */
static int walk(struct scope_session *session, struct pt_regs *regs, u64 *ret_ip, u32 max, u32 *ret_count,
		u8 *ret_ended)
{
	struct scope_unwind_frame frame = {
		.pc = instruction_pointer(regs),
		.sp = user_stack_pointer(regs),
		.fp = scope_arch_frame(regs),
		.link = scope_arch_link(regs),
		.exact = true,
		.has_fp = true,
		.has_link = SCOPE_ARCH_LINK_REGISTER,
	};
	struct scope_unwind_maps *maps;
	int why = SCOPE_COPY_NO_MAPS;
	u64 first;

	if (scope_arch_word_bytes(regs) != sizeof(u64))
		return SCOPE_COPY_BROKEN;
	rcu_read_lock();
	maps = scope_table_maps(session);
	if (maps && scope_arch_copy_user(&first, frame.sp, sizeof(first)) < sizeof(first)) {
		why = SCOPE_COPY_MEMORY;
	} else if (maps) {
		pagefault_disable();
		why = scope_unwind_walk(&unwind_machine, maps, &frame, ret_ip, max, ret_count, ret_ended);
		pagefault_enable();
	}
	rcu_read_unlock();
	return why;
}

/*
 * Walks by the tables that the user gave. If they do not lead to the end of a stack, it is copied. The addresses are
 * on this stack first, because a place in the ring that was reserved cannot be given back.
 */
static void put_frames(struct scope_session *session, struct scope_cpu *cpu, struct pt_regs *regs, u64 now, u8 reason,
		       u8 flags)
{
	const bool kernel = flags & SCOPE_STACK_KERNEL_IP;
	struct scope_record_frames *r;
	u64 ip[SCOPE_STACK_DEPTH_MAX] SCOPE_UNSET;
	u32 count = 0, bytes, i;
	u8 ended = 0;
	int why = walk(session, regs, ip, SCOPE_STACK_DEPTH_MAX - kernel, &count, &ended);

	if (why == SCOPE_COPY_NO_MAPS || why == SCOPE_COPY_UNMAPPED)
		WRITE_ONCE(cpu->ring.page->stacks_unmapped, cpu->ring.page->stacks_unmapped + 1);
	if (why) {
		put_copy(session, cpu, regs, now, reason, flags | why << SCOPE_STACK_COPY_SHIFT);
		return;
	}
	if (kernel)
		ip[count++] = cpu->kernel_ip;
	bytes = sizeof(*r) + count * sizeof(*ip);
	r = scope_ring_reserve(&cpu->ring, SCOPE_RECORD_FRAMES, bytes, now);
	if (!r)
		return;
	/* memcpy() would cost more. The compiler makes a plain loop of this. */
	for (i = 0; i < count; i++)
		WRITE_ONCE(((u64 *)(r + 1))[i], ip[i]);
	r->reason = reason;
	r->flags = flags;
	r->count = count;
	r->ended = ended;
	r->waited = 0;
	r->since = 0;
	r->cost_ns = cost_since(cpu, now);
	scope_ring_commit(&cpu->ring, bytes);
}

static void put_stack(struct scope_session *session, struct scope_cpu *cpu, struct pt_regs *regs, u64 now, u8 reason,
		      u8 flags)
{
	struct scope_ring_page *page = cpu->ring.page;
	u8 mode = READ_ONCE(session->config.stack_mode);
	u64 records = cpu->ring.records, end;

	/* An exiting task has no memory map any more. Stacks may have been switched off just now. */
	if (!mode || !current->mm || current->flags & (PF_EXITING | PF_KTHREAD))
		return;
	if (mode == SCOPE_STACK_CHAIN)
		put_chain(session, cpu, regs, now, reason, flags);
	else if (mode == SCOPE_STACK_TABLES)
		put_frames(session, cpu, regs, now, reason, flags);
	else
		put_copy(session, cpu, regs, now, reason, flags);
	if (cpu->ring.records != records)
		WRITE_ONCE(page->stacks, page->stacks + 1);
	/* now is from the CPU's counter, and may be a little ahead. */
	end = scope_clock_ns(&cpu->clock);
	if (end > now)
		scope_measure_stack(cpu, end - now);
}

/* True if the current thread is one of those that get stacks. */
static bool is_wanted(const struct scope_session *session)
{
	const struct scope_threads *threads = READ_ONCE(session->stack_threads);

	return likely(!threads) || scope_threads_have(threads, current->pid);
}

/* True if the limit of this second allows one more stack. If not, it is counted as skipped. */
static bool is_allowed(const struct scope_session *session, struct scope_cpu *cpu, u64 now)
{
	struct scope_ring_page *page = cpu->ring.page;

	if (now - cpu->window_ns >= WINDOW_NS) {
		cpu->window_ns = now;
		cpu->window_stacks = 0;
	}
	if (cpu->window_stacks >= READ_ONCE(session->config.stacks_per_second)) {
		WRITE_ONCE(page->stacks_skipped, page->stacks_skipped + 1);
		return false;
	}
	cpu->window_stacks++;
	return true;
}

/* The choice is by native numbers alone. */
static bool is_call_wanted(const struct scope_session *session, u16 nr, u8 abi)
{
	if (abi == SCOPE_ABI_NATIVE)
		return nr < SCOPE_SYSCALL_MAX && scope_stack_wants_native(session, nr);
	return abi == SCOPE_ABI_32 && scope_arch_compat_stack(nr);
}

/*
 * Called after the record of a finished call: takes a stack if the call took long enough and the limit of the second
 * allows it.
 */
void scope_stack_after_syscall(struct scope_session *session, struct scope_cpu *cpu, struct pt_regs *regs, u16 nr,
			       u8 abi, u64 duration_ns, u64 now)
{
	if (duration_ns < READ_ONCE(session->config.stack_min_ns))
		return;
	if (!is_call_wanted(session, nr, abi))
		return;
	if (is_wanted(session) && is_allowed(session, cpu, now))
		put_stack(session, cpu, regs, now, SCOPE_STACK_SYSCALL, 0);
}

/* Called after the record of a hit. regs: the user's, or NULL if the thread is in the kernel. */
void scope_stack_at_probe(struct scope_session *session, struct scope_cpu *cpu, struct pt_regs *regs, u64 now)
{
	u8 flags = regs ? 0 : SCOPE_STACK_IN_KERNEL;

	if (!READ_ONCE(session->config.stack_mode) || !is_wanted(session) || !is_allowed(session, cpu, now))
		return;
	put_stack(session, cpu, regs ? regs : task_pt_regs(current), now, SCOPE_STACK_PROBE, flags);
}

/* Called from the timer interrupt. A stack of the kernel shows nothing of the program, so the user's is taken. */
void scope_stack_sample(struct scope_session *session, struct scope_cpu *cpu, u64 now)
{
	struct pt_regs *regs = get_irq_regs();
	u8 flags = 0;

	if (!is_wanted(session))
		return;
	if (!regs || !user_mode(regs)) {
		flags = SCOPE_STACK_IN_KERNEL;
		if (regs && session->config.kernel_ips) {
			flags |= SCOPE_STACK_KERNEL_IP;
			cpu->kernel_ip = instruction_pointer(regs) - session->config.kernel_base;
		}
		regs = task_pt_regs(current);
	}
	put_stack(session, cpu, regs, now, SCOPE_STACK_SAMPLE, flags);
}
