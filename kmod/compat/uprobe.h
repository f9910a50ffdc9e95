/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sets and removes a uprobe. The kernel's functions and callbacks for this changed several times.
 *
 * Since 6.12 registration returns a handle, removal has two steps, and the filter has no context. Since 6.13 the
 * handlers have a place for data.
 */
#ifndef SCOPE_COMPAT_UPROBE_H
#define SCOPE_COMPAT_UPROBE_H

#include <linux/err.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/uprobes.h>

#ifdef SCOPE_HAVE_UPROBE_DATA
#define SCOPE_UPROBE_PROTO(consumer, regs) struct uprobe_consumer *consumer, struct pt_regs *regs, __u64 *data
#define SCOPE_URETPROBE_PROTO(consumer, regs)                                                                          \
	struct uprobe_consumer *consumer, unsigned long function, struct pt_regs *regs, __u64 *data
#else
#define SCOPE_UPROBE_PROTO(consumer, regs) struct uprobe_consumer *consumer, struct pt_regs *regs
#define SCOPE_URETPROBE_PROTO(consumer, regs)                                                                          \
	struct uprobe_consumer *consumer, unsigned long function, struct pt_regs *regs
#endif

#ifdef SCOPE_HAVE_UPROBE_FILTER_MM
#define SCOPE_UPROBE_FILTER_PROTO(consumer, mm) struct uprobe_consumer *consumer, struct mm_struct *mm
#else
#define SCOPE_UPROBE_FILTER_PROTO(consumer, mm)                                                                        \
	struct uprobe_consumer *consumer, enum uprobe_filter_ctx context, struct mm_struct *mm
#endif

#if defined(CONFIG_UPROBES) && (defined(SCOPE_HAVE_UPROBE_HANDLE) || defined(SCOPE_HAVE_UPROBE_INODE))

struct scope_compat_uprobe {
	struct uprobe_consumer consumer;
#ifdef SCOPE_HAVE_UPROBE_HANDLE
	struct uprobe *handle;
#else
	struct inode *inode;
	loff_t offset;
#endif
};

/* The caller keeps the inode until after the removal. */
static inline int scope_compat_uprobe_register(struct scope_compat_uprobe *uprobe, struct inode *inode, loff_t offset)
{
#ifdef SCOPE_HAVE_UPROBE_HANDLE
	struct uprobe *handle = uprobe_register(inode, offset, 0, &uprobe->consumer);

	if (IS_ERR(handle))
		return PTR_ERR(handle);
	uprobe->handle = handle;
	return 0;
#else
	uprobe->inode = inode;
	uprobe->offset = offset;
	return uprobe_register(inode, offset, &uprobe->consumer);
#endif
}

/* Handlers may still run until scope_compat_uprobe_sync(). One such call is enough for many removals. */
static inline void scope_compat_uprobe_unregister(struct scope_compat_uprobe *uprobe)
{
#ifdef SCOPE_HAVE_UPROBE_HANDLE
	uprobe_unregister_nosync(uprobe->handle, &uprobe->consumer);
#else
	uprobe_unregister(uprobe->inode, uprobe->offset, &uprobe->consumer);
#endif
}

static inline void scope_compat_uprobe_sync(void)
{
#ifdef SCOPE_HAVE_UPROBE_HANDLE
	uprobe_unregister_sync();
#endif
}

#else /* a kernel without uprobes, or with unknown functions */

struct scope_compat_uprobe {
	struct uprobe_consumer consumer;
};

static inline int scope_compat_uprobe_register(struct scope_compat_uprobe *uprobe, struct inode *inode, loff_t offset)
{
	return -EOPNOTSUPP;
}

static inline void scope_compat_uprobe_unregister(struct scope_compat_uprobe *uprobe)
{
}

static inline void scope_compat_uprobe_sync(void)
{
}

#endif
#endif
