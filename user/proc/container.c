// SPDX-License-Identifier: GPL-2.0-only
/* Finds containers in paths of control groups, by the names that their runtimes give. */
#include "proc/container.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define ID_MIN 32 /* hexadecimal digits of an id; those of docker and containerd have 64 */
#define UID_BYTES 36

/* The text before the id or the name in the group's own name. */
static const struct {
	const char *front, *runtime;
	bool named; /* a name follows, not an id */
} fronts[] = {
	{ "docker-", "docker", false },
	{ "libpod-", "podman", false },
	{ "cri-containerd-", "containerd", false },
	{ "containerd-", "containerd", false },
	{ "crio-", "cri-o", false },
	{ "lxc.payload.", "lxc", true },
	{ "machine-", "machine", true },
};

/* Groups whose members are containers. */
static const struct {
	const char *parent, *runtime;
	bool named;
} parents[] = {
	{ "docker", "docker", false },
	{ "lxc", "lxc", true },
	{ "lxc.payload", "lxc", true },
};

static bool is_id(const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		if (!isxdigit((unsigned char)text[i]))
			return false;
	return bytes >= ID_MIN;
}

static void set(struct scope_container *container, const char *runtime, const char *name, size_t bytes)
{
	snprintf(container->runtime, sizeof(container->runtime), "%s", runtime);
	snprintf(container->name, sizeof(container->name), "%.*s", (int)bytes, name);
}

/* Finds "pod" and a uid at the end of a group's name; systemd has _ instead of -. */
static void take_pod(const char *name, size_t bytes, struct scope_container *container)
{
	const char *uid = name + bytes - UID_BYTES;

	if (bytes < UID_BYTES + 3 || strncmp(uid - 3, "pod", 3))
		return;
	for (size_t i = 0; i < UID_BYTES; i++)
		if (!isxdigit((unsigned char)uid[i]) && uid[i] != '-' && uid[i] != '_')
			return;
	for (size_t i = 0; i < UID_BYTES; i++)
		container->pod[i] = uid[i] == '_' ? '-' : uid[i];
	container->pod[UID_BYTES] = '\0';
}

static void take_container(const char *parent, size_t parent_bytes, const char *name, size_t bytes, bool scope,
			   struct scope_container *container)
{
	for (size_t i = 0; i < sizeof(fronts) / sizeof(*fronts); i++) {
		const size_t front = strlen(fronts[i].front);

		if (bytes <= front || strncmp(name, fronts[i].front, front) ||
		    !(fronts[i].named ? scope || strchr(fronts[i].front, '.') : is_id(name + front, bytes - front)))
			continue;
		set(container, fronts[i].runtime, name + front, bytes - front);
		return;
	}
	for (size_t i = 0; i < sizeof(parents) / sizeof(*parents); i++) {
		if (strlen(parents[i].parent) != parent_bytes || strncmp(parent, parents[i].parent, parent_bytes) ||
		    !(parents[i].named || is_id(name, bytes)))
			continue;
		set(container, parents[i].runtime, name, bytes);
		return;
	}
	if (container->pod[0] && is_id(name, bytes))
		set(container, "container", name, bytes);
}

/* The length of a group's name without the text that systemd adds. */
static size_t without_end(const char *name, size_t bytes, const char *end)
{
	const size_t length = strlen(end);

	return bytes > length && !strncmp(name + bytes - length, end, length) ? bytes - length : bytes;
}

bool scope_proc_container_find(const char *group, struct scope_container *ret_container)
{
	const char *parent = "";
	size_t parent_bytes = 0;

	*ret_container = (struct scope_container){ .pod = "" };
	for (const char *name = group + strspn(group, "/"); *name; name += strspn(name, "/")) {
		const size_t bytes = strcspn(name, "/"), unscoped = without_end(name, bytes, ".scope");

		take_pod(name, without_end(name, bytes, ".slice"), ret_container);
		if (!ret_container->runtime[0])
			take_container(parent, parent_bytes, name, unscoped, unscoped < bytes, ret_container);
		parent = name;
		parent_bytes = bytes;
		name += bytes;
	}
	return ret_container->runtime[0] || ret_container->pod[0];
}
