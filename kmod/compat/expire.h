/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tracepoint of timers that expire. Its time is a pointer or a value.
 *
 * Included by the one probe file that attaches to it. Kernels up to 7.0 have a pointer, later ones a value.
 * SCOPE_EXPIRE_KNOWN is 0 if it is neither. Then EVENTS_CAUSE is refused.
 */
#ifndef SCOPE_COMPAT_EXPIRE_H
#define SCOPE_COMPAT_EXPIRE_H

#include <linux/hrtimer.h>
#include <linux/sched.h> /* up to 4.10, for the times in the event's header */
#include <trace/events/timer.h>

#if defined(SCOPE_HAVE_EXPIRE_POINTER)
#define SCOPE_EXPIRE_KNOWN 1
#define SCOPE_COMPAT_EXPIRE_PROTO(data) void *data, struct hrtimer *timer, ktime_t *now
#elif defined(SCOPE_HAVE_EXPIRE_VALUE)
#define SCOPE_EXPIRE_KNOWN 1
#define SCOPE_COMPAT_EXPIRE_PROTO(data) void *data, struct hrtimer *timer, ktime_t now
#else
#define SCOPE_EXPIRE_KNOWN 0
#define SCOPE_COMPAT_EXPIRE_PROTO(data) void *data, struct hrtimer *timer
#define check_trace_callback_type_hrtimer_expire_entry(probe) ((void)(probe))
#endif

#endif
