// SPDX-License-Identifier: GPL-2.0-only
/* Tells each of several listeners what a timeline tells one. */
#include "timeline/listeners.h"

#define ALL_ROLES UINT32_MAX

/* OP of each listener that has one, until one returns an error. */
#define TELL_EACH(OP, ...)                                                                                             \
	const struct scope_listeners *listeners = user;                                                                \
	int err = 0;                                                                                                   \
                                                                                                                       \
	for (size_t i = 0; !err && i < listeners->count; i++) {                                                        \
		const struct scope_pass_listener *one = &listeners->listener[i];                                       \
                                                                                                                       \
		if (one->ops->OP)                                                                                      \
			err = one->ops->OP(one->user, __VA_ARGS__);                                                    \
	}                                                                                                              \
	return err

/* Who hears of no call minds none. */
static uint32_t roles_of(const struct scope_pass_listener *one, uint32_t thread)
{
	if (one->ops->plain_roles)
		return one->ops->plain_roles(one->user, thread);
	return one->ops->enter || one->ops->exit ? 0 : ALL_ROLES;
}

static uint32_t plain_roles(void *user, uint32_t thread)
{
	const struct scope_listeners *listeners = user;
	uint32_t roles = ALL_ROLES;

	for (size_t i = 0; i < listeners->count; i++)
		roles &= roles_of(&listeners->listener[i], thread);
	return roles;
}

static bool plain(void *user, const struct scope_thread *thread, const struct scope_event *event,
		  enum scope_timeline_call_role role)
{
	const struct scope_listeners *listeners = user;

	for (size_t i = 0; i < listeners->count; i++) {
		const struct scope_pass_listener *one = &listeners->listener[i];

		if (one->ops->plain)
			one->ops->plain(one->user, thread, event, role);
	}
	return true;
}

static int enter(void *user, const struct scope_thread *thread, const struct scope_open_call *call)
{
	TELL_EACH(enter, thread, call);
}

static int leave_call(void *user, const struct scope_thread *thread, const struct scope_open_call *call, int64_t ret,
		      uint64_t exit_ns)
{
	TELL_EACH(exit, thread, call, ret, exit_ns);
}

static int wait(void *user, const struct scope_wait *wait)
{
	TELL_EACH(wait, wait);
}

static int queued(void *user, const struct scope_queued *stretch)
{
	TELL_EACH(queued, stretch);
}

static int stay(void *user, const struct scope_thread *thread, uint64_t begin_ns, uint64_t end_ns)
{
	TELL_EACH(stay, thread, begin_ns, end_ns);
}

static int block(void *user, uint32_t thread, const struct scope_event *event)
{
	TELL_EACH(block, thread, event);
}

static int leave(void *user, uint32_t thread, uint64_t now_ns)
{
	TELL_EACH(leave, thread, now_ns);
}

static int stack(void *user, uint32_t thread, const struct scope_event *event)
{
	TELL_EACH(stack, thread, event);
}

static int lost(void *user, uint32_t thread, uint64_t now_ns)
{
	TELL_EACH(lost, thread, now_ns);
}

static int state(void *user, uint32_t thread, const struct scope_event *event)
{
	TELL_EACH(state, thread, event);
}

static int end(void *user, uint32_t thread, uint64_t now_ns)
{
	TELL_EACH(end, thread, now_ns);
}

const struct scope_timeline_ops scope_timeline_listeners_ops = {
	.plain_roles = plain_roles,
	.plain = plain,
	.enter = enter,
	.exit = leave_call,
	.wait = wait,
	.queued = queued,
	.stay = stay,
	.block = block,
	.leave = leave,
	.stack = stack,
	.lost = lost,
	.state = state,
	.end = end,
};

int scope_timeline_listeners_begin(const struct scope_listeners *listeners, const struct scope_timeline *timeline)
{
	int err = 0;

	for (size_t i = 0; !err && i < listeners->count; i++)
		err = listeners->listener[i].begin(listeners->listener[i].user, timeline);
	return err;
}

int scope_timeline_listeners_finish(const struct scope_listeners *listeners)
{
	int err = 0;

	for (size_t i = 0; !err && i < listeners->count; i++)
		if (listeners->listener[i].finish)
			err = listeners->listener[i].finish(listeners->listener[i].user);
	return err;
}
