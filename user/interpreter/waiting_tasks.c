// SPDX-License-Identifier: GPL-2.0-only
/* Where tasks of a runtime wait while they are in no thread. */
#include "interpreter/waiting_tasks.h"

#include <string.h>

#define WAIT_TRIES 16 /* rows in which a task may be */

void scope_interpreter_waiting_begin(struct scope_waiting_tasks *tasks, struct scope_waiting_places *places)
{
	tasks->look++;
	places->places = places->looked = places->torn = places->addresses = 0;
}

/*
 * The row of a task; NULL: there is no room, because all rows in which it may be have tasks that waited at the last
 * look.
 */
static struct scope_waiting_task *find_row(struct scope_waiting_tasks *tasks, uint64_t task)
{
	struct scope_waiting_task *room = NULL;

	for (unsigned i = 0; i < WAIT_TRIES; i++) {
		struct scope_waiting_task *row =
			&tasks->row[((task >> 4) * 0x9e3779b97f4a7c15ull % 0x7fffffffu + i) % SCOPE_WAITING_ROWS];

		if (row->task == task)
			return row;
		if (!room && (!row->task || row->look + 1 < tasks->look))
			room = row;
	}
	if (room)
		*room = (struct scope_waiting_task){ .task = task };
	return room;
}

uint32_t scope_interpreter_waiting_s(struct scope_waiting_tasks *tasks, uint64_t task, uint64_t hash, uint64_t now_ns)
{
	struct scope_waiting_task *row = find_row(tasks, task);
	uint64_t seconds;

	if (!row)
		return 0;
	if (row->hash != hash || row->look + 1 != tasks->look)
		row->since_ns = now_ns;
	row->hash = hash;
	row->look = tasks->look;
	seconds = (now_ns - row->since_ns) / 1000000000;
	return (uint32_t)(seconds < SCOPE_WAITING_SECONDS_MAX ? seconds : SCOPE_WAITING_SECONDS_MAX);
}

void scope_interpreter_waiting_add(struct scope_waiting_places *places, const uint64_t *address, uint16_t count,
				   bool cut, uint32_t waited_s)
{
	struct scope_waiting_place *place = places->place;

	for (uint32_t i = 0; i < places->places; i++, place++)
		if (place->count == count && !place->waited_s == !waited_s &&
		    !memcmp(places->address + place->first, address, count * sizeof(*address))) {
			place->tasks++;
			place->waited_s = waited_s > place->waited_s ? waited_s : place->waited_s;
			return;
		}
	if (places->places == SCOPE_WAITING_PLACES)
		return;
	*place = (struct scope_waiting_place){ 1, waited_s, count, cut, places->addresses };
	memcpy(places->address + places->addresses, address, count * sizeof(*address));
	places->addresses += count;
	places->places++;
}
