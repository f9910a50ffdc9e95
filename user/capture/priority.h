/* SPDX-License-Identifier: GPL-2.0-only */
/* Priority for the thread that empties the rings, for as long as a capture runs. */
#ifndef SCOPE_CAPTURE_PRIORITY_H
#define SCOPE_CAPTURE_PRIORITY_H

/*
 * On an overloaded host a thread of normal priority waits as long for a CPU as all others, and the
 * rings overflow. With a higher priority it runs earlier, but not more. A nice value that the user
 * set is kept; if the kernel refuses, nothing changes. Returns the nice value to restore.
 */
int scope_capture_priority_raise(void);
void scope_capture_priority_restore(int before);

#endif
