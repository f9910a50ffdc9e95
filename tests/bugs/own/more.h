/* SPDX-License-Identifier: GPL-2.0-only */
/* More steps of a request, whose bugs are those of the sealed cases. */
#ifndef MORE_H
#define MORE_H

#include "work.h"

/* All of them for one request, before its page is made. */
void more_steps(const struct conn *conn);

#endif
