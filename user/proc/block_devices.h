/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of block devices, and where they are mounted. */
#ifndef SCOPE_PROC_BLOCK_DEVICES_H
#define SCOPE_PROC_BLOCK_DEVICES_H

struct scope_writer;

#define SCOPE_DEVICES_NAMED 256 /* no rule: further ones get no name */

/*
 * Writes SCOPE_META_DEVICE for each block device: its name, the file of a loop device, and the place where the device,
 * one of its partitions or a volume on them is mounted. root: the directory that has proc/ and sys/, "" on a host. 0,
 * or -errno of the writer.
 */
int scope_proc_devices_write(const char *root, struct scope_writer *writer);

#endif
