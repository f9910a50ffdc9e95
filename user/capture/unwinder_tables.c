// SPDX-License-Identifier: GPL-2.0-only
/* Gives unwind tables and mappings of the child that unwinds to the module. */
#include <errno.h>
#include <string.h>

#include "base/grow.h"
#include "capture/unwinder_internal.h"

#define AHEAD_MAX 4096u /* a limit, because the child is not trusted to stop */

/* True if files are opened in advance: there is no other work. */
static bool is_ahead(const struct scope_unwinder *unwinder)
{
	return unwinder->unopened && !unwinder->first && !unwinder->names_wanted && unwinder->ahead < AHEAD_MAX;
}

bool scope_capture_unwinder_send_tables(struct scope_unwinder *unwinder)
{
	const bool ahead = is_ahead(unwinder);

	if (!unwinder->host.table)
		return false;
	if (ahead && !unwinder->tables && !unwinder->processes)
		unwinder->tables = unwinder->processes = true;
	/* Mappings refer to tables, so these come first. */
	if (unwinder->tables) {
		unwinder->ahead += ahead;
		scope_capture_unwinder_send(unwinder, SCOPE_UNWINDER_TABLE, ahead);
	} else if (unwinder->processes) {
		scope_capture_unwinder_send(unwinder, SCOPE_UNWINDER_PROCESS, 0);
	}
	return unwinder->tables || unwinder->processes;
}

bool scope_capture_unwinder_settled(const struct scope_unwinder *unwinder)
{
	return !unwinder->child || !unwinder->host.table ||
	       !(unwinder->busy || unwinder->maps_bytes || unwinder->tables || unwinder->processes ||
		 is_ahead(unwinder));
}

/* True if after this error the module may still accept others. */
static bool concerns_one(int err)
{
	return err == -EINVAL || err == -E2BIG || err == -ENOSPC || err == -ESRCH;
}

static void stop(struct scope_unwinder *unwinder)
{
	unwinder->host.table = NULL;
	unwinder->tables = unwinder->processes = unwinder->unopened = false;
}

static int number_table(struct scope_unwinder *unwinder, uint32_t key)
{
	int number = unwinder->host.table(unwinder->host.context, unwinder->table, (uint32_t)unwinder->table_bytes);

	if (number < 0 && !concerns_one(number)) {
		unwinder->counts.tables_refused += number == -ENOMEM;
		stop(unwinder);
		return 0;
	}
	if (scope_grow(&unwinder->number, &unwinder->number_room, key, sizeof(*unwinder->number)))
		return -ENOMEM;
	while (unwinder->numbers < key)
		unwinder->number[unwinder->numbers++] = SCOPE_MAP_NO_TABLE;
	if (number < 0) {
		unwinder->counts.tables_refused++;
		return 0;
	}
	unwinder->number[key - 1] = (uint32_t)number;
	unwinder->counts.tables++;
	return 0;
}

/* The child is not trusted: keys must come one after another, and a table must end. The module checks its content. */
int scope_capture_unwinder_take_table(struct scope_unwinder *unwinder, const struct scope_unwinder_answer *answer)
{
	int err;

	if (!answer->bytes) {
		unwinder->tables = false;
		unwinder->table_bytes = 0;
		return 0;
	}
	if (answer->bytes > sizeof(unwinder->shared->out) || answer->all_bytes > SCOPE_TABLE_BYTES_MAX ||
	    unwinder->table_bytes + answer->bytes > answer->all_bytes || answer->type != unwinder->numbers + 1)
		return -EPROTO;
	err = scope_grow(&unwinder->table, &unwinder->table_room, unwinder->table_bytes + answer->bytes, 1);
	if (err)
		return err;
	memcpy(unwinder->table + unwinder->table_bytes, unwinder->shared->out, answer->bytes);
	unwinder->table_bytes += answer->bytes;
	if (unwinder->table_bytes < answer->all_bytes)
		return 0;
	err = number_table(unwinder, answer->type);
	unwinder->table_bytes = 0;
	return err;
}

int scope_capture_unwinder_take_process(struct scope_unwinder *unwinder, const struct scope_unwinder_answer *answer)
{
	struct scope_table_map *map = (void *)unwinder->shared->out;
	const uint32_t count = answer->bytes / sizeof(*map);
	int err;

	if (!answer->type) {
		unwinder->processes = false;
		return 0;
	}
	if (answer->bytes > sizeof(unwinder->shared->out) || answer->bytes % sizeof(*map))
		return -EPROTO;
	for (uint32_t i = 0; i < count; i++) {
		if (map[i].table == SCOPE_MAP_NO_TABLE || map[i].table == SCOPE_MAP_FRAME_POINTERS)
			continue;
		map[i].table = map[i].table <= unwinder->numbers ? unwinder->number[map[i].table - 1]
								 : SCOPE_MAP_NO_TABLE;
	}
	err = unwinder->host.process(unwinder->host.context, answer->type, map, count);
	/* Count 0: the process has too many mappings. Other errors concern processes and sessions that have ended. */
	unwinder->counts.maps_refused += !count || err == -ENOSPC || err == -E2BIG || err == -ENOMEM;
	if (err && !concerns_one(err))
		stop(unwinder);
	return 0;
}
