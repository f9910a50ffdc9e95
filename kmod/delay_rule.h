/* SPDX-License-Identifier: GPL-2.0-only */
/* One delay rule: where it is put, and how a thread is held up by it. */
#ifndef SCOPE_KMOD_DELAY_RULE_H
#define SCOPE_KMOD_DELAY_RULE_H

#include <linux/kprobes.h>
#include <linux/path.h>
#include <scope/control.h>
#include "session.h"
#include "uprobe.h"

#define SCOPE_DELAY_DEBTS 1024u /* a power of two: threads that owe a rule at once */

/* Code that is to look faster; tgid is that of the first pid namespace. */
struct scope_delay_ranges {
	u32 count;
	struct scope_delay_range range[];
};

struct scope_delay_values {
	u64 ns, hit_max_ns, seed;
	u32 probability;
	struct scope_delay_ranges *ranges; /* of SCOPE_DELAY_SPEEDUP; NULL: none */
	struct scope_threads *threads;	   /* NULL: every traced one */
};

struct scope_delay_rule {
	/* read by sites; while the rule is in the code only values and gone change */
	struct scope_session *session;
	struct scope_delay_values __rcu *values;
	bool gone; /* threads that come or sleep are not delayed any more */
	u16 id, nr;
	u8 site;
	u32 flags;
	struct scope_speedup *speedup; /* SPEEDUP: the accounts */
	u64 *debt;		       /* KERNEL: SCOPE_DELAY_DEBTS words, tid and ns, see delay_return.c */

	atomic_t users; /* threads held up, or on their way to it */
	atomic64_t visits, served, asked_ns, served_ns, missed, capped;

	bool attached;
	struct list_head list; /* session->delays.rules */
	char *name;	       /* "" if the site has none */
	u64 offset;
	struct path path; /* USER: keeps the file */
	union {
		struct kprobe kprobe;
		struct scope_compat_uprobe uprobe;
	};
};

/* delay_serve.c: for any context that may be traced; only scope_delay_serve() sleeps */
bool scope_delay_is_traced(const struct scope_delay_rule *rule);
u64 scope_delay_due(struct scope_delay_rule *rule, u8 *ret_flags);
u64 scope_delay_due_of(struct scope_delay_rule *rule, u64 visits, u8 *ret_flags);
u64 scope_delay_serve(struct scope_delay_rule *rule, u64 asked_ns, u8 flags);

/* delay_entry.c */
int scope_delay_entry_attach(struct scope_delay_rule *rule);
void scope_delay_entry_detach(struct scope_delay_rule *rule);

/* delay_return.c: sites that are served on the way to user mode */
int scope_delay_return_attach(struct scope_delay_rule *rule);
void scope_delay_return_detach(struct scope_delay_rule *rule);
bool scope_delay_ask_for_return(struct scope_delay_rule *rule);

/* delay_speedup.c: on top of the delays that are served on the way to user mode */
int scope_delay_speedup_attach(struct scope_delay_rule *rule);
void scope_delay_speedup_detach(struct scope_delay_rule *rule);
void scope_delay_speedup_returns(struct scope_delay_rule *rule);
u64 scope_delay_speedup_owed(struct scope_delay_rule *rule);
void scope_delay_speedup_paid(struct scope_delay_rule *rule, u64 served_ns);
void scope_delay_speedup_totals(const struct scope_delay_rule *rule, u64 *ret_required_ns, u64 *ret_unsettled_ns);

/* delay_user.c */
int scope_delay_user_attach(struct scope_delay_rule *rule);
void scope_delay_user_detach(struct scope_delay_rule *rule);

#endif
