// SPDX-License-Identifier: GPL-2.0-only
/* Netlink attributes built byte by byte, valid or invalid. */
#include <string.h>
#include <netlink/attr.h>
#include "attributes.h"
#include "tests.h"

void attributes_add(struct attributes *a, int name, const void *data, uint32_t bytes)
{
	struct nlattr attribute = { .nla_len = sizeof(attribute) + bytes, .nla_type = name };

	CHECK(a->bytes + attribute.nla_len + 3 <= sizeof(a->data));
	memcpy(a->data + a->bytes, &attribute, sizeof(attribute));
	if (bytes)
		memcpy(a->data + a->bytes + sizeof(attribute), data, bytes);
	a->bytes += (attribute.nla_len + 3) & ~3u;
}

void attributes_u32(struct attributes *a, int name, uint32_t value)
{
	attributes_add(a, name, &value, 4);
}

void attributes_nest(struct attributes *a, int name, const struct attributes *inner)
{
	attributes_add(a, name | NLA_F_NESTED, inner->data, inner->bytes);
}

void attributes_targets(struct attributes *a, uint32_t pid, int count)
{
	struct attributes nest = { 0 };

	while (count--)
		attributes_u32(&nest, SCOPE_ATTR_TARGET, pid);
	attributes_nest(a, SCOPE_ATTR_TARGETS, &nest);
}
