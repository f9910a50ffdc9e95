/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a thread that enters a system call is redirected to the module. Assembler code includes this, too.
 *
 * It needs a kernel whose calls all have one argument, the thread's registers (CONFIG_ARCH_HAS_SYSCALL_WRAPPER), and
 * whose kprobes may change where a thread continues (4.19, without break_handler).
 */
#ifndef SCOPE_COMPAT_DETOUR_H
#define SCOPE_COMPAT_DETOUR_H

#if defined(CONFIG_KPROBES) && defined(CONFIG_ARCH_HAS_SYSCALL_WRAPPER) && !defined(SCOPE_HAVE_KPROBE_BREAK_HANDLER)
#define SCOPE_DETOUR_KNOWN 1
#else
#define SCOPE_DETOUR_KNOWN 0
#endif

#ifndef __ASSEMBLER__
/*
 * delay_stub.S: a thread executes this instead of the call's function, with the same argument and return address. It
 * continues at the address that scope_delay_detour() returns. It is never called from C.
 */
#if SCOPE_DETOUR_KNOWN
void scope_delay_stub(void);
#else
static inline void scope_delay_stub(void)
{
}
#endif
/* delay_entry.c: only the stub calls it. */
unsigned long scope_delay_detour(void);

#else /* macros of the stub */

#include <linux/linkage.h>

#ifndef SYM_FUNC_START /* before 5.5 */
#define SYM_FUNC_START(name) ENTRY(name)
#define SYM_FUNC_END(name) ENDPROC(name)
#endif

#ifdef CONFIG_X86_64
#ifndef RET /* before 5.17: the return has no protection against speculation */
#define RET ret
#endif
#ifndef ENDBR /* before 5.18 */
#define ENDBR
#endif
#endif
#endif

#endif
