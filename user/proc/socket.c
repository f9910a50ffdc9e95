// SPDX-License-Identifier: GPL-2.0-only
/* Reads /proc/PID/net tables into one list, sorted by inode. */
#include "proc/socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "proc/file.h"
#include "proc/unix_peers.h"

#define TCP_STATE_LISTEN 0x0a
#define UNIX_FLAG_LISTEN 0x00010000 /* __SO_ACCEPTCON of the kernel */
#define UNIX_TYPE_DATAGRAM 2
#define STREAMS 1 /* struct row: table */

/* An end of a connection. */
struct end {
	uint8_t family; /* AF_INET or AF_INET6; 0: none */
	uint16_t port;
	uint32_t address[4]; /* in network byte order; IPv4: the first word */
};

struct row {
	uint64_t inode;
	const char *path; /* path of a unix socket, in the text of the table; NULL: none */
	uint8_t kind;	  /* enum scope_fd_kind */
	uint8_t table;	  /* 1: TCP; 2 and more: other internet protocols; 0: none of these */
	uint32_t space;	  /* number of its network namespace */
	uint64_t pair;	  /* of a unix socket: its peer's inode; 0: none, or not known */
	struct end own, peer;
};

struct scope_socket_table {
	struct row *row;
	size_t count, room;
	const struct row **by_own; /* rows with an own end, sorted by table and that end */
	size_t owned;
	uint32_t spaces;	    /* network namespaces read so far */
	uint8_t listens[65536 / 8]; /* a bit for each TCP port with a listener in the namespace that is being read */
};

static int add(struct scope_socket_table *table, const struct row *row)
{
	if (scope_grow(&table->row, &table->room, table->count + 1, sizeof(*table->row)))
		return -ENOMEM;
	table->row[table->count] = *row;
	table->row[table->count++].space = table->spaces;
	return 0;
}

/*
 * Parses "0100007F:1F90": words of 8 digits, in the byte order of the kernel's memory, and the port. An IPv4 address in
 * an IPv6 address becomes that IPv4 address. The result has no family if the text is no address, or has no port.
 * sscanf() would take ten times as long, and a host may have 100,000 connections.
 */
static struct end parse_end(char *text)
{
	char *colon = strchr(text, ':');
	struct end end = { 0 };
	size_t words;

	if (!colon || (colon - text) % 8)
		return end;
	words = (size_t)(colon - text) / 8;
	end.port = (uint16_t)strtoul(colon + 1, NULL, 16);
	if (!end.port || (words != 1 && words != 4))
		return end;
	/* Goes from the last word to the first, so that each ends where the one after it was cut off. */
	for (size_t i = words; i--;) {
		text[8 * (i + 1)] = '\0';
		end.address[i] = (uint32_t)strtoul(text + 8 * i, NULL, 16);
	}
	end.family = words == 1 ? AF_INET : AF_INET6;
	if (words == 4 && !end.address[0] && !end.address[1] && end.address[2] == htonl(0xffff)) {
		end.family = AF_INET;
		end.address[0] = end.address[3];
		end.address[2] = end.address[3] = 0;
	}
	return end;
}

/* Words of a line of /proc/net/tcp and the like. */
enum { WORD_OWN = 1, WORD_PEER, WORD_STATE, WORD_INODE = 9, WORDS };

/* sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode ... */
static int parse_inet(char *line, uint8_t number, struct scope_socket_table *table)
{
	struct row row = { .kind = SCOPE_FD_DATAGRAM, .table = number };
	char *word[WORDS], *rest;
	size_t words = 0;

	for (char *at = strtok_r(line, " ", &rest); at && words < WORDS; at = strtok_r(NULL, " ", &rest))
		word[words++] = at;
	if (words < WORDS)
		return 0;
	row.inode = strtoull(word[WORD_INODE], NULL, 10);
	/*
	 * Skips the line of titles, and sockets that are closed: these are still in the kernel's table, but have no
	 * descriptor.
	 */
	if (!row.inode)
		return 0;
	row.own = parse_end(word[WORD_OWN]);
	row.peer = parse_end(word[WORD_PEER]);
	if (number == STREAMS) {
		row.kind = strtoul(word[WORD_STATE], NULL, 16) == TCP_STATE_LISTEN ? SCOPE_FD_LISTEN
										   : SCOPE_FD_CONNECTED;
		if (row.kind == SCOPE_FD_LISTEN)
			table->listens[row.own.port / 8] |= (uint8_t)(1u << row.own.port % 8);
	}
	return add(table, &row);
}

/* Splits text into lines. */
static int parse_inet_table(char *text, uint8_t number, struct scope_socket_table *table)
{
	char *line;
	int err = 0;

	while (!err && (line = strsep(&text, "\n")))
		err = parse_inet(line, number, table);
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

/*
 * Marks accepted sockets: an accepted TCP socket has a listener's port, an accepted unix socket a listener's path.
 * first: the first of the rows just read.
 */
static int mark_accepted(struct scope_socket_table *table, size_t first)
{
	const char **paths;
	size_t i, count = 0;

	paths = malloc((table->count - first + 1) * sizeof(*paths));
	if (!paths)
		return -ENOMEM;
	for (i = first; i < table->count; i++)
		if (table->row[i].path && table->row[i].kind == SCOPE_FD_LISTEN)
			paths[count++] = table->row[i].path;
	qsort(paths, count, sizeof(*paths), by_path);
	for (i = first; i < table->count; i++) {
		struct row *row = &table->row[i];

		if (row->kind != SCOPE_FD_CONNECTED)
			continue;
		if (row->path && bsearch(&row->path, paths, count, sizeof(*paths), by_path))
			row->kind = SCOPE_FD_ACCEPTED;
		if (row->table && table->listens[row->own.port / 8] & 1u << row->own.port % 8)
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

static int compare_ends(const struct end *a, const struct end *b)
{
	if (a->family != b->family)
		return a->family < b->family ? -1 : 1;
	if (a->port != b->port)
		return a->port < b->port ? -1 : 1;
	return memcmp(a->address, b->address, sizeof(a->address));
}

static int by_own_end(const void *left, const void *right)
{
	const struct row *a = *(const struct row *const *)left, *b = *(const struct row *const *)right;

	if (a->space != b->space)
		return a->space < b->space ? -1 : 1;
	return a->table != b->table ? a->table < b->table ? -1 : 1 : compare_ends(&a->own, &b->own);
}

static int sort(struct scope_socket_table *table)
{
	if (table->count)
		qsort(table->row, table->count, sizeof(*table->row), by_inode);
	free(table->by_own);
	table->owned = 0;
	table->by_own = calloc(table->count + 1, sizeof(*table->by_own));
	if (!table->by_own)
		return -ENOMEM;
	for (size_t i = 0; i < table->count; i++)
		if (table->row[i].own.family)
			table->by_own[table->owned++] = &table->row[i];
	qsort(table->by_own, table->owned, sizeof(*table->by_own), by_own_end);
	return 0;
}

static int read_tables(uint32_t pid, struct scope_socket_table *table)
{
	static const struct {
		const char *name;
		uint8_t number; /* struct row: table */
	} inet[] = {
		{ "tcp", STREAMS }, { "tcp6", STREAMS }, { "udp", 2 },	   { "udp6", 2 },
		{ "raw", 3 },	    { "raw6", 3 },	 { "udplite", 4 }, { "icmp", 5 },
	};
	const size_t first = table->count;
	char *text;
	size_t i;
	int err;

	for (i = 0; i < sizeof(inet) / sizeof(inet[0]); i++) {
		if (scope_proc_file_read(&text, "/proc/%u/net/%s", pid, inet[i].name))
			continue;
		err = parse_inet_table(text, inet[i].number, table);
		free(text);
		if (err)
			return err;
	}
	if (scope_proc_file_read(&text, "/proc/%u/net/unix", pid))
		text = NULL;
	err = text ? parse_unix_table(text, table) : 0;
	if (!err)
		err = mark_accepted(table, first);
	for (i = first; i < table->count; i++)
		table->row[i].path = NULL;
	free(text);
	return err;
}

static struct row *find(const struct scope_socket_table *table, uint64_t inode)
{
	const struct row key = { .inode = inode };

	return table->count ? bsearch(&key, table->row, table->count, sizeof(*table->row), by_inode) : NULL;
}

static int pair(uint64_t inode, uint64_t peer, void *context)
{
	struct row *row = find(context, inode);

	if (row && !row->table)
		row->pair = peer;
	return 0;
}

int scope_proc_socket_table_add(struct scope_socket_table *table, uint32_t pid)
{
	int err;

	memset(table->listens, 0, sizeof(table->listens));
	err = read_tables(pid, table);
	table->spaces++;
	if (!err)
		err = sort(table);
	return err ? err : scope_proc_unix_peers(pid, pair, table);
}

int scope_proc_socket_table_create(uint32_t pid, struct scope_socket_table **ret_table)
{
	struct scope_socket_table *table = calloc(1, sizeof(*table));
	int err = table ? scope_proc_socket_table_add(table, pid) : -ENOMEM;

	if (err) {
		scope_proc_socket_table_destroy(table);
		return err;
	}
	*ret_table = table;
	return 0;
}

void scope_proc_socket_table_destroy(struct scope_socket_table *table)
{
	if (!table)
		return;
	free(table->row);
	free(table->by_own);
	free(table);
}

static bool print_end(const struct end *end, char text[SCOPE_PROC_ADDRESS_MAX])
{
	char address[INET6_ADDRSTRLEN];

	if (!end->family || !inet_ntop(end->family, end->address, address, sizeof(address)))
		return false;
	snprintf(text, SCOPE_PROC_ADDRESS_MAX, end->family == AF_INET ? "%s:%u" : "[%s]:%u", address, end->port);
	return true;
}

bool scope_proc_socket_ends(const struct scope_socket_table *table, uint64_t inode,
			    char ret_peer[SCOPE_PROC_ADDRESS_MAX], char ret_own[SCOPE_PROC_ADDRESS_MAX])
{
	const struct row *row = find(table, inode);

	if (row && row->pair) {
		snprintf(ret_peer, SCOPE_PROC_ADDRESS_MAX, "socket:[%" PRIu64 "]", row->pair);
		*ret_own = '\0';
		return true;
	}
	return row && print_end(&row->peer, ret_peer) && print_end(&row->own, ret_own);
}

/*
 * The first socket, in the table and namespace of `like`, at this end and with this peer (or without a peer). NULL:
 * none.
 */
static const struct row *find_at(const struct scope_socket_table *table, const struct row *of, const struct end *own,
				 const struct end *peer)
{
	const struct row key = { .table = of->table, .space = of->space, .own = *own };
	const struct row *const wanted = &key;
	size_t from = 0, to = table->owned;

	while (from < to) {
		const size_t middle = from + (to - from) / 2;

		if (by_own_end(&table->by_own[middle], &wanted) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	for (; from < table->owned && !by_own_end(&table->by_own[from], &wanted); from++)
		if (!compare_ends(&table->by_own[from]->peer, peer))
			return table->by_own[from];
	return NULL;
}

/* True if packets to the peer do not leave this host: its address is the sender's own, or a loopback address. */
static bool is_here(const struct row *row)
{
	static const struct in6_addr loopback = IN6ADDR_LOOPBACK_INIT;
	const struct end *peer = &row->peer;

	if (!memcmp(peer->address, row->own.address, sizeof(peer->address)))
		return true;
	return peer->family == AF_INET ? ntohl(peer->address[0]) >> 24 == IN_LOOPBACKNET
				       : !memcmp(peer->address, &loopback, sizeof(loopback));
}

uint64_t scope_proc_socket_other_end(const struct scope_socket_table *table, uint64_t inode)
{
	static const struct end none;
	const struct row *row = find(table, inode), *other;
	struct end any;

	if (row && row->pair)
		return row->pair;
	if (!row || !row->table || !row->own.family || !row->peer.family)
		return 0;
	other = find_at(table, row, &row->peer, &row->own);
	if (!other && is_here(row)) {
		/* The connection is not accepted yet, or one socket gets the datagrams of all peers. */
		other = find_at(table, row, &row->peer, &none);
		any = (struct end){ .family = row->peer.family, .port = row->peer.port };
		if (!other)
			other = find_at(table, row, &any, &none);
		any.family = AF_INET6;
		if (!other)
			other = find_at(table, row, &any, &none);
	}
	return other ? other->inode : 0;
}

enum scope_fd_kind scope_proc_socket_kind(const struct scope_socket_table *table, uint64_t inode)
{
	const struct row *row = find(table, inode);

	return row ? (enum scope_fd_kind)row->kind : SCOPE_FD_UNKNOWN;
}
