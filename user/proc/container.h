/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds in the path of a control group which container and pod it is of. */
#ifndef SCOPE_PROC_CONTAINER_H
#define SCOPE_PROC_CONTAINER_H

#include <stdbool.h>

struct scope_container {
	char runtime[24]; /* docker, podman, containerd, cri-o, lxc, machine; "container": it has an id alone; "": none */
	char name[65];	  /* the id in full, or the name that its runtime gave */
	char pod[37];	  /* uid of the pod of Kubernetes; "": none */
};

/*
 * By the names that runtimes give to control groups, with the systemd driver ("docker-ID.scope") and without it
 * ("/docker/ID"). Returns false if the path names neither container nor pod.
 */
bool scope_proc_container_find(const char *group, struct scope_container *ret_container);

#endif
