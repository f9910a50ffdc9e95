/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs between architectures: system call ABIs, register order, reading user memory. */
#ifndef SCOPE_COMPAT_ARCH_H
#define SCOPE_COMPAT_ARCH_H

#include <linux/compat.h>
#include <linux/ptrace.h>
#include <linux/uaccess.h>
#include <asm/syscall.h>
#include <asm/thread_info.h>
#include <asm/unistd.h>
#include <scope/abi.h>
#include "thread.h"

/* 5.1 dropped first and count: all six are meant */
#ifndef SCOPE_HAVE_SYSCALL_ARGUMENTS_ALL
#define syscall_get_arguments(task, regs, to) syscall_get_arguments(task, regs, 0, 6, to)
#endif

/* 5.0 dropped the direction */
#ifndef SCOPE_HAVE_ACCESS_OK_PAIR
#define scope_compat_access_ok(from, bytes) access_ok(VERIFY_READ, from, bytes)
#else
#define scope_compat_access_ok(from, bytes) access_ok(from, bytes)
#endif

#if defined(CONFIG_X86_64)

#include <asm/tsc.h>

/* True if get_cycles() counts on each CPU at one rate, also while the CPU is idle. */
static inline bool scope_arch_counter_steady(void)
{
	return !check_tsc_unstable();
}

#define SCOPE_ARCH_REGS SCOPE_REG_COUNT_X86_64

/* How many non-maskable interrupts the trap of a breakpoint counts as. Since 5.8 they can be nested. */
#define SCOPE_ARCH_TRAP_NMIS (NMI_BITS > 1)

/* 4.6 gave it a name */
static __always_inline bool scope_compat_in_ia32(void)
{
#if defined(SCOPE_HAVE_IN_IA32_SYSCALL)
	return in_ia32_syscall();
#elif defined(CONFIG_IA32_EMULATION)
	return scope_compat_thread_status(current) & TS_COMPAT;
#else
	return false;
#endif
}

/*
 * Returns the enum scope_abi of the call that the current task is in, and removes the bit of the ABI from the number.
 */
static __always_inline u8 scope_arch_abi(long *nr)
{
	if (unlikely(scope_compat_in_ia32()))
		return SCOPE_ABI_32;
	if (unlikely(*nr & __X32_SYSCALL_BIT) && *nr > 0) {
		*nr &= ~__X32_SYSCALL_BIT;
		return SCOPE_ABI_X32;
	}
	return SCOPE_ABI_NATIVE;
}

/* The first argument of a native call, read when the call is entered. */
static __always_inline unsigned long scope_arch_first_arg(const struct pt_regs *regs)
{
	return regs->di;
}

static inline u8 scope_arch_task_abi(struct task_struct *task, long *nr)
{
#ifdef CONFIG_IA32_EMULATION
	if (scope_compat_thread_status(task) & TS_COMPAT)
		return SCOPE_ABI_32;
#endif
	if (*nr > 0 && *nr & __X32_SYSCALL_BIT) {
		*nr &= ~__X32_SYSCALL_BIT;
		return SCOPE_ABI_X32;
	}
	return SCOPE_ABI_NATIVE;
}

static inline void scope_arch_regs(u64 *reg, struct pt_regs *regs)
{
	reg[0] = regs->ax;
	reg[1] = regs->dx;
	reg[2] = regs->cx;
	reg[3] = regs->bx;
	reg[4] = regs->si;
	reg[5] = regs->di;
	reg[6] = regs->bp;
	reg[7] = regs->sp;
	reg[8] = regs->r8;
	reg[9] = regs->r9;
	reg[10] = regs->r10;
	reg[11] = regs->r11;
	reg[12] = regs->r12;
	reg[13] = regs->r13;
	reg[14] = regs->r14;
	reg[15] = regs->r15;
	reg[16] = regs->ip;
}

static inline u64 scope_arch_frame(struct pt_regs *regs)
{
	return regs->bp;
}

/* On this machine a call stores the return address on the stack, not in a register. */
#define SCOPE_ARCH_LINK_REGISTER 0

static inline u64 scope_arch_link(struct pt_regs *regs)
{
	return 0;
}

static inline u64 scope_arch_return_address(u64 word)
{
	return word;
}

/*
 * Reads the first words that were passed to a function, at most 6. The thread is at the function's first instruction.
 */
static inline void scope_arch_function_args(u64 *arg, struct pt_regs *regs, u32 count)
{
	const unsigned long word[] = { regs->di, regs->si, regs->dx, regs->cx, regs->r8, regs->r9 };
	u32 i;

	for (i = 0; i < count; i++)
		arg[i] = word[i];
}

/* Bytes of one slot of a stack frame. Those of 32-bit programs are half as large. */
static inline u32 scope_arch_word_bytes(struct pt_regs *regs)
{
	return user_64bit_mode(regs) ? 8 : 4;
}

/* True if a stack is recorded for calls of this number in 32-bit programs. Calls that wait for work get none. */
static inline bool scope_arch_compat_stack(u16 nr)
{
	/* As in <asm/unistd_32.h>: epoll_wait, epoll_pwait, accept4, epoll_pwait2. */
	return nr != 256 && nr != 319 && nr != 364 && nr != 441;
}

#elif defined(CONFIG_ARM64)

/* The architecture guarantees it. */
static inline bool scope_arch_counter_steady(void)
{
	return true;
}

#define SCOPE_ARCH_REGS SCOPE_REG_COUNT_ARM64
#define SCOPE_ARCH_TRAP_NMIS 0

static __always_inline u8 scope_arch_abi(long *nr)
{
	return is_compat_task() ? SCOPE_ABI_32 : SCOPE_ABI_NATIVE;
}

static __always_inline unsigned long scope_arch_first_arg(const struct pt_regs *regs)
{
	return regs->orig_x0;
}

static inline u8 scope_arch_task_abi(struct task_struct *task, long *nr)
{
	return is_compat_thread(task_thread_info(task)) ? SCOPE_ABI_32 : SCOPE_ABI_NATIVE;
}

static inline void scope_arch_regs(u64 *reg, struct pt_regs *regs)
{
	int i;

	for (i = 0; i < 31; i++)
		reg[i] = regs->regs[i];
	reg[31] = regs->sp;
	reg[32] = regs->pc;
}

static inline u64 scope_arch_frame(struct pt_regs *regs)
{
	return regs->regs[29];
}

#define SCOPE_ARCH_LINK_REGISTER 1

static inline u64 scope_arch_link(struct pt_regs *regs)
{
	return regs->regs[30];
}

/* Programs with pointer authentication keep a signature in the bits above the address. */
static inline u64 scope_arch_return_address(u64 word)
{
	return word & (TASK_SIZE_64 - 1);
}

static inline void scope_arch_function_args(u64 *arg, struct pt_regs *regs, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++)
		arg[i] = regs->regs[i];
}

static inline u32 scope_arch_word_bytes(struct pt_regs *regs)
{
	return compat_user_mode(regs) ? 4 : 8;
}

/* Stacks of 32-bit programs are not unwound on this machine. */
static inline bool scope_arch_compat_stack(u16 nr)
{
	return false;
}

#else
#error "scope: this architecture has no register table in compat/arch.h (x86-64 and arm64 have)"
#endif

extern bool scope_arch_copy_returns_copied; /* selftest.c sets it at load; it is defined in stack.c */

/* Returns what the function of x86 returns: the number of bytes that were not copied. Other machines copy nothing. */
static inline unsigned long scope_arch_copy_nmi(void *to, const void __user *from, unsigned long bytes)
{
#ifdef CONFIG_X86
	return copy_from_user_nmi(to, from, bytes);
#else
	return bytes;
#endif
}

/*
 * Copies from the current task's user memory, and never causes a page to be loaded. Returns how many bytes it copied:
 * it stops at the first one that cannot be read.
 */
static inline u32 scope_arch_copy_user(void *to, u64 from, u32 bytes)
{
#ifdef CONFIG_X86
	unsigned long count = scope_arch_copy_nmi(to, (const void __user *)(unsigned long)from, bytes);

	return scope_arch_copy_returns_copied ? count : bytes - count;
#else
	unsigned long left = bytes;

	if (!scope_compat_access_ok((const void __user *)(unsigned long)from, bytes))
		return 0;
	pagefault_disable();
	left = __copy_from_user_inatomic(to, (const void __user *)(unsigned long)from, bytes);
	pagefault_enable();
	return bytes - left;
#endif
}

/*
 * Copies one word, like scope_arch_copy_user(). The caller has called that function since interrupts were switched off,
 * because it checks that the current task's page tables are in use. Call it between pagefault_disable() and
 * pagefault_enable().
 */
static __always_inline bool scope_arch_read_word(u64 *to, u64 from)
{
#ifdef CONFIG_X86
	/* Kernels before 5.4 warn if access_ok() is called in an interrupt. */
	return from < TASK_SIZE_MAX - sizeof(*to) && !__get_user(*to, (const u64 __user *)(unsigned long)from);
#else
	return scope_arch_copy_user(to, from, sizeof(*to)) == sizeof(*to);
#endif
}

#endif
