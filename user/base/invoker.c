// SPDX-License-Identifier: GPL-2.0-only
/* The user who called sudo. */
#include "base/invoker.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

/* Reads the user or group number in a variable of the environment. False: there is no valid number. */
static bool read_number(const char *name, unsigned long *ret_number)
{
	const char *text = getenv(name);
	unsigned long number;
	char *end;

	if (!text || text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	number = strtoul(text, &end, 10);
	if (errno || *end || number >= (uid_t)-1)
		return false;
	*ret_number = number;
	return true;
}

bool scope_invoker_find(struct scope_invoker *ret_invoker)
{
	unsigned long uid, gid;

	if (geteuid() || !read_number("SUDO_UID", &uid) || !read_number("SUDO_GID", &gid) || !uid)
		return false;
	*ret_invoker = (struct scope_invoker){ .uid = (uid_t)uid, .gid = (gid_t)gid };
	return true;
}

int scope_invoker_become(const struct scope_invoker *invoker)
{
	const struct passwd *user = getpwuid(invoker->uid);

	if (user ? initgroups(user->pw_name, invoker->gid) : setgroups(0, NULL))
		return -errno;
	if (setresgid(invoker->gid, invoker->gid, invoker->gid) || setresuid(invoker->uid, invoker->uid, invoker->uid))
		return -errno;
	if (user && (setenv("HOME", user->pw_dir, 1) || setenv("USER", user->pw_name, 1) ||
		     setenv("LOGNAME", user->pw_name, 1)))
		return -ENOMEM;
	return 0;
}
