/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Registers kprobes so that no kernel writes into its own read-only copy of the probed instruction.
 *
 * Before 4.12 (x86) boostable is 0 after registration if the copied instruction may run without a single step.
 * At the first hit the kernel then writes a jump after the copy. 4.12 made the page of the copies read-only, and
 * writes the jump at registration. 3.18.140 has only the first part of this change, and its first hit is a fault.
 * A kprobe is therefore registered disabled. If the first hit would write to a read-only page, boostable is set to -1,
 * which makes the kernel always single-step that instruction. Then the kprobe is enabled. The page itself is checked,
 * not the kernel's version.
 */
#ifndef SCOPE_COMPAT_KPROBE_H
#define SCOPE_COMPAT_KPROBE_H

#include <linux/errno.h>
#include <linux/kprobes.h>

#ifndef CONFIG_KPROBES /* -ENOSYS before 5.16 */
#define scope_compat_register_kprobe(kprobe) (-EOPNOTSUPP)
#define scope_compat_register_kretprobe(kretprobe) (-EOPNOTSUPP)

#elif defined(SCOPE_HAVE_KPROBE_BOOSTABLE_LATER)
#include <linux/preempt.h>
#include <linux/rculist.h>
#include <asm/pgtable.h>

static inline bool scope_compat_kprobe_is_unsafe(const struct kprobe *kprobe)
{
	unsigned int level;
	pte_t *pte;

	if (kprobe->ainsn.boostable || !kprobe->ainsn.insn)
		return false;
	pte = lookup_address((unsigned long)kprobe->ainsn.insn, &level);
	return !pte || !pte_write(*pte);
}

/*
 * The kprobes of one address are a ring, together with the one through which the kernel calls them all. The kernel
 * frees none of them before each CPU has scheduled.
 */
static inline void scope_compat_kprobe_make_safe(struct kprobe *kprobe)
{
	struct kprobe *each = kprobe;

	preempt_disable();
	do {
		if (scope_compat_kprobe_is_unsafe(each))
			each->ainsn.boostable = -1;
		each = list_entry_rcu(each->list.next, struct kprobe, list);
	} while (each != kprobe);
	preempt_enable();
}

static inline int scope_compat_register_kprobe(struct kprobe *kprobe)
{
	int err;

	kprobe->flags |= KPROBE_FLAG_DISABLED;
	err = register_kprobe(kprobe);
	if (err)
		return err;
	scope_compat_kprobe_make_safe(kprobe);
	err = enable_kprobe(kprobe);
	if (err)
		unregister_kprobe(kprobe);
	return err;
}

#ifdef CONFIG_KRETPROBES
static inline int scope_compat_register_kretprobe(struct kretprobe *kretprobe)
{
	int err;

	kretprobe->kp.flags |= KPROBE_FLAG_DISABLED;
	err = register_kretprobe(kretprobe);
	if (err)
		return err;
	scope_compat_kprobe_make_safe(&kretprobe->kp);
	err = enable_kretprobe(kretprobe);
	if (err)
		unregister_kretprobe(kretprobe);
	return err;
}
#endif

#else
#define scope_compat_register_kprobe(kprobe) register_kprobe(kprobe)
#define scope_compat_register_kretprobe(kretprobe) register_kretprobe(kretprobe)
#endif
#endif
