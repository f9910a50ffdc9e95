/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the container and the pod in the path of a control group. */
#ifndef SCOPE_PROC_CONTAINER_H
#define SCOPE_PROC_CONTAINER_H

#include <stdbool.h>

struct scope_container {
	char runtime[24]; /* docker, podman, containerd, cri-o, lxc, machine; "container": only an id is known; "": none */
	char name[65];	  /* the id in full, or the name that its runtime gave */
	char pod[37];	  /* uid of the pod of Kubernetes; "": none */
};

/*
 * Uses the names that runtimes give to control groups, with the systemd driver ("docker-ID.scope") and without it
 * ("/docker/ID"). Returns false if the path names neither a container nor a pod.
 */
bool scope_proc_container_find(const char *group, struct scope_container *ret_container);

#endif
