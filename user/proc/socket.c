// SPDX-License-Identifier: GPL-2.0-only
/* Reads /proc/PID/net tables into one list, sorted by inode. */
#include "proc/socket.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "proc/file.h"

#define TCP_STATE_LISTEN 0x0a
#define UNIX_FLAG_LISTEN 0x00010000 /* __SO_ACCEPTCON of the kernel */
#define UNIX_TYPE_DATAGRAM 2

struct row {
	uint64_t inode;
	const char *path; /* path of a unix socket, in the text of the table; NULL: none */
	uint16_t port;	  /* TCP */
	uint8_t kind;	  /* enum scope_fd_kind */
};

struct scope_socket_table {
	struct row *row;
	size_t count, room;
	uint8_t listens[65536 / 8]; /* TCP ports, by bit */
};

static int add(struct scope_socket_table *table, const struct row *row)
{
	if (scope_grow(&table->row, &table->room, table->count + 1, sizeof(*table->row)))
		return -ENOMEM;
	table->row[table->count++] = *row;
	return 0;
}

/* sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode ... */
static int parse_inet(const char *line, bool stream, struct scope_socket_table *table)
{
	unsigned int port, state;
	unsigned long inode;
	struct row row = { .kind = SCOPE_FD_DATAGRAM };

	if (sscanf(line, " %*u: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x %*x:%*x %*x:%*x %*x %*u %*u %lu", &port, &state,
		   &inode) != 3)
		return 0;
	if (!inode) /* closed by its process, but still in the kernel's table: it has no descriptor */
		return 0;
	row.inode = inode;
	if (stream) {
		row.port = (uint16_t)port;
		row.kind = state == TCP_STATE_LISTEN ? SCOPE_FD_LISTEN : SCOPE_FD_CONNECTED;
		if (row.kind == SCOPE_FD_LISTEN)
			table->listens[row.port / 8] |= (uint8_t)(1u << row.port % 8);
	}
	return add(table, &row);
}

static int parse_inet_table(const char *text, bool stream, struct scope_socket_table *table)
{
	int err = 0;

	while (text && *text && !err) {
		err = parse_inet(text, stream, table);
		text = strchr(text, '\n');
		if (text)
			text++;
	}
	return err;
}

/* Num RefCount Protocol Flags Type St Inode [Path]. Splits text into lines; rows point into it. */
static int parse_unix_table(char *text, struct scope_socket_table *table)
{
	unsigned int flags, type;
	unsigned long inode;
	char *line, *rest = text;
	struct row row;
	int path, err;

	while ((line = strsep(&rest, "\n"))) {
		path = 0;
		if (sscanf(line, "%*x: %*x %*x %x %x %*x %lu %n", &flags, &type, &inode, &path) != 3)
			continue;
		row = (struct row){ .inode = inode, .kind = SCOPE_FD_CONNECTED };
		if (path && line[path])
			row.path = line + path;
		if (type == UNIX_TYPE_DATAGRAM)
			row.kind = SCOPE_FD_DATAGRAM;
		else if (flags & UNIX_FLAG_LISTEN)
			row.kind = SCOPE_FD_LISTEN;
		err = add(table, &row);
		if (err)
			return err;
	}
	return 0;
}

static int by_path(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* An accepted TCP socket has a listener's port, an accepted unix socket a listener's path. */
static int mark_accepted(struct scope_socket_table *table)
{
	const char **paths;
	size_t i, count = 0;

	paths = malloc((table->count + 1) * sizeof(*paths));
	if (!paths)
		return -ENOMEM;
	for (i = 0; i < table->count; i++)
		if (table->row[i].path && table->row[i].kind == SCOPE_FD_LISTEN)
			paths[count++] = table->row[i].path;
	qsort(paths, count, sizeof(*paths), by_path);
	for (i = 0; i < table->count; i++) {
		struct row *row = &table->row[i];

		if (row->kind != SCOPE_FD_CONNECTED)
			continue;
		if (row->path && bsearch(&row->path, paths, count, sizeof(*paths), by_path))
			row->kind = SCOPE_FD_ACCEPTED;
		if (!row->path && table->listens[row->port / 8] & 1u << row->port % 8)
			row->kind = SCOPE_FD_ACCEPTED;
	}
	free(paths);
	return 0;
}

static int by_inode(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	return a->inode < b->inode ? -1 : a->inode > b->inode;
}

static int read_tables(uint32_t pid, struct scope_socket_table *table)
{
	static const struct {
		const char *name;
		bool stream;
	} inet[] = {
		{ "tcp", true },  { "tcp6", true },  { "udp", false },	   { "udp6", false },
		{ "raw", false }, { "raw6", false }, { "udplite", false }, { "icmp", false },
	};
	char *text;
	size_t i;
	int err;

	for (i = 0; i < sizeof(inet) / sizeof(inet[0]); i++) {
		if (scope_proc_file_read(&text, "/proc/%u/net/%s", pid, inet[i].name))
			continue;
		err = parse_inet_table(text, inet[i].stream, table);
		free(text);
		if (err)
			return err;
	}
	if (scope_proc_file_read(&text, "/proc/%u/net/unix", pid))
		text = NULL;
	err = text ? parse_unix_table(text, table) : 0;
	if (!err)
		err = mark_accepted(table);
	for (i = 0; i < table->count; i++)
		table->row[i].path = NULL;
	free(text);
	return err;
}

int scope_proc_socket_table_create(uint32_t pid, struct scope_socket_table **ret_table)
{
	struct scope_socket_table *table = calloc(1, sizeof(*table));
	int err;

	if (!table)
		return -ENOMEM;
	err = read_tables(pid, table);
	if (err) {
		scope_proc_socket_table_destroy(table);
		return err;
	}
	if (table->count)
		qsort(table->row, table->count, sizeof(*table->row), by_inode);
	*ret_table = table;
	return 0;
}

void scope_proc_socket_table_destroy(struct scope_socket_table *table)
{
	if (!table)
		return;
	free(table->row);
	free(table);
}

enum scope_fd_kind scope_proc_socket_kind(const struct scope_socket_table *table, uint64_t inode)
{
	const struct row key = { .inode = inode }, *row;

	if (!table->count)
		return SCOPE_FD_UNKNOWN;
	row = bsearch(&key, table->row, table->count, sizeof(*table->row), by_inode);
	return row ? (enum scope_fd_kind)row->kind : SCOPE_FD_UNKNOWN;
}
