/* SPDX-License-Identifier: GPL-2.0-only */
/* /dev/scope: sessions as open files, their data as mappings. */
#ifndef SCOPE_KMOD_CHARDEV_H
#define SCOPE_KMOD_CHARDEV_H

int scope_chardev_init(void);
void scope_chardev_exit(void);

#endif
