/* SPDX-License-Identifier: GPL-2.0-only */
/* Reports the state of this program to the service manager that started it (the protocol of sd_notify(3)). */
#ifndef SCOPE_WATCH_NOTIFY_H
#define SCOPE_WATCH_NOTIFY_H

/* state: "READY=1", "WATCHDOG=1", "STOPPING=1". Does nothing if no manager requested it (NOTIFY_SOCKET). */
void scope_watch_notify(const char *state);

#endif
