#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Find out what this kernel offers by compiling against it, and write that as macros into a header.
#
# Usage: features.sh OUTPUT.h COMPILER [FLAG...]
# A row: macro | header header ... | code that compiles where the feature is there | code that compiles where
# it is not, by the older spelling. A header that the kernel has not is left out. Where neither code compiles, or,
# without an older spelling, where not even the headers do, the answer would be a guess: that stops the build
# with a sentence. Headers name all that the code uses: none comes through another in every kernel.
# A macro with a plus before it is of something that the module can do without: it stops nothing.
# SCOPE_FEATURES_EACH=1 compiles each row alone, as is done where all together cannot say which.
# Versions say nothing: distributions and stable branches carry later changes back.
set -eu

rows() {
	cat <<-'ROWS'
	SWITCH_PREV_STATE | linux/mm.h trace/events/sched.h | void p(void *d, bool b, struct task_struct *x, struct task_struct *y, unsigned int s); void f(void) { check_trace_callback_type_sched_switch(p); }
	SWITCH_PREEMPT | linux/mm.h trace/events/sched.h | void p(void *d, bool b, struct task_struct *x, struct task_struct *y); void f(void) { check_trace_callback_type_sched_switch(p); }
	EXIT_GROUP_DEAD | linux/mm.h trace/events/sched.h | void p(void *d, struct task_struct *x, bool b); void f(void) { check_trace_callback_type_sched_process_exit(p); } | void p(void *d, struct task_struct *x); void f(void) { check_trace_callback_type_sched_process_exit(p); }
	TASK_STATE_INDEX | linux/sched.h | unsigned int f(void) { return __task_state_index(0u, 0u); }
	TASK_STATE | linux/sched.h | unsigned int f(struct task_struct *t) { return t->__state; } | long f(struct task_struct *t) { return t->state; }
	HRTIMER_SETUP | linux/hrtimer.h | void f(struct hrtimer *t) { hrtimer_setup(t, NULL, CLOCK_MONOTONIC, HRTIMER_MODE_REL); } | void f(struct hrtimer *t) { hrtimer_init(t, CLOCK_MONOTONIC, HRTIMER_MODE_REL); }
	VM_FLAGS_CLEAR | linux/mm.h | void f(struct vm_area_struct *v) { vm_flags_clear(v, VM_WRITE); } | void f(struct vm_area_struct *v) { v->vm_flags &= ~VM_WRITE; }
	PREV_SUM_EXEC | linux/sched.h | u64 f(struct task_struct *t) { return t->se.prev_sum_exec_runtime; }
	SCHED_INFO_ARRIVAL | linux/sched.h | u64 f(struct task_struct *t) { return t->sched_info.last_arrival; }
	TASK_ON_CPU | linux/sched.h | int f(struct task_struct *t) { return t->on_cpu; }
	BLOCK_RQ | linux/blkdev.h linux/blk-mq.h trace/events/block.h | void p(void *d, struct request *r); void f(void) { check_trace_callback_type_block_rq_insert(p); check_trace_callback_type_block_rq_issue(p); }
	BLOCK_Q_RQ | linux/blkdev.h linux/blk-mq.h trace/events/block.h | void p(void *d, struct request_queue *q, struct request *r); void f(void) { check_trace_callback_type_block_rq_insert(p); check_trace_callback_type_block_rq_issue(p); }
	BLOCK_DONE_STATUS | linux/blkdev.h linux/blk-mq.h trace/events/block.h | void p(void *d, struct request *r, blk_status_t e, unsigned int n); void f(void) { check_trace_callback_type_block_rq_complete(p); }
	BLOCK_DONE_ERRNO | linux/blkdev.h linux/blk-mq.h trace/events/block.h | void p(void *d, struct request *r, int e, unsigned int n); void f(void) { check_trace_callback_type_block_rq_complete(p); }
	BLOCK_QUEUE_DISK | linux/blkdev.h linux/blk-mq.h | void *f(struct request *r) { return r->q->disk; }
	BLOCK_START_NS | linux/blkdev.h linux/blk-mq.h | u64 f(struct request *r) { return r->start_time_ns; }
	BIO_QUEUE | linux/bio.h linux/blkdev.h linux/blk-mq.h trace/events/block.h | void p(void *d, struct bio *b); void e(void *d, struct bio *b, dev_t v, sector_t s); void f(void) { check_trace_callback_type_block_bio_queue(p); check_trace_callback_type_block_bio_remap(e); }
	BIO_Q_QUEUE | linux/bio.h linux/blkdev.h linux/blk-mq.h trace/events/block.h | void p(void *d, struct request_queue *q, struct bio *b); void e(void *d, struct request_queue *q, struct bio *b, dev_t v, sector_t s); void f(void) { check_trace_callback_type_block_bio_queue(p); check_trace_callback_type_block_bio_remap(e); }
	BIO_DONE | linux/bio.h linux/blkdev.h linux/blk-mq.h trace/events/block.h | void p(void *d, struct request_queue *q, struct bio *b); int f(struct bio *b) { check_trace_callback_type_block_bio_complete(p); return blk_status_to_errno(b->bi_status); }
	BIO_DONE_ERRNO | linux/bio.h linux/blkdev.h linux/blk-mq.h trace/events/block.h | void p(void *d, struct request_queue *q, struct bio *b, int e); void f(void) { check_trace_callback_type_block_bio_complete(p); }
	BIO_COMPLETION | linux/bio.h linux/blkdev.h linux/blk-mq.h | bool f(struct bio *b, struct request *r) { return bio_flagged(b, BIO_TRACE_COMPLETION) && op_is_flush(b->bi_opf) && r->rq_flags & RQF_FLUSH_SEQ; }
	BIO_DISK | linux/bio.h linux/blkdev.h | void *f(struct bio *b) { return b->bi_disk; }
	REQUEST_FN | linux/blkdev.h | void *f(struct request_queue *q) { return q->request_fn; }
	CGROUP_ID | linux/cgroup.h linux/sched.h | u64 f(struct task_struct *t) { struct cgroup *c = rcu_dereference(t->cgroups)->dfl_cgrp; return cgroup_parent(c) ? cgroup_id(c) : c->root->hierarchy_id; }
	CGROUP_ATTACH_PATH | linux/mm.h linux/cgroup.h trace/events/cgroup.h | void p(void *d, struct cgroup *c, const char *s, struct task_struct *t, bool b); void f(void) { check_trace_callback_type_cgroup_attach_task(p); }
	GET_KRETPROBE | linux/kprobes.h | struct kretprobe *f(struct kretprobe_instance *i) { return get_kretprobe(i); }
	UPROBE_HANDLE | linux/uprobes.h | struct uprobe *f(struct inode *i, struct uprobe_consumer *c) { struct uprobe *u = uprobe_register(i, 0, 0, c); uprobe_unregister_nosync(u, c); uprobe_unregister_sync(); return u; }
	UPROBE_INODE | linux/uprobes.h | int f(struct inode *i, struct uprobe_consumer *c) { uprobe_unregister(i, 0, c); return uprobe_register(i, 0, c); }
	UPROBE_DATA | linux/uprobes.h | int h(struct uprobe_consumer *c, struct pt_regs *r, __u64 *d); void f(struct uprobe_consumer *c) { c->handler = h; }
	UPROBE_FILTER_MM | linux/uprobes.h | bool h(struct uprobe_consumer *c, struct mm_struct *m); void f(struct uprobe_consumer *c) { c->filter = h; }
	SWITCH_PAIR | linux/mm.h trace/events/sched.h | void p(void *d, struct task_struct *x, struct task_struct *y); void f(void) { check_trace_callback_type_sched_switch(p); }
	SCHED_WAKING | linux/mm.h trace/events/sched.h | void p(void *d, struct task_struct *x); void f(void) { check_trace_callback_type_sched_waking(p); } | void p(void *d, struct task_struct *x, int s); void f(void) { check_trace_callback_type_sched_wakeup(p); }
	WAKEUP_SUCCESS | linux/mm.h trace/events/sched.h | void p(void *d, struct task_struct *x, int s); void f(void) { check_trace_callback_type_sched_wakeup(p); }
	RENAME_CONST | linux/mm.h linux/sched.h trace/events/task.h | void p(void *d, struct task_struct *t, const char *c); void f(void) { check_trace_callback_type_task_rename(p); } | void p(void *d, struct task_struct *t, char *c); void f(void) { check_trace_callback_type_task_rename(p); }
	TRACEPOINT_POINTER | linux/tracepoint.h | int f(struct tracepoint *t) { return tracepoint_probe_register(t, NULL, NULL); } | int f(void) { return tracepoint_probe_register("x", NULL, NULL); }
	CPUHP_MULTI | linux/cpu.h linux/notifier.h linux/cpuhotplug.h | int f(struct hlist_node *n) { return cpuhp_state_add_instance(CPUHP_BP_PREPARE_DYN, n) + CPUHP_AP_ONLINE_DYN; } | int f(struct notifier_block *n) { return register_cpu_notifier(n); }
	CPUS_READ_LOCK | linux/cpu.h | void f(void) { cpus_read_lock(); } | void f(void) { get_online_cpus(); }
	GENL_OP_MAXATTR | net/genetlink.h | void f(struct genl_ops *o) { o->maxattr = 0; o->policy = NULL; }
	EXTACK | net/genetlink.h | void f(struct genl_info *i) { NL_SET_ERR_MSG_ATTR(i->extack, NULL, "x"); }
	NLA_EXACT_LEN | net/genetlink.h | int f(void) { return NLA_EXACT_LEN; }
	NLA_PUT_U64_64BIT | net/netlink.h | int f(struct sk_buff *s) { return nla_put_u64_64bit(s, 1, 0, 2); }
	TOTALRAM_PAGES_CALL | linux/mm.h | unsigned long f(void) { return totalram_pages(); } | unsigned long f(void) { return totalram_pages; }
	HRTIMER_PINNED_HARD | linux/hrtimer.h | int f(void) { return HRTIMER_MODE_REL_PINNED_HARD; }
	SYSCALL_ARGUMENTS_ALL | linux/sched.h asm/syscall.h | void f(struct task_struct *t, struct pt_regs *r, unsigned long *a) { syscall_get_arguments(t, r, a); } | void f(struct task_struct *t, struct pt_regs *r, unsigned long *a) { syscall_get_arguments(t, r, 0, 6, a); }
	COPY_FROM_KERNEL_NOFAULT | linux/uaccess.h | long f(void *t, void *s) { return copy_from_kernel_nofault(t, s, 1); } | long f(void *t, void *s) { return probe_kernel_read(t, s, 1); }
	ACCESS_OK_PAIR | linux/uaccess.h | int f(void *p) { return access_ok(p, 1); } | int f(void *p) { return access_ok(VERIFY_READ, p, 1); }
	SI_MEM_AVAILABLE | linux/mm.h | long f(void) { return si_mem_available(); }
	LOCKED_DOWN | linux/security.h | int f(void) { return security_locked_down(LOCKDOWN_TRACEFS); }
	MEMCG_DATA_KMEM | linux/mm.h linux/memcontrol.h | unsigned long f(void) { return MEMCG_DATA_KMEM; }
	CGROUP_ATTACH | linux/cgroup.h linux/sched.h trace/events/cgroup.h | void f(void) { check_trace_callback_type_cgroup_attach_task(NULL); }
	SOCK_V6_ADDRESS | linux/ipv6.h net/sock.h | struct in6_addr *f(struct sock *s) { return &s->sk_v6_daddr; }
	VM_FAULT_T | linux/mm.h | vm_fault_t f(void) { return 0; }
	FAULT_ALONE | linux/mm.h | struct vm_area_struct *f(const struct vm_operations_struct *o, struct vm_fault *v) { (void)o->fault(v); return v->vma; } | int f(const struct vm_operations_struct *o, struct vm_area_struct *a, struct vm_fault *v) { return o->fault(a, v); }
	EXPIRE_POINTER | linux/mm.h linux/hrtimer.h trace/events/timer.h | void p(void *d, struct hrtimer *t, ktime_t *n); void f(void) { check_trace_callback_type_hrtimer_expire_entry(p); }
	EXPIRE_VALUE | linux/mm.h linux/hrtimer.h trace/events/timer.h | void p(void *d, struct hrtimer *t, ktime_t n); void f(void) { check_trace_callback_type_hrtimer_expire_entry(p); }
	KVMALLOC_ARRAY | linux/mm.h | void *f(void) { return kvmalloc_array(1, 1, GFP_KERNEL); }
	POLL_T | linux/poll.h | __poll_t f(void) { return 0; }
	KVZALLOC | linux/mm.h | void *f(void) { return kvzalloc(1, GFP_KERNEL); }
	VMALLOC_SYNC | linux/vmalloc.h | void f(void) { vmalloc_sync_all(); }
	VMALLOC_SYNC | linux/vmalloc.h | void f(void) { vmalloc_sync_mappings(); }
	RETURN_WORK | linux/sched.h linux/thread_info.h | void g(struct callback_head *w); void f(struct callback_head *w) { w->func = g; w->next = current->task_works; cmpxchg(&current->task_works, w->next, w); set_thread_flag(TIF_NOTIFY_RESUME); }
	KPROBE_BREAK_HANDLER | linux/kprobes.h | bool f(struct kprobe *p) { return p->break_handler; }
	FTRACE_OWN_REGS | linux/ftrace.h | void h(unsigned long i, unsigned long p, struct ftrace_ops *o, struct ftrace_regs *r); void *f(struct ftrace_ops *o, struct ftrace_regs *r) { o->func = h; return ftrace_get_regs(r); }
	FTRACE_RECURSION | linux/ftrace.h | int f(void) { return FTRACE_OPS_FL_RECURSION; }
	FTRACE_PERMANENT | linux/ftrace.h | int f(void) { return FTRACE_OPS_FL_PERMANENT; }
	DIV64_U64_REM | linux/math64.h | u64 f(u64 *r) { return div64_u64_rem(1, 2, r); }
	ORDER_ANY_SIZE | linux/compiler.h asm/barrier.h | u8 f(u8 *p) { smp_store_release(p, 1); return smp_load_acquire(p); }
	MONO_FAST | linux/hrtimer.h linux/ktime.h linux/timekeeping.h | u64 f(void) { return ktime_get_mono_fast_ns(); } | s64 f(void) { return ktime_to_ns(ktime_get()); }
	KVFREE | linux/mm.h linux/slab.h | void f(void *m) { kvfree(m); }
	D_REAL_INODE | linux/fs.h linux/dcache.h | struct inode *f(struct dentry *d) { return d_real_inode(d); }
	GENL_FAMILY_OPS | linux/module.h net/genetlink.h | void f(struct genl_family *g) { g->n_ops = 0; } | int f(struct genl_family *g, struct genl_ops *o) { return genl_register_family_with_ops(g, o, 1); }
	GENL_SPLIT_OPS | linux/module.h net/genetlink.h | int p(const struct genl_split_ops *o, struct sk_buff *s, struct genl_info *i); void f(struct genl_family *g) { g->pre_doit = p; }
	GENL_CONST_OPS | linux/module.h net/genetlink.h | int p(const struct genl_ops *o, struct sk_buff *s, struct genl_info *i); void f(struct genl_family *g) { g->pre_doit = p; }
	NETLINK_CAPABLE | linux/netlink.h linux/capability.h | bool f(struct sk_buff *s) { return netlink_capable(s, CAP_SYS_ADMIN); } | bool f(void) { return capable(CAP_SYS_ADMIN); }
	+RECLAIM_PAIR | linux/mm.h trace/events/vmscan.h | void p(void *d, int o, gfp_t f); void e(void *d, unsigned long n); void f(void) { check_trace_callback_type_mm_vmscan_direct_reclaim_begin(p); check_trace_callback_type_mm_vmscan_direct_reclaim_end(e); }
	+RECLAIM_TRIPLE | linux/mm.h trace/events/vmscan.h | void p(void *d, int o, int w, gfp_t f); void e(void *d, unsigned long n); void f(void) { check_trace_callback_type_mm_vmscan_direct_reclaim_begin(p); check_trace_callback_type_mm_vmscan_direct_reclaim_end(e); }
	+RECLAIM_QUAD | linux/mm.h trace/events/vmscan.h | void p(void *d, int o, int w, gfp_t f, int z); void e(void *d, unsigned long n); void f(void) { check_trace_callback_type_mm_vmscan_direct_reclaim_begin(p); check_trace_callback_type_mm_vmscan_direct_reclaim_end(e); }
	+RECLAIM_GROUP | linux/mm.h linux/memcontrol.h trace/events/vmscan.h | void p(void *d, gfp_t f, int o, struct mem_cgroup *g); void e(void *d, unsigned long n, struct mem_cgroup *g); void f(void) { check_trace_callback_type_mm_vmscan_direct_reclaim_begin(p); check_trace_callback_type_mm_vmscan_direct_reclaim_end(e); }
	+COMPACT_CONTROL | linux/mm.h trace/events/compaction.h | struct compact_control; void p(void *d, struct compact_control *c, unsigned long a, unsigned long b, bool s); void e(void *d, struct compact_control *c, unsigned long a, unsigned long b, bool s, int r); void f(void) { check_trace_callback_type_mm_compaction_begin(p); check_trace_callback_type_mm_compaction_end(e); }
	+COMPACT_PLACES | linux/mm.h trace/events/compaction.h | void p(void *d, unsigned long a, unsigned long m, unsigned long g, unsigned long b, bool s); void e(void *d, unsigned long a, unsigned long m, unsigned long g, unsigned long b, bool s, int r); void f(void) { check_trace_callback_type_mm_compaction_begin(p); check_trace_callback_type_mm_compaction_end(e); }
	+MEMSTALL_BIT | linux/sched.h | bool f(struct task_struct *t) { return t->in_memstall; }
	+MEMSTALL_FLAG | linux/sched.h linux/psi_types.h | bool f(struct task_struct *t) { return t->psi_flags & TSK_MEMSTALL; }
	+SWAPIN_DELAY | linux/sched.h linux/delayacct.h | u64 f(struct task_struct *t) { return t->delays ? t->delays->swapin_delay : 0; }
	+THRASHING_DELAY | linux/sched.h linux/delayacct.h | u64 f(struct task_struct *t) { return t->delays ? t->delays->thrashing_delay : 0; }
	+EXEC_ID | linux/sched.h | u64 f(struct task_struct *t) { return t->self_exec_id + t->parent_exec_id; }
	+EXEC_ID_APART | linux/sched.h | u64 f(struct task_struct *t) { return t->task_struct_rh->self_exec_id + t->task_struct_rh->parent_exec_id; }
	IN_IA32_SYSCALL | linux/compat.h | bool f(void) { return in_ia32_syscall(); }
	ROWS
	# What one architecture alone has.
	echo "$flags" | grep -q 'arch/x86/' || return 0
	cat <<-'ROWS'
	+IRQ_VECTORS | linux/mm.h asm/trace/irq_vectors.h | void p(void *d, int v); void f(void) { check_trace_callback_type_local_timer_entry(p); check_trace_callback_type_call_function_entry(p); check_trace_callback_type_call_function_single_exit(p); }
	KPROBE_BOOSTABLE_LATER | linux/kprobes.h | int *f(struct kprobe *p) { return &p->ainsn.boostable; }
	RDTSC | asm/msr.h asm/tsc.h | u64 f(void) { return rdtsc(); } | u64 f(void) { return __native_read_tsc(); }
	THREAD_INFO_STATUS | linux/sched.h linux/thread_info.h | u32 f(struct task_struct *t) { return task_thread_info(t)->status; } | u32 f(struct task_struct *t) { return t->thread.status; }
	ROWS
}

# What nothing is built without.
basic='linux/mm.h linux/sched.h trace/events/sched.h trace/events/syscalls.h linux/genetlink.h'
output=$1
shift
flags=$*
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

{
	echo '/* SPDX-License-Identifier: GPL-2.0-only */'
	echo '/* What this kernel offers, found by compat/features.sh. */'
} >"$work/features.h"

compiles() {	# WARNING-FLAG...; the program is $work/probe.c
	# shellcheck disable=SC2086 # a list of words
	LC_ALL=C $flags "$@" -Wno-missing-prototypes -Wno-missing-declarations -Wno-unused \
		-c -o "$work/probe.o" "$work/probe.c" >"$work/log" 2>&1
}

# The begin of each program: those of the headers that this kernel has.
include() {	# HEADERS
	echo '#include <linux/types.h>'
	echo 'struct compact_control;'	# which its tracepoints name, and only the kernel itself declares
	for header in $1; do [ -z "$(have "$header")" ] || echo "#include <$header>"; done
}

program() {	# HEADERS CODE
	include "$1"
	echo "$2"
}

# Asks for all headers at once. A compiler that cannot say is asked for each, by have().
ask_for_headers() {	# HEADER...
	{
		printf '#ifndef __has_include\n#error it cannot say\n#endif\n'
		for header; do printf '#if __has_include(<%s>)\n"has" "%s"\n#endif\n' "$header" "$header"; done
	} >"$work/header.c"
	# shellcheck disable=SC2086 # a list of words
	$flags -E -o "$work/header.i" "$work/header.c" >"$work/header.log" 2>&1 || return 0
	for header; do
		if grep -q "^\"has\" \"$header\"" "$work/header.i"; then echo yes; fi >"$work/header-$(echo "$header" | tr / -)"
	done
}

# One run of the compiler for each header, whichever rows name it.
have() {	# HEADER
	known=$work/header-$(echo "$1" | tr / -)
	if [ ! -e "$known" ]; then
		echo "#include <$1>" >"$work/header.c"
		# shellcheck disable=SC2086 # a list of words
		if $flags -M -o /dev/null "$work/header.c" >"$work/header.log" 2>&1 ||
			! grep -q "$1: No such file" "$work/header.log"; then echo yes; fi >"$known"
	fi
	cat "$known"
}

stop() {	# SENTENCE
	echo "scope: $1" >&2
	head -n 20 "$work/log" >&2
	exit 1
}

# Compiles the code of all these rows as one program, and writes the numbers of those in which there is an error. The
# names that a row gives its functions get its number, and to the compiler each row is a file.
# 1: there is an error in none of them, but in what they include.
# shellcheck disable=SC2086 # a list of words
find_wrong() {	# COLUMN(3 the code, 4 the older) NUMBER... >NUMBERS
	column=$1
	shift
	{
		include "$(cut -d '|' -f 2 "$work/rows" | tr ' ' '\n' | sort -u)"
		awk -F '|' -v column="$column" -v numbers="$*" '
			BEGIN { count = split(numbers, number, " ") }
			{ code[NR] = $column ~ /[^ ]/ ? $column : "int f(void) { return 0; }" }
			END {
				for (i = 1; i <= count; i++) {
					rest = code[number[i]]
					printf "#line 1 \"row-%s\"\n", number[i]
					while (match(rest, /[A-Za-z_][A-Za-z_0-9]*/)) {
						word = substr(rest, RSTART, RLENGTH)
						printf "%s%s%s", substr(rest, 1, RSTART - 1), word, word ~ /^[fpehg]$/ ? "_" number[i] : ""
						rest = substr(rest, RSTART + RLENGTH)
					}
					print rest
				}
			}' "$work/rows"
	} >"$work/probe.c"
	! compiles $errors -ftrack-macro-expansion=0 || return 0
	sed -n 's/^row-\([0-9]*\):[0-9:]* error:.*/\1/p' "$work/log" | sort -un >"$work/wrong"
	[ -s "$work/wrong" ] && cat "$work/wrong"
}

# The words of the first list that are not in the second.
without() {	# LIST LIST
	for word in $1; do
		case " $2 " in *" $word "*) ;; *) printf '%s ' "$word" ;; esac
	done
}

# All rows in a few programs. What is there is what compiled without an error as one program. What is not there had an
# error in two programs of other rows, or also alone. 1: this cannot say which, as where headers go together badly.
# shellcheck disable=SC2046,SC2086,SC2116 # lists of words
try_together() {
	present=$(awk '{ printf "%d ", NR }' "$work/rows")
	absent=''
	tries=0
	# A compiler names a function that is not declared once, in the first row that calls it.
	while :; do
		wrong=$(find_wrong 3 $present) || return 1
		[ -n "$wrong" ] || break
		absent="$absent $(echo $wrong)"
		present=$(without "$present" "$(echo $wrong)")
		tries=$((tries + 1))
		[ $tries -lt 10 ] || return 1
	done
	backwards=$(echo $absent | tr ' ' '\n' | sort -rn)
	wrong=$(find_wrong 3 $backwards) || return 1
	for number in $(without "$(echo $absent)" "$(echo $wrong)"); do
		[ "$(find_wrong 3 "$number")" = "$number" ] || return 1
	done
	for number in $(awk -F '|' -v absent=" $(echo $absent) " \
		'index(absent, " " NR " ") && $1 !~ /\+/ { print NR }' "$work/rows"); do set -- "$@" "$number"; done
	wrong=$(find_wrong 4 "$@") && [ -z "$wrong" ] || return 1
	for number in $(echo $present | tr ' ' '\n' | sort -n); do
		awk -F '|' -v number="$number" 'NR == number { gsub(/[ +]/, "", $1); print "#define SCOPE_HAVE_" $1 " 1" }' "$work/rows"
	done >>"$work/features.h"
}

# Each row in a program of its own. It is the slow way, and can say which row it is that stops the build.
try_each() {
	while IFS='|' read -r macro headers code older; do
		macro=$(echo $macro)
		optional=
		[ "${macro#+}" = "$macro" ] || { optional=1; macro=${macro#+}; }
		program "$headers" "$code" >"$work/probe.c"
		# shellcheck disable=SC2086 # a list of words
		if compiles $errors; then
			echo "#define SCOPE_HAVE_$macro 1" >>"$work/features.h"
			continue
		fi
		[ -z "$optional" ] || continue
		program "$headers" "${older:-int f(void) { return 0; \}}" >"$work/probe.c"
		# shellcheck disable=SC2086 # a list of words
		compiles $errors || stop "this kernel fits neither what compat/features.sh knows as new nor as old of $macro; please report it with these lines:"
	done <"$work/rows"
}

# Old headers are not free of warnings: let only those fail that a probe is after.
errors='-Werror=implicit-function-declaration -Werror=incompatible-pointer-types -Werror=int-conversion'
# A compiler without a name for these warnings takes them all or none.
: >"$work/probe.c"
# shellcheck disable=SC2086 # a list of words
compiles $errors || errors=-Werror

rows >"$work/rows"
# shellcheck disable=SC2046 # a list of words
ask_for_headers $basic $(cut -d '|' -f 2 "$work/rows" | tr ' ' '\n' | sort -u)
program "$basic" 'int f(void) { return 0; }' >"$work/probe.c"
# shellcheck disable=SC2086 # a list of words
compiles $errors || stop "these kernel headers do not compile, so nothing built against them would: run \`make modules_prepare' there, with the compiler that the kernel was built with"
if [ "${SCOPE_FEATURES_EACH:-}" ] || ! try_together; then try_each; fi
cp "$work/features.h" "$output"
