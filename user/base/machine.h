/* SPDX-License-Identifier: GPL-2.0-only */
/* How this machine's registers are recorded: selects its values from those that scope/abi.h gives for all machines. */
#ifndef SCOPE_BASE_MACHINE_H
#define SCOPE_BASE_MACHINE_H

#include <scope/abi.h>

#if defined(__x86_64__)
#define SCOPE_MACHINE_REG_COUNT SCOPE_REG_COUNT_X86_64
#define SCOPE_MACHINE_REG_SP SCOPE_REG_SP_X86_64
#elif defined(__aarch64__)
#define SCOPE_MACHINE_REG_COUNT SCOPE_REG_COUNT_ARM64
#define SCOPE_MACHINE_REG_SP SCOPE_REG_SP_ARM64
#else
#error "no registers known for this machine"
#endif

#endif
