/* SPDX-License-Identifier: GPL-2.0-only */
/* The module's tests that are programs: each ends the process with 1 where it fails. */
#ifndef SCOPE_TESTS_KMOD_TESTS_H
#define SCOPE_TESTS_KMOD_TESTS_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "client.h"
#include "workload.h"

void test_smoke(void);

#endif
