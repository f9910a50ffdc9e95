// SPDX-License-Identifier: GPL-2.0-only
/* Which process of the traced host listens at an address, by the rows that the capture wrote. */
#include "trace/port_owner.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/trace_internal.h"

struct owner {
	uint32_t space;	     /* network namespace, see docs/trace-format.md */
	const char *address; /* with its port */
	const char *process; /* "PID NAME" */
	size_t at;	     /* place of the row */
};

struct space {
	uint32_t tgid, space;
};

struct scope_port_owners {
	struct owner *owner; /* by namespace and address, none twice */
	size_t count;
	struct space *space; /* by process */
	size_t spaces;	     /* 0: all processes are in namespace 0 */
};

/* Splits a key into the number after the prefix and the rest. Returns false if the key has another form. */
static bool parse_key(const char *key, const char *prefix, uint32_t *ret_number, const char **ret_rest)
{
	const size_t length = strlen(prefix);
	unsigned long number;
	char *end;

	if (strncmp(key, prefix, length) || key[length] < '0' || key[length] > '9')
		return false;
	number = strtoul(key + length, &end, 10);
	if (number > UINT32_MAX)
		return false;
	*ret_number = (uint32_t)number;
	*ret_rest = end;
	return true;
}

static int compare(const struct owner *a, const struct owner *b)
{
	if (a->space != b->space)
		return a->space < b->space ? -1 : 1;
	return strcmp(a->address, b->address);
}

/* Sorts by address; rows with one address from the latest on. */
static int by_address(const void *left, const void *right)
{
	const struct owner *a = left, *b = right;
	const int order = compare(a, b);

	return order ? order : (a->at < b->at) - (a->at > b->at);
}

static int same_address(const void *left, const void *right)
{
	return compare(left, right);
}

static int by_process(const void *left, const void *right)
{
	const struct space *a = left, *b = right;

	return (a->tgid > b->tgid) - (a->tgid < b->tgid);
}

static void read_rows(const struct scope_trace *trace, struct scope_port_owners *owners)
{
	for (size_t i = 0; i < trace->metas; i++) {
		const struct scope_trace_meta *meta = &trace->meta[i];
		const char *rest;
		uint32_t number;

		if (parse_key(meta->key, SCOPE_META_LISTENER, &number, &rest) && *rest == '.')
			owners->owner[owners->count++] = (struct owner){ number, rest + 1, meta->value, i };
		else if (parse_key(meta->key, SCOPE_META_NETWORK, &number, &rest) && !*rest)
			owners->space[owners->spaces++] =
				(struct space){ number, (uint32_t)strtoul(meta->value, NULL, 10) };
	}
}

static void sort_rows(struct scope_port_owners *owners)
{
	size_t kept = 0;

	qsort(owners->owner, owners->count, sizeof(*owners->owner), by_address);
	for (size_t i = 0; i < owners->count; i++)
		if (!kept || compare(&owners->owner[kept - 1], &owners->owner[i]))
			owners->owner[kept++] = owners->owner[i];
	owners->count = kept;
	qsort(owners->space, owners->spaces, sizeof(*owners->space), by_process);
}

int scope_trace_port_owners_create(const struct scope_trace *trace, struct scope_port_owners **ret_owners)
{
	struct scope_port_owners *owners = calloc(1, sizeof(*owners));

	if (!owners)
		return -ENOMEM;
	owners->owner = calloc(trace->metas + 1, sizeof(*owners->owner));
	owners->space = calloc(trace->metas + 1, sizeof(*owners->space));
	if (!owners->owner || !owners->space) {
		scope_trace_port_owners_destroy(owners);
		return -ENOMEM;
	}
	read_rows(trace, owners);
	sort_rows(owners);
	*ret_owners = owners;
	return 0;
}

void scope_trace_port_owners_destroy(struct scope_port_owners *owners)
{
	if (!owners)
		return;
	free(owners->owner);
	free(owners->space);
	free(owners);
}

bool scope_trace_address_is_same(const char *one, const char *other)
{
	const char *port = strrchr(one, ':'), *other_port = strrchr(other, ':');

	return port && other_port && port - one == other_port - other && !strncmp(one, other, (size_t)(port - one));
}

static bool is_loopback(const char *address)
{
	return !strncmp(address, "127.", 4) || !strncmp(address, "[::1]:", 6);
}

/*
 * Finds a process's namespace. Returns false if it is not known: if several namespaces were seen, that of a process
 * without a row is not known.
 */
static bool find_space(const struct scope_port_owners *owners, uint32_t tgid, uint32_t *ret_space)
{
	const struct space key = { .tgid = tgid }, *found;

	*ret_space = 0;
	if (!owners->spaces)
		return true;
	found = bsearch(&key, owners->space, owners->spaces, sizeof(key), by_process);
	if (found)
		*ret_space = found->space;
	return found != NULL;
}

static const struct owner *find(const struct scope_port_owners *owners, uint32_t space, const char *address)
{
	const struct owner key = { .space = space, .address = address };

	return bsearch(&key, owners->owner, owners->count, sizeof(key), same_address);
}

/* Finds a listener at all addresses. One of IPv6 usually takes connections by IPv4, too. */
static const struct owner *find_any(const struct scope_port_owners *owners, uint32_t space, const char *address)
{
	const char *port = strrchr(address, ':');
	const struct owner *owner = NULL;
	char any[SCOPE_TRACE_ADDRESS_TEXT];

	if (!port)
		return NULL;
	if (*address != '[') {
		snprintf(any, sizeof(any), "0.0.0.0%s", port);
		owner = find(owners, space, any);
	}
	snprintf(any, sizeof(any), "[::]%s", port);
	return owner ? owner : find(owners, space, any);
}

bool scope_trace_port_owner(const struct scope_port_owners *owners, uint32_t tgid, bool is_own,
			    struct scope_trace_peer *ret_peer)
{
	const struct owner *owner;
	unsigned long pid;
	uint32_t space;
	char *name;

	if (!owners->count || !find_space(owners, tgid, &space))
		return false;
	owner = find(owners, space, ret_peer->address);
	if (!owner && (is_own || is_loopback(ret_peer->address)))
		owner = find_any(owners, space, ret_peer->address);
	pid = owner ? strtoul(owner->process, &name, 10) : 0;
	if (!pid || pid > UINT32_MAX || *name != ' ')
		return false;
	ret_peer->pid = (uint32_t)pid;
	snprintf(ret_peer->name, sizeof(ret_peer->name), "%s", name + 1);
	return true;
}
