// SPDX-License-Identifier: GPL-2.0-only
/* Decides if an episode is valid, and the order of episodes. */
#include "signature/episode.h"

#include <string.h>

#include "base/syscall_name.h"

static const char busy_name[] = "(busy)";

bool scope_signature_episode_valid(const struct scope_episode *episode)
{
	unsigned again = 0;

	if (!episode->length || episode->length > SCOPE_EPISODE_MAX)
		return false;
	for (unsigned i = 1; i < episode->length; i++)
		again += episode->nr[i] == episode->nr[0];
	return !again || (episode->contiguous && again == episode->length - 1u);
}

bool scope_signature_episode_is_busy(const struct scope_episode *episode)
{
	for (unsigned i = 0; i < episode->length; i++)
		if (episode->nr[i] == SCOPE_EPISODE_BUSY)
			return true;
	return false;
}

const char *scope_signature_episode_call_name(uint16_t nr)
{
	return nr == SCOPE_EPISODE_BUSY ? busy_name : scope_syscall_name(nr);
}

int scope_signature_episode_call_number(const char *name, uint16_t *ret_nr)
{
	if (strcmp(name, busy_name))
		return scope_syscall_number(name, ret_nr);
	*ret_nr = SCOPE_EPISODE_BUSY;
	return 0;
}

int scope_signature_episode_compare(const struct scope_episode *a, const struct scope_episode *b)
{
	for (unsigned i = 0; i < a->length && i < b->length; i++)
		if (a->nr[i] != b->nr[i])
			return a->nr[i] < b->nr[i] ? -1 : 1;
	if (a->length != b->length)
		return a->length < b->length ? -1 : 1;
	return b->contiguous - a->contiguous;
}
