/* SPDX-License-Identifier: GPL-2.0-only */
/* The source that is the kernel module. */
#ifndef SCOPE_SOURCE_MODULE_H
#define SCOPE_SOURCE_MODULE_H

#include "source/source.h"

extern const struct scope_source scope_source_module;

#endif
