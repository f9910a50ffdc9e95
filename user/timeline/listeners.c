// SPDX-License-Identifier: GPL-2.0-only
/* Calls several listeners at the begin and at the end of a pass. */
#include "timeline/listeners.h"

int scope_timeline_listeners_begin(const struct scope_listeners *listeners, const struct scope_timeline *timeline)
{
	int err = 0;

	for (size_t i = 0; !err && i < listeners->count; i++)
		err = listeners->listener[i].begin(listeners->listener[i].user, timeline);
	return err;
}

int scope_timeline_listeners_finish(const struct scope_listeners *listeners)
{
	int err = 0;

	for (size_t i = 0; !err && i < listeners->count; i++)
		if (listeners->listener[i].finish)
			err = listeners->listener[i].finish(listeners->listener[i].user);
	return err;
}
