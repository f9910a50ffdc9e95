// SPDX-License-Identifier: GPL-2.0-only
/* A run with listeners. */
#include "unit/run_listeners.h"

#define ALL_ROLES UINT32_MAX

/*
 * Calls OP of each listener that has one, until one returns an error. It is a macro, so that there is no call in
 * between.
 */
#define CALL_EACH(ERR, OP, ...)                                                                                        \
	for (size_t i = 0; !(ERR) && i < builder->listeners.count; i++) {                                              \
		const struct scope_pass_listener *one = &builder->listeners.listener[i];                               \
                                                                                                                       \
		if (one->ops->OP)                                                                                      \
			(ERR) = one->ops->OP(one->user, __VA_ARGS__);                                                  \
	}

/* The builder's OP, then those of its listeners. */
#define CALL_BOTH(OP, ...)                                                                                             \
	struct scope_unit_builder *builder = user;                                                                     \
	int err = builder->ops->OP(builder, __VA_ARGS__);                                                              \
                                                                                                                       \
	CALL_EACH(err, OP, __VA_ARGS__)                                                                                \
	return err

/* OP of the listeners: units have none. */
#define CALL_LISTENERS(OP, ...)                                                                                        \
	struct scope_unit_builder *builder = user;                                                                     \
	int err = 0;                                                                                                   \
                                                                                                                       \
	CALL_EACH(err, OP, __VA_ARGS__)                                                                                \
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
	struct scope_unit_builder *builder = user;
	uint32_t roles = builder->ops->plain_roles(builder, thread);

	for (size_t i = 0; i < builder->listeners.count; i++)
		roles &= roles_of(&builder->listeners.listener[i], thread);
	return roles;
}

static bool plain(void *user, const struct scope_thread *thread, const struct scope_event *event,
		  enum scope_timeline_call_role role)
{
	struct scope_unit_builder *builder = user;

	if (!builder->ops->plain(builder, thread, event, role))
		return false;
	for (size_t i = 0; i < builder->listeners.count; i++) {
		const struct scope_pass_listener *one = &builder->listeners.listener[i];

		if (one->ops->plain)
			one->ops->plain(one->user, thread, event, role);
	}
	return true;
}

static int enter(void *user, const struct scope_thread *thread, const struct scope_open_call *call)
{
	CALL_BOTH(enter, thread, call);
}

static int leave_call(void *user, const struct scope_thread *thread, const struct scope_open_call *call, int64_t ret,
		      uint64_t exit_ns)
{
	CALL_BOTH(exit, thread, call, ret, exit_ns);
}

static int leave(void *user, uint32_t thread, uint64_t now_ns)
{
	CALL_BOTH(leave, thread, now_ns);
}

static int wait(void *user, const struct scope_wait *wait)
{
	CALL_BOTH(wait, wait);
}

static int stack(void *user, uint32_t thread, const struct scope_event *event)
{
	CALL_BOTH(stack, thread, event);
}

static int snapshot(void *user, uint32_t thread, const struct scope_event *event)
{
	CALL_BOTH(snapshot, thread, event);
}

static int request(void *user, uint32_t thread, uint32_t kind)
{
	CALL_BOTH(request, thread, kind);
}

static int lost(void *user, uint32_t thread, uint64_t now_ns)
{
	CALL_BOTH(lost, thread, now_ns);
}

static int queued(void *user, const struct scope_queued *stretch)
{
	CALL_BOTH(queued, stretch);
}

static int stay(void *user, const struct scope_thread *thread, uint64_t begin_ns, uint64_t end_ns)
{
	CALL_LISTENERS(stay, thread, begin_ns, end_ns);
}

static int block(void *user, uint32_t thread, const struct scope_event *event)
{
	CALL_LISTENERS(block, thread, event);
}

static int stall(void *user, uint32_t thread, uint8_t kind, uint64_t begin_ns, uint64_t end_ns)
{
	CALL_LISTENERS(stall, thread, kind, begin_ns, end_ns);
}

static int counted(void *user, uint32_t thread, const struct scope_event *event)
{
	CALL_LISTENERS(counted, thread, event);
}

static int state(void *user, uint32_t thread, const struct scope_event *event)
{
	CALL_BOTH(state, thread, event);
}

static int end(void *user, uint32_t thread, uint64_t now_ns)
{
	CALL_BOTH(end, thread, now_ns);
}

const struct scope_timeline_ops scope_unit_run_listeners_ops = {
	.plain_roles = plain_roles,
	.plain = plain,
	.enter = enter,
	.exit = leave_call,
	.leave = leave,
	.wait = wait,
	.queued = queued,
	.stay = stay,
	.block = block,
	.stall = stall,
	.counted = counted,
	.stack = stack,
	.snapshot = snapshot,
	.request = request,
	.lost = lost,
	.state = state,
	.end = end,
};

int scope_unit_run_listeners_feed(struct scope_unit_builder *builder, const struct scope_event *const *event,
				  size_t count)
{
	return scope_timeline_take(builder->run->timeline, event, count, &scope_unit_run_listeners_ops, builder);
}
