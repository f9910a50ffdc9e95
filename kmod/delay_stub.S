/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a kernel function that was entered is sent, see delay_entry.c. It has not begun: its argument
 * and its return address are kept, all else may change.
 *
 * It goes on by a return to the address that scope_delay_detour() gave, because that is the middle of a
 * function: a jump there is an error to processors that check where jumps go (IBT, BTI). The next
 * argument becomes the stub's address, which nobody else has. By that a kprobe knows which thread was here.
 */
#include "detour.h"

#if SCOPE_DETOUR_KNOWN
#if defined(CONFIG_X86_64)

#include <asm/unwind_hints.h>

	.text
SYM_FUNC_START(scope_delay_stub)
	ENDBR
	push	%rbp
	mov	%rsp, %rbp
	push	%rdi
	call	scope_delay_detour
	pop	%rdi
	pop	%rbp
	lea	scope_delay_stub(%rip), %rsi
	push	%rax
	UNWIND_HINT_FUNC	/* as if the function had called this instruction */
	RET
SYM_FUNC_END(scope_delay_stub)

#elif defined(CONFIG_ARM64)

	.text
SYM_FUNC_START(scope_delay_stub)
	hint	#34		/* bti c */
	stp	x29, x30, [sp, #-32]!
	mov	x29, sp
	str	x0, [sp, #16]
	bl	scope_delay_detour
	mov	x9, x0
	ldr	x0, [sp, #16]
	ldp	x29, x30, [sp], #32
	adr	x1, scope_delay_stub
	ret	x9
SYM_FUNC_END(scope_delay_stub)

#endif
#endif
	.section .note.GNU-stack, "", %progbits
