// SPDX-License-Identifier: GPL-2.0-only
/* Finds descriptors of the target's processes by their number, and by the pipe or socket that they are. */
#include "anomaly/fd_index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t key_of(uint32_t tgid, int32_t fd)
{
	return (uint64_t)tgid << 32 | (uint32_t)fd;
}

/* The number in "pipe:[1234]" and "socket:[1234]…". Returns false for other names. */
static bool object_of(const char *name, uint64_t *ret_number)
{
	if (strncmp(name, "pipe:[", strlen("pipe:[")) && strncmp(name, "socket:[", strlen("socket:[")))
		return false;
	*ret_number = strtoull(strchr(name, '[') + 1, NULL, 10);
	return true;
}

/* The first row whose key is not below that one. */
static size_t first_from(const struct scope_sort_row *by, size_t count, uint64_t key)
{
	size_t low = 0, high = count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (by[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int scope_anomaly_fd_index_init(struct scope_fd_index *index, const struct scope_trace *trace)
{
	struct scope_sort_row *room;

	*index = (struct scope_fd_index){ 0 };
	index->row = scope_trace_fds(trace, &index->rows);
	if (!index->rows)
		return 0;
	index->by_fd = reallocarray(NULL, index->rows, sizeof(*index->by_fd));
	index->by_object = reallocarray(NULL, index->rows, sizeof(*index->by_object));
	room = reallocarray(NULL, index->rows, sizeof(*room));
	if (!index->by_fd || !index->by_object || !room) {
		free(room);
		return -ENOMEM;
	}
	for (size_t i = 0; i < index->rows; i++) {
		struct scope_sort_row *object = &index->by_object[index->objects];

		index->by_fd[i] = (struct scope_sort_row){ key_of(index->row[i].tgid, index->row[i].fd), i };
		object->value = i;
		index->objects += object_of(index->row[i].name, &object->key);
	}
	scope_sort_rows(index->by_fd, room, index->rows);
	scope_sort_rows(index->by_object, room, index->objects);
	free(room);
	return 0;
}

void scope_anomaly_fd_index_free(struct scope_fd_index *index)
{
	free(index->by_fd);
	free(index->by_object);
}

const struct scope_trace_fd *scope_anomaly_fd_index_find(const struct scope_fd_index *index, uint32_t tgid, int64_t fd)
{
	size_t end;

	if (fd < INT32_MIN || fd > INT32_MAX)
		return NULL;
	end = first_from(index->by_fd, index->rows, key_of(tgid, (int32_t)fd) + 1);
	return end && index->by_fd[end - 1].key == key_of(tgid, (int32_t)fd) ? &index->row[index->by_fd[end - 1].value]
									     : NULL;
}

bool scope_anomaly_fd_index_has(const struct scope_fd_index *index, uint32_t tgid)
{
	const size_t at = first_from(index->by_fd, index->rows, key_of(tgid, 0));

	return at < index->rows && index->row[index->by_fd[at].value].tgid == tgid;
}

const struct scope_trace_fd *scope_anomaly_fd_index_object(const struct scope_fd_index *index, const char *name,
							   size_t *at)
{
	uint64_t number;

	if (!object_of(name, &number))
		return NULL;
	if (!*at)
		*at = first_from(index->by_object, index->objects, number);
	while (*at < index->objects && index->by_object[*at].key == number) {
		const struct scope_trace_fd *row = &index->row[index->by_object[(*at)++].value];

		if (!strncmp(row->name, name, strlen(name)))
			return row;
	}
	return NULL;
}
