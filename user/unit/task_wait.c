// SPDX-License-Identifier: GPL-2.0-only
/* Finds how long the task of a request waited outside of any thread. */
#include "unit/task_wait.h"

static bool has_tasks(const struct scope_unit_builder *builder, uint32_t tgid)
{
	for (unsigned i = 0; i < builder->tasked; i++)
		if (builder->tasks_of[i] == tgid)
			return true;
	return false;
}

void scope_unit_task_note(struct scope_unit_builder *builder, uint32_t tgid)
{
	if (!has_tasks(builder, tgid) && builder->tasked < SCOPE_UNIT_TASKED)
		builder->tasks_of[builder->tasked++] = tgid;
}

bool scope_unit_task_leave(struct scope_unit_builder *builder, const struct scope_open_unit *open_unit,
			   const struct scope_thread *thread, uint64_t end_ns)
{
	if (!builder->tasked || !open_unit->asked || open_unit->client_fd < 0 || open_unit->datagrams ||
	    !has_tasks(builder, thread->tgid) || !scope_unit_open_owes(builder, open_unit, thread))
		return false;
	/* The descriptor was just looked up. */
	scope_timeline_fds_leave(builder->run->timeline->fds, open_unit->client_fd, end_ns);
	return true;
}

/* When the task went on, at the latest: as the unit began, or after the thread's last call. */
static uint64_t went_on_ns(const struct scope_open_unit *open_unit, uint64_t left_ns)
{
	if (open_unit->begin_ns >= left_ns)
		return open_unit->begin_ns;
	return open_unit->stack.exit_ns > left_ns ? open_unit->stack.exit_ns : left_ns;
}

int scope_unit_task_answer(struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
			   const struct scope_thread *thread, unsigned args, uint64_t fd, uint64_t enter_ns)
{
	struct scope_fds *fds = builder->run->timeline->fds;
	uint64_t left_ns;
	int err = 0;

	if (!args || !open_unit->requests || !has_tasks(builder, thread->tgid) ||
	    scope_timeline_fds_kind(fds, thread->tgid, (int32_t)fd) != SCOPE_FD_ACCEPTED ||
	    scope_timeline_fds_turn(fds, (int32_t)fd) != SCOPE_FD_ASKED)
		return 0;
	left_ns = scope_timeline_fds_left(fds, (int32_t)fd);
	if (!left_ns || left_ns > enter_ns || open_unit->client_fd == (int32_t)fd)
		return 0;
	if (open_unit->open && (open_unit->asked || open_unit->answered)) {
		const struct scope_mark now = scope_unit_mark_now(thread);

		err = scope_unit_open_close(builder, thread->index, &now, enter_ns, false);
	}
	if (!open_unit->open)
		scope_unit_open_begin(open_unit, thread, enter_ns);
	/* Closing the other request's unit looked up its descriptor. */
	scope_timeline_fds_kind(fds, thread->tgid, (int32_t)fd);
	open_unit->asked = true;
	open_unit->from_loop = open_unit->empty_turn = open_unit->tentative = false;
	open_unit->client_fd = (int32_t)fd;
	open_unit->connection = scope_timeline_fds_connection(fds, (int32_t)fd);
	open_unit->task_ns = went_on_ns(open_unit, left_ns) - left_ns;
	scope_timeline_fds_leave(fds, (int32_t)fd, 0);
	return err;
}
