/* SPDX-License-Identifier: GPL-2.0-only */
/* What virtual speedups take from samples. */
#ifndef SCOPE_KMOD_DELAY_SPEEDUP_H
#define SCOPE_KMOD_DELAY_SPEEDUP_H

struct scope_session;

#ifndef SCOPE_WITHOUT_DELAYS

/* From the timer of samples, interrupts off, while the session runs. */
void scope_delay_sample(struct scope_session *session);

#else

static inline void scope_delay_sample(struct scope_session *session)
{
}

#endif

#endif
