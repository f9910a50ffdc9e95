// SPDX-License-Identifier: GPL-2.0-only
/* Sizes of the ABI's structs, checked by the compiler: a change here is a change of protocol. */
#include <scope/control.h>
#include <scope/event.h>
#include <scope/ring.h>

#define CHECK_RECORD(number, NAME, name, bytes, text)                                                                  \
	_Static_assert(sizeof(struct scope_record_##name) == (bytes), #name);                                          \
	_Static_assert((number) < 1 << SCOPE_TYPE_BITS, #name);
SCOPE_RECORD_LIST(CHECK_RECORD)

_Static_assert(sizeof(struct scope_subbuf) == 64, "subbuf");
_Static_assert(sizeof(struct scope_ring_page) == 112, "ring page");
_Static_assert(sizeof(struct scope_ioc_info) == 32, "ioc info");
_Static_assert(sizeof(struct scope_ioc_consume) == 16, "ioc consume");
_Static_assert(sizeof(struct scope_delay_range) == 24, "delay range");
_Static_assert(SCOPE_ATTR_MAX == 87, "attributes are only ever added at the end");
