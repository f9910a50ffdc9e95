# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
# For scripts that source it: the pattern of what a kernel's log says when something is wrong.
#
# The taint lines of an unsigned module are not among it.

warnings='BUG\b|WARNING:|Oops|general protection fault|KASAN|KCSAN|KFENCE|UBSAN'
warnings+='|possible (recursive|circular) locking|possible irq lock inversion|inconsistent lock state'
warnings+='|circular locking|suspicious RCU|rcu.*(self-detected|detected stall|detected expedited stall)'
warnings+='|RCU stall|scheduling while atomic|sleeping function called from invalid context'
warnings+='|blocked for more than|soft lockup|hard LOCKUP|Kernel panic|cut here|[Cc]all [Tt]race'
warnings+='|refcount_t:|list_(add|del) corruption|[Uu]nable to handle|non-static key|ODEBUG'
warnings+='|kmemleak: [0-9]+ new|bad page state|still has locks held|Workqueue lockup'
