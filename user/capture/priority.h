/* SPDX-License-Identifier: GPL-2.0-only */
/* Priority for the thread that empties the rings, for as long as a capture runs. */
#ifndef SCOPE_CAPTURE_PRIORITY_H
#define SCOPE_CAPTURE_PRIORITY_H

/*
 * On a host with more to do than processors, a thread of common priority gets its turn as late as all
 * others, and rings run full meanwhile. Being served earlier makes it compute no more. The one that gave this
 * process a nice value of their own keeps it; where the kernel refuses, all stays as it was. Returns the
 * nice value to go back to.
 */
int scope_capture_priority_raise(void);
void scope_capture_priority_restore(int before);

#endif
