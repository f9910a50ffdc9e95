/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Threads that reclaim memory: the arguments of the tracepoints, none of which is used.
 *
 * Included by the one probe file that attaches to them. SCOPE_RECLAIM_KNOWN and SCOPE_COMPACT_KNOWN are 0 if a
 * tracepoint has an unknown prototype.
 */
#ifndef SCOPE_COMPAT_STALL_H
#define SCOPE_COMPAT_STALL_H

#include <linux/types.h>

struct compact_control;
struct mem_cgroup;

#if defined(SCOPE_HAVE_RECLAIM_PAIR) || defined(SCOPE_HAVE_RECLAIM_TRIPLE) || defined(SCOPE_HAVE_RECLAIM_QUAD) ||      \
	defined(SCOPE_HAVE_RECLAIM_GROUP)
#define SCOPE_RECLAIM_KNOWN 1
#include <linux/mm.h>
#include <trace/events/vmscan.h>
#if defined(SCOPE_HAVE_RECLAIM_GROUP) /* 7.3 */
#define SCOPE_RECLAIM_PROTO(data) void *data, gfp_t flags, int order, struct mem_cgroup *group
#define SCOPE_RECLAIM_END_PROTO(data) void *data, unsigned long pages, struct mem_cgroup *group
#elif defined(SCOPE_HAVE_RECLAIM_PAIR) /* 5.1 */
#define SCOPE_RECLAIM_PROTO(data) void *data, int order, gfp_t flags
#elif defined(SCOPE_HAVE_RECLAIM_QUAD) /* 4.8 */
#define SCOPE_RECLAIM_PROTO(data) void *data, int order, int may_write, gfp_t flags, int zone
#else
#define SCOPE_RECLAIM_PROTO(data) void *data, int order, int may_write, gfp_t flags
#endif
#else
#define SCOPE_RECLAIM_KNOWN 0
#define SCOPE_RECLAIM_PROTO(data) void *data
#define check_trace_callback_type_mm_vmscan_direct_reclaim_begin(probe) ((void)(probe))
#define check_trace_callback_type_mm_vmscan_direct_reclaim_end(probe) ((void)(probe))
#endif
#ifndef SCOPE_RECLAIM_END_PROTO
#define SCOPE_RECLAIM_END_PROTO(data) void *data, unsigned long pages
#endif

#if defined(CONFIG_COMPACTION) && (defined(SCOPE_HAVE_COMPACT_CONTROL) || defined(SCOPE_HAVE_COMPACT_PLACES))
#define SCOPE_COMPACT_KNOWN 1
#include <trace/events/compaction.h>
#ifdef SCOPE_HAVE_COMPACT_CONTROL /* 5.18 */
#define SCOPE_COMPACT_PROTO(data)                                                                                      \
	void *data, struct compact_control *control, unsigned long from, unsigned long to, bool sync
#else /* 4.0 */
#define SCOPE_COMPACT_PROTO(data)                                                                                      \
	void *data, unsigned long from, unsigned long migrate, unsigned long spare, unsigned long to, bool sync
#endif
#else
#define SCOPE_COMPACT_KNOWN 0
#define SCOPE_COMPACT_PROTO(data) void *data
#define check_trace_callback_type_mm_compaction_begin(probe) ((void)(probe))
#define check_trace_callback_type_mm_compaction_end(probe) ((void)(probe))
#endif

#endif
