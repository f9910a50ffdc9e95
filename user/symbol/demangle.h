/* SPDX-License-Identifier: GPL-2.0-only */
/* Turns the symbols of C++ and Rust back into names as written in the source. */
#ifndef SCOPE_SYMBOL_DEMANGLE_H
#define SCOPE_SYMBOL_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The name that a symbol stands for: "_ZN2ns3Box4pushEi" gives "ns::Box::push". Arguments, return
 * types and the hashes of Rust are left out, so overloads share a name. Itanium C++ ABI section 5.1,
 * Rust's older scheme and v0, all by libiberty. 0 and a string to free; -ENOENT: no such symbol, or
 * one whose name would be longer than anybody reads; -ENOMEM.
 */
int scope_symbol_demangle(const char *symbol, char **ret_name);

/* Whether a function is meant by name: its symbol as it is, or the name that it stands for. */
bool scope_symbol_demangle_match(const char *symbol, const char *name);

#endif
