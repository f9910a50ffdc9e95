/* SPDX-License-Identifier: GPL-2.0-only */
/* The probes of bios; NULL if the kernel's tracepoints are not known. */
#ifndef SCOPE_KMOD_PROBE_BIO_H
#define SCOPE_KMOD_PROBE_BIO_H

#include <linux/types.h>

struct bio;
struct scope_cpu;
struct scope_session;

extern void *const scope_bio_queue_probe, *const scope_bio_remap_probe;
extern void *const scope_bio_done_probe;
extern const size_t scope_bios_bytes; /* of session->bios, zeroed */

/* Returns whether the end of this bio will be recorded, so that a request made of it needs no records. NULL is allowed. */
bool scope_bio_is_tracked(const struct scope_session *session, const struct bio *bio);

/*
 * Interrupts off. A request that was made of this bio is done; nothing else reports the end of such a bio. error: 0 or
 * -errno. Does nothing if the bio is not in the table; NULL is allowed.
 */
void scope_bio_end(struct scope_session *session, struct scope_cpu *cpu, struct bio *bio, int error);

#endif
