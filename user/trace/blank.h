/* SPDX-License-Identifier: GPL-2.0-only */
/* Takes out of STATE records what may be memory of the target. */
#ifndef SCOPE_TRACE_BLANK_H
#define SCOPE_TRACE_BLANK_H

#include <stdint.h>

#include <scope/event.h>

/*
 * Sets to 0: all registers but the program counter and the stack pointer, and those arguments that the
 * call does not have, or that nothing reads. A register holds whatever the program last computed.
 * reg: record->regs of them. Records of 32-bit calls are treated by their numbers' native meaning.
 */
void scope_trace_blank_state(struct scope_record_state *record, uint64_t *reg);

#endif
