/* SPDX-License-Identifier: GPL-2.0-only */
/* One probe set at run time, in the kernel's code or in a program's. */
#ifndef SCOPE_KMOD_PROBE_DYNAMIC_H
#define SCOPE_KMOD_PROBE_DYNAMIC_H

#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/path.h>
#include "session.h"
#include "uprobe.h"

struct scope_dynamic {
	/* what handlers read; it never changes while the probe is attached */
	struct scope_session *session;
	u64 __percpu *hits;
	u16 id;
	u8 kind; /* enum scope_probe_kind */
	u8 args;
	u32 flags; /* SCOPE_PROBE_WITH_* */

	bool attached;
	struct list_head list; /* session->dynamic */
	char *name;
	u64 offset;
	struct path path; /* user: keeps the file */
	union {
		struct kprobe kprobe;
		struct kretprobe kretprobe;
		struct scope_compat_uprobe uprobe;
	};
};

/* Both may sleep. 0, or the kernel's error for that place; probes that are not attached are skipped. */
int scope_probe_dynamic_attach(struct scope_dynamic *probe);
void scope_probe_dynamic_detach(struct scope_dynamic **probes, u32 count);

/* Times that the kernel could not call the handler. */
u64 scope_probe_dynamic_missed(const struct scope_dynamic *probe);

/* The file of a uprobe; the caller puts *ret_path. Borrows *ret_inode from it. */
int scope_probe_dynamic_file(const char *name, u64 offset, struct path *ret_path, struct inode **ret_inode);
/*
 * True if this is the memory of a traced process. The code of other processes is not changed, and runs at full speed.
 */
bool scope_probe_dynamic_wants(struct scope_session *session, struct mm_struct *mm);

#endif
